//! The query that enters a book: the book, its state and the user's permission in one statement.

use std::cell::Cell;

use daybook_domain::book::{Book, Deletion};
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, CollectionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Permission;
use daybook_domain::property::Properties;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::row::Row;
use crate::access::BookAccess;
use crate::commit::tx::{Caches, Tx};
use crate::conn::Conn;
use crate::conn::pool::begin_on_free;
use crate::conn::sql::{Sql, Value, list};
use crate::error::{Error, Result};
use crate::replica::primary::PrimaryCheck;
use crate::rows::book_state::BookStateRow;
use crate::storage_quota::owners::{BookOwner, allowance_from_column};

/// Maximum size of the properties in a list of books (behaviour 0.33).
const MAX_LISTED_PROPERTIES: usize = 16 * 1024 * 1024;

/// The selected columns. Every request sends this query, and diesel would not keep it prepared if
/// it built it.
const ACCESS_QUERY: &str = "SELECT b.id, b.public_id, b.name, b.auto_post, b.closing_date, \
       b.lock_date, b.date_pattern, b.decimal_separator, b.fraction_digits, b.scale, b.page_size, \
       b.period, b.period_start_month, b.time_zone, b.visibility, b.properties, b.agent, \
       b.created_at, b.updated_at, b.version, b.file_secret, b.deleted_at, b.kept_until, \
       s.book_id, s.sequence, s.hash, s.changed_at, s.posted, s.month, s.month_posted, \
       s.year_posted, s.posted_months, s.chart_version, s.indexed_until_id, s.indexed_chunks, \
       s.unindexed, s.last_event_at, s.apps, s.stored_transactions, s.stored_bytes, \
       b.owner_id, u.username, u.storage_allowance, c.permission, ";

/// The number of the last event in the snapshot of the statement.
const SEEN: &str = "s.sequence AS seen FROM ";
/// Like [`SEEN`], for a statement that waits for the lock of the state.
///
/// After the wait PostgreSQL rereads only the locked row. The subquery keeps the old snapshot.
const SEEN_BEFORE_WAIT: &str = "(SELECT o.sequence FROM book_state o \
     WHERE o.book_id = {}) AS seen FROM ";
/// The joins of the tables with one row for each book.
const STATE_AND_OWNER: &str = " JOIN book_state s ON s.book_id = b.id \
     JOIN users u ON u.id = b.owner_id";
/// The join of the permission of one user, by the e-mail address.
const PERMISSION: &str = " LEFT JOIN collaborators c ON c.book_id = b.id AND c.email = {}";

/// Returns the access query for the books `b` that `books` selects.
///
/// PostgreSQL joins in the written order ([`crate::conn::planner`]), so the narrowest table must be
/// first. A query that started with `books` would scan the whole installation.
fn access_query<'a>(books: &'static str) -> Sql<'a> {
    Sql::new(ACCESS_QUERY).push(SEEN).push(books).push(STATE_AND_OWNER)
}

/// A book and the user who enters it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BookEntry<'e> {
    /// The public id of the book.
    pub(super) public_id: &'e str,
    /// The e-mail address of the user, empty for none.
    pub(super) email: &'e str,
    /// Whether to take the lock of the book.
    pub(super) lock: bool,
}

/// Returns the access query for one book.
fn of_number<'a>(number: BookId, entry: BookEntry<'a>) -> Sql<'a> {
    let BookEntry { public_id, email, lock } = entry;
    let query = Sql::new(ACCESS_QUERY);
    let seen = if lock { query.push(SEEN_BEFORE_WAIT).bind(number) } else { query.push(SEEN) };
    seen.push("books b")
        .push(STATE_AND_OWNER)
        .push(PERMISSION)
        .bind(email)
        .push(" WHERE b.id = {} AND b.public_id = {}")
        .bind((number, public_id))
        .push(if lock { " FOR UPDATE OF s" } else { "" })
}

/// The order of lists. Own books come first, so shared ones do not use up their size limit
/// (behaviour 0.33).
const OWN_FIRST: &str = " ORDER BY CASE WHEN c.permission = 'OWNER' THEN 0 ELSE 1 END, b.id";

