//! The data of events, as their rows keep it.
//!
//! Events repeat one another: the keys of snapshots, the usual words. So each row is compressed by
//! itself, with a dictionary that is part of the program. The first byte tells the form:
//!
//! | First byte | What follows |
//! |---|---|
//! | `{` | The rest of the canonical JSON: such data would not be shorter when it is compressed |
//! | 1 | A zstd frame with the first dictionary, without its magic number |
//! | 2 | A block: 32 bytes, the hash of the event before; then such a frame, with the data of each event in a line |
//!
//! A form that was ever written is read for good, and its dictionary never changes: a better one is
//! another form. What is hashed and shown is the JSON; what counts for storage quotas is what is
//! kept.

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
/// Made by `dictionaries/train.py`.
const DICTIONARY: &[u8] = include_bytes!("../../dictionaries/events-1.dict");
/// What a frame begins with; every reader knows it.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The next levels save a tenth more and take three times as long.
const LEVEL: i32 = 3;
/// More than a request can make an event of. A row that says it is longer is none of ours.
const MAX_EVENT_BYTES: usize = 256 * 1024 * 1024;

static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The form in which the data of an event is kept. What cannot be compressed, or would not be
/// shorter, stays as it is.
pub(super) fn pack(data: String) -> Vec<u8> {
    match compressed(&[FIRST], data.as_bytes()) {
        Ok(packed) if packed.len() < data.len() => packed,
        Ok(_) | Err(_) => data.into_bytes(),
    }
}

/// The form in which the data of a block is kept, behind an event with this hash. The data of an
/// event is canonical JSON, which has no line feed.
pub(super) fn pack_block(previous: &Hash, data: &[&str]) -> io::Result<Vec<u8>> {
    compressed(&[&[BLOCK], previous.as_bytes().as_slice()].concat(), data.join("\n").as_bytes())
}

/// Data as a frame behind these bytes.
fn compressed(before: &[u8], data: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(compressor()?),
        };
        let frame = compressor.compress(data)?;
        let body = frame.strip_prefix(&MAGIC).ok_or(io::ErrorKind::InvalidData)?;
        Ok([before, body].concat())
    })
}

fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(&ENCODER)?;
    // The first byte says which dictionary it is.
    compressor.set_parameter(CParameter::DictIdFlag(false))?;
    Ok(compressor)
}

/// The data that the row of one event keeps.
pub(super) fn unpack(stored: Vec<u8>) -> Result<String> {
    let data = match stored.split_first() {
        Some((&FIRST, body)) => {
            decompressed(body, MAX_EVENT_BYTES).map_err(|_| Error::Corrupt("data"))?
        }
        Some(_) | None => stored,
    };
    String::from_utf8(data).map_err(|_| Error::Corrupt("data"))
}

/// The hash of the event before a block, and the data of its events, one in a line: no more than so
/// many bytes, which a row that was tampered with may claim.
pub(super) fn unpack_block(stored: &[u8], most: usize) -> Result<(Hash, String)> {
    let body = stored.strip_prefix(&[BLOCK]).and_then(|rest| rest.split_first_chunk());
    let (previous, body): (&[u8; 32], _) = body.ok_or(Error::Corrupt("data"))?;
    let previous = Hash::from_bytes(previous).ok_or(Error::Corrupt("data"))?;
    let data = decompressed(body, most).map_err(|_| Error::Corrupt("data"))?;
    Ok((previous, String::from_utf8(data).map_err(|_| Error::Corrupt("data"))?))
}

fn decompressed(body: &[u8], most: usize) -> io::Result<Vec<u8>> {
    let frame = [&MAGIC, body].concat();
    let length = get_frame_content_size(&frame).ok().flatten();
    let length = length.and_then(|length| usize::try_from(length).ok());
    let length = length.filter(|length| *length <= most);
    let length = length.ok_or(io::ErrorKind::InvalidData)?;
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::with_prepared_dictionary(&DECODER)?),
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
        fn what_is_packed_is_unpacked(data in "\\PC*", repeated in 0..40_usize) {
            for data in [data.clone(), format!("{{\"a\":\"{data}\"}}").repeat(repeated)] {
                // Data is an object, so no text begins as a form does.
                let data = format!("{{{data}");
                prop_assert_eq!(unpack(pack(data.clone())).ok(), Some(data));
            }
        }

        #[test]
        fn whatever_a_row_has_is_no_panic(stored: Vec<u8>, form in prop::bool::ANY) {
            let stored = if form { [&[FIRST], stored.as_slice()].concat() } else { stored };
            drop(unpack(stored));
        }
    }

    #[test]
    fn a_plain_snapshot_takes_less_than_half() {
        let packed = pack(PLAIN.to_owned());
        assert!(packed.len() * 2 < PLAIN.len(), "{} of {}", packed.len(), PLAIN.len());
    }

    #[test]
    fn the_first_form_is_read_for_good() {
        const KEPT: &str = concat!(
            "0120d9050200e34105e70f97482102d363e5e409a6678437cb5cb44a74390ffcec31a0b89096263d",
            "85b8b463ac01052060deeec970a1364770520520d9f8d80f04643eea1602"
        );
        assert_eq!(unpack(bytes(KEPT)).unwrap(), PLAIN);
        assert_eq!(unpack(PLAIN.as_bytes().to_vec()).unwrap(), PLAIN, "not compressed");
    }

    #[test]
    fn the_form_of_blocks_is_read_for_good() {
        const KEPT: &str = concat!(
            "026db7d803e74f1ffa7d8f5adc0bf95b3e15bf4c8373fffadf546227cc6c6742cb20f32d0200",
            "234206e7340a387fb8440a11981e2b274f303d23bc59e6a255a2cb0110fc5d993d442aae634b",
            "a74f91bdb49535bc12c8f2a23f995f089b23dcaa4064367de3c703994f06d2",
        );
        let texts = [PLAIN, r#"{"object":{"amount":"1"}}"#];
        let (previous, lines) = unpack_block(&bytes(KEPT), 1000).unwrap();
        assert_eq!((previous, lines), (Hash::of(b"before"), texts.join("\n")));
        assert!(unpack_block(&bytes(KEPT), 100).is_err(), "longer than any block");
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        assert_eq!(pack("{}".to_owned()), b"{}");
    }

    #[test]
    fn a_changed_row_is_corrupt() {
        let packed = pack(PLAIN.to_owned());
        let cut = packed[..packed.len() - 1].to_vec();
        // A frame whose header says that 2^62 bytes follow.
        let endless = vec![FIRST, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0];
        for stored in [cut, endless, vec![FIRST], vec![0xff]] {
            assert!(unpack(stored).is_err());
        }
    }
}
