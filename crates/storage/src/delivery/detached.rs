//! Deliveries that outlive their book (behaviour 8.20). They belong to no queue; each is leased
//! separately.

use std::sync::Arc;

use daybook_domain::app::AppId;
use daybook_domain::delivery::{EventCopy, EventDelivery, RetryState};
use daybook_domain::event::EventType;
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::in_flight::{InFlight, SlotHolder};
use super::lease::{DELIVERY, Leased, LeasedWithSlot, Row};
use crate::commit::tx::Tx;
use crate::conn::Conn;
use crate::conn::sql::{Sql, list};
use crate::error::Result;

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
            retry_state: RetryState { failures, busy, busy_since: busy_since.map(Instant::new) },
            copy: Some(Arc::new(EventCopy { id: event, installer, url, body })),
        };
        Leased { delivery, lease, cause_lease: None }
    }
}

/// A number that no book has.
const NO_BOOK: BookId = BookId::new(0);

impl Conn {
    /// Leases deliveries that are due and adds them to `dispatched`.
    ///
    /// Returns whether it skipped one because its app or installer has no slots left.
    fn lease_detached(
        &mut self,
        now: Instant,
        until: Instant,
        new_lease: &mut dyn FnMut() -> i64,
        in_flight: &mut InFlight,
        dispatched: &mut Vec<LeasedWithSlot>,
    ) -> Result<bool> {
        let mut due = Sql::new(
            "SELECT * FROM detached_deliveries WHERE due_at <= {} AND (lease IS NULL \
             OR leased_until <= {}) AND app_id NOT IN {}",
        )
        .bind((now, now, list(in_flight.full_apps())));
        let full = in_flight.full_installers();
        if !full.is_empty() {
            due = due.push(" AND user_id NOT IN {}").bind(list(full));
        }
        let due = due
            .push(" ORDER BY due_at LIMIT {}{}")
            .bind((
                i64::try_from(in_flight.free()).unwrap_or(i64::MAX),
                Sql::new(self.skip_locked()),
            ))
            .uncached();
        let rows: Vec<DetachedRow> = self.load(&due)?;
        let mut has_skipped = false;
        for row in rows {
            let app = AppId::stored(row.app_id.clone());
            let slot = SlotHolder { app, installer: Some(UserId::new(row.user_id)) };
            if !in_flight.admits(&slot) {
                has_skipped = true;
                continue;
            }
            let leased = row.leased(new_lease());
            let sql = Sql::new("UPDATE detached_deliveries SET lease = {}, leased_until = {}")
                .bind((leased.lease, until));
            self.execute(detached_row(sql, &leased.delivery))?;
            in_flight.enter(&slot);
            dispatched.push(LeasedWithSlot { leased, slot });
        }
        Ok(has_skipped)
    }
}

/// Deliveries that outlive their book.
pub struct DetachedDeliveries<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl DetachedDeliveries<'_, '_> {
    /// Lists the pending deliveries of the deletion of a book, without paused ones.
    pub fn pending_deletions(self, book: &BookKey) -> Result<Vec<EventDelivery>> {
        let Some(number) = self.tx.book_number(book.as_str())? else { return Ok(Vec::new()) };
        let pending = Sql::new(DELIVERY)
            .push(
                "o.public_id FROM delivery_queues q JOIN books o ON o.id = q.book_id \
                 JOIN deliveries d ON d.book_id = q.book_id AND d.app_id = q.app_id \
                 JOIN events e ON e.book_id = d.book_id AND e.sequence = d.sequence \
                 WHERE q.book_id = {} AND o.public_id = {} AND q.paused_at IS NULL \
                 AND q.stopped_at IS NULL AND e.kind = {} ORDER BY d.app_id, d.sequence",
            )
            .bind((number, book.as_str(), i64::from(EventType::BookDeleted.number())));
        let rows: Vec<Row> = self.tx.flushed()?.load(&pending)?;
        Ok(rows.into_iter().map(|row| row.leased(0).delivery).collect())
    }

