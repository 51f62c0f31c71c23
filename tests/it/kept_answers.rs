//! Stored responses of idempotency keys (0.38): large ones are compressed or reduced to ids, within
//! a limit per user.

use daybook_tests::rng::Rng;
use daybook_tests::{Answer, CASH_AND_FOOD, Cast, Client, Engine, RawSql, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        large_responses_are_stored_compressed_or_as_ids,
        stored_responses_per_user_are_limited
    ]
}

/// Too many for a stored response, except for their ids.
const ITEMS: usize = 3_000;

fn lunches(text: impl Fn(usize) -> String) -> Value {
    batch((0..ITEMS).map(|at| {
        json!({"date": "2026-01-15", "amount": "1.00", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": text(at)})
    }))
}

fn ids(answer: &Answer) -> Vec<Value> {
    let listed: Value = serde_json::from_str(&answer.text).expect("JSON");
    items(&listed).iter().map(|item| json!({"id": item["id"]})).collect()
}

fn large_responses_are_stored_compressed_or_as_ids(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let send = |key: &str, body: &Value| {
        let keyed = cast.owner.header("Idempotency-Key", key);
        let answer = keyed.post(&cast.path("/transactions/batch"), body);
        assert_eq!(answer.status, 200, "{:.300}", answer.text);
        answer
    };
    let form = |answer: &Answer| {
        let of = |name: &str| answer.headers.get(name).map(String::as_str).map(str::to_owned);
        (of("idempotency-replayed"), of("idempotency-answer"))
    };
    let (yes, ids_only) = (Some("true".to_owned()), Some("ids".to_owned()));

    // A compressible response is stored whole.
    let alike = lunches(|at| format!("the same lunch {at}"));
    let (first, again) = (send("alike", &alike), send("alike", &alike));
    assert!(first.text.len() > 1_000_000, "{}", first.text.len());
    assert_eq!((form(&first), form(&again)), ((None, None), (yes.clone(), None)));
    assert!(first.text == again.text, "the repetition has the first answer, byte by byte");

    // Of an incompressible one, the ids are stored.
    let noise = |at: usize| {
        let mut rng = Rng::new(at as u64);
        (0..64).map(|_| format!("{:016x}", rng.next_u64())).collect()
    };
    let unlike = lunches(noise);
    let (first, again) = (send("unlike", &unlike), send("unlike", &unlike));
    assert_eq!((form(&first), form(&again)), ((None, None), (yes, ids_only)));
    let kept: Value = serde_json::from_str(&again.text).expect("JSON");
    assert_eq!(kept["items"], json!(ids(&first)));

    let small = "UPDATE idempotency_keys SET status = status WHERE length(body) < 1048576";
    assert_eq!(RawSql::open(&server).execute(small), 2, "both are within the limit");
    let found = cast.get("/transactions?limit=1").ok();
    assert_eq!(items(&found).len(), 1);
}

fn stored_responses_per_user_are_limited(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let noise = |at: usize| {
        let mut rng = Rng::new(at as u64);
        (0..8).map(|_| format!("{:016x}", rng.next_u64())).collect::<String>()
    };
    let described = |count: usize, first: usize| {
        batch((0..count).map(|at| json!({"description": noise(first + at)})))
    };
    let form = |caller: &Client, key: &str, body: &Value| {
        let keyed = caller.header("Idempotency-Key", key);
        let send = || keyed.post(&cast.path("/transactions/batch"), body);
        assert_eq!(send().status, 200);
        let again = send();
        assert_eq!(again.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
        again.headers.get("idempotency-answer").cloned()
    };
    let large = described(1_000, 0);
    assert_eq!(form(&cast.owner, "first", &large), None);
    let mut database = RawSql::open(&server);
    let counted = "UPDATE idempotency_keys SET counted_bytes = 67108000 \
                   WHERE counted_bytes >= length(body)";
    assert_eq!(database.execute(counted), 1, "the first counts for what it has");
    assert_eq!(form(&cast.owner, "second", &large), Some("ids".to_owned()));
    assert_eq!(form(&cast.owner, "small", &described(20, 2_000)), None);
    assert_eq!(form(&cast.editor, "first", &large), None, "other users have their own limit");
    // Expired responses do not count.
    database.execute("UPDATE idempotency_keys SET created_at = 0");
    assert_eq!(form(&cast.owner, "third", &described(1_000, 3_000)), None);
}
