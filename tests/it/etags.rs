//! Optimistic concurrency (0.17): ETags of resources and conditional writes. Each operation that
//! takes If-Match refuses a stale tag with 412 and changes nothing.

use std::collections::HashSet;
use std::thread;

use daybook_tests::{Answer, CASH_AND_FOOD, Cast, Client, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::targets::Targets;
use daybook_tests::openapi::contract::{Operation, operations};

/// Adds a case for each write of the contract that takes If-Match.
pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        each_change_has_a_new_tag,
        unchanged_resource_keeps_its_tag,
        change_of_derived_values_keeps_the_tag,
        membership_changes_the_tag_of_the_account,
        state_changes_of_transactions_change_the_tag,
        all_forms_of_if_match_are_accepted,
        condition_without_a_target_is_refused,
        condition_is_checked_after_permission_and_before_values,
        one_of_two_concurrent_updates_succeeds,
        replay_returns_the_first_tag,
        reads_ignore_conditions,
        masked_transactions_have_no_tag,
        other_writes_refuse_a_condition,
    ];
    for operation in writes().filter(|operation| operation.takes("If-Match")) {
        cases.push(Case::shared(format!("{}_expects_a_version", operation.id), move |server| {
            check_condition(server, operation)
        }));
    }
    cases
}

fn writes() -> impl Iterator<Item = Operation> {
    operations().into_iter().filter(Operation::writes)
}

/// Returns the strong tag of a response.
#[track_caller]
fn tag(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let Some(tag) = answer.headers.get("etag") else { panic!("no ETag: {:?}", answer.headers) };
    let inner = tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_opaque = |inner: &str| inner.bytes().all(|b| b.is_ascii_graphic() && b != b'"');
    let is_strong = inner.is_some_and(|inner| !inner.is_empty() && is_opaque(inner));
    assert!(is_strong, "a strong tag: {tag}");
    tag.clone()
}

fn with_condition(client: &Client, tag: &str) -> Client {
    client.header("If-Match", tag)
}

/// Checks an operation with a stale tag, the current one and `*`, and compares its tag with that of
/// GET.
fn check_condition(server: &Server, operation: Operation) {
    let targets = Targets::of(server, operation);
    let owner = &targets.cast.owner;
    let seen = tag(&targets.read(operation));
    let before = targets.snapshot();
    for stale in ["\"account.1.1\"", "\"\"", &format!("W/{seen}"), &seen.to_uppercase()] {
        let answer = targets.call(&with_condition(owner, stale), operation, "Changed");
        let faults = operation.faults(answer.status, &answer.text);
        assert!(faults.is_empty(), "{faults:?}");
        answer.refused(412, "conditionNotMet");
    }
    targets.call(&with_condition(owner, "stale"), operation, "Changed").refused(400, "badRequest");
    assert_eq!(targets.snapshot(), before, "{}: 412 and 400 change nothing", operation.id);

    let changed =
        tag(&targets.call(&with_condition(owner, &format!("\"x\", {seen}")), operation, "Changed"));
    if operation.method == "DELETE" {
        assert_eq!(changed, seen, "the deleted resource as it was");
        targets.call(&with_condition(owner, &seen), operation, "Changed").refused(404, "notFound");
        targets.call(&with_condition(owner, "*"), operation, "Changed").refused(404, "notFound");
        return;
    }
    assert_eq!(tag(&targets.read(operation)), changed, "{}: GET gives the same tag", operation.id);
    let owner = targets.next_caller(operation);
    if targets.snapshot() != before {
        assert_ne!(changed, seen, "a change is a new version");
        targets
            .call(&with_condition(owner, &seen), operation, "Again")
            .refused(412, "conditionNotMet");
    }
    // The new tag is accepted. Repeating the operation may change nothing.
    let again = targets.call(&with_condition(owner, &changed), operation, "Again");
    let newest = tag(&again);
    // The same once more changes nothing.
    assert_eq!(tag(&targets.call(&with_condition(owner, "*"), operation, "Again")), newest);
}

