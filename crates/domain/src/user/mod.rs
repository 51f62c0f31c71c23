//! Users as identity providers know them: who is admitted, and what they are called (behaviour
//! 9.11, 11.11).

mod admission;
mod deleted;
mod newcomers;
mod payer;
mod profile;
mod refusal;

pub use admission::{Admission, Admitted};
pub use deleted::{deleted_email, deleted_username};
pub use newcomers::{MAX_NEWCOMERS, newcomers_since};
pub use payer::payer;
pub use profile::Profile;
pub use refusal::Refusal;
