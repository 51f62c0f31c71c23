//! A query is never answered with a part silently ignored (1.1.9, 1.1.13 - 1.1.15): invalid terms,
//! warnings, strict mode, ids, NUL.

use daybook_tests::{Answer, Cast, Server, encode};
use serde_json::{Value, json};

use crate::reading::{Faults, find, id, items, sorted_labels};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_1_1_9_invalid_term_matches_nothing,
        rule_1_1_9_balances_without_containers,
        rule_1_1_13_lists_and_counts_warn_about_ignored_terms,
        rule_1_1_13_balances_warn_about_ignored_terms,
        rule_1_1_13_every_page_has_the_warnings,
        rule_1_1_14_strictly_refused,
        rule_1_1_15_an_id_is_text,
        rule_0_23_no_text_holds_a_nul,
        rule_0_9_booleans,
    ]
}

/// A lunch on 2013-01-01 and a draft without a date.
fn fixture(server: &Server) -> Cast {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.account_in("Cash", "ASSET", &["Assets"]);
    cast.account("Food", "OUTGOING");
    cast.record("2013-01-01", "5.00", "Cash", "Food", "lunch #food");
    cast.post("/transactions", &json!({"description": "note 10:30"})).ok();
    cast
}

fn ask(cast: &Cast, operation: &str, query: &str) -> Answer {
    cast.get(&format!("/{operation}?query={}", encode(query)))
}

/// The warnings of a list, which equal those of the count.
#[track_caller]
fn of_list(cast: &Cast, query: &str) -> Value {
    let list = ask(cast, "transactions", query).ok();
    let count = ask(cast, "transactions/count", query).ok();
    assert_eq!(count["total"], items(&list).len(), "1.4.3: {query:?}");
    assert_eq!(count["warnings"], list["warnings"], "1.1.13: {query:?}: lists and counts agree");
    list["warnings"].clone()
}

fn rule_1_1_9_invalid_term_matches_nothing(server: &Server) {
    let cast = fixture(server);
    let mut faults = Faults::default();
    for bad in ["before: 2013-13", "is:foo", "amount>x"] {
        for (query, expected) in [
            (bad.to_owned(), vec![]),
            (format!("-{bad}"), vec![]),
            (format!("lunch -{bad}"), vec![]),
            (format!("-(lunch {bad})"), vec!["note"]),
            (format!("-(lunch OR {bad})"), vec![]),
            (format!("lunch OR {bad}"), vec!["lunch"]),
        ] {
            let list = find(&cast, &query);
            faults.same(&format!("`{query}`"), sorted_labels(&list), expected.clone());
            let count = ask(&cast, "transactions/count", &query).ok();
            faults.same(&format!("`{query}`, counted"), &count["total"], &json!(expected.len()));
        }
    }
    let without_a_value = sorted_labels(&find(&cast, "on: is: OR lunch OR note"));
    faults.same("operators without a value are ignored", without_a_value, ["lunch", "note"]);
    faults.none();
}

fn rule_1_1_9_balances_without_containers(server: &Server) {
    let cast = fixture(server);
    let mut faults = Faults::default();
    for bad in ["on:2013-02-30", "-on:2013-02-30", "is:foo", "amount>x", "-(has:luck)"] {
        for (scope, accounts, groups) in [
            ("", json!([]), json!([])),
            ("account:Cash ", json!([]), Value::Null),
            ("group:Assets ", Value::Null, json!([])),
            ("account:Cash group:Assets on:2013 ", json!([]), json!([])),
        ] {
            let query = format!("{scope}{bad}");
            let answer = ask(&cast, "balances", &query).ok();
            faults.same(&query, &answer["accountBalances"], &accounts);
            faults.same(&query, &answer["groupBalances"], &groups);
            for field in ["range", "previousRange", "nextRange", "rangeBeginLabel", "rangeEndLabel"]
            {
                faults.same(&format!("{query}: {field}"), &answer[field], &json!(""));
            }
            faults.same(&query, answer["warnings"].as_array().map(Vec::len), Some(1));
        }
    }
    // Valid values give sums.
    for query in ["account:Cash on: 2013-1-1", "account:Cash on:2013-1"] {
        let answer = ask(&cast, "balances", query).ok();
        let credit = &answer["accountBalances"][0]["periodCredit"];
        faults.same(query, credit, &json!("5.00"));
        faults.same(query, &answer["warnings"], &Value::Null);
    }
    faults.none();
}

