//! Comments on transactions (3.14): who writes, reads and deletes them, their number in lists,
//! `has:comment`, their events, merges, and that nothing about them is public.

use std::time::Duration;

use daybook_tests::receiver::Receiver;
use daybook_tests::{
    Answer, CASH_AND_FOOD, Cast, Client, EventStream, RawSql, Server, column, id, shows, unique,
};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::reading::{
    absent, batch, events, find, items, new_events, resources, search, transaction, types,
};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_3_14_1_every_collaborator_comments_in_every_state,
        rule_3_14_1_recorder_comments_on_what_it_sees,
        rule_3_14_2_nothing_is_public,
        rule_3_14_2_apps_of_public_readers_get_nothing,
        rule_3_14_2_replay_needs_a_collaborator,
        rule_3_14_3_invalid_texts_are_refused,
        rule_3_14_4_has_comment_finds_transactions,
        rule_3_14_5_authors_and_the_owner_delete_comments,
        rule_3_14_6_merged_transaction_has_the_comments_of_both,
        rule_3_14_7_copy_has_no_comments,
        rule_8_1_events,
        rule_6_25_forged_text_is_found,
    ]
}

fn path(cast: &Cast, transaction: &Value) -> String {
    cast.path(&format!("/transactions/{}/comments", id(transaction)))
}

/// Calls createComment.
fn comment(caller: &Client, cast: &Cast, transaction: &Value, text: &str) -> Answer {
    caller.post(&path(cast, transaction), &json!({"text": text}))
}

#[track_caller]
fn list(reader: &Client, cast: &Cast, transaction: &Value) -> Vec<Value> {
    items(&reader.get(&path(cast, transaction)).ok()).clone()
}

#[track_caller]
fn lunch(cast: &Cast) -> Value {
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch")
}

fn verb(cast: &Cast, verb: &str, transaction: &Value) {
    cast.patch(&format!("/transactions/{verb}"), &json!({"id": transaction["id"]})).ok();
}

/// All but the RECORDER, who does not see the transactions of the owner.
fn readers(cast: &Cast) -> [&Client; 4] {
    [&cast.owner, &cast.editor, &cast.poster, &cast.viewer]
}

fn rule_3_14_1_every_collaborator_comments_in_every_state(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let [unchecked, checked, trashed] = [(); 3].map(|()| lunch(&cast));
    let draft = cast.create(&json!({"description": "Draft"}));
    let locked = cast.record("2020-01-31", "5", "Cash", "Food", "Long ago");
    verb(&cast, "check", &checked);
    verb(&cast, "trash", &trashed);
    cast.put("", &json!({"lockDate": "2020-12-31", "closingDate": "2020-12-31"})).ok();
    for of in [&unchecked, &checked, &trashed, &draft, &locked] {
        let read = || cast.get(&format!("/transactions/{}", id(of)));
        let (tag, before) = (read().headers["etag"].clone(), read().ok());
        assert!(absent(&before, "commentCount"), "3.14.4: absent without comments: {before}");
        for (at, writer) in readers(&cast).into_iter().enumerate() {
            let written = comment(writer, &cast, of, &format!(" Note {at}\nby me\t")).ok();
            let name = writer.get("/v5/user").ok()["username"].clone();
            shows(
                &written,
                &json!({
                    "transactionId": of["id"],
                    "text": format!("Note {at}\nby me"),
                    "user": {"username": name, "name": name, "avatarUrl": ""},
                    "agent": {"id": "api"},
                }),
            );
            assert_eq!(list(writer, &cast, of).last(), Some(&written), "3.14.3: oldest first");
        }
        let all = list(&cast.owner, &cast, of);
        assert_eq!(all.len(), 4);
        for reader in readers(&cast) {
            assert_eq!(list(reader, &cast, of), all);
        }
        comment(&cast.recorder, &cast, of, "Me too").refused(404, "notFound");
        cast.recorder.get(&path(&cast, of)).refused(404, "notFound");
        assert_eq!(read().headers["etag"], tag, "3.14.1: the transaction keeps its version");
        let mut expected = before;
        expected["commentCount"] = json!(4);
        assert_eq!(read().ok(), expected, "3.14.1: comments change nothing else");
    }
    let rows = items(&find(&cast, "is:trashed OR is:posted OR is:draft")).clone();
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row["commentCount"] == 4), "3.14.4: in lists: {rows:?}");
    let by_app = cast.poster.header("service-agent-id", "importer");
    let written = comment(&by_app, &cast, &unchecked, "By an app").ok();
    assert_eq!(written["agent"], json!({"id": "importer"}));
    comment(&cast.stranger, &cast, &unchecked, "Hello").refused(404, "notFound");
    cast.stranger.get(&path(&cast, &unchecked)).refused(404, "notFound");
    assert_eq!(comment(&cast.anonymous, &cast, &unchecked, "Hello").status, 401);
}

