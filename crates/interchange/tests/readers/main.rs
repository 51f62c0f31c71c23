//! Tests of the readers through their public interface.

#![cfg(test)]

mod cases;
mod properties;
mod sheets;
