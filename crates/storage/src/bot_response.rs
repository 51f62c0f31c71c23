//! App responses to events (behaviour 8.7).
//!
//! `failed_transactions` has the transactions with an event that has an error response, because
//! searches need them by day.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{AppResponse, EventDelivery, ResponseKind};
use daybook_domain::event::ReadEvent;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::ROW_BYTES;
use diesel::prelude::*;

use crate::commit::tx::{Flushed, Tx};
use crate::conn::planner::Joined;
use crate::conn::sql::{MAX_NAMED, Sql, Value, numbers};
use crate::error::{Error, Result};
use crate::event::{has_event, is_in_block};
use crate::rows::event::MAX_IN_BLOCK;
use crate::schema::bot_responses;
use crate::storage_quota::size::{of_bytes, of_response};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = bot_responses, primary_key(book_id, sequence, app_id))]
struct Row {
    book_id: i64,
    sequence: i64,
    app_id: String,
    kind: String,
    message: String,
    created_at: i64,
}

impl TryFrom<Row> for AppResponse {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            app: AppId::stored(row.app_id),
            kind: ResponseKind::from_name(&row.kind).ok_or(Error::Corrupt("kind"))?,
            message: row.message,
            created_at: Instant::new(row.created_at),
        })
    }
}

/// Returns the condition that a row `r` is an error response in a book.
pub(crate) fn error_in<'s>(book: BookId) -> Sql<'s> {
    Sql::new("r.book_id = {} AND r.kind = {}").bind((book, ResponseKind::Error.as_str()))
}

/// Inserts transactions of events as failed ones.
const FAILED: &str = "INSERT INTO failed_transactions (book_id, transaction_id, day) \
     SELECT t.book_id, t.id, t.day";
const UNLESS_KNOWN: &str = " ON CONFLICT (book_id, transaction_id) DO NOTHING";

/// Marks the transactions of events as having an error (behaviour 1.2).
///
/// `rows` are rows `e` of the log, and `number` is the number of the event in each.
pub(crate) fn mark_failed<'s>(
    tx: &mut Tx<'_>,
    rows: Joined<'s>,
    number: Sql<'s>,
    book: BookId,
) -> Result<()> {
    let about =
        Sql::new("t.book_id = {} AND t.id = e.resource - (e.sequence - {})").bind((book, number));
    let rows = rows.look_up("transactions", "t", about).sql();
    let failed = Sql::new(FAILED).append(rows).push(UNLESS_KNOWN);
    tx.flushed()?.run(&failed)
}

/// Updates the days of failed transactions after these transactions were moved.
pub(crate) fn move_failed(conn: &mut Flushed<'_>, book: BookId, moved: &[i64]) -> Result<()> {
    for portion in moved.chunks(MAX_NAMED) {
        let sql = Sql::new(
            "UPDATE failed_transactions SET day = (SELECT t.day FROM transactions t \
             WHERE t.book_id = failed_transactions.book_id \
             AND t.id = failed_transactions.transaction_id) WHERE book_id = {} \
             AND transaction_id IN ",
        )
        .bind(book);
        conn.run(sql.append(numbers(portion.iter().copied())))?;
    }
    Ok(())
}

impl Tx<'_> {
    /// Deletes the response of an app to an event; returns its storage usage, if there was one.
    pub(crate) fn delete_response(
        &mut self,
        book: BookId,
        sequence: i64,
        app: &str,
    ) -> Result<Option<i64>> {
        let delete = Sql::new(
            "DELETE FROM bot_responses WHERE book_id = {} AND sequence = {} \
             AND app_id = {} RETURNING CAST(octet_length(message) + {} AS BIGINT) AS bytes",
        )
        .bind((book, sequence, app, ROW_BYTES));
        self.flushed()?.row(&delete)
    }
}

/// Generous estimate of the bytes of a response without its message.
const BESIDE_MESSAGE: i64 = 400;

/// Joins the responses `r` to events. The list must not be empty.
fn to_events<'s>(tx: &Tx<'_>, book: BookId, sequences: &[i64]) -> Sql<'s> {
    let events = tx.lookup().each_of(sequences.iter().copied().map(Value::Int));
    let to = Sql::new("r.book_id = {} AND r.sequence = n.column1").bind(book);
    events.look_up("bot_responses", "r", to).sql().cached_up_to(sequences.len())
}

/// The app responses to events.
pub struct BotResponses<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl BotResponses<'_, '_> {
    /// Returns the size of the responses to events, by event number.
    pub fn texts_of(self, access: &Access, sequences: &[i64]) -> Result<HashMap<i64, usize>> {
        let mut found = HashMap::new();
        for sequences in sequences.chunks(MAX_NAMED) {
            let sql = Sql::new(
                "SELECT r.sequence, CAST(SUM(octet_length(r.message) + {}) AS BIGINT) AS texts{} \
                 GROUP BY 1",
            )
            .bind((BESIDE_MESSAGE, to_events(self.tx, access.book().id, sequences)));
            let rows: Vec<(i64, i64)> = self.tx.flushed()?.rows(&sql)?;
            let row = |(sequence, texts)| (sequence, usize::try_from(texts).unwrap_or(usize::MAX));
            found.extend(rows.into_iter().map(row));
        }
        Ok(found)
    }

