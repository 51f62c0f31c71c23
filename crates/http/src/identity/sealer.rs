//! Seals secrets that the database keeps: AES-256-GCM (NIST SP 800-38D) with a key derived from a
//! secret of this installation (HKDF with SHA-256, RFC 5869), which the database does not hold. A
//! sealed secret opens only at the place it was sealed for.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// What the derived key is for, so that no other use of the key of this installation has the same.
const PURPOSE: &[u8] = b"daybook: sealed secrets, AES-256-GCM";

/// A secret could not be sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret could not be sealed")]
pub(crate) struct NotSealed;

/// A sealed secret does not open: it was sealed with another key or for another place, or was
/// changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sealed secret does not open with this key")]
pub(crate) struct NotOpened;

/// Why something could not be sealed anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsealed {
    /// No key opens it.
    #[error(transparent)]
    NotOpened(#[from] NotOpened),
    /// The new seal failed.
    #[error(transparent)]
    NotSealed(#[from] NotSealed),
}

/// The secrets from which the keys are derived, each of at least 32 random bytes. They never stand
/// in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SealingSecrets {
    /// What is sealed from now on is sealed with this one.
    pub current: Vec<u8>,
    /// What was sealed with these opens, too.
    pub others: Vec<Vec<u8>>,
}

/// Tells the secrets when they are others than the last time.
pub type SealingSource = Box<dyn FnMut() -> Option<SealingSecrets> + Send>;

struct SealingKeys {
    current: Option<LessSafeKey>,
    others: Vec<LessSafeKey>,
}

impl SealingKeys {
    fn new(secrets: &SealingSecrets) -> Self {
        Self {
            current: derived(&secrets.current),
            others: secrets.others.iter().filter_map(|secret| derived(secret)).collect(),
        }
    }
}

/// Seals and opens secrets. It follows its source: what another process has sealed with the next
/// key opens at once.
pub(crate) struct Sealer {
    keys: RwLock<Arc<SealingKeys>>,
    /// Held until what it tells is in `keys`, so that nobody who asks later misses it.
    source: Mutex<SealingSource>,
}

impl Sealer {
    /// With keys derived from these secrets, and from those that the source tells later.
    pub(crate) fn new(secrets: &SealingSecrets, source: SealingSource) -> Self {
        Self { keys: RwLock::new(Arc::new(SealingKeys::new(secrets))), source: Mutex::new(source) }
    }

    /// With the key derived from one secret, for ever.
    pub(crate) fn of_one(secret: &[u8]) -> Self {
        let secrets = SealingSecrets { current: secret.to_vec(), others: Vec::new() };
        Self::new(&secrets, Box::new(|| None))
    }

    /// Seals a secret for a place, which is named by its parts: table, column, key. The same secret
    /// never looks the same.
    ///
    /// # Errors
    /// [`NotSealed`] without randomness.
    pub(crate) fn seal(&self, place: &[&str], secret: &[u8]) -> Result<Vec<u8>, NotSealed> {
        self.follow();
        let keys = self.keys();
        let key = keys.current.as_ref().ok_or(NotSealed)?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| NotSealed)?;
        let mut sealed = secret.to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(written(place)),
            &mut sealed,
        )
        .map_err(|_| NotSealed)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for a place.
    ///
    /// # Errors
    /// [`NotOpened`].
    pub(crate) fn open(&self, place: &[&str], sealed: &[u8]) -> Result<Vec<u8>, NotOpened> {
        let open = |keys: &SealingKeys| {
            let mut all = keys.current.iter().chain(&keys.others);
            all.find_map(|key| opened(key, place, sealed)).ok_or(NotOpened)
        };
        let tried = self.keys();
        open(&tried).or_else(|error| {
            self.follow();
            let keys = self.keys();
            if Arc::ptr_eq(&tried, &keys) { Err(error) } else { open(&keys) }
        })
    }

    /// Seals anew what was not sealed with the current key; none when it was.
    ///
    /// # Errors
    /// [`Unsealed`].
    pub(crate) fn reseal(
        &self,
        place: &[&str],
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, Unsealed> {
        let secret = self.open(place, sealed)?;
        let current = self.keys();
        if current.current.iter().any(|key| opened(key, place, sealed).is_some()) {
            return Ok(None);
        }
        Ok(Some(self.seal(place, &secret)?))
    }

    fn keys(&self) -> Arc<SealingKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the keys that the source tells.
    fn follow(&self) {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(secrets) = source() {
            let keys = Arc::new(SealingKeys::new(&secrets));
            *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        }
    }
}

