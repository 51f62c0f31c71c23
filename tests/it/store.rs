//! The store from inside (house rule: no response before the commit is durable): group commit,
//! savepoints, the bounded queue, and the number of statements of a batch.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use daybook_domain::account::AccountRef;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{Request, VerbRequest};
use daybook_service::{Context, Error, account, balance, book, event, transaction};
use daybook_storage::{Address, Options, ReaderPool, ShardKey, Store, Tx};
use daybook_tests::{Client, Engine, Server};

use crate::Case;
use crate::inside::{create_book, new_user};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        concurrent_writers_of_one_book_lose_nothing,
        a_refusal_and_a_panic_do_not_disturb_their_neighbours,
        no_answer_before_the_commit,
        a_full_queue_turns_away,
        a_read_is_one_snapshot,
        the_number_of_an_undone_book_leads_nowhere,
        every_pool_of_readers_has_its_own,
    ]
}

/// A separate store on the database of a running server.
pub struct Bench {
    pub store: Arc<Store>,
    pub cx: Context,
    pub book: String,
    server: Server,
}

pub const NOW: Instant = Instant::new(1_763_000_000_000);

impl Bench {
    pub fn new(engine: Engine, queue: usize) -> Bench {
        let server = Server::start(engine);
        let address =
            Address::parse(server.database_url()).expect("the harness knows the form of URLs");
        let store = Arc::new(
            Store::open(&Options { queue, ..Options::new(address) }).expect("the store opens"),
        );
        let cx = new_user(&store, 7, NOW);
        let changes =
            daybook_domain::book::Changes { name: Some("Store".to_owned()), ..Default::default() };
        let accounts = ["Cash", "Food"].map(named).to_vec();
        let book = create_book(&store, &cx, book::Input { changes, accounts, groups: Vec::new() });
        Bench { store, cx, book, server }
    }

    pub const fn server(&self) -> &Server {
        &self.server
    }

    pub fn url(&self) -> &str {
        self.server.database_url()
    }

    /// The owner of the book, over HTTP.
    pub fn owner(&self) -> Client {
        self.server.client(self.cx.user.email.as_str())
    }

    pub fn lane(&self) -> ShardKey {
        ShardKey::of_book(&self.book)
    }

    pub fn record(&self, items: Vec<Changes>) -> Result<transaction::View, Error> {
        let (cx, book) = (self.cx.clone(), self.book.clone());
        self.store.write(self.lane(), move |tx| {
            transaction::create(tx, &cx, &book, items, Intent::Create)
        })
    }

    /// Submits a job to the writer; returns the channel of its result.
    pub fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Receiver<Result<T, Error>> {
        let (sender, receiver) = channel();
        self.store.submit(self.lane(), work, move |outcome| {
            sender.send(outcome).expect("the test still listens")
        });
        receiver
    }

    /// Occupies the writer until the returned sender is used, so that later jobs form one group.
    pub fn occupy(&self) -> Sender<()> {
        let (release, wait) = channel::<()>();
        let (started, running) = channel();
        self.store.submit(
            self.lane(),
            move |_| {
                started.send(()).expect("the test still listens");
                wait.recv().expect("the test releases the writer");
                Ok::<(), Error>(())
            },
            |_| {},
        );
        running.recv().expect("the writer starts the job");
        release
    }

    pub fn creation(
        &self,
        description: &str,
    ) -> impl FnOnce(&mut Tx<'_>) -> Result<transaction::View, Error> + Clone + Send + use<> {
        let (cx, book, item) = (self.cx.clone(), self.book.clone(), draft(description));
        move |tx: &mut Tx<'_>| transaction::create(tx, &cx, &book, vec![item], Intent::Create)
    }

    /// Does some work and is then refused.
    pub fn refused_after(
        &self,
        work: impl FnOnce(&mut Tx<'_>, &Context, &str) -> Result<(), Error> + Send + 'static,
    ) -> Receiver<Result<transaction::View, Error>> {
        let (cx, book) = (self.cx.clone(), self.book.clone());
        self.submit(move |tx| {
            work(tx, &cx, &book)?;
            let verb = VerbRequest::single(Verb::Check);
            transaction::perform(tx, &cx, &book, verb, vec![Changes::default()])
        })
    }

    /// The total credit of Cash.
    pub fn credited(&self) -> impl FnOnce(&mut Tx<'_>) -> Result<i128, Error> + Send + use<> {
        let (cx, book) = (self.cx.clone(), self.book.clone());
        move |tx: &mut Tx<'_>| {
            let view = balance::get(tx, &cx, &book, &"account:Cash on:2025-05".into())?;
            let cash = view.balances.accounts.expect("an account was asked for").remove(0);
            Ok(cash.amounts.cumulative.credit)
        }
    }

