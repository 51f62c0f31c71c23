//! Deliveries that outlive their book (behaviour 8.20): rows and repository. They belong to no
//! queue any more; each is leased for itself.

use std::sync::Arc;

use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventCopy, EventDelivery, RetryState};
use daybook_domain::event::EventType;
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::in_flight::{InFlight, Slot};
use super::lease::{DELIVERY, Dispatched, Leased, Row};
use crate::conn::{Conn, on_engine};
use crate::error::Result;
use crate::sql::{Sql, Value};
use crate::tx::Tx;

#[derive(QueryableByName)]
struct DetachedRow {
    #[diesel(sql_type = Text)]
    book: String,
    #[diesel(sql_type = Text)]
    app_id: String,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Text)]
    event: String,
    #[diesel(sql_type = BigInt)]
    user_id: i64,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Text)]
    body: String,
    #[diesel(sql_type = BigInt)]
    depth: i64,
    #[diesel(sql_type = BigInt)]
    failures: i64,
    #[diesel(sql_type = BigInt)]
    busy: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    busy_since: Option<i64>,
}

impl DetachedRow {
    fn leased(self, lease: i64) -> Leased {
        let Self { book, app_id, sequence, event, user_id, url, body, .. } = self;
        let Self { depth, failures, busy, busy_since, .. } = self;
        let installer = UserId::new(user_id);
        let delivery = EventDelivery {
            book: NO_BOOK,
            key: BookKey::new(book),
            app: AppId::stored(app_id),
            sequence,
            depth,
            tries: RetryState { failures, busy, busy_since: busy_since.map(Instant::new) },
            copy: Some(Arc::new(EventCopy { id: event, installer, url, body })),
        };
        Leased { delivery, lease, cause_lease: None }
    }
}

/// No book has this number.
const NO_BOOK: BookId = BookId::new(0);

impl Conn {
    /// Takes some of those that are due, and adds them to those that were taken; whether it has
    /// passed over one, because its app or who installed it may have no more places.
    fn take_detached(
        &mut self,
        (now, until): (Instant, Instant),
        mint: &mut dyn FnMut() -> i64,
        (occupied, taken): (&mut InFlight, &mut Vec<Dispatched>),
    ) -> Result<bool> {
        let mut due = Sql::new("SELECT * FROM detached_deliveries WHERE due_at <= ")
            .int(now.milliseconds())
            .push(" AND (lease IS NULL OR leased_until <= ")
            .int(now.milliseconds())
            .push(") AND app_id NOT IN ")
            .list(occupied.full_apps());
        let full = occupied.full_installers();
        if !full.is_empty() {
            due = due.push(" AND user_id NOT IN ").list(full);
        }
        let due = due
            .push(" ORDER BY due_at LIMIT ")
            .int(i64::try_from(occupied.free()).unwrap_or(i64::MAX))
            .push(self.unless_locked())
            .uncached();
        let rows: Vec<DetachedRow> = on_engine!(self, c => (&due).load(c))?;
        let mut is_full = false;
        for row in rows {
            let app = AppId::stored(row.app_id.clone());
            let seat = Slot { app, installer: Some(UserId::new(row.user_id)) };
            if !occupied.admits(&seat) {
                is_full = true;
                continue;
            }
            let leased = row.leased(mint());
            let sql = Sql::new("UPDATE detached_deliveries SET lease = ")
                .int(leased.lease)
                .push(", leased_until = ")
                .int(until.milliseconds());
            self.execute(&named(sql, &leased.delivery))?;
            occupied.enter(&seat);
            taken.push(Dispatched { leased, seat });
        }
        Ok(is_full)
    }
}

