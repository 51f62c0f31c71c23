//! Signing keys of this installation and their rotation (behaviour 11.15).
//!
//! A rotation adds a key pair per algorithm. The new key is announced in the published key set
//! before it signs. The old key stays published until its last signature has expired, and is then
//! removed. The http crate creates and seals the pairs.

mod key_ring;

pub use key_ring::KeyRing;

use crate::instant::Instant;

/// Time in minutes between the announcement of a key and its first signature.
///
/// Caches keep the published keys for half of it, so every verifier knows a key before it signs.
pub const ANNOUNCED_MINUTES: i64 = 10;
/// Time in minutes for which a key is published after its last signature, longer than the lifetime
/// of what it signs.
const RETIRED_MINUTES: i64 = 65;

/// A signing algorithm (RFC 7518, RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SigningAlgorithm {
    /// Ed25519.
    EdDsa,
    /// RSA of 2,048 bits, PKCS #1 v1.5, with SHA-256.
    Rs256,
}

impl SigningAlgorithm {
    /// All algorithms. An installation has keys of each.
    pub const ALL: [Self; 2] = [Self::EdDsa, Self::Rs256];

    /// Returns the name in tokens.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }

    /// Finds the algorithm with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
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

/// The state of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// Published, and signs later.
    Announced,
    /// Signs.
    Signing,
    /// Published, because its signatures may still be valid.
    Retired,
    /// None of its signatures is valid.
    Spent,
}

impl KeyState {
    /// Returns the name of the state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Announced => "announced",
            Self::Signing => "signing",
            Self::Retired => "retired",
            Self::Spent => "spent",
        }
    }
}