    /// Asserts that this many drafts of this file are recorded, each once in the balance and, after
    /// the events of the book and its two accounts, in the log.
    #[track_caller]
    pub fn check_recorded(&self, recorded: usize) {
        let recorded = i64::try_from(recorded).expect("a few thousand");
        let credited = self.store.read(self.credited()).expect("balances");
        assert_eq!(credited, i128::from(100 * recorded));
        self.check_chain(3 + recorded);
    }

    pub fn descriptions(&self) -> Vec<String> {
        let request = Request { limit: Some(1000), ..Request::default() };
        let listed = self
            .store
            .read(|tx| transaction::list(tx, &self.cx, &self.book, &request))
            .expect("a list");
        listed.view.transactions.into_iter().map(|transaction| transaction.description).collect()
    }

    /// Asserts events numbered from 1 and an intact chain.
    pub fn check_chain(&self, expected: i64) {
        let (mut below, mut events) = (None, Vec::new());
        loop {
            let request = event::Request { limit: Some(200), below, ..event::Request::default() };
            let view = self
                .store
                .read(|tx| event::list(tx, &self.cx, &self.book, &request))
                .expect("events");
            events.extend(view.events.into_iter().map(|read| read.event));
            below = view.next;
            if below.is_none() {
                break;
            }
        }
        events.reverse();
        let key = daybook_domain::id::BookKey::new(self.book.clone());
        let mut previous = daybook_domain::event::Hash::ZERO;
        for (event, number) in events.iter().zip(1..) {
            assert_eq!(event.sequence, number, "8.15: numbered without gaps");
            assert_eq!(
                event.hash,
                event.hash_after(&previous, &key),
                "8.15: event {number} is chained to its predecessor"
            );
            previous = event.hash;
        }
        assert_eq!(i64::try_from(events.len()).expect("a small number"), expected);
    }
}

pub fn named(name: &str) -> account::Input {
    let changes =
        daybook_domain::account::Changes { name: Some(name.to_owned()), ..Default::default() };
    account::Input { changes, groups: Field::Keep }
}

pub fn draft(description: &str) -> Changes {
    let side = |name: &str| Field::Set(AccountRef { id: None, name: Some(name.to_owned()) });
    Changes {
        date: Field::Set("2025-05-20".to_owned()),
        amount: Field::Set("1.00".to_owned()),
        description: Field::Set(description.to_owned()),
        credit: side("Cash"),
        debit: side("Food"),
        ..Changes::default()
    }
}

fn concurrent_writers_of_one_book_lose_nothing(engine: Engine) {
    const WRITERS: usize = 8;
    const EACH: usize = 40;
    let bench = Bench::new(engine, 4096);
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (bench, start) = (&bench, &start);
            scope.spawn(move || {
                start.wait();
                for number in 0..EACH {
                    bench
                        .record(vec![draft(&format!("{writer}/{number}"))])
                        .expect("a write is acknowledged");
                }
            });
        }
    });
    let mut found = bench.descriptions();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), WRITERS * EACH, "every acknowledged transaction is there once");
    bench.check_recorded(WRITERS * EACH);
}

fn a_refusal_and_a_panic_do_not_disturb_their_neighbours(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    let before = bench.submit(bench.creation("before"));
    // Both write before they end, so their savepoints must undo the writes.
    let refused = bench.refused_after(|tx, cx, book| {
        transaction::create(tx, cx, book, vec![draft("undone")], Intent::Create).map(drop)
    });
    let work = bench.creation("undone");
    let panicked = bench.submit(move |tx| {
        work(tx)?;
        if true {
            std::panic::panic_any("a bug, provoked by this test");
        }
        Ok(())
    });
    let after = bench.submit(bench.creation("after"));
    release.send(()).expect("the writer waits");
    assert!(before.recv().expect("an answer").is_ok());
    let error = refused.recv().expect("an answer").expect_err("an id is required");
    assert_eq!(error.without_index().to_string(), "id is required");
    let panicked = panicked.recv().expect("an answer");
    assert!(matches!(panicked, Err(Error::Storage(daybook_storage::Error::Panicked(_)))));
    assert!(after.recv().expect("an answer").is_ok());
    assert_eq!(bench.descriptions(), ["after", "before"]);
    bench.check_chain(5);
}

