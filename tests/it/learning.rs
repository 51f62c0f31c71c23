//! Learning in quick entry (3.8.3): which earlier transaction provides the accounts of a line.

use daybook_tests::{Cast, Client, Server};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use crate::Case;
use crate::reading::{batch, id, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_3_8_3_nothing_is_learned_by_default,
        rule_3_8_3_the_same_description,
        rule_3_8_3_the_same_hashtags,
        rule_3_8_3_drafts_and_old_transactions_are_not_history,
        rule_3_8_3_only_open_sides_are_filled,
        rule_3_8_3_only_visible_transactions_are_learned,
        rule_3_8_3_batches_and_posts,
        bodies_with_date_or_amount_are_not_completed,
    ]
}

fn cast(server: &Server) -> Cast {
    let cast = Cast::with_settings(server, json!({"properties": {"learn_from_history": "true"}}));
    for (name, kind) in [("Cash", "ASSET"), ("Bank", "ASSET"), ("Food", "OUTGOING")] {
        cast.account(name, kind);
    }
    cast.account("Travel", "OUTGOING");
    cast
}

fn days_ago(days: i64) -> String {
    #[expect(clippy::disallowed_methods, reason = "history counts from the server's today")]
    let today = OffsetDateTime::now_utc().date();
    daybook_domain::calendar::format_iso(today - Duration::days(days))
}

/// Records a transaction on an earlier day.
#[track_caller]
fn happened(cast: &Cast, days: i64, credit: &str, debit: &str, description: &str) -> Value {
    cast.record(&days_ago(days), "10", credit, debit, description)
}

/// Credit and debit of a recorded transaction, blank if missing.
fn sides_of(transaction: &Value) -> String {
    let name = |side: &str| transaction[side]["name"].as_str().unwrap_or_default().to_owned();
    format!("{} {}", name("creditAccount"), name("debitAccount"))
}

#[track_caller]
fn typed_by(user: &Client, cast: &Cast, text: &str) -> String {
    let body = json!({"description": text});
    sides_of(&user.post(&cast.path("/transactions"), &body).ok()["transaction"])
}

#[track_caller]
fn typed(cast: &Cast, text: &str) -> String {
    typed_by(&cast.owner, cast, text)
}

fn rule_3_8_3_nothing_is_learned_by_default(server: &Server) {
    let cast = cast(server);
    happened(&cast, 3, "Cash", "Food", "lunch at Joe's");
    let set = |value: Value| {
        let body = json!({"id": cast.book, "properties": {"learn_from_history": value}});
        cast.owner.put("/v5/books", &body).ok();
    };
    for (value, expected) in [(json!(null), " "), (json!("no"), " "), (json!("TRUE"), "Cash Food")]
    {
        set(value.clone());
        assert_eq!(typed(&cast, "12 lunch at Joe's"), expected, "{value}");
    }
}

fn rule_3_8_3_the_same_description(server: &Server) {
    let cast = cast(server);
    happened(&cast, 40, "Cash", "Travel", "Café de Paris");
    happened(&cast, 20, "Bank", "Food", "café DE Paris");
    happened(&cast, 30, "Cash", "Food", "Café de Paris");
    happened(&cast, 1, "Cash", "Travel", "Café de Paris, again");
    let body = json!({"description": format!("{} 12,50 CAFE de paris", days_ago(0))});
    let made = cast.post("/transactions", &body).ok()["transaction"].clone();
    assert_eq!(sides_of(&made), "Bank Food", "the latest");
    assert_eq!((&made["posted"], &made["amount"]), (&json!(true), &json!("12.50")));
    assert_eq!(made["description"], "CAFE de paris", "as it was typed");
    assert_eq!(typed(&cast, "Café de"), " ", "a part is not the same");
    assert_eq!(typed(&cast, "%"), " ");
    assert_eq!(typed(&cast, "12,50"), " ", "without text nothing is learned");
}

fn rule_3_8_3_the_same_hashtags(server: &Server) {
    let cast = cast(server);
    happened(&cast, 9, "Bank", "Travel", "flight #trip #work");
    happened(&cast, 5, "Cash", "Food", "dinner #trip");
    happened(&cast, 3, "Bank", "Travel", "no tag: trip");
    assert_eq!(typed(&cast, "taxi #Trip"), "Cash Food");
    assert_eq!(typed(&cast, "hotel #work #trip"), "Bank Travel", "all of them");
    assert_eq!(typed(&cast, "hotel #work #trip #late"), " ");
    assert_eq!(typed(&cast, "flight #trip #work"), "Bank Travel", "the description comes first");
    assert_eq!(typed(&cast, "taxi -#trip"), " ", "3.8.2.5: kept out of discovery");
}