fn rule_3_14_1_recorder_comments_on_what_it_sees(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let body = json!({"date": "2025-01-31", "amount": "5", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"}});
    let own = cast.recorder.post(&cast.path("/transactions"), &body).ok()["transaction"].clone();
    let written = comment(&cast.recorder, &cast, &own, "Mine").ok();
    comment(&cast.poster, &cast, &own, "Thanks").ok();
    assert_eq!(list(&cast.recorder, &cast, &own).len(), 2);
    let found = search(&cast.recorder, &cast, "has:comment").ok();
    assert_eq!(items(&found)[0]["commentCount"], 2);
    verb(&cast, "post", &own);
    cast.recorder.get(&path(&cast, &own)).refused(404, "notFound");
    let one = format!("{}/{}", path(&cast, &own), id(&written));
    cast.recorder.delete(&one).refused(404, "notFound");
    assert_eq!(list(&cast.poster, &cast, &own).len(), 2);
    // In a PUBLIC book it reads everything, and is a collaborator.
    cast.put("", &json!({"visibility": "PUBLIC"})).ok();
    comment(&cast.recorder, &cast, &own, "Posted").ok();
    cast.recorder.delete(&one).ok();
    assert_eq!(column(&cast.recorder.get(&path(&cast, &own)).ok(), "text"), ["Thanks", "Posted"]);
}

fn rule_3_14_2_nothing_is_public(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    for (name, kind) in CASH_AND_FOOD {
        cast.account(name, kind);
    }
    let (discussed, other) = (lunch(&cast), lunch(&cast));
    let start = events(&cast).len();
    let written = comment(&cast.viewer, &cast, &discussed, "A secret").ok();
    let deleted = comment(&cast.owner, &cast, &discussed, "Another secret").ok();
    cast.owner.delete(&format!("{}/{}", path(&cast, &discussed), id(&deleted))).ok();
    cast.account("Bank", "ASSET");
    let new = new_events(&cast, start);
    let secret = ["COMMENT_CREATED", "COMMENT_CREATED", "COMMENT_DELETED"];
    assert_eq!(types(&new)[..3], secret);

    let reader = &cast.stranger;
    reader.get(&path(&cast, &discussed)).refused(403, "forbidden");
    comment(reader, &cast, &discussed, "Hello").refused(403, "forbidden");
    let one = format!("{}/{}", path(&cast, &discussed), id(&written));
    reader.delete(&one).refused(403, "forbidden");
    let get = |rest: &str| reader.get(&cast.path(rest)).ok();
    let load = batch([json!({"id": discussed["id"]})]);
    for shown in [
        get(&format!("/transactions/{}", id(&discussed))),
        get("/transactions"),
        get(&format!("/transactions?ids={}", id(&discussed))),
        reader.post(&cast.path("/transactions/load/batch"), &load).ok(),
    ] {
        assert!(!shown.to_string().contains("commentCount"), "{shown}");
    }
    let found = |query: &str| {
        let ids = column(&search(reader, &cast, query).ok(), "id");
        let count = get(&format!("/transactions/count?query={}", daybook_tests::encode(query)));
        assert_eq!(count["total"], ids.len(), "{query}");
        ids
    };
    let all = [id(&other), id(&discussed)];
    assert_eq!(found("has:comment"), [""; 0]);
    assert_eq!(found("has:comment account:Cash"), [""; 0]);
    assert_eq!(found("-has:comment"), all);
    assert_eq!(found("has:comment OR account:Cash"), all);

    let seen = get("/events?limit=200");
    assert!(!seen.to_string().contains("COMMENT") && !seen.to_string().contains("secret"));
    assert_eq!(items(&seen)[0]["id"], new[3]["id"], "an event after them is there");
    for event in &new[..3] {
        reader.get(&cast.path(&format!("/events/{}", id(event)))).refused(404, "notFound");
        cast.viewer.get(&cast.path(&format!("/events/{}", id(event)))).ok();
        let kind = event["type"].as_str().expect("a type");
        let about = event["resource"].as_str().expect("an id");
        for query in [format!("type={kind}"), format!("resourceId={about}")] {
            assert_eq!(get(&format!("/events?{query}"))["items"], json!([]), "{query}");
            let listed = cast.viewer.get(&cast.path(&format!("/events?{query}"))).ok();
            assert!(!items(&listed).is_empty(), "{query}");
        }
    }
    let last = new[0]["sequence"].as_i64().expect("a number") - 1;
    let token = reader.token().expect("a token");
    let mut stream =
        EventStream::open(server.address(), token, &cast.path("/events/stream"), Some(last))
            .expect("a stream");
    let first = stream.event_within(Duration::from_secs(30)).expect("an event");
    assert_eq!(first.data["id"], new[3]["id"], "8.23: the stream leaves them out");
}

/// The user who installed the app reads the book only because it is PUBLIC.
fn rule_3_14_2_apps_of_public_readers_get_nothing(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receiver = Receiver::start();
    let app = json!({
        "id": unique("bot"), "name": "Bot", "webhookUrl": receiver.url(), "users": "*@example.com",
        "events": ["COMMENT_CREATED", "COMMENT_DELETED", "TRANSACTION_POSTED"],
    });
    let app = cast.owner.post("/v5/apps", &app).ok();
    cast.editor.post(&cast.path("/integrations"), &json!({"agentId": app["id"]})).ok();
    let discussed = lunch(&cast);
    let first = comment(&cast.owner, &cast, &discussed, "For collaborators").ok();
    let received = receiver.wait_for(2);
    assert_eq!(received[1].body["type"], "COMMENT_CREATED");
    assert_eq!(received[1].body["data"]["object"], first, "8.2: as a read shows it");
    cast.put("", &json!({"visibility": "PUBLIC"})).ok();
    cast.delete(&format!("/collaborators/{}", cast.editor.email())).ok();
    let second = comment(&cast.owner, &cast, &discussed, "A secret").ok();
    cast.owner.delete(&format!("{}/{}", path(&cast, &discussed), id(&second))).ok();
    let last = lunch(&cast);
    let received = receiver.wait_for(3);
    assert_eq!(received[2].body["resource"], last["id"], "3.14.2: the comments are not delivered");
    let bot = server.client_with_token(received[2].header("service-oauth-token"));
    assert_eq!(bot.get(&path(&cast, &discussed)).status, 401, "8.22: its token has ended");
    cast.editor.get(&path(&cast, &discussed)).refused(403, "forbidden");
}

/// 0.27: a recorded response is not returned to a caller who is no longer a collaborator.
fn rule_3_14_2_replay_needs_a_collaborator(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    let draft = cast.create(&json!({"description": "Draft"}));
    let keyed = cast.viewer.header("Idempotency-Key", &unique("key"));
    let written = comment(&keyed, &cast, &draft, "Once").ok();
    assert_eq!(comment(&keyed, &cast, &draft, "Once").ok(), written);
    cast.delete(&format!("/collaborators/{}", cast.viewer.email())).ok();
    comment(&keyed, &cast, &draft, "Once").refused(403, "forbidden");
    assert_eq!(list(&cast.owner, &cast, &draft), [written]);
}

fn rule_3_14_3_invalid_texts_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let draft = cast.create(&json!({"description": "Draft"}));
    let known = events(&cast).len();
    for body in [json!({}), json!({"text": null}), json!({"text": " \n"})] {
        cast.owner.post(&path(&cast, &draft), &body).refused(400, "badRequest");
    }
    cast.owner.post(&path(&cast, &draft), &json!({"text": 3})).refused(400, "invalid");
    comment(&cast.owner, &cast, &draft, &"é".repeat(2_001)).refused(400, "badRequest");
    assert_eq!((list(&cast.owner, &cast, &draft), events(&cast).len()), (vec![], known));
    let longest = "é".repeat(2_000);
    assert_eq!(comment(&cast.owner, &cast, &draft, &longest).ok()["text"], longest);
    let number = u64::from_str_radix(id(&draft), 16).expect("a number");
    let set = |count| {
        RawSql::open(server).execute(&format!(
            "UPDATE transactions SET comment_count = {count} WHERE id = {number}"
        ))
    };
    assert_eq!(set(1_000), 1);
    let message = comment(&cast.owner, &cast, &draft, "More").refused(400, "badRequest");
    assert!(message.contains("1000"), "3.14.3: the limit: {message}");
    let found = audit(&cast)["data"]["audit"].clone();
    assert_eq!(found["findingsCount"], 1, "6.7: the wrong number is found: {found}");
    shows(&found["findings"][0], &json!({"kind": "index", "resource": draft["id"]}));
    set(1);
    assert_eq!(audit(&cast)["data"]["audit"]["findingsCount"], 0);
}

fn rule_3_14_4_has_comment_finds_transactions(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let (discussed, other) = (lunch(&cast), lunch(&cast));
    let found = |query: &str| column(&find(&cast, query), "id");
    assert_eq!(found("has:comment"), [""; 0]);
    let comments: Vec<Value> = ["One", "Two"]
        .iter()
        .map(|text| comment(&cast.viewer, &cast, &discussed, text).ok())
        .collect();
    for query in ["has:comment", "HAS:Comment account:Cash", "has:comment OR #nothing"] {
        assert_eq!(found(query), [id(&discussed)], "{query}");
    }
    assert_eq!(found("-has:comment"), [id(&other)]);
    // The index follows the transaction to another day and into the trash.
    let moved = json!({"id": discussed["id"], "date": "2024-02-01", "description": "Dinner"});
    cast.put("/transactions", &moved).ok();
    assert_eq!(found("has:comment on:2024"), [id(&discussed)]);
    assert_eq!(transaction(&cast, id(&discussed))["commentCount"], 2);
    verb(&cast, "trash", &discussed);
    assert_eq!(found("has:comment"), [""; 0]);
    assert_eq!(found("has:comment is:trashed"), [id(&discussed)]);
    verb(&cast, "untrash", &discussed);
    for (comment, left) in comments.iter().zip([1, 0]) {
        cast.owner.delete(&format!("{}/{}", path(&cast, &discussed), id(comment))).ok();
        assert_eq!(found("has:comment").len(), left);
    }
    assert!(absent(&transaction(&cast, id(&discussed)), "commentCount"));
    assert_eq!(audit(&cast)["data"]["audit"]["findingsCount"], 0);
}

fn rule_3_14_5_authors_and_the_owner_delete_comments(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let (discussed, other) = (lunch(&cast), lunch(&cast));
    let write = |writer: &Client| comment(writer, &cast, &discussed, "Note").ok();
    let one = |comment: &Value| format!("{}/{}", path(&cast, &discussed), id(comment));
    let by_viewer = write(&cast.viewer);
    for not_author in [&cast.editor, &cast.poster] {
        not_author.delete(&one(&by_viewer)).refused(403, "forbidden");
    }
    assert_eq!(cast.owner.delete(&one(&by_viewer)).ok(), by_viewer);
    for author in readers(&cast) {
        let written = write(author);
        assert_eq!(author.delete(&one(&written)).ok(), written);
        author.delete(&one(&written)).refused(404, "notFound");
    }
    let written = write(&cast.poster);
    for unknown in ["nothing", "0", "99999999999999999999", id(&by_viewer)] {
        let unknown = format!("{}/{unknown}", path(&cast, &discussed));
        assert!(cast.owner.delete(&unknown).refused(404, "notFound").contains("comment not found"));
    }
    let elsewhere = format!("{}/{}", path(&cast, &other), id(&written));
    cast.owner.delete(&elsewhere).refused(404, "notFound");
    assert_eq!(list(&cast.owner, &cast, &discussed), [written]);
}

fn rule_3_14_6_merged_transaction_has_the_comments_of_both(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let (first, second) = (lunch(&cast), lunch(&cast));
    for (writer, of, text) in
        [(&cast.viewer, &second, "1"), (&cast.editor, &first, "2"), (&cast.owner, &second, "3")]
    {
        comment(writer, &cast, of, text).ok();
    }
    let known = events(&cast).len();
    let pair = batch([json!({"id": first["id"]}), json!({"id": second["id"]})]);
    let merged = cast.editor.patch(&cast.path("/transactions/merge"), &pair).ok();
    let merged = merged["transaction"].clone();
    assert_eq!(merged["commentCount"], 3);
    let all = list(&cast.viewer, &cast, &merged);
    let originals =
        [&list(&cast.owner, &cast, &second)[..], &list(&cast.owner, &cast, &first)].concat();
    for (copy, text) in all.iter().zip(["1", "2", "3"]) {
        let original = originals.iter().find(|one| one["text"] == text).expect("it stays");
        assert_ne!(copy["id"], original["id"]);
        let mut expected = original.clone();
        expected["id"] = copy["id"].clone();
        expected["transactionId"] = merged["id"].clone();
        assert_eq!(*copy, expected, "3.14.6: author and time stay");
    }
    let new = new_events(&cast, known);
    let kinds = [
        "TRANSACTION_POSTED",
        "TRANSACTION_DELETED",
        "TRANSACTION_DELETED",
        "COMMENT_CREATED",
        "COMMENT_CREATED",
        "COMMENT_CREATED",
    ];
    assert_eq!(types(&new), kinds, "3.11.8");
    let objects: Vec<&Value> = new[3..].iter().map(|event| &event["data"]["object"]).collect();
    assert_eq!(objects, all.iter().collect::<Vec<_>>());
    assert_eq!(column(&find(&cast, "has:comment"), "id"), [id(&merged)]);
    let of_viewer = format!("{}/{}", path(&cast, &merged), id(&all[0]));
    cast.viewer.delete(&of_viewer).ok();
    verb(&cast, "untrash", &second);
    assert_eq!(list(&cast.owner, &cast, &second).len(), 2, "3.14.6: the originals keep theirs");
    assert_eq!(audit(&cast)["data"]["audit"]["findingsCount"], 0);
}

fn rule_3_14_7_copy_has_no_comments(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    comment(&cast.viewer, &cast, &lunch(&cast), "Between us").ok();
    let copy = cast.post("/copy?name=Copy&copyTransactions=true", &Value::Null).ok();
    let copy = Cast { book: id(&copy).to_owned(), ..cast };
    let rows = items(&find(&copy, "")).clone();
    assert_eq!(rows.len(), 1);
    assert!(absent(&rows[0], "commentCount"));
    assert!(list(&copy.owner, &copy, &rows[0]).is_empty());
    comment(&copy.owner, &copy, &rows[0], "New").ok();
    assert_eq!(column(&find(&copy, "has:comment"), "id"), [id(&rows[0])]);
    assert_eq!(audit(&copy)["data"]["audit"]["findingsCount"], 0);
}

fn rule_8_1_events(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let discussed = lunch(&cast);
    let known = events(&cast).len();
    let by_app = cast.poster.header("service-agent-id", "importer");
    let written = comment(&by_app, &cast, &discussed, "Who paid?").ok();
    cast.owner.delete(&format!("{}/{}", path(&cast, &discussed), id(&written))).ok();
    let new = new_events(&cast, known);
    assert_eq!(types(&new), ["COMMENT_CREATED", "COMMENT_DELETED"]);
    assert_eq!(resources(&new), [id(&written); 2]);
    for event in &new {
        assert_eq!(event["data"], json!({"object": written}), "8.2: as it was read");
    }
    assert_eq!(new[0]["user"], written["user"]);
    assert_eq!(new[1]["agent"], json!({"id": "api"}));
    assert_ne!(new[1]["user"], written["user"], "the owner deleted it");
    let about = cast.get(&format!("/events?resourceId={}", id(&written))).ok();
    assert_eq!(items(&about).len(), 2, "behaviour 8.5");
}

fn rule_6_25_forged_text_is_found(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let written = comment(&cast.viewer, &cast, &lunch(&cast), "Who paid?").ok();
    let forge = format!("UPDATE comments SET text = 'I paid.' WHERE id = {}", id(&written));
    assert_eq!(RawSql::open(server).execute(&forge), 1);
    let found = audit(&cast)["data"]["audit"]["findings"].clone();
    let forged = json!({
        "kind": "row", "resource": written["id"],
        "expected": "text Who paid?", "actual": "text I paid.",
    });
    assert!(found.as_array().is_some_and(|found| found.contains(&forged)), "{found}");
}
