//! Responses are bounded (0.33). Pages end early and can be walked completely, other reads are
//! refused, and writes succeed with a shortened response.

use std::collections::BTreeSet;

use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Server, unique};
use serde_json::{Map, Value, json};

use crate::Case;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_2_11_pages_of_events_end_early,
        rule_2_11_pages_of_transactions_end_early,
        rule_2_11_pages_with_many_files_end_early,
        rule_4_22_a_chart_has_a_bound,
        rule_10_15_batch_with_too_long_texts_is_refused,
        rule_0_33_transactions_with_large_files,
        rule_0_33_too_large_responses_are_refused_or_shortened,
    ]
}

const MEGABYTE: usize = 1024 * 1024;

/// Nearly the most properties that a resource may have.
pub fn properties() -> Value {
    let pairs = (0..7).map(|number| (format!("p{number}"), json!("x".repeat(8_000))));
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// A long deadline, because an unoptimized server needs time for 64 MB.
fn unhurried(engine: Engine) -> Server {
    Server::with_args(engine, &["--read-deadline-seconds", "120"])
}

/// Creates a book with groups of large properties and accounts in all of them.
pub fn amplified(server: &Server, groups: usize, accounts: usize) -> Cast {
    let cast = Cast::new(server);
    let group = |number| json!({"name": format!("G{number}"), "properties": properties()});
    let made = cast.post("/groups/batch", &batch((0..groups).map(group)));
    let groups: Vec<Value> = items(&made.ok()).iter().map(|one| json!({"id": one["id"]})).collect();
    let account = |number| json!({"name": format!("A{number}"), "type": "ASSET", "groups": groups});
    let made = cast.post("/accounts/batch", &batch((0..accounts).map(account)));
    assert_eq!(made.status, 200, "{:.300}", made.text);
    cast
}

/// Walks through a list; returns the ids of its rows and the number of pages. No page exceeds 8 MB
/// by more than a row.
fn walk(cast: &Cast, path: &str, largest_row: usize) -> (Vec<String>, usize) {
    let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, None::<String>);
    loop {
        let caller = match &cursor {
            Some(cursor) => cast.owner.header("cursor", cursor),
            None => cast.owner.clone(),
        };
        let answer = caller.get(&cast.path(path));
        assert!(answer.text.len() < 8 * MEGABYTE + largest_row, "{} bytes", answer.text.len());
        let page = answer.ok();
        pages += 1;
        assert!(!items(&page).is_empty(), "an empty page");
        ids.extend(items(&page).iter().map(|row| row["id"].as_str().expect("an id").to_owned()));
        match page["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return (ids, pages),
        }
    }
}

fn rule_2_11_pages_of_events_end_early(engine: Engine) {
    let server = unhurried(engine);
    let cast = amplified(&server, 4, 10);
    let transaction = |number: usize| {
        json!({
            "date": "2025-01-31",
            "amount": 1,
            "creditAccount": {"name": format!("A{}", number % 10)},
            "debitAccount": {"name": format!("A{}", (number + 1) % 10)},
            "description": "one of many",
        })
    };
    let bodies = batch((0..25).map(transaction));
    cast.post("/transactions/batch", &bodies).ok();
    let (ids, pages) = walk(&cast, "/events?limit=200", 2 * MEGABYTE);
    // 25 rows of 900 KB, and smaller ones.
    assert!((3..8).contains(&pages), "{pages} pages");
    let mut sequences: Vec<i64> = Vec::new();
    for id in &ids {
        let event = cast.get(&format!("/events/{id}")).ok();
        sequences.push(event["sequence"].as_i64().expect("a number"));
    }
    let last = i64::try_from(sequences.len()).expect("few");
    assert_eq!(sequences, (1..=last).rev().collect::<Vec<_>>(), "each once, newest first");
}

