//! Row types of the tables that the write buffer writes, with their insert statements.
//!
//! [`crate::commit::write_buffer`] writes these rows in bulk before a commit, and the repositories
//! read them. A row module depends on no repository and on no unit of work, so both may use it.
//! Rows of other tables are private to their repository. [`column`] converts values that several
//! tables store the same way.

pub(crate) mod book_state;
pub(crate) mod column;
pub(crate) mod delivery;
pub(crate) mod event;
pub(crate) mod month_counts;
pub(crate) mod packed;
pub(crate) mod transaction;
