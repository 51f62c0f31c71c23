//! The file format age v1 for small secrets: encryption to X25519 recipients.
//!
//! Only the keys of an installation are sealed with it, so a payload is a single chunk. The program
//! `age` opens the result with the identity, and `age-keygen` makes recipients and identities.
//! The format is specified at <https://age-encryption.org/v1>.

use anyhow::{Context, anyhow, bail, ensure};
use aws_lc_rs::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use aws_lc_rs::{hkdf, hmac};
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD as BASE64;

const VERSION: &str = "age-encryption.org/v1";
/// The info of the key that wraps the file key.
const X25519_INFO: &[u8] = b"age-encryption.org/v1/X25519";
/// The most bytes of a payload, which is the size of a chunk.
const MAX_PAYLOAD: usize = 64 * 1024;
/// The nonce of the first chunk when it is the last one.
const ONLY_CHUNK: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
/// Bytes of a file key, and of the nonce of a payload.
const FILE_KEY: usize = 16;

/// A public key to which secrets are sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipient([u8; 32]);

impl std::str::FromStr for Recipient {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        Ok(Self(decode_bech32(text, "age")?))
    }
}

/// The private key of a recipient.
pub(crate) struct Identity([u8; 32]);

impl Identity {
    /// Reads an identity file, as `age-keygen` writes it.
    ///
    /// # Errors
    /// When no line is an identity.
    pub(crate) fn parse(file: &str) -> anyhow::Result<Self> {
        let line =
            file.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let line = line.context("the identity file has no line AGE-SECRET-KEY-1...")?;
        Ok(Self(decode_bech32(line, "age-secret-key-")?))
    }
}

fn decode_bech32(text: &str, prefix: &str) -> anyhow::Result<[u8; 32]> {
    let (found, data) = bech32::decode(text.trim())
        .map_err(|_| anyhow!("not a key of age: expected {}1...", prefix))?;
    ensure!(
        found.to_lowercase() == prefix,
        "not a key of this kind: expected {prefix}1..., found {found}1..."
    );
    data.try_into().map_err(|_| anyhow!("the key has not 32 bytes"))
}

/// Seals a payload to a recipient.
///
/// # Errors
/// When the system provides no randomness; a payload above 64 KB.
pub(crate) fn seal(payload: &[u8], recipient: &Recipient) -> anyhow::Result<Vec<u8>> {
    ensure!(payload.len() <= MAX_PAYLOAD, "more than 64 KB cannot be sealed");
    let (mut file_key, mut nonce, mut ephemeral) = ([0; FILE_KEY], [0; FILE_KEY], [0; 32]);
    for bytes in [&mut file_key[..], &mut nonce, &mut ephemeral] {
        getrandom::fill(bytes).map_err(|error| anyhow!("no randomness: {error}"))?;
    }
    let ephemeral = private_key(&ephemeral)?;
    let share = ephemeral.compute_public_key().map_err(|_| anyhow!("invalid key"))?;
    let mut wrapped = file_key.to_vec();
    wrapping_key(&ephemeral, &recipient.0, share.as_ref(), &recipient.0)?
        .seal_in_place_append_tag(zero_nonce(), Aad::empty(), &mut wrapped)
        .map_err(|_| anyhow!("the key cannot be wrapped"))?;
    let header = format!(
        "{VERSION}\n-> X25519 {}\n{}\n---",
        BASE64.encode(share.as_ref()),
        BASE64.encode(&wrapped)
    );
    let mac = hmac::sign(&mac_key(&file_key)?, header.as_bytes());
    let mut sealed = format!("{header} {}\n", BASE64.encode(mac.as_ref())).into_bytes();
    sealed.extend_from_slice(&nonce);
    let mut chunk = payload.to_vec();
    payload_key(&file_key, &nonce)?
        .seal_in_place_append_tag(
            Nonce::assume_unique_for_key(ONLY_CHUNK),
            Aad::empty(),
            &mut chunk,
        )
        .map_err(|_| anyhow!("the payload cannot be sealed"))?;
    sealed.extend_from_slice(&chunk);
    Ok(sealed)
}

/// Opens a payload that was sealed to the recipient of an identity.
///
/// # Errors
/// When it was sealed to others, or changed.
pub(crate) fn open(sealed: &[u8], identity: &Identity) -> anyhow::Result<Vec<u8>> {
    let mark = b"\n---";
    let at = sealed.windows(mark.len()).position(|window| window == mark);
    let end = at.context("the sealed keys are not a file of age")?.saturating_add(mark.len());
    let (header, rest) = sealed.split_at_checked(end).context("the sealed keys are cut short")?;
    let line_end =
        rest.iter().position(|byte| *byte == b'\n').context("the header is cut short")?;
    let (mac, body) = rest.split_at_checked(line_end).context("the header is cut short")?;
    let header = std::str::from_utf8(header).context("the header is not a text")?;
    let file_key = unwrap_file_key(header, identity)?;
    let mac = BASE64.decode(mac.trim_ascii()).context("the header has no valid checksum")?;
    hmac::verify(&mac_key(&file_key)?, header.as_bytes(), &mac)
        .map_err(|_| anyhow!("the header of the sealed keys was changed"))?;
    let body = body.get(1..).unwrap_or_default();
    let (nonce, chunk) = body.split_at_checked(FILE_KEY).context("the payload is cut short")?;
    let mut chunk = chunk.to_vec();
    let opened = payload_key(&file_key, nonce)?
        .open_in_place(Nonce::assume_unique_for_key(ONLY_CHUNK), Aad::empty(), &mut chunk)
        .map_err(|_| anyhow!("the sealed keys were changed or cut short"))?;
    Ok(opened.to_vec())
}

