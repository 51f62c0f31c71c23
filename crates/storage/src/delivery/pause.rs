//! Paused queues (behaviour 8.19), whose deliveries wait and are not leased.

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{PauseCause, ResponseText};
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::WriteIntegrations;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::lease::parse_cause;
use super::{Deliveries, end_of_portion, of_queue};
use crate::access::AccessTo;
use crate::bot_response::mark_failed;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::event::has_event;
use crate::storage_quota::size::{of_bytes, of_response};

/// Maximum number of queues in a portion of a list.
const MAX_LISTED: i64 = 1_000;

/// A queue that was paused for too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverdueQueue {
    /// The book.
    pub book: BookKey,
    /// The app.
    pub app: AppId,
    /// The place in the list of paused queues.
    pub place: PausedPlace,
}

/// A place in the list of paused queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedPlace {
    paused_at: i64,
    book: i64,
    app: String,
}

impl PausedPlace {
    /// Adds the condition that a queue `q` comes after this place.
    fn push_after<'a>(&'a self, sql: Sql<'a>) -> Sql<'a> {
        let sql = sql.push(" AND (q.paused_at, q.book_id, q.app_id) > ({}").bind(self.paused_at);
        sql.push(", {}, {})").bind((self.book, self.app.as_str()))
    }
}

/// A paused queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedQueue {
    /// The place in the list.
    pub place: PausedPlace,
    /// The book.
    pub book: BookKey,
    /// The app.
    pub app: AppId,
    /// The start of the pause.
    pub paused_at: Instant,
    /// The cause.
    pub cause: PauseCause,
    /// The number of waiting events.
    pub waiting: i64,
}

/// An app that is paused in a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PausedApp {
    /// The book.
    pub book: BookKey,
    /// The pause.
    pub pause: Pause,
}

/// A pause of an app in a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// The app.
    pub app: AppId,
    /// The start.
    pub since: Instant,
    /// The cause.
    pub cause: PauseCause,
}

#[derive(QueryableByName)]
struct PauseRow {
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = BigInt)]
    paused_at: i64,
    #[diesel(sql_type = Nullable<Text>)]
    pause_cause: Option<String>,
}

impl TryFrom<PauseRow> for Pause {
    type Error = Error;

    fn try_from(row: PauseRow) -> Result<Self> {
        let PauseRow { app_id, paused_at, pause_cause } = row;
        let (app, since) = (AppId::stored(app_id), Instant::new(paused_at));
        Ok(Self { app, since, cause: parse_cause(pause_cause)? })
    }
}

#[derive(QueryableByName)]
struct PausedAppRow {
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(embed)]
    pause: PauseRow,
}

impl TryFrom<PausedAppRow> for PausedApp {
    type Error = Error;

    fn try_from(PausedAppRow { public_id, pause }: PausedAppRow) -> Result<Self> {
        Ok(Self { book: BookKey::new(public_id), pause: pause.try_into()? })
    }
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
        Ok(Self { place, book, app, paused_at, cause: parse_cause(pause_cause)?, waiting })
    }
}

const PAUSED: &str = "SELECT q.book_id, b.public_id, q.app_id, q.paused_at, q.pause_cause, \
     (SELECT COUNT(*) FROM deliveries d \
       WHERE d.book_id = q.book_id AND d.app_id = q.app_id AND q.stopped_at IS NULL) AS waiting \
     FROM delivery_queues q JOIN books b ON b.id = q.book_id ";

impl Deliveries<'_, '_> {
    /// Pauses an app in a book. If it is paused already, the start stays and the cause changes.
    pub fn pause(self, book: BookId, app: &AppId, cause: PauseCause, now: Instant) -> Result<()> {
        let paused = Sql::new(
            "INSERT INTO delivery_queues (book_id, app_id, paused_at, pause_cause) \
             VALUES ({}, {}, {}, {}) \
             ON CONFLICT (book_id, app_id) DO UPDATE \
             SET paused_at = COALESCE(delivery_queues.paused_at, excluded.paused_at), \
             pause_cause = excluded.pause_cause",
        )
        .bind((book, app, now, cause.as_str()));
        self.tx.flushed()?.run(&paused)
    }

