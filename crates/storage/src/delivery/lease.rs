//! What one process at a time does: it takes queues that are due, and gives them back. A queue is
//! due when its first delivery is; for how long a process holds it is another matter, so that who
//! comes in between leaves the pauses between two attempts as they are.

use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventDelivery, FailureStreak, PauseCause, RetryState};
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::in_flight::{InFlight, Slot};
use super::{Deliveries, of};
use crate::bulk::Bulk;
use crate::conn::{Conn, on_engine};
use crate::error::{Error, Result};
use crate::sql::{Sql, Value};

/// A delivery that one process has taken.
#[derive(Debug, Clone)]
pub struct Leased {
    /// The delivery.
    pub delivery: EventDelivery,
    /// Its lease: nobody else has the same, and no other attempt.
    pub lease: i64,
    /// The lease that it waits for while that runs.
    pub cause_lease: Option<i64>,
}

/// A delivery that was taken to be made, and the place it takes.
#[derive(Debug, Clone)]
pub struct Dispatched {
    /// The delivery.
    pub leased: Leased,
    /// Whose place it takes.
    pub seat: Slot,
}

/// A queue that this unit of work has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldQueue {
    /// The lease of the process that delivers, and until when it holds.
    pub lease: Option<(i64, Instant)>,
    /// Since when the app fails.
    pub failing: FailureStreak,
    /// When it was paused, and why.
    pub pause: Option<(Instant, PauseCause)>,
    /// Whether nothing of it is sent any more.
    pub has_ended: bool,
}

/// When a queue that is given back is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// At an instant.
    At(Instant),
    /// When it was before.
    AsBefore,
    /// Nothing waits.
    Never,
}

/// A delivery as queues find it.
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
        let tries = RetryState { failures, busy, busy_since: busy_since.map(Instant::new) };
        let delivery = EventDelivery {
            book: BookId::new(book_id),
            key: BookKey::new(public_id),
            app: AppId::stored(app_id),
            sequence,
            depth,
            tries,
            copy: None,
        };
        Leased { delivery, lease, cause_lease }
    }
}

/// A delivery that is due, and who installed its app.
#[derive(QueryableByName)]
struct DueRow {
    #[diesel(embed)]
    delivery: Row,
    #[diesel(sql_type = Nullable<BigInt>)]
    installer_id: Option<i64>,
}

impl DueRow {
    fn seat(&self) -> Slot {
        let app = AppId::stored(self.delivery.app_id.clone());
        Slot { app, installer: self.installer_id.map(UserId::new) }
    }
}

#[derive(QueryableByName)]
struct HeldRow {
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

#[derive(QueryableByName)]
struct WaitingRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
}

impl TryFrom<HeldRow> for HeldQueue {
    type Error = Error;

    fn try_from(row: HeldRow) -> Result<Self> {
        let HeldRow { lease, leased_until, failing_since, paused_at, pause_cause, stopped_at } =
            row;
        let cause = cause(pause_cause)?;
        Ok(Self {
            lease: lease.zip(leased_until.map(Instant::new)),
            failing: FailureStreak(failing_since.map(Instant::new)),
            pause: paused_at.map(|at| (Instant::new(at), cause)),
            has_ended: stopped_at.is_some(),
        })
    }
}

/// Why a queue was paused.
pub(super) fn cause(name: Option<String>) -> Result<PauseCause> {
    let cause = |name: String| PauseCause::from_name(&name).ok_or(Error::Corrupt("cause"));
    Ok(name.map(cause).transpose()?.unwrap_or(PauseCause::Operator))
}

/// A delivery `d` of a queue `q`, up to the public id of its book.
pub(super) const DELIVERY: &str = "SELECT q.book_id, q.app_id, d.sequence, d.depth, d.failures, \
       d.busy, d.busy_since, d.cause_lease, ";
/// The same of many books.
const KEY: &str = "(SELECT b.public_id FROM books b WHERE b.id = q.book_id) AS public_id";
/// Who installed the app of a queue `q` first.
const INSTALLER: &str = "(SELECT i.installer_id FROM integrations i \
     WHERE i.book_id = q.book_id AND i.app_id = q.app_id \
       AND i.id = (SELECT MIN(f.id) FROM integrations f \
         WHERE f.book_id = q.book_id AND f.app_id = q.app_id))";
/// The first delivery of each of some queues `q`.
const FIRST: &str = " FROM delivery_queues q \
     JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
       AND d.sequence = (SELECT MIN(m.sequence) FROM deliveries m \
         WHERE m.book_id = q.book_id AND m.app_id = q.app_id)";

