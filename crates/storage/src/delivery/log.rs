//! The delivery log (behaviour 12.13).
//!
//! It is written in the unit of work that saves the outcome of an attempt, and read by event or by
//! app.

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventDelivery, Exchange, LoggedAttempt, MAX_LOGGED};
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};

#[derive(QueryableByName)]
struct AttemptRow {
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = BigInt)]
    attempt: i64,
    #[diesel(sql_type = BigInt)]
    at: i64,
    #[diesel(sql_type = BigInt)]
    milliseconds: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    status: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    failure: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    answer: Option<String>,
}

impl TryFrom<AttemptRow> for LoggedAttempt {
    type Error = Error;

    fn try_from(row: AttemptRow) -> Result<Self> {
        let AttemptRow { app_id, sequence, attempt, at, .. } = row;
        let AttemptRow { milliseconds, status, failure, answer, .. } = row;
        let status = status.map(u16::try_from).transpose().map_err(|_| Error::Corrupt("status"))?;
        let exchange = Exchange { at: Instant::new(at), milliseconds, status, answer };
        Ok(Self { app: AppId::stored(app_id), sequence, number: attempt, exchange, failure })
    }
}

/// A place in the log of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPlace {
    /// The app.
    pub app: AppId,
    /// The number of the attempt.
    pub number: i64,
}

impl LogPlace {
    /// Returns the place of an attempt.
    #[must_use]
    pub fn of(logged: &LoggedAttempt) -> Self {
        Self { app: logged.app.clone(), number: logged.number }
    }
}

/// A place in the log of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptPlace {
    /// The instant of the attempt.
    pub at: Instant,
    /// The number of the event.
    pub sequence: i64,
    /// The number of the attempt.
    pub number: i64,
}

impl AttemptPlace {
    /// Returns the place of an attempt.
    #[must_use]
    pub const fn of(logged: &LoggedAttempt) -> Self {
        Self { at: logged.exchange.at, sequence: logged.sequence, number: logged.number }
    }
}

/// The attempts to deliver events.
pub struct DeliveryLog<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl DeliveryLog<'_, '_> {
    /// Adds an attempt to deliver an event to an app, and removes all but the last ones.
    pub fn add(
        self,
        delivery: &EventDelivery,
        exchange: &Exchange,
        failure: Option<&str>,
    ) -> Result<()> {
        let mut conn = self.tx.flushed()?;
        let last = Sql::new("SELECT COALESCE(MAX(attempt), 0) AS attempt FROM delivery_attempts");
        let last = of_delivery(last, delivery);
        let attempt = conn.row::<i64>(&last)?.unwrap_or_default().saturating_add(1);
        let Exchange { at, milliseconds, status, answer } = exchange;
        let added = Sql::new(
            "INSERT INTO delivery_attempts \
             (book_id, sequence, app_id, attempt, at, milliseconds, status, failure, answer) \
             VALUES ({}, {}, {}, {}, {}, {}, {}, {}, {})",
        )
        .bind((
            delivery.book,
            delivery.sequence,
            &delivery.app,
            attempt,
            *at,
            *milliseconds,
            status.map(i64::from),
            failure,
            answer.as_deref(),
        ));
        conn.run(&added)?;
        if attempt > MAX_LOGGED {
            let old = of_delivery(Sql::new("DELETE FROM delivery_attempts"), delivery);
            conn.run(old.push(" AND attempt <= {}").bind(attempt.saturating_sub(MAX_LOGGED)))?;
        }
        Ok(())
    }

    /// Lists up to `limit` attempts to deliver an event after a place, by app, newest first.
    pub fn list(
        self,
        access: &Access,
        sequence: i64,
        after: Option<&LogPlace>,
        limit: i64,
    ) -> Result<Vec<LoggedAttempt>> {
        let page = Sql::new("SELECT * FROM delivery_attempts WHERE book_id = {} AND sequence = {}")
            .bind((access.book().id, sequence));
        let page = match after {
            None => page,
            Some(LogPlace { app, number }) => page
                .push(" AND (app_id > {} OR app_id = {} AND attempt < {})")
                .bind((app.as_str(), app.as_str(), *number)),
        };
        self.load(&page.push(" ORDER BY app_id, attempt DESC LIMIT {}").bind(limit))
    }