/// The deliveries that outlive their book.
pub struct DetachedDeliveries<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl DetachedDeliveries<'_, '_> {
    /// The deletions of a book that apps are still to be told of, those that are paused excepted.
    pub fn wanted(self, book: &BookKey) -> Result<Vec<EventDelivery>> {
        let Some(number) = self.tx.book_number(book.as_str())? else { return Ok(Vec::new()) };
        let wanted = Sql::new(DELIVERY)
            .push(
                "o.public_id FROM delivery_queues q JOIN books o ON o.id = q.book_id \
                 JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
                 JOIN events e ON e.book_id = d.book_id AND e.sequence = d.sequence \
                 WHERE q.book_id = ",
            )
            .int(number.get())
            .push(" AND o.public_id = ")
            .text(book.as_str())
            .push(" AND q.paused_at IS NULL AND q.stopped_at IS NULL AND e.kind = ")
            .int(i64::from(EventType::BookDeleted.number()))
            .push(" ORDER BY d.app_id, d.sequence");
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&wanted).load(c))?;
        Ok(rows.into_iter().map(|row| row.leased(0).delivery).collect())
    }

    /// Takes a delivery, if it still waits, out of its book, with its pause and its lease: whoever
    /// delivers it already writes down here what became of it.
    pub fn detach(self, delivery: &EventDelivery, copy: &EventCopy, now: Instant) -> Result<()> {
        let tx = self.tx;
        let EventDelivery { book, key, app, sequence, .. } = delivery;
        // A queue is locked before its deliveries.
        tx.deliveries().queue_of(*book, app)?;
        let EventCopy { id, installer, url, body } = copy;
        let detached = Sql::new(
            "INSERT INTO detached_deliveries (book, event, url, body, user_id, app_id, sequence, \
             depth, failures, busy, busy_since, lease, leased_until, due_at) SELECT ",
        )
        .text(key.as_str())
        .push(", ")
        .text(id.as_str())
        .push(", ")
        .text(url.as_str())
        .push(", ")
        .text(body.as_str())
        .push(", ")
        .int(installer.get())
        .push(
            ", d.app_id, d.sequence, d.depth, d.failures, d.busy, d.busy_since, q.lease, \
             q.leased_until, COALESCE(q.due_at, ",
        )
        .int(now.milliseconds())
        .push(
            ") FROM deliveries d JOIN delivery_queues q ON q.book_id = d.book_id \
             AND q.app_id = d.app_id WHERE d.book_id = ",
        )
        .int(book.get())
        .push(" AND d.app_id = ")
        .text(app.as_str())
        .push(" AND d.sequence = ")
        .int(*sequence)
        .push(" ON CONFLICT (book, app_id, sequence) DO NOTHING")
        .uncached();
        let mut conn = tx.flushed()?;
        conn.execute(&detached)?;
        let gone = super::of(Sql::new("DELETE FROM deliveries"), *book, app);
        conn.execute(&gone.push(" AND sequence = ").int(*sequence))?;
        Ok(())
    }

    /// Takes deliveries that are due, as many as there are places for, each under a new lease until
    /// an instant. What another process is taking is passed over.
    pub fn take(
        self,
        times: (Instant, Instant),
        mint: &mut dyn FnMut() -> i64,
        occupied: &mut InFlight,
    ) -> Result<Vec<Dispatched>> {
        let mut conn = self.tx.flushed()?;
        occupied.fill(|places| conn.take_detached(times, &mut *mint, places))
    }

    /// Prolongs a lease that still holds.
    pub fn prolong(self, leased: &Leased, until: Instant) -> Result<()> {
        let sql = Sql::new("UPDATE detached_deliveries SET leased_until = ");
        let sql = held(sql.int(until.milliseconds()), leased);
        self.tx.flushed()?.execute(&sql)?;
        Ok(())
    }

    /// Gives a delivery back whose lease still holds: it is tried again at an instant.
    pub fn release(self, leased: &Leased, tries: RetryState, at: Instant) -> Result<()> {
        let RetryState { failures, busy, busy_since } = tries;
        let sql = Sql::new("UPDATE detached_deliveries SET lease = NULL, leased_until = NULL, ")
            .push("due_at = ")
            .int(at.milliseconds())
            .push(", failures = ")
            .int(failures)
            .push(", busy = ")
            .int(busy)
            .push(", busy_since = ")
            .value(Value::SomeInt(busy_since.map(Instant::milliseconds)));
        self.tx.flushed()?.execute(&held(sql, leased))?;
        Ok(())
    }

    /// Removes a delivery that has ended; whether its lease still held.
    pub fn end(self, leased: &Leased) -> Result<bool> {
        let sql = held(Sql::new("DELETE FROM detached_deliveries"), leased);
        Ok(self.tx.flushed()?.execute(&sql)? > 0)
    }
}

fn named<'a>(sql: Sql<'a>, delivery: &'a EventDelivery) -> Sql<'a> {
    let sql = sql.push(" WHERE book = ").text(delivery.key.as_str());
    let sql = sql.push(" AND app_id = ").text(delivery.app.as_str());
    sql.push(" AND sequence = ").int(delivery.sequence)
}

fn held<'a>(sql: Sql<'a>, leased: &'a Leased) -> Sql<'a> {
    named(sql, &leased.delivery).push(" AND lease = ").int(leased.lease)
}
