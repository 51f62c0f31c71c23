//! The trigram index of descriptions: it narrows down where a text may occur, and never decides
//! whether it does.
//!
//! Transactions are indexed 4,096 at a time, in the order of their ids: a *chunk* of 64 *blocks* of
//! 64. For each trigram (three characters in a row of a folded description) and chunk there is one
//! row, whose 64 bits say in which blocks the trigram occurs. A search reads the rows of its
//! trigrams (`candidate_blocks.rs`), joins their bitmaps by AND, and compares the texts of the
//! blocks that are left. The transactions behind the last chunk, the *tail*, are compared without
//! an index.
//!
//! So recording a transaction writes nothing here. Behind every 4,096th its chunk is written, with
//! a row for each trigram that occurs in it, in a unit of work of its own (`chunk_jobs.rs`). A text
//! that changes adds its trigrams to its block and takes none away: a bit too many costs a
//! comparison and changes no result.
//!
//! Long texts are not indexed: each has thousands of trigrams, and a chunk of them would be
//! millions of rows in one unit of work. One row notes that a block has a long text, and that block
//! is compared whatever a search asks for. So it is with texts that come when a unit of work has
//! many rows already, because they have hardly a trigram in common (behaviour 1.7.3).

use std::collections::HashMap;

use daybook_domain::book::Book;
use daybook_domain::id::BookId;
use daybook_domain::name::fold;
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::Change;
use crate::book_state::BookStateRow;
use crate::bulk::Bulk;
use crate::conn::{Conn, on_engine};
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::sql::{Sql, Value};
use crate::tx::{Caches, Flushed, Tx};

/// Transactions in a block.
const TRANSACTIONS_PER_BLOCK: usize = 64;
/// Blocks in a chunk: the bits of a number.
pub(super) const BLOCKS_PER_CHUNK: i64 = 64;
/// Transactions in a chunk.
const TRANSACTIONS_PER_CHUNK: i64 = 4_096;

impl BookStateRow {
    /// Whether a chunk of transactions waits to be indexed.
    const fn has_chunk(&self) -> bool {
        self.unindexed >= TRANSACTIONS_PER_CHUNK
    }
}

/// Characters of the longest folded text whose trigrams are indexed.
pub(super) const MAX_INDEXED_CHARS: usize = 256;
/// Stands for every trigram of a longer text. No text has it: they hold no NUL (behaviour 0.23).
pub(super) const ANY_TRIGRAM: i64 = 0;

/// Rows of the index behind which a chunk takes further texts for long ones. A chunk of what people
/// write in letters has fewer, one of short texts without a word in common a million. Each is on a
/// page of its own, as trigrams come.
const MAX_ROWS: usize = 64 * 1024;
/// The same for texts that change, which other work of the request comes on top of.
const MAX_CHANGED_ROWS: usize = 32 * 1024;
/// Different trigrams behind which a block does so: no few texts take the rows of a chunk.
const MAX_ROWS_OF_BLOCK: usize = 4 * 1024;

const INSERT_TRIGRAMS: &str = "INSERT INTO trigrams (book_id, trigram, chunk, block_bitmap)";
const OR_ADD_BITS: &str = " ON CONFLICT (book_id, trigram, chunk) \
     DO UPDATE SET block_bitmap = trigrams.block_bitmap | excluded.block_bitmap";
const INSERT_BLOCKS: &str = "INSERT INTO trigram_blocks (book_id, block, after_id, last_id)";

/// How far the texts of a book are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// The id of the last transaction in a chunk.
    pub(super) until: i64,
    /// How many chunks there are.
    pub(super) chunks: i64,
}

impl Extent {
    /// How many blocks there are.
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

/// Rows of the index: for each trigram and chunk the blocks it occurs in.
#[derive(Debug)]
struct Trigrams {
    rows: HashMap<(i64, i64), u64>,
    most: usize,
    /// How many there are of each block.
    of_blocks: HashMap<i64, usize>,
}

impl Trigrams {
    fn up_to(most: usize) -> Self {
        Self { rows: HashMap::new(), most, of_blocks: HashMap::new() }
    }

