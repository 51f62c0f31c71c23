//! Types and operations, made from the contract by `make openapi`. Do not edit them.

mod operations;
pub mod parameters;
pub mod types;
