//! A sequence of values in compressed blocks, of which only a few are unpacked at a time.
//!
//! The entries of a journal of a million take about 500 MB as values, and 20 MB in blocks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{Read as _, Write as _};
use std::marker::PhantomData;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::limits::MAX_BYTES;
use super::problem::{Kind, Problem};

/// The bytes of a block before it is compressed.
const BLOCK_BYTES: usize = 64 * 1024;

/// The number of blocks that are unpacked and sorted at a time.
const RUN_BLOCKS: usize = 16;

/// The most bytes of the values of a sequence before they are compressed.
///
/// A short line of a file can stand for a long value, such as the name behind an alias.
const MAX_PACKED: usize = 4 * MAX_BYTES;

/// A sequence of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed<T> {
    blocks: Vec<Box<[u8]>>,
    /// The serialized values after the last block, not yet compressed.
    rest: Vec<u8>,
    /// The number of values.
    count: usize,
    /// The bytes of the values before they are compressed.
    bytes: usize,
    values: PhantomData<fn() -> T>,
}

impl<T> Default for Packed<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), rest: Vec::new(), count: 0, bytes: 0, values: PhantomData }
    }
}

impl<T> Packed<T> {
    /// Returns the number of values.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Returns whether the sequence is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<T: Serialize> Packed<T> {
    /// Adds a value.
    ///
    /// # Errors
    /// [`Kind::ValuesTooLong`] of the whole file.
    pub(crate) fn push(&mut self, value: &T) -> Result<(), Problem> {
        let rest = std::mem::take(&mut self.rest);
        let before = rest.len();
        self.rest = postcard::to_extend(value, rest).map_err(|_| damaged())?;
        self.count += 1;
        self.bytes = self.bytes.saturating_add(self.rest.len().saturating_sub(before));
        if self.bytes > MAX_PACKED {
            return Err(Problem::of_file(Kind::ValuesTooLong));
        }
        if self.rest.len() >= BLOCK_BYTES {
            self.blocks.push(pack(&self.rest).map_err(|_| damaged())?);
            self.rest.clear();
        }
        Ok(())
    }
}

impl<T: DeserializeOwned> Packed<T> {
    /// Returns the values one after the other.
    ///
    /// # Errors
    /// [`Kind::UnreadableBlock`] when the memory of a block was changed.
    pub fn iter(&self) -> impl Iterator<Item = Result<T, Problem>> + '_ {
        let blocks = self.blocks.iter().map(|block| unpack(block));
        Values::new(blocks.chain(std::iter::once_with(|| Ok(self.rest.clone()))))
    }

    /// Consumes the sequence. Each block is freed once it is unpacked.
    ///
    /// # Errors
    /// Those of [`Packed::iter`].
    pub fn into_values(self) -> impl Iterator<Item = Result<T, Problem>> {
        let blocks = self.blocks.into_iter().map(|block| unpack(&block));
        Values::new(blocks.chain(std::iter::once(Ok(self.rest))))
    }
}

impl<T: Serialize + DeserializeOwned> Packed<T> {
    /// Sorts the values by a key. The sort is stable.
    pub(crate) fn sorted_by_key<K: Ord>(self, key: impl Fn(&T) -> K) -> Result<Self, Problem> {
        if self.is_sorted_by_key(&key)? {
            return Ok(self);
        }
        let mut runs = Vec::new();
        for run in self.into_runs(&key)? {
            runs.push(run.into_values());
        }
        let mut heads = Vec::with_capacity(runs.len());
        for run in &mut runs {
            heads.push(run.next().transpose()?);
        }
        let place =
            |run: usize, head: &Option<T>| head.as_ref().map(|head| Reverse((key(head), run)));
        let mut order: BinaryHeap<Reverse<(K, usize)>> =
            heads.iter().enumerate().filter_map(|(run, head)| place(run, head)).collect();
        let mut sorted = Self::default();
        while let Some(Reverse((_, index))) = order.pop() {
            let (Some(head), Some(run)) = (heads.get_mut(index), runs.get_mut(index)) else {
                continue;
            };
            if let Some(value) = std::mem::replace(head, run.next().transpose()?) {
                sorted.push(&value)?;
            }
            order.extend(place(index, head));
        }
        Ok(sorted)
    }

    fn is_sorted_by_key<K: Ord>(&self, key: impl Fn(&T) -> K) -> Result<bool, Problem> {
        let mut last: Option<K> = None;
        for value in self.iter() {
            let next = Some(key(&value?));
            if next < last {
                return Ok(false);
            }
            last = next;
        }
        Ok(true)
    }

    /// Splits the values into runs, each of which is sorted in memory.
    fn into_runs<K: Ord>(self, key: impl Fn(&T) -> K) -> Result<Vec<Self>, Problem> {
        let (mut blocks, mut rest) = (self.blocks.into_iter(), self.rest);
        let mut runs = Vec::new();
        loop {
            let blocks: Vec<Box<[u8]>> = blocks.by_ref().take(RUN_BLOCKS).collect();
            let is_last = blocks.len() < RUN_BLOCKS;
            let rest = if is_last { std::mem::take(&mut rest) } else { Vec::new() };
            let part = Self { blocks, rest, ..Self::default() };
            let mut values: Vec<T> = part.into_values().collect::<Result<_, Problem>>()?;
            values.sort_by_key(&key);
            let mut run = Self::default();
            values.iter().try_for_each(|value| run.push(value))?;
            runs.push(run);
            if is_last {
                return Ok(runs);
            }
        }
    }
}

