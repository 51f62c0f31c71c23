//! The background workers of deliveries.

pub mod delivery;
pub mod delivery_sweep;