/// Selects the books of which a user is a collaborator.
pub(crate) fn of_user(email: &Email) -> Sql<'_> {
    shared_with(email).push(" AND b.deleted_at IS NULL").push(OWN_FIRST)
}

/// Selects the deleted books of a user that can be restored.
pub(super) fn deleted_of_user(email: &Email) -> Sql<'_> {
    let deleted = " AND b.deleted_at IS NOT NULL AND b.kept_until IS NOT NULL";
    shared_with(email).push(deleted).push(OWN_FIRST)
}

/// Selects the books of a user, including deleted ones that can be restored.
pub(super) fn existing_of_user(email: &Email) -> Sql<'_> {
    let kept = " AND (b.deleted_at IS NULL OR b.kept_until IS NOT NULL)";
    shared_with(email).push(kept).push(OWN_FIRST)
}

fn shared_with(email: &Email) -> Sql<'_> {
    access_query("collaborators c JOIN books b ON b.id = c.book_id")
        .push(" WHERE c.email = {}")
        .bind(email.as_str())
}

/// Selects all deleted books, without a permission.
pub(super) fn deleted<'a>() -> Sql<'a> {
    access_query("books b")
        .push(PERMISSION)
        .bind("")
        .push(" WHERE b.deleted_at IS NOT NULL ORDER BY b.deleted_at, b.id")
}

/// Selects the books in an owner's collections, or in one of them, with a user's permission.
pub(crate) fn of_collections(owner: UserId, one: Option<CollectionId>, email: &Email) -> Sql<'_> {
    let collected = access_query("collection_books p JOIN books b ON b.id = p.book_id")
        .push(PERMISSION)
        .bind(email)
        .push(" WHERE b.deleted_at IS NULL AND p.user_id = {}")
        .bind(owner);
    match one {
        Some(one) => collected.push(" AND p.collection_id = {}").bind(one),
        None => collected,
    }
}

/// Selects the books with these public ids, with a user's permission.
pub(super) fn by_public_ids<'a>(public_ids: &'a [String], email: &'a Email) -> Sql<'a> {
    access_query("book_keys k JOIN books b ON b.id = k.book_id")
        .push(PERMISSION)
        .bind(email)
        .push(" WHERE b.deleted_at IS NULL AND k.public_id IN {}")
        .bind(list(public_ids.iter().map(|id| Value::Text(id.into()))))
        .cached_up_to(public_ids.len())
}

/// A row of the access query.
#[derive(QueryableByName)]
pub(super) struct AccessRow {
    #[diesel(embed)]
    own: Row,
    #[diesel(embed)]
    state: BookStateRow,
    #[diesel(sql_type = BigInt)]
    owner_id: i64,
    #[diesel(sql_type = Text)]
    username: String,
    #[diesel(sql_type = Nullable<Text>)]
    storage_allowance: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    permission: Option<String>,
    #[diesel(sql_type = BigInt)]
    seen: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    deleted_at: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    kept_until: Option<i64>,
}

impl AccessRow {
    /// Returns whether the book changed while the statement waited for its lock.
    pub(super) const fn is_stale(&self) -> bool {
        self.seen != self.state.sequence
    }

    /// Returns whether the row of the primary agrees about the caller's access.
    ///
    /// Without stale reads, the state of the book must be equal, too. With stale reads it may be
    /// older, but never one that the primary does not have.
    fn is_confirmed_by(&self, primary: &Self, stale_reads: bool) -> bool {
        let has_same_access = self.owner_id == primary.owner_id
            && self.deleted_at == primary.deleted_at
            && self.kept_until == primary.kept_until
            && self.permission == primary.permission
            && self.own.visibility() == primary.own.visibility();
        let is_behind = self.state.sequence < primary.state.sequence;
        let is_current = self.state.sequence == primary.state.sequence
            && self.state.hash == primary.state.hash
            && self.state.chart_version == primary.state.chart_version
            && self.username == primary.username;
        has_same_access && (is_current || stale_reads && is_behind)
    }

    const fn number(&self) -> BookId {
        BookId::new(self.state.book_id)
    }

    pub(super) fn owner(&self) -> Result<BookOwner> {
        let allowance = allowance_from_column(self.storage_allowance.clone())?;
        Ok(BookOwner { id: UserId::new(self.owner_id), allowance: Some(allowance) })
    }

