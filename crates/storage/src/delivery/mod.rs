//! Deliveries: rows and repository (behaviour 8.9, 8.11). They are written with their events, in
//! the write buffer, and found across books, by when they are due.
//!
//! What one process at a time does is not a delivery but a queue: the deliveries of an app in a
//! book. Its row is locked by whoever changes it, always before its deliveries. Who waits for it
//! has locked the book first: who writes events, and who writes down what became of a delivery. Who
//! takes queues waits for nobody, passes over those that are locked, and comes last in its group
//! ([`crate::ShardKey::DELIVERIES`]). So nobody waits in a circle.
//!
//! | Module | What it does |
//! |---|---|
//! | `detached` | What outlives its book |
//! | `lease` | Takes queues that are due, and gives them back |
//! | `occupied` | Counts whose deliveries a process makes |
//! | `pause` | Pauses queues, and goes on with them |
//! | `replay` | What somebody asks for once more |
//! | `ended` | Ends queues, and removes what waited in them |
//! | `log` | What was tried |

pub mod detached;
pub mod ended;
pub mod in_flight;
pub mod lease;
pub mod log;
pub mod pause;
pub mod replay;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::Receiver;
use daybook_domain::event::EventType;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::{Sql, Value};
use crate::tx::Tx;

/// Says that there are new deliveries.
#[derive(Clone, Default)]
pub(crate) struct DeliverySignal(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl DeliverySignal {
    pub(crate) fn set(&self, signal: impl Fn() + Send + Sync + 'static) {
        // Whoever came first stays.
        let _ = self.0.set(Box::new(signal));
    }

    pub(crate) fn give(&self) {
        if let Some(signal) = self.0.get() {
            signal();
        }
    }
}

/// A delivery that waits to be written.
#[derive(Debug, Clone)]
pub(crate) struct NewDelivery {
    pub(crate) book: BookId,
    pub(crate) app: AppId,
    pub(crate) sequence: i64,
    pub(crate) depth: i64,
    /// The lease that it waits for.
    pub(crate) cause_lease: Option<i64>,
    pub(crate) due_at: Instant,
    /// Whether its queue is known to be due already.
    pub(crate) is_due: bool,
}

/// The rows of deliveries of any books, and of their queues, which they make due. What is known to
/// be due is not touched: of it whoever is at work, or a look at the clock, knows.
pub(crate) fn rows(deliveries: &[NewDelivery]) -> [Bulk<'_>; 2] {
    let mut rows = Bulk::new(
        "INSERT INTO deliveries (book_id, app_id, sequence, depth, cause_lease)",
        5,
        " ON CONFLICT (book_id, app_id, sequence) DO NOTHING",
    );
    let mut queues = BTreeMap::new();
    for NewDelivery { book, app, sequence, depth, cause_lease, due_at, is_due } in deliveries {
        let queue = (book.get(), app.as_str());
        if !is_due {
            queues.entry(queue).or_insert_with(|| due_at.milliseconds());
        }
        rows.row([
            Value::Int(queue.0),
            Value::Text(queue.1.into()),
            Value::Int(*sequence),
            Value::Int(*depth),
            Value::SomeInt(*cause_lease),
        ]);
    }
    let mut due = Bulk::new(
        "INSERT INTO delivery_queues (book_id, app_id, due_at)",
        3,
        " ON CONFLICT (book_id, app_id) DO UPDATE SET due_at = excluded.due_at \
         WHERE delivery_queues.due_at IS NULL",
    );
    for ((book, app), due_at) in queues {
        due.row([Value::Int(book), Value::Text(app.into()), Value::Int(due_at)]);
    }
    [rows, due]
}

#[derive(QueryableByName)]
struct WaitingCount {
    #[diesel(sql_type = BigInt)]
    count: i64,
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

/// A receiver of the events of a book.
#[derive(Debug, Clone)]
pub(crate) struct KnownReceiver {
    pub(crate) receiver: Receiver,
    /// Whether its queue is due. Who changes that has locked the book, as who writes events has; so
    /// it stays so until somebody in the same group gives the queue back.
    pub(crate) is_due: bool,
}

impl TryFrom<ReceiverRow> for KnownReceiver {
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
    /// The apps that receive events of a book.
    pub fn receivers(self, access: &Access) -> Result<Vec<Receiver>> {
        let known = self.tx.receivers(access.book().id)?;
        Ok(known.into_iter().map(|known| known.receiver).collect())
    }

    /// How many events of a book wait for an app that is not paused (behaviour 8.10).
    pub fn backlog(self, book: BookId) -> Result<i64> {
        let sql = Sql::new(
            "SELECT COUNT(DISTINCT d.sequence) AS count FROM delivery_queues q \
             JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
             WHERE q.paused_at IS NULL AND q.stopped_at IS NULL AND q.book_id = ",
        )
        .int(book.get());
        let rows: Vec<WaitingCount> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.first().map_or(0, |row| row.count))
    }
}

/// The condition that names the queue of an app in a book.
fn of<'a>(sql: Sql<'a>, book: BookId, app: &'a AppId) -> Sql<'a> {
    let sql = sql.push(" WHERE book_id = ").int(book.get());
    sql.push(" AND app_id = ").text(app.as_str())
}

impl Tx<'_> {
    /// Who receives the events of a book: read once for a group, as far as nobody changes a row.
    pub(crate) fn receivers(&mut self, book: BookId) -> Result<Vec<KnownReceiver>> {
        if let Some(known) = self.group_cache.receivers.get(&book) {
            return Ok(known.clone());
        }
        let sql = Sql::new(
            "SELECT i.app_id, a.events, a.file_patterns, i.own_events, q.due_at \
             FROM integrations i JOIN apps a ON a.id = i.app_id \
             LEFT JOIN delivery_queues q ON q.book_id = i.book_id AND q.app_id = i.app_id \
             WHERE a.events IS NOT NULL AND q.stopped_at IS NULL AND i.book_id = ",
        )
        .int(book.get())
        .push(" ORDER BY i.app_id, i.id");
        let rows: Vec<ReceiverRow> = on_engine!(self.unflushed()?, c => (&sql).load(c))?;
        let mut read: Vec<KnownReceiver> =
            rows.into_iter().map(KnownReceiver::try_from).collect::<Result<_>>()?;
        // Of several integrations of an app the first one counts.
        read.dedup_by(|one, before| one.receiver.app == before.receiver.app);
        self.group_cache.receivers.insert(book, read.clone());
        Ok(read)
    }
}
