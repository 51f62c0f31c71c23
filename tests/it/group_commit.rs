//! Units of work that share a commit. Queued rows are flushed together and direct writes use a
//! savepoint, so a refused unit is rolled back alone. Long batches are in `background_flushes`.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use daybook_domain::account::AccountRef;
use daybook_domain::field::Field;
use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{self, VerbRequest, View};
use daybook_service::{Context, Error, Ids, account};
use daybook_storage::{Address, Options, Store, Tx};
use daybook_tests::{Engine, RawSql, RowLock};

use crate::Case;
use crate::file_sweep::eventually;
use crate::store::{Bench, NOW, draft};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        statements_of_a_group_do_not_grow_with_its_size,
        units_see_queued_rows_of_earlier_ones,
        refusal_undoes_queued_and_direct_writes,
        failed_commit_fails_its_whole_group,
        failing_unit_fails_alone,
        failed_read_loses_no_acknowledged_write,
        cancelled_lock_fails_one_unit,
        refused_group_ends_its_transaction,
        processes_see_chart_changes_of_each_other,
        concurrent_processes_keep_the_event_chain,
    ]
}

fn answers(waiting: Vec<Receiver<Result<View, Error>>>) -> Vec<Result<View, Error>> {
    waiting.into_iter().map(|answer| answer.recv().expect("an answer")).collect()
}

fn statements_of_a_group_do_not_grow_with_its_size(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    // The first posting on an account needs an extra statement; after the second the chart is
    // cached.
    for _ in 0..2 {
        bench.submit(bench.creation("warm-up")).recv().expect("an answer").expect("a write");
    }
    let statements = |count: usize| {
        let release = bench.occupy();
        let waiting = (0..count)
            .map(|number| bench.submit(bench.creation(&format!("#tag {number}"))))
            .collect();
        let before = bench.store.statements();
        release.send(()).expect("the writer waits");
        assert!(answers(waiting).iter().all(Result::is_ok));
        bench.store.statements() - before
    };
    // On a busy machine a hundred units may not fit one group, so later rounds try fewer.
    let mut rounds = Vec::new();
    let one = (0..40_usize).find_map(|round| {
        let (few, many) = (statements(2), statements(100_usize >> (round / 8)));
        rounds.push((few, many));
        (few == many).then_some(many)
    });
    let many = one.unwrap_or_else(|| panic!("many in a group take more: {rounds:?}"));
    assert!(many <= 20, "{many} statements for a group");
}

fn units_see_queued_rows_of_earlier_ones(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let mirrored = || Changes { remote_ids: Some(vec!["bank-1".to_owned()]), ..draft("mirror") };
    let create = |item: Changes| {
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        move |tx: &mut Tx<'_>| transaction::create(tx, &cx, &book, vec![item], Intent::Create)
    };
    let release = bench.occupy();
    let first = bench.submit(create(mirrored()));
    let again = bench.submit(create(mirrored()));
    let sum = bench.submit(bench.credited());
    release.send(()).expect("the writer waits");
    let id = |answer: Receiver<Result<View, Error>>| {
        answer.recv().expect("an answer").expect("a write").transactions[0].id
    };
    assert_eq!(id(first), id(again), "3.7.2: the duplicate is answered with the existing one");
    assert_eq!(sum.recv().expect("an answer").expect("balances"), 100);
    assert_eq!(bench.descriptions(), ["mirror"]);
}

fn refusal_undoes_queued_and_direct_writes(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    let mut kept = vec![bench.submit(bench.creation("one"))];
    let mut refused = vec![bench.refused_after(|tx, cx, book| {
        transaction::create(tx, cx, book, vec![draft("queued and undone")], Intent::Create)
            .map(drop)
    })];
    kept.push(bench.submit(bench.creation("two")));
    refused.push(bench.refused_after(|tx, cx, book| {
        let made =
            transaction::create(tx, cx, book, vec![draft("in place and undone")], Intent::Create)?;
        let item = Changes { id: Some(made.transactions[0].id.to_string()), ..Changes::default() };
        transaction::perform(tx, cx, book, VerbRequest::single(Verb::Check), vec![item])?;
        transaction::create(tx, cx, book, vec![draft("both and undone")], Intent::Create).map(drop)
    }));
    kept.push(bench.submit(bench.creation("three")));
    release.send(()).expect("the writer waits");
    assert!(answers(kept).iter().all(Result::is_ok));
    for answer in answers(refused) {
        let refusal = answer.expect_err("an id is required").without_index();
        assert_eq!(refusal.to_string(), "id is required");
    }
    assert_eq!(bench.descriptions(), ["three", "two", "one"]);
    bench.check_recorded(3);
}