fn derived(secret: &[u8]) -> Option<LessSafeKey> {
    let derived = Salt::new(HKDF_SHA256, &[]).extract(secret);
    let key = derived.expand(&[PURPOSE], &AES_256_GCM).map(UnboundKey::from);
    key.ok().map(LessSafeKey::new)
}

fn opened(key: &LessSafeKey, place: &[&str], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let mut text = text.to_vec();
    let secret = key.open_in_place(nonce, Aad::from(written(place)), &mut text);
    secret.ok().map(|secret| secret.to_vec())
}

/// The parts with their lengths, so that no two places are written alike.
fn written(place: &[&str]) -> Vec<u8> {
    let parts = place.iter().flat_map(|part| [part.len().to_string(), (*part).to_owned()]);
    parts.collect::<Vec<_>>().join(":").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: [&str; 2] = ["signing_keys", "one"];

    #[test]
    fn what_was_sealed_opens_at_its_place_with_its_key() {
        let sealer = Sealer::of_one(&[1; 32]);
        let sealed = sealer.seal(&PLACE, b"secret").unwrap();
        assert_eq!(sealer.open(&PLACE, &sealed).unwrap(), b"secret");
        assert_eq!(Sealer::of_one(&[1; 32]).open(&PLACE, &sealed).unwrap(), b"secret");
        assert_ne!(sealer.seal(&PLACE, b"secret").unwrap(), sealed);
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_eq!(Sealer::of_one(&[2; 32]).open(&PLACE, &sealed), Err(NotOpened));
        for place in [&["signing_keys", "two"], &["signing_key", "sone"]] {
            assert_eq!(sealer.open(place, &sealed), Err(NotOpened), "{place:?}");
        }
        assert_eq!(sealer.open(&["signing_keys"], &sealed), Err(NotOpened));
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(sealer.open(&PLACE, &changed), Err(NotOpened), "byte {index}");
            assert_eq!(sealer.open(&PLACE, &sealed[..index]), Err(NotOpened));
        }
        let empty = sealer.seal(&PLACE, b"").unwrap();
        assert_eq!(sealer.open(&PLACE, &empty).unwrap(), b"");
    }

    #[test]
    fn keys_follow_their_source() {
        let secrets = |current: u8, others: &[u8]| SealingSecrets {
            current: vec![current; 32],
            others: others.iter().map(|other| vec![*other; 32]).collect(),
        };
        let told = Arc::new(Mutex::new(None));
        let source = Arc::clone(&told);
        let follower =
            Sealer::new(&secrets(1, &[]), Box::new(move || source.lock().unwrap().take()));
        let (first, second) = (Sealer::of_one(&[1; 32]), Sealer::of_one(&[2; 32]));
        let early = follower.seal(&PLACE, b"early").unwrap();
        let next = second.seal(&PLACE, b"next").unwrap();
        assert_eq!(follower.open(&PLACE, &next), Err(NotOpened), "not told yet");
        assert_eq!(follower.reseal(&PLACE, &early), Ok(None), "sealed with the current one");
        *told.lock().unwrap() = Some(secrets(2, &[1]));
        assert_eq!(follower.open(&PLACE, &next).unwrap(), b"next");
        assert_eq!(follower.open(&PLACE, &early).unwrap(), b"early");
        let late = follower.seal(&PLACE, b"late").unwrap();
        assert_eq!(second.open(&PLACE, &late).unwrap(), b"late");
        assert_eq!(first.open(&PLACE, &late), Err(NotOpened));
        let resealed = follower.reseal(&PLACE, &early).unwrap().unwrap();
        assert_eq!(second.open(&PLACE, &resealed).unwrap(), b"early");
        assert_eq!(follower.reseal(&PLACE, &resealed), Ok(None));
        *told.lock().unwrap() = Some(secrets(3, &[]));
        let unsealed = follower.reseal(&PLACE, b"x").unwrap_err();
        assert_eq!(unsealed, Unsealed::NotOpened(NotOpened));
        assert_eq!(follower.open(&PLACE, &late), Err(NotOpened), "that key is gone");
    }

    #[test]
    fn places_are_written_apart() {
        for (one, other) in [
            (vec!["ab", "c"], vec!["a", "bc"]),
            (vec!["a", "b"], vec!["a:1:b"]),
            (vec!["", "a"], vec!["a", ""]),
        ] {
            assert_ne!(written(&one), written(&other));
        }
    }
}
