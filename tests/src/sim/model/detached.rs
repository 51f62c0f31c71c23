//! Deletion events that are delivered after their book is removed, from behaviour 8.20.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;

use super::Model;
use super::delivery::{Decision, Queue, Reply, Sent};
use crate::sim::label;

/// A detached delivery: retried as before, to the address it had.
#[derive(Clone, Debug)]
pub struct DetachedDelivery {
    queue: Queue,
    address: String,
}

/// The detached deliveries, by book, app and event number.
pub type DetachedDeliveries = BTreeMap<(label::Book, label::App, i64), DetachedDelivery>;

impl Model {
    /// Detaches the pending deliveries of each receiver that is not paused.
    pub fn detach_pending_deliveries(&mut self, book: label::Book, now: i64) {
        let kinds: BTreeMap<i64, EventType> =
            self.log(book).iter().map(|event| (event.sequence, event.kind)).collect();
        let queues = self.webhooks.queues.iter();
        let of_book = queues.filter(|((of, _), queue)| *of == book && !queue.is_paused());
        let wanted: Vec<(label::App, Queue)> =
            of_book.map(|((_, app), queue)| (*app, queue.clone())).collect();
        for (app, queue) in wanted {
            for (event, depth) in queue.depths() {
                if kinds.get(&event) != Some(&EventType::BookDeleted) {
                    continue;
                }
                // Deliveries without an address are removed with the book.
                if let Decision::Send(address) = self.decide(book, app, event, depth) {
                    let queue = queue.of_one(event, now);
                    self.webhooks
                        .detached
                        .insert((book, app, event), DetachedDelivery { queue, address });
                }
            }
        }
    }

    /// Sends due detached deliveries. Ended ones are removed, without a response.
    pub fn send_detached(&mut self, reply: Reply, now: i64, sent: &mut Sent) {
        self.webhooks.detached.retain(|(book, app, event), delivery| {
            while delivery.queue.is_due(now) {
                let all = sent.entry((*book, *app)).or_default();
                all.push((*event, delivery.address.clone()));
                let ended = match reply {
                    Reply::Accepted(_) => true,
                    Reply::Failed => delivery.queue.fail(*event, now),
                    Reply::Busy(retry_after) => delivery.queue.wait(*event, retry_after, now),
                };
                if ended {
                    return false;
                }
            }
            true
        });
    }
}
