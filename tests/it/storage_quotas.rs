//! Storage quotas (10.14): what counts, what is refused at the limit, what is still allowed, and
//! whose quota it is. `storage_allowances` tests the operator's settings.

use std::thread;

use daybook_tests::{Answer, CASH_AND_FOOD, Cast, Client, Engine, Lunch, Server, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::file_sweep::{below, eventually};
use crate::files::{base64, create, file};
use crate::large_copies::ALL;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        off_by_default_and_shown,
        a_full_book_takes_no_transactions,
        a_full_book_takes_no_bytes,
        unreferenced_contents_are_limited,
        deletions_succeed_above_the_quota,
        books_of_an_owner_count_together,
        deleted_books_count_until_they_are_removed,
        copies_count,
        a_book_moves_with_its_owner,
        counted_usage_equals_stored_rows,
        several_processes_count_as_one,
    ]
}

const LUNCH: Lunch = Lunch { date: "2025-05-05", amount: "9" };
const REASON: &str = "storageQuotaExceeded";

/// The usage of a user's books: transactions and bytes.
#[track_caller]
pub fn usage(client: &Client) -> (i64, i64) {
    let storage = client.get("/v5/user").ok()["storage"].clone();
    let figure = |name: &str| storage[name].as_i64().unwrap_or_else(|| panic!("{name}: {storage}"));
    (figure("transactions"), figure("bytes"))
}

fn post(client: &Client, cast: &Cast, fields: Value) -> Answer {
    client.post(&cast.path("/transactions"), &LUNCH.with(fields))
}

/// Creates a book with a chart and transactions.
fn filled(server: &Server, count: usize) -> Cast {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    record(&cast, count).ok();
    cast
}

fn record(cast: &Cast, count: usize) -> Answer {
    let rows = (0..count).map(|number| LUNCH.with(json!({"description": format!("#{number}")})));
    cast.post("/transactions/batch", &batch(rows))
}

#[track_caller]
fn clean(cast: &Cast) {
    let found = audit(cast)["data"]["audit"].clone();
    assert_eq!(found["findingsCount"], 0, "{found}");
}

fn off_by_default_and_shown(engine: Engine) {
    let plain = Server::with_args(engine, &[]);
    let cast = Cast::with_accounts(&plain, &CASH_AND_FOOD);
    let shown = cast.owner.get("/v5/user").ok()["storage"].clone();
    assert_eq!(shown.as_object().expect("an object").len(), 2, "no limits: {shown}");
    let (transactions, before) = usage(&cast.owner);
    assert_eq!(transactions, 0);
    assert!((1_000..20_000).contains(&before), "the events of a small book: {before} bytes");
    LUNCH.create(&cast, json!({}));
    let (transactions, after) = usage(&cast.owner);
    assert_eq!(transactions, 1);
    assert!((300..2_000).contains(&(after - before)), "about what it takes: {}", after - before);
    let made = file(&cast, "a.bin", &[7; 50_000]);
    let (_, with_file) = usage(&cast.owner);
    assert!((50_000..52_000).contains(&(with_file - after)), "its content: {}", with_file - after);
    cast.delete(&format!("/files/{}", id(&made))).ok();
    let (_, without) = usage(&cast.owner);
    assert!((0..2_000).contains(&(without - after)), "its events stay: {}", without - after);
    assert_eq!(usage(&cast.editor), (0, 0), "what others recorded for is the owner's");
    clean(&cast);
    drop(plain);
    let limited = [
        ["--quota-user-transactions", "7"],
        ["--quota-user-bytes", "70000000"],
        ["--quota-book-transactions", "5"],
        ["--quota-book-bytes", "50000000"],
    ];
    let limited = Server::with_args(engine, limited.as_flattened());
    let shown = limited.client("new@example.com").get("/v5/user").ok()["storage"].clone();
    let expected = json!({
        "transactions": 0, "bytes": 0, "maxTransactions": 7, "maxBytes": 70_000_000,
        "maxTransactionsOfBook": 5, "maxBytesOfBook": 50_000_000,
    });
    assert_eq!(shown, expected);
}