fn rule_2_11_pages_of_transactions_end_early(engine: Engine) {
    let server = unhurried(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let file = |number| json!({"name": format!("f{number}"), "properties": properties()});
    let create = |number| cast.post("/files", &file(number)).ok();
    let files: Vec<Value> = (0..20).map(|number| json!({"id": create(number)["id"]})).collect();
    let transaction = |number| json!({"description": format!("t{number}"), "files": files});
    let bodies = batch((0..30).map(transaction));
    let made = cast.post("/transactions/batch", &bodies).ok();
    let made: BTreeSet<_> =
        items(&made).iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect();
    for limit in [1_000, 9] {
        let (ids, pages) = walk(&cast, &format!("/transactions?limit={limit}"), 2 * MEGABYTE);
        assert!((4..6).contains(&pages), "{pages} pages");
        assert_eq!((ids.len(), ids.into_iter().collect::<BTreeSet<_>>()), (30, made.clone()));
    }
    // Rows requested by id are not paged, so all are returned.
    let named: Vec<&str> = made.iter().map(String::as_str).collect();
    let all = cast.get(&format!("/transactions?ids={}", named.join(","))).ok();
    assert_eq!(items(&all).len(), 30);
    let (files, pages) = walk(&cast, "/files?limit=1000", MEGABYTE);
    assert_eq!((files.len(), pages), (20, 1));
}

fn rule_2_11_pages_with_many_files_end_early(engine: Engine) {
    let server = unhurried(engine);
    let cast = Cast::new(&server);
    let create = |number| cast.post("/files", &json!({"name": number})).ok();
    let files: Vec<Value> =
        (0..600).map(|number| json!({"id": create(number.to_string())["id"]})).collect();
    for (number, files) in [&files[..9], &files[300..], &files[..300]].into_iter().enumerate() {
        let body = json!({"description": format!("t{number}"), "files": files});
        let made = cast.post("/transactions", &body).ok();
        assert_eq!(made["transaction"]["files"].as_array().map(Vec::len), Some(files.len()));
    }
    let path = cast.path("/transactions?limit=1000");
    let shown = |page: &Value| {
        let texts = items(page).iter().map(|one| one["description"].as_str().expect("a text"));
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = cast.owner.get(&path).ok();
    assert_eq!(shown(&first), ["t2"], "two have 600 files");
    let cursor = first["cursor"].as_str().expect("more");
    let second = cast.owner.header("cursor", cursor).get(&path).ok();
    assert_eq!(shown(&second), ["t1", "t0"]);
    assert_eq!(second.get("cursor"), None);
}

fn rule_4_22_a_chart_has_a_bound(engine: Engine) {
    let server = unhurried(engine);
    let cast = Cast::new(&server);
    let large = properties();
    let account =
        |number: usize| json!({"name": format!("A{number}"), "type": "ASSET", "properties": large});
    let add = |from: usize| cast.post("/accounts/batch", &batch((from..from + 250).map(account)));
    assert_eq!((add(0).status, add(250).status), (200, 200));
    let message = add(500).refused(400, "badRequest");
    assert!(message.ends_with("at most 33554432 are allowed"), "{message}");
    let listed = || items(&cast.get("/accounts").ok()).len();
    assert_eq!(listed(), 500, "nothing is added");
    // Fewer items are accepted and returned, up to the limit.
    let room = (0..95).map(|number| account(1_000 + number));
    cast.post("/accounts/batch", &batch(room)).ok();
    let small = json!({"name": "Small", "type": "ASSET"});
    cast.post("/accounts", &small).ok();
    let one = cast.get("/accounts/Small").ok();
    let grown = json!({"id": one["id"], "properties": properties()});
    cast.put("/accounts", &grown).ok();
    let group = |number: usize| json!({"name": format!("G{number}"), "properties": properties()});
    cast.post("/groups/batch", &batch((0..5).map(group))).refused(400, "badRequest");
    let cleared = json!({"id": one["id"], "properties": {"p0": ""}});
    cast.put("/accounts", &cleared).ok();
}

fn rule_10_15_batch_with_too_long_texts_is_refused(engine: Engine) {
    let server = unhurried(engine);
    let cast = Cast::new(&server);
    let group = cast.post("/groups", &json!({"name": "Both"})).ok();
    let account = |name: &str| {
        let groups = [json!({"id": group["id"]})];
        let body = json!({"name": name, "type": "ASSET", "groups": groups});
        cast.post("/accounts", &body).ok()
    };
    let sides = ["Left", "Right"].map(account);
    let words = "lunch with everybody ".repeat(3_000);
    let transaction = |number: usize| {
        let (credit, debit) = (&sides[number % 2]["id"], &sides[(number + 1) % 2]["id"]);
        json!({
            "date": "2025-01-31",
            "amount": 1,
            "creditAccount": {"id": credit},
            "debitAccount": {"id": debit},
            "description": format!("{number} {words}"),
            "remoteIds": [format!("r{number}")],
        })
    };
    let many = batch((0..270).map(transaction));
    let refused = cast.post("/transactions/batch", &many);
    let message = refused.refused(400, "badRequest");
    assert!(message.contains("16777216 bytes"), "{message}");
    assert!(items(&cast.get("/transactions").ok()).is_empty());
    let mut made = Vec::new();
    for from in [0, 150] {
        let bodies = batch((from..from + 150).map(transaction));
        made.extend(items(&cast.post("/transactions/batch", &bodies).ok()).clone());
    }
    let ids: Vec<Value> = made.iter().map(|one| json!({"id": one["id"]})).collect();
    let check = |count: usize| {
        let path = cast.path("/transactions/check/batch");
        cast.owner.patch(&path, &batch(ids.iter().take(count).cloned()))
    };
    let checked = || {
        let found = cast.get("/transactions/count?query=is:checked").ok();
        found["total"].as_i64().expect("a number")
    };
    // 134 of them have 8.4 MB; the check needs one more.
    let advice = "the texts of these transactions have more than 8388608 bytes together: \
                  send fewer items at once";
    assert_eq!(check(200).refused(400, "badRequest"), advice);
    assert_eq!(checked(), 0, "nothing is changed");
    assert_eq!(check(130).status, 204);
    assert_eq!(checked(), 130);
    let load = |count: usize| {
        let path = cast.path("/transactions/load/batch");
        cast.owner.post(&path, &batch(ids.iter().take(count).cloned()))
    };
    load(300).refused(400, "badRequest");
    repeated(&cast, &ids[299], &words);
    known_again(&cast);
    assert_eq!(items(&load(250).ok()).len(), 250);
    // Lists continue with the next page, including those merged from several sources.
    let all: BTreeSet<String> =
        ids.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect();
    for query in ["", "&query=group:Both", "&query=account:Left", "&query=everybody"] {
        let (found, pages) = walk(&cast, &format!("/transactions?limit=1000{query}"), 2 * MEGABYTE);
        assert!((3..5).contains(&pages), "{pages} pages of {query:?}");
        assert_eq!((found.len(), found.into_iter().collect::<BTreeSet<_>>()), (300, all.clone()));
    }
    let (events, _) = walk(&cast, "/events?limit=1000", MEGABYTE);
    assert_eq!(events.iter().collect::<BTreeSet<_>>().len(), events.len());
    assert!(events.len() >= 430, "{} events", events.len());
}

/// A repeated item counts each time, before and after it has become longer.
fn repeated(cast: &Cast, long: &Value, words: &str) {
    let again = |count: usize| batch(vec![long.clone(); count]);
    let load = cast.path("/transactions/load/batch");
    cast.owner.post(&load, &again(300)).refused(400, "badRequest");
    assert_eq!(items(&cast.owner.post(&load, &again(250)).ok()).len(), 250);
    let path = cast.path("/transactions/batch");
    cast.owner.put(&path, &again(200)).refused(400, "badRequest");
    let draft = cast.post("/transactions", &json!({"description": "short"}));
    let draft = draft.ok()["transaction"]["id"].clone();
    let change = |number: usize| match number {
        0 => json!({"id": draft, "amount": 1, "description": words}),
        _ => json!({"id": draft, "amount": number % 2 + 1}),
    };
    let changes = |count: usize| batch((0..count).map(change));
    let message = cast.owner.put(&path, &changes(1_200)).refused(400, "badRequest");
    assert!(message.contains("67108864 bytes"), "{message}");
    let one = cast.path(&format!("/transactions/{}", draft.as_str().expect("an id")));
    assert_eq!(cast.owner.get(&one).ok()["description"], "short", "nothing is changed");
    cast.owner.put(&path, &changes(10)).ok();
    cast.patch("/transactions/trash", &json!({"id": draft})).ok();
}

/// Items with known remote ids return the transactions that have them.
fn known_again(cast: &Cast) {
    let create = |remote_ids: Vec<String>| {
        let item = |id| json!({"description": "new", "remoteIds": [id]});
        let bodies = batch(remote_ids.into_iter().map(item));
        cast.post("/transactions/batch", &bodies)
    };
    let known = |count: usize| create((0..count).map(|number| format!("r{number}")).collect());
    let message = known(300).refused(400, "badRequest");
    assert!(message.contains("16777216 bytes"), "{message}");
    assert_eq!(items(&known(250).ok()).len(), 250);
    let repeated = |count: usize| create(vec!["r7".to_owned(); count]);
    let message = repeated(1_100).refused(400, "badRequest");
    assert!(message.contains("67108864 bytes"), "{message}");
    assert_eq!(items(&repeated(100).ok()).len(), 100);
    // A transaction with many remote ids is read once.
    let ids: Vec<String> = (0..1_000).map(|number| format!("one-{number:015}")).collect();
    let body = json!({"description": "x", "remoteIds": ids});
    let send = || cast.post("/transactions", &body).ok();
    let made = send();
    assert_eq!(send()["transaction"]["id"], made["transaction"]["id"], "3.7.1");
    cast.patch("/transactions/trash", &made["transaction"]).ok();
}

fn rule_0_33_transactions_with_large_files(engine: Engine) {
    let server = unhurried(engine);
    let cast = Cast::new(&server);
    let file =
        |number| json!({"name": format!("f{number}"), "content": "", "properties": properties()});
    let files: Vec<Value> = (0..400).map(file).collect();
    let made: Vec<Value> = (0..3)
        .map(|number| {
            let body = json!({"description": format!("t{number}"), "files": files});
            let made = cast.post("/transactions", &body).ok();
            assert_eq!(made["transaction"]["files"].as_array().map(Vec::len), Some(400));
            made["transaction"]["id"].clone()
        })
        .collect();
    let ids: Vec<&str> = made.iter().map(|id| id.as_str().expect("an id")).collect();
    // Their properties have 67 MB.
    cast.get(&format!("/transactions?ids={}", ids.join(","))).refused(400, "answerTooLarge");
    let (listed, pages) = walk(&cast, "/transactions", 32 * MEGABYTE);
    assert_eq!((listed.len(), pages), (3, 3));
    let changes = batch(made.iter().map(|id| json!({"id": id, "amount": 7})));
    let answer = cast.put("/transactions/batch", &changes);
    let header = answer.headers.get("answer-shortened");
    assert_eq!(header.map(String::as_str), Some("true"), "{:?}", answer.headers);
    let wanted: Vec<Value> = made.iter().map(|id| json!({"id": id})).collect();
    assert_eq!(items(&answer.ok()), &wanted);
    let one = cast.get(&format!("/transactions/{}", ids[1])).ok();
    assert_eq!(one["amount"], "7.00", "it is done all the same");
}

fn rule_0_33_too_large_responses_are_refused_or_shortened(engine: Engine) {
    let server = unhurried(engine);
    // The accounts have 69 MB.
    let cast = amplified(&server, 10, 125);
    let refused = |path: &str, advice: &str| {
        let message = cast.get(path).refused(400, "answerTooLarge");
        assert!(message.contains("64 MB") && message.contains(advice), "{message}");
    };
    refused("/accounts", "groups/{id}/accounts");
    refused("/groups/G1/accounts", "single");
    refused("?loadAccounts=true", "single");
    let account = cast.get("/accounts/A7").ok();
    assert_eq!(items(&cast.get("/groups").ok()).len(), 10);
    let bodies = |hidden: bool| {
        let body =
            |number| json!({"id": account["id"], "name": format!("A{number}"), "archived": hidden});
        batch([body(7)])
    };
    // A small response is complete.
    let whole = cast.put("/accounts/batch", &bodies(true));
    assert!(!whole.headers.contains_key("answer-shortened"), "{:?}", whole.headers);
    assert_eq!(items(&whole.ok())[0]["groups"].as_array().expect("groups").len(), 10);
    let ids: Vec<Value> = (0..125)
        .map(|number| {
            let one = cast.get(&format!("/accounts/A{number}")).ok();
            json!({"id": one["id"], "archived": true})
        })
        .collect();
    for key in [None, Some(unique("key"))] {
        let caller = match &key {
            Some(key) => cast.owner.header("Idempotency-Key", key),
            None => cast.owner.clone(),
        };
        let answer = caller.put(&cast.path("/accounts/batch"), &batch(ids.clone()));
        let shown: Vec<Value> = items(&serde_json::from_str(&answer.text).expect("JSON")).clone();
        assert_eq!(answer.status, 200, "{:.300}", answer.text);
        let wanted: Vec<Value> = ids.iter().map(|one| json!({"id": one["id"]})).collect();
        assert_eq!(shown, wanted);
        if key.is_none() {
            let header = answer.headers.get("answer-shortened");
            assert_eq!(header.map(String::as_str), Some("true"), "{:?}", answer.headers);
        }
    }
    // The write is done nevertheless.
    assert_eq!(cast.get("/accounts/A99").ok()["archived"], true);
}
