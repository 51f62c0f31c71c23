//! Collections under several processes at once (9.10): a book that many move at the same time ends
//! in one place, and no two writers wait for each other for ever.

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
        moves_end_in_one_place,
        moves_and_deletions_do_not_wait_for_each_other,
        lanes_of_users_come_first
    ]
}

const NOW: Instant = Instant::new(1_763_000_000_000);
const ROUNDS: usize = 25;

/// A user with books and two collections, and two stores over one database, as two processes have
/// them.
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
        fixture.books = (0..books).map(|number| fixture.book(number)).collect();
        fixture.shelves = ["One", "Two"].map(|name| {
            let made = fixture.own(0, move |tx, cx| collection::create(tx, cx, Some(name)));
            made.expect("a collection").collection.id.to_string()
        });
        fixture
    }

    fn book(&self, number: usize) -> String {
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

    fn own<T: Send + 'static>(
        &self,
        store: usize,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let cx = self.cx.clone();
        self.stores[store].write(ShardKey::of_user(cx.user.id), move |tx| work(tx, &cx))
    }

    fn add(&self, store: usize, shelf: usize, books: &[String]) -> Result<Vec<book::View>, Error> {
        let (shelf, books) =
            (self.shelves[shelf].clone(), books.iter().cloned().map(Some).collect());
        self.own(store, move |tx, cx| collection::add(tx, cx, &shelf, books))
    }

    /// The books of both collections, one after the other.
    fn inside(&self) -> Vec<String> {
        let views = self.stores[1].read(|tx| collection::list(tx, &self.cx)).expect("a list");
        assert_eq!(views.len(), 2);
        let books = views.into_iter().flat_map(|view| view.books);
        books.map(|view| view.access.book().key.as_str().to_owned()).collect()
    }
}

/// Every mover wants all books on its shelf, named in another order than its rival names them. So
/// many that without the lock on the user two writers do lock each other's rows.
fn moves_end_in_one_place(engine: Engine) {
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
    let mut inside = fixture.inside();
    inside.sort();
    let mut books = fixture.books.clone();
    books.sort();
    assert_eq!(inside, books, "each book is in one collection");
}

/// A deletion takes rows of collections along while moves write the same rows.
fn moves_and_deletions_do_not_wait_for_each_other(engine: Engine) {
    let fixture = Fixture::new(engine, 24);
    let start = Barrier::new(3);
    thread::scope(|scope| {
        for mover in 0..2 {
            let (fixture, start) = (&fixture, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..fixture.books.len() {
                    // A book that is gone meanwhile is not found; nothing else may happen.
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
                let (cx, key, lane) = (fixture.cx.clone(), key.clone(), ShardKey::of_book(key));
                fixture.stores[0]
                    .write(lane, move |tx| book::delete(tx, &cx, &key, 30))
                    .expect("a deletion is never refused");
            }
        });
    });
    let kept: BTreeSet<String> = fixture.books.iter().step_by(2).cloned().collect();
    let inside = fixture.inside();
    assert_eq!(inside.len(), kept.len(), "each once: {inside:?}");
    assert_eq!(inside.into_iter().collect::<BTreeSet<_>>(), kept, "deleted books have left");
}

/// Whoever holds a book must not go on to wait for a user (ARCHITECTURE, Order).
fn lanes_of_users_come_first(_: Engine) {
    for number in 1..200 {
        let user = ShardKey::of_user(daybook_domain::id::UserId::new(number << 22));
        assert!(
            ShardKey::NO_BOOK < user && user < ShardKey::of_book(&format!("book {number}")),
            "{user:?}"
        );
    }
}