    /// Lists up to `limit` attempts to deliver events to an app after a place, newest first.
    pub fn list_of_app(
        self,
        access: &Access,
        app: &AppId,
        after: Option<AttemptPlace>,
        limit: i64,
    ) -> Result<Vec<LoggedAttempt>> {
        self.load(&of_app(access.book().id, app, after, limit))
    }

    fn load(self, page: &Sql<'_>) -> Result<Vec<LoggedAttempt>> {
        self.tx.flushed()?.load_as::<AttemptRow, _>(page)
    }

    /// Removes up to `limit` attempts before an instant; returns their number.
    ///
    /// Rows that another process is removing are skipped.
    pub fn remove_before(self, before: Instant, limit: i64) -> Result<usize> {
        let mut conn = self.tx.flushed()?;
        let skip_locked = conn.skip_locked();
        if !conn.engine().is_distributed() {
            return Ok(conn.execute(old_attempts(before, limit, None, skip_locked))?);
        }
        let books = Sql::new(
            "SELECT book_id FROM delivery_attempts WHERE at < {} GROUP BY book_id \
             ORDER BY book_id LIMIT {}",
        )
        .bind((before, limit));
        let books: Vec<i64> = conn.rows(&books)?;
        let mut removed = 0;
        for book_id in books {
            let left = limit.saturating_sub(i64::try_from(removed).unwrap_or(i64::MAX));
            let old = old_attempts(before, left, Some(book_id), skip_locked);
            removed = conn.execute(&old)?.saturating_add(removed);
        }
        Ok(removed)
    }
}

/// Returns the statement that removes up to `limit` attempts before an instant, perhaps of one
/// book.
fn old_attempts<'a>(
    before: Instant,
    limit: i64,
    book: Option<i64>,
    skip_locked: &'static str,
) -> Sql<'a> {
    let of_book = |statement: Sql<'a>| match book {
        Some(book) => statement.push("book_id = {} AND ").bind(book),
        None => statement,
    };
    of_book(Sql::new(
        "WITH old AS MATERIALIZED (SELECT book_id, sequence, app_id, attempt \
         FROM delivery_attempts WHERE ",
    ))
    .push(
        "at < {} ORDER BY at LIMIT {}{}{}(book_id, sequence, app_id, attempt) IN (SELECT \
         book_id, sequence, app_id, attempt FROM old)",
    )
    .bind((
        before,
        limit,
        Sql::new(skip_locked),
        of_book(Sql::new(") DELETE FROM delivery_attempts WHERE ")),
    ))
}

/// Returns the statement of a page of the log of an app.
pub(crate) fn of_app(
    book: BookId,
    app: &AppId,
    after: Option<AttemptPlace>,
    limit: i64,
) -> Sql<'_> {
    let page = super::of_queue(Sql::new("SELECT * FROM delivery_attempts"), book, app);
    let page = match after {
        None => page,
        Some(AttemptPlace { at, sequence, number }) => {
            page.push(" AND (at, sequence, attempt) < ({}, {}, {})").bind((at, sequence, number))
        }
    };
    page.push(" ORDER BY at DESC, sequence DESC, attempt DESC LIMIT {}").bind(limit)
}

/// Adds the condition that selects the attempts of a delivery.
fn of_delivery<'a>(sql: Sql<'a>, delivery: &'a EventDelivery) -> Sql<'a> {
    let sql = sql.push(" WHERE book_id = {}").bind(delivery.book);
    let sql = sql.push(" AND sequence = {}").bind(delivery.sequence);
    sql.push(" AND app_id = {}").bind(delivery.app.as_str())
}
