//! updateTransaction (3.10).

use daybook_tests::{CASH_BANK_FOOD, Cast, Lunch, Server, unique};
use serde_json::{Value, json};

use crate::reading::{
    Faults, absent, balances, check_totals, events, id, new_events, transaction, types,
};

const LUNCH: Lunch = Lunch { date: "2025-03-05", amount: "12.00" };

fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_BANK_FOOD)
}

#[track_caller]
fn create(cast: &Cast, draft: bool) -> Value {
    let fields = json!({
        "description": "Lunch #food", "properties": {"a": "1", "b": "2"}, "urls": ["u"],
        "remoteIds": [unique("r")], "draft": draft,
    });
    LUNCH.create(cast, fields)
}

#[track_caller]
fn put(cast: &Cast, body: &Value) -> Value {
    cast.put("/transactions", body).ok()["transaction"].clone()
}

const FIELDS: [&str; 5] = ["creditAccount", "debitAccount", "amount", "date", "description"];

fn empty(transaction: &Value, field: &str) -> bool {
    absent(transaction, field) || transaction[field] == ""
}

fn rule_3_10_2_clearing_on_a_draft(server: &Server) {
    let cast = cast(server);
    let mut faults = Faults::default();
    for field in FIELDS {
        let made = create(&cast, true);
        let mut shorter = made.clone();
        shorter.as_object_mut().expect("an object").remove(field);
        let [null, empty_text] =
            [json!(null), json!("")].map(|value| json!({"id": made["id"], field: value}));
        let mut ways =
            vec![("absent in a round trip", shorter), ("null", null), ("empty", empty_text)];
        if field == "amount" {
            ways.push(("zero", json!({"id": made["id"], field: "0.00"})));
        }
        for (way, body) in ways {
            put(&cast, &made);
            let cleared = put(&cast, &body);
            faults.check(empty(&cleared, field), || format!("{field} {way}: {}", cleared[field]));
            for stored in FIELDS.into_iter().filter(|stored| *stored != field) {
                faults.same(&format!("{field} {way}: {stored}"), &cleared[stored], &made[stored]);
            }
        }
    }
    faults.none();
}

fn rule_3_10_2_clearing_on_a_posted_one(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, false);
    for field in FIELDS {
        let mut shorter = made.clone();
        shorter.as_object_mut().expect("an object").remove(field);
        assert_eq!(put(&cast, &shorter)[field], made[field], "absence never clears {field}");
        if field != "description" {
            for nothing in [json!(null), json!("")] {
                cast.put("/transactions", &json!({"id": made["id"], field: nothing}))
                    .refused(400, "badRequest");
            }
        }
    }
    assert_eq!(transaction(&cast, &id(&made)), made);
    let bare = put(&cast, &json!({"id": made["id"], "description": null}));
    assert!(
        empty(&bare, "description") && bare["posted"] == true,
        "3.1.2: a description is not required: {bare}"
    );
    assert_eq!(bare["tags"], json!([]), "3.9.1: recomputed");
}

/// Properties merge on every resource: `properties` tests it.
fn rule_3_10_3_lists_replace(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, false);
    let changed = put(&cast, &json!({"id": made["id"], "remoteIds": ["s", "t"], "urls": ["w"]}));
    assert_eq!((&changed["remoteIds"], &changed["urls"]), (&json!(["s", "t"]), &json!(["w"])));
    let changed = put(&cast, &json!({"id": made["id"], "remoteIds": [], "urls": []}));
    assert_eq!((&changed["remoteIds"], &changed["urls"]), (&json!([]), &json!([])));
}

fn rule_3_10_4_flags_are_ignored(server: &Server) {
    let cast = cast(server);
    let (posted, draft) = (create(&cast, false), create(&cast, true));
    let known = events(&cast).len();
    for made in [&posted, &draft] {
        for (flag, value) in [
            ("posted", true),
            ("posted", false),
            ("trashed", true),
            ("draft", true),
            ("draft", false),
        ] {
            assert_eq!(
                &put(&cast, &json!({"id": made["id"], flag: value})),
                made,
                "{flag}: {value}"
            );
        }
    }
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_3_10_5_an_equal_amount_is_no_change(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, false);
    let known = events(&cast).len();
    for amount in
        [json!("12"), json!("12.0"), json!("12.000"), json!(12), json!(12.0), json!("12.00")]
    {
        assert_eq!(put(&cast, &json!({"id": made["id"], "amount": amount})), made, "{amount}");
    }
    assert_eq!(new_events(&cast, known).len(), 0);
    let changed = put(&cast, &json!({"id": made["id"], "amount": "12.01"}));
    assert_eq!(changed["amount"], "12.01");
    assert_eq!(types(&new_events(&cast, known)), ["TRANSACTION_UPDATED"]);
}