fn failed_commit_fails_its_whole_group(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    // The same source of ids again: its first ids are taken.
    let model = Context { ids: Arc::new(Ids::new(7)), ..bench.cx.clone() };
    assert_eq!(model.now, NOW);
    let release = bench.occupy();
    let mut waiting = vec![bench.submit(bench.creation("before"))];
    for number in 0..20 {
        let (cx, book) = (model.clone(), bench.book.clone());
        let item = draft(&format!("model {number}"));
        waiting.push(
            bench.submit(move |tx| transaction::create(tx, &cx, &book, vec![item], Intent::Create)),
        );
    }
    release.send(()).expect("the writer waits");
    let answered = answers(waiting);
    // On a busy machine the first or last units may form a group with free ids.
    let first = answered.first().is_some_and(Result::is_ok);
    let (lost, kept): (Vec<_>, Vec<_>) = answered.into_iter().partition(Result::is_err);
    assert!(lost.len() > 1, "a group is lost as a whole: {lost:?}");
    assert!(
        lost.iter().all(|answer| matches!(
            answer,
            Err(Error::Storage(daybook_storage::Error::Unavailable(_)))
        )),
        "{lost:?}"
    );
    let kept = kept.len();
    assert_eq!(bench.descriptions().len(), kept, "unacknowledged writes are absent");
    assert_eq!(bench.descriptions().contains(&"before".to_owned()), first);
    bench.submit(bench.creation("after")).recv().expect("an answer").expect("the writer goes on");
    assert_eq!(bench.descriptions().len(), kept + 1);
    assert!(bench.descriptions().contains(&"after".to_owned()));
    bench.check_chain(4 + i64::try_from(kept).expect("a few"));
}

/// 0.43: one unit has a taken id, so the commit of its group fails and the others run again alone.
fn failing_unit_fails_alone(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.record(vec![draft("first")]).expect("a write");
    let submit = |work| {
        let (sender, receiver) = channel();
        bench.store.submit_repeatable(bench.lane(), work, move |outcome| {
            sender.send(outcome).expect("the test still listens");
        });
        receiver
    };
    for round in 1..=3 {
        let release = bench.occupy();
        let mut waiting = vec![submit(bench.creation("before"))];
        let (sender, failing) = channel();
        let (cx, book, items) = (bench.cx.clone(), bench.book.clone(), vec![draft("taken"); 40]);
        bench.store.submit_repeatable(
            bench.lane(),
            move |tx: &mut Tx<'_>| {
                // One of them gets the id of the first draft.
                let cx = Context { ids: Arc::new(Ids::new(7)), ..cx.clone() };
                transaction::create(tx, &cx, &book, items, Intent::Create).map(drop)
            },
            move |outcome| sender.send(outcome).expect("the test still listens"),
        );
        waiting.extend(["one", "two", "three"].map(|text| submit(bench.creation(text))));
        release.send(()).expect("the writer waits");
        let failed = failing.recv().expect("an answer").expect_err("its id is taken");
        assert!(
            matches!(failed, Error::Storage(daybook_storage::Error::UniqueViolation(_))),
            "{failed:?}"
        );
        for answer in answers(waiting) {
            assert!(answer.is_ok(), "0.43: {answer:?}");
        }
        bench.check_recorded(4 * round + 1);
    }
}

fn failed_read_loses_no_acknowledged_write(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    let before = {
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        bench.submit(move |tx| {
            let made = transaction::create(tx, &cx, &book, vec![draft("before")], Intent::Create)?;
            // Reading flushes it, so the commit has nothing left to write.
            transaction::get(tx, &cx, &book, &made.transactions[0].id.to_string())
        })
    };
    // PostgreSQL refuses NUL and aborts the transaction; SQLite finds nothing.
    let failing = bench.submit(|tx| tx.users().find_named("a\0b").map(|_| ()).map_err(Error::from));
    let after = bench.submit(bench.creation("after"));
    release.send(()).expect("the writer waits");
    let answered = [
        ("after", after.recv().expect("an answer").is_ok()),
        ("before", before.recv().expect("an answer").is_ok()),
    ];
    let kept: Vec<&str> =
        answered.iter().filter(|(_, answered)| *answered).map(|(name, _)| *name).collect();
    assert_eq!(bench.descriptions(), kept, "acknowledged is what is there");
    let failed = failing.recv().expect("an answer").is_err();
    // On a slow machine the units of work may be in different groups.
    assert!(failed || kept.len() == 2, "only the failed statement could cost a group: {kept:?}");
}

