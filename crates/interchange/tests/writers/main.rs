//! Tests of the writers of books through their public interface.

#![cfg(test)]

mod beancount;
mod book;
mod converted;
mod file_names;
mod hledger;
mod ledger;
mod program;
mod rules;
mod tables;
