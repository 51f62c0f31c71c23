//! Units of work that share a commit (house rule: one refused request does not disturb its
//! neighbours). What they queue is flushed together, where it is not long
//! (`background_flushes.rs`); what they change in place stands behind a savepoint; either way each
//! is undone alone.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use daybook_domain::account::AccountRef;
use daybook_domain::field::Field;
use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{self, VerbRequest, View};
use daybook_service::{Context, Error, Ids, account};
use daybook_storage::{Address, Options, Store, Tx};
use daybook_tests::{Backdoor, Engine, Hold};

use crate::Case;
use crate::file_sweep::eventually;
use crate::store::{Bench, NOW, draft};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        a_group_takes_as_many_statements_as_one,
        units_see_what_earlier_ones_have_queued,
        a_refusal_undoes_what_is_queued_and_what_is_changed_in_place,
        a_write_that_fails_is_acknowledged_to_nobody,
        a_unit_that_cannot_be_done_fails_alone,
        a_read_that_fails_costs_no_acknowledged_write,
        a_lock_that_is_not_had_costs_one_unit_of_work,
        a_group_that_is_refused_ends_its_transaction,
        processes_see_each_others_charts,
        processes_take_turns_on_a_book,
    ]
}

fn answers(waiting: Vec<Receiver<Result<View, Error>>>) -> Vec<Result<View, Error>> {
    waiting.into_iter().map(|answer| answer.recv().expect("an answer")).collect()
}

fn a_group_takes_as_many_statements_as_one(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    // The first posting on an account sets its flag, in a statement of its own; after the second
    // the chart is remembered.
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
    // On a machine that does much else, a hundred may take longer than a group lasts: then fewer
    // are tried.
    let mut rounds = Vec::new();
    let one = (0..40_usize).find_map(|round| {
        let (few, many) = (statements(2), statements(100_usize >> (round / 8)));
        rounds.push((few, many));
        (few == many).then_some(many)
    });
    let many = one.unwrap_or_else(|| panic!("many in a group take more: {rounds:?}"));
    assert!(many <= 20, "{many} statements for a group");
}

fn units_see_what_earlier_ones_have_queued(engine: Engine) {
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

fn a_refusal_undoes_what_is_queued_and_what_is_changed_in_place(engine: Engine) {
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
        assert_eq!(answer.expect_err("an id is required").alone().to_string(), "id is required");
    }
    assert_eq!(bench.descriptions(), ["three", "two", "one"]);
    bench.check_recorded(3);
}

fn a_write_that_fails_is_acknowledged_to_nobody(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    // Another source of the same ids: its first numbers are taken.
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
    // On a machine that does much else, the first or the last of them are a group of their own,
    // with ids that are free.
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
    assert_eq!(bench.descriptions().len(), kept, "what nobody was answered is not there");
    assert_eq!(bench.descriptions().contains(&"before".to_owned()), first);
    bench.submit(bench.creation("after")).recv().expect("an answer").expect("the writer goes on");
    assert_eq!(bench.descriptions().len(), kept + 1);
    assert!(bench.descriptions().contains(&"after".to_owned()));
    bench.check_chain(4 + i64::try_from(kept).expect("a few"));
}

/// 0.43: the id of one unit of work is taken, so the commit of its group fails. The others run
/// again, each alone.
fn a_unit_that_cannot_be_done_fails_alone(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.record(vec![draft("first")]).expect("a write");
    let again = |work| {
        let (sender, receiver) = channel();
        bench.store.submit_repeatable(bench.lane(), work, move |outcome| {
            sender.send(outcome).expect("the test still listens");
        });
        receiver
    };
    for round in 1..=3 {
        let release = bench.occupy();
        let mut waiting = vec![again(bench.creation("before"))];
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
        waiting.extend(["one", "two", "three"].map(|text| again(bench.creation(text))));
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

fn a_read_that_fails_costs_no_acknowledged_write(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    let before = {
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        bench.submit(move |tx| {
            let made = transaction::create(tx, &cx, &book, vec![draft("before")], Intent::Create)?;
            // To look at it has it written, so that nothing is left for the commit to stumble over.
            transaction::get(tx, &cx, &book, &made.transactions[0].id.to_string())
        })
    };
    // PostgreSQL refuses the character NUL, and with it the rest of the transaction it stands in;
    // SQLite finds nothing.
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
    assert_eq!(failed, kept.is_empty(), "only the failed statement could cost the group");
}

/// The first statement of a group waits for its book's lock, and what waits is ended.
fn a_lock_that_is_not_had_costs_one_unit_of_work(engine: Engine) {
    // SQLite's writer holds the whole database already.
    if engine == Engine::Sqlite {
        return;
    }
    let bench = Bench::new(engine, 4096);
    let mut database = Backdoor::open(bench.server());
    for rounds in 1..=2 {
        let release = bench.occupy();
        let waiting: Vec<_> =
            ["first", "second", "third"].map(|text| bench.submit(bench.creation(text))).into();
        let mut hold = Hold::book(bench.server(), &bench.book);
        release.send(()).expect("the writer waits");
        let waits = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                     AND datname = current_database()";
        eventually("the group waits for the lock", || {
            database.count(&format!("SELECT count(*) FROM ({waits}) w")) == 1
        });
        hold.execute(&format!("SELECT pg_cancel_backend(pid) FROM ({waits}) w"));
        hold.release();
        let answers = answers(waiting);
        let refused = answers.iter().filter(|answer| answer.is_err()).count();
        assert_eq!(refused, 1, "{answers:?}");
        assert_eq!(bench.descriptions().len(), 2 * rounds, "the others are recorded");
    }
}

/// A commit, while something waits, begins the transaction of the next group. A refusal that is
/// alone there undoes it, and the group after it begins one of its own.
fn a_group_that_is_refused_ends_its_transaction(engine: Engine) {
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

/// What another process would have: connections and a memory of its own.
fn another_process(bench: &Bench) -> Store {
    let address = Address::parse(bench.url()).expect("the harness knows the form of URLs");
    Store::open(&Options::new(address)).expect("the store opens")
}

fn paid_for(name: &str) -> Changes {
    let side = Field::Set(AccountRef { id: None, name: Some(name.to_owned()) });
    Changes { debit: side, ..draft("by name") }
}

fn processes_see_each_others_charts(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let other = another_process(&bench);
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
    assert_eq!(refused.alone().to_string(), "Account not found: Food");
    assert_eq!(create(&bench.store, "Meals").expect("a write").transactions[0].debit, Some(food));
    assert_eq!(create(&other, "Meals").expect("a write").transactions[0].debit, Some(food));
}

fn processes_take_turns_on_a_book(engine: Engine) {
    const EACH: usize = 60;
    let bench = Bench::new(engine, 4096);
    let other = another_process(&bench);
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
