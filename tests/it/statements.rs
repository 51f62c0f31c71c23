//! The number of statements of a use case does not grow with its input (house rule: batch first).

use daybook_domain::account::{AccountRef, AccountType};
use daybook_domain::field::Field;
use daybook_domain::group::GroupRef;
use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{Request, VerbRequest};
use daybook_service::{Error, account, book, group, reconciliation, transaction};
use daybook_storage::Tx;
use daybook_tests::{Engine, unique};
use serde_json::json;

use crate::Case;
use crate::inside::{Inside, only};
use crate::store::{Bench, NOW, draft, named};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        a_batch_takes_a_constant_number_of_statements,
        deleting_a_batch_takes_a_constant_number_of_statements,
        a_reconciliation_takes_a_constant_number_of_statements,
        a_copy_takes_a_constant_number_of_statements,
        a_portion_takes_a_constant_number_of_statements,
        no_op_writes_no_rows,
        an_app_costs_few_statements,
    ]
}

/// The additional statements on SQLite for rows of each of ten tables. A statement is cheap there,
/// so rows are written in portions.
const fn portions(rows: u64) -> u64 {
    10 * (rows / 128 + 2)
}

/// A number of new transactions whose rows are flushed before their events are created.
const FLUSHED_AHEAD: usize = 300;

/// Asserts that a use case takes as many statements for many items as for few.
#[track_caller]
fn assert_constant(engine: Engine, few: u64, many: u64, items: u64, what: &str) {
    match engine {
        Engine::Sqlite => {
            assert!(few <= many && many <= few + portions(items), "{what}: {few}, {many}")
        }
        Engine::Postgres => assert_eq!(few, many, "{what}"),
    }
}

fn a_batch_takes_a_constant_number_of_statements(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let counted = |work: &dyn Fn()| {
        let before = bench.store.statements();
        work();
        bench.store.statements() - before
    };
    let items = |count: usize| {
        (0..count).map(|number| draft(&format!("#tag batch {number}"))).collect::<Vec<_>>()
    };
    // The first posting on an account sets its flag by a statement; after the second the chart is
    // cached.
    for _ in 0..2 {
        bench.record(items(1)).expect("a warm-up");
    }
    let small = counted(&|| drop(bench.record(items(10)).expect("a batch")));
    let [long, large] = [FLUSHED_AHEAD, 1_000]
        .map(|count| counted(&|| drop(bench.record(items(count)).expect("a batch"))));
    assert_constant(engine, long, large, 1_000, "creating some hundred and a thousand");
    if engine == Engine::Postgres {
        assert_eq!(long, small + 1, "the first rows of a long batch are flushed while it goes on");
    }
    let most = match engine {
        Engine::Sqlite => 20,
        Engine::Postgres => 8,
    };
    assert!(small <= most, "{small} statements for a batch");
    let texts = |count: usize| {
        let typed = |number| Changes {
            description: Field::Set(format!("cash food 01/02/2025 {number}")),
            ..Changes::default()
        };
        (1..=count).map(typed).collect::<Vec<_>>()
    };
    let [long_typed, large_typed] = [FLUSHED_AHEAD, 1_000]
        .map(|count| counted(&|| drop(bench.record(texts(count)).expect("a batch of texts"))));
    assert_constant(engine, long_typed, large_typed, 1_000, "3.8: reading texts");
    assert!(large_typed <= large + 1, "one statement more reads all names: {large_typed}");
    check_preview(&bench);
    let ids: Vec<Changes> = {
        let request = Request { limit: Some(1000), query: "#tag".into(), ..Request::default() };
        let listed = bench
            .store
            .read(|tx| transaction::list(tx, &bench.cx, &bench.book, &request))
            .expect("a list");
        listed
            .view
            .transactions
            .iter()
            .map(|found| Changes { id: Some(found.id.to_string()), ..Changes::default() })
            .collect()
    };
    let verb = |verb, items: &[Changes]| {
        let (cx, book, items) = (bench.cx.clone(), bench.book.clone(), items.to_vec());
        let order = VerbRequest::batch(verb, true);
        bench
            .store
            .write(bench.lane(), move |tx| transaction::perform(tx, &cx, &book, order, items))
            .expect("a batch of verbs");
    };
    for name in [Verb::Trash, Verb::Untrash, Verb::Check, Verb::Uncheck] {
        let small = counted(&|| verb(name, &ids[..10]));
        let large = counted(&|| verb(name, &ids[10..]));
        assert_constant(engine, small, large, 990, &format!("{name:?} of ten and of 990"));
    }
}

