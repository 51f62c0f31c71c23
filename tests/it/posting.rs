//! Posting (3.3), and the rules of the transition table besides its cells (3.4.1 - 3.4.5).

use daybook_tests::{CASH_BANK_FOOD, Cast, Lunch, Server, shows};
use serde_json::{Value, json};

use crate::reading::{
    absent, batch, check_totals, events, id, items, new_events, transaction, types,
};

const LUNCH: Lunch = Lunch { date: "2025-03-05", amount: "12.00" };

/// A book with Cash, Bank and Food.
fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_BANK_FOOD)
}

fn body() -> Value {
    LUNCH.with(json!({}))
}

/// Found by the simulation. A file without a name is refused only where it would be attached.
fn rule_3_3_4_no_op_does_not_check_files(server: &Server) {
    let cast = cast(server);
    let posted = LUNCH.create(&cast, json!({}));
    let body = json!({"id": posted["id"], "files": [{"content": ""}]});
    let path = cast.path("/transactions");
    cast.owner.put(&path, &body).refused(400, "badRequest");
    cast.patch("/transactions/post", &body).ok();
    cast.patch("/transactions/check", &json!({"id": posted["id"]})).ok();
    cast.owner.put(&path, &body).refused(400, "checkedTransaction");
    let batch = cast.put("/transactions/batch", &json!({"items": [body]})).ok();
    assert_eq!(batch["items"][0]["files"], json!([]), "behaviour 3.6.3");
}

fn rule_3_3_1_post_applies_the_payload(server: &Server) {
    let cast = cast(server);
    let draft = LUNCH.create(&cast, json!({"draft": true, "debitAccount": null}));
    let known = events(&cast).len();
    let mut edited = draft.clone();
    edited["debitAccount"] = json!({"name": "Food"});
    edited["amount"] = json!("20.00");
    edited["description"] = json!("Dinner #out");
    edited["properties"] = json!({"Table": "7"});
    let posted = cast.patch("/transactions/post", &edited).ok()["transaction"].clone();
    assert_eq!(posted["id"], draft["id"]);
    for (field, value) in [
        ("posted", json!(true)),
        ("draft", json!(false)),
        ("amount", json!("20.00")),
        ("description", json!("Dinner #out")),
    ] {
        assert_eq!(posted[field], value, "{field}");
    }
    assert_eq!(posted["properties"], json!({"table": "7"}));
    assert_eq!(posted["tags"], json!(["out"]));
    check_totals(&cast, &[("Cash", "0.00", "20.00"), ("Food", "20.00", "0.00")]);
    let events = new_events(&cast, known);
    assert_eq!(types(&events), ["TRANSACTION_POSTED"], "8.1: no TRANSACTION_UPDATED besides");
}

fn rule_3_3_2_post_without_an_id_creates_and_posts(server: &Server) {
    let cast = cast(server);
    cast.put("", &json!({"autoPost": false})).ok();
    let known = events(&cast).len();
    let post = |body: &Value| cast.patch("/transactions/post", body);
    let posted = post(&body()).ok()["transaction"].clone();
    assert_eq!(posted["posted"], true, "whatever autoPost says");
    let forced = post(&LUNCH.with(json!({"draft": true}))).ok()["transaction"].clone();
    assert_eq!(forced["posted"], true, "`draft: true` is ignored here");
    assert_eq!(types(&new_events(&cast, known)), ["TRANSACTION_POSTED", "TRANSACTION_POSTED"]);
    assert_eq!(LUNCH.create(&cast, json!({}))["posted"], false, "autoPost is off");
    check_totals(&cast, &[("Cash", "0.00", "24.00"), ("Food", "24.00", "0.00")]);
}

fn rule_3_3_3_post_checked(server: &Server) {
    let cast = cast(server);
    let draft = LUNCH.create(&cast, json!({"draft": true}));
    let known = events(&cast).len();
    for body in [json!({"id": draft["id"], "checked": true}), LUNCH.with(json!({"checked": true}))]
    {
        let posted = cast.patch("/transactions/post", &body).ok()["transaction"].clone();
        assert_eq!((&posted["posted"], &posted["checked"]), (&json!(true), &json!(true)));
    }
    let events = new_events(&cast, known);
    assert_eq!(
        types(&events),
        ["TRANSACTION_POSTED", "TRANSACTION_POSTED"],
        "8.1: no CHECKED event"
    );
    for event in &events {
        assert_eq!(event["data"]["object"]["transaction"]["checked"], true);
    }
    // 3.2.3: without the check permission the flag is ignored, on create and on post.
    let draft = LUNCH.create(&cast, json!({"draft": true}));
    let posted = cast
        .poster
        .patch(&cast.path("/transactions/post"), &json!({"id": draft["id"], "checked": true}))
        .ok();
    shows(&posted["transaction"], &json!({"posted": true, "checked": false}));
    let created =
        cast.poster.post(&cast.path("/transactions"), &LUNCH.with(json!({"checked": true}))).ok();
    shows(&created["transaction"], &json!({"posted": true, "checked": false}));
}

