//! Reproducible randomness for workloads.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A seeded generator (splitmix64): the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for the same seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A seed nobody chose.
    pub fn seed() -> u64 {
        RandomState::new().build_hasher().finish()
    }

    /// The next 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from 0 to `end`, without `end`. The modulo's bias is far below what a workload
    /// could show.
    pub fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }
}