fn a_full_book_takes_no_transactions(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-book-transactions", "4"]);
    let cast = filled(&server, 2);
    let first = LUNCH.create(&cast, json!({"remoteIds": ["r1"]}));
    // Refused entirely, in every form of request.
    record(&cast, 2).refused(413, REASON);
    let typed = json!({"items": [{"description": "cash food 3"}, {"description": "cash food 4"}]});
    cast.post("/transactions/batch", &typed).refused(413, REASON);
    assert_eq!(usage(&cast.owner).0, 3, "nothing of a refused batch stays");
    cast.recorder.post(&cast.path("/transactions"), &json!({"description": "a draft"})).ok();
    let before = usage(&cast.owner);
    for (who, client) in cast.members() {
        let expected = if who == "VIEWER" { (403, "forbidden") } else { (413, REASON) };
        let output = post(client, &cast, json!({})).refused(expected.0, expected.1);
        let told = output.contains(
            "storage quota exceeded: this book uses 4 of 4 transactions, and the request adds 1: \
             delete files, continue in another book, or ask the operator of this server for more",
        );
        assert_eq!(told, who != "VIEWER", "{who}: {output}");
    }
    post(&cast.stranger, &cast, json!({})).refused(404, "notFound");
    post(&cast.anonymous, &cast, json!({})).refused(401, "required");
    let posted = cast.path("/transactions/post");
    cast.owner.patch(&posted, &LUNCH.with(json!({}))).refused(413, REASON);
    let keyed = cast.owner.header("Idempotency-Key", "full");
    post(&keyed, &cast, json!({})).refused(413, REASON);
    assert_eq!(usage(&cast.owner), before, "nothing of a refused request stays");
    // Operations that add nothing continue.
    assert_eq!(
        post(&cast.owner, &cast, json!({"remoteIds": ["r1"]})).ok()["transaction"]["id"],
        first["id"],
        "3.7: it is there already"
    );
    let one = json!({"id": first["id"], "description": "Late lunch"});
    cast.put("/transactions", &one).ok();
    for verb in ["check", "uncheck", "trash", "untrash"] {
        cast.patch(&format!("/transactions/{verb}"), &one).ok();
    }
    cast.patch("/transactions/trash", &one).ok();
    post(&cast.owner, &cast, json!({})).refused(413, REASON);
    let other = filled(&server, 4);
    let copy = cast.post(&format!("/copy?{ALL}"), &Value::Null).ok();
    assert_eq!(usage(&cast.owner).0, 4 + 3, "each book has a quota of its own");
    cast.owner.post(&format!("/v5/books/{}/transactions", id(&copy)), &LUNCH.with(json!({}))).ok();
    clean(&cast);
    clean(&other);
}

fn a_full_book_takes_no_bytes(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-book-bytes", "160000"]);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let blobs = || below(&server.data_dir().join("files")).len();
    let big = vec![1; 120_000];
    let made = file(&cast, "a.bin", &big);
    let repeated = json!({"name": "b.bin", "content": base64(&big)});
    let output = create(&cast.poster, &cast, &repeated).refused(413, REASON);
    let used = usage(&cast.owner).1;
    let expected = format!(
        "storage quota exceeded: this book uses {used} of 160000 bytes, and the request adds \
         120000: delete files, continue in another book, or ask the operator of this server for \
         more"
    );
    assert_eq!(output, expected);
    let files = LUNCH.with(json!({"files": [repeated.clone(), repeated.clone()]}));
    cast.post("/transactions", &files).refused(413, REASON);
    let larger = json!({"id": made["id"], "content": base64(&[2; 199_000])});
    cast.put("/files", &larger).refused(413, REASON);
    assert_eq!(blobs(), 1, "what is refused is not stored before");
    let wide = json!({"description": "x".repeat(60_000)});
    post(&cast.owner, &cast, wide.clone()).refused(413, REASON);
    post(&cast.owner, &cast, json!({})).ok();
    let property = json!({"name": "Wide", "type": "ASSET", "properties": {
        "a": "x".repeat(8_000), "b": "x".repeat(8_000), "c": "x".repeat(8_000),
        "d": "x".repeat(8_000), "e": "x".repeat(8_000)}});
    cast.post("/accounts", &property).refused(413, REASON);
    // A smaller file always fits, and frees space.
    let smaller = json!({"id": made["id"], "content": base64(&[3; 100])});
    cast.put("/files", &smaller).ok();
    post(&cast.owner, &cast, wide).ok();
    clean(&cast);
}

