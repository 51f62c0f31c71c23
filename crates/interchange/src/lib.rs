//! File formats of Daybook: bytes to and from values, without input or output of its own.
//!
//! A [`Report`](daybook_domain::report::Report) is written as CSV ([`csv`]), as a spreadsheet
//! ([`xlsx`]) or as a page for a browser and its printer ([`html`]). The writers of CSV and HTML
//! append to a buffer of the caller row by row, so that a report of any length needs little memory:
//! `begin` writes what precedes the rows, `row` a row, and `finish` the controls. Every format ends
//! with an end mark, so that a file that was cut short can be recognized.
//!
//! Whole books are written by [`write`](mod@write). In the other direction, [`read`] makes records
//! of the files of banks and of other programs, and [`plan`] maps journals to the groups, accounts
//! and transactions that a book records.
//!
//! All formats of reports contain the same facts beside the table: book, report, period, basis,
//! currency, filters, notes, the time of the computation, and the number and hash of the last
//! event.

pub mod csv;
mod facts;
#[cfg(test)]
mod fixture;
pub mod html;
mod look;
mod notation;
pub mod plan;
pub mod read;
pub mod write;
pub mod xlsx;
