//! Reading events for deliveries: slow reads of one user must not delay the apps of others (8.9),
//! and a read past its deadline is a failed attempt (8.8).

use daybook_domain::account::AccountType;
use daybook_domain::book::Changes;
use daybook_domain::instant::Instant;
use daybook_service::event::{self, Request};
use daybook_tests::receiver::Receiver;
use daybook_tests::{Engine, RawSql, RowLock, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::reading::items;
use crate::webhooks::{book, install, lunch};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_9_slow_reads_of_one_user_do_not_delay_others,
        rule_8_8_read_past_its_deadline_is_a_failed_attempt,
        group_types_are_cached_between_events,
    ]
}

/// More apps of one user wait for a locked table than may read at once.
fn rule_8_9_slow_reads_of_one_user_do_not_delay_others(engine: Engine) {
    if engine == Engine::Sqlite {
        // A reader of SQLite cannot be blocked from outside.
        return;
    }
    let server = Server::with_args(engine, &["--read-deadline-seconds", "600"]);
    let (busy, other) = (book(&server), book(&server));
    lunch(&busy, "one");
    let events = busy.read("/events?type=TRANSACTION_POSTED");
    let event = json!({"id": items(&events)[0]["id"]});
    let held = Receiver::start();
    for _ in 0..8 {
        install(&busy, &held.url(), &["TRANSACTION_POSTED"], json!({}));
    }
    let receiver = Receiver::start();
    install(&other, &receiver.url(), &["ACCOUNT_CREATED"], json!({}));
    let mut lock = RowLock::begin(&server);
    lock.execute("LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE");
    let replay = busy.path("/events/replay/batch");
    busy.owner.patch(&replay, &json!({"items": [event]})).no_content();
    let mut database = RawSql::open(&server);
    eventually("their events are being read", || database.waiting() >= 2);
    other.account("Bank", "ASSET");
    receiver.wait_for(1);
    assert_eq!(held.received().len(), 0, "8.9: the reads of the others still wait");
    lock.release();
    held.wait_for(8);
}

fn rule_8_8_read_past_its_deadline_is_a_failed_attempt(engine: Engine) {
    if engine == Engine::Sqlite {
        // A reader of SQLite cannot be blocked from outside.
        return;
    }
    let server = Server::with_args(engine, &["--read-deadline-seconds", "1"]);
    let (cast, receiver) = (book(&server), Receiver::start());
    let app = install(&cast, &receiver.url(), &["ACCOUNT_CREATED"], json!({}));
    let mut lock = RowLock::begin(&server);
    lock.execute("LOCK TABLE bot_responses IN ACCESS EXCLUSIVE MODE");
    cast.account("Bank", "ASSET");
    let log = cast.path(&format!("/apps/{}/deliveries", id(&app)));
    let mut attempts = Vec::new();
    eventually("12.13: the attempt is logged", || {
        attempts.clone_from(items(&cast.owner.get(&log).ok()));
        !attempts.is_empty()
    });
    let first = attempts.last().expect("an attempt");
    assert_eq!(first["error"], "the event was not read within 1 seconds");
    assert_eq!(first["status"], Value::Null);
    lock.release();
    assert_eq!(receiver.wait_for(1).len(), 1, "8.8: it is tried again");
}

/// The type of a group depends on all its accounts, so it must not be read for each event.
fn group_types_are_cached_between_events(engine: Engine) {
    let inside = Inside::new(engine, Instant::new(1_750_000_000_000), Changes::default());
    let all: [&str; 2] = ["Assets", "Banks"];
    inside.chart(
        &[("Assets", ""), ("Banks", "Assets")],
        &[("Cash", AccountType::Asset, &all), ("Bank", AccountType::Asset, &all)],
    );
    let statements = || {
        let before = inside.store.statements();
        let read = |tx: &mut daybook_storage::Tx<'_>| {
            event::list(tx, &inside.cx, &inside.book, &Request::default())
        };
        let view = inside.store.read(read).expect("events");
        let group = view.forest.find("Assets").expect("the group").id;
        assert_eq!(view.forest.flags(group).kind, Some(AccountType::Asset), "4.12");
        inside.store.statements() - before
    };
    let (first, second) = (statements(), statements());
    assert!(second + 2 <= first, "groups and memberships are read again: {first}, {second}");
    inside.chart(&[], &[("Card", AccountType::Liability, &[])]);
    let changed = statements();
    assert!(changed > second, "a change of the chart is noticed: {changed}, {second}");
}