/// Writes whose operation has no parameter `If-Match` refuse a condition.
fn other_writes_refuse_a_condition(server: &Server) {
    let targets = Targets::new(server);
    let before = targets.snapshot();
    for operation in writes().filter(|operation| !operation.takes("If-Match")) {
        let is_administration = operation.path.starts_with("/v5/administration/");
        let owner = &targets.cast.owner;
        let caller = if is_administration { targets.caller(operation) } else { owner };
        for condition in ["*", "\"x\"", "nonsense"] {
            let answer = targets.call(&with_condition(caller, condition), operation, "Changed");
            assert_eq!(answer.status, 400, "{}: {}", operation.id, answer.text);
            let message = answer.refused(400, "badRequest");
            assert!(message.contains("If-Match"), "{}: {message}", operation.id);
        }
        targets
            .call(&with_condition(&targets.cast.anonymous, "*"), operation, "Changed")
            .refused(401, "required");
    }
    assert_eq!(targets.snapshot(), before, "a refused condition changes nothing");
}

fn each_change_has_a_new_tag(server: &Server) {
    let cast = Cast::new(server);
    let mut seen = HashSet::new();
    let mut add = |answer: Answer| {
        assert!(seen.insert(tag(&answer)), "a tag came twice: {:?}", answer.headers)
    };
    let owner = &cast.owner;
    let account = owner.post(&cast.path("/accounts"), &json!({"name": "Cash", "type": "ASSET"}));
    let account_id = id(&account.body).to_owned();
    add(account);
    let group = owner.post(&cast.path("/groups"), &json!({"name": "Assets"}));
    let group_id = id(&group.body).to_owned();
    add(group);
    let draft = owner.post(&cast.path("/transactions"), &json!({"description": "Lunch"}));
    let draft_id = id(&draft.body["transaction"]).to_owned();
    add(draft);
    let book = owner.post("/v5/books", &json!({"name": "Other"}));
    let book_id = id(&book.body).to_owned();
    add(book);
    for number in 0..3 {
        let name = format!("Name {number}");
        add(owner.put(&cast.path("/accounts"), &json!({"id": account_id, "name": name})));
        add(owner.put(&cast.path("/groups"), &json!({"id": group_id, "name": name})));
        add(owner.put(&cast.path("/transactions"), &json!({"id": draft_id, "description": name})));
        add(owner.put(&format!("/v5/books/{book_id}"), &json!({"name": name})));
    }
    // Changing a value back is also a new version.
    for locked in [true, false, true] {
        add(owner.put(&cast.path("/groups"), &json!({"id": group_id, "locked": locked})));
    }
    // A new resource under the old name has another tag.
    owner.delete(&cast.path(&format!("/accounts/{account_id}"))).ok();
    add(owner.post(&cast.path("/accounts"), &json!({"name": "Cash", "type": "ASSET"})));
}

/// Checks whether an action keeps the tag of a path.
#[track_caller]
fn check_tag(cast: &Cast, path: &str, kept: bool, action: impl FnOnce()) {
    let before = tag(&cast.owner.get(path));
    action();
    assert_eq!(tag(&cast.owner.get(path)) == before, kept, "{path}");
}

fn unchanged_resource_keeps_its_tag(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let group = cast.group("Assets");
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let table = [
        ("", cast.path("")),
        ("/accounts", cast.path(&format!("/accounts/{}", id(&account)))),
        ("/groups", cast.path(&format!("/groups/{}", id(&group)))),
        ("/transactions", cast.path(&format!("/transactions/{}", id(&transaction)))),
    ];
    for (collection, path) in table {
        // Send the whole resource back.
        check_tag(&cast, &path, true, || {
            drop(cast.put(collection, &cast.owner.get(&path).ok()).ok())
        });
        // A refused change.
        check_tag(&cast, &path, true, || {
            let mut body = cast.owner.get(&path).ok();
            body["properties"] = json!({"k".repeat(31): "too long a key"});
            cast.put(collection, &body).refused(400, "badRequest");
        });
    }
    assert_eq!(
        tag(&cast.get("/accounts/cash")),
        tag(&cast.get(&format!("/accounts/{}", id(&account))))
    );
    let posted = json!({"id": id(&transaction)});
    check_tag(&cast, &cast.path(&format!("/transactions/{}", id(&transaction))), true, || {
        drop(cast.patch("/transactions/post", &posted).ok());
    });
    // The tag is the same for each reader and with embedded resources.
    let whole = tag(&cast.get("?loadAccounts=true"));
    assert_eq!(tag(&cast.viewer.get(&cast.path(""))), whole);
}

