//! Books: rows and repository, and the way into a book.

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::{Book, Period, Settings, StartMonth, Visibility};
use daybook_domain::calendar::DatePattern;
use daybook_domain::event::Hash;
use daybook_domain::id::{BookId, BookKey, CollectionId, UserId};
use daybook_domain::name::Name;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::{DeleteBook, UpdateBook};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::access::{AccessTo, BookAccess};
use crate::book_state::BookStateRow;
use crate::column;
use crate::conn::on_each;
use crate::error::{Error, Result};
use crate::schema::books;
use crate::sql::{Sql, Value};
use crate::tx::Tx;

#[derive(QueryableByName, Insertable, AsChangeset)]
#[diesel(table_name = books, treat_none_as_default_value = false, treat_none_as_null = true)]
struct Settled {
    name: String,
    auto_post: bool,
    closing_date: Option<i32>,
    lock_date: Option<i32>,
    date_pattern: String,
    decimal_separator: String,
    fraction_digits: i32,
    scale: i32,
    page_size: i32,
    period: String,
    period_start_month: String,
    time_zone: String,
    visibility: String,
    properties: Option<String>,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

#[derive(QueryableByName)]
#[diesel(table_name = books)]
struct Row {
    id: i64,
    public_id: String,
    #[diesel(embed)]
    settled: Settled,
}

impl Row {
    fn into_book(self, owner_name: String) -> Result<Book> {
        let Self { id, public_id, settled } = self;
        let scale = u32::try_from(settled.scale).map_err(|_| Error::Broken("scale"))?;
        let stamp = column::stamp(
            settled.agent.clone(),
            settled.created_at,
            settled.updated_at,
            settled.version,
        );
        Ok(Book {
            id: BookId::new(id),
            key: BookKey::new(public_id),
            owner_name,
            settings: settled.into_settings()?,
            scale,
            stamp,
        })
    }
}

impl Settled {
    fn into_settings(self) -> Result<Settings> {
        let day = |day: Option<i32>, column| {
            day.map(|day| column::day_from_column(day, column)).transpose()
        };
        Ok(Settings {
            name: Name::stored(self.name),
            auto_post: self.auto_post,
            closing_date: day(self.closing_date, "closing_date")?,
            lock_date: day(self.lock_date, "lock_date")?,
            date_pattern: DatePattern::from_name(&self.date_pattern)
                .ok_or(Error::Broken("date_pattern"))?,
            decimal_separator: DecimalSeparator::from_name(&self.decimal_separator)
                .ok_or(Error::Broken("decimal_separator"))?,
            fraction_digits: u32::try_from(self.fraction_digits)
                .map_err(|_| Error::Broken("fraction_digits"))?,
            page_size: self.page_size,
            period: Period::from_name(&self.period).ok_or(Error::Broken("period"))?,
            period_start_month: StartMonth::from_name(&self.period_start_month)
                .ok_or(Error::Broken("period_start_month"))?,
            time_zone: self.time_zone,
            visibility: Visibility::from_name(&self.visibility)
                .ok_or(Error::Broken("visibility"))?,
            properties: column::properties_from_text(self.properties)?,
        })
    }

