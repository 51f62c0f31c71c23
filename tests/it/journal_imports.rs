//! Imports of journals (15.12): into the book, into new books, repetition, undo and refusals.

use std::time::{Duration, Instant};

use daybook_tests::{Cast, Client, RawSql, Server, encode, id, pause, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::imports::{balance, confirm, csv, done, outcomes, preview_of, settle, undo, upload};
use crate::limited_callers::issued;
use crate::reading::{find, items, labels};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_15_12_journal_is_recorded_here,
        rule_15_12_journal_makes_a_book,
        rule_15_12_changed_book_is_not_deleted,
        rule_15_12_each_commodity_has_a_book,
        rule_15_12_refused_journals,
        rule_15_12_virtual_postings_and_dates,
        rule_15_12_decimal_places_and_files,
        rule_15_12_callers_of_journals,
        rule_15_12_books_of_others_are_not_taken,
        rule_11_9_token_of_one_book_does_not_undo_another,
        rule_15_7_preview_expires,
    ]
}

const JOURNAL: &str = "\
2024-01-01 Opening
    Assets:Bank            $100.00
    Equity:Opening

2024-01-02 * Shop  ; trip:
    Expenses:Food           $30.00
    Expenses:Household      $12.50
    Assets:Bank            $-42.50

2024-01-03 Salary
    Assets:Bank             $50.00
    Income:Salary

2024-12-31 Close
    Income:Salary           $50.00
    Equity:Retained
";

const ADDED: &str = "
2025-01-02 Cafe
    Expenses:Food            $2.50
    Assets:Bank
";

const TWO_COMMODITIES: &str = "\
2024-01-01 Opening
    Assets:Bank   100.00 USD
    Equity:Opening

2024-01-04 Change
    Assets:Cash   5.00 EUR @ 1.20 USD
    Assets:Bank
";

fn book(server: &Server) -> Cast {
    Cast::with_accounts(server, &[("Assets:Bank", "ASSET")])
}

#[track_caller]
fn run(cast: &Cast, query: &str, file: &str) -> Value {
    let read = preview_of(cast, query, file);
    done(cast, confirm(cast, &read, &json!({})))
}

/// The import of a file that cannot be read.
#[track_caller]
fn error_of(cast: &Cast, query: &str, file: &str) -> String {
    let read = settle(cast, &upload(&cast.owner, cast, query, file).ok());
    assert_eq!(read["state"], "FAILED", "{read}");
    read["error"].as_str().expect("an error").to_owned()
}

/// The balance of an account in a book, without its sign.
#[track_caller]
fn balance_in(caller: &Client, book: &Value, account: &str) -> String {
    let book = book.as_str().expect("a book");
    let query = encode(&format!("account:\"{account}\" before:2101"));
    let body = caller.get(&format!("/v5/books/{book}/balances?query={query}")).ok();
    let rows = body["accountBalances"].as_array().expect("balances");
    let row = rows.iter().find(|row| row["name"] == account);
    let balance = row.map_or("0.00", |row| row["cumulativeBalance"].as_str().expect("a balance"));
    balance.trim_start_matches('-').to_owned()
}

/// The names of the new accounts of a preview.
fn new_accounts(read: &Value) -> Vec<&str> {
    let all = read["accountsToCreate"].as_array().expect("accounts");
    all.iter().filter_map(|account| account["name"].as_str()).collect()
}