    fn add(&mut self, block: i64, text: &str) {
        let bit = u32::try_from(block.rem_euclid(BLOCKS_PER_CHUNK)).unwrap_or_default();
        let of_block = self.of_blocks.entry(block).or_default();
        let is_full = self.rows.len() >= self.most || *of_block >= MAX_ROWS_OF_BLOCK;
        for trigram in if is_full { vec![ANY_TRIGRAM] } else { indexed(text) } {
            let bits = self.rows.entry((trigram, block.div_euclid(BLOCKS_PER_CHUNK))).or_default();
            let with_block = *bits | (1_u64 << bit);
            *of_block = of_block.saturating_add(usize::from(with_block != *bits));
            *bits = with_block;
        }
    }

    fn write(self, conn: &mut Flushed<'_>, book: BookId, conflict: &'static str) -> Result<()> {
        let mut trigrams: Vec<_> = self.rows.into_iter().collect();
        // In key order an engine adds them at one place of its tree after the other.
        trigrams.sort_unstable();
        let mut rows = Bulk::new(INSERT_TRIGRAMS, 4, conflict);
        for ((trigram, chunk), bitmap) in trigrams {
            rows.row([book.get(), trigram, chunk, bitmap.cast_signed()].map(Value::Int));
        }
        Ok(conn.write(rows)?)
    }
}

/// What the index holds of a folded text.
pub(super) fn indexed(text: &str) -> Vec<i64> {
    let long = text.chars().nth(MAX_INDEXED_CHARS).is_some();
    if long { vec![ANY_TRIGRAM] } else { trigrams(text).collect() }
}

/// The trigrams of a folded text, each three characters of 21 bits, as often as they occur.
pub(super) fn trigrams(text: &str) -> impl Iterator<Item = i64> {
    let codes = || text.chars().map(|c| i64::from(u32::from(c)));
    codes().zip(codes().skip(1)).zip(codes().skip(2)).map(|((a, b), c)| (a << 42) | (b << 21) | c)
}

impl Tx<'_> {
    /// How far the texts of an entered book are indexed.
    pub(super) fn trigram_extent(&self, book: BookId) -> Result<Extent> {
        let state = self.book_state(book).ok_or(Error::Corrupt("book_state"))?;
        Ok(Extent { until: state.indexed_until_id, chunks: state.indexed_chunks })
    }

    /// Takes note of new transactions: late ones within the chunks, and how many stand behind them.
    pub(super) fn index_added(
        &mut self,
        book: &Book,
        late: &[FoldedText],
        behind: usize,
    ) -> Result<()> {
        let state = self.queued_book_state(book.id)?;
        state.unindexed = state.unindexed.saturating_add(i64::try_from(behind).unwrap_or_default());
        self.note_unindexed(book);
        self.index_within(book.id, late)
    }

    /// Notes that a chunk waits to be indexed, if there are enough transactions.
    fn note_unindexed(&mut self, book: &Book) {
        if self.book_state(book.id).is_some_and(BookStateRow::has_chunk) {
            self.unindexed.insert(book.key.as_str().to_owned());
        }
    }

    /// Indexes the next chunk of a book, if there is one and the book is there.
    pub(super) fn index_next(&mut self, public_id: &str) -> Result<()> {
        // For nobody: what counts is the book's lock and its state.
        let Some(access) = self.books().load_for_nobody(public_id)? else { return Ok(()) };
        // Another process may have been faster.
        if self.book_state(access.book.id).is_some_and(BookStateRow::has_chunk) {
            self.index_chunk(access.book.id)?;
            self.note_unindexed(&access.book);
        }
        Ok(())
    }

