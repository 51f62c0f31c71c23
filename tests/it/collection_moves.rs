//! Concurrent changes of collections by two processes (9.10): a book ends in exactly one
//! collection, and writers do not deadlock.

use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};
use std::thread;

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_service::{Context, Error, Ids, book, collection, user};
use daybook_storage::{ShardKey, Store, Tx};
use daybook_tests::{Engine, Server, unique};

use crate::Case;
use crate::overlaps::two_stores;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        concurrent_moves_leave_a_book_in_one_collection,
        moves_and_deletions_do_not_deadlock,
        shard_keys_of_users_order_before_books
    ]
}

const NOW: Instant = Instant::new(1_763_000_000_000);
const ROUNDS: usize = 25;

/// A user with books and two collections, and two stores of one database.
struct Fixture {
    stores: [Store; 2],
    cx: Context,
    books: Vec<String>,
    shelves: [String; 2],
    _server: Server,
}

impl Fixture {
    fn new(engine: Engine, books: usize) -> Fixture {
        let server = Server::start(engine);
        let stores = two_stores(&server);
        let ids = Arc::new(Ids::new(7));
        let (email, minted) =
            (Email::stored(format!("{}@example.com", unique("mover"))), Arc::clone(&ids));
        let user = stores[0]
            .write(ShardKey::NO_BOOK, move |tx| user::sign_in(tx, &email, &minted, NOW))
            .expect("a user");
        let cx = Context::new(Arc::new(user), NOW, ids);
        let mut fixture =
            Fixture { stores, cx, books: Vec::new(), shelves: Default::default(), _server: server };
        fixture.books = (0..books).map(|number| fixture.create_book(number)).collect();
        fixture.shelves = ["One", "Two"].map(|name| {
            let made =
                fixture.write_as_owner(0, move |tx, cx| collection::create(tx, cx, Some(name)));
            made.expect("a collection").collection.id.to_string()
        });
        fixture
    }

    fn create_book(&self, number: usize) -> String {
        let changes = daybook_domain::book::Changes {
            name: Some(format!("Book {number}")),
            ..Default::default()
        };
        let (cx, input) = (self.cx.clone(), book::Input { changes, ..Default::default() });
        let view = self.stores[0]
            .write(ShardKey::NO_BOOK, move |tx| book::create(tx, &cx, input))
            .expect("a book");
        view.access.book().key.as_str().to_owned()
    }

    fn write_as_owner<T: Send + 'static>(
        &self,
        store: usize,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let cx = self.cx.clone();
        self.stores[store].write(ShardKey::of_user(cx.user.id), move |tx| work(tx, &cx))
    }

    fn add(
        &self,
        store: usize,
        shelf: usize,
        books: &[String],
    ) -> Result<Vec<book::BookSummary>, Error> {
        let (shelf, books) =
            (self.shelves[shelf].clone(), books.iter().cloned().map(Some).collect());
        self.write_as_owner(store, move |tx, cx| collection::add(tx, cx, &shelf, books))
    }

    /// Returns the books of both collections.
    fn books_of_both(&self) -> Vec<String> {
        let views = self.stores[1].read(|tx| collection::list(tx, &self.cx)).expect("a list");
        assert_eq!(views.len(), 2);
        let books = views.into_iter().flat_map(|view| view.books);
        books.map(|view| view.access.book().key.as_str().to_owned()).collect()
    }
}

/// Each thread moves all books to its collection, in opposite orders. Without the lock on the user,
/// this many books deadlock.
fn concurrent_moves_leave_a_book_in_one_collection(engine: Engine) {
    let fixture = Fixture::new(engine, 200);
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for mover in 0..4 {
            let (fixture, start) = (&fixture, &start);
            let mut books = fixture.books.clone();
            if mover >= 2 {
                books.reverse();
            }
            scope.spawn(move || {
                start.wait();
                for _ in 0..ROUNDS {
                    let moved =
                        fixture.add(mover % 2, mover / 2, &books).expect("a move is never refused");
                    assert_eq!(moved.len(), books.len(), "9.10: not empty after an add");
                }
            });
        }
    });
    let mut inside = fixture.books_of_both();
    inside.sort();
    let mut books = fixture.books.clone();
    books.sort();
    assert_eq!(inside, books, "each book is in one collection");
}

/// A deletion removes rows of collections while moves write them.
fn moves_and_deletions_do_not_deadlock(engine: Engine) {
    let fixture = Fixture::new(engine, 24);
    let start = Barrier::new(3);
    thread::scope(|scope| {
        for mover in 0..2 {
            let (fixture, start) = (&fixture, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..fixture.books.len() {
                    // The only allowed failure is that the book was deleted.
                    if let Err(error) =
                        fixture.add(mover, (mover + round) % 2, &fixture.books[round..=round])
                    {
                        assert!(error.to_string().contains("not found"), "{error}");
                    }
                }
            });
        }
        let (fixture, start) = (&fixture, &start);
        scope.spawn(move || {
            start.wait();
            for key in fixture.books.iter().skip(1).step_by(2) {
                let (cx, key, shard) = (fixture.cx.clone(), key.clone(), ShardKey::of_book(key));
                fixture.stores[0]
                    .write(shard, move |tx| book::delete(tx, &cx, &key, 30))
                    .expect("a deletion is never refused");
            }
        });
    });
    let kept: BTreeSet<String> = fixture.books.iter().step_by(2).cloned().collect();
    let inside = fixture.books_of_both();
    assert_eq!(inside.len(), kept.len(), "each once: {inside:?}");
    assert_eq!(inside.into_iter().collect::<BTreeSet<_>>(), kept, "deleted books have left");
}

/// A writer that holds a book must not wait for a user (ARCHITECTURE, Order).
fn shard_keys_of_users_order_before_books(_: Engine) {
    for number in 1..200 {
        let user = ShardKey::of_user(daybook_domain::id::UserId::new(number << 22));
        assert!(
            ShardKey::NO_BOOK < user && user < ShardKey::of_book(&format!("book {number}")),
            "{user:?}"
        );
    }
}
