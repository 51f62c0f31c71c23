//! Deliveries: rows and repository (behaviour 8.9, 8.11). They are written with their events, in
//! the write buffer, and found across books, by when they are due.
//!
//! What one process at a time does is not a delivery but a queue: the deliveries of an app in a
//! book. Its row is locked by whoever changes it, always before its deliveries, and never two of
//! them by one unit of work that waits; a writer locks the book first. So nobody waits in a circle.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventDelivery, Failing, Receiver, Tries};
use daybook_domain::event::EventType;
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::bulk::Bulk;
use crate::column;
use crate::conn::{Conn, on_engine};
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
    pub(crate) due_at: Instant,
}

/// Writes deliveries of any books, and makes their queues due.
pub(crate) fn write(conn: &mut Conn, deliveries: &[NewDelivery]) -> Result<()> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let mut rows = Bulk::new(
        "INSERT INTO deliveries (book_id, app_id, sequence, depth)",
        4,
        " ON CONFLICT (book_id, app_id, sequence) DO NOTHING",
    );
    let mut queues = BTreeMap::new();
    for NewDelivery { book, app, sequence, depth, due_at } in deliveries {
        let queue = (book.get(), app.as_str());
        queues.entry(queue).or_insert_with(|| due_at.milliseconds());
        rows.row([
            Value::Int(queue.0),
            Value::Text(queue.1.into()),
            Value::Int(*sequence),
            Value::Int(*depth),
        ]);
    }
    conn.write(rows)?;
    let mut rows = Bulk::new(
        "INSERT INTO delivery_queues (book_id, app_id, due_at)",
        3,
        " ON CONFLICT (book_id, app_id) DO UPDATE SET due_at = excluded.due_at \
         WHERE delivery_queues.due_at IS NULL",
    );
    for ((book, app), due_at) in queues {
        rows.row([Value::Int(book), Value::Text(app.into()), Value::Int(due_at)]);
    }
    Ok(conn.write(rows)?)
}

/// A delivery that one process has taken.
#[derive(Debug, Clone)]
pub struct Leased {
    /// The delivery.
    pub delivery: EventDelivery,
    /// Its lease: nobody else has the same.
    pub lease: i64,
    /// Since when the app fails.
    pub failing: Failing,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = BigInt)]
    depth: i64,
    #[diesel(sql_type = BigInt)]
    failures: i64,
    #[diesel(sql_type = BigInt)]
    busy: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    busy_since: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    failing_since: Option<i64>,
}

impl Row {
    fn leased(self, lease: i64) -> Leased {
        let Self { book_id, app_id, public_id, sequence, depth, failures, busy, .. } = self;
        let tries = Tries { failures, busy, busy_since: self.busy_since.map(Instant::new) };
        let delivery = EventDelivery {
            book: BookId::new(book_id),
            key: BookKey::new(public_id),
            app: AppId::stored(app_id),
            sequence,
            depth,
            tries,
        };
        Leased { delivery, lease, failing: Failing(self.failing_since.map(Instant::new)) }
    }
}

#[derive(QueryableByName)]
struct HeldQueue {
    #[diesel(sql_type = Nullable<BigInt>)]
    lease: Option<i64>,
}

/// The first delivery of each of some queues `q`.
const FIRST: &str = "SELECT q.book_id, q.app_id, d.sequence, d.depth, d.failures, d.busy, \
       d.busy_since, q.failing_since, \
       (SELECT b.public_id FROM books b WHERE b.id = q.book_id) AS public_id \
     FROM delivery_queues q \
     JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
       AND d.sequence = (SELECT MIN(m.sequence) FROM deliveries m \
         WHERE m.book_id = q.book_id AND m.app_id = q.app_id)";

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
}

impl TryFrom<ReceiverRow> for Receiver {
    type Error = Error;

    fn try_from(row: ReceiverRow) -> Result<Self> {
        let kind = |name: &String| EventType::from_name(name).ok_or(Error::Corrupt("events"));
        let events = column::texts_from_text(row.events, "events")?;
        Ok(Self {
            app: AppId::stored(row.app_id),
            events: events.iter().map(kind).collect::<Result<_>>()?,
            file_patterns: column::texts_from_text(row.file_patterns, "file_patterns")?,
        })
    }
}

/// How many deliveries each app may have at once, over those of this process.
#[derive(Debug, Clone, Default)]
pub struct Occupied {
    /// How many of each app run.
    pub running: HashMap<AppId, usize>,
    /// How many may run.
    pub most: usize,
}

