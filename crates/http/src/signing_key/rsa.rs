//! Makes RSA key pairs, which ring signs with but does not make: two primes (FIPS 186-5, A.1.3) and
//! the numbers that follow from them, in the form of RFC 8017, A.1.2.

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
pub struct NoPair;

/// Bits of each prime: half of those of the modulus.
const PRIME_BITS: u32 = 1_024;
/// The public exponent that everybody uses.
const EXPONENT: u32 = 65_537;
/// The primes differ in one of this many highest bits.
const APART_BITS: u32 = 100;

/// A new private key, as DER.
///
/// # Errors
/// [`NoPair`] without randomness.
pub(super) fn private_key() -> Result<Vec<u8>, NoPair> {
    // Fails here, if at all: the source below cannot say so.
    getrandom::fill(&mut [0; 32]).map_err(|_| NoPair)?;
    loop {
        let (one, other) = (prime()?, prime()?);
        let (p, q) = if one > other { (one, other) } else { (other, one) };
        if (&p - &q).bits() > PRIME_BITS - APART_BITS
            && let Some(numbers) = Numbers::of(&p, &q)
        {
            return numbers.encoded(&p, &q).map_err(|_| NoPair);
        }
    }
}

/// A prime whose two highest bits are set, so that the product of two has all its bits, and to
/// which the public exponent fits.
fn prime() -> Result<BoxedUint, NoPair> {
    let exponent = NonZero::new(BoxedUint::from(EXPONENT)).into_option().ok_or(NoPair)?;
    loop {
        let sieve = SmallFactorsSieveFactory::new(Flavor::Any, PRIME_BITS, SetBits::TwoMsb);
        let found = sieve_and_find(
            &mut UnwrapErr(SysRng),
            sieve.map_err(|_| NoPair)?,
            |_, candidate: &BoxedUint| is_prime(Flavor::Any, candidate),
        );
        let found = found.map_err(|_| NoPair)?.ok_or(NoPair)?;
        if !bool::from(found.rem(&exponent).is_one()) {
            return Ok(found);
        }
    }
}

/// What follows from two primes.
struct Numbers {
    modulus: BoxedUint,
    private: BoxedUint,
    private_p: BoxedUint,
    private_q: BoxedUint,
    coefficient: BoxedUint,
}

impl Numbers {
    /// `None` where the public exponent has no inverse.
    fn of(p: &BoxedUint, q: &BoxedUint) -> Option<Self> {
        let (before_p, before_q) = (p - 1_u32, q - 1_u32);
        let order = NonZero::new(before_p.lcm(&before_q)).into_option()?;
        let exponent = BoxedUint::from(EXPONENT).resize(order.bits_precision());
        let private = exponent.invert_mod(&order).into_option()?;
        let before_p = NonZero::new(before_p).into_option()?;
        let before_q = NonZero::new(before_q).into_option()?;
        let coefficient = q.invert_odd_mod(&Odd::new(p.clone()).into_option()?);
        Some(Self {
            modulus: p.concatenating_mul(q),
            private_p: private.rem(&before_p),
            private_q: private.rem(&before_q),
            private,
            coefficient: coefficient.into_option()?,
        })
    }

    fn encoded(&self, p: &BoxedUint, q: &BoxedUint) -> Result<Vec<u8>, Error> {
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
    fn a_new_key_signs_and_its_public_key_verifies() {
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
    fn the_key_of_the_standard_follows_from_its_primes() {
        let prime = |text: &str| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
            BoxedUint::from_be_slice(&bytes, PRIME_BITS).unwrap()
        };
        let (p, q) = (prime(P), prime(Q));
        let key = Numbers::of(&p, &q).unwrap().encoded(&p, &q).unwrap();
        let (_, signature) = signed(&key, MESSAGE.as_bytes());
        assert_eq!(BASE64_URL_SAFE_NO_PAD.encode(signature), SIGNATURE);
    }
}