fn rule_1_1_13_lists_and_counts_warn_about_ignored_terms(server: &Server) {
    let cast = fixture(server);
    let mut faults = Faults::default();
    let valid = "account:Cash group:Assets on:2013-1-1 #food -#food";
    faults.same(valid, of_list(&cast, valid), Value::Null);
    for (query, expected) in [
        ("lunch -on: 2013-02-30", vec!["on: 2013-02-30: not a date"]),
        ("is:foo amount>x", vec!["is:foo: not a status", "amount>x: not a number"]),
        ("by:m lunch", vec!["by:m: ignored, only balances have a periodicity"]),
        (
            "from:'No one' OR group:X",
            vec!["from:'No one': no such account", "group:X: no such group"],
        ),
    ] {
        faults.same(query, of_list(&cast, query), json!(expected));
    }
    // A long term is truncated, and only some terms are listed.
    let long = of_list(&cast, &format!("on:{}", "é".repeat(3000)));
    faults.same("a long term", long, json!([format!("on:{}...: not a date", "é".repeat(97))]));
    let many = of_list(&cast, &"by:m ".repeat(300));
    faults.same("many terms", many.as_array().map(Vec::len), Some(201));
    faults.same("many terms", &many[200], &json!("and 100 more"));
    faults.none();
}

fn rule_1_1_13_balances_warn_about_ignored_terms(server: &Server) {
    let cast = fixture(server);
    let plain = ask(&cast, "balances", "account:Cash on:2013").ok();
    assert_eq!(plain["warnings"], Value::Null);
    let mut faults = Faults::default();
    for (term, warning) in [
        ("lunch", "lunch: ignored in balances"),
        ("is:draft", "is:draft: ignored in balances"),
        ("by:q", "by:q: ignored, not a periodicity"),
        ("NOT account:Food", "account:Food: ignored in balances"),
        ("account:Chas", "account:Chas: no such account"),
    ] {
        let mut answer = ask(&cast, "balances", &format!("account:Cash on:2013 {term}")).ok();
        let fields = answer.as_object_mut().expect("an object");
        faults.same(term, fields.remove("warnings"), Some(json!([warning])));
        faults.same(term, &answer, &plain);
    }
    // An impossible hashtag matches nothing.
    let answer = ask(&cast, "balances", "account:Cash #a-b").ok();
    faults.same("#a-b", &answer["warnings"], &json!(["#a-b: not a hashtag"]));
    faults.same("#a-b", &answer["accountBalances"][0]["cumulativeBalance"], &json!("0.00"));
    faults.none();
}

/// 2.4: a page of a cursor alone repeats the query and its warnings.
fn rule_1_1_13_every_page_has_the_warnings(server: &Server) {
    let cast = fixture(server);
    let path = cast.path(&format!("/transactions?limit=1&query={}", encode("by:q a\u{0}b OR n")));
    let first = cast.owner.get(&path).ok();
    assert_eq!(first["warnings"], json!(["by:q: ignored, not a periodicity"]));
    let cursor = first["cursor"].as_str().expect("two rows").to_owned();
    let next = cast.owner.header("cursor", &cursor);
    let next = next.get(&cast.path("/transactions?limit=1"));
    assert_eq!(next.clone().ok()["warnings"], first["warnings"]);
    assert_eq!(items(&next.ok()).len(), 1);
    let strictly = cast.owner.header("cursor", &cursor);
    strictly.get(&cast.path("/transactions?strict=true")).refused(400, "queryNotUnderstood");
}