/// 15.12: entries, accounts, groups and states; a repetition adds nothing; undo.
fn rule_15_12_journal_is_recorded_here(server: &Server) {
    const HERE: &str = "target=HERE&name=home.journal";
    let cast = book(server);
    let read = preview_of(&cast, HERE, JOURNAL);
    shows(&read, &json!({"target": "HERE", "bookIds": []}));
    shows(&read, &json!({"sumIn": "242.50", "sumOut": "242.50"}));
    shows(&read["counts"], &json!({"new": 4, "refused": 0, "total": 4}));
    let format = "journal, 4 entries, 2024-01-01 to 2024-12-31";
    assert_eq!(read["format"], format, "{read}");
    assert_eq!(
        new_accounts(&read),
        [
            "Equity:Opening",
            "Equity:Retained",
            "Expenses:Food",
            "Expenses:Household",
            "Income:Salary"
        ]
    );
    let records = cast.read(&format!("/imports/{}/records", id(&read)));
    let (shop, close) = (&items(&records)[1], &items(&records)[3]);
    let amounts = |record: &Value| -> Vec<Value> {
        let legs = record["legs"].as_array().expect("legs").iter();
        legs.map(|leg| json!([leg["amount"], leg["from"]["name"], leg["to"]["name"]])).collect()
    };
    let bank = "Assets:Bank";
    assert_eq!(
        amounts(shop),
        [json!(["30.00", bank, "Expenses:Food"]), json!(["12.50", bank, "Expenses:Household"])]
    );
    assert_eq!((&close["closing"], &shop["closing"]), (&json!(true), &Value::Null));
    let body = json!({"decisions": [{"record": 4, "tags": ["closing"]}]});
    let first = done(&cast, confirm(&cast, &read, &body));
    assert_eq!(balance(&cast, bank), "107.50");
    assert_eq!(labels(&find(&cast, "#closing")), ["Close"]);
    let shops = find(&cast, "#trip");
    let ids: Vec<&Value> = items(&shops).iter().map(|leg| &leg["properties"]["entry_id"]).collect();
    assert!(ids.len() == 2 && ids[0].is_string() && ids[0] == ids[1], "{shops}");
    assert!(items(&shops).iter().all(|leg| leg["checked"] == true), "{shops}");
    assert_eq!(items(&cast.read("/groups/Expenses/accounts")).len(), 2);

    let again = run(&cast, HERE, JOURNAL);
    assert_eq!(outcomes(&cast, &again), ["EXISTING"; 4]);
    let grown = format!("{ADDED}{JOURNAL}");
    let grown = run(&cast, HERE, &grown);
    assert_eq!(outcomes(&cast, &grown), ["NEW", "EXISTING", "EXISTING", "EXISTING", "EXISTING"]);
    assert_eq!(balance(&cast, bank), "105.00");
    shows(&undo(&cast, &grown), &json!({"trashed": 1, "leftCount": 0}));
    shows(&undo(&cast, &first), &json!({"trashed": 5, "leftCount": 0, "archived": 5}));
    assert_eq!(balance(&cast, bank), "0.00");
    let restored = run(&cast, HERE, JOURNAL);
    assert_eq!(outcomes(&cast, &restored), ["NEW"; 4], "15.4: undone entries are new");
    assert_eq!(balance(&cast, bank), "107.50");
}

/// 15.12: the default; the book is the author's, and the undo deletes it.
fn rule_15_12_journal_makes_a_book(server: &Server) {
    let cast = book(server);
    let read = preview_of(&cast, "name=home.journal", JOURNAL);
    shows(&read, &json!({"target": "NEW", "bookIds": []}));
    let only = json!({"createAccounts": ["Income:Salary"]});
    confirm(&cast, &read, &only).refused(400, "badRequest");
    let read = done(&cast, confirm(&cast, &read, &json!({})));
    let made = read["bookIds"].as_array().expect("books");
    assert_eq!(made.len(), 1, "{read}");
    let path = format!("/v5/books/{}", made[0].as_str().expect("an id"));
    shows(
        &cast.owner.get(&path).ok(),
        &json!({"name": "home", "permission": "OWNER", "fractionDigits": 2}),
    );
    assert_eq!(balance_in(&cast.owner, &made[0], "Assets:Bank"), "107.50");
    assert_eq!(cast.read("/transactions/count")["total"], 0, "nothing is recorded here");

    let exported = cast.owner.download(&format!("{path}/export?format=hledger"));
    let exported = String::from_utf8(exported).expect("a text");
    assert!(exported.contains("107.50 \"$\"") || exported.contains("100.00 \"$\""), "{exported}");
    let again = run(&cast, "name=again", &exported);
    let copy = &again["bookIds"][0];
    for (account, expected) in [("Assets:Bank", "107.50"), ("Expenses:Food", "30.00")] {
        assert_eq!(balance_in(&cast.owner, copy, account), expected, "{again}");
    }
    shows(&undo(&cast, &read), &json!({"trashed": 0, "deletedBookIds": made}));
    cast.owner.get(&path).refused(404, "notFound");
}