    /// Returns whether the operator has paused an app in a book.
    pub fn is_paused_by_operator(self, book: BookId, app: &AppId) -> Result<bool> {
        let paused = of_queue(Sql::new("SELECT COUNT(*) AS count FROM delivery_queues"), book, app);
        let paused = paused.push(" AND pause_cause = {}").bind(PauseCause::Operator.as_str());
        Ok(self.tx.flushed()?.row::<i64>(&paused)?.is_some_and(|count| count > 0))
    }

    /// Resumes an app in a book, whatever the cause of its pause.
    pub fn resume(self, book: BookId, app: &AppId) -> Result<()> {
        let resumed = of_queue(Sql::new(RESUMED), book, app);
        self.tx.flushed()?.run(&resumed)
    }

    /// Resumes an app that was paused because it failed.
    pub fn resume_failing(self, access: &AccessTo<WriteIntegrations>, app: &AppId) -> Result<()> {
        let resumed = of_queue(Sql::new(RESUMED), access.book().id, app);
        let resumed = resumed.push(" AND pause_cause = {}").bind(PauseCause::Failures.as_str());
        self.tx.flushed()?.run(&resumed)
    }

    /// Lists the pauses of the apps in a book, in no order.
    pub fn pauses(self, access: &Access) -> Result<Vec<Pause>> {
        let query = Sql::new(
            "SELECT app_id, paused_at, pause_cause FROM delivery_queues \
             WHERE paused_at IS NOT NULL AND book_id = {}",
        );
        self.tx.flushed()?.load_as::<PauseRow, _>(&query.bind(access.book().id))
    }

    /// Lists up to 1,000 paused queues after a place, longest pause first.
    ///
    /// `book` and `app` restrict the list.
    pub fn paused(
        self,
        book: Option<&str>,
        app: Option<&str>,
        after: Option<&PausedPlace>,
    ) -> Result<Vec<PausedQueue>> {
        let mut query = Sql::new(PAUSED).push("WHERE q.paused_at IS NOT NULL");
        if let Some(book) = book {
            let Some(number) = self.tx.book_number(book)? else { return Ok(Vec::new()) };
            query = query.push(" AND q.book_id = {}").bind(number);
            query = query.push(" AND b.public_id = {}").bind(book);
        }
        if let Some(app) = app {
            query = query.push(" AND q.app_id = {}").bind(app);
        }
        if let Some(place) = after {
            query = place.push_after(query);
        }
        let query = query.push(IN_ORDER).bind(MAX_LISTED);
        self.tx.flushed()?.load_as::<PausedRow, _>(&query)
    }

    /// Lists up to `limit` paused apps, the longest pauses first.
    ///
    /// Unlike [`Deliveries::paused`] it does not count the waiting events.
    pub fn paused_apps(self, limit: i64) -> Result<Vec<PausedApp>> {
        let sql = Sql::new(
            "SELECT b.public_id, q.app_id, q.paused_at, q.pause_cause \
             FROM delivery_queues q JOIN books b ON b.id = q.book_id \
             WHERE q.paused_at IS NOT NULL AND b.deleted_at IS NULL",
        );
        let sql = sql.push(IN_ORDER).bind(limit);
        self.tx.flushed()?.load_as::<PausedAppRow, _>(&sql)
    }

    /// Lists up to `limit` queues after a place that were paused before an instant and may have
    /// deliveries.
    pub fn paused_before(
        self,
        before: Instant,
        after: Option<&PausedPlace>,
        limit: i64,
    ) -> Result<Vec<OverdueQueue>> {
        let query = overdue(before, after, limit);
        self.tx.flushed()?.load_as::<OverdueRow, _>(&query)
    }

