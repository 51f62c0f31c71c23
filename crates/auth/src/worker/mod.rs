//! The background workers of authentication.

pub mod api_key_calls;
pub mod identity;
