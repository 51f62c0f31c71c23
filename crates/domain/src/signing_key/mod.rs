//! The key pairs that this installation signs with for others, and how one takes over from another
//! (behaviour 11.15). How pairs are made and sealed is a matter of http.

mod key_ring;

pub use key_ring::KeyRing;

use crate::instant::Instant;

/// Minutes after a rotation at which the new keys begin to sign: twice as long as caches keep the
/// published keys, so that nobody meets a signature of a key that they cannot know.
pub const ANNOUNCED_MINUTES: i64 = 10;
/// Minutes for which a key is published after it has stopped signing: a little longer than what it
/// signed is valid.
pub const RETIRED_MINUTES: i64 = 65;
const MILLISECONDS_OF_MINUTE: i64 = 60_000;

/// What a key signs with (RFC 7518, RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SigningAlgorithm {
    /// Ed25519.
    EdDsa,
    /// RSA of 2,048 bits, PKCS #1 v1.5, with SHA-256.
    Rs256,
}

impl SigningAlgorithm {
    /// All of them. An installation has keys of each.
    pub const ALL: [Self; 2] = [Self::EdDsa, Self::Rs256];

    /// The name as tokens write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }

    /// The algorithm of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }
}

/// A key pair that was made, before it is a key of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPair {
    /// The thumbprint of its public key (RFC 7638).
    pub id: String,
    /// What it signs with.
    pub algorithm: SigningAlgorithm,
    /// The private key, sealed.
    pub sealed: Vec<u8>,
}

/// A key pair of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The pair.
    pub pair: NewPair,
    /// Counts the keys of an algorithm, from 1.
    pub number: i64,
    /// When it was made, and published.
    pub created_at: Instant,
    /// When it begins to sign.
    pub signs_from: Instant,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It is published, and will sign.
    Announced,
    /// It signs.
    Signing,
    /// It is published, because what it signed may still be valid.
    Retired,
    /// Nothing that it signed is valid any more.
    Spent,
}

impl KeyState {
    /// The state in a word.
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

const fn later(instant: Instant, minutes: i64) -> Instant {
    Instant::new(
        instant.milliseconds().saturating_add(minutes.saturating_mul(MILLISECONDS_OF_MINUTE)),
    )
}
