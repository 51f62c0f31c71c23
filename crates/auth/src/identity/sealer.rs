//! Seals the secrets that the database stores.
//!
//! The cipher is AES-256-GCM (NIST SP 800-38D). Its key is derived by HKDF with SHA-256 (RFC 5869)
//! from a secret of this installation that is not in the database. A sealed secret opens only with
//! the context that it was sealed for: its table, column and row.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::rand::{SecureRandom, SystemRandom};

/// Separates the derived key from other uses of the secret.
const PURPOSE: &[u8] = b"daybook: sealed secrets, AES-256-GCM";

/// Sealing failed, because the random number generator of the system failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("sealing a secret failed")]
pub struct SealError;

/// A sealed secret was sealed with another key or context, or was modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sealed secret does not open with this key")]
pub struct OpenError;

/// Why a secret could not be resealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResealError {
    /// No key opens it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Sealing it again failed.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// The secrets from which keys are derived, each of at least 32 random bytes.
///
/// The type has no `Debug`, so that they do not get into logs.
#[derive(Clone, PartialEq, Eq)]
pub struct SealingSecrets {
    /// Seals and opens.
    pub current: Vec<u8>,
    /// Only open.
    pub others: Vec<Vec<u8>>,
}

/// Returns the secrets if they changed since the last call.
pub type SealingSource = Box<dyn FnMut() -> Option<SealingSecrets> + Send>;

struct SealingKeys {
    current: Option<LessSafeKey>,
    others: Vec<LessSafeKey>,
}

impl SealingKeys {
    fn new(secrets: &SealingSecrets) -> Self {
        Self {
            current: derive_key(&secrets.current),
            others: secrets.others.iter().filter_map(|secret| derive_key(secret)).collect(),
        }
    }
}

/// Seals and opens secrets.
///
/// It reloads its keys from the source before it seals and when a secret does not open. So a secret
/// that another process sealed with a new key opens at once.
pub struct Sealer {
    keys: RwLock<Arc<SealingKeys>>,
    /// Held until new keys are stored in `keys`, so that a concurrent caller does not miss them.
    source: Mutex<SealingSource>,
}

impl Sealer {
    /// Creates a sealer with initial secrets and a source of later ones.
    pub(crate) fn new(secrets: &SealingSecrets, source: SealingSource) -> Self {
        Self { keys: RwLock::new(Arc::new(SealingKeys::new(secrets))), source: Mutex::new(source) }
    }

    /// Creates a sealer with a single secret.
    pub fn with_secret(secret: &[u8]) -> Self {
        let secrets = SealingSecrets { current: secret.to_vec(), others: Vec::new() };
        Self::new(&secrets, Box::new(|| None))
    }

    /// Seals a secret for a context: table, column, key.
    ///
    /// The nonce is random, so the result differs each time.
    ///
    /// # Errors
    /// [`SealError`] if the random number generator of the system fails.
    pub fn seal(&self, context: &[&str], secret: &[u8]) -> Result<Vec<u8>, SealError> {
        self.reload();
        let keys = self.keys();
        let key = keys.current.as_ref().ok_or(SealError)?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| SealError)?;
        let mut sealed = secret.to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(encode_context(context)),
            &mut sealed,
        )
        .map_err(|_| SealError)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens a secret that was sealed for this context.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(&self, context: &[&str], sealed: &[u8]) -> Result<Vec<u8>, OpenError> {
        let open = |keys: &SealingKeys| {
            let mut all = keys.current.iter().chain(&keys.others);
            all.find_map(|key| open_with(key, context, sealed)).ok_or(OpenError)
        };
        let before = self.keys();
        open(&before).or_else(|error| {
            self.reload();
            let after = self.keys();
            if Arc::ptr_eq(&before, &after) { Err(error) } else { open(&after) }
        })
    }

    /// Reseals a secret; `None` if the current key has sealed it.
    ///
    /// # Errors
    /// [`ResealError`].
    pub(crate) fn reseal(
        &self,
        context: &[&str],
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, ResealError> {
        let secret = self.open(context, sealed)?;
        let keys = self.keys();
        if keys.current.iter().any(|key| open_with(key, context, sealed).is_some()) {
            return Ok(None);
        }
        Ok(Some(self.seal(context, &secret)?))
    }

    fn keys(&self) -> Arc<SealingKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the keys if the source has new secrets.
    fn reload(&self) {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(secrets) = source() {
            let keys = Arc::new(SealingKeys::new(&secrets));
            *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        }
    }
}

/// Returns the sealing context of the secret of an app.
pub fn app_secret_context(app: &str) -> [&str; 3] {
    ["apps", "client_secret", app]
}

