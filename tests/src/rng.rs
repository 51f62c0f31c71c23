//! Reproducible randomness for workloads.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A seeded generator (splitmix64): the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// Returns a random seed.
    pub fn seed() -> u64 {
        RandomState::new().build_hasher().finish()
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number from 0 up to, but not including, `end`. The modulo bias is negligible for a
    /// workload.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next_u64() % end
    }
}
