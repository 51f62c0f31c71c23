//! Queues that have ended (behaviour 8.11): nothing of them is sent or shown any more. What waited
//! in them may be millions of rows, which are removed in portions.

use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventDelivery, PauseCause};
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::pause::LastOfPortion;
use super::{Deliveries, of};
use crate::conn::on_engine;
use crate::error::Result;
use crate::sql::{Sql, Value};

/// Deliveries that one unit of work removes.
const REMOVED_AT_ONCE: i64 = 5_000;
/// The most queues in a portion of a list.
const MAX_LISTED: i64 = 1_000;

/// A queue that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedQueue {
    /// The book.
    pub book: BookKey,
    /// The app.
    pub app: AppId,
    /// Whether there is something of it to remove.
    pub has_rest: bool,
    /// Where it stands among the others.
    pub place: EndedPlace,
}

/// A place among the queues that have ended.
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
            has_rest: waiting.is_some() || installed.is_none(),
            place: EndedPlace { book: book_id, app: app_id },
        }
    }
}

impl Deliveries<'_, '_> {
    /// Ends a queue: nothing is delivered to the app in the book any more.
    pub fn stop(self, delivery: &EventDelivery, now: Instant) -> Result<()> {
        let (tx, EventDelivery { book, app, .. }) = (self.tx, delivery);
        let stopped = Sql::new(STOPPED).int(now.milliseconds());
        tx.flushed()?.execute(&of(stopped, *book, app))?;
        tx.deliveries().remove_some((*book, app))?;
        Ok(())
    }

    /// Ends a queue because the app has left the book. What the operator has paused stays paused
    /// when it comes back.
    pub(crate) fn drop_queue(self, (book, app): (BookId, &AppId), now: Instant) -> Result<()> {
        let tx = self.tx;
        let operator = PauseCause::Operator.as_str();
        let stopped = Sql::new(STOPPED)
            .int(now.milliseconds())
            .push(", failing_since = NULL, paused_at = CASE WHEN pause_cause = ")
            .text(operator)
            .push(" THEN paused_at END, pause_cause = CASE WHEN pause_cause = ")
            .text(operator)
            .push(" THEN pause_cause END");
        tx.flushed()?.execute(&of(stopped, book, app))?;
        if tx.deliveries().remove_some((book, app))? {
            return Ok(());
        }
        tx.deliveries().forget((book, app))
    }

    /// Removes some of what waited in a queue, if it has ended; and the queue behind it, if the app
    /// has left the book. Whether there is more.
    pub fn clear(self, (book, app): (BookId, &AppId)) -> Result<bool> {
        let tx = self.tx;
        let held = tx.deliveries().queue_of(book, app)?;
        if held.is_none_or(|held| !held.has_ended) {
            return Ok(false);
        }
        if tx.deliveries().remove_some((book, app))? {
            return Ok(true);
        }
        if tx.integrations().installer(book, app)?.is_none() {
            tx.deliveries().forget((book, app))?;
        }
        Ok(false)
    }

    /// The queues that have ended, behind a place, some at once.
    pub fn ended(self, after: Option<&EndedPlace>) -> Result<Vec<EndedQueue>> {
        let some = ended(after);
        let rows: Vec<EndedRow> = on_engine!(self.tx.flushed()?, c => (&some).load(c))?;
        Ok(rows.into_iter().map(EndedQueue::from).collect())
    }

    /// Removes the first deliveries of a queue that this unit of work has locked; whether there are
    /// more.
    fn remove_some(self, (book, app): (BookId, &AppId)) -> Result<bool> {
        let mut conn = self.tx.flushed()?;
        let first = of(Sql::new("SELECT sequence FROM deliveries"), book, app);
        let first = first.push(" ORDER BY sequence LIMIT ").int(REMOVED_AT_ONCE.saturating_add(1));
        let portion = Sql::new("SELECT MAX(p.sequence) AS sequence, COUNT(*) AS count FROM (")
            .append(first)
            .push(") p");
        let rows: Vec<LastOfPortion> = on_engine!(&mut *conn, c => (&portion).load(c))?;
        let Some(LastOfPortion { sequence: Some(last), count }) = rows.into_iter().next() else {
            return Ok(false);
        };
        let is_more = count > REMOVED_AT_ONCE;
        let gone = of(Sql::new("DELETE FROM deliveries"), book, app);
        let gone = gone.push(if is_more { " AND sequence < " } else { " AND sequence <= " });
        conn.execute(&gone.int(last))?;
        Ok(is_more)
    }

    /// Removes a queue in which nothing waits. Of one that the operator has paused the pause stays.
    fn forget(self, (book, app): (BookId, &AppId)) -> Result<()> {
        let mut conn = self.tx.flushed()?;
        let gone = of(Sql::new("DELETE FROM delivery_queues"), book, app);
        let operator = PauseCause::Operator.as_str();
        let gone = gone.push(" AND (pause_cause IS NULL OR pause_cause <> ").text(operator);
        conn.execute(&gone.push(")"))?;
        let kept = Sql::new("UPDATE delivery_queues SET stopped_at = NULL");
        conn.execute(&of(kept, book, app))?;
        Ok(())
    }
}

const STOPPED: &str = "UPDATE delivery_queues SET lease = NULL, leased_until = NULL, \
     due_at = NULL, stopped_at = ";

/// The statement of [`Deliveries::ended`].
fn ended(after: Option<&EndedPlace>) -> Sql<'_> {
    let some = Sql::new(
        "SELECT q.book_id, q.app_id, b.public_id, \
         (SELECT MIN(d.sequence) FROM deliveries d \
           WHERE d.book_id = q.book_id AND d.app_id = q.app_id) AS waiting, \
         (SELECT MIN(i.id) FROM integrations i \
           WHERE i.book_id = q.book_id AND i.app_id = q.app_id) AS installed \
         FROM delivery_queues q JOIN books b ON b.id = q.book_id WHERE q.stopped_at IS NOT NULL",
    );
    let some = match after {
        Some(EndedPlace { book, app }) => {
            let key = [Value::Int(*book), Value::Text(app.as_str().into())];
            some.push(" AND (q.book_id, q.app_id) > ").list(key)
        }
        None => some,
    };
    some.push(" ORDER BY q.book_id, q.app_id LIMIT ").int(MAX_LISTED)
}
