//! What apps are still to be told of the deletion of a book that is removed, from behaviour 8.20.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;

use super::Model;
use super::delivery::{Fate, Queue, Reply, Sent};
use crate::sim::label;

/// A deletion on its way: it is tried as the event would have been, and where it was to be sent.
#[derive(Clone, Debug)]
pub struct Farewell {
    queue: Queue,
    address: String,
}

/// Which event goes to which app.
pub type Farewells = BTreeMap<(label::Book, label::App, i64), Farewell>;

impl Model {
    /// Copies it for each receiver that is not paused.
    pub fn take_leave(&mut self, book: label::Book, now: i64) {
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
                // What is not to be sent goes with the book.
                if let Fate::Sent(address) = self.fate((book, app), event, depth) {
                    let queue = queue.of_one(event, now);
                    self.webhooks.farewells.insert((book, app, event), Farewell { queue, address });
                }
            }
        }
    }

    /// Sends what is due; what is delivered or given up goes, and nobody responds.
    pub fn say_farewell(&mut self, (reply, now): (Reply, i64), sent: &mut Sent) {
        self.webhooks.farewells.retain(|(book, app, event), farewell| {
            while farewell.queue.is_due(now) {
                let all = sent.entry((*book, *app)).or_default();
                all.push((*event, farewell.address.clone()));
                let ended = match reply {
                    Reply::Fine(_) => true,
                    Reply::Failed => farewell.queue.fail(*event, now),
                    Reply::Busy(asked) => farewell.queue.wait(*event, asked, now),
                };
                if ended {
                    return false;
                }
            }
            true
        });
    }
}
