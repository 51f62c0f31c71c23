//! A draft without a date is listed under the day of its creation in the book zone (2.6), whenever
//! its date was removed. The test needs its own store to let days pass.

use std::sync::Arc;

use daybook_domain::calendar::format_iso;
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{Request, VerbRequest};
use daybook_service::{Context, Ids, book, transaction, user};
use daybook_storage::{Address, Options, ShardKey, Store};
use daybook_tests::{Engine, Server, unique};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_2_6_the_day_of_creation]
}

/// 2025-11-12 23:30 in UTC, when it was already the 13th in Berlin.
const CREATED: Instant = Instant::new(1_762_990_200_000);
const DAY: i64 = 24 * 3_600_000;

fn rule_2_6_the_day_of_creation(engine: Engine) {
    let server = Server::start(engine);
    let address =
        Address::parse(server.database_url()).expect("the harness knows the form of URLs");
    let store = Store::open(&Options::new(address)).expect("the store opens");
    let ids = Arc::new(Ids::new(9));
    let (email, minted) =
        (Email::stored(format!("{}@example.com", unique("undated"))), Arc::clone(&ids));
    let user = store
        .write(ShardKey::NO_BOOK, move |tx| user::sign_in(tx, &email, &minted, CREATED))
        .expect("a user");
    let at = |now: Instant| Context::new(Arc::new(user.clone()), now, Arc::clone(&ids));
    let (name, zone) = (Some("Undated".to_owned()), Some("Europe/Berlin".to_owned()));
    let changes = daybook_domain::book::Changes { name, time_zone: zone, ..Default::default() };
    let (input, cx) =
        (book::Input { changes, accounts: Vec::new(), groups: Vec::new() }, at(CREATED));
    let view =
        store.write(ShardKey::NO_BOOK, move |tx| book::create(tx, &cx, input)).expect("a book");
    let key = view.access.book().key.as_str().to_owned();

    let create = |text: &str, date: Field<String>, now: Instant| {
        let item = Changes {
            description: Field::Set(text.to_owned()),
            date,
            amount: Field::Set("1".to_owned()),
            ..Changes::default()
        };
        let (cx, key) = (at(now), key.clone());
        let view = store.write(ShardKey::of_book(&key.clone()), move |tx| {
            transaction::create(tx, &cx, &key, vec![item], Intent::Create)
        });
        view.expect("a draft").transactions[0].id.to_string()
    };
    let update = |item: Changes, now: Instant| {
        let (cx, key) = (at(now), key.clone());
        let order = VerbRequest::single(Verb::Update);
        store
            .write(ShardKey::of_book(&key.clone()), move |tx| {
                transaction::perform(tx, &cx, &key, order, vec![item])
            })
            .expect("an update");
    };
    let days = || {
        let listed = store
            .read(|tx| transaction::list(tx, &at(CREATED), &key, &Request::default()))
            .expect("a list");
        let day = |found: &daybook_domain::transaction::Transaction| {
            (found.description.clone(), format_iso(found.list_day))
        };
        listed.view.transactions.iter().map(day).collect::<Vec<_>>()
    };
    let line = |text: &str, day: &str| (text.to_owned(), day.to_owned());

    let later = |days: i64| Instant::new(CREATED.milliseconds() + days * DAY);
    let dated = create("dated", Field::Set("2025-01-31".to_owned()), CREATED);
    create("never dated", Field::Keep, later(-3));
    create("between", Field::Set("2025-11-20".to_owned()), CREATED);
    assert_eq!(
        days(),
        [
            line("between", "2025-11-20"),
            line("never dated", "2025-11-10"),
            line("dated", "2025-01-31")
        ]
    );
    let clear = || Changes { id: Some(dated.clone()), date: Field::Clear, ..Changes::default() };
    update(clear(), later(40));
    let cleared = [
        line("between", "2025-11-20"),
        line("dated", "2025-11-13"),
        line("never dated", "2025-11-10"),
    ];
    assert_eq!(
        days(),
        cleared,
        "its date was cleared forty days later, and it stands where it was created"
    );
    update(Changes { description: Field::Set("renamed".to_owned()), ..clear() }, later(50));
    let renamed = [
        line("between", "2025-11-20"),
        line("renamed", "2025-11-13"),
        line("never dated", "2025-11-10"),
    ];
    assert_eq!(days(), renamed, "and stays there");
}