/// Totals, lastUpdateMs, hasTransactionPosted and the flags of groups are derived.
fn change_of_derived_values_keeps_the_tag(server: &Server) {
    let cast = Cast::new(server);
    let parent = cast.group("All");
    let group = cast.group_under("Assets", "All");
    let account = cast.account_in("Cash", "ASSET", &["Assets"]);
    cast.account("Food", "OUTGOING");
    let other = cast.record("2025-01-01", "1", "Food", "Cash", "Other");
    let account = cast.path(&format!("/accounts/{}", id(&account)));
    let groups = [&parent, &group].map(|group| cast.path(&format!("/groups/{}", id(group))));
    let others = cast.path(&format!("/transactions/{}", id(&other)));
    let record = || drop(cast.record("2025-01-31", "5", "Cash", "Food", "Lunch"));
    let paths: Vec<&String> = [&account, &others].into_iter().chain(&groups).collect();
    for path in paths {
        check_tag(&cast, path, true, record);
    }
    check_tag(&cast, &cast.path(""), true, record);
    let fresh = cast.account("Bank", "ASSET");
    let fresh = cast.path(&format!("/accounts/{}", id(&fresh)));
    check_tag(&cast, &fresh, true, || {
        drop(cast.record("2025-01-31", "5", "Bank", "Food", "First"))
    });
    // Its answer has changed, its version has not.
    assert_eq!(cast.owner.get(&fresh).ok()["hasTransactionPosted"], true);
    // The group and its parent become mixed.
    for path in &groups {
        check_tag(&cast, path, true, || {
            drop(cast.account_in(&daybook_tests::unique("Debt"), "LIABILITY", &["Assets"]))
        });
    }
    assert_eq!(cast.owner.get(&groups[0]).ok()["mixed"], true);
    check_tag(&cast, &groups[0], true, || {
        drop(cast.put("/groups", &json!({"id": id(&group), "hidden": true})).ok())
    });
    check_tag(&cast, &cast.path(""), true, || drop(cast.share("new@example.com", "VIEWER")));
    // A transaction shows the name of its account, which is not part of it.
    let cash = cast.owner.get(&account).ok();
    check_tag(&cast, &others, true, || {
        drop(cast.put("/accounts", &json!({"id": cash["id"], "name": "Wallet"})).ok())
    });
}

fn membership_changes_the_tag_of_the_account(server: &Server) {
    let cast = Cast::new(server);
    let group = cast.group("Assets");
    let child = cast.group_under("Liquid", "Assets");
    let account = cast.account("Cash", "ASSET");
    let account_path = cast.path(&format!("/accounts/{}", id(&account)));
    let child_path = cast.path(&format!("/groups/{}", id(&child)));
    let join = |groups: Value| {
        drop(cast.put("/accounts", &json!({"id": account["id"], "groups": groups})).ok())
    };
    check_tag(&cast, &account_path, false, || join(json!([{"name": "Assets"}])));
    check_tag(&cast, &account_path, true, || join(json!([{"id": group["id"]}])));
    check_tag(&cast, &child_path, true, || join(json!([{"name": "Liquid"}])));
    join(json!([{"name": "Assets"}]));
    // Deleting the group changes its account and its child group.
    let before = [tag(&cast.owner.get(&account_path)), tag(&cast.owner.get(&child_path))];
    cast.delete(&format!("/groups/{}", id(&group))).ok();
    let after = [tag(&cast.owner.get(&account_path)), tag(&cast.owner.get(&child_path))];
    assert!(before[0] != after[0] && before[1] != after[1], "{before:?} {after:?}");
}

/// Single operations, batches, and a draft that loses an account.
fn state_changes_of_transactions_change_the_tag(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let spare = cast.account("Spare", "ASSET");
    let body = json!({
        "date": "2025-01-31", "amount": "5", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"}, "draft": true,
    });
    let transaction = cast.post("/transactions", &body).ok()["transaction"].clone();
    let path = cast.path(&format!("/transactions/{}", id(&transaction)));
    let mut last = tag(&cast.owner.get(&path));
    for batch in [false, true] {
        for verb in ["post", "check", "uncheck", "trash", "untrash"] {
            let rest = format!("/transactions/{verb}{}", if batch { "/batch" } else { "" });
            let body = if batch {
                json!({"items": [{"id": transaction["id"]}]})
            } else {
                json!({"id": transaction["id"]})
            };
            let answer = cast.patch(&rest, &body);
            let now = tag(&cast.owner.get(&path));
            // The batch posts an already posted transaction.
            assert_eq!(now != last, (batch, verb) != (true, "post"), "{rest}");
            if !batch {
                assert_eq!(tag(&answer), now, "{rest}");
            }
            last = now;
        }
    }
    let draft = cast.post("/transactions", &json!({"creditAccount": {"name": "Spare"}})).ok();
    let path = cast.path(&format!("/transactions/{}", id(&draft["transaction"])));
    check_tag(&cast, &path, false, || drop(cast.delete(&format!("/accounts/{}", id(&spare))).ok()));
}

