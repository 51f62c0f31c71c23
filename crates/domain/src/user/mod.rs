//! Users: admission, profiles and deletion (behaviour 7.11, 9.11, 11.11).
//!
//! A user is created at the first sign-in, if the [`Admission`] allows the address or a book is
//! shared with it. An identity provider may send a [`Profile`]. A deleted user keeps an anonymous
//! name and address in books of others.

mod admission;
mod deleted;
mod newcomers;
mod profile;
mod quota_subject;
mod refusal;

pub use admission::{Admission, Admitted};
pub use deleted::{deleted_email, deleted_username};
pub use newcomers::{MAX_NEWCOMERS, newcomers_since};
pub use profile::Profile;
pub use quota_subject::quota_subject;
pub use refusal::Refusal;
