//! Browser sessions: sign-in, access tokens for web apps, sign-out (behaviour 11.3, 11.4, 11.14).
//!
//! A *session* is a row with the hash of a secret. The browser has the id and the secret in a
//! cookie (`cookie`, `secret`) that scripts cannot read and that is only sent to `/auth`.
//!
//! 1. `/auth/login` and the pages that need a user render the sign-in page (`login`). A second
//!    cookie stores where to return to (`return_to`).
//! 2. The user signs in with a link that works once (`link`), which the operator hands out, the
//!    server mails (`mail_link`, `link_limits`), or a signed-in user makes (`new_link`). The first
//!    user of a trial opens a link that the server prints (`first_user`, `first_user_link`). Or the
//!    user signs in at an identity provider (`provider_links`, `provider`). A sealed cookie per
//!    sign-in binds the provider's response to this browser (`sign_in_cookie`).
//! 3. `complete_sign_in` sets the session cookie and redirects the browser.
//! 4. Web apps exchange the session for short-lived access tokens at `/auth/refresh` (`access`).
//!    Only the origin of this server and those that the operator lists may do so (`origin`).
//! 5. A session ends after 30 days without use, by sign-out, or when the user is disabled.
//!
//! Forms that change something must come from a page of this server (`same_origin`). Pages have no
//! scripts, load only their stylesheet (`style`) and cannot be framed (`page`).

mod access;
mod complete_sign_in;
pub(crate) mod cookie;
mod first_user;
mod first_user_link;
mod link;
mod link_limits;
pub(crate) mod login;
mod mail_link;
mod new_link;
pub(crate) mod origin;
pub(crate) mod page;
mod provider;
mod provider_links;
pub(crate) mod return_to;
pub(crate) mod same_origin;
pub(crate) mod secret;
mod sign_in_cookie;
mod style;

pub use access::{logout, refresh_session, sign_out};
pub use first_user::{create_first_user, show_first_user};
pub use first_user_link::FirstUserLink;
pub use link::{show_link, sign_in};
pub use login::login;
pub use mail_link::mail_link;
pub use new_link::{create_link, render_qr_code};
pub use provider::{begin_provider_sign_in, finish_provider_sign_in};

pub use link_limits::LinkLimits;
pub use origin::{WebOrigin, WebOrigins, credentials_origin};
pub use secret::{LoginSecret, RandomnessError};
pub use style::stylesheet;