/// The changes of an account by month: `(month, credit - debit)`.
fn months(cast: &Cast, account: &str) -> Vec<(i64, String)> {
    let answer = balances(cast, &format!("account:{account} after:2025-01 before:2025-07"));
    let series = answer["accountBalances"][0]["balances"].as_array().expect("a series").clone();
    let change = |slice: &Value| {
        (
            slice["month"].as_i64().unwrap_or(0),
            slice["periodBalance"].as_str().unwrap_or("?").to_owned(),
        )
    };
    series.iter().map(change).filter(|(_, change)| change != "0.00").collect()
}

/// The days on which an account moves, and the amounts.
fn days(cast: &Cast, account: &str) -> Vec<(i64, String)> {
    let answer = balances(cast, &format!("by:d account:{account} on:2025"));
    let slices = answer["accountBalances"][0]["balances"].as_array().expect("a series").iter();
    let moved = slices.filter(|slice| slice["periodBalance"] != "0.00");
    let text = |slice: &Value| slice["periodBalance"].as_str().expect("a text").to_owned();
    moved.map(|slice| (slice["fuzzyDate"].as_i64().expect("a day"), text(slice))).collect()
}

fn rule_3_4_balances_move_with_an_update(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, false);
    let update = |mut fields: Value| {
        fields["id"] = made["id"].clone();
        put(&cast, &fields)
    };
    update(json!({"amount": "7.50"}));
    check_totals(&cast, &[("Cash", "0.00", "7.50"), ("Food", "7.50", "0.00")]);
    update(json!({"creditAccount": {"name": "Bank"}}));
    check_totals(&cast, &[("Bank", "0.00", "7.50"), ("Food", "7.50", "0.00")]);
    update(json!({"creditAccount": {"name": "Food"}, "debitAccount": {"name": "Bank"}}));
    check_totals(&cast, &[("Bank", "7.50", "0.00"), ("Food", "0.00", "7.50")]);
    assert_eq!(months(&cast, "Bank"), [(3, "-7.50".to_owned())]);
    update(json!({"date": "2025-05-31"}));
    assert_eq!(months(&cast, "Bank"), [(5, "-7.50".to_owned())], "another date");
    check_totals(&cast, &[("Bank", "7.50", "0.00"), ("Food", "0.00", "7.50")]);
    update(json!({"date": "2025-05-29"}));
    assert_eq!(days(&cast, "Bank"), [(20_250_529, "-7.50".to_owned())], "a day of the same month");
    assert_eq!(months(&cast, "Bank"), [(5, "-7.50".to_owned())]);
    let trash =
        |verb: &str| cast.patch(&format!("/transactions/{verb}"), &json!({"id": made["id"]})).ok();
    trash("trash");
    assert!(days(&cast, "Bank").is_empty(), "it does not count");
    trash("untrash");
    assert_eq!(days(&cast, "Bank"), [(20_250_529, "-7.50".to_owned())], "back on its day");
    let all = json!({
        "date": "2025-01-01", "amount": "3.00", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
    });
    let last = update(all);
    check_totals(&cast, &[("Cash", "0.00", "3.00"), ("Food", "3.00", "0.00")]);
    assert_eq!(months(&cast, "Cash"), [(1, "3.00".to_owned())]);
    assert_eq!(last["createdAt"], made["createdAt"]);
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_3_10_2_clearing_on_a_draft,
        rule_3_10_2_clearing_on_a_posted_one,
        rule_3_10_3_lists_replace,
        rule_3_10_4_flags_are_ignored,
        rule_3_10_5_an_equal_amount_is_no_change,
        rule_3_4_balances_move_with_an_update,
    ]
}
