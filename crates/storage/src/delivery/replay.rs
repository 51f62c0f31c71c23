//! Deliveries that somebody asks for once more: rows and repository (behaviour 8.12).

use daybook_domain::delivery::{EventDelivery, PauseCause};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::ReplayEvents;

use super::lease::{HeldQueue, Leased};
use super::{Deliveries, NewDelivery, of};
use crate::access::AccessTo;
use crate::bot_response::BotResponses;
use crate::error::Result;
use crate::sql::{Sql, Value};
use crate::stored::bytes;

/// Whether a queue could be taken to deliver one event.
#[derive(Debug, Clone)]
pub enum Turn {
    /// It was.
    Taken(Leased),
    /// Something else is being delivered.
    Busy,
    /// The operator has paused it.
    Paused,
}

impl Deliveries<'_, '_> {
    /// Queues deliveries of events that are in the log already.
    pub fn queue(self, _: &AccessTo<ReplayEvents>, wanted: &[EventDelivery], now: Instant) {
        let rows = wanted.iter().map(|delivery| NewDelivery {
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

    /// Takes the queue of an app in a book to deliver one event now, under this lease until an
    /// instant, unless something else is being delivered. Until it has ended the event waits like
    /// any other, so that it is not lost with the process; when the others are due stays as it is.
    pub fn take_one(
        self,
        _: &AccessTo<ReplayEvents>,
        delivery: EventDelivery,
        lease: i64,
        (now, until): (Instant, Instant),
    ) -> Result<Turn> {
        let tx = self.tx;
        let EventDelivery { book, app, sequence, depth, .. } = &delivery;
        let key = || [Value::Int(book.get()), Value::Text(app.as_str().into())];
        let queue = Sql::new("INSERT INTO delivery_queues (book_id, app_id) VALUES ").list(key());
        tx.flushed()?.execute(&queue.push(" ON CONFLICT (book_id, app_id) DO NOTHING"))?;
        let Some(HeldQueue { lease: held, pause, .. }) = tx.deliveries().queue_of(*book, app)?
        else {
            return Ok(Turn::Busy);
        };
        if pause.is_some_and(|(_, cause)| cause == PauseCause::Operator) {
            return Ok(Turn::Paused);
        }
        if held.is_some_and(|(_, until)| until > now) {
            return Ok(Turn::Busy);
        }
        let mut conn = tx.flushed()?;
        let row = key().into_iter().chain([*sequence, *depth].map(Value::Int));
        let waiting = Sql::new("INSERT INTO deliveries (book_id, app_id, sequence, depth) VALUES ")
            .list(row)
            .push(" ON CONFLICT (book_id, app_id, sequence) DO NOTHING");
        conn.execute(&waiting)?;
        let taken = Sql::new("UPDATE delivery_queues SET lease = ")
            .int(lease)
            .push(", leased_until = ")
            .int(until.milliseconds())
            .push(", due_at = COALESCE(due_at, ")
            .int(now.milliseconds())
            .push(")");
        conn.execute(&of(taken, *book, app))?;
        Ok(Turn::Taken(Leased { delivery, lease, cause_lease: None }))
    }
}

impl BotResponses<'_, '_> {
    /// Removes the response of an app to an event; whether there was one.
    pub fn delete(self, access: &AccessTo<ReplayEvents>, sequence: i64, app: &str) -> Result<bool> {
        let book = access.book().id;
        let Some(gone) = self.tx.delete_response(book, (sequence, app))? else { return Ok(false) };
        self.tx.note_stored(book, bytes(gone.saturating_neg()))?;
        self.forget_failed(book, sequence)?;
        Ok(true)
    }
}
