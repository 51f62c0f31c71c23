//! The trigram index of descriptions. It narrows where a text may occur, and never decides whether
//! it does.
//!
//! Transactions are indexed 4,096 at a time, in the order of their ids: a *chunk* of 64 *blocks* of
//! 64. For each trigram (three consecutive characters of a folded description) and chunk there is
//! one row, whose 64 bits are the blocks in which the trigram occurs. A search reads the rows of
//! its trigrams (`candidate_blocks.rs`), intersects their bitmaps, and compares the texts of the
//! remaining blocks. The transactions after the last chunk, the *tail*, are compared without an
//! index.
//!
//! Recording a transaction therefore writes nothing here. After every 4,096 transactions a separate
//! unit of work writes their chunk (`chunk_jobs.rs`). A changed text adds its trigrams to its block
//! and removes none: an extra bit costs a comparison and changes no result.
//!
//! Long texts are not indexed, because each has thousands of trigrams, and a chunk of them would be
//! millions of rows in one unit of work. One row marks that a block has a long text, and searches
//! always compare that block. Texts are also treated as long once a unit of work has many rows,
//! because its texts have few trigrams in common (behaviour 1.7.3).

use std::collections::HashMap;

use daybook_domain::book::Book;
use daybook_domain::id::BookId;
use daybook_domain::name::fold;
use daybook_domain::transaction::Transaction;

use super::change::Change;
use crate::commit::tx::{Caches, Flushed, Tx};
use crate::conn::Conn;
use crate::conn::bulk::Bulk;
use crate::conn::mode::Mode;
use crate::conn::sql::{Sql, Value, rows};
use crate::error::{Error, Result};
use crate::rows::book_state::BookStateRow;

const TRANSACTIONS_PER_BLOCK: usize = 64;
/// Blocks in a chunk, the bits of an integer.
pub(super) const BLOCKS_PER_CHUNK: i64 = 64;
const TRANSACTIONS_PER_CHUNK: i64 = 4_096;

impl BookStateRow {
    /// Returns whether a chunk of transactions is not indexed yet.
    const fn has_chunk(&self) -> bool {
        self.unindexed >= TRANSACTIONS_PER_CHUNK
    }
}

/// Maximum length in characters of a folded text whose trigrams are indexed.
pub(super) const MAX_INDEXED_CHARS: usize = 256;
/// Represents every trigram of a long text. No text has it, because texts have no NUL (behaviour
/// 0.23).
pub(super) const ANY_TRIGRAM: i64 = 0;

/// Number of rows after which a unit of work treats further texts as long. A chunk of typical texts
/// has fewer. One of short texts without common words has a million, most on different pages, and
/// the other users of the writer wait for them.
const MAX_ROWS: usize = 32 * 1024;
/// Number of rows after which a block treats further texts as long, so a few texts cannot use up
/// the rows of a chunk.
const MAX_ROWS_OF_BLOCK: usize = 4 * 1024;

const INSERT_TRIGRAMS: &str = "INSERT INTO trigrams (book_id, trigram, chunk, block_bitmap)";
const OR_ADD_BITS: &str = " ON CONFLICT (book_id, trigram, chunk) \
     DO UPDATE SET block_bitmap = trigrams.block_bitmap | excluded.block_bitmap";
const INSERT_BLOCKS: &str = "INSERT INTO trigram_blocks (book_id, block, after_id, last_id)";

/// The indexed part of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// The id of the last indexed transaction.
    pub(super) until: i64,
    pub(super) chunks: i64,
}

impl Extent {
    pub(super) const fn blocks(&self) -> i64 {
        self.chunks.saturating_mul(BLOCKS_PER_CHUNK)
    }
}

/// The folded text of a transaction.
#[derive(Debug)]
pub(super) struct FoldedText {
    id: i64,
    folded: String,
}

impl FoldedText {
    pub(super) fn of(transaction: &Transaction) -> Self {
        Self { id: transaction.id.get(), folded: fold(&transaction.description) }
    }
}