/// The values of unpacked blocks.
struct Values<T, B> {
    blocks: B,
    block: Vec<u8>,
    /// The number of bytes of the block that have been read.
    offset: usize,
    values: PhantomData<fn() -> T>,
}

impl<T, B> Values<T, B> {
    const fn new(blocks: B) -> Self {
        Self { blocks, block: Vec::new(), offset: 0, values: PhantomData }
    }
}

impl<T, B> Iterator for Values<T, B>
where
    T: DeserializeOwned,
    B: Iterator<Item = Result<Vec<u8>, Problem>>,
{
    type Item = Result<T, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.offset >= self.block.len() {
            match self.blocks.next()? {
                Ok(block) => (self.block, self.offset) = (block, 0),
                Err(problem) => return Some(Err(problem)),
            }
        }
        let unread = self.block.get(self.offset..).unwrap_or_default();
        let value = postcard::take_from_bytes(unread);
        self.offset = self.block.len() - value.as_ref().map_or(0, |(_, unread)| unread.len());
        Some(value.map(|(value, _)| value).map_err(|_| damaged()))
    }
}

fn pack(bytes: &[u8]) -> std::io::Result<Box<[u8]>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish().map(Vec::into_boxed_slice)
}

fn unpack(block: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::with_capacity(2 * BLOCK_BYTES);
    DeflateDecoder::new(block).read_to_end(&mut bytes).map_err(|_| damaged())?;
    Ok(bytes)
}

const fn damaged() -> Problem {
    Problem::of_file(Kind::UnreadableBlock)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed<T: Serialize>(values: &[T]) -> Packed<T> {
        let mut packed = Packed::default();
        values.iter().for_each(|value| packed.push(value).unwrap());
        packed
    }

    fn values<T: DeserializeOwned>(packed: Packed<T>) -> Vec<T> {
        packed.into_values().map(Result::unwrap).collect()
    }

    /// Values that do not compress, of more than two runs.
    fn many() -> Vec<(u32, [u64; 4])> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state
        };
        (0..300_000).map(|number| (number, std::array::from_fn(|_| next()))).collect()
    }

    #[test]
    fn runs_are_merged() {
        let written = many();
        let sort = packed(&written);
        assert!(sort.blocks.len() > 2 * RUN_BLOCKS, "{} blocks", sort.blocks.len());
        assert_eq!((sort.len(), sort.is_empty()), (written.len(), false));
        let sorted = sort.clone().sorted_by_key(|(_, [key, ..])| key % 1_000).unwrap();
        assert_eq!(sorted.len(), written.len());
        let mut expected = written.clone();
        expected.sort_by_key(|(_, [key, ..])| key % 1_000);
        assert!(values(sorted.clone()) == expected, "with equal keys in their order");
        let back = sorted.sorted_by_key(|(number, _)| *number).unwrap();
        assert!(back == sort && values(back) == written);
    }

    #[test]
    fn damaged_block_is_an_error() {
        let mut packed = packed(&many());
        let block = &mut packed.blocks[0];
        *block = Box::from(&block[..block.len() / 2]);
        let problem = packed.iter().find_map(Result::err).unwrap();
        assert_eq!(problem, damaged());
        assert_eq!(packed.sorted_by_key(|(number, _)| *number).unwrap_err(), damaged());
    }

    #[test]
    fn values_have_a_limit() {
        let long = "x".repeat(MAX_BYTES);
        let mut packed = Packed::default();
        let added = (0..5).filter(|_| packed.push(&long).is_ok()).count();
        assert_eq!(added, 3, "each has the bytes of its length too");
        assert_eq!(packed.push(&String::new()).unwrap_err().kind, Kind::ValuesTooLong);
    }

    #[test]
    fn sequences_of_whole_runs_are_sorted() {
        let block = "x".repeat(BLOCK_BYTES);
        for count in [0, 1, RUN_BLOCKS, 2 * RUN_BLOCKS, 2 * RUN_BLOCKS + 1] {
            let written: Vec<(usize, String)> =
                (0..count).rev().map(|key| (key, block.clone())).collect();
            let read = values(packed(&written).sorted_by_key(|(key, _)| *key).unwrap());
            assert!(read.into_iter().map(|(key, _)| key).eq(0..count), "{count} values");
        }
    }

    proptest! {
        #[test]
        fn values_are_kept(
            written in prop::collection::vec((any::<i128>(), ".{0,2000}"), 0..200),
        ) {
            let packed = packed(&written);
            prop_assert_eq!(packed.iter().collect::<Result<Vec<_>, _>>().unwrap(), written.clone());
            let mut expected = written;
            expected.sort_by_key(|(number, _)| number % 7);
            let sorted = packed.sorted_by_key(|(number, _)| number % 7).unwrap();
            prop_assert_eq!(values(sorted), expected);
        }
    }
}
