//! Key pairs: generation, sealing, opening and the public JWK.

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair, RsaKeyPair, RsaPublicKeyComponents};
use daybook_domain::signing_key::{NewPair, SigningAlgorithm};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};

use crate::identity::own_token::LocalKey;

/// The length of what precedes the key of PKCS #1 in PKCS #8 (RFC 5958, 2): the version, the
/// algorithm and the header of the octet string. It is the same for all RSA keys of 2,048 bits.
const PKCS8_HEADER: usize = 26;

/// A key pair could not be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key pair could not be made or read")]
pub struct KeyPairError;

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
                let public: RsaPublicKeyComponents<Vec<u8>> = pair.public_key().into();
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
        SigningAlgorithm::Rs256 => generate_rsa().map_err(|_| KeyPairError)?,
    };
    let id = Pair::read(algorithm, &private)?.id;
    let context = pair_context(algorithm, &id);
    let sealed = key.sealer().seal(&context, &private).map_err(|_| KeyPairError)?;
    Ok(NewPair { id, algorithm, sealed })
}

/// Generates an RSA private key of 2,048 bits, encoded by PKCS #1 (RFC 8017, A.1.2).
///
/// The library exports PKCS #8 only, and JWTs are signed with PKCS #1 only.
fn generate_rsa() -> Result<Vec<u8>, Unspecified> {
    let pkcs8: Pkcs8V1Der<'_> = RsaKeyPair::generate(KeySize::Rsa2048)?.as_der()?;
    pkcs8.as_ref().get(PKCS8_HEADER..).map(<[u8]>::to_vec).ok_or(Unspecified)
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
    use jsonwebtoken::crypto::{sign, verify};

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

    /// The private key of RFC 7515, appendix A.2, encoded by PKCS #1.
    const RSA_PRIVATE: &str = "\
        MIIEowIBAAKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJ\
        rcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-\
        bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh\
        9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQID\
        AQABAoIBABKucaRpzQorw35SbEUAVx8dYXUdZOlJcHtiWQ-dC6V8ljxAHj_PLyzTveyI5QO_xkObCyjIL303l2cfUh\
        Pu2MFaJdjVzqACXuOrLot_eSFvxjvqVidTtAZExqFRJ9mylUVAoLvhowVWmC1On95fZCXxTUtxNEG1Xcc7m0rtzJKs\
        45J-N_V9DP1edYH6USyPSWGp6wuA-KgHRnKKVf9GRx80JQY7nVNkL17eHoTWEwga-lwi0FEoW9Y7lDtWXYmKBWhUE-\
        U8PGxlJf8f40493HDw1WRQ_aSLoS4QTp3rn7gYgeHEvfJdkkf0UMhlknlo53M09EFPdadQ4TlUbjqKc50CgYEA4BzE\
        EOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJd\
        TJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUcCgYEAuQPEfgmV\
        tjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD6\
        6t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdcCgYAHAp9XcCSrn8wV\
        kMVkKdb7DOX4IKjzdahm-ctDAJN4O_y7OW5FKebvUjdAIt2GuoTZ71iTG-7F0F-lP88jtjP4U4qe7VHoewl4MKOfXZ\
        KTe-YCS1XbNvfgwJ3Ltyl1OH9hWvu2yza7q-d5PCsDzqtm27kxuvULVeya-TEdAB1ijQKBgQCH_3r6YrVH_uCWGy6b\
        zV1nGNOdjKc9tmkfOJmN54dxdixdpozCQ6U4OxZrsj3FcOhHBsqAHvX2uuYjagqvo3cOj1TRqNocX40omfCCMx3bD1\
        yPPf_6TI2XECva_ggqEY2mYzmIiA5LVVmc5nrybr-lssFKneeyxN2Wq93S0iJMdQKBgCGHewxzoa1r8ZMD0LETNrTo\
        K423K377UCYqXfg5XMclbrjPbEC3YI1ZNqMtuhdBJqUnBi6tjKMF-34Xf0CUN8ncuXGO2CAYvO8PdyCixHX52ybaDj\
        y1FtCE6yUXjoKNXKvUm7MWGsAYH6f4IegOetN5NvmUMFStCSkh7ixZLkN1";
    const MESSAGE: &str = "\
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6\
        Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const SIGNATURE: &str = "\
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_\
        lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO7\
        5vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOk\
        HWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy\
        wlVmtVrBp0igcN_IoypGlUPQGe77Rw";

    #[test]
    fn rfc_7515_key_signs_its_message() {
        let private = BASE64_URL_SAFE_NO_PAD.decode(RSA_PRIVATE).unwrap();
        let pair = Pair::read(SigningAlgorithm::Rs256, &private).unwrap();
        let signature = sign(MESSAGE.as_bytes(), &pair.private, Algorithm::RS256);
        assert_eq!(signature.as_deref(), Ok(SIGNATURE));
    }

    #[test]
    fn generated_rsa_key_signs_for_its_public_key() {
        let key = LocalKey::new(&[1; 32]);
        let make = || open(&make(SigningAlgorithm::Rs256, &key).unwrap(), &key).unwrap();
        let (one, other) = (make(), make());
        assert_ne!(one.id(), other.id());
        let shown = serde_json::to_value(&one.public).unwrap();
        let modulus = BASE64_URL_SAFE_NO_PAD.decode(shown["n"].as_str().unwrap()).unwrap();
        assert_eq!((modulus.len(), modulus[0] >> 7), (256, 1), "2,048 bits");
        let signature = sign(b"message", &one.private, Algorithm::RS256).unwrap();
        let verified = |pair: &Pair| {
            let public = DecodingKey::from_jwk(&pair.public).unwrap();
            verify(&signature, b"message", &public, Algorithm::RS256)
        };
        assert_eq!((verified(&one), verified(&other)), (Ok(true), Ok(false)));
    }

    /// The `token.key` and the Ed25519 pair of an installation whose cryptography was ring.
    const EARLIER_SECRET: &str = "BLdV2kHkGX-lfF7E2vAYmjZRrwmU9y1YD1LZfAU9d1Q";
    const EARLIER_SEALED: &str = "\
        OzSpa_BEOWdlnHLkugqMbYhy93wcSTkfsJv_Bjp0KgaCmLRXSdfB7oZilXom-bK7NVLvBmLOQXaY\
        VQUwEuwpy1n0RnDz1kTiGBo0-LoJZ7KlYzOc7XxdOtUJLZz9JnxsVYLpfWuO_iDY5kO-ZDDS";

    #[test]
    fn pair_of_earlier_release_opens() {
        let secret = BASE64_URL_SAFE_NO_PAD.decode(EARLIER_SECRET).unwrap();
        let pair = NewPair {
            id: "_wV7J5h5WGM-u97LXI3hm_FGhaNtt8CJOXGi2nEWZwU".to_owned(),
            algorithm: SigningAlgorithm::EdDsa,
            sealed: BASE64_URL_SAFE_NO_PAD.decode(EARLIER_SEALED).unwrap(),
        };
        assert!(open(&pair, &LocalKey::new(&secret)).is_ok());
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
