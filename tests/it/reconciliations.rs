//! Reconciliations (14): fields and sums, transactions on them, what is checked and unchecked,
//! later changes, events, and what they protect.

use daybook_tests::{Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{events, ids, items, new_events, resources, types};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_14_3_fields_are_read_and_checked,
        rule_14_2_lists_are_paged_by_date,
        rule_14_4_last_closing_balance_opens_the_next,
        rule_14_4_balances_follow_the_type_of_the_account,
        rule_14_5_transfer_is_checked_when_both_sides_are_on_one,
        rule_14_5_refused_transactions_change_nothing,
        rule_14_5_locked_and_checked_transactions_keep_their_state,
        rule_14_6_only_what_a_reconciliation_checked_is_unchecked,
        rule_14_6_deleting_takes_all_transactions_off,
        rule_14_7_events_have_the_change,
        rule_14_8_later_changes_are_reported,
        rule_14_9_register_shows_reconciliations,
        rule_14_10_account_file_and_copies,
        rule_14_5_thousands_of_transactions,
    ]
}

const ACCOUNTS: [(&str, &str); 4] =
    [("Bank", "ASSET"), ("Card", "LIABILITY"), ("Food", "OUTGOING"), ("Salary", "INCOMING")];

fn book(server: &Server) -> Cast {
    Cast::with_accounts(server, &ACCOUNTS)
}

/// The body of a reconciliation with these transactions.
fn statement(account: &str, date: &str, closing: &str, add: &[&Value]) -> Value {
    let add: Vec<&Value> = add.iter().map(|transaction| &transaction["id"]).collect();
    json!({"account": {"name": account}, "date": date, "closingBalance": closing, "add": add})
}

#[track_caller]
fn create(cast: &Cast, body: &Value) -> Value {
    cast.post("/reconciliations", body).ok()
}

fn path(reconciliation: &Value) -> String {
    format!("/reconciliations/{}", id(reconciliation))
}

#[track_caller]
fn read(cast: &Cast, reconciliation: &Value) -> Value {
    cast.get(&path(reconciliation)).ok()
}

#[track_caller]
fn update(cast: &Cast, reconciliation: &Value, body: Value) -> Value {
    cast.put(&path(reconciliation), &body).ok()
}

/// Whether each transaction is checked.
#[track_caller]
fn checked<const N: usize>(cast: &Cast, transactions: [&Value; N]) -> [bool; N] {
    transactions.map(|transaction| {
        let path = format!("/transactions/{}", id(transaction));
        cast.get(&path).ok()["checked"] == true
    })
}

fn only_id(transaction: &Value) -> Value {
    json!({"id": transaction["id"]})
}

/// 14.3, 14.1: required fields, permanent accounts, existing files; absent fields stay.
fn rule_14_3_fields_are_read_and_checked(server: &Server) {
    let cast = book(server);
    let file = cast.post("/files", &json!({"name": "january.pdf", "content": "YQ=="})).ok();
    let by_bot = cast.editor.header("service-agent-id", "importer");
    let body = json!({
        "account": {"name": "bank"}, "date": "2025-01-31", "closingBalance": -12.345,
        "fileId": file["id"], "remove": ["ignored"],
    });
    let created = by_bot.post(&cast.path("/reconciliations"), &body).ok();
    shows(
        &created,
        &json!({
            "date": "2025-01-31", "closingBalance": "-12.35", "openingBalance": "0.00",
            "movement": "0.00", "difference": "-12.35", "transactionCount": 0,
            "fileId": file["id"], "agentId": "importer",
        }),
    );
    shows(&created["account"], &json!({"name": "Bank", "type": "ASSET", "permanent": true}));
    let author = cast.editor.get("/v5/user").ok();
    assert_eq!(created["createdBy"], author["username"]);
    assert_eq!(created.get("transactionIds"), None, "14.2: only getReconciliation lists them");
    shows(&read(&cast, &created), &json!({"transactionIds": [], "changes": []}));
    let before = (cast.read("/reconciliations"), events(&cast).len());
    let with = |field: &str, value: Value| {
        let mut body = statement("Bank", "2025-02-28", "1", &[]);
        body[field] = value;
        body
    };
    for (body, part) in [
        (with("account", Value::Null), "account is required"),
        (with("account", json!({"name": "Nowhere"})), "not found: Nowhere"),
        (with("account", json!({"name": "Food"})), "not permanent"),
        (with("account", json!({"name": "Salary"})), "not permanent"),
        (with("date", Value::Null), "date is required"),
        (with("date", json!("2025-02-30")), "yyyy-MM-dd"),
        (with("closingBalance", json!("")), "closingBalance is required"),
        (with("closingBalance", json!("much")), "not a number"),
        (with("fileId", json!("0123456789abcdef")), "file not found"),
        (with("add", json!(vec!["x"; 10_001])), "at most 10000"),
    ] {
        let message = cast.post("/reconciliations", &body).refused(400, "badRequest");
        assert!(message.contains(part), "{part}: {message}");
    }
    for (field, value) in
        [("date", json!(null)), ("closingBalance", json!(" ")), ("fileId", json!("unknown"))]
    {
        cast.put(&path(&created), &json!({field: value})).refused(400, "badRequest");
    }
    for unknown in ["0123456789abcdef", "7", "Bank"] {
        let path = cast.path(&format!("/reconciliations/{unknown}"));
        cast.owner.get(&path).refused(404, "notFound");
        cast.owner.put(&path, &json!({})).refused(404, "notFound");
        cast.owner.delete(&path).refused(404, "notFound");
    }
    let unchanged = json!({"account": {"name": "Card"}, "date": "2025-01-31"});
    assert_eq!(update(&cast, &created, unchanged), created, "14.3: the account cannot change");
    assert_eq!((cast.read("/reconciliations"), events(&cast).len()), before);
    let moved = update(&cast, &created, json!({"closingBalance": "-5", "fileId": ""}));
    shows(&moved, &json!({"closingBalance": "-5.00", "date": "2025-01-31"}));
    assert_eq!(moved.get("fileId"), None);
}

