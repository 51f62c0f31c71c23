//! The open event streams of a process, and the worker that wakes them (behaviour 8.23).
//!
//! A stream that waits for events holds no database connection. Every 250 milliseconds the worker
//! reads the last event number of every book that has streams, with one statement, and wakes the
//! streams of each book whose number has grown. So a commit notifies no stream, and events of other
//! processes arrive like those of this one. The statement uses a connection for authentication,
//! because copies and audits may hold the others of the server for minutes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_domain::id::{BookId, UserId};
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::error::RequestError;
use daybook_edge::metric::RateLimit;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_service::event;
use daybook_storage::{ReaderPool, Store};
use tokio::sync::watch;

/// The time between two reads of the last event numbers.
const INTERVAL: Duration = Duration::from_millis(250);
/// The maximum number of streams of one user in a process.
const MAX_OF_A_USER: usize = 20;
/// The `Retry-After` of a user with too many streams, in seconds.
const RETRY_AFTER: u64 = 10;
/// The number that wakes the streams of a book that was removed. Their next read is refused.
const REMOVED: i64 = i64::MAX;

/// The open event streams of a process.
#[derive(Clone)]
pub struct EventStreams(Arc<Shared>);

struct Shared {
    max: usize,
    stop: Stop,
    open: Mutex<OpenStreams>,
}

#[derive(Default)]
struct OpenStreams {
    total: usize,
    users: HashMap<UserId, usize>,
    /// The last known event number of each book with streams, which receive its changes.
    books: HashMap<BookId, watch::Sender<i64>>,
}

impl EventStreams {
    /// Creates the registry for at most `max` streams, which all end when `stop` is requested.
    #[must_use]
    pub fn new(max: usize, stop: Stop) -> Self {
        Self(Arc::new(Shared { max, stop, open: Mutex::default() }))
    }

    /// Registers a stream of a user in a book whose last event has this number.
    ///
    /// # Errors
    /// 429 when the user has too many streams; 503 when the process has.
    pub(crate) fn listen(
        &self,
        user: UserId,
        book: BookId,
        last: i64,
    ) -> Result<Listener, RequestError> {
        let mut open = self.open();
        if open.total >= self.0.max {
            let full = "this server has as many event streams as it can; try again shortly";
            return Err(RequestError::Overloaded(full));
        }
        let of_user = open.users.entry(user).or_default();
        if *of_user >= MAX_OF_A_USER {
            let message = format!("at most {MAX_OF_A_USER} event streams of a user can be open");
            return Err(RequestError::TooMany(RateLimit::Streams, RETRY_AFTER, message));
        }
        *of_user += 1;
        open.total += 1;
        let sender = open.books.entry(book).or_insert_with(|| watch::Sender::new(last));
        let last = advance(sender, last).subscribe();
        Ok(Listener { streams: self.clone(), user, book, last })
    }

    /// Creates the worker that wakes the streams.
    pub fn worker(&self, store: Arc<Store>) -> Worker {
        let streams = self.clone();
        let round = move || -> RunningRound {
            let (streams, store) = (streams.clone(), Arc::clone(&store));
            Box::pin(async move {
                let books = streams.books();
                if !books.is_empty() {
                    let read = move || {
                        store.read_from(ReaderPool::Identity, |tx| event::last_numbers(tx, &books))
                    };
                    streams.wake(block(read).await??);
                }
                Ok(RoundReport::default())
            })
        };
        Worker {
            name: "event streams",
            interval: INTERVAL,
            wakeup: Wakeup::default(),
            round: Box::new(round),
        }
    }

    /// Waits until the process is about to end.
    pub(crate) async fn stopped(&self) {
        self.0.stop.requested().await;
    }

    fn books(&self) -> Vec<BookId> {
        self.open().books.keys().copied().collect()
    }