fn rule_3_3_5_an_incomplete_post_names_what_is_missing(server: &Server) {
    let cast = cast(server);
    // 3.2.4: a draft without a date needs one in the post body.
    let fields = [
        ("date", "date"),
        ("amount", "amount"),
        ("creditAccount", "credit"),
        ("debitAccount", "debit"),
    ];
    for (field, word) in fields {
        let draft = LUNCH.create(&cast, json!({field: null}));
        assert_eq!(draft["posted"], false);
        assert!(absent(&draft, field) || draft[field] == "", "3.2.4: {field}: {draft}");
        let known = events(&cast).len();
        for body in [json!({"id": draft["id"]}), LUNCH.with(json!({field: null}))] {
            let message = cast.patch("/transactions/post", &body).refused(400, "badRequest");
            assert!(
                message.to_lowercase().contains(word),
                "3.3.5: the message names {field}: {message}"
            );
        }
        assert_eq!(new_events(&cast, known).len(), 0, "nothing is created by a refused post");
        let completed =
            cast.patch("/transactions/post", &json!({"id": draft["id"], field: body()[field]}));
        assert_eq!(completed.ok()["transaction"]["posted"], true);
    }
    assert_eq!(find_count(&cast), 4);
}

fn find_count(cast: &Cast) -> usize {
    items(&crate::reading::find(cast, "")).len()
}

