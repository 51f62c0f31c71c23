//! Deliveries that a user requests again (behaviour 8.12).

use daybook_domain::delivery::{EventDelivery, PauseCause};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::ReplayEvents;

use super::lease::{Leased, LockedQueue};
use super::{Deliveries, of_queue};
use crate::access::AccessTo;
use crate::bot_response::BotResponses;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::rows::delivery::NewDelivery;
use crate::storage_quota::size::of_bytes;

/// The result of leasing a queue for one event.
#[derive(Debug, Clone)]
pub enum LeaseResult {
    /// The delivery is leased.
    Leased(Leased),
    /// Another event of the queue is being delivered.
    Busy,
    /// The operator has paused the queue.
    Paused,
}

impl Deliveries<'_, '_> {
    /// Queues deliveries of existing events.
    pub fn queue(self, _: &AccessTo<ReplayEvents>, deliveries: &[EventDelivery], now: Instant) {
        let rows = deliveries.iter().map(|delivery| NewDelivery {
            book: delivery.book,
            app: delivery.app.clone(),
            sequence: delivery.sequence,
            depth: delivery.depth,
            cause_lease: None,
            due_at: now,
            is_due: false,
        });
        let rows = rows.collect();
        self.tx.buffer().queue_deliveries(rows);
    }

    /// Leases the queue of an app in a book until an instant, to deliver one event now.
    ///
    /// The event is added to the queue, so it is not lost with the process. The due time of the
    /// queue stays.
    pub fn lease_one(
        self,
        _: &AccessTo<ReplayEvents>,
        delivery: EventDelivery,
        lease: i64,
        now: Instant,
        until: Instant,
    ) -> Result<LeaseResult> {
        let tx = self.tx;
        let EventDelivery { book, app, sequence, depth, .. } = &delivery;
        let queue = Sql::new(
            "INSERT INTO delivery_queues (book_id, app_id) VALUES ({}, {}) \
             ON CONFLICT (book_id, app_id) DO NOTHING",
        );
        tx.flushed()?.run(queue.bind((book, app)))?;
        let Some(LockedQueue { lease: current, pause, .. }) =
            tx.deliveries().lock_queue(*book, app)?
        else {
            return Ok(LeaseResult::Busy);
        };
        if pause.is_some_and(|(_, cause)| cause == PauseCause::Operator) {
            return Ok(LeaseResult::Paused);
        }
        if current.is_some_and(|(_, until)| until > now) {
            return Ok(LeaseResult::Busy);
        }
        let mut conn = tx.flushed()?;
        let waiting = Sql::new(
            "INSERT INTO deliveries (book_id, app_id, sequence, depth) VALUES ({}, {}, {}, {}) \
             ON CONFLICT (book_id, app_id, sequence) DO NOTHING",
        )
        .bind((book, app, *sequence, *depth));
        conn.run(&waiting)?;
        let update = Sql::new(
            "UPDATE delivery_queues SET lease = {}, leased_until = {}, due_at = COALESCE(due_at, \
             {})",
        )
        .bind((lease, until, now));
        conn.run(of_queue(update, *book, app))?;
        Ok(LeaseResult::Leased(Leased { delivery, lease, cause_lease: None }))
    }
}

impl BotResponses<'_, '_> {
    /// Deletes the response of an app to an event; returns whether there was one.
    pub fn delete(self, access: &AccessTo<ReplayEvents>, sequence: i64, app: &str) -> Result<bool> {
        let book = access.book().id;
        let Some(bytes) = self.tx.delete_response(book, sequence, app)? else { return Ok(false) };
        self.tx.add_usage(book, of_bytes(bytes.saturating_neg()))?;
        self.unmark_failed(book, sequence)?;
        Ok(true)
    }
}
