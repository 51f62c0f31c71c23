//! The built-in issuer: apps ask users for access, and get tokens (OAuth 2; behaviour 11.3,
//! 11.16 - 11.19).
//!
//! | Module | What it does |
//! |---|---|
//! | `registry` | Reads the operator's file of clients |
//! | `authorize`, `asked`, `redirect` | Asks the user in a browser, and sends the answer to the app |
//! | `token`, `tokens`, `signed` | Gives tokens for codes and refresh tokens |
//! | `id_token`, `metadata` | Tells clients who somebody is, and what this issuer does |
//! | `device` | Signs in programs without a browser |
//! | `token_state` | Revokes tokens, and tells whether they are valid |
//! | `consents` | The apps that a user has agreed to |
//! | `limits` | How often what could be guessed is tried |
//! | `client_proof`, `fields`, `refused` | Who asks, how, and what a program reads that gets nothing |

mod authorization_request;
mod authorize;
mod client_auth;
mod consents;
mod device;
mod fields;
mod id_token;
mod limits;
mod metadata;
mod redirect;
mod refused;
mod registry;
mod signed;
mod token;
mod token_state;
mod tokens;

pub(crate) use authorize::{authorize, authorize_by_form, consent};
pub(crate) use consents::{list_consents, withdraw_consent};
pub(crate) use device::{decide_device, device_code, show_device};
pub(crate) use id_token::userinfo;
pub(crate) use metadata::metadata;
pub(crate) use token::token;
pub(crate) use token_state::{introspect, revoke};

pub use limits::GrantLimits;
pub use registry::Clients;