fn all_forms_of_if_match_are_accepted(server: &Server) {
    let cast = Cast::new(server);
    let group = cast.group("Assets");
    let path = cast.path("/groups");
    let now = || tag(&cast.get(&format!("/groups/{}", id(&group))));
    let rename =
        |client: Client, name: &str| client.put(&path, &json!({"id": group["id"], "name": name}));
    let forms: [&dyn Fn(&str) -> String; 5] = [
        &str::to_owned,
        &|tag| format!("\"a\",\"b\" , {tag}"),
        &|tag| format!(",{tag},"),
        &|tag| format!("W/\"a\",{tag}"),
        &|_| "*".to_owned(),
    ];
    for (number, form) in forms.into_iter().enumerate() {
        rename(with_condition(&cast.owner, &form(&now())), &format!("Form {number}")).ok();
    }
    // Several headers form one list.
    rename(with_condition(&with_condition(&cast.owner, "\"a\""), &now()), "Two headers").ok();
    let current = now();
    for wrong in
        ["", "nothing", current.trim_matches('"'), "\"a", "\"a\" \"b\"", "*, \"a\"", "w/\"a\""]
    {
        rename(with_condition(&cast.owner, wrong), "Refused").refused(400, "badRequest");
    }
    rename(cast.owner.clone(), "Without one the last write wins").ok();
    rename(with_condition(&cast.owner, &current), "Stale").refused(412, "conditionNotMet");
    // The tag of another resource never matches.
    let other = cast.owner.post(&path, &json!({"name": "Other"}));
    rename(with_condition(&cast.owner, &tag(&other)), "Foreign").refused(412, "conditionNotMet");
}

fn condition_without_a_target_is_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let body = json!({
        "date": "2025-01-31", "amount": "5", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
    });
    let post = |client: &Client| client.patch(&cast.path("/transactions/post"), &body);
    post(&with_condition(&cast.owner, "*")).refused(400, "badRequest");
    tag(&post(&cast.owner));
    // Without an id there is no target.
    for rest in ["/transactions", "/accounts", "/groups"] {
        with_condition(&cast.owner, "*")
            .put(&cast.path(rest), &json!({"description": "x"}))
            .refused(400, "badRequest");
    }
    with_condition(&cast.owner, "*")
        .put("/v5/books", &json!({"name": "x"}))
        .refused(400, "badRequest");
}

/// The order is authentication, visibility, permission, existence, condition, values.
fn condition_is_checked_after_permission_and_before_values(server: &Server) {
    let cast = Cast::new(server);
    let locked = cast.post("/groups", &json!({"name": "Locked", "locked": true})).ok();
    let inside = cast.account_in("Inside", "ASSET", &["Locked"]);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    cast.patch("/transactions/check", &json!({"id": transaction["id"]})).ok();
    let stale = "\"stale\"";
    let put = |client: &Client, rest: &str, body: &Value| {
        with_condition(client, stale).put(&cast.path(rest), body)
    };
    let blank_name = json!({"id": inside["id"], "name": " "});
    put(&cast.anonymous, "/accounts", &blank_name).refused(401, "required");
    put(&cast.stranger, "/accounts", &blank_name).refused(404, "notFound");
    put(&cast.viewer, "/accounts", &blank_name).refused(403, "forbidden");
    put(&cast.owner, "/accounts", &json!({"id": "1234567890", "name": " "}))
        .refused(404, "notFound");
    put(&cast.owner, "/accounts", &blank_name).refused(412, "conditionNotMet");
    // Permissions that depend on the change come before the condition too.
    put(&cast.editor, "/accounts", &json!({"id": inside["id"], "name": "Renamed"}))
        .refused(403, "forbidden");
    put(&cast.editor, "/groups", &json!({"id": locked["id"], "name": "Renamed"}))
        .refused(403, "forbidden");
    put(&cast.editor, "", &json!({"visibility": "PUBLIC"})).refused(403, "forbidden");
    put(&cast.recorder, "/transactions", &json!({"id": transaction["id"]}))
        .refused(404, "notFound");
    put(&cast.owner, "", &json!({"fractionDigits": 99})).refused(412, "conditionNotMet");
    put(&cast.owner, "/groups", &json!({"id": locked["id"], "parent": {"name": "Nowhere"}}))
        .refused(412, "conditionNotMet");
    // A stale tag is reported before the checked state.
    put(&cast.owner, "/transactions", &json!({"id": transaction["id"], "description": "x"}))
        .refused(412, "conditionNotMet");
    let delete = |id: &Value| {
        with_condition(&cast.owner, stale)
            .delete(&cast.path(&format!("/accounts/{}", id.as_str().expect("an id"))))
    };
    let cash = cast.read("/accounts/cash");
    delete(&cash["id"]).refused(412, "conditionNotMet");
    delete(&json!("1234567890")).refused(404, "notFound");
    // An unreadable body names no resource.
    with_condition(&cast.owner, stale)
        .send_raw("PUT", &cast.path("/accounts"), Some("application/json"), b"{")
        .refused(400, "parseError");
}