impl Occupied {
    fn full(&self) -> impl Iterator<Item = &AppId> {
        self.running.iter().filter(|(_, count)| **count >= self.most).map(|(app, _)| app)
    }

    fn admits(&mut self, app: &str) -> bool {
        let running = self.running.entry(AppId::stored(app.to_owned())).or_default();
        let admits = *running < self.most;
        *running += usize::from(admits);
        admits
    }
}

/// The deliveries of this installation.
pub struct Deliveries<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Deliveries<'_, '_> {
    /// Takes queues that are due, at most so many, those that have been due for longest first, for
    /// this lease until an instant. What another process is taking is passed over.
    pub fn take(
        self,
        (now, until): (Instant, Instant),
        lease: i64,
        occupied: &mut Occupied,
        limit: usize,
    ) -> Result<Vec<Leased>> {
        let mut conn = self.tx.flushed()?;
        let due = Sql::new(FIRST)
            .push(" WHERE q.due_at <= ")
            .int(now.milliseconds())
            .push(" AND q.paused_at IS NULL AND q.app_id NOT IN ")
            .list(
                occupied
                    .full()
                    .map(|app| Value::Text(app.as_str().to_owned().into()))
                    // An empty list matches nothing, nor does its negation.
                    .chain([Value::Text("".into())])
                    .collect::<Vec<_>>(),
            )
            .push(" ORDER BY q.due_at, q.book_id, q.app_id LIMIT ")
            .int(i64::try_from(limit).unwrap_or(i64::MAX))
            .push(conn.unless_q_locked())
            .uncached();
        let rows: Vec<Row> = on_engine!(&mut *conn, c => (&due).load(c))?;
        let taken: Vec<Row> = rows.into_iter().filter(|row| occupied.admits(&row.app_id)).collect();
        let mut leases = Bulk::new(
            "INSERT INTO delivery_queues (book_id, app_id, due_at, lease)",
            4,
            " ON CONFLICT (book_id, app_id) DO UPDATE SET due_at = excluded.due_at, \
             lease = excluded.lease",
        );
        for row in &taken {
            leases.row([
                Value::Int(row.book_id),
                Value::Text(row.app_id.as_str().into()),
                Value::Int(until.milliseconds()),
                Value::Int(lease),
            ]);
        }
        conn.write(leases)?;
        Ok(taken.into_iter().map(|row| row.leased(lease)).collect())
    }

    /// Locks the queue of a delivery; whether the lease still holds. It does not when it was too
    /// long and somebody else has taken the queue, or when the app was removed.
    pub fn holds(self, leased: &Leased) -> Result<bool> {
        Ok(self.held(&leased.delivery)?.is_some_and(|held| held.lease == Some(leased.lease)))
    }

    fn held(self, delivery: &EventDelivery) -> Result<Option<HeldQueue>> {
        let mut conn = self.tx.flushed()?;
        let queue = at(Sql::new("SELECT lease FROM delivery_queues"), delivery);
        let queue = queue.push(conn.and_lock());
        let rows: Vec<HeldQueue> = on_engine!(&mut *conn, c => (&queue).load(c))?;
        Ok(rows.into_iter().next())
    }

    /// Prolongs a lease that still holds.
    pub fn prolong(self, leased: &Leased, until: Instant) -> Result<()> {
        let sql = Sql::new("UPDATE delivery_queues SET due_at = ").int(until.milliseconds());
        let sql = at(sql, &leased.delivery).push(" AND lease = ").int(leased.lease);
        self.tx.flushed()?.execute(&sql)?;
        Ok(())
    }

    /// Notes how often a delivery was tried.
    pub fn save_tries(self, delivery: &EventDelivery, tries: Tries) -> Result<()> {
        let Tries { failures, busy, busy_since } = tries;
        let sql = Sql::new("UPDATE deliveries SET failures = ")
            .int(failures)
            .push(", busy = ")
            .int(busy)
            .push(", busy_since = ")
            .value(Value::SomeInt(busy_since.map(Instant::milliseconds)));
        let sql = at(sql, delivery).push(" AND sequence = ").int(delivery.sequence);
        self.tx.flushed()?.execute(&sql)?;
        Ok(())
    }

