//! Queues that are paused (behaviour 8.19): what waits stays, nothing is taken.

use daybook_domain::app::AppId;
use daybook_domain::delivery::{PauseCause, ResponseText};
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::WriteIntegrations;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::lease::cause;
use super::{Deliveries, WaitingCount, of};
use crate::access::AccessTo;
use crate::bot_response::keep_failed;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::event::has_event;
use crate::sql::{Sql, Value};
use crate::stored::{bytes, of_response};

/// The most queues in a portion of a list.
const MAX_LISTED: i64 = 1_000;

/// A queue that was paused for too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverdueQueue {
    /// The book.
    pub book: BookKey,
    /// The app.
    pub app: AppId,
    /// Where it stands among the paused ones.
    pub place: PausedPlace,
}

/// A place among the queues that are paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedPlace {
    paused_at: i64,
    book: i64,
    app: String,
}

impl PausedPlace {
    /// The condition that a queue `q` stands behind it.
    fn behind<'a>(&'a self, sql: Sql<'a>) -> Sql<'a> {
        let sql = sql.push(" AND (q.paused_at, q.book_id, q.app_id) > (").int(self.paused_at);
        sql.push(", ").int(self.book).push(", ").text(self.app.as_str()).push(")")
    }
}

/// A paused queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedQueue {
    /// Where it stands in the list.
    pub place: PausedPlace,
    /// The book.
    pub book: BookKey,
    /// The app.
    pub app: AppId,
    /// When it was paused.
    pub paused_at: Instant,
    /// Why.
    pub cause: PauseCause,
    /// How many events wait.
    pub waiting: i64,
}

#[derive(QueryableByName)]
struct OverdueRow {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = BigInt)]
    paused_at: i64,
}

impl From<OverdueRow> for OverdueQueue {
    fn from(row: OverdueRow) -> Self {
        let OverdueRow { book_id, public_id, app_id, paused_at } = row;
        let place = PausedPlace { paused_at, book: book_id, app: app_id.clone() };
        Self { book: BookKey::new(public_id), app: AppId::stored(app_id), place }
    }
}

#[derive(QueryableByName)]
struct PausedRow {
    #[diesel(embed)]
    queue: OverdueRow,
    #[diesel(sql_type = Nullable<Text>)]
    pause_cause: Option<String>,
    #[diesel(sql_type = BigInt)]
    waiting: i64,
}

impl TryFrom<PausedRow> for PausedQueue {
    type Error = Error;

    fn try_from(row: PausedRow) -> Result<Self> {
        let PausedRow { queue, pause_cause, waiting } = row;
        let paused_at = Instant::new(queue.paused_at);
        let OverdueQueue { book, app, place } = queue.into();
        Ok(Self { place, book, app, paused_at, cause: cause(pause_cause)?, waiting })
    }
}

/// The last of the first deliveries of a queue, and how many they are.
#[derive(QueryableByName)]
pub(super) struct LastOfPortion {
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) sequence: Option<i64>,
    #[diesel(sql_type = BigInt)]
    pub(super) count: i64,
}

const PAUSED: &str = "SELECT q.book_id, b.public_id, q.app_id, q.paused_at, q.pause_cause, \
     (SELECT COUNT(*) FROM deliveries d \
       WHERE d.book_id = q.book_id AND d.app_id = q.app_id AND q.stopped_at IS NULL) AS waiting \
     FROM delivery_queues q JOIN books b ON b.id = q.book_id ";

impl Deliveries<'_, '_> {
    /// Pauses an app in a book. One that is paused already stays so since then, for this cause.
    pub fn pause(
        self,
        (book, app): (BookId, &AppId),
        cause: PauseCause,
        now: Instant,
    ) -> Result<()> {
        let row = [
            Value::Int(book.get()),
            Value::Text(app.as_str().into()),
            Value::Int(now.milliseconds()),
            Value::Text(cause.as_str().into()),
        ];
        let paused = Sql::new(
            "INSERT INTO delivery_queues (book_id, app_id, paused_at, pause_cause) VALUES ",
        )
        .list(row)
        .push(
            " ON CONFLICT (book_id, app_id) DO UPDATE SET \
             paused_at = COALESCE(delivery_queues.paused_at, excluded.paused_at), \
             pause_cause = excluded.pause_cause",
        );
        self.tx.flushed()?.execute(&paused)?;
        Ok(())
    }