/// 15.12: a book that a person has written to stays, without the transactions of the import.
fn rule_15_12_changed_book_is_not_deleted(server: &Server) {
    let cast = book(server);
    let read = run(&cast, "name=home.journal", JOURNAL);
    let made = &read["bookIds"][0];
    let accounts = format!("/v5/books/{}/accounts", made.as_str().expect("an id"));
    cast.owner.post(&accounts, &json!({"name": "Card", "type": "LIABILITY"})).ok();
    shows(&undo(&cast, &read), &json!({"trashed": 5, "leftCount": 0, "deletedBookIds": []}));
    assert_eq!(balance_in(&cast.owner, made, "Assets:Bank"), "0.00");
}

/// 15.12: one book per commodity in a collection, where `Conversions` balances each.
fn rule_15_12_each_commodity_has_a_book(server: &Server) {
    let cast = book(server);
    for query in ["name=home", "target=HERE"] {
        let error = error_of(&cast, query, TWO_COMMODITIES);
        assert!(error.contains("line 6") && error.contains("\"EUR\""), "{error}");
    }
    let read = run(&cast, "name=home&commodities=ALL", TWO_COMMODITIES);
    let made = read["bookIds"].as_array().expect("books");
    assert_eq!(made.len(), 2, "{read}");
    for (index, account, balance, converted) in
        [(0, "Assets:Bank", "94.00", "6.00"), (1, "Assets:Cash", "5.00", "5.00")]
    {
        let of = |account: &str| balance_in(&cast.owner, &made[index], account);
        assert_eq!((of(account).as_str(), of("Conversions").as_str()), (balance, converted));
    }
    let shelves = || cast.owner.get("/v5/collections").ok();
    let shelf = items(&shelves()).iter().find(|shelf| shelf["name"] == "home").cloned();
    assert_eq!(shelf.expect("a collection")["books"].as_array().map(Vec::len), Some(2));
    shows(&undo(&cast, &read), &json!({"trashed": 0, "deletedBookIds": made}));
    assert!(items(&shelves()).iter().all(|shelf| shelf["name"] != "home"), "it is deleted too");
}

/// 15.12: parameters that do not fit, lines that a book cannot record, and warnings.
fn rule_15_12_refused_journals(server: &Server) {
    let cast = book(server);
    let bank = csv(&["2026-01-02,Cafe,-5"]);
    let error = error_of(&cast, "account=Assets:Bank&target=NEW", &bank);
    assert!(error.contains("target NEW is for journals"), "{error}");
    let euros = json!({"id": cast.book, "properties": {"exc_code": "EUR"}});
    cast.owner.put("/v5/books", &euros).ok();
    let dollars = "2024-01-02 Shop\n  Expenses:Food  5 USD\n  Assets:Bank\n";
    let error = error_of(&cast, "target=HERE", dollars);
    assert!(error.contains("\"USD\"") && error.contains("\"EUR\""), "{error}");
    let query = "target=HERE&commodities=ALL";
    upload(&cast.owner, &cast, query, JOURNAL).refused(400, "badRequest");
    let file = "\
2024-01-02 Fine
    Expenses:Food       $5.123
    Assets:Bank

2024-02-02 Late
    Expenses:Food       $5.00
    Assets:Bank        $-5.00 = $-6.00
";
    let read = preview_of(&cast, "target=HERE", file);
    assert_eq!(outcomes(&cast, &read), ["REFUSED", "NEW"]);
    let records = cast.read(&format!("/imports/{}/records", id(&read)));
    shows(&items(&records)[0], &json!({"line": 2}));
    assert_eq!(read["warningCount"], 1, "the assertion fails: {read}");
    let body = json!({"createAccounts": []});
    let read = done(&cast, confirm(&cast, &read, &body));
    assert_eq!(outcomes(&cast, &read), ["REFUSED", "REFUSED"]);
    cast.owner.put("/v5/books", &json!({"id": cast.book, "lockDate": "2024-06-30"})).ok();
    let read = preview_of(&cast, "target=HERE", JOURNAL);
    assert_eq!(outcomes(&cast, &read), ["REFUSED", "REFUSED", "REFUSED", "NEW"]);
    assert_eq!(read["counts"]["locked"], 3, "{read}");
}

