//! The query language as SQL: a tree of terms becomes a condition, and the most selective terms
//! become the index ranges that a page reads.
//!
//! **The condition** (`terms.rs`) is true or false for every row, never NULL: each part guards its
//! NULLs, so NOT is the plain complement. Every row is tested with the whole condition, whatever
//! the ranges. Chains are joined as balanced trees, because SQLite refuses deep expressions. The
//! domain's `Filter::matches` defines what the condition must mean.
//!
//! **The access path** ([`PathSelector`]) is chosen from the terms that must hold: a remote id
//! or a property value before a rare text, an account, a hashtag, drafts or the trash, the
//! presence of a property, the accounts of a group; otherwise it is the whole book by day.
//! Alternatives use the ranges of all branches, if each has some. All these indexes end in (day,
//! transaction), so a page starts at `(day, id) < (?, ?)`, and a late page costs as much as the
//! first. With several ranges, the newest few rows of each are read first (`range_page.rs`).
//!
//! A text has no index of its own. The trigram index returns the *blocks* of 64 transactions that
//! may contain it, and the condition compares the texts in these blocks.

mod access_path;
mod plan;
mod range;
pub(super) mod range_page;
mod statement;
mod terms;

pub(crate) use access_path::PathSelector;
pub(crate) use plan::SearchPlan;
pub use plan::{ResolvedNames, Search, SimilarTransactionFilter};
