//! The published documents of the API, and the comparison of responses with them.

pub mod access;
pub mod client;
pub mod contract;
pub mod version_3_1;