    /// Returns the events and apps with an error response.
    pub fn errors_to(self, access: &Access, sequences: &[i64]) -> Result<HashSet<(i64, AppId)>> {
        let mut found = HashSet::new();
        for sequences in sequences.chunks(MAX_NAMED) {
            let sql = Sql::new("SELECT r.sequence, r.app_id{} AND r.kind = {}").bind((
                to_events(self.tx, access.book().id, sequences),
                ResponseKind::Error.as_str(),
            ));
            let rows: Vec<(i64, String)> = self.tx.flushed()?.rows(&sql)?;
            let row = |(sequence, app_id)| (sequence, AppId::stored(app_id));
            found.extend(rows.into_iter().map(row));
        }
        Ok(found)
    }

    /// Loads the responses to events, by event number, in the order of apps.
    ///
    /// The result is not bounded, so the caller must check the size first ([`Self::texts_of`]).
    pub fn of_events(
        self,
        access: &Access,
        sequences: &[i64],
    ) -> Result<HashMap<i64, Vec<AppResponse>>> {
        let mut found: HashMap<i64, Vec<AppResponse>> = HashMap::new();
        if sequences.is_empty() {
            return Ok(found);
        }
        let about = bot_responses::book_id.eq(access.book().id.get());
        let query = bot_responses::table
            .filter(about.and(bot_responses::sequence.eq_any(sequences)))
            .order((bot_responses::sequence, bot_responses::app_id));
        for row in self.tx.flushed()?.select_all::<Row, Row>(query)? {
            found.entry(row.sequence).or_default().push(AppResponse::try_from(row)?);
        }
        Ok(found)
    }

    /// Replaces the response to a delivery, or deletes it.
    ///
    /// The book must have been entered, because responses count for its storage usage (behaviour
    /// 10.14).
    pub fn replace(self, delivery: &EventDelivery, response: Option<&AppResponse>) -> Result<()> {
        let EventDelivery { book, sequence, .. } = *delivery;
        let before = self.tx.delete_response(book, sequence, delivery.app.as_str())?;
        let was_replaced = before.is_some();
        let after = response.map_or(0, |response| of_response(&response.message));
        let change = after.saturating_sub(before.unwrap_or_default());
        self.tx.add_usage(book, of_bytes(change))?;
        let mut conn = self.tx.flushed()?;
        let Some(AppResponse { app, kind, message, created_at }) = response else {
            return if was_replaced { self.unmark_failed(book, sequence) } else { Ok(()) };
        };
        let row = Row {
            book_id: book.get(),
            sequence,
            app_id: app.to_string(),
            kind: kind.as_str().to_owned(),
            message: message.clone(),
            created_at: created_at.milliseconds(),
        };
        let query = diesel::insert_into(bot_responses::table).values(&row);
        conn.run(query)?;
        match kind {
            ResponseKind::Error => self.mark_failed(book, sequence),
            ResponseKind::Info | ResponseKind::Warning if was_replaced => {
                self.unmark_failed(book, sequence)
            }
            ResponseKind::Info | ResponseKind::Warning => Ok(()),
        }
    }

    fn mark_failed(self, book: BookId, sequence: i64) -> Result<()> {
        let number = || Sql::from(sequence);
        let event = has_event("e", book, number());
        let event = self.tx.lookup().rows(Sql::new("events e"), event);
        mark_failed(self.tx, event, number(), book)
    }

    /// Unmarks the transaction of an event, unless another event of it has an error.
    pub(crate) fn unmark_failed(self, book: BookId, sequence: i64) -> Result<()> {
        const FAILED: &str = "failed_transactions.transaction_id";
        let lookup = self.tx.lookup();
        let last = Sql::new("b.book_id = {} AND b.resource = {}").bind((book, Sql::new(FAILED)));
        let end = Sql::new(FAILED).push(format!(" + {MAX_IN_BLOCK}"));
        let others =
            Sql::new("b.book_id = {} AND {}").bind((book, is_in_block(Sql::new(FAILED), end)));
        let error = || {
            let error = error_in(book).push(" AND r.sequence = b.sequence - (b.resource - ");
            error.push(FAILED).push(")")
        };
        let blocks = lookup.by_index("events b", "events_blocks");
        let errors = [(Sql::new("events b"), last), (blocks, others)].map(|(rows, about)| {
            lookup.rows(rows, about).look_up("bot_responses", "r", error()).sql()
        });
        let delete = Sql::new(
            "DELETE FROM failed_transactions WHERE book_id = {} \
             AND transaction_id = (SELECT n.resource - (n.sequence - {}) FROM events n \
             WHERE n.book_id = {} AND n.sequence >= {} ORDER BY n.sequence LIMIT 1)",
        )
        .bind((book, sequence, book, sequence));
        let delete = errors.into_iter().fold(delete, |delete, errors| {
            delete.push(" AND NOT EXISTS (SELECT 1{})").bind(errors)
        });
        self.tx.flushed()?.run(&delete)
    }

    /// Retains the events without an error response.
    pub(crate) fn retain_without_error(
        self,
        access: &Access,
        events: &mut Vec<ReadEvent>,
    ) -> Result<()> {
        let sequences: Vec<i64> = events.iter().map(|read| read.event.sequence).collect();
        let errors = self.errors_to(access, &sequences)?;
        let failed: HashSet<i64> = errors.into_iter().map(|(sequence, _)| sequence).collect();
        events.retain(|read| !failed.contains(&read.event.sequence));
        Ok(())
    }
}