/// 14.2: by date and creation, newest first, with a cursor that keeps the account.
fn rule_14_2_lists_are_paged_by_date(server: &Server) {
    let cast = book(server);
    for (account, date, closing) in [
        ("Bank", "2025-02-28", "1"),
        ("Card", "2025-03-31", "2"),
        ("Bank", "2025-01-31", "3"),
        ("Bank", "2025-02-28", "4"),
    ] {
        create(&cast, &statement(account, date, closing, &[]));
    }
    let closings = |list: &Value| column(list, "closingBalance");
    let all = cast.read("/reconciliations");
    assert_eq!(closings(&all), ["2.00", "4.00", "1.00", "3.00"]);
    let bank = cast.read("/reconciliations?account=bank&limit=2");
    assert_eq!(closings(&bank), ["4.00", "1.00"]);
    let cursor = bank["cursor"].as_str().expect("a second page");
    let rest = cast.read(&format!("/reconciliations?limit=2&cursor={cursor}"));
    assert_eq!(closings(&rest), ["3.00"]);
    assert_eq!(rest.get("cursor"), None);
    assert_eq!(cast.read("/reconciliations?account=Salary"), json!({"items": []}));
    cast.get("/reconciliations?account=Nowhere").refused(400, "badRequest");
}

/// 14.4: each opens with the closing balance before it, whatever the order of creation.
fn rule_14_4_last_closing_balance_opens_the_next(server: &Server) {
    let cast = book(server);
    let salary = cast.record("2025-01-05", "100", "Salary", "Bank", "January");
    let lunch = cast.record("2025-01-10", "12.5", "Bank", "Food", "Lunch");
    let march = create(&cast, &statement("Bank", "2025-03-31", "500", &[]));
    assert_eq!(march["openingBalance"], "0.00");
    let january = create(&cast, &statement("Bank", "2025-01-31", "87.50", &[&salary, &lunch]));
    shows(
        &january,
        &json!({
            "openingBalance": "0.00", "movement": "87.50", "difference": "0.00",
            "transactionCount": 2,
        }),
    );
    create(&cast, &statement("Card", "2025-02-15", "9", &[]));
    let reread = read(&cast, &march);
    shows(&reread, &json!({"openingBalance": "87.50", "difference": "412.50"}));
    create(&cast, &statement("Bank", "2025-02-28", "100", &[]));
    assert_eq!(read(&cast, &march)["openingBalance"], "100.00");
    let listed = cast.read("/reconciliations?account=Bank");
    assert_eq!(column(&listed, "openingBalance"), ["100.00", "87.50", "0.00"]);
    assert_eq!(column(&listed, "movement"), ["0.00", "0.00", "87.50"]);
}

