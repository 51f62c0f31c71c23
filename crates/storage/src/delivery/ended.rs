//! Ended queues (behaviour 8.11), whose deliveries are neither sent nor shown.
//!
//! A queue may have millions of deliveries, which are removed in portions.

use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventDelivery, PauseCause};
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::{Deliveries, end_of_portion, of_queue};
use crate::conn::sql::{Sql, Value, list};
use crate::error::Result;

/// Maximum number of deliveries that one unit of work removes.
const MAX_REMOVED: i64 = 5_000;
/// Maximum number of queues in a portion of a list.
const MAX_LISTED: i64 = 1_000;

/// An ended queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedQueue {
    /// The book.
    pub book: BookKey,
    /// The app.
    pub app: AppId,
    /// Whether rows of it are left to remove.
    pub has_rows: bool,
    /// The place in the list of ended queues.
    pub place: EndedPlace,
}

/// A place in the list of ended queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedPlace {
    book: i64,
    app: String,
}

#[derive(QueryableByName)]
struct EndedRow {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    waiting: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    installed: Option<i64>,
}

impl From<EndedRow> for EndedQueue {
    fn from(row: EndedRow) -> Self {
        let EndedRow { book_id, public_id, app_id, waiting, installed } = row;
        Self {
            book: BookKey::new(public_id),
            app: AppId::stored(app_id.clone()),
            has_rows: waiting.is_some() || installed.is_none(),
            place: EndedPlace { book: book_id, app: app_id },
        }
    }
}

impl Deliveries<'_, '_> {
    /// Ends a queue, after which nothing is delivered to the app in the book.
    pub fn stop(self, delivery: &EventDelivery, now: Instant) -> Result<()> {
        let (tx, EventDelivery { book, app, .. }) = (self.tx, delivery);
        let stopped = Sql::new(STOPPED).bind(now);
        tx.flushed()?.run(of_queue(stopped, *book, app))?;
        tx.deliveries().remove_portion(*book, app)?;
        Ok(())
    }

    /// Ends a queue because the app was removed from the book.
    ///
    /// A pause by the operator stays, in case the app is installed again.
    pub(crate) fn drop_queue(self, book: BookId, app: &AppId, now: Instant) -> Result<()> {
        let tx = self.tx;
        let operator = PauseCause::Operator.as_str();
        let stopped = Sql::new(STOPPED)
            .bind(now)
            .push(
                ", failing_since = NULL, paused_at = CASE WHEN pause_cause = {} THEN paused_at \
                 END, pause_cause = CASE WHEN pause_cause = {} THEN pause_cause END",
            )
            .bind((operator, operator));
        tx.flushed()?.run(of_queue(stopped, book, app))?;
        if tx.deliveries().remove_portion(book, app)? {
            return Ok(());
        }
        tx.deliveries().remove_queue(book, app)
    }

    /// Removes a portion of an ended queue; returns whether deliveries are left.
    ///
    /// With the last portion the queue is removed, if the app is not installed in the book.
    pub fn clear(self, book: BookId, app: &AppId) -> Result<bool> {
        let tx = self.tx;
        let queue = tx.deliveries().lock_queue(book, app)?;
        if queue.is_none_or(|queue| !queue.has_ended) {
            return Ok(false);
        }
        if tx.deliveries().remove_portion(book, app)? {
            return Ok(true);
        }
        if tx.integrations().installer(book, app)?.is_none() {
            tx.deliveries().remove_queue(book, app)?;
        }
        Ok(false)
    }

    /// Lists ended queues after a place, up to 1,000.
    pub fn ended(self, after: Option<&EndedPlace>) -> Result<Vec<EndedQueue>> {
        let query = ended(after);
        self.tx.flushed()?.load_as::<EndedRow, _>(&query)
    }

    /// Removes the first deliveries of a locked queue; returns whether deliveries are left.
    fn remove_portion(self, book: BookId, app: &AppId) -> Result<bool> {
        let mut conn = self.tx.flushed()?;
        let limit = MAX_REMOVED.saturating_add(1);
        let Some((last, count)) = end_of_portion(&mut conn, book, app, limit)? else {
            return Ok(false);
        };
        let has_more = count > MAX_REMOVED;
        let delete = of_queue(Sql::new("DELETE FROM deliveries"), book, app);
        let delete =
            delete.push(if has_more { " AND sequence < {}" } else { " AND sequence <= {}" });
        conn.run(delete.bind(last))?;
        Ok(has_more)
    }

    /// Removes an empty queue. If the operator has paused it, only its end is reset.
    fn remove_queue(self, book: BookId, app: &AppId) -> Result<()> {
        let mut conn = self.tx.flushed()?;
        let delete = of_queue(Sql::new("DELETE FROM delivery_queues"), book, app);
        let operator = PauseCause::Operator.as_str();
        let delete = delete.push(" AND (pause_cause IS NULL OR pause_cause <> {}").bind(operator);
        conn.execute(delete.push(")"))?;
        let reopen = Sql::new("UPDATE delivery_queues SET stopped_at = NULL");
        conn.run(of_queue(reopen, book, app))
    }
}

const STOPPED: &str = "UPDATE delivery_queues SET lease = NULL, leased_until = NULL, \
     due_at = NULL, stopped_at = {}";

/// Returns the statement of [`Deliveries::ended`].
fn ended(after: Option<&EndedPlace>) -> Sql<'_> {
    let query = Sql::new(
        "SELECT q.book_id, q.app_id, b.public_id, \
         (SELECT MIN(d.sequence) FROM deliveries d \
           WHERE d.book_id = q.book_id AND d.app_id = q.app_id) AS waiting, \
         (SELECT MIN(i.id) FROM integrations i \
           WHERE i.book_id = q.book_id AND i.app_id = q.app_id) AS installed \
         FROM delivery_queues q JOIN books b ON b.id = q.book_id WHERE q.stopped_at IS NOT NULL",
    );
    let query = match after {
        Some(EndedPlace { book, app }) => {
            let key = [Value::Int(*book), Value::Text(app.as_str().into())];
            query.push(" AND (q.book_id, q.app_id) > {}").bind(list(key))
        }
        None => query,
    };
    query.push(" ORDER BY q.book_id, q.app_id LIMIT {}").bind(MAX_LISTED)
}
