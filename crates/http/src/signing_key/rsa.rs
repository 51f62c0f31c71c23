//! Generates RSA key pairs, which `ring` does not: FIPS 186-5, A.1.3, encoded by RFC 8017, A.1.2.

use crypto_bigint::{BoxedUint, ConcatenatingMul, Lcm, NonZero, Odd, Resize};
use crypto_primes::hazmat::{SetBits, SmallFactorsSieveFactory};
use crypto_primes::{Flavor, is_prime, sieve_and_find};
use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use pkcs1::der::Encode;
use pkcs1::der::asn1::UintRef;
use pkcs1::{Error, RsaPrivateKeyRef};

/// A key pair could not be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key pair could not be made or read")]
pub struct KeyPairError;

/// The size of each prime: half of the modulus.
const PRIME_BITS: u32 = 1_024;
/// The usual public exponent.
const EXPONENT: u32 = 65_537;
/// The primes must differ within this many of their highest bits (FIPS 186-5, A.1.3).
const DISTANCE_BITS: u32 = 100;

/// Generates a private key, encoded as DER.
///
/// # Errors
/// [`KeyPairError`] if the random number generator of the system fails.
pub(super) fn private_key() -> Result<Vec<u8>, KeyPairError> {
    // `UnwrapErr` below panics without randomness, so check for it first.
    getrandom::fill(&mut [0; 32]).map_err(|_| KeyPairError)?;
    loop {
        let (first, second) = (random_prime()?, random_prime()?);
        let (p, q) = if first > second { (first, second) } else { (second, first) };
        if (&p - &q).bits() > PRIME_BITS - DISTANCE_BITS
            && let Some(numbers) = KeyNumbers::derive(&p, &q)
        {
            return numbers.encode(&p, &q).map_err(|_| KeyPairError);
        }
    }
}

/// Generates a prime `p` for which `p - 1` is coprime to the public exponent.
///
/// Its two highest bits are set, so that the product of two primes has 2,048 bits.
fn random_prime() -> Result<BoxedUint, KeyPairError> {
    let exponent = NonZero::new(BoxedUint::from(EXPONENT)).into_option().ok_or(KeyPairError)?;
    loop {
        let sieve = SmallFactorsSieveFactory::new(Flavor::Any, PRIME_BITS, SetBits::TwoMsb);
        let found = sieve_and_find(
            &mut UnwrapErr(SysRng),
            sieve.map_err(|_| KeyPairError)?,
            |_, candidate: &BoxedUint| is_prime(Flavor::Any, candidate),
        );
        let found = found.map_err(|_| KeyPairError)?.ok_or(KeyPairError)?;
        if !bool::from(found.rem(&exponent).is_one()) {
            return Ok(found);
        }
    }
}

/// The numbers of a key that are derived from its primes.
struct KeyNumbers {
    modulus: BoxedUint,
    private: BoxedUint,
    private_p: BoxedUint,
    private_q: BoxedUint,
    coefficient: BoxedUint,
}

impl KeyNumbers {
    /// Derives the numbers; `None` if the public exponent has no inverse.
    fn derive(p: &BoxedUint, q: &BoxedUint) -> Option<Self> {
        let (p_minus_1, q_minus_1) = (p - 1_u32, q - 1_u32);
        let order = NonZero::new(p_minus_1.lcm(&q_minus_1)).into_option()?;
        let exponent = BoxedUint::from(EXPONENT).resize(order.bits_precision());
        let private = exponent.invert_mod(&order).into_option()?;
        let p_minus_1 = NonZero::new(p_minus_1).into_option()?;
        let q_minus_1 = NonZero::new(q_minus_1).into_option()?;
        let coefficient = q.invert_odd_mod(&Odd::new(p.clone()).into_option()?);
        Some(Self {
            modulus: p.concatenating_mul(q),
            private_p: private.rem(&p_minus_1),
            private_q: private.rem(&q_minus_1),
            private,
            coefficient: coefficient.into_option()?,
        })
    }

    fn encode(&self, p: &BoxedUint, q: &BoxedUint) -> Result<Vec<u8>, Error> {
        let exponent = BoxedUint::from(EXPONENT);
        let all = [
            &self.modulus,
            &exponent,
            &self.private,
            p,
            q,
            &self.private_p,
            &self.private_q,
            &self.coefficient,
        ];
        let [modulus, exponent, private, p, q, private_p, private_q, coefficient] =
            all.map(BoxedUint::to_be_bytes);
        let key = RsaPrivateKeyRef {
            modulus: UintRef::new(&modulus)?,
            public_exponent: UintRef::new(&exponent)?,
            private_exponent: UintRef::new(&private)?,
            prime1: UintRef::new(&p)?,
            prime2: UintRef::new(&q)?,
            exponent1: UintRef::new(&private_p)?,
            exponent2: UintRef::new(&private_q)?,
            coefficient: UintRef::new(&coefficient)?,
            other_prime_infos: None,
        };
        Ok(key.to_der()?)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use ring::rand::SystemRandom;
    use ring::signature::{
        RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
    };

    use super::*;

    fn signed(key: &[u8], message: &[u8]) -> (RsaKeyPair, Vec<u8>) {
        let pair = RsaKeyPair::from_der(key).unwrap();
        let mut signature = vec![0; pair.public().modulus_len()];
        pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
        (pair, signature)
    }

    #[test]
    fn signature_of_new_key_is_verified_by_its_public_key() {
        let (one, other) = (private_key().unwrap(), private_key().unwrap());
        assert_ne!(one, other);
        let (pair, signature) = signed(&one, b"message");
        assert_eq!(pair.public().modulus_len(), 256);
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public().as_ref());
        public.verify(b"message", &signature).unwrap();
        assert!(public.verify(b"messagf", &signature).is_err());
    }

    /// The primes, the message and the signature of RFC 7515, appendix A.2.
    const P: &str = "\
        4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKe\
        QTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC\
        -KDV5z-y2XDwGUc";
    const Q: &str = "\
        uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYH\
        j7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF66\
        89rjcJIDEz9RWdc";
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
    fn rfc_7515_key_is_derived_from_its_primes() {
        let prime = |text: &str| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
            BoxedUint::from_be_slice(&bytes, PRIME_BITS).unwrap()
        };
        let (p, q) = (prime(P), prime(Q));
        let key = KeyNumbers::derive(&p, &q).unwrap().encode(&p, &q).unwrap();
        let (_, signature) = signed(&key, MESSAGE.as_bytes());
        assert_eq!(BASE64_URL_SAFE_NO_PAD.encode(signature), SIGNATURE);
    }
}
