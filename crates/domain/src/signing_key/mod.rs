//! Signing keys of this installation and their rotation (behaviour 11.15).
//!
//! A rotation adds a key pair per algorithm. The new key is announced in the published key set
//! before it signs. The old key stays published until its last signature has expired, and is then
//! removed. The auth crate creates and seals the pairs.

mod key_ring;

pub use key_ring::KeyRing;

use crate::instant::Instant;
use crate::named::named;

/// Time in minutes between the announcement of a key and its first signature.
///
/// Caches keep the published keys for half of it, so every verifier knows a key before it signs.
pub const ANNOUNCED_MINUTES: i64 = 10;
/// Time in minutes for which a key is published after its last signature, longer than the lifetime
/// of what it signs.
const RETIRED_MINUTES: i64 = 65;

named! {
    /// A signing algorithm (RFC 7518, RFC 8037).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SigningAlgorithm {
        /// Ed25519.
        EdDsa = "EdDSA",
        /// RSA of 2,048 bits, PKCS #1 v1.5, with SHA-256.
        Rs256 = "RS256",
    }
}

/// A new key pair, before it is added to the key ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPair {
    /// The thumbprint of its public key (RFC 7638).
    pub id: String,
    /// The algorithm.
    pub algorithm: SigningAlgorithm,
    /// The private key, sealed.
    pub sealed: Vec<u8>,
}

/// A key pair of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The pair.
    pub pair: NewPair,
    /// The number of the key for its algorithm, starting at 1.
    pub number: i64,
    /// The time of creation and publication.
    pub created_at: Instant,
    /// The time from which it signs.
    pub signs_from: Instant,
}

named! {
    /// The state of a key.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KeyState {
        /// Published, and signs later.
        Announced = "announced",
        /// Signs.
        Signing = "signing",
        /// Published, because its signatures may still be valid.
        Retired = "retired",
        /// None of its signatures is valid.
        Spent = "spent",
    }
}
