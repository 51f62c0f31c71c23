//! Key pairs: generation, sealing, opening and the public JWK.

use daybook_domain::signing_key::{NewPair, SigningAlgorithm};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair, RsaKeyPair, RsaPublicKeyComponents};

use super::rsa::{KeyPairError, private_key};
use crate::identity::own_token::LocalKey;

/// A key pair.
pub(crate) struct Pair {
    pub(super) private: EncodingKey,
    /// The public key, with its thumbprint as id.
    pub(super) public: Jwk,
    id: String,
}

/// Returns the algorithm in the terms of JWT.
pub(super) const fn jwt_algorithm(algorithm: SigningAlgorithm) -> Algorithm {
    match algorithm {
        SigningAlgorithm::EdDsa => Algorithm::EdDSA,
        SigningAlgorithm::Rs256 => Algorithm::RS256,
    }
}

impl Pair {
    /// Parses a private key: PKCS #8 for Ed25519 (RFC 8410), PKCS #1 for RSA.
    pub(super) fn read(algorithm: SigningAlgorithm, private: &[u8]) -> Result<Self, KeyPairError> {
        let (private, public) = match algorithm {
            SigningAlgorithm::EdDsa => {
                let pair = Ed25519KeyPair::from_pkcs8(private).map_err(|_| KeyPairError)?;
                let public = DecodingKey::from_ed_der(pair.public_key().as_ref());
                (EncodingKey::from_ed_der(private), public)
            }
            SigningAlgorithm::Rs256 => {
                let pair = RsaKeyPair::from_der(private).map_err(|_| KeyPairError)?;
                let public: RsaPublicKeyComponents<Vec<u8>> = pair.public().into();
                let public = DecodingKey::from_rsa_raw_components(&public.n, &public.e);
                (EncodingKey::from_rsa_der(private), public)
            }
        };
        let public = Jwk::from_decoding_key(&public, Some(jwt_algorithm(algorithm)));
        let mut public = public.map_err(|_| KeyPairError)?;
        let id = public.thumbprint(ThumbprintHash::SHA256).map_err(|_| KeyPairError)?;
        public.common.key_id = Some(id.clone());
        public.common.public_key_use = Some(PublicKeyUse::Signature);
        Ok(Self { private, public, id })
    }

    /// Returns the thumbprint of the public key (RFC 7638).
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

/// Generates and seals a pair, which takes up to a second of CPU time.
///
/// # Errors
/// [`KeyPairError`] if the random number generator of the system fails.
pub(super) fn make(algorithm: SigningAlgorithm, key: &LocalKey) -> Result<NewPair, KeyPairError> {
    let private = match algorithm {
        SigningAlgorithm::EdDsa => Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| KeyPairError)?
            .as_ref()
            .to_vec(),
        SigningAlgorithm::Rs256 => private_key()?,
    };
    let id = Pair::read(algorithm, &private)?.id;
    let context = pair_context(algorithm, &id);
    let sealed = key.sealer().seal(&context, &private).map_err(|_| KeyPairError)?;
    Ok(NewPair { id, algorithm, sealed })
}

/// Opens a sealed pair.
///
/// # Errors
/// [`KeyPairError`] if it was sealed with another key.
pub(super) fn open(pair: &NewPair, key: &LocalKey) -> Result<Pair, KeyPairError> {
    let NewPair { id, algorithm, sealed } = pair;
    let context = pair_context(*algorithm, id);
    let private = key.sealer().open(&context, sealed).map_err(|_| KeyPairError)?;
    let pair = Pair::read(*algorithm, &private)?;
    if pair.id == *id { Ok(pair) } else { Err(KeyPairError) }
}

/// Returns the sealing context of a private key.
pub(crate) fn pair_context(algorithm: SigningAlgorithm, id: &str) -> [&str; 3] {
    ["signing_keys", algorithm.as_str(), id]
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;

    use super::*;

    /// The example of RFC 8037, appendix A: the private key with its header of PKCS #8 (RFC 8410,
    /// section 7), and its thumbprint.
    const SEED: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const ID: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

    #[test]
    fn rfc_8037_key_has_its_thumbprint() {
        let seed = BASE64_URL_SAFE_NO_PAD.decode(SEED).unwrap();
        let public = BASE64_URL_SAFE_NO_PAD.decode(PUBLIC).unwrap();
        let head = [0x30, 0x51, 2, 1, 1, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
        let private = [head.as_slice(), &seed, &[0x81, 0x21, 0], &public].concat();
        let key = LocalKey::new(&[1; 32]);
        let pair = Pair::read(SigningAlgorithm::EdDsa, &private).unwrap();
        assert_eq!(pair.id(), ID);
        let shown = serde_json::to_value(&pair.public).unwrap();
        let expected = serde_json::json!({
            "kty": "OKP", "crv": "Ed25519", "x": PUBLIC, "use": "sig", "alg": "EdDSA", "kid": ID,
        });
        assert_eq!(shown, expected);
        let made = make(SigningAlgorithm::EdDsa, &key).unwrap();
        assert_eq!(open(&made, &key).unwrap().id(), made.id);
    }

    #[test]
    fn sealed_pair_opens_only_with_its_key_and_id() {
        let (key, other) = (LocalKey::new(&[1; 32]), LocalKey::new(&[2; 32]));
        let (made, second) =
            (make(SigningAlgorithm::EdDsa, &key), make(SigningAlgorithm::EdDsa, &key));
        let (made, second) = (made.unwrap(), second.unwrap());
        assert!(open(&made, &key).is_ok());
        assert!(open(&made, &other).is_err());
        let swapped = NewPair { sealed: second.sealed, ..made.clone() };
        assert!(open(&swapped, &key).is_err());
        let renamed = NewPair { algorithm: SigningAlgorithm::Rs256, ..made };
        assert!(open(&renamed, &key).is_err());
    }
}