/// 15.12, 16.5: treatments of virtual postings; a posting with a date is one entry in the export.
fn rule_15_12_virtual_postings_and_dates(server: &Server) {
    const FILE: &str = "\
2024-01-02 Visit
    (Statistics:Visits)    $1.00

2024-01-30 Shop
    Expenses:Food          $2.50
    (Budget:Food)         $-2.50
    Assets:Bank           $-2.50  ; date:2024-02-03
";
    let cast = book(server);
    for bad in ["virtualPostings=OWN_BOOK&target=HERE", "virtualPostings=NONE"] {
        upload(&cast.owner, &cast, bad, FILE).refused(400, "badRequest");
    }
    let read = preview_of(&cast, "target=HERE", FILE);
    assert_eq!(read["counts"]["total"], 2, "{read}");
    let names = ["Budget:Food", "Expenses:Food", "In transit", "Statistics:Visits", "Virtual"];
    assert_eq!(new_accounts(&read), names);
    let made = run(&cast, "name=one&virtualPostings=SAME_BOOK", FILE);
    assert_eq!(made["bookIds"].as_array().map(Vec::len), Some(1), "{made}");
    assert_eq!(balance_in(&cast.owner, &made["bookIds"][0], "Virtual"), "1.50");
    let read = run(&cast, "target=HERE&virtualPostings=SKIP", FILE);
    assert_eq!(read["counts"]["total"], 1, "{read}");
    assert_eq!(new_accounts(&read), ["Expenses:Food", "In transit"]);
    let text = cast.get("/export?format=hledger").text;
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("Assets:Bank -2.50 ; [2024-02-03]"), "{text}");
    assert!(!text.contains("In transit"), "{text}");
}

/// 15.12: raised decimal places, and the files with what has no place in a book.
fn rule_15_12_decimal_places_and_files(server: &Server) {
    const FILE: &str = "\
commodity $1.00
P 2024-01-31 AAPL $180.50

~ monthly
    Expenses:Food    $9.00
    Assets:Bank

2024-01-02 Fine
    Expenses:Food    $5.125
    Assets:Bank
";
    let accounts = [("Assets:Bank", "ASSET"), ("Expenses:Food", "OUTGOING")];
    let cast = Cast::with_accounts(server, &accounts);
    let here = "target=HERE&raiseFractionDigits=true";
    let read = settle(&cast, &upload(&cast.poster, &cast, here, FILE).ok());
    assert_eq!(read["counts"]["new"], 1, "{read}");
    let message = "the confirmation raises fractionDigits from 2 to 3";
    assert_eq!(read["warnings"][0]["message"], message, "{read}");
    let path = cast.path(&format!("/imports/{}/confirm", id(&read)));
    cast.poster.post(&path, &json!({})).refused(403, "forbidden");
    assert_eq!(cast.read("")["fractionDigits"], 2);
    run(&cast, here, FILE);
    assert_eq!(cast.read("")["fractionDigits"], 3);
    assert_eq!(balance(&cast, "Assets:Bank"), "5.125");
    run(&cast, here, &format!("{FILE}{ADDED}"));
    let files = cast.read("/files");
    let count = |name: &str| items(&files).iter().filter(|file| file["name"] == name).count();
    assert_eq!((count("prices.journal"), count("directives.txt")), (1, 1), "{files}");
    let made = run(&cast, "name=home&raiseFractionDigits=true", FILE);
    let made = &made["bookIds"];
    assert_eq!(balance_in(&cast.owner, &made[0], "Assets:Bank"), "5.125");
    let path = format!("/v5/books/{}", made[0].as_str().expect("an id"));
    assert_eq!(items(&cast.owner.get(&format!("{path}/files")).ok()).len(), 2);
    let read = items(&cast.read("/imports"))[0].clone();
    shows(&undo(&cast, &read), &json!({"deletedBookIds": made}));
}