fn no_answer_before_the_commit(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    let answered = Arc::new(AtomicBool::new(false));
    let (visible_sender, visible) = channel();
    {
        let (answered, work) = (Arc::clone(&answered), bench.creation("durable"));
        let (store, cx, book) = (Arc::clone(&bench.store), bench.cx.clone(), bench.book.clone());
        bench.store.submit(bench.lane(), work, move |outcome| {
            answered.store(true, Ordering::SeqCst);
            // Another connection sees the row at the moment of the response, so the commit came
            // first.
            let listed = store
                .read(|tx| transaction::list(tx, &cx, &book, &Request::default()))
                .expect("a list");
            let seen = outcome.is_ok()
                && listed
                    .view
                    .transactions
                    .iter()
                    .any(|transaction| transaction.description == "durable");
            visible_sender.send(seen).expect("the test still listens");
        });
    }
    // Another unit of the group runs after it and delays the commit; a response must not come
    // meanwhile.
    let (neighbour_runs, running) = channel();
    let (go, wait) = channel::<()>();
    let neighbour = bench.submit(move |_| {
        neighbour_runs.send(()).expect("the test still listens");
        wait.recv().expect("the test lets it go");
        Ok(())
    });
    release.send(()).expect("the writer waits");
    running.recv().expect("the neighbour runs");
    daybook_tests::pause(Duration::from_millis(50));
    assert!(!answered.load(Ordering::SeqCst), "answered before the commit");
    go.send(()).expect("the neighbour waits");
    assert!(neighbour.recv().expect("an answer").is_ok());
    assert!(visible.recv().expect("an answer"), "not visible when it was answered");
}

fn a_full_queue_turns_away(engine: Engine) {
    let bench = Bench::new(engine, 2);
    let release = bench.occupy();
    let waiting: Vec<_> = ["one", "two"].map(|name| bench.submit(bench.creation(name))).into();
    let refused = bench.record(vec![draft("three")]).expect_err("the queue is full");
    assert!(matches!(refused, Error::Storage(daybook_storage::Error::Busy)), "{refused}");
    assert_eq!(refused.kind(), daybook_domain::RefusalKind::Limited);
    release.send(()).expect("the writer waits");
    for answer in waiting {
        assert!(answer.recv().expect("an answer").is_ok());
    }
    assert_eq!(bench.descriptions().len(), 2, "the one turned away left nothing");
}

fn a_read_is_one_snapshot(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.record(vec![draft("first")]).expect("a write");
    let count = |tx: &mut Tx<'_>| {
        let listed = transaction::list(tx, &bench.cx, &bench.book, &Request::default())?;
        Ok::<_, Error>(listed.view.transactions.len())
    };
    let (before, after) = bench
        .store
        .read(|tx| {
            let before = count(tx)?;
            bench.record(vec![draft("second")])?;
            Ok::<_, Error>((before, count(tx)?))
        })
        .expect("a snapshot");
    assert_eq!((before, after), (1, 1), "a write in between is not seen");
    assert_eq!(bench.descriptions().len(), 2);
}

/// SQLite reuses the number of a rolled back book for the next one.
fn the_number_of_an_undone_book_leads_nowhere(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let found = |name: &str| {
        let changes =
            daybook_domain::book::Changes { name: Some(name.to_owned()), ..Default::default() };
        (bench.cx.clone(), book::Input { changes, accounts: Vec::new(), groups: Vec::new() })
    };
    let (cx, input) = found("Undone");
    let (sender, keys) = channel();
    let undone = bench.store.write(ShardKey::NO_BOOK, move |tx| {
        let key = book::create(tx, &cx, input)?.access.book().key.as_str().to_owned();
        // Its number is cached from here on.
        book::get(tx, &cx, &key, false, false)?;
        sender.send(key).expect("the test listens");
        Err::<(), Error>(Error::NotFound("nothing"))
    });
    assert!(undone.is_err());
    let (cx, input) = found("Kept");
    bench.store.write(ShardKey::NO_BOOK, move |tx| book::create(tx, &cx, input)).expect("a book");
    let key = keys.recv().expect("a key");
    let looked = bench.store.read(|tx| book::get(tx, &bench.cx, &key, false, false));
    assert!(looked.is_err(), "the key of one book leads into another");
}

/// 0.32: authentication does not wait for users' reads, copies or audits.
fn every_pool_of_readers_has_its_own(engine: Engine) {
    let bench = Bench::new(engine, 16);
    let usual = Options::new(Address::parse(bench.url()).expect("a URL"));
    let accepted = [(ReaderPool::Users, usual.readers), (ReaderPool::Server, usual.server_readers)];
    let count: u32 = accepted.iter().map(|(_, count)| count).sum();
    // The readers, and the test.
    let all = Barrier::new(usize::try_from(count).expect("a few") + 1);
    let (store, all) = (&bench.store, &all);
    thread::scope(|scope| {
        for (pool, count) in accepted {
            for _ in 0..count {
                scope.spawn(move || {
                    let read = store.read_from(pool, |_| {
                        all.wait();
                        all.wait();
                        Ok::<_, Error>(())
                    });
                    read.expect("a snapshot");
                });
            }
        }
        all.wait();
        let let_in = store.read_from(ReaderPool::Identity, |tx| Ok::<_, Error>(tx.ping()?));
        all.wait();
        let_in.expect("a snapshot");
    });
}