    /// Wakes the streams of the books whose last event number has grown.
    fn wake(&self, numbers: Vec<(BookId, Option<i64>)>) {
        let open = self.open();
        for (book, number) in numbers {
            if let Some(sender) = open.books.get(&book) {
                advance(sender, number.unwrap_or(REMOVED));
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenStreams> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notifies the receivers of a number if it is larger than the one before.
fn advance(sender: &watch::Sender<i64>, number: i64) -> &watch::Sender<i64> {
    sender.send_if_modified(|known| {
        let is_new = number > *known;
        *known = number.max(*known);
        is_new
    });
    sender
}

/// A registered stream, until it is dropped.
pub(crate) struct Listener {
    streams: EventStreams,
    user: UserId,
    book: BookId,
    last: watch::Receiver<i64>,
}

impl Listener {
    /// Waits until the book has an event after this number.
    pub(crate) async fn event_after(&mut self, number: i64) {
        // The sender lives as long as the book has a listener.
        let _ = self.last.wait_for(|last| *last > number).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        open.total = open.total.saturating_sub(1);
        if let Entry::Occupied(mut of_user) = open.users.entry(self.user) {
            *of_user.get_mut() = of_user.get().saturating_sub(1);
            if *of_user.get() == 0 {
                of_user.remove();
            }
        }
        // The receiver of this listener is still counted.
        if let Entry::Occupied(sender) = open.books.entry(self.book)
            && sender.get().receiver_count() <= 1
        {
            sender.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);
    const USER: UserId = UserId::new(1);
    const BOOK: BookId = BookId::new(7);

    fn streams(max: usize) -> EventStreams {
        EventStreams::new(max, Stop::default())
    }

    #[tokio::test]
    async fn new_event_wakes_the_streams_of_its_book() {
        let streams = streams(10);
        let mut one = streams.listen(USER, BOOK, 3).unwrap();
        let mut other = streams.listen(USER, BookId::new(8), 3).unwrap();
        assert!(timeout(SHORT, one.event_after(3)).await.is_err(), "3 is the last one");
        streams.wake(vec![(BOOK, Some(4)), (BookId::new(8), Some(3)), (BookId::new(9), Some(5))]);
        timeout(SHORT, one.event_after(3)).await.unwrap();
        assert!(timeout(SHORT, one.event_after(4)).await.is_err());
        assert!(timeout(SHORT, other.event_after(3)).await.is_err());
        // An older number does not hide a newer one.
        streams.wake(vec![(BOOK, Some(2))]);
        timeout(SHORT, one.event_after(3)).await.unwrap();
        streams.wake(vec![(BOOK, None)]);
        timeout(SHORT, one.event_after(4)).await.expect("the book was removed");
    }

    #[tokio::test]
    async fn stream_wakes_the_others_of_its_book_when_it_knows_more() {
        let streams = streams(10);
        let mut first = streams.listen(USER, BOOK, 3).unwrap();
        let mut second = streams.listen(USER, BOOK, 5).unwrap();
        timeout(SHORT, first.event_after(4)).await.unwrap();
        timeout(SHORT, second.event_after(4)).await.unwrap();
        assert_eq!(streams.books(), [BOOK]);
        drop(first);
        assert_eq!(streams.books(), [BOOK], "the second one is open");
        drop(second);
        assert!(streams.books().is_empty() && streams.open().users.is_empty());
    }

    #[test]
    fn user_and_process_have_a_number_of_streams() {
        let streams = streams(MAX_OF_A_USER + 1);
        let listen = |user| streams.listen(UserId::new(user), BOOK, 0);
        let mut held: Vec<Listener> = (0..MAX_OF_A_USER).map(|_| listen(1).unwrap()).collect();
        assert!(matches!(listen(1), Err(RequestError::TooMany(_, RETRY_AFTER, _))));
        held.push(listen(2).unwrap());
        assert!(matches!(listen(2), Err(RequestError::Overloaded(_))), "the process is full");
        held.remove(0);
        drop(listen(1).unwrap());
        drop(listen(3).unwrap());
    }
}
