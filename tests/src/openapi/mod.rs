//! The published documents of the API, and the comparison of responses with them.

pub mod access;
pub mod contract;
