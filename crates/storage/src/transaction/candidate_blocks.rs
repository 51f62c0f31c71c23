//! The blocks of the trigram index that may contain the texts of a search.
//!
//! The newest chunk serves as a sample of how rare each trigram is. The rarest trigrams are read in
//! all chunks, the others only in the chunks where blocks are left. A rare text thus costs a few
//! rows per chunk, and a common one hardly more than reading one chunk.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::id::BookId;

use super::trigram_index::{ANY_TRIGRAM, BLOCKS_PER_CHUNK, Extent, trigrams};
use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, numbers};
use crate::error::Result;

/// Maximum number of trigrams of a search. More of them hardly narrow further.
const MAX_TRIGRAMS: usize = 24;
/// The number of trigrams that are read in every chunk.
const RAREST: usize = 2;
/// With at most this many blocks, their texts are compared instead of narrowing further.
const FEW_BLOCKS: u32 = 8;

/// Returns the blocks that may contain all of these texts.
///
/// Returns nothing if the texts have no trigrams or nothing is indexed, or if `helps` is false for
/// the expected number of blocks.
pub(super) fn candidate_blocks(
    tx: &mut Tx<'_>,
    book: BookId,
    extent: &Extent,
    texts: &[&str],
    helps: impl Fn(i64) -> bool,
) -> Result<Option<Vec<i64>>> {
    let all: BTreeSet<i64> = texts.iter().copied().flat_map(trigrams).collect();
    if extent.chunks == 0 || all.is_empty() {
        return Ok(None);
    }
    // Of a long text, the trigrams are spread evenly.
    let stride = all.len().div_ceil(MAX_TRIGRAMS).max(1);
    let mut selected: Vec<i64> = all.into_iter().step_by(stride).collect();

    let newest = extent.chunks.saturating_sub(1);
    let sample = Occurrences::read(tx, book, &selected, Some(&[newest]))?;
    let expected =
        i64::from(sample.of_all(newest, &selected).count_ones()).saturating_mul(extent.chunks);
    // Only half of the estimate counts, because one chunk is a small sample.
    if !helps(expected.div_euclid(2)) {
        return Ok(None);
    }
    selected.sort_by_key(|trigram| sample.of(newest, *trigram).count_ones());
    let (rarest, others) = selected.split_at(selected.len().min(RAREST));

    let found = Occurrences::read(tx, book, &[rarest, &[ANY_TRIGRAM]].concat(), None)?;
    let mut left: BTreeMap<i64, u64> =
        found.chunks().map(|chunk| (chunk, found.of_all(chunk, rarest))).collect();
    left.retain(|_, bits| *bits != 0);
    if !others.is_empty()
        && left.values().map(|bits| bits.count_ones()).fold(0, u32::saturating_add) > FEW_BLOCKS
    {
        let chunks: Vec<i64> = left.keys().copied().collect();
        let more = Occurrences::read(tx, book, others, Some(&chunks))?;
        left.iter_mut().for_each(|(chunk, bits)| *bits &= more.of_all(*chunk, others));
    }
    found.add_blocks_with_long_texts(&mut left);
    let numbers = |(chunk, bits): (i64, u64)| {
        let set_bits = (0_u32..64).filter(move |bit| bits & (1_u64 << bit) != 0);
        set_bits
            .map(move |bit| chunk.saturating_mul(BLOCKS_PER_CHUNK).saturating_add(i64::from(bit)))
    };
    Ok(Some(left.into_iter().flat_map(numbers).collect()))
}

/// The blocks of a chunk in which a trigram occurs, as bits, by chunk and trigram.
pub(super) struct Occurrences(BTreeMap<(i64, i64), u64>);

impl Occurrences {
    /// Reads the occurrences of trigrams in some chunks, or in all.
    pub(super) fn read(
        tx: &mut Tx<'_>,
        book: BookId,
        trigrams: &[i64],
        chunks: Option<&[i64]>,
    ) -> Result<Self> {
        let rows = Sql::new(
            "SELECT g.trigram, g.chunk, g.block_bitmap FROM trigrams g WHERE g.book_id = {} \
             AND g.trigram IN {}",
        )
        .bind((book, numbers(trigrams.iter().copied())));
        let rows = match chunks {
            Some(chunks) => rows.push(" AND g.chunk IN {}").bind(numbers(chunks.iter().copied())),
            None => rows,
        };
        let rows: Vec<(i64, i64, i64)> = tx.flushed()?.rows(&rows)?;
        Ok(Self(
            rows.into_iter()
                .map(|(trigram, chunk, bitmap)| ((chunk, trigram), bitmap.cast_unsigned()))
                .collect(),
        ))
    }

    /// Returns the chunks in which any of the trigrams occurs.
    fn chunks(&self) -> impl Iterator<Item = i64> {
        let chunks: BTreeSet<i64> = self.0.keys().map(|(chunk, _)| *chunk).collect();
        chunks.into_iter()
    }

    pub(super) fn of(&self, chunk: i64, trigram: i64) -> u64 {
        self.0.get(&(chunk, trigram)).copied().unwrap_or_default()
    }

    fn of_all(&self, chunk: i64, trigrams: &[i64]) -> u64 {
        trigrams.iter().fold(u64::MAX, |common, trigram| common & self.of(chunk, *trigram))
    }

    /// Adds the blocks with long texts, which may contain anything (behaviour 1.7.3).
    fn add_blocks_with_long_texts(&self, blocks: &mut BTreeMap<i64, u64>) {
        for chunk in self.chunks() {
            *blocks.entry(chunk).or_default() |= self.of(chunk, ANY_TRIGRAM);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_must_contain_every_trigram() {
        let found = Occurrences([((0, 7), 0b0110), ((0, 8), 0b0011), ((1, 7), 0b1111)].into());
        assert_eq!(found.of_all(0, &[7]), 0b0110);
        assert_eq!(found.of_all(0, &[7, 8]), 0b0010);
        assert_eq!(found.of_all(1, &[7, 8]), 0, "the other trigram occurs nowhere in the chunk");
        assert_eq!(found.chunks().collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn rule_1_7_3_blocks_with_long_texts_are_always_candidates() {
        let found = Occurrences(
            [((0, 7), 0b0110), ((0, ANY_TRIGRAM), 0b1000), ((2, ANY_TRIGRAM), 0b0001)].into(),
        );
        let mut blocks = BTreeMap::from([(0, 0b0010)]);
        found.add_blocks_with_long_texts(&mut blocks);
        assert_eq!(blocks, BTreeMap::from([(0, 0b1010), (2, 0b0001)]));
    }
}