/// Replaced, deleted and refused contents stay for a day and belong to no book.
fn unreferenced_contents_are_limited(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-bytes", "200000"]);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let blobs = || below(&server.data_dir().join("files")).len();
    let made = file(&cast, "a.bin", &[0; 50_000]);
    let replace = |byte: u8| {
        let body = json!({"id": made["id"], "content": base64(&[byte; 50_000])});
        cast.put("/files", &body)
    };
    replace(1).ok();
    replace(1).ok();
    let bad = json!({"files": [{"name": "b", "content": base64(&[2; 50_000])}], "amount": "-1"});
    cast.post("/transactions", &LUNCH.with(bad)).refused(400, "badRequest");
    replace(3).ok();
    assert_eq!(blobs(), 4, "equal content is stored once");
    let answer = replace(4);
    assert!(answer.headers.contains_key("retry-after"), "{:?}", answer.headers);
    let output = answer.refused(429, "rateLimitExceeded");
    assert!(output.contains("the limit is 200000 bytes in 86400 s"), "{output}");
    let next = json!({"name": "c", "content": base64(&[5; 5_000])});
    create(&cast.owner, &cast, &next).refused(429, "rateLimitExceeded");
    let attached = LUNCH.with(json!({"files": [next.clone()]}));
    cast.post("/transactions", &attached).refused(429, "rateLimitExceeded");
    // The archive of a book counts while it is received (15.13).
    let local: [&[u8]; 5] = [b"PK\x03\x04", &[0; 22], &[10, 0, 0, 0], b"book.jsonl", &[0; 9_000]];
    let import = cast.owner.send_raw("POST", &cast.path("/imports"), None, &local.concat());
    import.refused(429, "rateLimitExceeded");
    assert_eq!(blobs(), 4);
    let (_, bytes) = usage(&cast.owner);
    assert!(bytes < 100_000, "the book holds one of them: {bytes}");
    // Other users have their own limit, and the operator may raise it.
    create(&cast.editor, &cast, &next).ok();
    cast.delete(&format!("/files/{}", id(&made))).ok();
    let allow = ["user", "allow", "--email", cast.owner.email(), "--bytes", "0"];
    server.run(&allow).expect("it is done");
    create(&cast.owner, &cast, &next).ok();
    clean(&cast);
}

/// At the limit, operations that free space or revoke access continue.
fn deletions_succeed_above_the_quota(engine: Engine) {
    let base = Server::with_args(engine, &[]);
    let cast = filled(&base, 3);
    let (account, group) = (cast.account("Never used", "ASSET"), cast.group("Group"));
    let found = cast.get("/transactions").ok();
    let all = batch(items(&found).iter().map(|row| json!({"id": row["id"]})));
    let query = cast.post("/queries", &json!({"title": "a", "query": "b"})).ok();
    let made = file(&cast, "a.txt", b"a");
    cast.owner.put("/v5/books", &json!({"id": cast.book, "visibility": "PUBLIC"})).ok();
    let app = json!({"id": unique("bot"), "name": "Bot"});
    cast.owner.post("/v5/apps", &app).ok();
    let installed = json!({"agentId": app["id"]});
    let installed = cast.post("/integrations", &installed).ok();
    let second = cast.owner.post("/v5/books", &json!({"name": "Second"})).ok();
    // Another process with a limit of one byte.
    let full = base.beside(&["--quota-book-bytes", "1", "--quota-user-bytes", "1"]);
    let owner = full.client_with_token(cast.owner.token().expect("a token"));
    let path = |rest: &str| cast.path(rest);
    for answer in [
        owner.post(&path("/accounts"), &json!({"name": "More", "type": "ASSET"})),
        owner.post(&path("/groups"), &json!({"name": "More"})),
        owner.post(&path("/queries"), &json!({"query": "more"})),
        owner.put(&path("/queries"), &json!({"id": query["id"], "query": "more"})),
        owner.put("/v5/books", &json!({"id": cast.book, "name": "More"})),
        owner.post(&path("/collaborators"), &json!({"email": "m@x.org", "permission": "VIEWER"})),
        owner.patch(&path("/transactions/check/batch"), &all),
        owner.post("/v5/books", &json!({"name": "More"})),
        owner.post(&path("/copy?name=More"), &Value::Null),
        owner.patch(&path("/audit"), &Value::Null),
    ] {
        answer.refused(413, REASON);
    }
    owner.get(&path("/transactions")).ok();
    owner.get(&path("/balances?query=on:2025")).ok();
    owner.patch(&path("/transactions/trash/batch"), &all).no_content();
    owner.patch(&path("/transactions/untrash/batch"), &all).refused(413, REASON);
    owner.delete(&path(&format!("/accounts/{}", id(&account)))).ok();
    owner.delete(&path(&format!("/groups/{}", id(&group)))).ok();
    owner.delete(&path(&format!("/queries/{}", id(&query)))).ok();
    owner.delete(&path(&format!("/files/{}", id(&made)))).ok();
    owner.delete(&path(&format!("/integrations/{}", id(&installed)))).ok();
    let lower = json!({"email": cast.editor.email(), "permission": "VIEWER"});
    owner.post(&path("/collaborators"), &lower).ok();
    let higher = json!({"email": cast.editor.email(), "permission": "EDITOR"});
    owner.post(&path("/collaborators"), &higher).refused(413, REASON);
    owner.delete(&path(&format!("/collaborators/{}", cast.poster.email()))).ok();
    owner.put("/v5/books", &json!({"id": cast.book, "visibility": "PRIVATE"})).ok();
    owner.delete(&format!("/v5/books/{}", id(&second))).ok();
    owner.delete(&path("")).ok();
    owner.post(&path("/restore"), &Value::Null).refused(413, REASON);
    cast.owner.post(&path("/restore"), &Value::Null).ok();
    clean(&cast);
}

