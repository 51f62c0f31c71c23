//! The way into a book: the book, its state and what the user may do, in one statement.

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
use crate::book_state::BookStateRow;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::{Sql, Value};
use crate::storage_quota::allowance;
use crate::stored::BookOwner;
use crate::tx::Tx;

/// Bytes of the properties that a list of books shows (behaviour 0.33).
const MAX_LISTED_PROPERTIES: usize = 16 * 1024 * 1024;

/// Every request sends it, so it is written out: diesel does not keep its own form of it prepared.
const ACCESS_QUERY: &str = "SELECT b.id, b.public_id, b.name, b.auto_post, b.closing_date, \
       b.lock_date, b.date_pattern, b.decimal_separator, b.fraction_digits, b.scale, b.page_size, \
       b.period, b.period_start_month, b.time_zone, b.visibility, b.properties, b.agent, \
       b.created_at, b.updated_at, b.version, b.file_secret, b.deleted_at, b.kept_until, \
       s.book_id, s.sequence, s.hash, s.changed_at, s.posted, s.month, s.month_posted, \
       s.year_posted, s.posted_months, s.chart_version, s.indexed_until_id, s.indexed_chunks, \
       s.unindexed, s.last_event_at, s.apps, s.stored_transactions, s.stored_bytes, \
       b.owner_id, u.username, u.storage_allowance, c.permission, ";

/// The number of the last event, as the statement's snapshot has it.
const SEEN: &str = "s.sequence AS seen FROM ";
/// The same where the statement also waits for the lock of the state's row: PostgreSQL reads that
/// row anew then, and nothing else.
const SEEN_BEFORE_THE_WAIT: &str = "(SELECT o.sequence FROM book_state o WHERE o.book_id = ";
/// The tables that have one row for each book.
const STATE_AND_OWNER: &str = " JOIN book_state s ON s.book_id = b.id \
     JOIN users u ON u.id = b.owner_id";
/// The permission of one user; the e-mail address is added behind it.
const PERMISSION: &str = " LEFT JOIN collaborators c ON c.book_id = b.id AND c.email = ";

/// The access query for the books that `books` finds, as `b`. PostgreSQL joins in the order that is
/// written (`planner.rs`), so what narrows most stands there first: a statement that begins with
/// all books reads the whole installation.
fn access_query<'a>(books: &'static str) -> Sql<'a> {
    Sql::new(ACCESS_QUERY).push(SEEN).push(books).push(STATE_AND_OWNER)
}

/// The access query for one book; with `lock` it takes the book's lock.
fn of_number<'a>(number: BookId, (public_id, email): (&'a str, &'a str), lock: bool) -> Sql<'a> {
    let seen = if lock {
        let before = Sql::new(ACCESS_QUERY).push(SEEN_BEFORE_THE_WAIT).int(number.get());
        before.push(") AS seen FROM ")
    } else {
        Sql::new(ACCESS_QUERY).push(SEEN)
    };
    seen.push("books b")
        .push(STATE_AND_OWNER)
        .push(PERMISSION)
        .text(email)
        .push(" WHERE b.id = ")
        .int(number.get())
        .push(" AND b.public_id = ")
        .text(public_id)
        .push(if lock { " FOR UPDATE OF s" } else { "" })
}

/// The order of lists: what others share takes no room from somebody's own books (behaviour 0.33).
const OWN_FIRST: &str = " ORDER BY CASE WHEN c.permission = 'OWNER' THEN 0 ELSE 1 END, b.id";

/// The books somebody is a collaborator of.
pub(crate) fn of_user(email: &Email) -> Sql<'_> {
    shared_with(email).push(" AND b.deleted_at IS NULL").push(OWN_FIRST)
}

/// The deleted books that somebody was a collaborator of, and that wait.
pub(super) fn deleted_of_user(email: &Email) -> Sql<'_> {
    let deleted = " AND b.deleted_at IS NOT NULL AND b.kept_until IS NOT NULL";
    shared_with(email).push(deleted).push(OWN_FIRST)
}

/// The books of both, in one statement.
pub(super) fn kept_of_user(email: &Email) -> Sql<'_> {
    let kept = " AND (b.deleted_at IS NULL OR b.kept_until IS NOT NULL)";
    shared_with(email).push(kept).push(OWN_FIRST)
}

fn shared_with(email: &Email) -> Sql<'_> {
    access_query("collaborators c JOIN books b ON b.id = c.book_id")
        .push(" WHERE c.email = ")
        .text(email.as_str())
}

/// All deleted books, as nobody enters them.
pub(super) fn deleted<'a>() -> Sql<'a> {
    access_query("books b")
        .push(PERMISSION)
        .text("")
        .push(" WHERE b.deleted_at IS NOT NULL ORDER BY b.deleted_at, b.id")
}

/// The books in an owner's collections, or in one of them, as a user enters them.
pub(crate) fn of_collections(owner: UserId, one: Option<CollectionId>, email: &Email) -> Sql<'_> {
    let collected = access_query("collection_books p JOIN books b ON b.id = p.book_id")
        .push(PERMISSION)
        .text(email.as_str())
        .push(" WHERE b.deleted_at IS NULL AND p.user_id = ")
        .int(owner.get());
    match one {
        Some(one) => collected.push(" AND p.collection_id = ").int(one.get()),
        None => collected,
    }
}

