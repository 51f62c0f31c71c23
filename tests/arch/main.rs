//! The rules of ARCHITECTURE.md that no lint of the compiler checks, and the agreement of documents
//! and code. These tests read files only; they start no server.

mod citations;
mod container;
mod contract;
mod cycles;
mod documents;
mod files;
mod layers;
mod metrics;
mod migrations;
mod names;
mod prose;
mod tree;
