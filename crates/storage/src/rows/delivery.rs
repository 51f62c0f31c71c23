//! Rows of `deliveries` and `delivery_queues`, and the receivers they are made for.

use std::collections::BTreeMap;

use daybook_domain::app::AppId;
use daybook_domain::delivery::Receiver;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;

use crate::conn::bulk::Bulk;
use crate::conn::sql::Value;

/// A receiver of the events of a book.
#[derive(Debug, Clone)]
pub(crate) struct ReceiverQueue {
    pub(crate) receiver: Receiver,
    /// Whether its queue is due. A change of that needs the lock of the book, so the value stays
    /// valid until a unit of work of the same group releases the queue.
    pub(crate) is_due: bool,
}

/// A delivery in the write buffer.
#[derive(Debug, Clone)]
pub(crate) struct NewDelivery {
    pub(crate) book: BookId,
    pub(crate) app: AppId,
    pub(crate) sequence: i64,
    pub(crate) depth: i64,
    /// The lease of the delivery that caused the event, which ends first.
    pub(crate) cause_lease: Option<i64>,
    pub(crate) due_at: Instant,
    /// Whether the queue is already due.
    pub(crate) is_due: bool,
}

/// Returns the rows of deliveries, and of the queues that they make due.
///
/// A queue that is already due is not written: its worker, or the next poll, finds the delivery.
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