/// The books with these public ids, as a user enters them.
pub(super) fn by_public_ids<'a>(public_ids: &'a [String], email: &'a Email) -> Sql<'a> {
    access_query("book_keys k JOIN books b ON b.id = k.book_id")
        .push(PERMISSION)
        .text(email.as_str())
        .push(" WHERE b.deleted_at IS NULL AND k.public_id IN ")
        .list(public_ids.iter().map(|id| Value::Text(id.into())))
        .cached_up_to(public_ids.len())
}

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
    /// Whether somebody else changed the book while the statement waited for its lock.
    pub(super) const fn is_stale(&self) -> bool {
        self.seen != self.state.sequence
    }

    /// Whether the primary, which `knows` the same book, says the same of the caller, and of the
    /// book nothing newer. Stale reads may miss what was written since, but never show what the
    /// primary does not have.
    fn is_confirmed_by(&self, knows: &Self, stale_reads: bool) -> bool {
        let who = |row: &Self| (row.owner_id, row.deleted_at, row.kept_until);
        let may = |row: &Self| (row.permission.clone(), row.own.visibility().to_owned());
        let book =
            |row: &Self| (row.state.sequence, row.state.hash.clone(), row.state.chart_version);
        let is_behind = self.state.sequence < knows.state.sequence;
        (who(self), may(self)) == (who(knows), may(knows))
            && (stale_reads && is_behind
                || book(self) == book(knows) && self.username == knows.username)
    }

    const fn number(&self) -> BookId {
        BookId::new(self.state.book_id)
    }

    /// Who owns the book.
    pub(super) fn owner(&self) -> Result<BookOwner> {
        let allowance = allowance(self.storage_allowance.clone())?;
        Ok(BookOwner { id: UserId::new(self.owner_id), allowance: Some(allowance) })
    }

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
        Ok((BookAccess { book, granted, activity: state.activity(), deletion }, state))
    }
}

impl Tx<'_> {
    /// On a replica, refuses to go on where the primary knows anything else of a caller in a book:
    /// whoever has just lost access reads nothing.
    pub(super) fn confirm_access(
        &mut self,
        place: (&str, &str),
        found: Option<&AccessRow>,
    ) -> Result<()> {
        let Some(primary) = &mut self.primary else { return Ok(()) };
        let known = primary.ask(|tx| match found {
            Some(found) => tx.load_numbered_access(found.number(), place, false),
            None => tx.load_access(place, false),
        })?;
        let confirmed = match (found, &known) {
            (Some(found), Some(known)) => found.is_confirmed_by(known, primary.stale_reads),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        };
        primary.confirmed = confirmed;
        if confirmed { Ok(()) } else { Err(Error::Behind) }
    }

    /// The book with this public id as a user enters it; with `lock` it takes the book's lock.
    pub(super) fn load_access(
        &mut self,
        place: (&str, &str),
        lock: bool,
    ) -> Result<Option<AccessRow>> {
        let (public_id, _) = place;
        let Some(number) = self.book_number(public_id)? else { return Ok(None) };
        if let Some(row) = self.load_numbered_access(number, place, lock)? {
            return Ok(Some(row));
        }
        // What was remembered may be the number of a book that is gone.
        self.book_numbers().forget(public_id);
        let Some(number) = self.book_number(public_id)? else { return Ok(None) };
        self.load_numbered_access(number, place, lock)
    }

    /// The same where the number is known.
    fn load_numbered_access(
        &mut self,
        number: BookId,
        place: (&str, &str),
        lock: bool,
    ) -> Result<Option<AccessRow>> {
        let query = of_number(number, place, lock);
        let rows: QueryResult<Vec<AccessRow>> =
            on_engine!(self.unflushed()?, c => (&query).load(c));
        let rows = if lock { rows.map_err(Error::of_waiting)? } else { rows? };
        Ok(rows.into_iter().next())
    }

    /// Several books as a user enters them, with their properties as far as these have room in a
    /// list (behaviour 0.33). Replicas are not asked for lists of books.
    pub(super) fn load_accesses(&mut self, query: &Sql<'_>) -> Result<Vec<BookAccess>> {
        let found = self.load_accesses_and(query, |_| ())?;
        Ok(found.into_iter().map(|(access, ())| access).collect())
    }

    /// As [`Tx::load_accesses`], with what each whole book looks like.
    pub(super) fn load_accesses_and<T>(
        &mut self,
        query: &Sql<'_>,
        look: impl Fn(&Book) -> T,
    ) -> Result<Vec<(BookAccess, T)>> {
        if self.primary.is_some() {
            return Err(Error::Behind);
        }
        let left = Cell::new(MAX_LISTED_PROPERTIES);
        let part = self.flushed()?.load_part(query, usize::MAX, |row: AccessRow| {
            let (mut access, _) = row.into_access()?;
            let seen = look(&access.book);
            let properties = &mut access.book.settings.properties;
            match left.get().checked_sub(properties.bytes()) {
                Some(rest) => left.set(rest),
                None => *properties = Properties::default(),
            }
            Ok(((access, seen), 0))
        })?;
        Ok(part.rows)
    }
}