    /// Takes note of changed texts.
    pub(super) fn index_changed(&mut self, book: BookId, changes: &[Change]) -> Result<()> {
        let until = self.trigram_extent(book)?.until;
        let other = |change: &&Change| {
            change
                .before
                .as_ref()
                .is_none_or(|before| before.description != change.after.description)
        };
        let changed = changes
            .iter()
            .filter(other)
            .map(|change| &change.after)
            .filter(|after| after.id.get() <= until);
        self.index_within(book, &changed.map(FoldedText::of).collect::<Vec<_>>())
    }

    /// Adds the texts of transactions that lie within the chunks to their blocks.
    fn index_within(&mut self, book: BookId, texts: &[FoldedText]) -> Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        let ids = texts.iter().map(|text| [Value::Int(text.id)]);
        let (blocks, _) = Sql::new("WITH v (id) AS (VALUES ").rows(ids);
        let blocks = blocks
            .push(
                ") SELECT v.id, \
                 (SELECT b.block FROM trigram_blocks b WHERE b.book_id = ",
            )
            .int(book.get())
            .push(" AND b.last_id >= v.id ORDER BY b.last_id LIMIT 1) AS block FROM v")
            .uncached();
        let rows: Vec<BlockOf> = on_engine!(self.flushed()?, c => (&blocks).load(c))?;
        let blocks: HashMap<i64, i64> = rows.into_iter().map(|row| (row.id, row.block)).collect();
        let mut added = Trigrams::up_to(MAX_CHANGED_ROWS);
        for FoldedText { id, folded } in texts {
            added.add(*blocks.get(id).ok_or(Error::Corrupt("trigram_blocks"))?, folded);
        }
        added.write(&mut self.flushed()?, book, OR_ADD_BITS)
    }

    /// The query for the folded texts of the transactions of a book behind an id. A long text is
    /// read only so far that its length shows.
    pub(super) fn folded_texts(&self, book: BookId, after: i64) -> Sql<'static> {
        let (text, length) = (self.folded_description(), MAX_INDEXED_CHARS.saturating_add(1));
        Sql::new("SELECT t.id, ")
            .push(format!("SUBSTR({text}, 1, {length}) AS folded_description"))
            .push(" FROM transactions t WHERE t.book_id = ")
            .int(book.get())
            .push(" AND t.id > ")
            .int(after)
    }

    /// Indexes the next chunk.
    fn index_chunk(&mut self, book: BookId) -> Result<()> {
        let extent = self.trigram_extent(book)?;
        let texts = self.folded_texts(book, extent.until).push(" ORDER BY t.id LIMIT ");
        let next = texts.int(TRANSACTIONS_PER_CHUNK);
        let texts: Vec<TextRow> = on_engine!(self.flushed()?, c => (&next).load(c))?;
        let found = i64::try_from(texts.len()).unwrap_or(i64::MAX);
        if found < TRANSACTIONS_PER_CHUNK {
            // The others are being removed, with the book.
            self.queued_book_state(book)?.unindexed = found;
            return Ok(());
        }
        let mut index = Trigrams::up_to(MAX_ROWS);
        let mut bounds = Bulk::new(INSERT_BLOCKS, 4, "");
        let mut until = extent.until;
        for (rows, block) in texts.chunks(TRANSACTIONS_PER_BLOCK).zip(extent.blocks()..) {
            rows.iter().for_each(|row| index.add(block, &row.folded_description));
            let last = rows.last().map_or(until, |row| row.id);
            bounds.row([book.get(), block, until, last].map(Value::Int));
            until = last;
        }
        index.write(&mut self.flushed()?, book, "")?;
        self.flushed()?.write(bounds)?;
        let state = self.queued_book_state(book)?;
        state.indexed_until_id = until;
        state.indexed_chunks = state.indexed_chunks.saturating_add(1);
        state.unindexed = state.unindexed.saturating_sub(found);
        Ok(())
    }
}

