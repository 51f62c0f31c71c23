//! What the sweep of deliveries ends: old attempts in the log (12.13), and what has waited for too
//! long for a paused app (8.19). By the first round of a process that starts.

use daybook_tests::receiver::Receiver;
use daybook_tests::{Backdoor, Engine, Server, id};
use serde_json::{Value, json};

use crate::Lone;
use crate::delivery_log::{NOBODY, attempts, book, replay};
use crate::delivery_pauses::{POSTED, change, descriptions, lunch, messages, webhooks};
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::install;

const DAY: i64 = 24 * 60 * 60_000;

pub fn lone() -> Vec<Lone> {
    crate::lone![rule_12_13_thirty_days, rule_8_19_events_wait_for_thirty_days]
}

fn rule_12_13_thirty_days(engine: Engine) {
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
        assert_eq!(Backdoor::open(&server).execute(&past), 1);
    }
    server.restart();
    let left = attempts(&cast, 2);
    let left: Vec<&Value> = left.iter().map(|one| &one["attempt"]).collect();
    assert_eq!(left, [3, 2], "12.13: older ones are removed");
}

fn rule_8_19_events_wait_for_thirty_days(engine: Engine) {
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
    eventually("it is logged", || server.log().contains("events were given up: their app has"));
    webhooks(&server, "resume", &["--app", id(&app)], &app);
    lunch(&cast, "three");
    receiver.wait_for(1);
    let page = cast.owner.get(&cast.path("/events?error=true")).ok();
    let ids: Vec<Value> = items(&page).iter().map(|event| json!({"id": event["id"]})).collect();
    let batch = cast.path("/events/replay/batch?errorsOnly=true");
    cast.owner.patch(&batch, &json!({"items": ids})).no_content();
    let received = receiver.wait_for(3);
    assert_eq!(descriptions(&received), ["three", "one", "two"], "8.12: they can be replayed");
}