/// Returns the sealing context of the properties of a connection.
pub fn properties_context(connection: &str) -> [&str; 3] {
    ["connections", "properties", connection]
}

fn derive_key(secret: &[u8]) -> Option<LessSafeKey> {
    let pseudorandom_key = Salt::new(HKDF_SHA256, &[]).extract(secret);
    let key = pseudorandom_key.expand(&[PURPOSE], &AES_256_GCM).map(UnboundKey::from);
    key.ok().map(LessSafeKey::new)
}

fn open_with(key: &LessSafeKey, context: &[&str], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let mut text = text.to_vec();
    let secret = key.open_in_place(nonce, Aad::from(encode_context(context)), &mut text);
    secret.ok().map(|secret| secret.to_vec())
}

/// Encodes the parts with their lengths, so that different contexts have different encodings.
fn encode_context(context: &[&str]) -> Vec<u8> {
    let parts = context.iter().flat_map(|part| [part.len().to_string(), (*part).to_owned()]);
    parts.collect::<Vec<_>>().join(":").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: [&str; 2] = ["signing_keys", "one"];

    #[test]
    fn sealed_secret_opens_only_with_its_key_and_context() {
        let sealer = Sealer::with_secret(&[1; 32]);
        let sealed = sealer.seal(&CONTEXT, b"secret").unwrap();
        assert_eq!(sealer.open(&CONTEXT, &sealed).unwrap(), b"secret");
        assert_eq!(Sealer::with_secret(&[1; 32]).open(&CONTEXT, &sealed).unwrap(), b"secret");
        assert_ne!(sealer.seal(&CONTEXT, b"secret").unwrap(), sealed);
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_eq!(Sealer::with_secret(&[2; 32]).open(&CONTEXT, &sealed), Err(OpenError));
        for context in [&["signing_keys", "two"], &["signing_key", "sone"]] {
            assert_eq!(sealer.open(context, &sealed), Err(OpenError), "{context:?}");
        }
        assert_eq!(sealer.open(&["signing_keys"], &sealed), Err(OpenError));
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(sealer.open(&CONTEXT, &changed), Err(OpenError), "byte {index}");
            assert_eq!(sealer.open(&CONTEXT, &sealed[..index]), Err(OpenError));
        }
        let empty = sealer.seal(&CONTEXT, b"").unwrap();
        assert_eq!(sealer.open(&CONTEXT, &empty).unwrap(), b"");
    }

    #[test]
    fn sealer_reloads_keys_from_its_source() {
        let secrets = |current: u8, others: &[u8]| SealingSecrets {
            current: vec![current; 32],
            others: others.iter().map(|other| vec![*other; 32]).collect(),
        };
        let update = Arc::new(Mutex::new(None));
        let source = Arc::clone(&update);
        let sealer = Sealer::new(&secrets(1, &[]), Box::new(move || source.lock().unwrap().take()));
        let (first, second) = (Sealer::with_secret(&[1; 32]), Sealer::with_secret(&[2; 32]));
        let early = sealer.seal(&CONTEXT, b"early").unwrap();
        let next = second.seal(&CONTEXT, b"next").unwrap();
        assert_eq!(sealer.open(&CONTEXT, &next), Err(OpenError), "the source has no new secrets");
        assert_eq!(sealer.reseal(&CONTEXT, &early), Ok(None), "sealed with the current one");
        *update.lock().unwrap() = Some(secrets(2, &[1]));
        assert_eq!(sealer.open(&CONTEXT, &next).unwrap(), b"next");
        assert_eq!(sealer.open(&CONTEXT, &early).unwrap(), b"early");
        let late = sealer.seal(&CONTEXT, b"late").unwrap();
        assert_eq!(second.open(&CONTEXT, &late).unwrap(), b"late");
        assert_eq!(first.open(&CONTEXT, &late), Err(OpenError));
        let resealed = sealer.reseal(&CONTEXT, &early).unwrap().unwrap();
        assert_eq!(second.open(&CONTEXT, &resealed).unwrap(), b"early");
        assert_eq!(sealer.reseal(&CONTEXT, &resealed), Ok(None));
        *update.lock().unwrap() = Some(secrets(3, &[]));
        let error = sealer.reseal(&CONTEXT, b"x").unwrap_err();
        assert_eq!(error, ResealError::Open(OpenError));
        assert_eq!(sealer.open(&CONTEXT, &late), Err(OpenError), "the key was removed");
    }

    #[test]
    fn different_contexts_have_different_encodings() {
        for (one, other) in [
            (vec!["ab", "c"], vec!["a", "bc"]),
            (vec!["a", "b"], vec!["a:1:b"]),
            (vec!["", "a"], vec!["a", ""]),
        ] {
            assert_ne!(encode_context(&one), encode_context(&other));
        }
    }
}
