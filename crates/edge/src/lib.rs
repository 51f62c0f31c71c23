//! The base of all endpoints and workers, between async code, the store and the wire.
//!
//! [`Edge`] holds the store, the clock, the limits and the addresses of this server.
//!
//! | Modules | Contents |
//! |---|---|
//! | [`run`], [`blocking`] | Use cases on a snapshot or in a unit of work; the blocking pool |
//! | [`error`] | The errors of requests, and the status of every refusal |
//! | [`request_head`], [`parameters`], [`form`], [`receive`], [`client_address`] | Requests |
//! | [`long_text`] | Buffers that return their memory at once |
//! | [`budget`], [`response_budget`], [`reader_shares`], [`keyed_mutex`] | Limits of each user |
//! | [`outgoing`] | The client for outgoing requests, and the addresses that it may reach |
//! | [`worker`] | Background workers |
//! | [`last_backup`] | The file with the last good backup |
//! | [`metric`] | Counters for the operator |

pub mod blocking;
pub mod budget;
pub mod client_address;
pub mod error;
pub mod form;
mod headers;
pub mod keyed_mutex;
pub mod last_backup;
pub mod long_text;
pub mod metric;
mod objects_only;
pub mod outgoing;
pub mod parameters;
mod problem;
pub mod reader_shares;
pub mod receive;
pub mod request_head;
pub mod response_budget;
pub mod run;
mod shortage;
mod site;
mod state;
mod wakeup;
pub mod worker;

pub use headers::Headers;
pub use site::Site;
pub use state::Edge;
pub use wakeup::Wakeup;
