//! The stored form of event data.
//!
//! Events repeat one another: the keys of snapshots, common words. Each row is compressed
//! separately, with a dictionary that is part of the program. The first byte selects the form:
//!
//! | First byte | Content |
//! |---|---|
//! | `{` | Plain canonical JSON, for data that compression would not shorten |
//! | 1 | A zstd frame with the first dictionary, without its magic number |
//! | 2 | A block: the 32-byte hash of the event before; then such a frame, with one line per event |
//!
//! A form that was ever written remains readable, and its dictionary never changes: a better
//! dictionary is another form. Hashes and responses use the JSON; storage quotas count the stored
//! bytes.

use std::cell::RefCell;
use std::io;
use std::sync::LazyLock;

use daybook_domain::event::Hash;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CParameter, get_frame_content_size};

use crate::error::{Error, Result};

const FIRST: u8 = 1;
const BLOCK: u8 = 2;
/// Trained by `dictionaries/train.py`.
const DICTIONARY: &[u8] = include_bytes!("../../dictionaries/events-1.dict");
/// The magic number of a zstd frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Compression level. Higher levels save a tenth more and take three times as long.
const LEVEL: i32 = 3;
/// Maximum size of the data of one event, beyond what a request can create. A row with a larger
/// frame was tampered with.
const MAX_EVENT_BYTES: usize = 256 * 1024 * 1024;

static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Packs the data of one event. Data that compression would not shorten stays plain.
pub(crate) fn pack(data: String) -> Vec<u8> {
    match compress(&[FIRST], data.as_bytes()) {
        Ok(packed) if packed.len() < data.len() => packed,
        Ok(_) | Err(_) => data.into_bytes(),
    }
}

/// Packs the data of a block that follows an event with the hash `previous`.
///
/// The data of an event is canonical JSON, which has no line feed.
pub(crate) fn pack_block(previous: &Hash, data: &[&str]) -> io::Result<Vec<u8>> {
    compress(&[&[BLOCK], previous.as_bytes().as_slice()].concat(), data.join("\n").as_bytes())
}

/// Compresses data and prepends `prefix`.
fn compress(prefix: &[u8], data: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(new_compressor()?),
        };
        let frame = compressor.compress(data)?;
        let body = frame.strip_prefix(&MAGIC).ok_or(io::ErrorKind::InvalidData)?;
        Ok([prefix, body].concat())
    })
}

fn new_compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(&ENCODER)?;
    // The first byte of the row selects the dictionary.
    compressor.set_parameter(CParameter::DictIdFlag(false))?;
    Ok(compressor)
}

/// Unpacks the data of one event.
pub(crate) fn unpack(stored: Vec<u8>) -> Result<String> {
    let data = match stored.split_first() {
        Some((&FIRST, body)) => {
            decompress(body, MAX_EVENT_BYTES).map_err(|_| Error::Corrupt("data"))?
        }
        Some(_) | None => stored,
    };
    String::from_utf8(data).map_err(|_| Error::Corrupt("data"))
}

/// Unpacks a block: the hash of the event before it, and the data of its events, one per line.
///
/// `max_bytes` bounds the size that a row may claim that was tampered with.
pub(crate) fn unpack_block(stored: &[u8], max_bytes: usize) -> Result<(Hash, String)> {
    let body = stored.strip_prefix(&[BLOCK]).and_then(|rest| rest.split_first_chunk());
    let (previous, body): (&[u8; 32], _) = body.ok_or(Error::Corrupt("data"))?;
    let previous = Hash::from_bytes(previous).ok_or(Error::Corrupt("data"))?;
    let data = decompress(body, max_bytes).map_err(|_| Error::Corrupt("data"))?;
    Ok((previous, String::from_utf8(data).map_err(|_| Error::Corrupt("data"))?))
}

fn decompress(body: &[u8], max_bytes: usize) -> io::Result<Vec<u8>> {
    let frame = [&MAGIC, body].concat();
    let length = get_frame_content_size(&frame).ok().flatten();
    let length = length.and_then(|length| usize::try_from(length).ok());
    let length = length.filter(|length| *length <= max_bytes);
    let length = length.ok_or(io::ErrorKind::InvalidData)?;
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::with_prepared_dictionary(&DECODER)?),
        };
        decompressor.decompress(&frame, length)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: &str = concat!(
        r#"{"object":{"amount":"12.50","creditAccount":{"id":"915623596633850346","#,
        r#""name":"Bank"},"date":"2027-01-31","debitAccount":{"id":"915623596633850302","#,
        r#""name":"Restaurants"},"description":"Lunch with Zoë","posted":true}}"#
    );

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(byte).collect()
    }

    proptest! {
        #[test]
        fn packed_data_is_unpacked(data in "\\PC*", repeated in 0..40_usize) {
            for data in [data.clone(), format!("{{\"a\":\"{data}\"}}").repeat(repeated)] {
                // Data is a JSON object, so it never starts with the byte of a form.
                let data = format!("{{{data}");
                prop_assert_eq!(unpack(pack(data.clone())).ok(), Some(data));
            }
        }

        #[test]
        fn arbitrary_data_does_not_panic(stored: Vec<u8>, form in prop::bool::ANY) {
            let stored = if form { [&[FIRST], stored.as_slice()].concat() } else { stored };
            drop(unpack(stored));
        }
    }

    #[test]
    fn plain_snapshot_is_compressed_to_less_than_half() {
        let packed = pack(PLAIN.to_owned());
        assert!(packed.len() * 2 < PLAIN.len(), "{} of {}", packed.len(), PLAIN.len());
    }

    #[test]
    fn first_form_is_readable() {
        const STORED: &str = concat!(
            "0120d9050200e34105e70f97482102d363e5e409a6678437cb5cb44a74390ffcec31a0b89096263d",
            "85b8b463ac01052060deeec970a1364770520520d9f8d80f04643eea1602"
        );
        assert_eq!(unpack(bytes(STORED)).unwrap(), PLAIN);
        assert_eq!(unpack(PLAIN.as_bytes().to_vec()).unwrap(), PLAIN, "not compressed");
    }

    #[test]
    fn block_form_is_readable() {
        const STORED: &str = concat!(
            "026db7d803e74f1ffa7d8f5adc0bf95b3e15bf4c8373fffadf546227cc6c6742cb20f32d0200",
            "234206e7340a387fb8440a11981e2b274f303d23bc59e6a255a2cb0110fc5d993d442aae634b",
            "a74f91bdb49535bc12c8f2a23f995f089b23dcaa4064367de3c703994f06d2",
        );
        let texts = [PLAIN, r#"{"object":{"amount":"1"}}"#];
        let (previous, lines) = unpack_block(&bytes(STORED), 1000).unwrap();
        assert_eq!((previous, lines), (Hash::of(b"before"), texts.join("\n")));
        assert!(unpack_block(&bytes(STORED), 100).is_err(), "longer than any block");
    }

    #[test]
    fn short_data_stays_plain() {
        assert_eq!(pack("{}".to_owned()), b"{}");
    }

    #[test]
    fn changed_row_is_corrupt() {
        let packed = pack(PLAIN.to_owned());
        let cut = packed[..packed.len() - 1].to_vec();
        // The header of this frame claims 2^62 bytes.
        let endless = vec![FIRST, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0];
        for stored in [cut, endless, vec![FIRST], vec![0xff]] {
            assert!(unpack(stored).is_err());
        }
    }
}