/// 14.4: a liability counts credits minus debits; a change of the type flips all balances.
fn rule_14_4_balances_follow_the_type_of_the_account(server: &Server) {
    let cast = book(server);
    let lunch = cast.record("2025-01-10", "12.5", "Card", "Food", "Lunch");
    let paid = cast.record("2025-01-31", "2.5", "Bank", "Card", "Payment");
    let card = create(&cast, &statement("Card", "2025-01-31", "10", &[&lunch, &paid]));
    shows(&card, &json!({"movement": "10.00", "difference": "0.00"}));
    cast.put("/accounts", &json!({"name": "Card", "type": "ASSET"})).ok();
    shows(
        &read(&cast, &card),
        &json!({"closingBalance": "-10.00", "movement": "-10.00", "difference": "0.00"}),
    );
    cast.put("/accounts", &json!({"name": "Card", "type": "OUTGOING"})).ok();
    shows(&read(&cast, &card), &json!({"closingBalance": "-10.00", "difference": "0.00"}));
    let another = cast.record("2025-01-10", "1", "Card", "Food", "Dinner");
    cast.put(&path(&card), &json!({"add": [another["id"]]})).refused(400, "badRequest");
    let left = update(&cast, &card, json!({"remove": [paid["id"]]}));
    assert_eq!(left["transactionCount"], 1, "14.1: they can still be taken off");
}

/// 14.5: a transfer is ticked on both sides apart.
fn rule_14_5_transfer_is_checked_when_both_sides_are_on_one(server: &Server) {
    let cast = book(server);
    let lunch = cast.record("2025-01-10", "12.5", "Bank", "Food", "Lunch");
    let transfer = cast.record("2025-01-20", "50", "Bank", "Card", "Payment");
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-62.5", &[&lunch, &transfer]));
    assert_eq!(bank["difference"], "0.00");
    assert_eq!(checked(&cast, [&lunch, &transfer]), [true, false]);
    let card = create(&cast, &statement("Card", "2025-01-31", "-50", &[]));
    let card = update(&cast, &card, json!({"add": [transfer["id"], transfer["id"]]}));
    shows(&card, &json!({"movement": "-50.00", "difference": "0.00", "transactionCount": 1}));
    assert_eq!(checked(&cast, [&lunch, &transfer]), [true, true]);
    assert_eq!(read(&cast, &card)["changes"], json!([]), "14.8: a check is not reported");
    assert_eq!(read(&cast, &bank)["changes"], json!([]));
    update(&cast, &bank, json!({"remove": [transfer["id"]]}));
    assert_eq!(checked(&cast, [&lunch, &transfer]), [true, false]);
    update(&cast, &bank, json!({"add": [transfer["id"]], "remove": [transfer["id"]]}));
    assert_eq!(checked(&cast, [&lunch, &transfer]), [true, true], "14.6: `add` wins");
}

/// 14.5: drafts, trashed transactions, other accounts and other reconciliations.
fn rule_14_5_refused_transactions_change_nothing(server: &Server) {
    let cast = book(server);
    let lunch = cast.record("2025-01-10", "12.5", "Bank", "Food", "Lunch");
    let [on_card, trashed, taken] =
        [("Card", "On the card"), ("Bank", "Trashed"), ("Bank", "Taken")]
            .map(|(account, text)| cast.record("2025-01-10", "5", account, "Food", text));
    let draft = cast.create(&json!({"description": "Draft", "creditAccount": {"name": "Bank"}}));
    cast.patch("/transactions/trash", &only_id(&trashed)).ok();
    create(&cast, &statement("Bank", "2025-01-31", "0", &[&taken]));
    let bank = create(&cast, &statement("Bank", "2025-02-28", "0", &[]));
    let before = (read(&cast, &bank), events(&cast).len());
    for (other, part) in [
        (&draft, "item 1: the transaction is not posted"),
        (&trashed, "item 1: the transaction is trashed"),
        (&on_card, "item 1: account \"Bank\" is not an account of the transaction"),
        (&taken, "item 1: the transaction is on reconciliation"),
    ] {
        let add = json!({"add": [lunch["id"], other["id"]]});
        let message = cast.put(&path(&bank), &add).refused(400, "badRequest");
        assert!(message.contains(part), "{part}: {message}");
    }
    let unknown = json!({"add": [lunch["id"], "nothing", "0123456789abcdef"]});
    let message = cast.put(&path(&bank), &unknown).refused(404, "notFound");
    assert!(message.contains("Ids: [nothing, 0123456789abcdef]"), "{message}");
    let ignored = update(&cast, &bank, json!({"remove": [taken["id"], "nothing"]}));
    assert_eq!(ignored["updatedAt"], bank["updatedAt"], "14.6: nothing was on it");
    assert_eq!((read(&cast, &bank), events(&cast).len()), before);
    assert_eq!(checked(&cast, [&lunch, &taken]), [false, true]);
}