fn unwrap_file_key(header: &str, identity: &Identity) -> anyhow::Result<Vec<u8>> {
    let mut lines = header.lines();
    ensure!(lines.next() == Some(VERSION), "the sealed keys are not a file of age v1");
    let private = private_key(&identity.0)?;
    let own = private.compute_public_key().map_err(|_| anyhow!("invalid identity"))?;
    while let Some(line) = lines.next() {
        let Some(share) = line.strip_prefix("-> X25519 ") else { continue };
        let share = BASE64.decode(share).context("the header is invalid")?;
        let mut wrapped = BASE64.decode(lines.next().unwrap_or_default())?;
        let key = wrapping_key(&private, &share, &share, own.as_ref())?;
        if let Ok(file_key) = key.open_in_place(zero_nonce(), Aad::empty(), &mut wrapped) {
            return Ok(file_key.to_vec());
        }
    }
    bail!("the keys were sealed to another recipient than that of this identity")
}

/// Derives the key that wraps the file key: of the shared secret of a private key and `peer`, with
/// the share and the recipient as salt.
fn wrapping_key(
    private: &PrivateKey,
    peer: &[u8],
    share: &[u8],
    recipient: &[u8],
) -> anyhow::Result<LessSafeKey> {
    let peer = UnparsedPublicKey::new(&X25519, peer);
    let salt = [share, recipient].concat();
    agree(private, peer, anyhow!("invalid public key"), |secret| {
        let key: [u8; 32] = derive(&salt, secret, X25519_INFO)?;
        aead_key(&key)
    })
}

fn private_key(bytes: &[u8; 32]) -> anyhow::Result<PrivateKey> {
    PrivateKey::from_private_key(&X25519, bytes).map_err(|_| anyhow!("invalid private key"))
}

fn mac_key(file_key: &[u8]) -> anyhow::Result<hmac::Key> {
    let key: [u8; 32] = derive(b"", file_key, b"header")?;
    Ok(hmac::Key::new(hmac::HMAC_SHA256, &key))
}

fn payload_key(file_key: &[u8], nonce: &[u8]) -> anyhow::Result<LessSafeKey> {
    let key: [u8; 32] = derive(nonce, file_key, b"payload")?;
    aead_key(&key)
}

fn aead_key(key: &[u8]) -> anyhow::Result<LessSafeKey> {
    let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(|_| anyhow!("invalid key"))?;
    Ok(LessSafeKey::new(key))
}

fn derive(salt: &[u8], secret: &[u8], info: &[u8]) -> anyhow::Result<[u8; 32]> {
    let info = [info];
    let prk = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(secret);
    let mut key = [0; 32];
    prk.expand(&info, hkdf::HKDF_SHA256)
        .and_then(|okm| okm.fill(&mut key))
        .map_err(|_| anyhow!("a key cannot be derived"))?;
    Ok(key)
}

fn zero_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

#[cfg(test)]
mod tests {
    use super::*;

    // Made by age-keygen for this test.
    const RECIPIENT: &str = "age1upzt7kevx4kxdpur5t5e25ykrmn3pdymaylp5nu06csy987ukdpsw5skmz";
    const IDENTITY: &str =
        "AGE-SECRET-KEY-1XAR0L09X05YDW4QYXM58SG9E6HUANYYJXFJXY3G6KWRJ8FVYNVEQFWK2CD";

    #[test]
    fn sealed_payload_opens_with_the_identity_alone() {
        let recipient: Recipient = RECIPIENT.parse().unwrap();
        let identity = Identity::parse(&format!("# created: today\n{IDENTITY}\n")).unwrap();
        let mut sealed = seal(b"token.key and more", &recipient).unwrap();
        assert_eq!(open(&sealed, &identity).unwrap(), b"token.key and more");
        let other = Identity([7; 32]);
        let refused = open(&sealed, &other).unwrap_err().to_string();
        assert!(refused.contains("another recipient"), "{refused}");
        for at in 0..sealed.len() {
            if let Some(byte) = sealed.get_mut(at) {
                *byte ^= 1;
            }
            assert!(open(&sealed, &identity).is_err(), "byte {at} changed");
            if let Some(byte) = sealed.get_mut(at) {
                *byte ^= 1;
            }
            assert!(open(sealed.get(..at).unwrap(), &identity).is_err(), "cut at {at}");
        }
    }

    /// A file that the program `age` has made.
    #[test]
    fn file_of_age_is_opened() {
        let identity = Identity::parse(IDENTITY).unwrap();
        let sealed = BASE64
            .decode(
                "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBNYUpyZWo5cnp4TEsvc3h0ZCtIR0FnSmhQNzJz\
             a0VzNmdFM2ZWMUE4WVRZCkh2S1V4UVhnMW9tK3daT0V4bCsvTzBNYzdRZ1BPaEpRcThYK2NXa1RTMnMK\
             LS0tIDh1WnpsaTBmUW9HeXZvM1dFUTNQK0wwVEF3WXlORFJlTDAwbGJhbDFPMlUKEEo3QgoOiX4pSklX\
             Y8dQXMiJnBGcj/ASaarZ/MRNdKcAttXmmj0GIZC8h0k",
            )
            .unwrap();
        assert_eq!(open(&sealed, &identity).unwrap(), b"made by age\n");
    }

    #[test]
    fn keys_of_other_kinds_are_refused() {
        for text in ["", "age1", "ssh-ed25519 AAAA", IDENTITY, &RECIPIENT.replace("age1", "agf1")] {
            assert!(text.parse::<Recipient>().is_err(), "{text}");
        }
        assert!(Identity::parse(RECIPIENT).is_err());
        assert!(Identity::parse("# nothing\n").is_err());
    }
}
