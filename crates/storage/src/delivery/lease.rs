//! Leases of queues: a process leases queues that are due, and releases them.
//!
//! A queue is due when its first delivery is. The lease has its own expiry, so a replay in between
//! does not change the pause between two attempts.

use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventDelivery, FailureStreak, PauseCause, RetryState};
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::in_flight::{InFlight, SlotHolder};
use super::{Deliveries, of_queue};
use crate::conn::Conn;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value, list};
use crate::error::{Error, Result};

/// A delivery that a process has leased.
#[derive(Debug, Clone)]
pub struct Leased {
    /// The delivery.
    pub delivery: EventDelivery,
    /// The lease, which is unique to this attempt.
    pub lease: i64,
    /// The lease of the delivery that caused the event, which must end first.
    pub cause_lease: Option<i64>,
}

/// A leased delivery with its slot.
#[derive(Debug, Clone)]
pub struct LeasedWithSlot {
    /// The delivery.
    pub leased: Leased,
    /// The slot that it uses.
    pub slot: SlotHolder,
}

/// A queue that this unit of work has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockedQueue {
    /// The current lease and its expiry.
    pub lease: Option<(i64, Instant)>,
    /// The time since which the app fails.
    pub streak: FailureStreak,
    /// The start and the cause of a pause.
    pub pause: Option<(Instant, PauseCause)>,
    /// Whether the queue has ended.
    pub has_ended: bool,
}

/// When a released queue is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// At an instant.
    At(Instant),
    /// At the same instant as before.
    AsBefore,
    /// Never, because it is empty.
    Never,
}

/// A delivery of a queue.
#[derive(QueryableByName)]
pub(super) struct Row {
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
    cause_lease: Option<i64>,
}

impl Row {
    pub(super) fn leased(self, lease: i64) -> Leased {
        let Self { book_id, app_id, public_id, sequence, depth, cause_lease, .. } = self;
        let Self { failures, busy, busy_since, .. } = self;
        let retry_state = RetryState { failures, busy, busy_since: busy_since.map(Instant::new) };
        let delivery = EventDelivery {
            book: BookId::new(book_id),
            key: BookKey::new(public_id),
            app: AppId::stored(app_id),
            sequence,
            depth,
            retry_state,
            copy: None,
        };
        Leased { delivery, lease, cause_lease }
    }
}

/// A due delivery, and the user who installed its app.
#[derive(QueryableByName)]
struct DueRow {
    #[diesel(embed)]
    delivery: Row,
    #[diesel(sql_type = Nullable<BigInt>)]
    installer_id: Option<i64>,
}

impl DueRow {
    fn slot(&self) -> SlotHolder {
        let app = AppId::stored(self.delivery.app_id.clone());
        SlotHolder { app, installer: self.installer_id.map(UserId::new) }
    }
}

#[derive(QueryableByName)]
struct QueueRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    lease: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    leased_until: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    failing_since: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    paused_at: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    pause_cause: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    stopped_at: Option<i64>,
}

impl TryFrom<QueueRow> for LockedQueue {
    type Error = Error;

    fn try_from(row: QueueRow) -> Result<Self> {
        let QueueRow { lease, leased_until, failing_since, paused_at, pause_cause, stopped_at } =
            row;
        let cause = parse_cause(pause_cause)?;
        Ok(Self {
            lease: lease.zip(leased_until.map(Instant::new)),
            streak: FailureStreak(failing_since.map(Instant::new)),
            pause: paused_at.map(|at| (Instant::new(at), cause)),
            has_ended: stopped_at.is_some(),
        })
    }
}

/// Parses the cause of a pause.
pub(super) fn parse_cause(name: Option<String>) -> Result<PauseCause> {
    let parse = |name: String| PauseCause::from_name(&name).ok_or(Error::Corrupt("cause"));
    Ok(name.map(parse).transpose()?.unwrap_or(PauseCause::Operator))
}

/// Selects a delivery `d` of a queue `q`. The public id of its book follows.
pub(super) const DELIVERY: &str = "SELECT q.book_id, q.app_id, d.sequence, d.depth, d.failures, \
       d.busy, d.busy_since, d.cause_lease, ";
/// The public id, for queues of many books.
const KEY: &str = "(SELECT b.public_id FROM books b WHERE b.id = q.book_id) AS public_id";
/// The user who first installed the app of a queue `q`.
const INSTALLER: &str = "(SELECT i.installer_id FROM integrations i \
     WHERE i.book_id = q.book_id AND i.app_id = q.app_id \
       AND i.id = (SELECT MIN(f.id) FROM integrations f \
         WHERE f.book_id = q.book_id AND f.app_id = q.app_id))";