/// Two concurrent updates with the same tag.
fn one_of_two_concurrent_updates_succeeds(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    let group = cast.group("Assets");
    let draft =
        cast.post("/transactions", &json!({"description": "Draft"})).ok()["transaction"].clone();
    let kinds = [
        ("/accounts", &account["id"], "name"),
        ("/groups", &group["id"], "name"),
        ("/transactions", &draft["id"], "description"),
    ];
    for round in 0..8 {
        for (rest, resource, field) in kinds {
            let path = cast.path(&format!("{rest}/{}", resource.as_str().expect("an id")));
            let seen = tag(&cast.owner.get(&path));
            let change = |client: &Client, word: String| {
                with_condition(client, &seen)
                    .put(&cast.path(rest), &json!({"id": resource, field: word}))
            };
            let answers: Vec<Answer> = thread::scope(|scope| {
                let owner = scope.spawn(|| change(&cast.owner, format!("{rest} owner {round}")));
                let editor = scope.spawn(|| change(&cast.editor, format!("{rest} editor {round}")));
                [owner, editor]
                    .into_iter()
                    .map(|caller| caller.join().expect("an answer"))
                    .collect()
            });
            let (won, lost): (Vec<Answer>, Vec<Answer>) =
                answers.into_iter().partition(|answer| answer.status == 200);
            assert_eq!((won.len(), lost.len()), (1, 1), "{rest}: one wins");
            assert_eq!(tag(&won[0]), tag(&cast.owner.get(&path)));
            for answer in lost {
                answer.refused(412, "conditionNotMet");
            }
        }
    }
}

/// The idempotency key is checked before the condition.
fn replay_returns_the_first_tag(server: &Server) {
    let cast = Cast::new(server);
    let group = cast.group("Assets");
    let seen = tag(&cast.get(&format!("/groups/{}", id(&group))));
    let owner = with_condition(&cast.owner, &seen).header("Idempotency-Key", "rename");
    let rename =
        || owner.put(&cast.path("/groups"), &json!({"id": group["id"], "name": "Renamed"}));
    let (first, again) = (rename(), rename());
    assert_eq!(again.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
    assert_eq!(tag(&first), tag(&again));
    assert_ne!(tag(&first), seen);
}

fn reads_ignore_conditions(server: &Server) {
    let cast = Cast::new(server);
    let client = with_condition(&cast.owner, "\"stale\"");
    for rest in ["", "/accounts", "/transactions", "/balances?query=on:2025"] {
        client.get(&cast.path(rest)).ok();
    }
    for rest in ["/accounts", "/groups", "/transactions", "/collaborators", "/events"] {
        let answer = cast.get(rest);
        assert!(!answer.headers.contains_key("etag"), "a list has no version: {rest}");
    }
}

/// 3.7.2.
fn masked_transactions_have_no_tag(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({"description": "Secret", "remoteIds": ["r"]});
    tag(&cast.post("/transactions", &body));
    let answer = cast.recorder.post(&cast.path("/transactions"), &body);
    assert_eq!(answer.headers.get("etag"), None, "{}", answer.text);
    assert_eq!(answer.ok()["transaction"]["description"], Value::Null);
}
