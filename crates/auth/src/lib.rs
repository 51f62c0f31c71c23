//! Authentication of requests, sign-in with a browser, OAuth, and limits of calls.
//!
//! - [`identity`] resolves the bearer token of a request to its user, and holds the keys of this
//!   installation.
//! - [`session`] signs users in with a browser; [`grant`] is the OAuth server, whose tokens are
//!   signed by [`signing_key`].
//! - [`api_key`] resolves the API key of a request and counts its calls.
//! - [`rate`] limits calls and failed attempts.
//! - [`security`] writes the security log.
//!
//! The handlers of `/auth` are here, with their pages. The http crate mounts them in its table of
//! routes.

pub mod api_key;
pub mod grant;
pub mod identity;
pub mod rate;
pub mod security;
pub mod session;
pub mod signing_key;
mod state;
pub mod worker;

pub use state::Auth;