/// Index rows under construction: the blocks of each trigram and chunk.
#[derive(Debug, Default)]
struct Trigrams {
    rows: HashMap<(i64, i64), u64>,
    /// The number of rows that each block has added.
    of_blocks: HashMap<i64, usize>,
}

impl Trigrams {
    fn add(&mut self, block: i64, text: &str) {
        let bit = u32::try_from(block.rem_euclid(BLOCKS_PER_CHUNK)).unwrap_or_default();
        let of_block = self.of_blocks.entry(block).or_default();
        let is_full = self.rows.len() >= MAX_ROWS || *of_block >= MAX_ROWS_OF_BLOCK;
        for trigram in if is_full { vec![ANY_TRIGRAM] } else { indexed(text) } {
            let bits = self.rows.entry((trigram, block.div_euclid(BLOCKS_PER_CHUNK))).or_default();
            let with_block = *bits | (1_u64 << bit);
            *of_block = of_block.saturating_add(usize::from(with_block != *bits));
            *bits = with_block;
        }
    }

    fn write(self, conn: &mut Flushed<'_>, book: BookId, conflict: &'static str) -> Result<()> {
        let mut trigrams: Vec<_> = self.rows.into_iter().collect();
        // In key order an engine inserts them at adjacent places of its tree.
        trigrams.sort_unstable();
        let mut rows = Bulk::new(INSERT_TRIGRAMS, 4, conflict);
        for ((trigram, chunk), bitmap) in trigrams {
            rows.row([book.get(), trigram, chunk, bitmap.cast_signed()].map(Value::Int));
        }
        Ok(conn.write(rows)?)
    }
}

/// Returns the indexed trigrams of a folded text.
pub(super) fn indexed(text: &str) -> Vec<i64> {
    let is_long = text.chars().nth(MAX_INDEXED_CHARS).is_some();
    if is_long { vec![ANY_TRIGRAM] } else { trigrams(text).collect() }
}

/// Returns all trigrams of a folded text, each as three characters of 21 bits.
pub(super) fn trigrams(text: &str) -> impl Iterator<Item = i64> {
    let codes = || text.chars().map(|c| i64::from(u32::from(c)));
    codes().zip(codes().skip(1)).zip(codes().skip(2)).map(|((a, b), c)| (a << 42) | (b << 21) | c)
}

