//! Deliveries that somebody asks for once more: rows and repository (behaviour 8.12).

use daybook_domain::delivery::{EventDelivery, Failing};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};

use crate::access::AccessTo;
use crate::bot_response::BotResponses;
use crate::conn::on_engine;
use crate::delivery::{Deliveries, Leased, NewDelivery};
use crate::error::Result;
use crate::sql::{Sql, Value};
use daybook_domain::purpose::ReplayEvents;

#[derive(QueryableByName)]
struct QueueRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    lease: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    due_at: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    failing_since: Option<i64>,
}

impl Deliveries<'_, '_> {
    /// Queues deliveries of events that are in the log already.
    pub fn queue(self, _: &AccessTo<ReplayEvents>, wanted: &[EventDelivery], now: Instant) {
        let rows = wanted.iter().map(|delivery| NewDelivery {
            book: delivery.book,
            app: delivery.app.clone(),
            sequence: delivery.sequence,
            depth: delivery.depth,
            due_at: now,
        });
        let rows = rows.collect();
        self.tx.buffer().queue_deliveries(rows);
    }

    /// Takes the queue of an app in a book to deliver one event now, under this lease until an
    /// instant; none while something else is being delivered. Until it has ended the event waits
    /// like any other, so that it is not lost with the process.
    pub fn take_one(
        self,
        _: &AccessTo<ReplayEvents>,
        delivery: EventDelivery,
        lease: i64,
        (now, until): (Instant, Instant),
    ) -> Result<Option<Leased>> {
        let mut conn = self.tx.flushed()?;
        let (book, app) = (delivery.book.get(), delivery.app.as_str());
        let key = || [Value::Int(book), Value::Text(app.into())];
        let queue = Sql::new("INSERT INTO delivery_queues (book_id, app_id) VALUES ").list(key());
        conn.execute(&queue.push(" ON CONFLICT (book_id, app_id) DO NOTHING"))?;
        let queue = Sql::new("SELECT lease, due_at, failing_since FROM delivery_queues")
            .push(" WHERE book_id = ")
            .int(book)
            .push(" AND app_id = ")
            .text(app)
            .push(conn.and_lock());
        let rows: Vec<QueueRow> = on_engine!(&mut *conn, c => (&queue).load(c))?;
        let Some(QueueRow { lease: held, due_at, failing_since }) = rows.into_iter().next() else {
            return Ok(None);
        };
        if held.is_some() && due_at.is_some_and(|until| until > now.milliseconds()) {
            return Ok(None);
        }
        let row = key().into_iter().chain([delivery.sequence, delivery.depth].map(Value::Int));
        let waiting = Sql::new("INSERT INTO deliveries (book_id, app_id, sequence, depth) VALUES ")
            .list(row)
            .push(" ON CONFLICT (book_id, app_id, sequence) DO NOTHING");
        conn.execute(&waiting)?;
        let taken = Sql::new("UPDATE delivery_queues SET lease = ")
            .int(lease)
            .push(", due_at = ")
            .int(until.milliseconds())
            .push(" WHERE book_id = ")
            .int(book)
            .push(" AND app_id = ")
            .text(app);
        conn.execute(&taken)?;
        let failing = Failing(failing_since.map(Instant::new));
        Ok(Some(Leased { delivery, lease, failing }))
    }
}

impl BotResponses<'_, '_> {
    /// Removes the response of an app to an event; whether there was one.
    pub fn delete(self, access: &AccessTo<ReplayEvents>, sequence: i64, app: &str) -> Result<bool> {
        let sql = Sql::new("DELETE FROM bot_responses WHERE book_id = ")
            .int(access.book().id.get())
            .push(" AND sequence = ")
            .int(sequence)
            .push(" AND app_id = ")
            .text(app);
        Ok(self.tx.flushed()?.execute(&sql)? > 0)
    }
}