/// Joins the first delivery of each queue `q`.
const FIRST: &str = " FROM delivery_queues q \
     JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
       AND d.sequence = (SELECT MIN(m.sequence) FROM deliveries m \
         WHERE m.book_id = q.book_id AND m.app_id = q.app_id)";

/// Adds the condition that a queue `q` is due, not paused and not leased.
fn due_and_free(sql: Sql<'_>, now: Instant) -> Sql<'_> {
    sql.push("q.due_at <= {} AND (q.lease IS NULL OR q.leased_until <= {}) AND q.paused_at IS NULL")
        .bind((now, now))
}

/// Selects the deliveries that [`Deliveries::lease_due`] leases.
pub(crate) fn due(now: Instant, in_flight: &InFlight) -> Sql<'static> {
    let query = Sql::new(DELIVERY).push(KEY).push(", ").push(INSTALLER).push(" AS installer_id");
    let mut query = due_and_free(query.push(FIRST).push(" WHERE "), now)
        .push(" AND q.app_id NOT IN {}")
        .bind(list(in_flight.full_apps()));
    let full = in_flight.full_installers();
    if !full.is_empty() {
        query =
            query.push(" AND COALESCE({}, 0) NOT IN {}").bind((Sql::new(INSTALLER), list(full)));
    }
    // An event that an app caused waits until the causing delivery ends. The leases are read once.
    query = query
        .push(
            " AND (d.cause_lease IS NULL OR d.cause_lease NOT IN (SELECT h.lease \
             FROM delivery_queues h WHERE h.lease IS NOT NULL AND h.leased_until > {}))",
        )
        .bind(now);
    query
        .push(" ORDER BY q.due_at, q.book_id, q.app_id LIMIT {}")
        .bind(i64::try_from(in_flight.free()).unwrap_or(i64::MAX))
}

impl Conn {
    /// Leases one queue, on an engine where the query for due queues cannot lock them.
    ///
    /// Returns false if the queue is no longer due and free.
    fn lease_one(&mut self, found: &Row, now: Instant, until: Instant, lease: i64) -> Result<bool> {
        let free = Sql::new(
            "SELECT q.book_id, q.app_id FROM delivery_queues q WHERE q.book_id = {} \
             AND q.app_id = {} AND ",
        )
        .bind((found.book_id, found.app_id.as_str()));
        let free = due_and_free(free, now).push(self.skip_locked());
        let sql = Sql::new(
            "UPDATE delivery_queues SET lease = {}, leased_until = {} WHERE book_id = {} \
             AND (book_id, app_id) IN ({})",
        )
        .bind((lease, until, found.book_id, free));
        Ok(self.execute(&sql)? > 0)
    }

    /// Leases queues that are due and adds them to `dispatched`.
    ///
    /// Returns whether it skipped a queue because its app or installer has no slots left.
    fn lease_due(
        &mut self,
        now: Instant,
        until: Instant,
        new_lease: &mut dyn FnMut() -> i64,
        in_flight: &mut InFlight,
        dispatched: &mut Vec<LeasedWithSlot>,
    ) -> Result<bool> {
        let query = due(now, in_flight).push(self.skip_locked_of_q()).uncached();
        let rows: Vec<DueRow> = self.load(&query)?;
        let is_distributed = self.engine().is_distributed();
        let mut has_skipped = false;
        let mut leases = Bulk::new(
            "INSERT INTO delivery_queues (book_id, app_id, lease, leased_until)",
            4,
            " ON CONFLICT (book_id, app_id) DO UPDATE SET lease = excluded.lease, \
             leased_until = excluded.leased_until",
        );
        for row in rows {
            let slot = row.slot();
            if !in_flight.admits(&slot) {
                has_skipped = true;
                continue;
            }
            let (row, lease) = (row.delivery, new_lease());
            if !is_distributed {
                leases.row([
                    Value::Int(row.book_id),
                    Value::Text(row.app_id.clone().into()),
                    Value::Int(lease),
                    Value::Int(until.milliseconds()),
                ]);
            } else if !self.lease_one(&row, now, until, lease)? {
                continue;
            }
            in_flight.enter(&slot);
            dispatched.push(LeasedWithSlot { leased: row.leased(lease), slot });
        }
        self.write(leases)?;
        Ok(has_skipped)
    }
}

impl Deliveries<'_, '_> {
    /// Leases due queues until an instant, as many as there are slots, oldest first.
    ///
    /// Queues that another process is leasing are skipped.
    pub fn lease_due(
        self,
        now: Instant,
        until: Instant,
        new_lease: &mut dyn FnMut() -> i64,
        in_flight: &mut InFlight,
    ) -> Result<Vec<LeasedWithSlot>> {
        let mut conn = self.tx.flushed()?;
        in_flight.fill(|in_flight, dispatched| {
            conn.lease_due(now, until, &mut *new_lease, in_flight, dispatched)
        })
    }