fn books_of_an_owner_count_together(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-transactions", "5"]);
    let cast = filled(&server, 3);
    let second = cast.owner.post("/v5/books", &json!({"name": "Second"})).ok();
    let second = format!("/v5/books/{}/transactions", id(&second));
    let draft = json!({"description": "a draft"});
    cast.owner.post(&second, &draft).ok();
    post(&cast.editor, &cast, json!({})).ok();
    let output = cast.owner.post(&second, &draft).refused(413, REASON);
    assert_eq!(
        output,
        "storage quota exceeded: your books use 5 of 5 transactions, and the request adds 1: \
         delete files or books (a deleted book counts until it is removed), or ask the operator of \
         this server for more"
    );
    let output = post(&cast.editor, &cast, json!({})).refused(413, REASON);
    assert_eq!(
        output,
        "storage quota exceeded: the books of this book's owner have reached their limit of \
         transactions; the owner can delete data, or ask the operator of this server for more",
        "no numbers of another owner's books"
    );
    let own = cast.editor.post("/v5/books", &json!({"name": "Own"})).ok();
    cast.editor.post(&format!("/v5/books/{}/transactions", id(&own)), &draft).ok();
    assert_eq!((usage(&cast.owner).0, usage(&cast.editor).0), (5, 1));
    // Concurrent requests in one write group: as many succeed as fit.
    let other = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let more = other.owner.post("/v5/books", &json!({"name": "More"})).ok();
    let more = format!("/v5/books/{}/transactions", id(&more));
    let accepted = at_once(16, |number| {
        let path = if number % 2 == 0 { other.path("/transactions") } else { more.clone() };
        other.owner.post(&path, &draft)
    });
    if engine == Engine::Sqlite {
        assert_eq!(accepted, 5);
    }
    assert!(accepted >= 5, "{accepted}");
    assert_eq!(usage(&other.owner).0, accepted);
    other.owner.post(&more, &draft).refused(413, REASON);
    clean(&other);
}

