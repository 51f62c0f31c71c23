//! The audit of the trigram index (behaviour 6.17): whether a search finds every text.
//!
//! A block that a search compares without need is not an error.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::id::BookId;
use diesel::QueryableByName;
use diesel::sql_types::BigInt;

use super::candidate_blocks::Occurrences;
use super::trigram_index::{ANY_TRIGRAM, BLOCKS_PER_CHUNK, indexed};
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;

/// Number of trigrams that are compared at once.
const MAX_COMPARED: usize = 8_192;

/// The bounds of a block: ids in `after_id+1..=last_id`.
#[derive(QueryableByName)]
struct BlockBounds {
    #[diesel(sql_type = BigInt)]
    block: i64,
    #[diesel(sql_type = BigInt)]
    after_id: i64,
    #[diesel(sql_type = BigInt)]
    last_id: i64,
}

impl Tx<'_> {
    /// Returns the blocks of a chunk in which a search may miss a text, or nothing after the last
    /// chunk.
    pub(crate) fn unsearchable_blocks(
        &mut self,
        book: BookId,
        chunk: i64,
    ) -> Result<Option<BTreeSet<i64>>> {
        let extent = self.trigram_extent(book)?;
        if chunk >= extent.chunks {
            return Ok(None);
        }
        let first = chunk.saturating_mul(BLOCKS_PER_CHUNK);
        let bounds = self.bounds(book, first)?;
        let (mut faulty, mut end) = (BTreeSet::new(), 0);
        if let Some(before) = bounds.first().filter(|bounds| bounds.block < first) {
            end = before.last_id;
        }
        let mut inside = bounds.iter().filter(|bounds| bounds.block >= first);
        let begin = end;
        for block in first..first.saturating_add(BLOCKS_PER_CHUNK) {
            match inside.next() {
                Some(found) if found.block == block && found.after_id == end => {
                    end = found.last_id;
                }
                // After a gap the positions of blocks are unknown.
                Some(_) | None => {
                    faulty.insert(block);
                    return Ok(Some(faulty));
                }
            }
        }
        let is_last = chunk.saturating_add(1) == extent.chunks;
        if is_last && end != extent.until {
            faulty.insert(first.saturating_add(BLOCKS_PER_CHUNK).saturating_sub(1));
            return Ok(Some(faulty));
        }
        let texts = self.texts_within(book, begin, end)?;
        let mut needed: BTreeMap<i64, u64> = BTreeMap::new();
        for (id, folded_description) in texts {
            let block = bounds.iter().find(|bounds| bounds.last_id >= id && bounds.block >= first);
            let Some(bit) = block.and_then(|at| u32::try_from(at.block - first).ok()) else {
                continue;
            };
            for trigram in indexed(&folded_description) {
                *needed.entry(trigram).or_default() |= 1_u64 << bit;
            }
            if needed.len() > MAX_COMPARED {
                self.add_missing(book, chunk, &std::mem::take(&mut needed), &mut faulty)?;
            }
        }
        self.add_missing(book, chunk, &needed, &mut faulty)?;
        Ok(Some(faulty))
    }

    /// Loads the block bounds of a chunk, in order, with those of the block before it.
    fn bounds(&mut self, book: BookId, first: i64) -> Result<Vec<BlockBounds>> {
        let sql = Sql::new(
            "SELECT b.block, b.after_id, b.last_id FROM trigram_blocks b WHERE b.book_id = {} \
             AND b.block >= {} AND b.block < {} ORDER BY b.block",
        )
        .bind((book, first.saturating_sub(1), first.saturating_add(BLOCKS_PER_CHUNK)));
        self.flushed()?.load(&sql)
    }

    /// Loads the folded texts of transactions with ids in `after+1..=last`. Long texts are cut.
    fn texts_within(&mut self, book: BookId, after: i64, last: i64) -> Result<Vec<(i64, String)>> {
        let sql = self.folded_texts(book, after).push(" AND t.id <= {}").bind(last);
        self.flushed()?.rows(&sql)
    }

    /// Adds the blocks for which the index lacks any of these trigrams.
    fn add_missing(
        &mut self,
        book: BookId,
        chunk: i64,
        needed: &BTreeMap<i64, u64>,
        faulty: &mut BTreeSet<i64>,
    ) -> Result<()> {
        if needed.is_empty() {
            return Ok(());
        }
        let trigrams: Vec<i64> = needed.keys().copied().chain([ANY_TRIGRAM]).collect();
        let found = Occurrences::read(self, book, &trigrams, Some(&[chunk]))?;
        let always_compared = found.of(chunk, ANY_TRIGRAM);
        for (trigram, bits) in needed {
            let missing = bits & !(found.of(chunk, *trigram) | always_compared);
            let blocks = (0_u32..64).filter(|bit| missing & (1_u64 << bit) != 0);
            let first = chunk.saturating_mul(BLOCKS_PER_CHUNK);
            faulty.extend(blocks.map(|bit| first.saturating_add(i64::from(bit))));
        }
        Ok(())
    }
}
