//! Signing in with a browser (behaviour 11.3, 11.4, 11.14).
//!
//! | Module | What it does |
//! |---|---|
//! | `login` | Begins: remembers where to return to, and says how to sign in |
//! | `link` | Signs in by a link that works once |
//! | `provider`, `pending` | Sign in through an identity provider, with a cookie for the way there |
//! | `provider_links` | What leads people to the identity providers |
//! | `entry` | What a browser gets that has signed in |
//! | `mailed`, `link_limits` | Mails such a link to who asks for it; how often |
//! | `access` | Gives access tokens to the apps of a signed-in browser, and signs out |
//! | `cookie` | The cookies of the session and of the way back |
//! | `way_back` | Where a browser returns after signing in |
//! | `origin` | The web origins that may use sessions |
//! | `own_form` | Whether a page of this server has sent a form |
//! | `page`, `secret` | What the pages look like, and how secrets are made |

mod access;
mod complete_sign_in;
pub(crate) mod cookie;
mod link;
mod link_limits;
pub(crate) mod login;
mod mailed;
pub(crate) mod origin;
pub(crate) mod page;
mod provider;
mod provider_links;
pub(crate) mod return_to;
pub(crate) mod same_origin;
pub(crate) mod secret;
mod sign_in_cookie;

pub(crate) use access::{logout, refresh, sign_out};
pub(crate) use link::{show_link, sign_in};
pub(crate) use login::login;
pub(crate) use mailed::mail_link;
pub(crate) use provider::{begin, finish};

pub use link_limits::LinkLimits;
pub use origin::WebOrigin;
pub use secret::{LoginSecret, NoRandomness};
