//! What units of work add and count, held back so that a group of them is written with the statements of one: new
//! transactions, totals, events, heads. Whatever is read or changed in place makes it be written first (`Tx::conn`).

use std::collections::{BTreeMap, HashMap, HashSet};

use daybook_domain::event::Event;
use daybook_domain::id::BookId;
use daybook_domain::transaction::Transaction;

use crate::balance::{self, Cells};
use crate::conn::Conn;
use crate::error::Result;
use crate::head::{self, HeadRow};
use crate::{event, transaction};

/// New transactions held back at most, before the next unit of work of a group begins.
const MOST_HELD_BACK: usize = 2_000;
/// Bytes of text in them at most: each hashtag and remote id is a row of an index.
const MOST_TEXT: usize = 4 * 1024 * 1024;

/// A new transaction.
#[derive(Debug)]
pub(crate) struct Added {
    pub(crate) book: BookId,
    pub(crate) scale: u32,
    pub(crate) transaction: Transaction,
}

/// Rows that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    added: Vec<Added>,
    /// The remote ids of these, by book.
    remote_ids: HashSet<(BookId, String)>,
    text: usize,
    /// How totals move, by book, account and day.
    pub(crate) cells: Cells,
    pub(crate) events: Vec<Event>,
    /// Where the chains end behind these events.
    pub(crate) heads: BTreeMap<BookId, HeadRow>,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.cells.is_empty() && self.events.is_empty() && self.heads.is_empty()
    }

    /// Whether it is time to write, group or not.
    pub(crate) const fn is_large(&self) -> bool {
        self.added.len() >= MOST_HELD_BACK || self.text >= MOST_TEXT
    }

    /// Whether a new transaction of the book carries any of these remote ids.
    pub(crate) fn holds_remote_id(&self, book: BookId, remote_ids: &[&str]) -> bool {
        !self.remote_ids.is_empty() && remote_ids.iter().any(|id| self.remote_ids.contains(&(book, (*id).to_owned())))
    }

    /// Adds a new transaction.
    pub(crate) fn add(&mut self, added: Added) {
        let Added { book, transaction, .. } = &added;
        self.text = transaction
            .remote_ids
            .iter()
            .fold(self.text.saturating_add(transaction.description.len()), |sum, id| sum.saturating_add(id.len()));
        self.remote_ids.extend(transaction.remote_ids.iter().map(|id| (*book, id.clone())));
        self.added.push(added);
    }

    /// Takes what a later unit of work holds back.
    pub(crate) fn absorb(&mut self, later: Self) {
        let Self { added, remote_ids, text, cells, events, heads } = later;
        self.added.extend(added);
        self.remote_ids.extend(remote_ids);
        self.text = self.text.saturating_add(text);
        balance::merge(&mut self.cells, cells);
        self.events.extend(events);
        self.heads.extend(heads);
    }

    /// Writes everything; `known` learns where the chains end now.
    pub(crate) fn write(self, conn: &mut Conn, known: &mut HashMap<BookId, HeadRow>) -> Result<()> {
        let Self { added, remote_ids: _, text: _, cells, events, heads } = self;
        transaction::write_added(conn, &added)?;
        balance::write_cells(conn, &cells)?;
        event::write(conn, &events)?;
        head::write(conn, heads.values())?;
        known.extend(heads);
        Ok(())
    }
}
