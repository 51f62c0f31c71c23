//! Seals secrets that the database keeps: AES-256-GCM (NIST SP 800-38D) with a key derived from the
//! key of this installation (HKDF with SHA-256, RFC 5869), which the database does not hold. A
//! sealed secret opens only at the place it was sealed for.

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

/// Seals and opens secrets.
pub(crate) struct Sealer(Option<LessSafeKey>);

impl Sealer {
    /// With the key derived from this secret of at least 32 random bytes.
    pub(crate) fn new(secret: &[u8]) -> Self {
        let derived = Salt::new(HKDF_SHA256, &[]).extract(secret);
        let key = derived.expand(&[PURPOSE], &AES_256_GCM).map(UnboundKey::from);
        Self(key.ok().map(LessSafeKey::new))
    }

    /// Seals a secret for a place, which is named by its parts: table, column, key. The same secret
    /// never looks the same.
    ///
    /// # Errors
    /// [`NotSealed`] without randomness.
    pub(crate) fn seal(&self, place: &[&str], secret: &[u8]) -> Result<Vec<u8>, NotSealed> {
        let key = self.0.as_ref().ok_or(NotSealed)?;
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
        let key = self.0.as_ref().ok_or(NotOpened)?;
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(NotOpened)?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut text = text.to_vec();
        let secret = key.open_in_place(nonce, Aad::from(written(place)), &mut text);
        Ok(secret.map_err(|_| NotOpened)?.to_vec())
    }
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
        let sealer = Sealer::new(&[1; 32]);
        let sealed = sealer.seal(&PLACE, b"secret").unwrap();
        assert_eq!(sealer.open(&PLACE, &sealed).unwrap(), b"secret");
        assert_eq!(Sealer::new(&[1; 32]).open(&PLACE, &sealed).unwrap(), b"secret");
        assert_ne!(sealer.seal(&PLACE, b"secret").unwrap(), sealed);
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_eq!(Sealer::new(&[2; 32]).open(&PLACE, &sealed), Err(NotOpened));
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