/// 7.3, 15.12: who may not write accounts records nothing; the new book is that of the author.
fn rule_15_12_callers_of_journals(server: &Server) {
    let cast = book(server);
    let read = |query: &str| settle(&cast, &upload(&cast.poster, &cast, query, JOURNAL).ok());
    let here = read("target=HERE");
    let path = |read: &Value| cast.path(&format!("/imports/{}/confirm", id(read)));
    cast.poster.post(&path(&here), &json!({})).refused(403, "forbidden");
    assert_eq!(cast.read("/transactions/count")["total"], 0);
    let made = settle(&cast, &cast.poster.post(&path(&read("name=mine")), &json!({})).ok());
    assert_eq!(balance_in(&cast.poster, &made["bookIds"][0], "Assets:Bank"), "107.50");
    let book = made["bookIds"][0].as_str().expect("a book");
    cast.owner.get(&format!("/v5/books/{book}")).refused(404, "notFound");
}

/// 15.12: the new book is the author's own, also when someone shares one that looks like it.
fn rule_15_12_books_of_others_are_not_taken(server: &Server) {
    let cast = book(server);
    let read = preview_of(&cast, "name=mine", JOURNAL);
    // A reader of the book sees the id of the import.
    let alike = json!({"name": "mine", "properties": {"import_run": id(&read)}});
    let alike = cast.viewer.post("/v5/books", &alike).ok();
    let path = format!("/v5/books/{}", id(&alike));
    let share = json!({"email": cast.owner.email(), "permission": "EDITOR"});
    cast.viewer.post(&format!("{path}/collaborators"), &share).ok();
    let made = done(&cast, confirm(&cast, &read, &json!({})));
    let count = cast.viewer.get(&format!("{path}/transactions/count")).ok();
    assert_eq!(count["total"], 0, "{made}");
    assert_eq!(balance_in(&cast.owner, &made["bookIds"][0], "Assets:Bank"), "107.50");
}

/// 11.9: the undo would delete a book that the token does not name.
fn rule_11_9_token_of_one_book_does_not_undo_another(server: &Server) {
    let cast = book(server);
    let made = run(&cast, "name=mine", JOURNAL);
    let new = &made["bookIds"][0];
    let path = cast.path(&format!("/imports/{}/undo", id(&made)));
    let one = issued(server, &cast.owner, json!({"books": [cast.book]}));
    one.post(&path, &Value::Null).refused(403, "insufficientScope");
    assert_eq!(balance_in(&cast.owner, new, "Assets:Bank"), "107.50");
    let both = issued(server, &cast.owner, json!({"books": [cast.book, new]}));
    let undone = settle(&cast, &both.post(&path, &Value::Null).ok());
    shows(&undone["undone"], &json!({"deletedBookIds": [new]}));
}

/// 15.7: after an hour a preview cannot be confirmed, and it is removed.
fn rule_15_7_preview_expires(server: &Server) {
    let cast = book(server);
    let read = preview_of(&cast, "target=HERE", JOURNAL);
    let number = i64::from_str_radix(id(&read), 16).expect("an id");
    RawSql::open(server)
        .execute(&format!("UPDATE imports SET due_at = due_at - 3600000 WHERE id = {number}"));
    confirm(&cast, &read, &json!({})).refused(404, "notFound");
    let (started, path) = (Instant::now(), cast.path(&format!("/imports/{}", id(&read))));
    while cast.owner.get(&path).status != 404 {
        assert!(started.elapsed() < Duration::from_secs(60), "a worker removes it");
        pause(Duration::from_millis(50));
    }
}
