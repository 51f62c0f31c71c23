//! Copies of more transactions than one unit of work holds (6.14). A copy equals its source, is
//! invisible until it is complete and does not block other writes. The log proves it (6.20).

use std::thread;

use daybook_tests::{Cast, Client, RawSql, Server, column, encode, id};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::book_copies::{Copy, bare};
use crate::limited_callers::issued;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_14_the_copy_is_the_source,
        rule_6_14_writes_continue_during_a_copy,
        rule_0_16_a_large_copy_is_made_once,
        rule_6_20_audits_prove_copies,
    ]
}

pub const ALL: &str = "name=Copy&copyTransactions=true";

/// Creates a book with thousands of transactions in all states.
pub fn filled(server: &Server, thousands: usize) -> Cast {
    let cast = Cast::with_settings(
        server,
        json!({"timeZone": "America/Sao_Paulo", "fractionDigits": 3, "groups": [{"name": "All"}]}),
    );
    for (name, kind) in [("Cash", "ASSET"), ("Card", "LIABILITY"), ("Food", "OUTGOING")] {
        cast.account_in(name, kind, &["All"]);
    }
    cast.account("Pay", "INCOMING");
    let names = ["Cash", "Card", "Food", "Pay"];
    for thousand in 0..thousands {
        let rows = (0..1000).map(|number| {
            let day =
                format!("20{:02}-{:02}-{:02}", 20 + number % 5, 1 + number % 12, 1 + number % 28);
            let mut row = json!({
                "amount": format!("{}.{:03}", 1 + number * 7 % 900, number % 1000),
                "creditAccount": {"name": names[number % 4]},
                "debitAccount": {"name": names[(number + 1 + thousand % 3) % 4]},
                "description": format!("Número {number} #tag{} rose {thousand}", number % 50),
                "draft": number % 10 == 0,
            });
            if number % 20 != 0 {
                row["date"] = json!(day);
            }
            if number % 3 == 0 {
                row["remoteIds"] = json!([format!("bank-{thousand}-{number}")]);
                row["properties"] = json!({"shop": format!("s{}", number % 7)});
            }
            row
        });
        cast.post("/transactions/batch", &batch(rows)).ok();
    }
    for (query, verb) in [("#tag7", "trash"), ("#tag11", "check")] {
        let found = cast.get(&format!("/transactions?limit=40&query={}", encode(query)));
        let some = batch(items(&found.ok()).iter().map(|row| json!({"id": row["id"]})));
        cast.patch(&format!("/transactions/{verb}/batch"), &some).no_content();
    }
    cast
}

/// Lists all transactions of a query, without the fields that differ between books.
fn rows(reader: &Client, book: &str, query: &str) -> Vec<Value> {
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!(
            "/v5/books/{book}/transactions?limit=700&query={}&cursor={}",
            encode(query),
            encode(&cursor)
        );
        let page = reader.get(&path).ok();
        rows.extend(items(&page).iter().map(bare));
        match page["cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return rows,
        }
    }
}

/// The `data.copied` of the only event of a copy.
fn copied(copy: &Copy) -> Value {
    let all = copy.read("/events");
    assert_eq!(column(&all, "type"), ["BOOK_CREATED"], "8.1");
    items(&all)[0]["data"]["copied"].clone()
}

