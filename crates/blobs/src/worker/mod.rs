//! The background workers that remove blobs.

pub mod book_removal;
pub mod file_sweep;