    /// Marks the queue of an app in a book as empty.
    pub fn mark_empty(self, book: BookId, app: &AppId) -> Result<()> {
        let rests = of_queue(Sql::new("UPDATE delivery_queues SET due_at = NULL"), book, app);
        self.tx.flushed()?.run(&rests)
    }

    /// Removes up to `limit` deliveries of an app in a book; returns their number.
    ///
    /// Each event gets the response.
    pub fn give_up(
        mut self,
        book: BookId,
        app: &AppId,
        response: &ResponseText,
        now: Instant,
        limit: i64,
    ) -> Result<i64> {
        let mut conn = self.tx.flushed()?;
        let Some((last, count)) = end_of_portion(&mut conn, book, app, limit)? else {
            return Ok(0);
        };
        let before = replaced(book, app, last);
        let before: i64 = conn.row(&before)?.unwrap_or_default();
        let responses = Sql::new(
            "INSERT INTO bot_responses (book_id, sequence, app_id, kind, message, created_at) \
             SELECT book_id, sequence, app_id, {}, {}, {}",
        )
        .bind((response.kind.as_str(), response.message.as_str(), now));
        let responses = of_queue(responses.push(" FROM deliveries"), book, app)
            .push(
                " AND sequence <= {} ON CONFLICT (book_id, sequence, app_id) DO UPDATE \
                 SET kind = excluded.kind, message = excluded.message, created_at = \
                 excluded.created_at",
            )
            .bind(last);
        conn.run(&responses)?;
        let added = of_response(&response.message).saturating_mul(count);
        self.tx.add_usage(book, of_bytes(added.saturating_sub(before)))?;
        self.mark_failed(book, app, last)?;
        let delete = of_queue(Sql::new("DELETE FROM deliveries"), book, app);
        self.tx.flushed()?.execute(delete.push(" AND sequence <= {}").bind(last))?;
        Ok(count)
    }
}

impl Deliveries<'_, '_> {
    /// Marks the transactions of waiting events, up to a number, as having an error.
    fn mark_failed(&mut self, book: BookId, app: &AppId, last: i64) -> Result<()> {
        let waiting = Sql::new("d.book_id = {} AND d.app_id = {} AND d.sequence <= {}").bind((
            book,
            app.as_str(),
            last,
        ));
        let number = || Sql::new("d.sequence");
        let event = has_event("e", book, number());
        let waiting = self.tx.lookup().rows(Sql::new("deliveries d"), waiting);
        mark_failed(self.tx, waiting.look_up("events", "e", event), number(), book)
    }
}

/// Sums the storage usage of earlier responses to the waiting events of an app, up to a number.
fn replaced<'s>(book: BookId, app: &'s AppId, last: i64) -> Sql<'s> {
    Sql::new(
        "SELECT CAST(COALESCE(SUM(octet_length(r.message) + 100), 0) AS BIGINT) AS bytes \
         FROM deliveries d JOIN bot_responses r ON r.book_id = d.book_id \
         AND r.sequence = d.sequence AND r.app_id = d.app_id WHERE d.book_id = {} \
         AND d.app_id = {} AND d.sequence <= {}",
    )
    .bind((book, app.as_str(), last))
}

const IN_ORDER: &str = " ORDER BY q.paused_at, q.book_id, q.app_id LIMIT {}";

/// Returns the statement of [`Deliveries::paused_before`].
pub(crate) fn overdue(before: Instant, after: Option<&PausedPlace>, limit: i64) -> Sql<'_> {
    let query = Sql::new(
        "SELECT q.book_id, q.app_id, q.paused_at, (SELECT b.public_id FROM books b \
         WHERE b.id = q.book_id) AS public_id FROM delivery_queues q \
         WHERE q.paused_at IS NOT NULL AND q.due_at IS NOT NULL AND q.paused_at <= {}",
    )
    .bind(before);
    let query = match after {
        Some(place) => place.push_after(query),
        None => query,
    };
    query.push(IN_ORDER).bind(limit)
}

const RESUMED: &str =
    "UPDATE delivery_queues SET paused_at = NULL, pause_cause = NULL, failing_since = NULL";
