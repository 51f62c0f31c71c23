//! Signing in with a browser (behaviour 11.3, 11.4, 11.14).
//!
//! | Module | What it does |
//! |---|---|
//! | `login` | Begins: remembers where to return to, and says how to sign in |
//! | `link` | Signs in by a link that works once |
//! | `access` | Gives access tokens to the apps of a signed-in browser, and signs out |
//! | `cookie` | The cookies of the session and of the way back |
//! | `origin` | The web origins that may use sessions |
//! | `page`, `secret` | What the pages look like, and how secrets are made |

mod access;
mod cookie;
mod link;
mod login;
pub(crate) mod origin;
mod page;
mod secret;

pub(crate) use access::{logout, refresh};
pub(crate) use link::{show_link, sign_in};
pub(crate) use login::login;

pub use origin::WebOrigin;
pub use secret::{LoginSecret, NoRandomness};
