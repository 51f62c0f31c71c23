//! API keys: resolution and counts of calls (behaviour 9.1, 10.13).
//!
//! An API key names the app that sends a request; it grants no access. Its text is derived from
//! its id and the key of this installation, and the database has only the SHA-256 (`text`). A
//! request may have a key in a header or parameter, which is resolved through a cache (`resolve`,
//! `cache`). Its calls are counted per day (`calls`) and charged to its quota ([`crate::rate`]).

pub(crate) mod cache;
pub(crate) mod calls;
mod resolve;
pub(crate) mod text;

pub use cache::{ApiKeyCache, ResolvedApiKey};
pub use calls::ApiKeyCalls;
pub use resolve::resolve_api_key;
pub use text::ApiKeyText;