    /// Detaches a delivery from its book, if it is still pending, with its due time and its lease.
    ///
    /// A process that is delivering it saves the outcome here.
    pub fn detach(self, delivery: &EventDelivery, copy: &EventCopy, now: Instant) -> Result<()> {
        let tx = self.tx;
        let EventDelivery { book, key, app, sequence, .. } = delivery;
        // A queue is locked before its deliveries.
        tx.deliveries().lock_queue(*book, app)?;
        let EventCopy { id, installer, url, body } = copy;
        let detached = Sql::new(
            "INSERT INTO detached_deliveries (book, event, url, body, user_id, app_id, sequence, \
             depth, failures, busy, busy_since, lease, leased_until, due_at) \
             SELECT {}, {}, {}, {}, {}, d.app_id, d.sequence, d.depth, d.failures, d.busy, \
             d.busy_since, q.lease, q.leased_until, COALESCE(q.due_at, {}) FROM deliveries d \
             JOIN delivery_queues q ON q.book_id = d.book_id AND q.app_id = d.app_id \
             WHERE d.book_id = {} AND d.app_id = {} AND d.sequence = {} \
             ON CONFLICT (book, app_id, sequence) DO NOTHING",
        )
        .bind((
            key.as_str(),
            id.as_str(),
            url.as_str(),
            body.as_str(),
            installer,
            now,
            book,
            app.as_str(),
            *sequence,
        ))
        .uncached();
        let mut conn = tx.flushed()?;
        conn.run(&detached)?;
        let delete = super::of_queue(Sql::new("DELETE FROM deliveries"), *book, app);
        conn.run(delete.push(" AND sequence = {}").bind(*sequence))
    }

    /// Leases due deliveries until an instant, as many as there are slots.
    ///
    /// Deliveries that another process is leasing are skipped.
    pub fn lease_due(
        self,
        now: Instant,
        until: Instant,
        new_lease: &mut dyn FnMut() -> i64,
        in_flight: &mut InFlight,
    ) -> Result<Vec<LeasedWithSlot>> {
        let mut conn = self.tx.flushed()?;
        in_flight.fill(|in_flight, dispatched| {
            conn.lease_detached(now, until, &mut *new_lease, in_flight, dispatched)
        })
    }

    /// Extends a lease that has not ended.
    pub fn extend_lease(self, leased: &Leased, until: Instant) -> Result<()> {
        let sql = Sql::new("UPDATE detached_deliveries SET leased_until = {}");
        let sql = leased_row(sql.bind(until), leased);
        self.tx.flushed()?.run(&sql)
    }

    /// Releases a delivery whose lease has not ended. It is retried at an instant.
    pub fn release(self, leased: &Leased, state: RetryState, at: Instant) -> Result<()> {
        let RetryState { failures, busy, busy_since } = state;
        let sql = Sql::new(
            "UPDATE detached_deliveries SET lease = NULL, leased_until = NULL, due_at = {}, \
             failures = {}, busy = {}, busy_since = {}",
        )
        .bind((at, failures, busy, busy_since));
        self.tx.flushed()?.run(leased_row(sql, leased))
    }

    /// Deletes a delivery that has ended; returns whether its lease was still valid.
    pub fn end(self, leased: &Leased) -> Result<bool> {
        let sql = leased_row(Sql::new("DELETE FROM detached_deliveries"), leased);
        Ok(self.tx.flushed()?.execute(&sql)? > 0)
    }
}

/// Adds the condition that selects a detached delivery.
fn detached_row<'a>(sql: Sql<'a>, delivery: &'a EventDelivery) -> Sql<'a> {
    let sql = sql.push(" WHERE book = {}").bind(delivery.key.as_str());
    let sql = sql.push(" AND app_id = {}").bind(delivery.app.as_str());
    sql.push(" AND sequence = {}").bind(delivery.sequence)
}

/// Adds the condition that selects a detached delivery with a lease.
fn leased_row<'a>(sql: Sql<'a>, leased: &'a Leased) -> Sql<'a> {
    detached_row(sql, &leased.delivery).push(" AND lease = {}").bind(leased.lease)
}
