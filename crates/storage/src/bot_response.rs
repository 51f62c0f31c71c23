//! What apps have to say about events: rows and repository (behaviour 8.7). Which transactions have
//! an event that an app answered with an error is kept beside it, because it is asked for by day.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{AppResponse, EventDelivery, ResponseKind};
use daybook_domain::event::ReadEvent;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::event::{MAX_IN_BLOCK, has_event, is_in_block};
use crate::planner::Joined;
use crate::schema::bot_responses;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::stored::{OF_A_ROW, bytes, of_response};
use crate::tx::{Flushed, Tx};

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

/// The condition of an error response `r` in a book.
pub(crate) fn error_in<'s>(book: BookId) -> Sql<'s> {
    let errors = Sql::new("r.book_id = ").int(book.get());
    errors.push(" AND r.kind = ").text(ResponseKind::Error.as_str())
}

/// Transactions of events, to be kept as those with an error.
const FAILED: &str = "INSERT INTO failed_transactions (book_id, transaction_id, day) \
     SELECT t.book_id, t.id, t.day";
const UNLESS_KNOWN: &str = " ON CONFLICT (book_id, transaction_id) DO NOTHING";

/// Keeps the transactions of events as those with an error (behaviour 1.2): who looks for them
/// finds them without the events. `rows` are rows `e` of the log, each for the event with a number
/// that it has.
pub(crate) fn keep_failed<'s>(
    tx: &mut Tx<'_>,
    (rows, number): (Joined<'s>, Sql<'s>),
    book: BookId,
) -> Result<()> {
    let about = Sql::new("t.book_id = ").int(book.get());
    let about = about.push(" AND t.id = e.resource - (e.sequence - ").append(number).push(")");
    let rows = rows.look_up("transactions", "t", about).sql();
    let failed = Sql::new(FAILED).append(rows).push(UNLESS_KNOWN);
    tx.flushed()?.execute(&failed)?;
    Ok(())
}

/// Follows transactions whose place in lists is another one, once they have been written.
pub(crate) fn move_failed(conn: &mut Flushed<'_>, book: BookId, moved: &[i64]) -> Result<()> {
    for portion in moved.chunks(MAX_NAMED) {
        let sql = Sql::new(
            "UPDATE failed_transactions SET day = (SELECT t.day FROM transactions t \
             WHERE t.book_id = failed_transactions.book_id \
             AND t.id = failed_transactions.transaction_id) WHERE book_id = ",
        );
        let sql = sql.int(book.get()).push(" AND transaction_id IN ");
        conn.execute(&sql.numbers(portion.iter().copied()))?;
    }
    Ok(())
}

#[derive(QueryableByName)]
struct GoneRow {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

impl Tx<'_> {
    /// Removes the response of an app to an event; for how many bytes it has counted, if there was
    /// one.
    pub(crate) fn delete_response(
        &mut self,
        book: BookId,
        (sequence, app): (i64, &str),
    ) -> Result<Option<i64>> {
        let gone = Sql::new("DELETE FROM bot_responses WHERE book_id = ")
            .int(book.get())
            .push(" AND sequence = ")
            .int(sequence)
            .push(" AND app_id = ")
            .text(app)
            .push(" RETURNING CAST(octet_length(message) + ")
            .int(OF_A_ROW)
            .push(" AS BIGINT) AS bytes");
        let rows: Vec<GoneRow> = on_engine!(self.flushed()?, c => (&gone).load(c))?;
        Ok(rows.first().map(|row| row.bytes))
    }
}

/// Bytes that a response takes beside its message, counted amply.
const BESIDE_MESSAGE: i64 = 400;

#[derive(QueryableByName)]
struct TextsRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = BigInt)]
    texts: i64,
}

#[derive(QueryableByName)]
struct ErrorRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Text)]
    app_id: String,
}

/// The responses `r` to events. There must be one event.
fn to_events<'s>(tx: &Tx<'_>, book: BookId, sequences: &[i64]) -> Sql<'s> {
    let events = tx.lookup().each_of(sequences.iter().copied().map(Value::Int));
    let to = Sql::new("r.book_id = ").int(book.get()).push(" AND r.sequence = n.column1");
    events.look_up("bot_responses", "r", to).sql().cached_up_to(sequences.len())
}

/// The responses to events.
pub struct BotResponses<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl BotResponses<'_, '_> {
    /// How many bytes those to some events have, by the number of the event.
    pub fn texts_of(self, access: &Access, sequences: &[i64]) -> Result<HashMap<i64, usize>> {
        let mut found = HashMap::new();
        for sequences in sequences.chunks(MAX_NAMED) {
            let sql = Sql::new("SELECT r.sequence, CAST(SUM(octet_length(r.message) + ")
                .int(BESIDE_MESSAGE)
                .push(") AS BIGINT) AS texts")
                .append(to_events(self.tx, access.book().id, sequences))
                .push(" GROUP BY 1");
            let rows: Vec<TextsRow> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
            let row = |TextsRow { sequence, texts }| {
                (sequence, usize::try_from(texts).unwrap_or(usize::MAX))
            };
            found.extend(rows.into_iter().map(row));
        }
        Ok(found)
    }