/// 14.5, 14.6, 3.5.2: a lock keeps the state; a confirmation after it checks.
fn rule_14_5_locked_and_checked_transactions_keep_their_state(server: &Server) {
    let cast = book(server);
    let [locked, by_hand, late] = ["Locked", "By hand", "Late"]
        .map(|text| cast.record("2025-01-10", "1", "Bank", "Food", text));
    cast.patch("/transactions/check", &only_id(&by_hand)).ok();
    let lock = |date: &str| {
        cast.owner.put(&cast.path(""), &json!({"lockDate": date})).ok();
    };
    lock("2025-01-31");
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-3", &[&locked, &by_hand]));
    assert_eq!(bank["transactionCount"], 2);
    assert_eq!(checked(&cast, [&locked, &by_hand]), [false, true]);
    lock("1900-00-00");
    update(&cast, &bank, json!({"add": [locked["id"], late["id"]]}));
    assert_eq!(checked(&cast, [&locked, &late]), [true, true], "14.5: seen again");
    lock("2025-01-31");
    update(&cast, &bank, json!({"remove": [locked["id"], by_hand["id"]]}));
    assert_eq!(checked(&cast, [&locked, &by_hand]), [true, true], "14.6: no lock is broken");
    cast.delete(&path(&bank)).ok();
    assert_eq!(checked(&cast, [&late]), [true]);
}

/// 14.6: what was checked by hand, also after an uncheck, stays checked.
fn rule_14_6_only_what_a_reconciliation_checked_is_unchecked(server: &Server) {
    let cast = book(server);
    let [by_hand, ticked, again] = ["By hand", "Ticked", "Again"]
        .map(|text| cast.record("2025-01-10", "1", "Bank", "Food", text));
    cast.patch("/transactions/check", &only_id(&by_hand)).ok();
    let all = [&by_hand, &ticked, &again];
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-3", &all));
    assert_eq!(checked(&cast, all), [true; 3]);
    cast.patch("/transactions/uncheck/batch", &json!({"items": [only_id(&again)]})).no_content();
    cast.patch("/transactions/check", &only_id(&again)).ok();
    let removed: Vec<&Value> = all.iter().map(|transaction| &transaction["id"]).collect();
    let left = update(&cast, &bank, json!({"remove": removed}));
    assert_eq!(left["transactionCount"], 0);
    assert_eq!(checked(&cast, all), [true, false, true]);
}

/// 14.6: the transactions of the other side stay on their reconciliation.
fn rule_14_6_deleting_takes_all_transactions_off(server: &Server) {
    let cast = book(server);
    let lunch = cast.record("2025-01-10", "12.5", "Bank", "Food", "Lunch");
    let transfer = cast.record("2025-01-20", "50", "Bank", "Card", "Payment");
    let card = create(&cast, &statement("Card", "2025-01-31", "-50", &[&transfer]));
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-62.5", &[&lunch, &transfer]));
    let next = create(&cast, &statement("Bank", "2025-02-28", "-62.5", &[]));
    assert_eq!(checked(&cast, [&lunch, &transfer]), [true, true]);
    let deleted = cast.delete(&path(&bank)).ok();
    assert_eq!(deleted, bank);
    assert_eq!(checked(&cast, [&lunch, &transfer]), [false, false]);
    cast.get(&path(&bank)).refused(404, "notFound");
    assert_eq!(read(&cast, &next)["openingBalance"], "0.00");
    assert_eq!(read(&cast, &card)["transactionIds"], json!([transfer["id"]]));
    let again = create(&cast, &statement("Bank", "2025-01-31", "-62.5", &[&lunch, &transfer]));
    assert_eq!(again["difference"], "0.00");
    assert_eq!(checked(&cast, [&lunch, &transfer]), [true, true]);
}