fn rule_3_4_1_a_checked_one_is_never_updated_singly(server: &Server) {
    let cast = cast(server);
    let checked = LUNCH.create(&cast, json!({"checked": true}));
    let stored = transaction(&cast, &id(&checked));
    let known = events(&cast).len();
    let changes = [
        json!({"description": "Other"}),
        json!({"properties": {"a": "b"}}),
        json!({"checked": false}),
        json!({"checked": false, "amount": "1.00"}),
        json!({"urls": ["https://example.com"]}),
        json!({"remoteIds": ["x"]}),
    ];
    for mut change in changes {
        change["id"] = checked["id"].clone();
        cast.put("/transactions", &change).refused(400, "checkedTransaction");
    }
    assert_eq!(transaction(&cast, &id(&checked)), stored);
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_3_4_2_update_with_checked(server: &Server) {
    let cast = cast(server);
    let put = |body: Value| cast.put("/transactions", &body);
    let unchecked = LUNCH.create(&cast, json!({}));
    let known = events(&cast).len();
    cast.poster
        .put(
            &cast.path("/transactions"),
            &json!({"id": unchecked["id"], "amount": "1.00", "checked": true}),
        )
        .refused(403, "forbidden");
    assert_eq!(
        transaction(&cast, &id(&unchecked))["amount"],
        "12.00",
        "a refused request changes nothing"
    );
    put(json!({"id": unchecked["id"], "checked": false})).ok();
    assert_eq!(
        new_events(&cast, known).len(),
        0,
        "`checked: false` on an unchecked one changes nothing"
    );
    let both =
        put(json!({"id": unchecked["id"], "amount": "15.00", "checked": true})).ok()["transaction"]
            .clone();
    assert_eq!((&both["checked"], &both["amount"]), (&json!(true), &json!("15.00")));
    assert_eq!(
        types(&new_events(&cast, known)),
        ["TRANSACTION_UPDATED", "TRANSACTION_CHECKED"],
        "behaviour 8.1"
    );
    let other = LUNCH.create(&cast, json!({}));
    let known = events(&cast).len();
    let mut whole = other.clone();
    whole["checked"] = json!(true);
    assert_eq!(put(whole).ok()["transaction"]["checked"], true);
    assert_eq!(
        types(&new_events(&cast, known)),
        ["TRANSACTION_CHECKED"],
        "8.1: UPDATED only when fields changed"
    );
    let draft = LUNCH.create(&cast, json!({"draft": true}));
    let updated = put(json!({
        "id": draft["id"], "description": "Draft", "checked": true,
    }))
    .ok()["transaction"]
        .clone();
    assert_eq!(
        (&updated["checked"], &updated["description"]),
        (&json!(false), &json!("Draft")),
        "on a draft `checked` is ignored"
    );
    check_totals(&cast, &[("Cash", "0.00", "27.00"), ("Food", "27.00", "0.00")]);
}

fn rule_3_4_3_update_never_unposts_and_never_posts(server: &Server) {
    let cast = cast(server);
    let put = |body: Value| cast.put("/transactions", &body);
    let posted = LUNCH.create(&cast, json!({}));
    let stored = transaction(&cast, &id(&posted));
    put(json!({"id": posted["id"], "amount": "0.00"})).refused(400, "badRequest");
    assert_eq!(transaction(&cast, &id(&posted)), stored);
    let draft = LUNCH.create(&cast, json!({"amount": null}));
    let completed = put(json!({"id": draft["id"], "amount": "3.00"})).ok()["transaction"].clone();
    assert_eq!(
        (&completed["posted"], &completed["amount"]),
        (&json!(false), &json!("3.00")),
        "updating a draft never posts it"
    );
    check_totals(&cast, &[("Cash", "0.00", "12.00"), ("Food", "12.00", "0.00")]);
}

fn rule_4_8_archived_accounts(server: &Server) {
    let cast = cast(server);
    let posted = LUNCH.create(&cast, json!({}));
    let draft = LUNCH.create(&cast, json!({"draft": true}));
    let food = cast.get("/accounts/food").ok();
    cast.put("/accounts", &json!({"id": food["id"], "archived": true})).ok();
    cast.post("/transactions", &body()).refused(400, "badRequest");
    cast.patch("/transactions/post", &body()).refused(400, "badRequest");
    cast.patch("/transactions/post", &json!({"id": draft["id"]})).refused(400, "badRequest");
    let named = LUNCH.create(&cast, json!({"draft": true}));
    assert_eq!(named["debitAccount"]["name"], "Food", "drafts may name an archived account");
    let batched = batch([json!({"id": draft["id"]})]);
    cast.patch("/transactions/post/batch", &batched).no_content();
    assert_eq!(transaction(&cast, &id(&draft))["posted"], false, "3.6.4: skipped in a batch");
    let one = json!({"id": posted["id"]});
    cast.put("/transactions", &json!({"id": posted["id"], "amount": "13.00"})).ok();
    for verb in ["check", "uncheck", "trash", "untrash"] {
        cast.patch(&format!("/transactions/{verb}"), &one).ok();
    }
    check_totals(&cast, &[("Cash", "0.00", "13.00"), ("Food", "13.00", "0.00")]);
}

/// 4.8: an update adds no posting to an archived account. Existing postings may be edited, and
/// drafts may name it.
fn rule_4_8_updates_onto_an_archived_account(server: &Server) {
    let cast = cast(server);
    let bank = cast.get("/accounts/bank").ok();
    let (posted, draft) =
        (LUNCH.create(&cast, json!({})), LUNCH.create(&cast, json!({"draft": true})));
    cast.put("/accounts", &json!({"id": bank["id"], "archived": true})).ok();
    let onto = |made: &Value| {
        json!({
            "id": made["id"], "debitAccount": {"name": "Bank"}, "description": "moved",
        })
    };
    cast.put("/transactions", &onto(&posted)).refused(400, "badRequest");
    let items = batch([json!({"id": draft["id"], "description": "not this one"}), onto(&posted)]);
    cast.put("/transactions/batch", &items).refused(400, "badRequest");
    assert_eq!(
        (transaction(&cast, &id(&posted)), transaction(&cast, &id(&draft))),
        (posted.clone(), draft.clone())
    );
    cast.put("/transactions", &onto(&draft)).ok();
    // Already posted there, also on the other side.
    let food = cast.get("/accounts/food").ok();
    cast.put("/accounts", &json!({"id": food["id"], "archived": true})).ok();
    let swapped = json!({
        "id": posted["id"], "creditAccount": {"name": "Food"}, "debitAccount": {"name": "Cash"},
    });
    cast.put("/transactions", &swapped).ok();
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_3_3_4_no_op_does_not_check_files,
        rule_4_8_updates_onto_an_archived_account,
        rule_3_3_1_post_applies_the_payload,
        rule_3_3_2_post_without_an_id_creates_and_posts,
        rule_3_3_3_post_checked,
        rule_3_3_5_an_incomplete_post_names_what_is_missing,
        rule_3_4_1_a_checked_one_is_never_updated_singly,
        rule_3_4_2_update_with_checked,
        rule_3_4_3_update_never_unposts_and_never_posts,
        rule_4_8_archived_accounts,
    ]
}