/// 3.15: clients ask for a preview while their user types. The book has a thousand duplicates.
fn check_preview(bench: &Bench) {
    let preview = |text: &str| {
        let body = Changes { description: Field::Set(text.to_owned()), ..Changes::default() };
        let before = bench.store.statements();
        let said = bench
            .store
            .read(|tx| transaction::preview(tx, &bench.cx, &bench.book, body.clone(), None))
            .expect("a preview");
        (bench.store.statements() - before, said.duplicates.len())
    };
    let line = "cash food 01/02/2025 25";
    let long = format!("{line} {}", "cash #tag word ".repeat(2_000));
    assert_eq!(preview("word").1, 0);
    let (few, found) = preview(line);
    assert_eq!(found, 2, "typed in two batches");
    assert!(few <= 8, "{few} statements for a preview");
    assert_eq!(preview(&long), (few, found));
}

/// 14.5, 14.6: transactions are put on and taken off, checked and unchecked.
fn a_reconciliation_takes_a_constant_number_of_statements(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let items = (0..1_000).map(|number| draft(&format!("batch {number}"))).collect();
    let recorded = bench.record(items).expect("transactions").transactions;
    let ids: Vec<String> = recorded.iter().map(|one| one.id.to_string()).collect();
    let create = |account: &str, add: &[String]| {
        let input = reconciliation::Input {
            account: Some(AccountRef { id: None, name: Some(account.to_owned()) }),
            date: Field::Set("2025-05-31".to_owned()),
            closing_balance: Field::Set("0".to_owned()),
            add: add.to_vec(),
            ..Default::default()
        };
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        let work = move |tx: &mut Tx<'_>| reconciliation::create(tx, &cx, &book, input);
        bench.store.write(bench.lane(), work).expect("a reconciliation").reconciliations[0].id
    };
    create("Cash", &ids);
    let food = create("Food", &[]).to_string();
    let update = |add: &[String], remove: &[String]| {
        let input = reconciliation::Input {
            add: add.to_vec(),
            remove: remove.to_vec(),
            ..Default::default()
        };
        let (cx, book, food) = (bench.cx.clone(), bench.book.clone(), food.clone());
        let before = bench.store.statements();
        let work = move |tx: &mut Tx<'_>| reconciliation::update(tx, &cx, &book, &food, input);
        drop(bench.store.write(bench.lane(), work).expect("an update"));
        bench.store.statements() - before
    };
    let [few, many] = [&ids[..10], &ids[10..]];
    assert_constant(engine, update(few, &[]), update(many, &[]), 990, "adding");
    assert_constant(engine, update(&[], few), update(&[], many), 990, "removing");
}