    /// Which apps answered which of these events with an error.
    pub fn errors_to(self, access: &Access, sequences: &[i64]) -> Result<HashSet<(i64, AppId)>> {
        let mut found = HashSet::new();
        for sequences in sequences.chunks(MAX_NAMED) {
            let sql = Sql::new("SELECT r.sequence, r.app_id")
                .append(to_events(self.tx, access.book().id, sequences))
                .push(" AND r.kind = ")
                .text(ResponseKind::Error.as_str());
            let rows: Vec<ErrorRow> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
            let row = |ErrorRow { sequence, app_id }| (sequence, AppId::stored(app_id));
            found.extend(rows.into_iter().map(row));
        }
        Ok(found)
    }

    /// Those to some events, by the number of the event, in the order of the apps. They have no
    /// bound: who asks looks at their size before ([`Self::texts_of`]).
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
        let rows: Vec<Row> =
            on_engine!(self.tx.flushed()?, c => query.select(Row::as_select()).load(c))?;
        for row in rows {
            found.entry(row.sequence).or_default().push(AppResponse::try_from(row)?);
        }
        Ok(found)
    }

    /// Records the response to a delivery in the place of the one before; none removes that. The
    /// book was entered in this unit of work: responses count for it (behaviour 10.14).
    pub fn replace(self, delivery: &EventDelivery, response: Option<&AppResponse>) -> Result<()> {
        let key = (delivery.book.get(), delivery.sequence, delivery.app.as_str());
        let before = self.tx.delete_response(delivery.book, (key.1, key.2))?;
        let replaced = before.is_some();
        let after = response.map_or(0, |response| of_response(&response.message));
        let change = after.saturating_sub(before.unwrap_or_default());
        self.tx.note_stored(delivery.book, bytes(change))?;
        let mut conn = self.tx.flushed()?;
        let Some(AppResponse { app, kind, message, created_at }) = response else {
            return if replaced { self.forget_failed(delivery.book, key.1) } else { Ok(()) };
        };
        let row = Row {
            book_id: key.0,
            sequence: key.1,
            app_id: app.to_string(),
            kind: kind.as_str().to_owned(),
            message: message.clone(),
            created_at: created_at.milliseconds(),
        };
        let query = diesel::insert_into(bot_responses::table).values(&row);
        on_engine!(conn, c => query.execute(c))?;
        match kind {
            ResponseKind::Error => self.keep_failed(delivery.book, key.1),
            ResponseKind::Info | ResponseKind::Warning if replaced => {
                self.forget_failed(delivery.book, key.1)
            }
            ResponseKind::Info | ResponseKind::Warning => Ok(()),
        }
    }

    fn keep_failed(self, book: BookId, sequence: i64) -> Result<()> {
        let number = || Sql::new("").int(sequence);
        let event = has_event("e", book, number());
        let event = self.tx.lookup().rows(Sql::new("events e"), event);
        keep_failed(self.tx, (event, number()), book)
    }

    /// Forgets that the transaction of an event has one with an error, unless it has another one.
    pub(crate) fn forget_failed(self, book: BookId, sequence: i64) -> Result<()> {
        const FAILED: &str = "failed_transactions.transaction_id";
        let lookup = self.tx.lookup();
        let last = Sql::new("b.book_id = ").int(book.get()).push(" AND b.resource = ").push(FAILED);
        let beyond = Sql::new(FAILED).push(format!(" + {MAX_IN_BLOCK}"));
        let others = Sql::new("b.book_id = ").int(book.get()).push(" AND ");
        let others = others.append(is_in_block(Sql::new(FAILED), beyond));
        let error = || {
            let error = error_in(book).push(" AND r.sequence = b.sequence - (b.resource - ");
            error.push(FAILED).push(")")
        };
        let blocks = lookup.by_index("events b", "events_blocks");
        let errors = [(Sql::new("events b"), last), (blocks, others)].map(|(rows, about)| {
            lookup.rows(rows, about).look_up("bot_responses", "r", error()).sql()
        });
        let gone = Sql::new("DELETE FROM failed_transactions WHERE book_id = ")
            .int(book.get())
            .push(" AND transaction_id = (SELECT n.resource - (n.sequence - ")
            .int(sequence)
            .push(") FROM events n WHERE n.book_id = ")
            .int(book.get())
            .push(" AND n.sequence >= ")
            .int(sequence)
            .push(" ORDER BY n.sequence LIMIT 1)");
        let gone = errors.into_iter().fold(gone, |gone, errors| {
            gone.push(" AND NOT EXISTS (SELECT 1").append(errors).push(")")
        });
        self.tx.flushed()?.execute(&gone)?;
        Ok(())
    }

    /// Leaves of these events those that no app answered with an error.
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
