//! The contract in OpenAPI 3.1 and the generated sources of `daybook-client`.
//!
//! This crate does not depend on that client, so it also builds where those sources do not compile.

pub mod client;
pub mod version_3_1;
