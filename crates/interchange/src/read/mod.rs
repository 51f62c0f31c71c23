//! Readers: from the bytes of a file to its records.

pub mod amount;
pub mod day;
pub mod format;
pub mod limits;
mod numeral;
pub mod options;
mod output;
pub mod problem;
pub mod record;
pub mod rules;
pub mod text;