/// 14.7: checks come first; an event has what the change put on and took off.
fn rule_14_7_events_have_the_change(server: &Server) {
    let cast = book(server);
    let [one, other] =
        ["One", "Other"].map(|text| cast.record("2025-01-10", "1", "Bank", "Food", text));
    let known = events(&cast).len();
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-1", &[&one]));
    update(
        &cast,
        &bank,
        json!({"closingBalance": "-2", "add": [other["id"]], "remove": [one["id"]]}),
    );
    cast.delete(&path(&bank)).ok();
    let new = new_events(&cast, known);
    assert_eq!(
        types(&new),
        [
            "TRANSACTION_CHECKED",
            "RECONCILIATION_CREATED",
            "TRANSACTION_CHECKED",
            "TRANSACTION_UNCHECKED",
            "RECONCILIATION_UPDATED",
            "TRANSACTION_UNCHECKED",
            "RECONCILIATION_DELETED",
        ]
    );
    let of_bank: Vec<&Value> = [1, 4, 6].into_iter().map(|at| &new[at]["data"]).collect();
    assert_eq!([1, 4, 6].map(|at| resources(&new)[at]), [id(&bank); 3]);
    shows(
        &of_bank[0]["object"],
        &json!({
            "id": bank["id"], "account": {"id": bank["account"]["id"], "name": "Bank"},
            "date": "2025-01-31", "closingBalance": "-1.00", "added": [one["id"]],
        }),
    );
    shows(
        &of_bank[1]["object"],
        &json!({"closingBalance": "-2.00", "added": [other["id"]], "removed": [one["id"]]}),
    );
    assert_eq!(of_bank[1]["previousAttributes"], json!({"closingBalance": "-1.00"}));
    assert_eq!(of_bank[2]["object"]["removed"], json!([other["id"]]));
    let about = cast.read(&format!("/events?resourceId={}", id(&bank)));
    assert_eq!(items(&about).len(), 3, "behaviour 8.5");
}

