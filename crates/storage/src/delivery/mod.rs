//! Deliveries of events to apps (behaviour 8.9, 8.11).
//!
//! Deliveries are written with their events, in the write buffer. The unit that a process works on
//! is a queue: the deliveries of an app in a book. Its row is locked by every change of the queue,
//! always before its deliveries. A worker leases the queues that are due, delivers the first event,
//! and releases or continues the queue. Queues are found across books, by when they are due.
//!
//! Writers of events and of outcomes lock the book before the queue. The unit of work that leases
//! queues skips locked ones, and comes last in its group ([`crate::ShardKey::DELIVERIES`]). So no
//! two units of work wait for each other.
//!
//! | Module | Contents |
//! |---|---|
//! | `lease` | Leasing queues that are due, and releasing them |
//! | `in_flight` | The slots of a process, by app and by user |
//! | `pause` | Pausing and resuming queues |
//! | `replay` | Deliveries that a user requests again |
//! | `ended` | Ending queues, and removing their deliveries in portions |
//! | `detached` | Deliveries that outlive their book |
//! | `log` | The delivery log |

pub mod detached;
pub mod ended;
pub mod in_flight;
pub mod lease;
pub mod log;
pub mod pause;
pub mod replay;

use std::sync::{Arc, OnceLock};

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::Receiver;
use daybook_domain::event::EventType;
use daybook_domain::id::BookId;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

use crate::commit::tx::Tx;
use crate::conn::Conn;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::rows::column;
use crate::rows::delivery::ReceiverQueue;

/// Calls a function when deliveries have become due.
#[derive(Clone, Default)]
pub(crate) struct DeliverySignal(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl DeliverySignal {
    /// Sets the function. Only the first call has an effect.
    pub(crate) fn set(&self, signal: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(signal));
    }

    /// Calls the function, if it is set.
    pub(crate) fn send(&self) {
        if let Some(signal) = self.0.get() {
            signal();
        }
    }
}

#[derive(QueryableByName)]
struct ReceiverRow {
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    events: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    file_patterns: Option<String>,
    #[diesel(sql_type = Bool)]
    own_events: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    due_at: Option<i64>,
}

impl TryFrom<ReceiverRow> for ReceiverQueue {
    type Error = Error;

    fn try_from(row: ReceiverRow) -> Result<Self> {
        let kind = |name: &String| EventType::from_name(name).ok_or(Error::Corrupt("events"));
        let events = column::texts_from_text(row.events, "events")?;
        let receiver = Receiver {
            app: AppId::stored(row.app_id),
            events: events.iter().map(kind).collect::<Result<_>>()?,
            file_patterns: column::texts_from_text(row.file_patterns, "file_patterns")?,
            own_events: row.own_events,
        };
        Ok(Self { receiver, is_due: row.due_at.is_some() })
    }
}

/// The deliveries of this installation.
pub struct Deliveries<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Deliveries<'_, '_> {
    /// Lists the apps that receive events of a book.
    pub fn receivers(self, access: &Access) -> Result<Vec<Receiver>> {
        let known = self.tx.receivers(access.book().id)?;
        Ok(known.into_iter().map(|known| known.receiver).collect())
    }

    /// Counts the events of a book that wait for an app that is not paused (behaviour 8.10).
    pub fn backlog(self, book: BookId) -> Result<i64> {
        let sql = Sql::new(
            "SELECT COUNT(DISTINCT d.sequence) AS count FROM delivery_queues q \
             JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
             WHERE q.paused_at IS NULL AND q.stopped_at IS NULL AND q.book_id = {}",
        )
        .bind(book);
        Ok(self.tx.flushed()?.row::<i64>(&sql)?.unwrap_or_default())
    }
}

/// Adds the condition that selects the rows of an app in a book.
fn of_queue<'a>(sql: Sql<'a>, book: BookId, app: &'a AppId) -> Sql<'a> {
    let sql = sql.push(" WHERE book_id = {}").bind(book);
    sql.push(" AND app_id = {}").bind(app.as_str())
}

/// Returns the last of the first `limit` deliveries of a queue, and their number, if there are any.
fn end_of_portion(
    conn: &mut Conn,
    book: BookId,
    app: &AppId,
    limit: i64,
) -> Result<Option<(i64, i64)>> {
    let first = of_queue(Sql::new("SELECT sequence FROM deliveries"), book, app);
    let first = first.push(" ORDER BY sequence LIMIT {}").bind(limit);
    let portion = Sql::new("SELECT MAX(p.sequence), COUNT(*) FROM ({}) p").bind(first);
    let end = conn.row::<(Option<i64>, i64)>(&portion)?;
    Ok(end.and_then(|(last, count)| Some((last?, count))))
}

impl Tx<'_> {
    /// Loads the receivers of the events of a book. They are cached for the group until a unit of
    /// work changes a row.
    pub(crate) fn receivers(&mut self, book: BookId) -> Result<Vec<ReceiverQueue>> {
        if let Some(known) = self.group_cache.receivers.get(&book) {
            return Ok(known.clone());
        }
        let sql = Sql::new(
            "SELECT i.app_id, a.events, a.file_patterns, i.own_events, q.due_at \
             FROM integrations i JOIN apps a ON a.id = i.app_id LEFT \
             JOIN delivery_queues q ON q.book_id = i.book_id AND q.app_id = i.app_id \
             WHERE a.events IS NOT NULL AND q.stopped_at IS NULL AND i.book_id = {} \
             ORDER BY i.app_id, i.id",
        )
        .bind(book);
        let rows: Vec<ReceiverRow> = self.unflushed()?.load(&sql)?;
        let mut receivers: Vec<ReceiverQueue> =
            rows.into_iter().map(ReceiverQueue::try_from).collect::<Result<_>>()?;
        // If an app has several integrations, the first one counts.
        receivers.dedup_by(|one, before| one.receiver.app == before.receiver.app);
        self.group_cache.receivers.insert(book, receivers.clone());
        Ok(receivers)
    }
}