/// Groups contain accounts and groups, and drafts reference the accounts: all of these change too.
fn deleting_a_batch_takes_a_constant_number_of_statements(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let delete = |count: usize| -> u64 {
        let name = move |kind: &str, number: usize| format!("{kind} {count} {number}");
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        let (accounts, groups) = bench
            .store
            .write(bench.lane(), move |tx| {
                let group = |number: usize, parent: Option<String>| group::Input {
                    changes: daybook_domain::group::Changes {
                        name: Some(name("group", number)),
                        ..Default::default()
                    },
                    parent: parent.map_or(Field::Keep, |parent| {
                        Field::Set(GroupRef { id: None, name: Some(parent) })
                    }),
                };
                // Every second group is below the one before.
                let inputs = (0..2 * count).map(|number| {
                    group(number, (number % 2 == 1).then(|| name("group", number - 1)))
                });
                let groups = group::create(tx, &cx, &book, inputs.collect())?.groups;
                let account = |number: usize| account::Input {
                    groups: Field::Set(vec![GroupRef {
                        id: None,
                        name: Some(name("group", 2 * number)),
                    }]),
                    ..named(&name("account", number))
                };
                let accounts =
                    account::create(tx, &cx, &book, (0..count).map(account).collect())?.accounts;
                let side = |account: &daybook_domain::account::Account| {
                    Field::Set(AccountRef::id_or_name(&account.id.to_string()))
                };
                let drafts = accounts.iter().map(|account| Changes {
                    credit: side(account),
                    draft: true,
                    ..draft("draft")
                });
                transaction::create(tx, &cx, &book, drafts.collect(), Intent::Create)?;
                let tops = groups
                    .iter()
                    .step_by(2)
                    .map(|group| GroupRef { id: Some(group.id.to_string()), name: None });
                let accounts =
                    accounts.iter().map(|account| AccountRef::id_or_name(&account.id.to_string()));
                Ok::<_, Error>((accounts.collect::<Vec<_>>(), tops.collect::<Vec<_>>()))
            })
            .expect("accounts and groups");
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        let before = bench.store.statements();
        let deleted = bench.store.write(bench.lane(), move |tx| {
            let groups = group::delete(tx, &cx, &book, &groups)?.groups.len();
            Ok::<_, Error>((groups, account::delete(tx, &cx, &book, &accounts)?.accounts.len()))
        });
        assert_eq!(deleted.expect("what nothing was posted on goes"), (count, count));
        bench.store.statements() - before
    };
    delete(2);
    let (small, large) = (delete(10), delete(400));
    assert_constant(engine, small, large, 400, "deleting ten and four hundred");
}

fn whole_copy() -> book::CopyRequest {
    let name = Some("Copy".to_owned());
    book::CopyRequest { name, transactions: true, ..book::CopyRequest::default() }
}

/// 6.14: each portion of a large copy takes the same number of statements.
fn a_portion_takes_a_constant_number_of_statements(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let record = |count: usize| {
        let all = (0..count).map(|number| draft(&format!("#tag {number}")));
        bench.record(all.collect()).expect("a batch");
    };
    let copied = || {
        let before = bench.store.statements();
        let (book_id, request) = (bench.book.as_str(), whole_copy());
        let finish = |tx: &mut Tx<'_>, whole: book::WholeCopy| whole.publish(tx);
        book::copy_in_portions(&bench.store, &bench.cx, book_id, &request, &|| false, finish)
            .expect("a copy");
        bench.store.statements() - before
    };
    record(1000);
    record(500);
    let mut counts = Vec::new();
    for _ in 0..3 {
        counts.push(copied());
        record(1000);
    }
    let taken: Vec<u64> = counts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(taken[0], taken[1], "{counts:?}");
    let most = match engine {
        Engine::Sqlite => 16 + portions(1_000),
        Engine::Postgres => 16,
    };
    assert!(taken[0] <= most, "{taken:?} statements for a portion");
}

fn a_copy_takes_a_constant_number_of_statements(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let copied = |expected: usize| {
        let before = bench.store.statements();
        let (cx, source) = (bench.cx.clone(), bench.book.clone());
        let request = whole_copy();
        let view = bench
            .store
            .write(bench.lane(), move |tx| book::copy(tx, &cx, &source, &request))
            .expect("a copy");
        assert_eq!(usize::try_from(view.counters.posted), Ok(expected));
        bench.store.statements() - before
    };
    let record = |count: usize| {
        let items = (0..count).map(|number| draft(&format!("#tag {number}"))).collect();
        bench.record(items).expect("a batch");
    };
    record(10);
    let small = copied(10);
    record(FLUSHED_AHEAD - 10);
    let long = copied(FLUSHED_AHEAD);
    record(1_000 - FLUSHED_AHEAD);
    let large = copied(1_000);
    assert_constant(engine, long, large, 1_000, "copying some hundred and a thousand");
    if engine == Engine::Postgres {
        assert!(long <= small + 1, "{long} statements for a long copy, {small} for a small one");
    }
    assert!(small <= 40, "{small} statements for a copy");
    assert_eq!(copied(1000), large, "what one copy needs for itself is gone when the next begins");
}