impl Tx<'_> {
    /// Returns the indexed part of an entered book.
    pub(super) fn trigram_extent(&self, book: BookId) -> Result<Extent> {
        let state = self.book_state(book).ok_or(Error::Corrupt("book_state"))?;
        Ok(Extent { until: state.indexed_until_id, chunks: state.indexed_chunks })
    }

    /// Records new transactions: it indexes those with ids within the chunks, and counts the
    /// others.
    pub(super) fn index_added(
        &mut self,
        book: &Book,
        late: &[FoldedText],
        unindexed: usize,
    ) -> Result<()> {
        let state = self.book_state_mut(book.id)?;
        state.unindexed =
            state.unindexed.saturating_add(i64::try_from(unindexed).unwrap_or_default());
        self.request_indexing(book);
        self.index_within(book.id, late)
    }

    /// Requests a job for the book, if it has enough unindexed transactions.
    fn request_indexing(&mut self, book: &Book) {
        if self.book_state(book.id).is_some_and(BookStateRow::has_chunk) {
            self.unindexed.insert(book.key.as_str().to_owned());
        }
    }

    /// Indexes the next chunk of a book, if the book exists and has one.
    pub(super) fn index_next(&mut self, public_id: &str) -> Result<()> {
        let Some(access) = self.books().load_without_user(public_id)? else { return Ok(()) };
        // Another process may have indexed it.
        if self.book_state(access.book.id).is_some_and(BookStateRow::has_chunk) {
            self.index_chunk(access.book.id)?;
            self.request_indexing(&access.book);
        }
        Ok(())
    }

    /// Indexes changed texts.
    pub(super) fn index_changed(&mut self, book: BookId, changes: &[Change]) -> Result<()> {
        let until = self.trigram_extent(book)?.until;
        let has_changed = |change: &&Change| {
            change
                .before
                .as_ref()
                .is_none_or(|before| before.description != change.after.description)
        };
        let changed = changes
            .iter()
            .filter(has_changed)
            .map(|change| &change.after)
            .filter(|after| after.id.get() <= until);
        self.index_within(book, &changed.map(FoldedText::of).collect::<Vec<_>>())
    }

    /// Adds texts of indexed transactions to their blocks.
    fn index_within(&mut self, book: BookId, texts: &[FoldedText]) -> Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        let ids = texts.iter().map(|text| [Value::Int(text.id)]);
        let blocks = Sql::new(
            "WITH v (id) AS (VALUES {}) \
             SELECT v.id, (SELECT b.block FROM trigram_blocks b WHERE b.book_id = {} \
             AND b.last_id >= v.id ORDER BY b.last_id LIMIT 1) AS block FROM v",
        )
        .bind((rows(ids), book))
        .uncached();
        let blocks: HashMap<i64, i64> = self.flushed()?.rows(&blocks)?.into_iter().collect();
        let mut added = Trigrams::default();
        for FoldedText { id, folded } in texts {
            added.add(*blocks.get(id).ok_or(Error::Corrupt("trigram_blocks"))?, folded);
        }
        added.write(&mut self.flushed()?, book, OR_ADD_BITS)
    }

    /// Selects the folded texts of the transactions of a book after an id. Long texts are cut to
    /// just above the limit.
    pub(super) fn folded_texts(&self, book: BookId, after: i64) -> Sql<'static> {
        let (text, length) = (self.folded_description(), MAX_INDEXED_CHARS.saturating_add(1));
        Sql::new("SELECT t.id, {} FROM transactions t WHERE t.book_id = {} AND t.id > {}").bind((
            Sql::new(format!("SUBSTR({text}, 1, {length}) AS folded_description")),
            book,
            after,
        ))
    }

    /// Indexes the next chunk.
    fn index_chunk(&mut self, book: BookId) -> Result<()> {
        let extent = self.trigram_extent(book)?;
        let texts = self.folded_texts(book, extent.until).push(" ORDER BY t.id LIMIT {}");
        let next = texts.bind(TRANSACTIONS_PER_CHUNK);
        let texts: Vec<(i64, String)> = self.flushed()?.rows(&next)?;
        let found = i64::try_from(texts.len()).unwrap_or(i64::MAX);
        if found < TRANSACTIONS_PER_CHUNK {
            // The other transactions are being removed with the book.
            self.book_state_mut(book)?.unindexed = found;
            return Ok(());
        }
        let mut index = Trigrams::default();
        let mut bounds = Bulk::new(INSERT_BLOCKS, 4, "");
        let mut until = extent.until;
        for (rows, block) in texts.chunks(TRANSACTIONS_PER_BLOCK).zip(extent.blocks()..) {
            rows.iter().for_each(|(_, folded)| index.add(block, folded));
            let last = rows.last().map_or(until, |(id, _)| *id);
            bounds.row([book.get(), block, until, last].map(Value::Int));
            until = last;
        }
        index.write(&mut self.flushed()?, book, "")?;
        self.flushed()?.write(bounds)?;
        let state = self.book_state_mut(book)?;
        state.indexed_until_id = until;
        state.indexed_chunks = state.indexed_chunks.saturating_add(1);
        state.unindexed = state.unindexed.saturating_sub(found);
        Ok(())
    }
}