/// Adds that a queue `q` is due and not paused, and that no process holds it.
fn due_and_free(some: Sql<'_>, now: Instant) -> Sql<'_> {
    some.push("q.due_at <= ")
        .int(now.milliseconds())
        .push(" AND (q.lease IS NULL OR q.leased_until <= ")
        .int(now.milliseconds())
        .push(") AND q.paused_at IS NULL")
}

/// The statement of what [`Deliveries::take`] takes.
pub(crate) fn due(now: Instant, occupied: &InFlight) -> Sql<'static> {
    let some = Sql::new(DELIVERY).push(KEY).push(", ").push(INSTALLER).push(" AS installer_id");
    let mut some = due_and_free(some.push(FIRST).push(" WHERE "), now)
        .push(" AND q.app_id NOT IN ")
        .list(occupied.full_apps());
    let full = occupied.full_installers();
    if !full.is_empty() {
        some = some.push(" AND COALESCE(").push(INSTALLER).push(", 0) NOT IN ").list(full);
    }
    // What an app has caused itself waits until it has answered. The leases are read once.
    some = some
        .push(
            " AND (d.cause_lease IS NULL OR d.cause_lease NOT IN (SELECT h.lease \
             FROM delivery_queues h WHERE h.lease IS NOT NULL AND h.leased_until > ",
        )
        .int(now.milliseconds())
        .push("))");
    some.push(" ORDER BY q.due_at, q.book_id, q.app_id LIMIT ")
        .int(i64::try_from(occupied.free()).unwrap_or(i64::MAX))
}

impl Conn {
    /// Takes the queue of a delivery, where what looks for queues cannot hold them; false when
    /// somebody else holds it, or has gone on with it meanwhile.
    fn take_alone(
        &mut self,
        found: &Row,
        (now, until): (Instant, Instant),
        lease: i64,
    ) -> Result<bool> {
        let free = Sql::new("SELECT q.book_id, q.app_id FROM delivery_queues q WHERE q.book_id = ")
            .int(found.book_id)
            .push(" AND q.app_id = ")
            .text(found.app_id.as_str())
            .push(" AND ");
        let free = due_and_free(free, now).push(self.unless_locked());
        let sql = Sql::new("UPDATE delivery_queues SET lease = ")
            .int(lease)
            .push(", leased_until = ")
            .int(until.milliseconds())
            .push(" WHERE book_id = ")
            .int(found.book_id)
            .push(" AND (book_id, app_id) IN (")
            .append(free)
            .push(")");
        Ok(self.execute(&sql)? > 0)
    }

    /// Takes some of the queues that are due, and adds them to those that were taken; whether it
    /// has passed over one, because its app or who installed it may have no more places.
    fn take_some(
        &mut self,
        (now, until): (Instant, Instant),
        mint: &mut dyn FnMut() -> i64,
        (occupied, taken): (&mut InFlight, &mut Vec<Dispatched>),
    ) -> Result<bool> {
        let due = due(now, occupied).push(self.unless_q_locked()).uncached();
        let rows: Vec<DueRow> = on_engine!(self, c => (&due).load(c))?;
        let (mut is_full, is_distributed) = (false, self.engine().is_distributed());
        let mut leases = Bulk::new(
            "INSERT INTO delivery_queues (book_id, app_id, lease, leased_until)",
            4,
            " ON CONFLICT (book_id, app_id) DO UPDATE SET lease = excluded.lease, \
             leased_until = excluded.leased_until",
        );
        for row in rows {
            let seat = row.seat();
            if !occupied.admits(&seat) {
                is_full = true;
                continue;
            }
            let (row, lease) = (row.delivery, mint());
            if !is_distributed {
                leases.row([
                    Value::Int(row.book_id),
                    Value::Text(row.app_id.clone().into()),
                    Value::Int(lease),
                    Value::Int(until.milliseconds()),
                ]);
            } else if !self.take_alone(&row, (now, until), lease)? {
                continue;
            }
            occupied.enter(&seat);
            taken.push(Dispatched { leased: row.leased(lease), seat });
        }
        self.write(leases)?;
        Ok(is_full)
    }
}

impl Deliveries<'_, '_> {
    /// Takes queues that are due, as many as there are places for, those that have been due for
    /// longest first, each under a new lease until an instant. What another process is taking is
    /// passed over.
    pub fn take(
        self,
        times: (Instant, Instant),
        mint: &mut dyn FnMut() -> i64,
        occupied: &mut InFlight,
    ) -> Result<Vec<Dispatched>> {
        let mut conn = self.tx.flushed()?;
        occupied.fill(|places| conn.take_some(times, &mut *mint, places))
    }