/// 14.8: the last change of each transaction since it was put on; putting it on again ends it.
fn rule_14_8_later_changes_are_reported(server: &Server) {
    let cast = book(server);
    let [edited, trashed, merged, quiet] = ["Edited", "Trashed", "Merged", "Quiet"]
        .map(|text| cast.record("2025-01-10", "10", "Bank", "Food", text));
    let transfer = cast.record("2025-01-20", "5", "Bank", "Card", "Payment");
    cast.put("/transactions", &json!({"id": edited["id"], "description": "Before"})).ok();
    let all = [&edited, &trashed, &merged, &quiet, &transfer];
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-45", &all));
    shows(&read(&cast, &bank), &json!({"difference": "0.00", "changes": []}));

    let by_bot = cast.editor.header("service-agent-id", "importer");
    let amount = json!({"items": [{"id": edited["id"], "amount": "11"}]});
    let batch = cast.path("/transactions/batch?updateChecked=true");
    by_bot.put(&batch, &amount).ok();
    let bin = json!({"items": [only_id(&trashed)]});
    cast.patch("/transactions/trash/batch?trashChecked=true", &bin).no_content();
    cast.patch("/transactions/uncheck", &only_id(&merged)).ok();
    let twin = cast.record("2025-01-10", "10", "Bank", "Food", "Twin");
    let pair = json!({"items": [only_id(&merged), only_id(&twin)]});
    cast.patch("/transactions/merge", &pair).ok();
    cast.put("/transactions", &json!({"id": transfer["id"], "description": "Card"})).ok();

    let reread = read(&cast, &bank);
    // -11 instead of -10, and without the trashed ones.
    shows(&reread, &json!({"movement": "-26.00", "difference": "-19.00", "transactionCount": 5}));
    let changes: Vec<(&Value, &Value)> = reread["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| (&change["transactionId"], &change["type"]))
        .collect();
    assert_eq!(
        changes,
        [
            (&edited["id"], &json!("TRANSACTION_UPDATED")),
            (&trashed["id"], &json!("TRANSACTION_DELETED")),
            (&merged["id"], &json!("TRANSACTION_DELETED")),
            (&transfer["id"], &json!("TRANSACTION_UPDATED")),
        ]
    );
    let change = &reread["changes"][0];
    let editor = cast.editor.get("/v5/user").ok();
    shows(change, &json!({"username": editor["username"], "agentId": "importer"}));
    let event = cast.read(&format!("/events/{}", change["eventId"].as_str().expect("an id")));
    shows(&event, &json!({"type": "TRANSACTION_UPDATED", "sequence": change["sequence"]}));

    let seen = json!({"add": [edited["id"]], "remove": [trashed["id"], merged["id"]]});
    update(&cast, &bank, seen);
    let left = json!({"items": read(&cast, &bank)["changes"]});
    assert_eq!(column(&left, "transactionId"), [id(&transfer)], "14.8: seen again");
}

/// 14.9: a list of one permanent account shows which rows are on one of its reconciliations.
fn rule_14_9_register_shows_reconciliations(server: &Server) {
    let cast = book(server);
    cast.record("2025-01-10", "1", "Bank", "Food", "Open");
    let transfer = cast.record("2025-01-20", "5", "Bank", "Card", "Payment");
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-5", &[&transfer]));
    let register = |query: &str| cast.read(&format!("/transactions?query={query}"));
    let listed = register("account:Bank");
    let sides = column_of(&listed, "creditAccount");
    assert_eq!(sides, [Some(id(&bank).to_owned()), None]);
    assert_eq!(column_of(&listed, "debitAccount"), [None, None], "only the account of the query");
    assert_eq!(column_of(&register("account:Card"), "debitAccount"), [None]);
    assert_eq!(column_of(&register("payment"), "creditAccount"), [None]);
    let recorder = cast.recorder.get(&cast.path("/transactions?query=account:Bank")).ok();
    assert_eq!(items(&recorder).len(), 0);
}

/// The `reconciliationId` of a side of each row.
fn column_of(list: &Value, side: &str) -> Vec<Option<String>> {
    let of = |row: &Value| row[side]["reconciliationId"].as_str().map(str::to_owned);
    items(list).iter().map(of).collect()
}

/// 14.10: what a reconciliation protects, and what copies leave out.
fn rule_14_10_account_file_and_copies(server: &Server) {
    let cast = book(server);
    let account = cast.account("Savings", "ASSET");
    let file = cast.post("/files", &json!({"name": "january.pdf", "content": "YQ=="})).ok();
    let mut body = statement("Savings", "2025-01-31", "0", &[]);
    body["fileId"] = file["id"].clone();
    let savings = create(&cast, &body);
    let message = cast.delete(&format!("/accounts/{}", id(&account))).refused(400, "badRequest");
    assert!(message.contains("has reconciliations"), "{message}");
    let file_path = format!("/files/{}", id(&file));
    let content = json!({"id": file["id"], "content": "Yg=="});
    for answer in [cast.delete(&file_path), cast.put("/files", &content)] {
        assert!(answer.refused(400, "badRequest").contains(id(&savings)));
    }
    cast.put("/files", &json!({"id": file["id"], "name": "renamed.pdf"})).ok();

    let lunch = cast.record("2025-01-10", "12.5", "Bank", "Food", "Lunch");
    create(&cast, &statement("Bank", "2025-01-31", "-12.5", &[&lunch]));
    let copy = cast.post("/copy?name=Copy&copyTransactions=true", &Value::Null).ok();
    let of_copy = |rest: &str| cast.owner.get(&format!("/v5/books/{}{rest}", id(&copy))).ok();
    assert_eq!(of_copy("/reconciliations"), json!({"items": []}));
    assert_eq!(of_copy("/transactions?query=lunch")["items"][0]["checked"], true);

    cast.delete(&path(&savings)).ok();
    cast.delete(&format!("/accounts/{}", id(&account))).ok();
    cast.delete(&file_path).ok();
}

/// 14.5: a long statement, in several updates, up to the limit.
fn rule_14_5_thousands_of_transactions(server: &Server) {
    let cast = book(server);
    let record = |count: usize| {
        let item = |_| {
            json!({
                "date": "2025-01-10", "amount": "0.01",
                "creditAccount": {"name": "Bank"}, "debitAccount": {"name": "Food"},
            })
        };
        let body = json!({"items": (0..count).map(item).collect::<Vec<_>>()});
        ids(&cast.post("/transactions/batch", &body).ok())
    };
    let [first, second] = [record(6_000), record(4_001)];
    let bank = create(&cast, &statement("Bank", "2025-01-31", "-100", &[]));
    let filled = update(&cast, &bank, json!({"add": first}));
    shows(&filled, &json!({"transactionCount": 6_000, "movement": "-60.00"}));
    let message = cast.put(&path(&bank), &json!({"add": second})).refused(400, "badRequest");
    assert!(message.contains("at most 10000"), "{message}");
    let full = update(&cast, &bank, json!({"add": second[1..]}));
    shows(&full, &json!({"transactionCount": 10_000, "difference": "0.00"}));
    let listed = read(&cast, &bank)["transactionIds"].as_array().map(Vec::len);
    assert_eq!(listed, Some(10_000));
    assert_eq!(cast.read("/transactions/count?query=is:checked")["total"], 10_000);
    cast.delete(&path(&bank)).ok();
    assert_eq!(cast.read("/transactions/count?query=is:checked")["total"], 0);
}