/// 6.14: lists, searches, balances and counts agree, and an audit finds nothing.
fn rule_6_14_the_copy_is_the_source(server: &Server) {
    let cast = filled(server, 3);
    let books = || items(&cast.owner.get("/v5/books").ok()).len();
    let before = books();
    issued(server, &cast.owner, json!({"readOnly": true}))
        .post(&cast.path(&format!("/copy?{ALL}")), &Value::Null)
        .refused(403, "insufficientScope");
    assert_eq!(books(), before, "11.9: a token that only reads makes no copy");
    let copy = Copy::make(&cast.owner, &cast.book, ALL);
    let own = id(&copy.book).to_owned();
    for query in [
        "",
        "is:draft",
        "is:checked",
        "#tag13",
        "rose 2",
        "número 77",
        "shop:s3",
        "account:Card",
        "group:All on:2022-03",
        "remoteId:bank-1-33 OR remoteId:bank-2-99",
        "-account:Cash amount>500",
    ] {
        let (source, copied) =
            (rows(&cast.owner, &cast.book, query), rows(&cast.owner, &own, query));
        assert!(!source.is_empty(), "{query}");
        assert!(source == copied, "{query}: {} and {}", source.len(), copied.len());
    }
    for query in ["by:m before:2026", "group:All by:d on:2023-05", "account:Cash #tag5", "on:2021"]
    {
        let ask = |book: &str| {
            cast.owner.get(&format!("/v5/books/{book}/balances?query={}", encode(query))).ok()
        };
        assert_eq!(ask(&own), ask(&cast.book), "{query}");
    }
    let everything = rows(&cast.owner, &own, "").len();
    assert_eq!(everything, 2960, "all but what is trashed");
    assert_eq!(copied(&copy)["transactions"], everything);
    assert_eq!(copied(&copy)["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(copy.book["totalTransactions"], cast.get("").ok()["totalTransactions"]);
    assert_eq!(copy.read("/collaborators")["items"].as_array().map(Vec::len), Some(1));
    let audited = audit(&Cast { book: own, ..cast });
    assert_eq!(audited["data"]["audit"]["findings"], json!([]));
}

/// 6.14: writes to other books and to the source are answered, and no reader sees a partial copy.
fn rule_6_14_writes_continue_during_a_copy(server: &Server) {
    let (cast, other) =
        (filled(server, 4), Cast::with_accounts(server, &[("A", "ASSET"), ("B", "ASSET")]));
    let owner = server.client(cast.owner.email());
    // Create the token now, so that the copy has the instant of its request.
    assert!(owner.token().is_some());
    // The number of concurrent writes depends on the machine. If writes waited for the copy, there
    // would be at most two: a waiting one, and one before the response is read.
    let mut writes = (0..10).map(|number| {
        let name = format!("Copy-{number}");
        writes_during_a_copy(&owner, &name, &cast, &other)
    });
    assert!(writes.any(|writes| writes >= 4), "others write between the portions");
}

/// Counts the writes to another book and to the source that finished between the instant of the
/// copy and its response.
fn writes_during_a_copy(owner: &Client, name: &str, cast: &Cast, other: &Cast) -> usize {
    let query = format!("name={name}&copyTransactions=true");
    let before = rows(&cast.owner, &cast.book, "").len();
    let (mut writes, mut seen) = (0, Vec::new());
    let copy = thread::scope(|scope| {
        let making = scope.spawn(|| Copy::make(owner, &cast.book, &query));
        while !making.is_finished() {
            other.record("2025-01-01", "1", "A", "B", "meanwhile");
            cast.record("2025-01-01", "1", "Cash", "Food", name);
            writes += 1;
            let listed = cast.owner.get(&format!("/v5/books?query={name}")).ok();
            seen.extend(items(&listed).iter().map(|book| book["totalTransactions"].clone()));
        }
        making.join().expect("a copy")
    });
    let whole = copy.book["totalTransactions"].clone();
    assert!(seen.iter().all(|total| *total == whole), "{seen:?}: a reader saw a part of {whole}");
    let copied = rows(&cast.owner, id(&copy.book), "");
    let late = copied.iter().filter(|row| row["description"] == name).count();
    assert_eq!(copied.len(), before + late, "one moment of the source");
    writes - late
}

/// 0.16: also when the request is repeated while it runs.
fn rule_0_16_a_large_copy_is_made_once(server: &Server) {
    let cast = filled(server, 2);
    let path = cast.path(&format!("/copy?{ALL}"));
    let ask = || {
        let caller = server.client(cast.owner.email()).header("Idempotency-Key", "once");
        caller.post(&path, &Value::Null)
    };
    let answers = thread::scope(|scope| {
        let all = [(); 3].map(|()| scope.spawn(ask));
        all.map(|one| one.join().expect("an answer"))
    });
    let replayed =
        answers.iter().filter(|answer| answer.headers.contains_key("idempotency-replayed")).count();
    let made = answers.map(|answer| answer.ok()["id"].clone());
    assert!(made[0] == made[1] && made[1] == made[2], "{made:?}");
    assert_eq!(replayed, 2);
    assert_eq!(items(&cast.owner.get("/v5/books?query=Copy").ok()).len(), 1);
    let repeated = ask();
    assert_eq!(repeated.ok()["id"], made[0]);
    let other = server.client(cast.owner.email()).header("Idempotency-Key", "once");
    other
        .post(&cast.path(&format!("/copy?{ALL}&fromDate=20200101")), &Value::Null)
        .refused(422, "idempotencyKeyReused");
    // A deleted source is no longer visible (0.27); the copy was made once nevertheless.
    cast.delete("").ok();
    ask().refused(404, "notFound");
    assert_eq!(items(&cast.owner.get("/v5/books?query=Copy").ok()).len(), 1);
}

/// 6.20: the log proves the copied data, also after changes. An audit finds direct changes in the
/// database.
fn rule_6_20_audits_prove_copies(server: &Server) {
    let cast = filled(server, 1);
    let copy = Copy::make(&cast.owner, &cast.book, ALL);
    let summary = copied(&copy);
    let copy = Cast { book: id(&copy.book).to_owned(), ..cast };
    let clean =
        |name: &str| assert_eq!(audit(&copy)["data"]["audit"]["findings"], json!([]), "{name}");
    clean("as it was copied");
    let some =
        copy.owner.get(&copy.path("/transactions?limit=9&query=-is:checked%20-is:draft")).ok();
    let some: Vec<String> = items(&some).iter().map(|row| id(row).to_owned()).collect();
    let change = json!({"id": some[0], "description": "Changed", "amount": "7.125"});
    copy.owner.put(&copy.path("/transactions"), &change).ok();
    copy.owner
        .put(&copy.path("/transactions"), &json!({"id": some[0], "description": "Again"}))
        .ok();
    copy.owner.patch(&copy.path("/transactions/trash"), &json!({"id": some[1]})).ok();
    copy.owner.patch(&copy.path("/transactions/check"), &json!({"id": some[2]})).ok();
    copy.record("2025-06-01", "3", "Cash", "Food", "New in the copy");
    copy.owner.put("/v5/books", &json!({"id": copy.book, "fractionDigits": 5})).ok();
    clean("after changes of its own");
    let mut database = RawSql::open(server);
    let number = |hex: &str| i64::from_str_radix(hex, 16).expect("an id");
    let book = format!("(SELECT id FROM books WHERE public_id = '{}')", copy.book);
    let changed = number(&some[0]);
    let digests = "UPDATE copied_transactions SET transaction_id = -transaction_id WHERE ";
    let urls = |value: &str| {
        format!(
            "UPDATE transactions SET urls = {value} WHERE book_id = {book} AND id = {}",
            number(&some[3])
        )
    };
    let made = |by: i64| {
        format!(
            "UPDATE transactions SET created_at = created_at + ({by}) \
             WHERE book_id = {book} AND id = {changed}"
        )
    };
    for (there, back) in [
        (urls("'[\"https://example.com/forged\"]'"), urls("NULL")),
        (
            format!("{digests} book_id = {book} AND transaction_id = {changed}"),
            format!("{digests} book_id = {book} AND transaction_id = -({changed})"),
        ),
        (made(1), made(-1)),
    ] {
        assert_eq!(database.execute(&there), 1, "{there}");
        let mut findings = audit(&copy)["data"]["audit"]["findings"].clone();
        let findings = findings.as_array_mut().expect("findings");
        // Forged texts also change the length.
        findings.retain(|finding| finding["kind"] != "stored");
        assert_eq!(findings.len(), 1, "{there}: {findings:?}");
        let found = &findings[0];
        assert_eq!([&found["kind"], &found["resource"]], ["copied", copy.book.as_str()]);
        let output = format!(
            "{{\"sha256\":{},\"transactions\":{}}}",
            summary["sha256"], summary["transactions"]
        );
        assert_eq!(found["expected"], output);
        assert_ne!(found["actual"], output);
        assert_eq!(database.execute(&back), 1, "{back}");
    }
    clean("as before");
}
