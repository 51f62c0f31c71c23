//! Tests of the writers of books through their public interface.

#![cfg(test)]

mod beancount;
mod book;
mod file_names;
mod hledger;
mod program;
mod tables;