    /// Whether the operator has paused an app in a book.
    pub fn is_paused_by_operator(self, (book, app): (BookId, &AppId)) -> Result<bool> {
        let paused = of(Sql::new("SELECT COUNT(*) AS count FROM delivery_queues"), book, app);
        let paused = paused.push(" AND pause_cause = ").text(PauseCause::Operator.as_str());
        let rows: Vec<WaitingCount> = on_engine!(self.tx.flushed()?, c => (&paused).load(c))?;
        Ok(rows.iter().any(|row| row.count > 0))
    }

    /// Ends the pause of an app in a book, whatever its cause.
    pub fn resume(self, (book, app): (BookId, &AppId)) -> Result<()> {
        let resumed = of(Sql::new(RESUMED), book, app);
        self.tx.flushed()?.execute(&resumed)?;
        Ok(())
    }

    /// Ends the pause of an app that has failed, as somebody in the book may.
    pub fn resume_failing(self, access: &AccessTo<WriteIntegrations>, app: &AppId) -> Result<()> {
        let resumed = of(Sql::new(RESUMED), access.book().id, app);
        let resumed = resumed.push(" AND pause_cause = ").text(PauseCause::Failing.as_str());
        self.tx.flushed()?.execute(&resumed)?;
        Ok(())
    }

    /// The queues that are paused, of a book and of an app when they are named, those first that
    /// have been for longest, behind a place; at most 1,000.
    pub fn paused(
        self,
        book: Option<&str>,
        app: Option<&str>,
        after: Option<&PausedPlace>,
    ) -> Result<Vec<PausedQueue>> {
        let mut some = Sql::new(PAUSED).push("WHERE q.paused_at IS NOT NULL");
        if let Some(book) = book {
            let Some(number) = self.tx.book_number(book)? else { return Ok(Vec::new()) };
            some = some.push(" AND q.book_id = ").int(number.get());
            some = some.push(" AND b.public_id = ").text(book);
        }
        if let Some(app) = app {
            some = some.push(" AND q.app_id = ").text(app);
        }
        if let Some(place) = after {
            some = place.behind(some);
        }
        let some = some.push(IN_ORDER).int(MAX_LISTED);
        let rows: Vec<PausedRow> = on_engine!(self.tx.flushed()?, c => (&some).load(c))?;
        rows.into_iter().map(PausedQueue::try_from).collect()
    }

    /// Those that have been paused since before an instant, and in which something may wait, behind
    /// a place, at most so many.
    pub fn paused_before(
        self,
        before: Instant,
        after: Option<&PausedPlace>,
        limit: i64,
    ) -> Result<Vec<OverdueQueue>> {
        let some = overdue(before, after, limit);
        let rows: Vec<OverdueRow> = on_engine!(self.tx.flushed()?, c => (&some).load(c))?;
        Ok(rows.into_iter().map(OverdueQueue::from).collect())
    }

    /// Notes that nothing waits for an app in a book any more.
    pub fn rest(self, (book, app): (BookId, &AppId)) -> Result<()> {
        let rests = of(Sql::new("UPDATE delivery_queues SET due_at = NULL"), book, app);
        self.tx.flushed()?.execute(&rests)?;
        Ok(())
    }

