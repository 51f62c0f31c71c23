//! The delivery sweep removes old attempts (12.13), events of apps paused for 30 days (8.19) and
//! those of uninstalled apps (8.11). It runs in the first worker round of a process.

use std::sync::Arc;

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_service::{Context, Ids, integration, user};
use daybook_storage::{Address, Options, ShardKey, Store};
use daybook_tests::receiver::Receiver;
use daybook_tests::{Engine, RawSql, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::delivery_log::{NOBODY, attempts, replay};
use crate::delivery_pauses::{POSTED, change, messages, webhooks};
use crate::file_sweep::eventually;
use crate::imports::{confirm, done, preview_of};
use crate::reading::{batch, events, items};
use crate::webhooks::{book, descriptions, install, lunch};

const DAY: i64 = 24 * 60 * 60_000;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_12_13_attempts_are_removed_after_30_days,
        rule_8_19_paused_events_are_given_up_after_30_days,
        rule_8_21_deliveries_per_request_are_limited,
        rule_8_21_block_of_an_import_is_recorded_with_its_events,
        rule_8_11_deliveries_of_an_uninstalled_app_are_deleted_in_portions,
    ]
}

fn rule_12_13_attempts_are_removed_after_30_days(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = book(&server);
    lunch(&cast, "one");
    let app = install(&cast, NOBODY, &["BOOK_DELETED"], json!({}));
    for _ in 0..3 {
        replay(&cast, &app);
    }
    for (attempt, days) in [(1, 30), (2, 29)] {
        let past = format!(
            "UPDATE delivery_attempts SET at = at - {} WHERE attempt = {attempt}",
            days * DAY
        );
        assert_eq!(RawSql::open(&server).execute(&past), 1);
    }
    server.restart();
    let left = attempts(&cast, 2);
    let left: Vec<&Value> = left.iter().map(|one| &one["attempt"]).collect();
    assert_eq!(left, [3, 2], "12.13: older ones are removed");
}

fn rule_8_19_paused_events_are_given_up_after_30_days(engine: Engine) {
    let mut server = Server::start(engine);
    let (cast, receiver) = (book(&server), Receiver::start());
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    webhooks(&server, "pause", &["--book", &cast.book, "--app", id(&app)], &app);
    for description in ["one", "two"] {
        lunch(&cast, description);
    }
    let past = |server: &Server, days: i64| {
        let past = format!("UPDATE delivery_queues SET paused_at = paused_at - {}", days * DAY);
        change(server, &format!("{past} WHERE app_id = 'APP'"), &app);
    };
    past(&server, 29);
    server.restart();
    assert_eq!(webhooks(&server, "list", &[], &app)[0][4], "2", "8.19: they wait");
    past(&server, 1);
    server.restart();
    let why = "not delivered: the app has been paused for 30 days";
    eventually("8.19: they are given up", || messages(&cast) == [why, why]);
    eventually("it is logged", || {
        server.log().contains("webhook deliveries of a paused app given up")
    });
    webhooks(&server, "resume", &["--app", id(&app)], &app);
    lunch(&cast, "three");
    receiver.wait_for(1);
    let page = cast.read("/events?error=true");
    let ids: Vec<Value> = items(&page).iter().map(|event| json!({"id": event["id"]})).collect();
    let batch = cast.path("/events/replay/batch?errorsOnly=true");
    cast.owner.patch(&batch, &json!({"items": ids})).no_content();
    let received = receiver.wait_for(3);
    assert_eq!(descriptions(&received), ["three", "one", "two"], "8.12: they can be replayed");
}

/// 8.21: they are one unit of work, which delays others.
fn rule_8_21_deliveries_per_request_are_limited(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    for _ in 0..51 {
        install(&cast, NOBODY, &POSTED, json!({}));
    }
    let lunch = json!({"date": "2026-01-05", "amount": "1", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"}, "description": "Lunch"});
    let send = |count: usize| cast.post("/transactions/batch", &batch(vec![lunch.clone(); count]));
    let message = send(2_000).refused(400, "badRequest");
    let why = "apps would receive 102000 events; at most 100000 are delivered for one request";
    assert!(message.starts_with(why), "8.21: {message}");
    assert!(message.ends_with("send fewer items at once"), "{message}");
    let listed = cast.read("/transactions");
    assert!(items(&listed).is_empty(), "nothing is changed");
    send(1).ok();
}

/// 8.21, 15.7: a block with too many deliveries is recorded one entry after another. Its first
/// attempt leaves nothing behind.
fn rule_8_21_block_of_an_import_is_recorded_with_its_events(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    for _ in 0..51 {
        install(&cast, NOBODY, &POSTED, json!({}));
    }
    let entry = "2026-01-05 Shop\n  A  1\n  B  1\n  C  1\n  D  1\n  Cash  -4\n\n";
    let read = preview_of(&cast, "target=HERE&name=home.journal", &entry.repeat(500));
    shows(&read["counts"], &json!({"new": 500}));
    let imported = done(&cast, confirm(&cast, &read, &json!({})));
    shows(&imported["counts"], &json!({"new": 500, "refused": 0}));
    assert_eq!(cast.read("/transactions/count")["total"], 2_000);
    let posted = events(&cast);
    let posted = posted.iter().filter(|event| event["type"] == "TRANSACTION_POSTED");
    assert_eq!(posted.count(), 2_000, "each has its event");
}

/// 8.11: uninstalling ends the queue at once. The rows are deleted in portions, and only then may
/// the app be installed again.
fn rule_8_11_deliveries_of_an_uninstalled_app_are_deleted_in_portions(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = book(&server);
    let app = install(&cast, NOBODY, &POSTED, json!({}));
    lunch(&cast, "one");
    let mut database = RawSql::open(&server);
    let many = format!(
        "INSERT INTO deliveries (book_id, app_id, sequence, depth) \
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 12000) \
         SELECT q.book_id, q.app_id, 1000000 + n.n, 0 FROM delivery_queues q CROSS JOIN n \
         WHERE q.app_id = '{}'",
        id(&app)
    );
    assert_eq!(database.execute(&many), 12_000);
    let waiting = format!("SELECT COUNT(*) FROM deliveries WHERE app_id = '{}'", id(&app));
    assert_eq!(database.count(&waiting), 12_001);

    // Use a store that does not wake the worker of the server.
    let address = Address::parse(server.database_url()).expect("a URL");
    let other = Store::open(&Options::new(address)).expect("another process");
    let email = Email::stored(cast.owner.email().to_owned());
    let owner = other.read(|tx| user::find(tx, &email)).expect("a read").expect("the owner");
    let cx = Context::new(Arc::new(owner), Instant::new(1_763_000_000_000), Arc::new(Ids::new(11)));
    let installed = cast.read("/integrations");
    let (book, removed) = (cast.book.clone(), id(&items(&installed)[0]).to_owned());
    let shard = ShardKey::of_book(&book);
    let delete = other.write(shard, move |tx| integration::delete(tx, &cx, &book, &removed));
    delete.expect("it has left");
    drop(other);
    assert_eq!(database.count(&waiting), 7_001, "a portion goes at once");
    let backlog = || cast.read("/events/backlog")["count"].clone();
    assert_eq!(backlog(), 0, "nothing waits for it");
    let again = || cast.post("/integrations", &json!({"agentId": app["id"]}));
    again().refused(503, "backendError");

    server.restart();
    eventually("8.11: the rest goes", || database.count(&waiting) == 0);
    eventually("8.11: it comes back", || again().status == 200);
    lunch(&cast, "two");
    assert_eq!(database.count(&waiting), 1, "only later events");
    assert_eq!(backlog(), 1);
}