/// Indexes the chunks that are missing, before anyone is served: one in each unit of work, so that
/// it may be stopped and goes on at the next start.
pub(crate) fn catch_up(conn: &mut Conn) -> Result<()> {
    loop {
        conn.begin(Mode::Write)?;
        let mut tx = Tx::writing(conn, Caches::default());
        tx.begin()?;
        let waiting = Sql::new(
            "SELECT b.public_id \
             FROM book_state s JOIN books b ON b.id = s.book_id \
             WHERE (b.deleted_at IS NULL OR b.kept_until IS NOT NULL) AND s.unindexed >= ",
        )
        .int(TRANSACTIONS_PER_CHUNK)
        .push(" LIMIT 1");
        let books: Vec<UnindexedBook> = on_engine!(tx.flushed()?, c => (&waiting).load(c))?;
        let Some(UnindexedBook { public_id }) = books.into_iter().next() else {
            return tx.abandon();
        };
        tx.index_next(&public_id)?;
        tx.keep_unit()?;
        tx.finish(|| false)?;
    }
}

#[derive(QueryableByName)]
struct BlockOf {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    block: i64,
}

#[derive(QueryableByName)]
pub(super) struct TextRow {
    #[diesel(sql_type = BigInt)]
    pub(super) id: i64,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(super) folded_description: String,
}

#[derive(QueryableByName)]
struct UnindexedBook {
    #[diesel(sql_type = diesel::sql_types::Text)]
    public_id: String,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn trigrams_of_a_part_are_among_those_of_the_whole() {
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
    fn a_block_is_a_bit_of_its_chunk() {
        let mut index = Trigrams::up_to(MAX_ROWS);
        for block in [0, 63, 64 + 5] {
            index.add(block, "abc");
        }
        index.add(0, "abcabc");
        let abc = trigrams("abc").next().unwrap();
        let blocks = [0, 1].map(|chunk| index.rows[&(abc, chunk)]);
        assert_eq!(blocks, [1 | (1 << 63), 1 << 5]);
        assert_eq!((index.rows.len(), index.of_blocks[&0]), (4, 3), "each once");
    }

    /// A text that has no trigram in common with those of other numbers.
    fn unlike(number: u32, length: u32) -> String {
        let letter = |place: u32| char::from_u32(0x4e00 + (number * 7 + place * place) % 20_000);
        (0..length).filter_map(letter).collect()
    }

    #[test]
    fn rule_1_7_3_texts_without_a_word_in_common_have_a_bound() {
        let mut index = Trigrams::up_to(MAX_ROWS);
        for number in 0..4_096_u32 {
            index.add(i64::from(number / 64), &unlike(number, 60));
        }
        let rows = index.rows.len();
        assert!((MAX_ROWS..MAX_ROWS + 256).contains(&rows), "{rows} rows");
        let any = index.rows[&(ANY_TRIGRAM, 0)];
        assert_eq!((any & 1, any >> 63), (0, 1), "the last block is compared, the first is not");
    }

    #[test]
    fn rule_1_7_3_few_texts_do_not_take_the_rows_of_a_chunk() {
        let mut index = Trigrams::up_to(MAX_ROWS);
        (0..64).for_each(|number| index.add(0, &unlike(number, 250)));
        let rows = index.rows.len();
        assert!((MAX_ROWS_OF_BLOCK..MAX_ROWS_OF_BLOCK + 256).contains(&rows), "{rows} rows");
        index.add(1, "lunch");
        assert_eq!(index.rows[&(ANY_TRIGRAM, 0)], 1, "the block is compared, the next is not");
    }

    #[test]
    fn rule_1_7_3_a_long_text_is_one_row() {
        // Every trigram of it is another one.
        let varied = |count: u32| {
            (0..count).filter_map(|place| char::from_u32(0x4e00 + place)).collect::<String>()
        };
        assert_eq!(indexed(&varied(256)).len(), 254);
        assert_eq!(indexed(&varied(257)), [ANY_TRIGRAM]);
        assert!(
            trigrams("\u{1}\u{1}\u{1}").all(|trigram| trigram != ANY_TRIGRAM),
            "no text has the trigram that stands for all"
        );
    }
}
