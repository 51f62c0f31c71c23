//! The built-in OAuth 2 and OpenID Connect issuer (behaviour 11.3, 11.16 - 11.19).
//!
//! A *client* is an app from the operator's file (`registry`) or the built-in one of `dbk`. A
//! *grant* is a row that says which user lets which client use their books, with which scope and
//! until when. Every token names its grant, so ending the grant ends all of its tokens.
//!
//! 1. A client sends a browser to `/auth/authorize` (`authorization_request`, `authorize`). The
//!    user signs in ([`crate::session`]) and consents once. The consent is a row of its own
//!    (`consents`).
//! 2. The server inserts the grant and redirects the browser to the client with an authorization
//!    code (`redirect`). The code is signed, not stored (`signed_tokens`). It is rotation 0 of the
//!    grant and valid for 60 seconds.
//! 3. The client redeems the code at `/auth/token` (`client_auth`, `token`, `tokens`). This
//!    increments the rotation. The refresh token carries the new number and is redeemed in the
//!    same way.
//! 4. A code or refresh token with an outdated rotation means that two parties hold it. The grant
//!    ends. One exception: the previous refresh token still works for 30 seconds.
//!
//! Programs without a browser get a device code and poll for it, while the user types the short
//! user code on a page (`device`, RFC 8628). Clients can revoke and introspect tokens
//! (`token_state`), read the user's claims (`id_token`) and discover the endpoints (`metadata`).
//! Wrong codes are rate limited by client address (`limits`).
//!
//! Errors of pages are pages. Errors of endpoints are the JSON of RFC 6749, 5.2 (`oauth_error`).

mod authorization_request;
mod authorize;
mod client_auth;
mod consents;
mod device;
mod fields;
mod id_token;
mod limits;
mod metadata;
mod oauth_error;
mod redirect;
mod registry;
mod signed_tokens;
mod token;
mod token_state;
mod tokens;

pub use authorize::{authorize, authorize_by_form, consent};
pub use consents::{list_consents, withdraw_consent};
pub use device::{decide_device, device_code, show_device};
pub use id_token::userinfo;
pub use metadata::metadata;
pub use token::token;
pub use token_state::{introspect, revoke};

pub use limits::GrantLimits;
pub use registry::Clients;
