//! 10.17: a connection to PostgreSQL breaks during a commit. The client learns the outcome, or that
//! it is unknown, and nothing is recorded twice.

use std::sync::Arc;
use std::sync::mpsc::{TryRecvError, channel};
use std::thread;
use std::time::Duration;

use daybook_domain::email::Email;
use daybook_service::transaction::View;
use daybook_service::{Error, user};
use daybook_storage::Error::Unavailable;
use daybook_storage::{Address, Options, ShardKey, Store};
use daybook_tests::postgres::{Cluster, Setup};
use daybook_tests::relay::{Loss, Relay};
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, RawSql, Server, column, pause};
use serde_json::json;

use crate::Case;
use crate::store::{Bench, NOW, draft};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        a_commit_whose_answer_is_lost_is_acknowledged,
        a_commit_that_is_lost_is_refused,
        late_commit_is_awaited,
        commit_outcome_is_read_after_reconnect,
        group_of_commits_has_one_outcome,
        commit_without_queued_rows_is_found,
        marks_are_removed,
        unknown_commit_outcome_is_reported,
    ]
}

/// A bench whose store reaches the database through a relay.
struct Relayed {
    bench: Bench,
    relay: Relay,
}

impl Relayed {
    /// `None` on SQLite, which has no connection that could break.
    fn new(engine: Engine) -> Option<Relayed> {
        if engine == Engine::Sqlite {
            return None;
        }
        let mut bench = Bench::new(engine, 4096);
        let relay = Relay::before(bench.url());
        let address = Address::parse(relay.url()).expect("a URL");
        bench.store = Arc::new(Store::open(&Options::new(address)).expect("the store opens"));
        let relayed = Relayed { bench, relay };
        relayed.record("a first", 1).expect("a write");
        Some(relayed)
    }

    /// Records transactions with this description in one batch.
    fn record(&self, description: &str, count: usize) -> Result<View, Error> {
        self.bench.record(vec![draft(description); count])
    }

    /// Asserts the recorded transactions and an intact log.
    #[track_caller]
    fn check(&self, descriptions: &[&str]) {
        let mut recorded = self.bench.descriptions();
        recorded.sort();
        assert_eq!(recorded, descriptions);
        self.bench.check_recorded(descriptions.len());
    }
}

fn is_unavailable<T>(answer: &Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Storage(Unavailable(_))))
}

fn a_commit_whose_answer_is_lost_is_acknowledged(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    for (description, lost) in [("b kept", 1), ("c kept too", 2)] {
        relayed.relay.lose(Loss::Answer, description);
        relayed.record(description, 1).expect("it is found");
        assert_eq!(relayed.relay.lost().len(), lost);
    }
    relayed.record("d last", 1).expect("the writer goes on");
    relayed.check(&["a first", "b kept", "c kept too", "d last"]);
    // Several were flushed in the background before.
    relayed.relay.lose(Loss::Answer, "e many");
    relayed.record("e many", 1_000).expect("it is found");
    assert_eq!(relayed.relay.lost().len(), 3);
    relayed.bench.check_recorded(1_004);
}

fn a_commit_that_is_lost_is_refused(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    for (description, count, lost) in [("b lost", 1, 1), ("c many", 1_000, 2)] {
        relayed.relay.lose(Loss::Message, description);
        let answer = relayed.record(description, count);
        assert!(is_unavailable(&answer), "{answer:?}");
        assert_eq!(relayed.relay.lost().len(), lost);
    }
    relayed.record("d again", 1).expect("the writer goes on");
    relayed.check(&["a first", "d again"]);
}

fn late_commit_is_awaited(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    for (description, arrives, lost) in [("b late", true, 1), ("c never", false, 2)] {
        relayed.relay.lose(Loss::Delayed, description);
        let answer = relayed.bench.submit(relayed.bench.creation(description));
        relayed.relay.wait_for(lost);
        // Longer than the writer waits for a lock before it retries.
        pause(Duration::from_secs(1));
        assert_eq!(answer.try_recv().map(drop), Err(TryRecvError::Empty), "{description}");
        relayed.relay.deliver(arrives);
        let answer = answer.recv().expect("an answer");
        assert_eq!((answer.is_ok(), is_unavailable(&answer)), (arrives, !arrives), "{answer:?}");
    }
    relayed.check(&["a first", "b late"]);
}

fn commit_outcome_is_read_after_reconnect(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    for (loss, description) in [(Loss::Answer, "b kept"), (Loss::Message, "c lost")] {
        relayed.relay.lose_for_long(loss, description);
        let answer = thread::scope(|scope| {
            let answer = scope.spawn(|| relayed.record(description, 1));
            pause(Duration::from_secs(2));
            relayed.relay.reconnect();
            answer.join().expect("an answer")
        });
        let remaining = loss == Loss::Answer;
        assert_eq!(
            (answer.is_ok(), is_unavailable(&answer)),
            (remaining, !remaining),
            "{answer:?}"
        );
    }
    relayed.check(&["a first", "b kept"]);
}

