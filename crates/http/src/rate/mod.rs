//! Limits of rate, by the generic cell rate algorithm, that of the crate `governor` where all have
//! the same. Each process counts for itself.
//!
//! | Module | What it does |
//! |---|---|
//! | `arrivals` | Keeps what was taken, of a bounded number of keys |
//! | `limiter` | So many cells a minute for each key, all of which may be taken at once |
//! | `attempts` | Limits the failures of a client's address |
//! | `quota` | Limits the calls of a user or an API key |
//! | `counted` | Takes what a request costs |
//! | `uploads` | Limits the contents that a user sends |

pub(crate) mod attempts;
pub(crate) mod counted;
mod gcra;
pub(crate) mod limiter;
pub(crate) mod quota;
pub(crate) mod uploads;
