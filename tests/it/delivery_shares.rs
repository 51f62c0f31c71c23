//! Apps of one user do not keep those of others waiting while their events are read (8.9), and a
//! read that takes too long is a failed attempt (8.8).

use daybook_domain::account::AccountType;
use daybook_domain::book::Changes;
use daybook_domain::instant::Instant;
use daybook_service::event::{self, Request};
use daybook_tests::receiver::Receiver;
use daybook_tests::{Backdoor, Engine, Hold, Options, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::reading::items;
use crate::webhooks::{book, install, lunch};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_9_users_take_turns_at_reading,
        rule_8_8_a_read_that_takes_too_long_is_an_attempt,
        events_read_the_groups_once,
    ]
}

fn server(engine: Engine, deadline: &str) -> Server {
    let args = ["--read-deadline-seconds", deadline].map(str::to_owned).to_vec();
    Server::start_with(Options { engine, args, ..Options::default() })
}

/// The apps of one user read what is locked; more of them wait than are read at once.
fn rule_8_9_users_take_turns_at_reading(engine: Engine) {
    if engine == Engine::Sqlite {
        // Nobody can hold a reader of SQLite up from outside.
        return;
    }
    let server = server(engine, "600");
    let (busy, other) = (book(&server), book(&server));
    lunch(&busy, "one");
    let events = busy.owner.get(&busy.path("/events?type=TRANSACTION_POSTED")).ok();
    let event = json!({"id": items(&events)[0]["id"]});
    let held = Receiver::start();
    for _ in 0..8 {
        install(&busy, &held.url(), &["TRANSACTION_POSTED"], json!({}));
    }
    let receiver = Receiver::start();
    install(&other, &receiver.url(), &["ACCOUNT_CREATED"], json!({}));
    let mut hold = Hold::begin(&server);
    hold.execute("LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE");
    let replay = busy.path("/events/replay/batch");
    busy.owner.patch(&replay, &json!({"items": [event]})).no_content();
    let mut database = Backdoor::open(&server);
    eventually("their events are being read", || database.waiting() >= 2);
    other.account("Bank", "ASSET");
    receiver.wait_for(1);
    assert_eq!(held.received().len(), 0, "8.9: the reads of the others still wait");
    hold.release();
    held.wait_for(8);
}

fn rule_8_8_a_read_that_takes_too_long_is_an_attempt(engine: Engine) {
    if engine == Engine::Sqlite {
        // Nobody can hold a reader of SQLite up from outside.
        return;
    }
    let server = server(engine, "1");
    let (cast, receiver) = (book(&server), Receiver::start());
    let app = install(&cast, &receiver.url(), &["ACCOUNT_CREATED"], json!({}));
    let mut hold = Hold::begin(&server);
    hold.execute("LOCK TABLE bot_responses IN ACCESS EXCLUSIVE MODE");
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
    hold.release();
    assert_eq!(receiver.wait_for(1).len(), 1, "8.8: it is tried again");
}

/// Which types the accounts of a group have is a matter of all its accounts: it is not looked up
/// for each event that is delivered or listed.
fn events_read_the_groups_once(engine: Engine) {
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
    assert!(
        second + 2 <= first,
        "all groups and all memberships are read again: {first}, {second}"
    );
    inside.chart(&[], &[("Card", AccountType::Liability, &[])]);
    let changed = statements();
    assert!(changed > second, "a change of the chart is noticed: {changed}, {second}");
}
