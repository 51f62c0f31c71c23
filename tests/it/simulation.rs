//! A bounded run of the simulation (`make simulate` is the long one): for random operations the
//! service answers, stores and records the same as its model, a plain reading of the behaviour
//! documentation.

use std::ops::Range;
use std::sync::Arc;

use daybook_domain::account::{AccountRef, AccountType};
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent};
use daybook_service::{Context, Ids, account, book, transaction, user};
use daybook_storage::{Address, Options, ShardKey, Store};
use daybook_tests::sim::{Counts, WorldDatabase, run};
use daybook_tests::{Engine, Server, unique};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![two_worlds_agree_with_the_model, another_zone_has_other_months]
}

pub fn nightly() -> Vec<Case> {
    crate::isolated![twenty_worlds_agree_with_the_model]
}

fn two_worlds_agree_with_the_model(engine: Engine) {
    worlds_agree_with_the_model(engine, 0..2);
}

fn twenty_worlds_agree_with_the_model(engine: Engine) {
    worlds_agree_with_the_model(engine, 2..22);
}

/// A world has about 300 operations.
fn worlds_agree_with_the_model(engine: Engine, seeds: Range<u64>) {
    // The database of a server that is stopped; a running one would deliver the events itself.
    let server = (engine == Engine::Postgres).then(|| {
        let mut server = Server::start(engine);
        server.kill();
        server
    });
    let database = server.as_ref().map_or(WorldDatabase::Memory, |server| {
        WorldDatabase::Database(server.database_url().to_owned())
    });
    let mut counts = Counts::new();
    for seed in seeds {
        if let Err(failure) = run(&database, seed, &mut counts, &|| {}).expect("a database") {
            panic!("{failure}");
        }
    }
    // A run in which every operation is refused tests nothing.
    let (drawn, accepted) =
        counts.values().fold((0, 0), |all, count| (all.0 + count.0, all.1 + count.1));
    assert!(accepted * 3 > drawn, "{accepted} of {drawn} operations were accepted: {counts:?}");
}

/// 6.10: found by the simulation: the postings of the month depend on the current time zone of the
/// book.
fn another_zone_has_other_months(engine: Engine) {
    let server = Server::start(engine);
    let address =
        Address::parse(server.database_url()).expect("the harness knows the form of URLs");
    let store = Store::open(&Options::new(address)).expect("the store opens");
    // Two hours before the year ends in UTC; in Tokyo the new year has begun.
    let now = Instant::new(1_735_682_400_000);
    let ids = Arc::new(Ids::new(9));
    let (email, minted) =
        (Email::stored(format!("{}@example.com", unique("zones"))), Arc::clone(&ids));
    let user = store
        .write(ShardKey::NO_BOOK, move |tx| user::sign_in(tx, &email, &minted, now))
        .expect("a user");
    let cx = Context::new(Arc::new(user), now, ids);
    let named = |name: &str| account::Input {
        changes: daybook_domain::account::Changes {
            name: Some(name.to_owned()),
            kind: Some(AccountType::Asset),
            ..Default::default()
        },
        groups: Field::Keep,
    };
    let zoned = |zone: &str| daybook_domain::book::Changes {
        time_zone: Some(zone.to_owned()),
        ..Default::default()
    };
    let changes = daybook_domain::book::Changes { name: Some("Zones".to_owned()), ..zoned("UTC") };
    let input =
        book::Input { changes, accounts: vec![named("Cash"), named("Bank")], groups: Vec::new() };
    let founder = cx.clone();
    let view = store
        .write(ShardKey::NO_BOOK, move |tx| book::create(tx, &founder, input))
        .expect("a book");
    let key = view.access.book().key.as_str().to_owned();
    let side = |name: &str| Field::Set(AccountRef { id: None, name: Some(name.to_owned()) });
    let (date, amount) = (Field::Set("2024-12-31".to_owned()), Field::Set("1".to_owned()));
    let posting =
        Changes { date, amount, credit: side("Cash"), debit: side("Bank"), ..Changes::default() };
    let (poster, place) = (cx.clone(), key.clone());
    store
        .write(ShardKey::of_book(&key), move |tx| {
            transaction::create(tx, &poster, &place, vec![posting], Intent::Post)
        })
        .expect("a posting");

    // An hour into the year in UTC: in New York it is still the old year, and the postings belong
    // to the old year in UTC.
    let later = Context { now: Instant::new(1_735_682_400_000 + 3 * 3_600_000), ..cx };
    for (zone, month, expected) in [
        ("America/New_York", 202_412, (1, 1)),
        ("UTC", 202_501, (0, 0)),
        ("Asia/Tokyo", 202_501, (1, 1)),
    ] {
        let (cx, place, changes) = (later.clone(), key.clone(), zoned(zone));
        store
            .write(ShardKey::of_book(&key), move |tx| book::update(tx, &cx, &place, changes))
            .expect("an update");
        let view = store.read(|tx| book::get(tx, &later, &key, false, false)).expect("the book");
        assert_eq!(
            (view.counters.posted, view.counters.current(month)),
            (1, expected),
            "6.10: {zone}"
        );
    }
}