    fn of(book: &Book) -> Result<Self> {
        let Settings {
            name,
            auto_post,
            closing_date,
            lock_date,
            date_pattern,
            decimal_separator,
            fraction_digits,
            page_size,
            period,
            period_start_month,
            time_zone,
            visibility,
            properties,
        } = &book.settings;
        Ok(Self {
            name: name.as_str().to_owned(),
            auto_post: *auto_post,
            closing_date: closing_date.map(column::day_to_column),
            lock_date: lock_date.map(column::day_to_column),
            date_pattern: date_pattern.as_str().to_owned(),
            decimal_separator: decimal_separator.as_str().to_owned(),
            fraction_digits: i32::try_from(*fraction_digits)
                .map_err(|_| Error::Broken("fraction_digits"))?,
            scale: i32::try_from(book.scale).map_err(|_| Error::Broken("scale"))?,
            page_size: *page_size,
            period: period.as_str().to_owned(),
            period_start_month: period_start_month.as_str().to_owned(),
            time_zone: time_zone.clone(),
            visibility: visibility.as_str().to_owned(),
            properties: column::properties_to_text(properties),
            agent: book.stamp.agent.clone(),
            created_at: book.stamp.created_at.milliseconds(),
            updated_at: book.stamp.updated_at.milliseconds(),
            version: book.stamp.version,
        })
    }
}

/// Everything that is asked at the door, in one statement. It is written out because diesel does
/// not keep its own form of it prepared, and every request asks it.
const ACCESS_QUERY: &str = "SELECT b.id, b.public_id, b.name, b.auto_post, b.closing_date, b.lock_date, \
    b.date_pattern, b.decimal_separator, \
    b.fraction_digits, b.scale, b.page_size, b.period, b.period_start_month, b.time_zone, \
    b.visibility, b.properties, b.agent, \
    b.created_at, b.updated_at, b.version, h.book_id, h.sequence, h.hash, h.changed_at, h.posted, \
    h.month, h.month_posted, \
    h.year_posted, h.chart_version, h.indexed_until_id, h.indexed_chunks, h.unindexed, h.last_event_at, u.username, \
    c.permission, ";

/// The number of the last event, as the statement's snapshot has it.
const SEEN: &str = "h.sequence AS seen FROM ";
/// The same where the statement also waits for the row of the head: PostgreSQL reads that row anew
/// then, and nothing else.
const SEEN_BEFORE_THE_WAIT: &str =
    "(SELECT s.sequence FROM book_state s WHERE s.book_id = b.id) AS seen FROM ";
/// What belongs to a book, one row each.
const BELONGING: &str = " JOIN book_state h ON h.book_id = b.id JOIN users u ON u.id = b.owner_id";

/// The door of the books that `books` finds, as `b`. PostgreSQL joins in the order that is written
/// (`dialect.rs`), so what narrows most stands there first: who begins with all books reads the
/// whole installation.
fn door<'a>(seen: &'static str, books: &'static str) -> Sql<'a> {
    Sql::new(ACCESS_QUERY).push(seen).push(books).push(BELONGING)
}

/// The accesses of the books somebody is a collaborator of.
fn doors_of_user(email: &str) -> Sql<'_> {
    door(SEEN, "collaborators c JOIN books b ON b.id = c.book_id")
        .push(" WHERE c.email = ")
        .text(email)
}

/// The accesses of the books in an owner's collections, or in one of them, as a user meets them.
fn doors_of_collections(owner: UserId, one: Option<CollectionId>, email: &str) -> Sql<'_> {
    let door =
        door(SEEN, "collection_books p JOIN books b ON b.id = p.book_id").push(ALLOWED).text(email);
    let inside = door.push(" WHERE p.user_id = ").int(owner.get());
    match one {
        Some(one) => inside.push(" AND p.collection_id = ").int(one.get()),
        None => inside,
    }
}

/// Completed by whose the permission is.
const ALLOWED: &str = " LEFT JOIN collaborators c ON c.book_id = b.id AND c.email = ";

#[derive(QueryableByName)]
struct AccessRow {
    #[diesel(embed)]
    own: Row,
    #[diesel(embed)]
    head: BookStateRow,
    #[diesel(sql_type = Text)]
    username: String,
    #[diesel(sql_type = Nullable<Text>)]
    permission: Option<String>,
    #[diesel(sql_type = BigInt)]
    seen: i64,
}

fn entrance(met: AccessRow) -> Result<(BookAccess, BookStateRow)> {
    let AccessRow { own, head, username, permission, seen: _ } = met;
    let granted = permission
        .map(|name| Permission::from_name(&name).ok_or(Error::Broken("permission")))
        .transpose()?;
    Ok((BookAccess { book: own.into_book(username)?, granted, activity: head.activity() }, head))
}