    /// Gives up what waits for an app in a book, at most so many: each event gets this response;
    /// how many they were.
    pub fn give_up(
        mut self,
        (book, app): (BookId, &AppId),
        (remark, now): (&ResponseText, Instant),
        limit: i64,
    ) -> Result<i64> {
        let mut conn = self.tx.flushed()?;
        let first = of(Sql::new("SELECT sequence FROM deliveries"), book, app);
        let first = first.push(" ORDER BY sequence LIMIT ").int(limit);
        let portion = Sql::new("SELECT MAX(p.sequence) AS sequence, COUNT(*) AS count FROM (")
            .append(first)
            .push(") p");
        let rows: Vec<LastOfPortion> = on_engine!(&mut *conn, c => (&portion).load(c))?;
        let Some(LastOfPortion { sequence: Some(last), count }) = rows.into_iter().next() else {
            return Ok(0);
        };
        let before = replaced((book, app), last);
        let before: Vec<ReplacedRow> = on_engine!(&mut *conn, c => (&before).load(c))?;
        let before = before.first().map_or(0, |row| row.bytes);
        let responses = Sql::new(
            "INSERT INTO bot_responses (book_id, sequence, app_id, kind, message, created_at) \
             SELECT book_id, sequence, app_id, ",
        )
        .text(remark.kind.as_str())
        .push(", ")
        .text(remark.message.as_str())
        .push(", ")
        .int(now.milliseconds());
        let responses = of(responses.push(" FROM deliveries"), book, app)
            .push(" AND sequence <= ")
            .int(last)
            .push(
                " ON CONFLICT (book_id, sequence, app_id) DO UPDATE SET kind = excluded.kind, \
                 message = excluded.message, created_at = excluded.created_at",
            );
        conn.execute(&responses)?;
        let added = of_response(&remark.message).saturating_mul(count);
        self.tx.note_stored(book, bytes(added.saturating_sub(before)))?;
        self.keep_failed((book, app), last)?;
        let gone = of(Sql::new("DELETE FROM deliveries"), book, app);
        self.tx.flushed()?.execute(&gone.push(" AND sequence <= ").int(last))?;
        Ok(count)
    }
}

impl Deliveries<'_, '_> {
    /// Keeps the transactions of what waits for an app, up to an event, as those with an error.
    fn keep_failed(&mut self, (book, app): (BookId, &AppId), last: i64) -> Result<()> {
        let waiting = Sql::new("d.book_id = ").int(book.get()).push(" AND d.app_id = ");
        let waiting = waiting.text(app.as_str()).push(" AND d.sequence <= ").int(last);
        let number = || Sql::new("d.sequence");
        let event = has_event("e", book, number());
        let waiting = self.tx.lookup().rows(Sql::new("deliveries d"), waiting);
        keep_failed(self.tx, (waiting.look_up("events", "e", event), number()), book)
    }
}

#[derive(QueryableByName)]
struct ReplacedRow {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// For how many bytes the responses count that those to what waits for an app, up to an event, take
/// the place of.
fn replaced<'s>((book, app): (BookId, &'s AppId), last: i64) -> Sql<'s> {
    Sql::new(
        "SELECT CAST(COALESCE(SUM(octet_length(r.message) + 100), 0) AS BIGINT) AS bytes \
         FROM deliveries d JOIN bot_responses r ON r.book_id = d.book_id \
         AND r.sequence = d.sequence AND r.app_id = d.app_id WHERE d.book_id = ",
    )
    .int(book.get())
    .push(" AND d.app_id = ")
    .text(app.as_str())
    .push(" AND d.sequence <= ")
    .int(last)
}

const IN_ORDER: &str = " ORDER BY q.paused_at, q.book_id, q.app_id LIMIT ";

/// The statement of [`Deliveries::paused_before`].
pub(crate) fn overdue(before: Instant, after: Option<&PausedPlace>, limit: i64) -> Sql<'_> {
    let some = Sql::new(
        "SELECT q.book_id, q.app_id, q.paused_at, \
         (SELECT b.public_id FROM books b WHERE b.id = q.book_id) AS public_id \
         FROM delivery_queues q \
         WHERE q.paused_at IS NOT NULL AND q.due_at IS NOT NULL AND q.paused_at <= ",
    )
    .int(before.milliseconds());
    let some = match after {
        Some(place) => place.behind(some),
        None => some,
    };
    some.push(IN_ORDER).int(limit)
}

const RESUMED: &str =
    "UPDATE delivery_queues SET paused_at = NULL, pause_cause = NULL, failing_since = NULL";