    /// Locks the queue of a leased delivery.
    ///
    /// Returns nothing if the lease has ended: it expired and another process leased the queue, the
    /// app was removed, or the delivery was detached from its book.
    pub fn lock_leased(self, leased: &Leased) -> Result<Option<LockedQueue>> {
        let (tx, EventDelivery { book, app, sequence, .. }) = (self.tx, &leased.delivery);
        let queue = tx.deliveries().lock_queue(*book, app)?;
        let queue =
            queue.filter(|queue| queue.lease.is_some_and(|(lease, _)| lease == leased.lease));
        // Checked under the lock, which the removal of a delivery also takes.
        let waiting = of_queue(Sql::new("SELECT sequence FROM deliveries"), *book, app);
        let waiting = waiting.push(" AND sequence = {}").bind(*sequence);
        let exists = tx.flushed()?.row::<i64>(&waiting)?.is_some();
        Ok(if exists { queue } else { None })
    }

    /// Locks the queue of an app in a book, if there is one.
    pub fn lock_queue(self, book: BookId, app: &AppId) -> Result<Option<LockedQueue>> {
        let mut conn = self.tx.flushed()?;
        let queue = Sql::new(
            "SELECT lease, leased_until, failing_since, paused_at, pause_cause, stopped_at \
             FROM delivery_queues",
        );
        let queue = of_queue(queue, book, app).push(conn.for_update());
        conn.first_as::<QueueRow, _>(&queue)
    }

    /// Extends the lease of a locked queue.
    pub fn extend_lease(self, leased: &Leased, until: Instant) -> Result<()> {
        let EventDelivery { book, app, .. } = &leased.delivery;
        let sql = Sql::new("UPDATE delivery_queues SET leased_until = {}").bind(until);
        self.tx.flushed()?.run(of_queue(sql, *book, app))
    }

    /// Saves the retry state of a delivery.
    pub fn save_retry_state(self, delivery: &EventDelivery, state: RetryState) -> Result<()> {
        let RetryState { failures, busy, busy_since } = state;
        let sql = Sql::new("UPDATE deliveries SET failures = {}, busy = {}, busy_since = {}")
            .bind((failures, busy, busy_since));
        let sql = of_queue(sql, delivery.book, &delivery.app);
        self.tx.flushed()?.run(sql.push(" AND sequence = {}").bind(delivery.sequence))
    }

    /// Deletes a delivery that has ended; returns the next one of its queue under the same lease.
    pub fn end(self, leased: &Leased) -> Result<Option<Leased>> {
        let Leased { delivery, lease, .. } = leased;
        let mut conn = self.tx.flushed()?;
        let delete = of_queue(Sql::new("DELETE FROM deliveries"), delivery.book, &delivery.app);
        conn.execute(delete.push(" AND sequence = {}").bind(delivery.sequence))?;
        let next = Sql::new(DELIVERY)
            .push(
                "{} AS public_id FROM delivery_queues q JOIN deliveries d ON d.book_id = q.book_id \
                 AND d.app_id = q.app_id WHERE q.book_id = {} AND q.app_id = {} \
                 ORDER BY d.sequence LIMIT 1",
            )
            .bind((&delivery.key, delivery.book, &delivery.app));
        let rows: Vec<Row> = conn.load(&next)?;
        Ok(rows.into_iter().next().map(|row| row.leased(*lease)))
    }

    /// Continues a queue with the next delivery, which is due now, under its lease.
    pub fn continue_with(
        self,
        next: &Leased,
        now: Instant,
        until: Instant,
        streak: FailureStreak,
    ) -> Result<()> {
        let sql = Sql::new(
            "UPDATE delivery_queues SET lease = {}, leased_until = {}, due_at = {}, \
             failing_since = {}",
        )
        .bind((next.lease, until, now, streak.0));
        let sql = of_queue(sql, next.delivery.book, &next.delivery.app);
        self.tx.flushed()?.run(&sql)
    }

    /// Releases a queue.
    pub fn release(self, leased: &Leased, due: Due, streak: FailureStreak) -> Result<()> {
        let sql = Sql::new(
            "UPDATE delivery_queues SET lease = NULL, leased_until = NULL, failing_since = {}",
        )
        .bind(streak.0);
        let sql = match due {
            Due::At(at) => sql.push(", due_at = {}").bind(at),
            Due::AsBefore => sql,
            Due::Never => sql.push(", due_at = NULL"),
        };
        let sql = of_queue(sql, leased.delivery.book, &leased.delivery.app);
        self.tx.flushed()?.run(&sql)
    }
}
