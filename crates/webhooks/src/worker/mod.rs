//! The background workers of deliveries: `delivery` sends events to apps, and `delivery_sweep`
//! removes what is left of ended deliveries.

pub mod delivery;
pub mod delivery_sweep;
