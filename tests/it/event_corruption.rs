//! An unreadable event in the database causes a 500, never an event without content.

use daybook_tests::{Cast, Engine, RawSql, Server};
use serde_json::json;

use crate::reading::{events, id};

fn unreadable_snapshot_is_an_internal_error(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::new(&server);
    cast.group("Trips");
    cast.account_in("Train", "OUTGOING", &["Trips"]);
    let draft = json!({"description": "ride", "creditAccount": {"name": "Train"}});
    cast.post("/transactions", &draft).ok();
    let log = events(&cast);
    let mut raw_sql = RawSql::open(&server);
    let mut set = |number: usize, data: &str| {
        let data = raw_sql.literal(data.as_bytes());
        let changed = raw_sql.execute(&format!(
            "UPDATE events SET data = {data} WHERE sequence = {number} AND book_id = \
             (SELECT id FROM books WHERE public_id = '{}')",
            cast.book
        ));
        assert_eq!(changed, 1, "{number}");
    };
    for (number, event) in (1..).zip(&log) {
        let single = cast.path(&format!("/events/{}", id(event)));
        let packed = ["\u{1}", "\u{1}\u{7f}"];
        let plain = ["", "{", "[]", "{}", r#"{"object":null}"#, r#"{"object":[]}"#];
        for data in packed.into_iter().chain(plain) {
            set(number, data);
            for path in [&single, &cast.path("/events")] {
                assert_eq!(cast.owner.get(path).status, 500, "{data} of {}", event["type"]);
            }
        }
        set(number, r#"{"object":{"id":"1","name":"x","token":"x"}}"#);
        assert_eq!(cast.owner.get(&single).status, 200, "{}", event["type"]);
    }
    for (kind, data) in [
        ("ACCOUNT_CREATED", r#"{"object":{"id":1,"name":"x"}}"#),
        ("ACCOUNT_CREATED", r#"{"object":{"id":"1","name":"x","type":"NONE"}}"#),
        ("ACCOUNT_CREATED", r#"{"object":{"id":"1","name":"x","groups":["1"]}}"#),
        ("GROUP_CREATED", r#"{"object":{"id":"1"}}"#),
        ("TRANSACTION_CREATED", r#"{"object":{"date":"yesterday"}}"#),
        ("TRANSACTION_CREATED", r#"{"object":{"creditAccount":"1"}}"#),
        ("TRANSACTION_CREATED", r#"{"object":{"files":[{"id":"1"}]}}"#),
    ] {
        let place = log.iter().position(|event| event["type"] == kind).expect("its event");
        set(place + 1, data);
        let single = cast.path(&format!("/events/{}", id(&log[place])));
        assert_eq!(cast.owner.get(&single).status, 500, "{data}");
    }
}

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![unreadable_snapshot_is_an_internal_error]
}