    /// Converts the row.
    pub(super) fn into_access(self) -> Result<(BookAccess, BookStateRow)> {
        let Self {
            own,
            state,
            owner_id: _,
            username,
            storage_allowance: _,
            permission,
            seen: _,
            deleted_at,
            kept_until,
        } = self;
        let granted = permission
            .map(|name| Permission::from_name(&name).ok_or(Error::Corrupt("permission")))
            .transpose()?;
        let book = own.into_book(username)?;
        let deletion = deleted_at.map(|at| Deletion {
            deleted_at: Instant::new(at),
            kept_until: kept_until.map(Instant::new),
        });
        Ok((BookAccess { book, granted, counters: state.counters(), deletion }, state))
    }
}

impl Tx<'_> {
    /// On a replica, fails if the primary disagrees about the caller's access to a book.
    ///
    /// A user who has just lost access must not read anything.
    pub(super) fn confirm_access(
        &mut self,
        entry: BookEntry<'_>,
        found: Option<&AccessRow>,
    ) -> Result<()> {
        let Some(primary) = &mut self.primary else { return Ok(()) };
        let entry = BookEntry { lock: false, ..entry };
        let known = on_primary(primary, |tx| match found {
            Some(found) => tx.load_numbered_access(found.number(), entry),
            None => tx.load_access(entry),
        })?;
        let confirmed = match (found, &known) {
            (Some(found), Some(known)) => found.is_confirmed_by(known, primary.stale_reads),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        };
        primary.confirmed = confirmed;
        if confirmed { Ok(()) } else { Err(Error::Behind) }
    }

    /// Loads the book with a public id as a user enters it.
    pub(super) fn load_access(&mut self, entry: BookEntry<'_>) -> Result<Option<AccessRow>> {
        let BookEntry { public_id, .. } = entry;
        let Some(number) = self.book_number(public_id)? else { return Ok(None) };
        if let Some(row) = self.load_numbered_access(number, entry)? {
            return Ok(Some(row));
        }
        // The cached number may belong to a book that was removed.
        self.book_numbers().remove(public_id);
        let Some(number) = self.book_number(public_id)? else { return Ok(None) };
        self.load_numbered_access(number, entry)
    }

    /// Loads the book with a number as a user enters it.
    fn load_numbered_access(
        &mut self,
        number: BookId,
        entry: BookEntry<'_>,
    ) -> Result<Option<AccessRow>> {
        let query = of_number(number, entry);
        let mut conn = self.unflushed()?;
        if entry.lock { Ok(conn.load_locked(&query)?.pop()) } else { conn.first(&query) }
    }

    /// Loads several books. Properties beyond the limit of a list are empty (behaviour 0.33).
    ///
    /// On a replica it fails, because replicas do not serve lists of books.
    pub(super) fn load_accesses(&mut self, query: &Sql<'_>) -> Result<Vec<BookAccess>> {
        let found = self.load_accesses_with(query, |_| ())?;
        Ok(found.into_iter().map(|(access, ())| access).collect())
    }

    /// Loads several books, each with a value computed from the book with all its properties.
    pub(super) fn load_accesses_with<T>(
        &mut self,
        query: &Sql<'_>,
        compute: impl Fn(&Book) -> T,
    ) -> Result<Vec<(BookAccess, T)>> {
        if self.primary.is_some() {
            return Err(Error::Behind);
        }
        let remaining = Cell::new(MAX_LISTED_PROPERTIES);
        let part = self.flushed()?.load_part(query, usize::MAX, |row: AccessRow| {
            let (mut access, _) = row.into_access()?;
            let value = compute(&access.book);
            let properties = &mut access.book.settings.properties;
            match remaining.get().checked_sub(properties.bytes()) {
                Some(rest) => remaining.set(rest),
                None => *properties = Properties::default(),
            }
            Ok(((access, value), 0))
        })?;
        Ok(part.rows)
    }
}

/// Runs statements on the primary, without a common snapshot.
fn on_primary<T>(primary: &PrimaryCheck, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
    let mut reader = begin_on_free(&primary.readers, Conn::ping)?;
    work(&mut Tx::reading(&mut reader.conn, Caches::default(), None))
}