fn rule_3_8_3_drafts_and_old_transactions_are_not_history(server: &Server) {
    let cast = cast(server);
    happened(&cast, 380, "Cash", "Food", "gym");
    assert_eq!(typed(&cast, "gym"), " ", "older than twelve months");
    happened(&cast, 300, "Cash", "Food", "gym");
    happened(&cast, 5, "Bank", "Travel", "GYM");
    let trashed = happened(&cast, 4, "Cash", "Travel", "gym");
    let trash = cast.path("/transactions/trash");
    cast.owner.patch(&trash, &json!({"id": id(&trashed)})).ok();
    let draft = json!({
        "date": days_ago(1), "amount": "1", "description": "gym", "draft": true,
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Travel"},
    });
    cast.post("/transactions", &draft).ok();
    assert_eq!(typed(&cast, "gym"), "Bank Travel", "neither trashed ones nor drafts");
    let chart = cast.get("/accounts").ok();
    let bank = items(&chart).iter().find(|account| account["name"] == "Bank").expect("it");
    cast.put("/accounts", &json!({"id": bank["id"], "archived": true})).ok();
    assert_eq!(typed(&cast, "gym"), "Cash Food", "both accounts are in use");
    let another = self::cast(server);
    assert_eq!(typed(&another, "gym"), " ", "each book has a history of its own");
}

fn rule_3_8_3_only_open_sides_are_filled(server: &Server) {
    let cast = cast(server);
    happened(&cast, 2, "Cash", "Food", "lunch");
    assert_eq!(typed(&cast, "bank lunch"), "Bank Food", "the first name is the credit side");
    assert_eq!(typed(&cast, "bank travel lunch"), "Bank Travel");
    assert_eq!(typed(&cast, "food lunch"), "Food ", "no account on both sides");
}

/// Transactions that a user may not see are not used.
fn rule_3_8_3_only_visible_transactions_are_learned(server: &Server) {
    let cast = cast(server);
    happened(&cast, 2, "Cash", "Food", "lunch");
    assert_eq!(typed_by(&cast.poster, &cast, "lunch"), "Cash Food");
    assert_eq!(typed_by(&cast.recorder, &cast, "lunch"), " ", "7.3");
}

fn rule_3_8_3_batches_and_posts(server: &Server) {
    let cast = cast(server);
    happened(&cast, 2, "Cash", "Food", "lunch");
    let lines = ["lunch 1", "bank travel new 2", "new 3"].map(|text| json!({"description": text}));
    let made = cast.post("/transactions/batch", &batch(lines)).ok();
    let sides: Vec<String> = items(&made).iter().map(sides_of).collect();
    assert_eq!(
        sides,
        ["Cash Food", "Bank Travel", " "],
        "items of a batch do not learn from each other"
    );
    let many = (0..103).map(|_| json!({"description": "lunch"}));
    let made = cast.post("/transactions/batch", &batch(many)).ok();
    let learned: Vec<bool> = items(&made).iter().map(|one| sides_of(one) == "Cash Food").collect();
    assert_eq!(learned, [vec![true; 100], vec![false; 3]].concat(), "the first hundred");
    let text = json!({"description": format!("{} lunch 4", days_ago(0))});
    let posted = cast.patch("/transactions/post", &text).ok();
    assert_eq!(sides_of(&posted["transaction"]), "Cash Food", "3.8.5");
}

/// 3.8.1: a body with a date or an amount is not parsed.
fn bodies_with_date_or_amount_are_not_completed(server: &Server) {
    let cast = cast(server);
    happened(&cast, 2, "Cash", "Food", "lunch");
    for fields in [json!({"amount": "5"}), json!({"date": days_ago(1)})] {
        let mut body = fields.clone();
        body["description"] = json!("lunch");
        let made = cast.post("/transactions", &body).ok();
        assert_eq!(sides_of(&made["transaction"]), " ", "{fields}");
    }
}