    /// Removes a delivery that has ended; answers the next one of its queue, under the same lease.
    pub fn end(self, leased: &Leased) -> Result<Option<Leased>> {
        let Leased { delivery, lease, .. } = leased;
        let mut conn = self.tx.flushed()?;
        let gone = at(Sql::new("DELETE FROM deliveries"), delivery);
        conn.execute(&gone.push(" AND sequence = ").int(delivery.sequence))?;
        let next = Sql::new(FIRST).push(" WHERE q.book_id = ").int(delivery.book.get());
        let next = next.push(" AND q.app_id = ").text(delivery.app.as_str());
        let rows: Vec<Row> = on_engine!(&mut *conn, c => (&next).load(c))?;
        Ok(rows.into_iter().next().map(|row| row.leased(*lease)))
    }

    /// Gives a queue back, which is due again at an instant, or has nothing to do.
    pub fn release(self, leased: &Leased, due_at: Option<Instant>, failing: Failing) -> Result<()> {
        let sql = Sql::new("UPDATE delivery_queues SET lease = NULL, due_at = ")
            .value(Value::SomeInt(due_at.map(Instant::milliseconds)))
            .push(", failing_since = ")
            .value(Value::SomeInt(failing.0.map(Instant::milliseconds)));
        self.tx.flushed()?.execute(&at(sql, &leased.delivery))?;
        Ok(())
    }

    /// Ends a queue: nothing is delivered to the app in the book any more.
    pub fn stop(self, delivery: &EventDelivery, now: Instant) -> Result<()> {
        let sql = Sql::new("UPDATE delivery_queues SET lease = NULL, due_at = NULL, stopped_at = ")
            .int(now.milliseconds());
        let mut conn = self.tx.flushed()?;
        conn.execute(&at(sql, delivery))?;
        conn.execute(&at(Sql::new("DELETE FROM deliveries"), delivery))?;
        Ok(())
    }

    /// Removes a queue with all that waits in it: the app has left the book.
    pub(crate) fn drop_queue(self, book: BookId, app: &AppId) -> Result<()> {
        let mut conn = self.tx.flushed()?;
        for table in ["DELETE FROM delivery_queues", "DELETE FROM deliveries"] {
            let sql = Sql::new(table).push(" WHERE book_id = ").int(book.get());
            conn.execute(&sql.push(" AND app_id = ").text(app.as_str()))?;
        }
        Ok(())
    }

    /// The apps that receive events of a book.
    pub fn receivers(self, access: &Access) -> Result<Vec<Receiver>> {
        self.tx.receivers(access.book().id)
    }

    /// How many events of a book wait for an app that is not paused (behaviour 8.10).
    pub fn backlog(self, book: BookId) -> Result<i64> {
        let sql = Sql::new(
            "SELECT COUNT(DISTINCT d.sequence) AS count FROM delivery_queues q \
             JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
             WHERE q.paused_at IS NULL AND q.book_id = ",
        )
        .int(book.get());
        let rows: Vec<WaitingCount> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.first().map_or(0, |row| row.count))
    }
}

/// The condition that names the queue of a delivery.
fn at<'a>(sql: Sql<'a>, delivery: &'a EventDelivery) -> Sql<'a> {
    let sql = sql.push(" WHERE book_id = ").int(delivery.book.get());
    sql.push(" AND app_id = ").text(delivery.app.as_str())
}

impl Tx<'_> {
    /// Who receives the events of a book: read once for a group, as far as nobody changes a row.
    pub(crate) fn receivers(&mut self, book: BookId) -> Result<Vec<Receiver>> {
        if let Some(known) = self.group_cache.receivers.get(&book) {
            return Ok(known.clone());
        }
        let sql = Sql::new(
            "SELECT i.app_id, a.events, a.file_patterns FROM integrations i \
             JOIN apps a ON a.id = i.app_id \
             LEFT JOIN delivery_queues q ON q.book_id = i.book_id AND q.app_id = i.app_id \
             WHERE a.events IS NOT NULL AND q.stopped_at IS NULL AND i.book_id = ",
        )
        .int(book.get())
        .push(" ORDER BY i.app_id");
        let rows: Vec<ReceiverRow> = on_engine!(self.unflushed(), c => (&sql).load(c))?;
        let mut read: Vec<Receiver> =
            rows.into_iter().map(Receiver::try_from).collect::<Result<_>>()?;
        read.dedup_by(|one, before| one.app == before.app);
        self.group_cache.receivers.insert(book, read.clone());
        Ok(read)
    }
}
