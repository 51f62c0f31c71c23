//! A bounded run of the simulation (`make simulate` is the long one): for random operations the
//! service answers, stores and records the same as its model, a plain reading of the behaviour
//! documentation.

use std::ops::Range;

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::Changes;
use daybook_service::book;
use daybook_storage::Tx;
use daybook_tests::sim::{Counts, WorldDatabase, run};
use daybook_tests::{Engine, Server};

use crate::Case;
use crate::inside::{Inside, side};

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
    // Two hours before the year ends in UTC; in Tokyo the new year has begun.
    let now = Instant::new(1_735_682_400_000);
    let zoned = |zone: &str| daybook_domain::book::Changes {
        time_zone: Some(zone.to_owned()),
        ..Default::default()
    };
    let mut inside = Inside::new(engine, now, zoned("UTC"));
    inside.chart(&[], &[("Cash", AccountType::Asset, &[]), ("Bank", AccountType::Asset, &[])]);
    let (date, amount) = (Field::Set("2024-12-31".to_owned()), Field::Set("1".to_owned()));
    let (credit, debit) = (side("Cash"), side("Bank"));
    inside.record(vec![Changes { date, amount, credit, debit, ..Changes::default() }]);

    // An hour into the year in UTC: in New York it is still the old year, and the postings belong
    // to the old year in UTC.
    inside.cx.now = Instant::new(now.milliseconds() + 3 * 3_600_000);
    for (zone, month, expected) in [
        ("America/New_York", 202_412, (1, 1)),
        ("UTC", 202_501, (0, 0)),
        ("Asia/Tokyo", 202_501, (1, 1)),
    ] {
        let changes = zoned(zone);
        let updated =
            inside.write(move |tx, cx, book| book::update(tx, cx, book, changes).map(drop));
        updated.expect("an update");
        let read = |tx: &mut Tx<'_>| book::get(tx, &inside.cx, &inside.book, false, false);
        let view = inside.store.read(read).expect("the book");
        assert_eq!(
            (view.counters.posted, view.counters.current(month)),
            (1, expected),
            "6.10: {zone}"
        );
    }
}