/// Indexes all missing chunks at start, each in its own unit of work. It can be interrupted and
/// continues at the next start.
pub(crate) fn catch_up(conn: &mut Conn) -> Result<()> {
    loop {
        conn.begin(Mode::Write)?;
        let mut tx = Tx::writing(conn, Caches::default());
        tx.begin()?;
        let next = Sql::new(
            "SELECT b.public_id FROM book_state s JOIN books b ON b.id = s.book_id \
             WHERE (b.deleted_at IS NULL OR b.kept_until IS NOT NULL) AND s.unindexed >= {} \
             LIMIT 1",
        )
        .bind(TRANSACTIONS_PER_CHUNK);
        let books: Vec<String> = tx.flushed()?.rows(&next)?;
        let Some(public_id) = books.into_iter().next() else {
            return tx.roll_back();
        };
        tx.index_next(&public_id)?;
        tx.keep_unit()?;
        tx.finish(|| false)?;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn trigrams_of_a_substring_are_a_subset() {
        let text = "acao \u{10ffff}\u{1f600}% straße_x";
        let trigrams = |text: &str| trigrams(text).collect::<BTreeSet<i64>>();
        let whole = trigrams(text);
        for part in ["aca", "o \u{10ffff}", "\u{10ffff}\u{1f600}%", "ße_", text] {
            let of_part = trigrams(part);
            assert_eq!(of_part.len(), part.chars().count() - 2, "{part}");
            assert!(of_part.is_subset(&whole), "{part}");
        }
        assert!(trigrams("ab").is_empty() && trigrams("").is_empty());
        assert!(trigrams("abc").is_disjoint(&trigrams("acb")));
        assert!(
            trigrams("\u{10ffff}\u{10ffff}\u{10ffff}").iter().all(|trigram| *trigram > 0),
            "three characters fit a number"
        );
    }

    #[test]
    fn block_is_a_bit_of_its_chunk() {
        let mut index = Trigrams::default();
        for block in [0, 63, 64 + 5] {
            index.add(block, "abc");
        }
        index.add(0, "abcabc");
        let abc = trigrams("abc").next().unwrap();
        let blocks = [0, 1].map(|chunk| index.rows[&(abc, chunk)]);
        assert_eq!(blocks, [1 | (1 << 63), 1 << 5]);
        assert_eq!((index.rows.len(), index.of_blocks[&0]), (4, 3), "each once");
    }

    /// Returns a text without trigrams in common with texts of other numbers.
    fn unlike(number: u32, length: u32) -> String {
        let letter = |place: u32| char::from_u32(0x4e00 + (number * 7 + place * place) % 20_000);
        (0..length).filter_map(letter).collect()
    }

    #[test]
    fn rule_1_7_3_rows_of_texts_without_common_trigrams_are_bounded() {
        let mut index = Trigrams::default();
        for number in 0..4_096_u32 {
            index.add(i64::from(number / 64), &unlike(number, 60));
        }
        let rows = index.rows.len();
        assert!((MAX_ROWS..MAX_ROWS + 256).contains(&rows), "{rows} rows");
        let any = index.rows[&(ANY_TRIGRAM, 0)];
        assert_eq!((any & 1, any >> 63), (0, 1), "the last block is compared, the first is not");
    }

    #[test]
    fn rule_1_7_3_one_block_does_not_use_up_the_rows_of_a_chunk() {
        let mut index = Trigrams::default();
        (0..64).for_each(|number| index.add(0, &unlike(number, 250)));
        let rows = index.rows.len();
        assert!((MAX_ROWS_OF_BLOCK..MAX_ROWS_OF_BLOCK + 256).contains(&rows), "{rows} rows");
        index.add(1, "lunch");
        assert_eq!(index.rows[&(ANY_TRIGRAM, 0)], 1, "the block is compared, the next is not");
    }

    #[test]
    fn rule_1_7_3_long_text_is_one_row() {
        // All trigrams differ.
        let varied = |count: u32| {
            (0..count).filter_map(|place| char::from_u32(0x4e00 + place)).collect::<String>()
        };
        assert_eq!(indexed(&varied(256)).len(), 254);
        assert_eq!(indexed(&varied(257)), [ANY_TRIGRAM]);
        assert!(
            trigrams("\u{1}\u{1}\u{1}").all(|trigram| trigram != ANY_TRIGRAM),
            "no text has the reserved trigram"
        );
    }
}
