//! Tests of the readers through their public interface.

#![cfg(test)]

mod cases;
mod changed_files;
mod journals;
mod mapping_table;
mod plans;
mod properties;
mod sheets;