impl Tx<'_> {
    fn meet(&mut self, public_id: &str, email: &str, lock: bool) -> Result<Option<AccessRow>> {
        let door = door(if lock { SEEN_BEFORE_THE_WAIT } else { SEEN }, "books b")
            .push(ALLOWED)
            .text(email);
        let door = door.push(" WHERE b.public_id = ").text(public_id).push(if lock {
            " FOR UPDATE OF h"
        } else {
            ""
        });
        let met: QueryResult<Vec<AccessRow>> =
            on_each!(self.unflushed_conn(), c => (&door).load(c));
        let met = if lock { met.map_err(Error::of_waiting)? } else { met? };
        Ok(met.into_iter().next())
    }
}

/// The books of this installation.
pub struct Books<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Books<'_, '_> {
    /// Takes the book's lock for this unit of work, whether or not there is such a book.
    pub fn lock(self, public_id: &str) -> Result<()> {
        if self.tx.must_lock(public_id) {
            let row = Sql::new(
                "SELECT h.book_id FROM books b JOIN book_state h ON h.book_id = b.id \
                WHERE b.public_id = ",
            )
            .text(public_id);
            let row = row.push(" FOR UPDATE OF h");
            self.tx.shielded(|tx| tx.unflushed_conn().execute(&row).map_err(Error::of_waiting))?;
            self.tx.known.locked.insert(public_id.to_owned());
        }
        Ok(())
    }

    /// Opens the door of a book for a user; in a unit of work that writes, it takes the book's
    /// lock, the row of its head.
    pub fn enter(self, public_id: &str, email: &str) -> Result<Option<BookAccess>> {
        let place = (public_id.to_owned(), email.to_owned());
        if let Some(entrance) = self.tx.known.accesses.get(&place).cloned() {
            let activity =
                self.tx.head(entrance.book.id).map_or(entrance.activity, BookStateRow::activity);
            return Ok(Some(BookAccess { activity, ..entrance }));
        }
        let mut met = if self.tx.must_lock(public_id) {
            // To wait in vain for somebody else's lock is this unit of work's loss alone.
            self.tx.shielded(|tx| tx.meet(public_id, email, true))?
        } else {
            self.tx.meet(public_id, email, false)?
        };
        if met.as_ref().is_some_and(|met| met.seen != met.head.sequence) {
            // Whoever held the lock has changed the book meanwhile. It is ours now, so this look is
            // the last.
            met = self.tx.meet(public_id, email, false)?;
        }
        let Some((mut entrance, head)) = met.map(entrance).transpose()? else { return Ok(None) };
        self.tx.known.book_states.insert(entrance.book.id, head);
        entrance.activity =
            self.tx.head(entrance.book.id).map_or(entrance.activity, BookStateRow::activity);
        if self.tx.writes() {
            self.tx.known.locked.insert(place.0.clone());
            self.tx.known.accesses.insert(place, entrance.clone());
        }
        Ok(Some(entrance))
    }

    /// The books somebody is a collaborator of, in no order.
    pub fn of_user(self, email: &str) -> Result<Vec<BookAccess>> {
        self.tx.meet_all(doors_of_user(email))
    }

    /// The books with these public ids, as a user meets them, in no order.
    pub fn by_keys(self, public_ids: &[String], email: &str) -> Result<Vec<BookAccess>> {
        let door = door(SEEN, "books b").push(ALLOWED).text(email);
        let wanted = public_ids.iter().map(|id| Value::Text(id.into()));
        self.tx.meet_all(
            door.push(" WHERE b.public_id IN ").list(wanted).cached_up_to(public_ids.len()),
        )
    }

    /// The books in an owner's collections, or in one of them, as a user meets them, in no order.
    pub fn of_collections(
        self,
        owner: UserId,
        one: Option<CollectionId>,
        email: &str,
    ) -> Result<Vec<BookAccess>> {
        self.tx.meet_all(doors_of_collections(owner, one, email))
    }

    /// What the database would do for [`Books::of_user`] and [`Books::of_collections`]: the very
    /// statements, so that tests can see which index they walk.
    #[doc(hidden)]
    pub fn explain(self, owner: UserId, email: &str) -> Result<[Vec<String>; 2]> {
        let conn = self.tx.flushed_conn()?;
        Ok([
            conn.explain(doors_of_user(email))?,
            conn.explain(doors_of_collections(owner, None, email))?,
        ])
    }