/// The first statement of a group waits for the lock of its book and is cancelled.
fn cancelled_lock_fails_one_unit(engine: Engine) {
    // SQLite's writer holds the whole database already.
    if engine == Engine::Sqlite {
        return;
    }
    let bench = Bench::new(engine, 4096);
    let mut database = RawSql::open(bench.server());
    for rounds in 1..=2 {
        let release = bench.occupy();
        let waiting: Vec<_> =
            ["first", "second", "third"].map(|text| bench.submit(bench.creation(text))).into();
        let mut lock = RowLock::book(bench.server(), &bench.book);
        release.send(()).expect("the writer waits");
        let waits = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                     AND datname = current_database()";
        eventually("the group waits for the lock", || {
            database.count(&format!("SELECT count(*) FROM ({waits}) w")) == 1
        });
        lock.execute(&format!("SELECT pg_cancel_backend(pid) FROM ({waits}) w"));
        lock.release();
        let answers = answers(waiting);
        let refused = answers.iter().filter(|answer| answer.is_err()).count();
        assert_eq!(refused, 1, "{answers:?}");
        assert_eq!(bench.descriptions().len(), 2 * rounds, "the others are recorded");
    }
}

/// A commit with pending work begins the next transaction. A lone refusal rolls it back, and the
/// next group begins its own.
fn refused_group_ends_its_transaction(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    for number in 1..=3 {
        let release = bench.occupy();
        let refused = bench.submit(|_| Err::<(), _>(Error::BadRequest("no".to_owned())));
        release.send(()).expect("the writer waits");
        assert!(refused.recv().expect("an answer").is_err());
        bench.record(vec![draft("after it")]).expect("a write");
        assert_eq!(bench.descriptions().len(), number);
    }
}

/// Opens a second store with its own connections and caches, as another process has.
fn open_second_store(bench: &Bench) -> Store {
    let address = Address::parse(bench.url()).expect("the harness knows the form of URLs");
    Store::open(&Options::new(address)).expect("the store opens")
}

fn paid_for(name: &str) -> Changes {
    let side = Field::Set(AccountRef { id: None, name: Some(name.to_owned()) });
    Changes { debit: side, ..draft("by name") }
}

fn processes_see_chart_changes_of_each_other(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let other = open_second_store(&bench);
    let create = |store: &Store, name: &str| {
        let (cx, book, item) = (bench.cx.clone(), bench.book.clone(), paid_for(name));
        store.write(bench.lane(), move |tx| {
            transaction::create(tx, &cx, &book, vec![item], Intent::Create)
        })
    };
    let food =
        create(&bench.store, "Food").expect("a write").transactions[0].debit.expect("a side");
    create(&other, "Food").expect("a write");
    let rename = account::Input {
        changes: daybook_domain::account::Changes {
            id: Some(food.to_string()),
            name: Some("Meals".to_owned()),
            ..Default::default()
        },
        groups: Field::Keep,
    };
    let (cx, book) = (bench.cx.clone(), bench.book.clone());
    other
        .write(bench.lane(), move |tx| account::update(tx, &cx, &book, vec![rename]))
        .expect("a renamed account");
    let refused = create(&bench.store, "Food").expect_err("3.2.6: the name is not known any more");
    assert_eq!(refused.without_index().to_string(), "Account not found: Food");
    assert_eq!(create(&bench.store, "Meals").expect("a write").transactions[0].debit, Some(food));
    assert_eq!(create(&other, "Meals").expect("a write").transactions[0].debit, Some(food));
}

fn concurrent_processes_keep_the_event_chain(engine: Engine) {
    const EACH: usize = 60;
    let bench = Bench::new(engine, 4096);
    let other = open_second_store(&bench);
    thread::scope(|scope| {
        for (store, node) in [(&*bench.store, 1), (&other, 2), (&*bench.store, 3), (&other, 4)] {
            let cx = Context { ids: Arc::new(Ids::new(node)), ..bench.cx.clone() };
            let (bench, cx) = (&bench, cx);
            scope.spawn(move || {
                for number in 0..EACH {
                    let (cx, book, item) =
                        (cx.clone(), bench.book.clone(), draft(&format!("{node}/{number}")));
                    store
                        .write(bench.lane(), move |tx| {
                            transaction::create(tx, &cx, &book, vec![item], Intent::Create)
                        })
                        .expect("a write");
                }
            });
        }
    });
    assert_eq!(bench.descriptions().len(), 4 * EACH);
    bench.check_recorded(4 * EACH);
}