/// All units of work of a group have one mark, also if the next database transaction starts with
/// their commit.
fn group_of_commits_has_one_outcome(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    for (loss, lost) in [(Loss::Answer, 1), (Loss::Message, 2)] {
        relayed.relay.lose(loss, "of a group");
        // The last unit of the group runs until more are queued.
        let ((began, has_begun), (go_on, goes_on)) = (channel(), channel::<()>());
        let ((occupy, is_occupied), (release, occupied)) = (channel(), channel::<()>());
        let occupant = relayed.bench.submit(move |_| {
            occupy.send(()).expect("the case waits");
            occupied.recv().expect("the case goes on");
            Ok(())
        });
        is_occupied.recv().expect("the writer begins");
        let mut group = vec![relayed.bench.submit(relayed.bench.creation("of a group"))];
        // It may have been refused because of an earlier unit that was rolled back.
        let refused =
            relayed.bench.submit(|_| Err::<(), _>(Error::BadRequest("refused".to_owned())));
        let creation = relayed.bench.creation("of a group");
        group.push(relayed.bench.submit(move |tx| {
            began.send(()).expect("the case waits");
            goes_on.recv().expect("the case goes on");
            creation(tx)
        }));
        release.send(()).expect("the writer waits");
        has_begun.recv().expect("the group has begun");
        let next = relayed.bench.submit(relayed.bench.creation("the next"));
        go_on.send(()).expect("the writer waits");
        occupant.recv().expect("an answer").expect("nothing is written");
        let remaining = loss == Loss::Answer;
        for answer in group {
            let answer = answer.recv().expect("an answer");
            assert_eq!(
                (answer.is_ok(), is_unavailable(&answer)),
                (remaining, !remaining),
                "{answer:?}"
            );
        }
        let refused = refused.recv().expect("an answer");
        let as_it_was = matches!(refused, Err(Error::BadRequest(_)));
        assert_eq!((as_it_was, is_unavailable(&refused)), (remaining, !remaining), "{refused:?}");
        next.recv().expect("an answer").expect("the writer goes on");
        assert_eq!(relayed.relay.lost(), vec!["COMMIT AND CHAIN"; lost]);
    }
    let of_a_group = ["of a group"; 2];
    relayed.check(&[&["a first"][..], &of_a_group, &["the next"; 2]].concat());
}

/// A group without queued rows writes its mark with a separate statement.
fn commit_without_queued_rows_is_found(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    for (loss, name, lost) in
        [(Loss::Answer, "in-place-kept", 1), (Loss::Message, "in-place-lost", 2)]
    {
        let (email, ids) =
            (Email::stored(format!("{name}@example.com")), Arc::clone(&relayed.bench.cx.ids));
        relayed.relay.lose(loss, name);
        let signed_in = relayed
            .bench
            .store
            .write(ShardKey::NO_BOOK, move |tx| user::sign_in(tx, &email, &ids, NOW));
        let remaining = loss == Loss::Answer;
        assert_eq!((signed_in.is_ok(), is_unavailable(&signed_in)), (remaining, !remaining));
        assert_eq!(relayed.relay.lost().len(), lost);
        let there = format!("SELECT COUNT(*) FROM users WHERE email = '{name}@example.com'");
        assert_eq!(RawSql::open(relayed.bench.server()).count(&there), i64::from(remaining));
    }
}

fn marks_are_removed(engine: Engine) {
    let Some(relayed) = Relayed::new(engine) else { return };
    let mut database = RawSql::open(relayed.bench.server());
    // Marks of a writer number that is reused are removed by age.
    let old = "INSERT INTO commits (writer, number, written_at, undone) VALUES \
        (1, 1, 0, FALSE), (1, 2, 0, TRUE)";
    database.execute(old);
    let marks = |database: &mut RawSql| database.count("SELECT COUNT(*) FROM commits");
    let before = marks(&mut database);
    // Units of work without writes leave no mark.
    for _ in 0..3 {
        relayed.bench.store.write(relayed.bench.lane(), |tx| tx.ping()).expect("it answers");
    }
    assert_eq!(marks(&mut database), before);
    (0..250).for_each(|_| drop(relayed.record("one of many", 1).expect("a write")));
    let remaining = marks(&mut database) - before;
    assert!((1..200).contains(&remaining), "{remaining} marks of 250 commits");
    let address = Address::parse(relayed.bench.url()).expect("a URL");
    drop(Store::open(&Options::new(address)).expect("the store opens"));
    assert_eq!(database.count("SELECT COUNT(*) FROM commits WHERE writer = 1"), 0);
    assert!(marks(&mut database) > 0, "those of today stay");
}

fn unknown_commit_outcome_is_reported(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let cluster = Cluster::start(Setup::default());
    let relay = Relay::before(cluster.url());
    let server = Server::start_with(daybook_tests::Options {
        engine,
        database_url: Some(relay.url().to_owned()),
        ..daybook_tests::Options::default()
    });
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let post = |description: &str, key: Option<&str>| {
        let transaction = json!({
            "date": "2026-01-05", "amount": "10", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": description,
        });
        let owner = match key {
            Some(key) => cast.owner.header("idempotency-key", key),
            None => cast.owner.clone(),
        };
        owner.post(&cast.path("/transactions"), &transaction)
    };
    post("first", None).ok();
    // The database is away for longer than the writer retries.
    relay.lose_for_long(Loss::Answer, "unknown outcome");
    let response = post("unknown outcome", None);
    assert!(!response.headers.contains_key("retry-after"), "{:?}", response.headers);
    let message = response.refused(409, "outcomeUnknown");
    assert_eq!(
        message,
        "the outcome of this write is unknown, because the database or the server failed during \
         the commit; check whether it was recorded before you send it again"
    );
    relay.reconnect();
    // With a key the request can be repeated safely.
    relay.lose_for_long(Loss::Answer, "with a key");
    let response = post("with a key", Some("key"));
    assert!(response.headers.contains_key("retry-after"), "{:?}", response.headers);
    response.refused(503, "backendError");
    relay.reconnect();
    let repeated = post("with a key", Some("key"));
    assert!(repeated.headers.contains_key("idempotency-replayed"), "{:?}", repeated.headers);
    repeated.ok();
    assert_eq!(relay.lost().len(), 2);
    let mut recorded = column(&cast.get("/transactions").ok(), "description");
    recorded.sort();
    assert_eq!(recorded, ["first", "unknown outcome", "with a key"]);
}