    /// Locks the queue of a delivery; nothing when its lease does not hold any more: it was too
    /// long and somebody else has taken the queue, or the app was removed, or the delivery has left
    /// its book.
    pub fn hold(self, leased: &Leased) -> Result<Option<HeldQueue>> {
        let (tx, EventDelivery { book, app, sequence, .. }) = (self.tx, &leased.delivery);
        let held = tx.deliveries().queue_of(*book, app)?;
        let held = held.filter(|held| held.lease.is_some_and(|(lease, _)| lease == leased.lease));
        // Asked under the lock: whoever takes the delivery away holds it, too.
        let waiting = of(Sql::new("SELECT sequence FROM deliveries"), *book, app);
        let waiting = waiting.push(" AND sequence = ").int(*sequence);
        let rows: Vec<WaitingRow> = on_engine!(tx.flushed()?, c => (&waiting).load(c))?;
        Ok(held.filter(|_| rows.iter().any(|row| row.sequence == *sequence)))
    }

    /// Locks the queue of an app in a book, if there is one.
    pub fn queue_of(self, book: BookId, app: &AppId) -> Result<Option<HeldQueue>> {
        let mut conn = self.tx.flushed()?;
        let queue = Sql::new(
            "SELECT lease, leased_until, failing_since, paused_at, pause_cause, stopped_at \
             FROM delivery_queues",
        );
        let queue = of(queue, book, app).push(conn.and_lock());
        let rows: Vec<HeldRow> = on_engine!(&mut *conn, c => (&queue).load(c))?;
        rows.into_iter().next().map(HeldQueue::try_from).transpose()
    }

    /// Prolongs the lease of a queue that is held.
    pub fn prolong(self, leased: &Leased, until: Instant) -> Result<()> {
        let EventDelivery { book, app, .. } = &leased.delivery;
        let sql = Sql::new("UPDATE delivery_queues SET leased_until = ").int(until.milliseconds());
        self.tx.flushed()?.execute(&of(sql, *book, app))?;
        Ok(())
    }

    /// Notes how often a delivery was tried.
    pub fn save_tries(self, delivery: &EventDelivery, tries: RetryState) -> Result<()> {
        let RetryState { failures, busy, busy_since } = tries;
        let sql = Sql::new("UPDATE deliveries SET failures = ")
            .int(failures)
            .push(", busy = ")
            .int(busy)
            .push(", busy_since = ")
            .value(Value::SomeInt(busy_since.map(Instant::milliseconds)));
        let sql = of(sql, delivery.book, &delivery.app);
        self.tx.flushed()?.execute(&sql.push(" AND sequence = ").int(delivery.sequence))?;
        Ok(())
    }

    /// Removes a delivery that has ended; answers the next one of its queue, under the same lease.
    pub fn end(self, leased: &Leased) -> Result<Option<Leased>> {
        let Leased { delivery, lease, .. } = leased;
        let mut conn = self.tx.flushed()?;
        let gone = of(Sql::new("DELETE FROM deliveries"), delivery.book, &delivery.app);
        conn.execute(&gone.push(" AND sequence = ").int(delivery.sequence))?;
        let next = Sql::new(DELIVERY)
            .text(delivery.key.as_str())
            .push(
                " AS public_id FROM delivery_queues q \
                 JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
                 WHERE q.book_id = ",
            )
            .int(delivery.book.get())
            .push(" AND q.app_id = ")
            .text(delivery.app.as_str())
            .push(" ORDER BY d.sequence LIMIT 1");
        let rows: Vec<Row> = on_engine!(&mut *conn, c => (&next).load(c))?;
        Ok(rows.into_iter().next().map(|row| row.leased(*lease)))
    }

    /// Goes on with a queue for the next delivery, which is due now, under the lease of that.
    pub fn go_on(
        self,
        next: &Leased,
        (now, until): (Instant, Instant),
        failing: FailureStreak,
    ) -> Result<()> {
        let sql = Sql::new("UPDATE delivery_queues SET lease = ")
            .int(next.lease)
            .push(", leased_until = ")
            .int(until.milliseconds())
            .push(", due_at = ")
            .int(now.milliseconds())
            .push(", failing_since = ")
            .value(Value::SomeInt(failing.0.map(Instant::milliseconds)));
        let sql = of(sql, next.delivery.book, &next.delivery.app);
        self.tx.flushed()?.execute(&sql)?;
        Ok(())
    }

    /// Gives a queue back.
    pub fn release(self, leased: &Leased, due: Due, failing: FailureStreak) -> Result<()> {
        let sql = Sql::new(
            "UPDATE delivery_queues SET lease = NULL, leased_until = NULL, failing_since = ",
        )
        .value(Value::SomeInt(failing.0.map(Instant::milliseconds)));
        let sql = match due {
            Due::At(at) => sql.push(", due_at = ").int(at.milliseconds()),
            Due::AsBefore => sql,
            Due::Never => sql.push(", due_at = NULL"),
        };
        let sql = of(sql, leased.delivery.book, &leased.delivery.app);
        self.tx.flushed()?.execute(&sql)?;
        Ok(())
    }
}
