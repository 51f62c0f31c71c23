//! Rate limits, in memory and per process (behaviour 10.6, 10.12, 10.13).
//!
//! A `Limiter` is a token bucket per key: N tokens per minute with a burst of N. It is the generic
//! cell rate algorithm of the crate `governor`, with a store of our own that is bounded and can
//! check a key without consuming tokens (`gcra`). Three limits use it:
//!
//! - `attempts` limits failed authentication by client address. A handler checks the address
//!   first and records the failure afterwards.
//! - `quota` limits the cost of calls per minute for an API key or a user, and sends the
//!   `RateLimit` headers. `charge` charges each request once, before its use case runs. A request
//!   with an idempotency key pays 1 first and the rest when it turns out not to be a replay.
//! - [`crate::session`] and [`crate::grant`] limit links, device codes and polls.
//!
//! Nothing survives a restart. Several processes together admit a multiple of each limit.

pub(crate) mod attempts;
mod charge;
mod gcra;
pub(crate) mod limiter;
pub(crate) mod quota;

pub use attempts::AttemptLimit;
pub use charge::{CountedRequest, count};
pub use quota::{Charge, Cost, DeferredCharge, QuotaExceeded, Quotas};