fn rule_1_1_14_strictly_refused(server: &Server) {
    let cast = fixture(server);
    let strictly = |operation: &str, query: &str, strict: &str| {
        let path = format!("/{operation}?strict={strict}&query={}", encode(query));
        cast.get(&path)
    };
    for operation in ["transactions", "transactions/count", "balances"] {
        for strict in ["true", "1", "YES"] {
            let message = strictly(operation, "account:Cash on:2013-02-30 is:foo", strict)
                .refused(400, "queryNotUnderstood");
            for part in ["on:2013-02-30: not a date", "is:foo: not a status"] {
                assert!(message.contains(part), "1.1.14: {operation}: {message}");
            }
        }
        for strict in ["false", "0", "No", "", "maybe"] {
            strictly(operation, "account:Cash on:2013-02-30", strict).ok();
        }
        strictly(operation, "account:Cash on:2013-1-1 #food", "true").ok();
        // The size is checked first, and a caller without access learns nothing.
        strictly(operation, &"account:Cash by:q ".repeat(201), "true")
            .refused(400, "queryTooLarge");
        let path = format!("/{operation}?strict=true&query=is:foo");
        cast.stranger.get(&cast.path(&path)).refused(404, "notFound");
    }
    strictly("transactions", "Chase:Slate", "true").ok();
    for operation in ["transactions", "transactions/count", "balances"] {
        let message = strictly(operation, "account:Cash group:Asets", "true")
            .refused(400, "queryNotUnderstood");
        assert!(message.contains("group:Asets: no such group"), "1.1.14: {operation}: {message}");
    }
    strictly("balances", "account:Cash Chase:Slate", "true").refused(400, "queryNotUnderstood");
}

/// An app that searches for the id of a transaction must not find the transaction itself.
fn rule_1_1_15_an_id_is_text(server: &Server) {
    let cast = fixture(server);
    let lunch = id(&items(&find(&cast, "lunch"))[0]);
    let found = |query: &str| sorted_labels(&find(&cast, query));
    assert_eq!(found(&lunch), Vec::<String>::new());
    assert_eq!(found(&format!("-{lunch}")), ["lunch", "note"]);
    let count = ask(&cast, "transactions/count", &lunch).ok();
    assert_eq!(count, json!({"total": 0}));
    let about = json!({"description": format!("about {lunch}"), "amount": "1"});
    cast.post("/transactions", &about).ok();
    assert_eq!(found(&format!(" {lunch} ")), ["about"]);
}

fn rule_0_23_no_text_holds_a_nul(server: &Server) {
    let cast = fixture(server);
    let mut faults = Faults::default();
    for (query, expected) in [
        ("\u{0}", vec![]),
        ("lunch OR \u{0}", vec!["lunch"]),
        ("-\u{0}", vec!["lunch", "note"]),
        ("account:Ca\u{0}sh", vec![]),
        ("#food\u{0}", vec![]),
        ("key:\u{0}", vec![]),
    ] {
        faults.same(&format!("{query:?}"), sorted_labels(&find(&cast, query)), expected.clone());
        let count = ask(&cast, "transactions/count", query).ok();
        faults.same(&format!("{query:?}, counted"), &count["total"], &json!(expected.len()));
        let scoped = format!("account:Cash {query}");
        let answer = ask(&cast, "balances", &scoped).ok();
        let shown = answer["accountBalances"].as_array().map(Vec::len);
        // Balances ignore a negated term (1.4.2).
        let containers = usize::from(query.starts_with('-'));
        faults.same(&format!("{scoped:?}"), shown, Some(containers));
        ask(&cast, "balances", query).ok();
    }
    faults.none();
    let books = cast.owner.get("/v5/books?query=%00").ok();
    assert_eq!(items(&books).len(), 0, "0.23: no name holds it either");
}

/// 0.9: booleans in the URL, of lists and of writes.
fn rule_0_9_booleans(server: &Server) {
    let cast = fixture(server);
    for (text, loaded) in [
        ("true", true),
        ("TRUE", true),
        ("1", true),
        ("yes", true),
        ("Yes", true),
        ("false", false),
        ("0", false),
        ("no", false),
        ("NO", false),
        ("2", false),
        ("", false),
        ("maybe", false),
        ("NO%20", false),
        ("y", false),
        ("on", false),
    ] {
        let book = cast.get(&format!("?loadAccounts={text}")).ok();
        assert_eq!(book["accounts"].is_array(), loaded, "0.9: {text}");
    }
    let checked = json!({
        "date": "2013-01-02", "amount": "1", "description": "checked", "checked": true,
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
    });
    let made = cast.post("/transactions", &checked).ok();
    let only = json!({"items": [{"id": made["transaction"]["id"]}]});
    let trash = |text: &str| {
        let path = cast.path(&format!("/transactions/trash/batch?trashChecked={text}"));
        cast.owner.patch(&path, &only).no_content();
        items(&find(&cast, "is:trashed")).len()
    };
    assert_eq!((trash("no"), trash("0"), trash("Yes")), (0, 0, 1), "0.9");
}