/// Counts the 200 responses of concurrent requests; all others are refused for the quota.
#[track_caller]
fn at_once(count: usize, ask: impl Fn(usize) -> Answer + Sync) -> i64 {
    let answers: Vec<Answer> = thread::scope(|scope| {
        let ask = &ask;
        let asked = (0..count).map(|number| scope.spawn(move || ask(number)));
        let asked: Vec<_> = asked.collect();
        asked.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let mut accepted = 0;
    for answer in answers {
        if answer.status == 200 {
            accepted += 1;
        } else {
            answer.refused(413, REASON);
        }
    }
    accepted
}

fn deleted_books_count_until_they_are_removed(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-transactions", "3"]);
    let cast = filled(&server, 3);
    cast.delete("").ok();
    let (transactions, bytes) = usage(&cast.owner);
    assert!(transactions == 3 && bytes > 0, "6.22: its rows are there");
    let book = cast.owner.post("/v5/books", &json!({"name": "Next"})).ok();
    let next = format!("/v5/books/{}/transactions", id(&book));
    let draft = json!({"description": "a draft"});
    let output = cast.owner.post(&next, &draft).refused(413, REASON);
    assert!(output.contains("a deleted book counts until it is removed"), "{output}");
    cast.post("/restore", &Value::Null).ok();
    clean(&cast);
    let swift = server.beside(&["--deleted-books-days", "0", "--quota-user-transactions", "3"]);
    let owner = swift.client_with_token(cast.owner.token().expect("a token"));
    owner.delete(&cast.path("")).ok();
    eventually("its rows are removed", || usage(&owner).0 == 0);
    owner.post(&next, &draft).ok();
    assert_eq!(usage(&owner).0, 1);
}

fn copies_count(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-transactions", "5000"]);
    let cast = filled(&server, 1_800);
    let (_, source) = usage(&cast.owner);
    let copy = |rest: &str| cast.post(&format!("/copy?{rest}"), &Value::Null);
    let whole = copy(ALL).ok();
    let (transactions, bytes) = usage(&cast.owner);
    assert_eq!(transactions, 3_600);
    assert!(bytes - source > 1_800 * 200, "copied rows count, though they have no events");
    copy(ALL).refused(413, REASON);
    let books = items(&cast.owner.get("/v5/books").ok()).len();
    assert_eq!(books, 2, "nothing of it is seen");
    eventually("what the refused copy left is swept", || usage(&cast.owner) == (3_600, bytes));
    // The structure only, and a copy of few transactions in one unit of work.
    copy("name=Structure").ok();
    copy("name=Some&copyTransactions=true&fromDate=20250506").ok();
    assert_eq!(usage(&cast.owner).0, 3_600);
    let small = filled(&server, 10);
    small.post(&format!("/copy?{ALL}"), &Value::Null).ok();
    assert_eq!(usage(&small.owner).0, 20);
    clean(&small);
    let copied = Cast { book: id(&whole).to_owned(), ..cast };
    clean(&copied);
}

fn a_book_moves_with_its_owner(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-transactions", "5"]);
    let (cast, other) = (filled(&server, 3), filled(&server, 3));
    let give = |cast: &Cast, from: &Client, to: &Client| {
        from.post(&cast.path("/transfer"), &json!({"email": to.email()})).ok();
        to.send("POST", &cast.path("/transfer/accept"), &Value::Null)
    };
    let (before, editor) = (usage(&cast.owner), usage(&cast.editor));
    assert_eq!(editor, (0, 0));
    let output = give(&cast, &cast.owner, &other.owner).refused(413, REASON);
    assert_eq!(
        output,
        "storage quota exceeded: with this book, the books of the new owner would exceed their \
         limit of transactions; the new owner can delete data, or ask the operator of this server \
         for more"
    );
    assert_eq!((usage(&cast.owner), usage(&other.owner).0), (before, 3));
    give(&cast, &cast.owner, &cast.editor).ok();
    assert_eq!(usage(&cast.owner), (0, 0));
    assert_eq!(usage(&cast.editor).0, 3);
    // It counts for the new owner from now on, for every collaborator.
    let accepted = at_once(8, |_| post(&cast.owner, &cast, json!({})));
    assert_eq!((accepted, usage(&cast.editor).0), (2, 5));
    give(&cast, &cast.editor, &cast.owner).ok();
    assert_eq!((usage(&cast.owner).0, usage(&cast.editor)), (5, (0, 0)));
    // The operator may transfer it nevertheless.
    let to = ["book", "transfer", "--book", &cast.book, "--to", other.owner.email()];
    server.run(&to).expect("it is done");
    assert_eq!((usage(&cast.owner), usage(&other.owner).0), ((0, 0), 8));
    clean(&other);
    clean(&Cast { owner: other.owner.clone(), ..cast });
}

/// After all kinds of changes an audit recounts the rows and finds the stored usage.
fn counted_usage_equals_stored_rows(engine: Engine) {
    let server = Server::with_args(engine, &[]);
    let cast = filled(&server, 20);
    let found = cast.get("/transactions").ok();
    let rows: Vec<&Value> = items(&found).iter().collect();
    let change = |row: &Value, fields: Value| {
        let mut body = json!({"id": row["id"]});
        let fields = fields.as_object().expect("fields").clone();
        fields.into_iter().for_each(|(key, value)| body[key] = value);
        body
    };
    let awkward = json!({
        "description": "Zoë \"quotes\" \\ tab\t \u{1F600} #tag", "remoteIds": ["a\"b", "é"],
        "urls": ["https://example.com/?q=\"\\\u{e9}"],
        "properties": {"k": "line\nbreak \u{7f}\u{1}", "zwölf": "</script>"},
    });
    let through = cast.owner.header("service-agent-id", "ägent");
    through.put(&cast.path("/transactions"), &change(rows[0], awkward.clone())).ok();
    post(&through, &cast, awkward).ok();
    let mut files = json!({"files": [{"name": "ö.txt", "content": base64(&[9; 777])}]});
    through.put(&cast.path("/transactions"), &change(rows[1], files.take())).ok();
    let text = json!({"text": "Zoë \u{1F600}"});
    let comments = |row: &Value| cast.path(&format!("/transactions/{}/comments", id(row)));
    let removed = through.post(&comments(rows[2]), &text).ok();
    through.post(&comments(rows[2]), &text).ok();
    through.delete(&format!("{}/{}", comments(rows[2]), id(&removed))).ok();
    let pair = batch([json!({"id": rows[2]["id"]}), json!({"id": rows[3]["id"]})]);
    cast.patch("/transactions/merge", &pair).ok();
    let group = cast.group("Group");
    cast.group_under("Sub", "Group");
    let grouped = cast.account_in("Grouped", "ASSET", &["Group", "Sub"]);
    let sub = json!([{"name": "Sub"}]);
    let account = json!({"name": "Grouped", "properties": {"é": "\"\\"}, "groups": sub});
    through.put(&cast.path("/accounts"), &account).ok();
    let both = batch([json!({"name": "Cash", "groups": [{"name": "Group"}]}), account]);
    through.put(&cast.path("/accounts/batch"), &both).ok();
    cast.delete(&format!("/groups/{}", id(&group))).ok();
    let query = json!({"title": "ü", "query": "Zoë"});
    let query = through.post(&cast.path("/queries"), &query).ok();
    through.put(&cast.path("/queries"), &json!({"id": query["id"], "query": "x"})).ok();
    clean(&cast);
    let copy = cast.post(&format!("/copy?{ALL}"), &Value::Null).ok();
    cast.delete(&format!("/queries/{}", id(&query))).ok();
    cast.delete(&format!("/accounts/{}", id(&grouped))).ok();
    cast.owner.put("/v5/books", &json!({"id": cast.book, "fractionDigits": 5})).ok();
    clean(&cast);
    clean(&Cast { book: id(&copy).to_owned(), ..cast });
}

/// The usage of a book is exact with any number of processes; the books of an owner may together
/// exceed the limit by concurrent writes.
fn several_processes_count_as_one(engine: Engine) {
    let args = ["--quota-book-transactions", "30"];
    let first = Server::with_args(engine, &args);
    let second = first.beside(&args);
    let cast = Cast::with_accounts(&first, &CASH_AND_FOOD);
    let there = second.client_with_token(cast.owner.token().expect("a token"));
    let sends = |client: &Client, number: usize| {
        let one = LUNCH.with(json!({"description": format!("#{number}")}));
        match number % 3 {
            0 => client.post(&cast.path("/transactions/batch"), &batch([one.clone(), one])),
            _ => client.post(&cast.path("/transactions"), &one),
        }
    };
    at_once(40, |number| sends(if number % 2 == 0 { &cast.owner } else { &there }, number));
    let (transactions, _) = usage(&there);
    assert!((29..=30).contains(&transactions), "{transactions}");
    let book = cast.get("").ok();
    assert_eq!(book["totalTransactions"], transactions, "what is counted is there");
    clean(&cast);
}
