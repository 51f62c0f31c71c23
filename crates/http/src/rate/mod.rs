//! Limits of rate, by the generic cell rate algorithm of the crate `governor`. Each process counts
//! for itself.
//!
//! | Module | What it does |
//! |---|---|
//! | `arrivals` | Keeps what was taken, of a bounded number of keys |
//! | `limiter` | So many cells a minute for each key, all of which may be taken at once |
//! | `attempts` | Limits the failures of a client's address |
//! | `quota` | Limits the calls of a user or an API key |
//! | `counted` | Takes what a request costs |

mod arrivals;
pub(crate) mod attempts;
pub(crate) mod counted;
mod limiter;
pub(crate) mod quota;