    /// Adds a book and gives it its number. Who founds a book is its owner, and enters it as one.
    pub fn insert(self, book: Book, owner: UserId) -> Result<BookAccess> {
        let place = (books::public_id.eq(book.key.as_str()), books::owner_id.eq(owner.get()));
        let settled = Settled::of(&book)?;
        let id: i64 = on_each!(self.tx.flushed_conn()?, c => diesel::insert_into(books::table).values((place, settled)).returning(books::id).get_result(c))?;
        let head = BookStateRow {
            book_id: id,
            sequence: 0,
            hash: Hash::ZERO.as_bytes().to_vec(),
            changed_at: book.stamp.created_at.milliseconds(),
            posted: 0,
            month: 0,
            month_posted: 0,
            year_posted: 0,
            chart_version: 0,
            indexed_until_id: 0,
            indexed_chunks: 0,
            unindexed: 0,
            last_event_at: 0,
        };
        let activity = head.activity();
        // Held back: the event of the book's creation moves it before anything is written.
        self.tx.pending().book_states.insert(BookId::new(id), head);
        let book = Book { id: BookId::new(id), ..book };
        Ok(BookAccess { book, granted: Some(Permission::Owner), activity })
    }

    /// Saves the settings of the book as a change leaves it.
    pub fn update(self, access: &AccessTo<UpdateBook>) -> Result<()> {
        let book = access.book();
        let settled = Settled::of(book)?;
        on_each!(self.tx.flushed_conn()?, c => diesel::update(books::table.find(book.id.get())).set(&settled).execute(c))?;
        Ok(())
    }

    /// Removes a book with everything in it, event log included (behaviour 6.5).
    pub fn delete(self, access: &AccessTo<DeleteBook>) -> Result<()> {
        let book = access.book();
        const TABLES: [&str; 16] = [
            "DELETE FROM audit_requests WHERE book_id = ",
            "DELETE FROM entries WHERE book_id = ",
            "DELETE FROM index_terms WHERE book_id = ",
            "DELETE FROM trigrams WHERE book_id = ",
            "DELETE FROM trigram_blocks WHERE book_id = ",
            "DELETE FROM day_totals WHERE book_id = ",
            "DELETE FROM month_totals WHERE book_id = ",
            "DELETE FROM events WHERE book_id = ",
            "DELETE FROM transactions WHERE book_id = ",
            "DELETE FROM files WHERE book_id = ",
            "DELETE FROM memberships WHERE book_id = ",
            "DELETE FROM account_groups WHERE book_id = ",
            "DELETE FROM accounts WHERE book_id = ",
            "DELETE FROM saved_queries WHERE book_id = ",
            "DELETE FROM collaborators WHERE book_id = ",
            "DELETE FROM book_state WHERE book_id = ",
        ];
        for table in TABLES {
            self.tx.flushed_conn()?.execute(&Sql::new(table).int(book.id.get()))?;
        }
        // Users' collections are not waited for while the book is held: a row left behind names no
        // book any more.
        let conn = self.tx.flushed_conn()?;
        let shelved =
            Sql::new("SELECT p.user_id, p.book_id FROM collection_books p WHERE p.book_id = ")
                .int(book.id.get());
        let shelved = shelved.push(conn.unless_locked());
        conn.execute(
            &Sql::new("DELETE FROM collection_books WHERE (user_id, book_id) IN (")
                .append(shelved)
                .push(")"),
        )?;
        conn.execute(&Sql::new("DELETE FROM books WHERE id = ").int(book.id.get()))?;
        self.tx.known.book_states.remove(&book.id);
        Ok(())
    }
}

impl Tx<'_> {
    fn meet_all(&mut self, door: Sql<'_>) -> Result<Vec<BookAccess>> {
        let met: Vec<AccessRow> = on_each!(self.flushed_conn()?, c => (&door).load(c))?;
        met.into_iter().map(|met| entrance(met).map(|(entrance, _)| entrance)).collect()
    }
}