/// 0.17, 3.6.4: neither rows nor the book state are written, so the disk is not synced.
fn no_op_writes_no_rows(engine: Engine) {
    let inside = Inside::new(engine, NOW, daybook_domain::book::Changes::default());
    inside.chart(&[], &[("Cash", AccountType::Asset, &[]), ("Food", AccountType::Outgoing, &[])]);
    let made: Vec<Changes> = inside.record(vec![draft("lunch"); 3]).into_iter().map(only).collect();
    inside.execute(&[match engine {
        Engine::Sqlite => {
            "CREATE TRIGGER still BEFORE INSERT ON book_state BEGIN SELECT RAISE(ABORT, \
            'the head was written'); END"
        }
        Engine::Postgres => {
            "CREATE FUNCTION still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION \
                'the head was written'; END $$; \
             CREATE TRIGGER still BEFORE INSERT ON book_state FOR EACH ROW EXECUTE FUNCTION still()"
        }
    }]);
    let same = Changes { description: Field::Set("lunch".to_owned()), ..made[0].clone() };
    inside.perform(Verb::Post, &made);
    inside.perform(Verb::Untrash, &made);
    inside.perform(Verb::Update, &[same]);
    inside
        .write(|tx, cx, book| transaction::create(tx, cx, book, Vec::new(), Intent::Create))
        .expect("an empty batch");
    let changed = inside.write({
        let checked = made[0].clone();
        move |tx, cx, book| {
            transaction::perform(tx, cx, book, VerbRequest::batch(Verb::Check, true), vec![checked])
        }
    });
    assert!(
        matches!(changed, Err(daybook_service::Error::Storage(_))),
        "what changes something would be noticed"
    );
}

/// 8.9: a batch reads the receivers, and writes their deliveries and queues, once; a book without
/// apps has no extra statement. A due queue is not written; SQLite takes another statement for
/// queues that are not due.
fn an_app_costs_few_statements(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let counted = |count: usize| {
        let items = (0..count).map(|number| draft(&format!("#tag batch {number}"))).collect();
        let before = bench.store.statements();
        bench.record(items).expect("a batch");
        bench.store.statements() - before
    };
    // The statements of the first postings.
    for _ in 0..2 {
        counted(1);
    }
    let without = counted(10);
    let owner = bench.owner();
    // No receiver listens there, so the deliveries stay queued.
    let install = |events: &[&str]| {
        let app = json!({"id": unique("bot"), "name": "Bot", "webhookUrl": "http://127.0.0.1:1/",
            "events": events});
        owner.post("/v5/apps", &app).ok();
        let path = format!("/v5/books/{}/integrations", bench.book);
        owner.post(&path, &json!({"agentId": app["id"]})).ok();
    };
    install(&["BOOK_DELETED"]);
    assert_eq!(counted(10), without + 1, "an app that wants to hear of nothing: it is looked up");
    install(&["TRANSACTION_POSTED"]);
    // PostgreSQL inserts the rows of all tables in one statement.
    let (first, then) = match engine {
        Engine::Sqlite => (3, 2),
        Engine::Postgres => (1, 1),
    };
    assert_eq!(counted(10), without + first, "what was not due before is made due");
    let small = counted(10);
    let (some, many) = (counted(FLUSHED_AHEAD), counted(1_000));
    assert_constant(engine, some, many, 1_000, "some hundred events and a thousand");
    if engine == Engine::Postgres {
        assert_eq!(some, small + 1, "the first rows of a long batch are flushed apart");
    }
    assert_eq!(small, without + then, "what is due already is not");
    (0..5).for_each(|_| install(&["TRANSACTION_POSTED", "TRANSACTION_UPDATED"]));
    // As many as SQLite takes in one portion.
    let several = match engine {
        Engine::Sqlite => 10,
        Engine::Postgres => 100,
    };
    assert_eq!(counted(several), without + first, "six apps take as many as one");
    assert_eq!(counted(several), without + then);
}
