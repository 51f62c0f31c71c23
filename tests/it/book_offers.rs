//! Offers of books (6.28): a user becomes the owner only by accepting. The response must not reveal
//! whether an address belongs to a user (7.4).

use daybook_tests::{Answer, Cast, Client, Engine, RawSql, Server, column, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::{give, set_disabled, username};
use crate::deleted_books::{restore, run};
use crate::idempotency::keyed;
use crate::limited_callers::issued;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        transfer_requires_acceptance,
        offer_can_be_accepted_once,
        answer_is_the_same_for_known_and_unknown_addresses,
        new_offer_replaces_older_one,
        owner_and_recipient_can_end_an_offer,
        offer_expires_after_30_days,
        offer_is_suspended_while_its_owner_is_disabled,
        offer_is_suspended_while_its_book_is_deleted,
        limited_tokens_are_refused,
        disabled_requester_gets_an_offer,
        offer_follows_a_renamed_address,
    ];
    cases.extend(crate::isolated![offer_mails_are_limited]);
    cases
}

fn accept(cast: &Cast, client: &Client) -> Answer {
    client.send("POST", &cast.path("/transfer/accept"), &Value::Null)
}

/// Returns the offers to a user.
#[track_caller]
fn offers(client: &Client) -> Vec<Value> {
    let list = client.get("/v5/user/transfers").ok();
    list["items"].as_array().expect("items").clone()
}

fn transfer_requires_acceptance(server: &Server) {
    let cast = Cast::new(server);
    let before = cast.read("/events");
    let seen = cast.get("");
    let given = give(&cast, &cast.owner, cast.stranger.email());
    assert_eq!(given.headers["etag"], seen.headers["etag"]);
    assert_eq!(given.ok(), seen.ok(), "the book is unchanged");
    assert_eq!(cast.read("/events"), before, "it is not in the log");
    cast.stranger.get(&cast.path("")).refused(404, "notFound");
    let stored = cast.stranger.get("/v5/user").ok()["storage"].clone();
    assert_eq!(stored["bytes"], 0, "the book does not count before acceptance");
    let list = offers(&cast.stranger);
    let [offer] = list.as_slice() else { panic!("one offer: {list:?}") };
    let name = cast.read("")["name"].clone();
    let expected = json!({
        "bookId": cast.book, "bookName": name, "ownerEmail": cast.owner.email(),
        "email": cast.stranger.email(),
    });
    shows(offer, &expected);
    let time = |field: &str| -> i64 {
        offer[field].as_str().and_then(|text| text.parse().ok()).expect("milliseconds")
    };
    assert_eq!(time("expiresAt") - time("createdAt"), 30 * 86_400_000, "6.28: 30 days");
    for reader in [&cast.owner, &cast.stranger] {
        assert_eq!(&reader.get(&cast.path("/transfer")).ok(), offer);
    }
    for other in [&cast.editor, &cast.viewer] {
        other.get(&cast.path("/transfer")).refused(403, "forbidden");
        accept(&cast, other).refused(404, "notFound");
        assert_eq!(offers(other), Vec::<Value>::new());
    }
    accept(&cast, &cast.owner).refused(404, "notFound");
}

fn offer_can_be_accepted_once(server: &Server) {
    let cast = Cast::new(server);
    give(&cast, &cast.owner, cast.stranger.email()).ok();
    let heir = keyed(&cast.stranger);
    let first = accept(&cast, &heir);
    assert!(first.headers.contains_key("etag"));
    let next = username(&heir);
    shows(&first.clone().ok(), &json!({"permission": "OWNER", "ownerName": next}));
    let again = accept(&cast, &heir);
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    assert!(again.headers.contains_key("idempotency-replayed"));
    accept(&cast, &cast.stranger).refused(404, "notFound");
    assert_eq!(offers(&heir), Vec::<Value>::new());
    shows(&cast.read(""), &json!({"permission": "EDITOR"}));
    cast.stranger.get(&cast.path("/transfer")).refused(404, "notFound");
    // 0.27: a stored response is not replayed after the caller has lost the permission.
    cast.give(&cast.stranger, &cast.owner);
    accept(&cast, &heir).refused(403, "forbidden");
}

/// 7.4: users, disabled users, pending collaborators and unknown addresses.
fn answer_is_the_same_for_known_and_unknown_addresses(server: &Server) {
    let cast = Cast::new(server);
    let pending = format!("{}@example.com", unique("pending"));
    cast.share(&pending, "EDITOR");
    set_disabled(server, cast.poster.email(), "disable");
    let disabled = server.client(&format!("{}@example.com", unique("disabled")));
    disabled.get("/v5/user").ok();
    set_disabled(server, disabled.email(), "disable");
    let nobody = format!("{}@example.com", unique("nobody"));
    let answer = |email: &str| {
        let mut answer = give(&cast, &cast.owner, email);
        for own in ["date", "x-request-id"] {
            answer.headers.remove(own);
        }
        (answer.status, answer.headers, answer.text)
    };
    let expected = answer(&nobody);
    assert_eq!(expected.0, 200);
    let addresses = [
        cast.stranger.email(),
        disabled.email(),
        cast.poster.email(),
        cast.editor.email(),
        &pending,
        "somebody@not-admitted.example",
    ];
    for email in addresses {
        assert_eq!(answer(email), expected, "{email}");
        let offer = cast.read("/transfer");
        assert_eq!(offer["email"], email);
    }
    // An offer does not create a user.
    let rows = RawSql::open(server)
        .execute("UPDATE users SET id = id WHERE email = 'somebody@not-admitted.example'");
    assert_eq!(rows, 0);
}

fn new_offer_replaces_older_one(server: &Server) {
    let cast = Cast::new(server);
    for heir in [&cast.stranger, &cast.viewer] {
        give(&cast, &cast.owner, heir.email()).ok();
    }
    assert_eq!(offers(&cast.stranger), Vec::<Value>::new());
    accept(&cast, &cast.stranger).refused(404, "notFound");
    // An immediate transfer ends the offer.
    let asks = cast.path("/collaborators/request?permission=OWNER");
    cast.editor.send("POST", &asks, &Value::Null).no_content();
    give(&cast, &cast.owner, cast.editor.email()).ok();
    assert_eq!(offers(&cast.viewer), Vec::<Value>::new());
    accept(&cast, &cast.viewer).refused(404, "notFound");
    shows(&cast.editor.get(&cast.path("")).ok(), &json!({"permission": "OWNER"}));
}

fn owner_and_recipient_can_end_an_offer(server: &Server) {
    let cast = Cast::new(server);
    let path = cast.path("/transfer");
    for caller in [&cast.owner, &cast.stranger] {
        give(&cast, &cast.owner, cast.stranger.email()).ok();
        let offer = cast.owner.get(&path).ok();
        cast.editor.delete(&path).refused(403, "forbidden");
        let keyed = keyed(caller);
        assert_eq!(keyed.delete(&path).ok(), offer);
        assert_eq!(keyed.delete(&path).ok(), offer, "the same answer");
        caller.delete(&path).refused(404, "notFound");
        accept(&cast, &cast.stranger).refused(404, "notFound");
    }
    cast.stranger.get(&path).refused(404, "notFound");
    shows(&cast.read(""), &json!({"permission": "OWNER"}));
}

/// Moves the creation of an offer back.
fn age(server: &Server, cast: &Cast, milliseconds: i64) {
    RawSql::open(server).execute(&format!(
        "UPDATE transfer_offers SET created_at = created_at - {milliseconds} \
         WHERE book_id = (SELECT id FROM books WHERE public_id = '{}')",
        cast.book
    ));
}

fn offer_expires_after_30_days(server: &Server) {
    let cast = Cast::new(server);
    give(&cast, &cast.owner, cast.stranger.email()).ok();
    age(server, &cast, 29 * 86_400_000);
    assert_eq!(offers(&cast.stranger).len(), 1);
    age(server, &cast, 86_400_000);
    assert_eq!(offers(&cast.stranger), Vec::<Value>::new());
    cast.get("/transfer").refused(404, "notFound");
    accept(&cast, &cast.stranger).refused(404, "notFound");
    give(&cast, &cast.owner, cast.stranger.email()).ok();
    accept(&cast, &cast.stranger).ok();
}

fn offer_is_suspended_while_its_owner_is_disabled(server: &Server) {
    let cast = Cast::new(server);
    give(&cast, &cast.owner, cast.stranger.email()).ok();
    set_disabled(server, cast.owner.email(), "disable");
    assert_eq!(offers(&cast.stranger), Vec::<Value>::new());
    accept(&cast, &cast.stranger).refused(404, "notFound");
    set_disabled(server, cast.owner.email(), "enable");
    assert_eq!(offers(&cast.stranger).len(), 1);
    let given = ["book", "transfer", "--book", &cast.book, "--to", cast.viewer.email()];
    run(server, &given).expect("the operator may");
    accept(&cast, &cast.stranger).refused(404, "notFound");
    shows(&cast.viewer.get(&cast.path("")).ok(), &json!({"permission": "OWNER"}));
}

fn offer_is_suspended_while_its_book_is_deleted(server: &Server) {
    let cast = Cast::new(server);
    give(&cast, &cast.owner, cast.stranger.email()).ok();
    cast.delete("").ok();
    assert_eq!(offers(&cast.stranger), Vec::<Value>::new());
    accept(&cast, &cast.stranger).refused(404, "notFound");
    restore(&cast.owner, &cast.book).ok();
    accept(&cast, &cast.stranger).ok();
}

/// 11.9, 8.22: a token limited to books can neither offer nor accept.
fn limited_tokens_are_refused(server: &Server) {
    let cast = Cast::new(server);
    give(&cast, &cast.owner, cast.viewer.email()).ok();
    let [giver, taker] = [&cast.owner, &cast.viewer]
        .map(|client| issued(server, client, json!({"books": [cast.book]})));
    give(&cast, &giver, cast.viewer.email()).refused(403, "insufficientScope");
    for limited in [&giver, &taker] {
        accept(&cast, limited).refused(403, "insufficientScope");
        limited.get(&cast.path("/transfer")).refused(403, "insufficientScope");
        limited.delete(&cast.path("/transfer")).refused(403, "insufficientScope");
        limited.get("/v5/user/transfers").refused(403, "insufficientScope");
    }
    let reader = issued(server, &cast.viewer, json!({"readOnly": true}));
    accept(&cast, &reader).refused(403, "insufficientScope");
    assert_eq!(offers(&reader).len(), 1);
}

/// 7.6: a request of a disabled user is hidden and does not grant an immediate transfer.
fn disabled_requester_gets_an_offer(server: &Server) {
    let cast = Cast::new(server);
    let asks = cast.path("/collaborators/request");
    cast.editor.send("POST", &format!("{asks}?permission=OWNER"), &Value::Null).no_content();
    set_disabled(server, cast.editor.email(), "disable");
    assert_eq!(cast.owner.get(&asks).ok()["items"], json!([]));
    let given = give(&cast, &cast.owner, cast.editor.email()).ok();
    shows(&given, &json!({"permission": "OWNER"}));
    set_disabled(server, cast.editor.email(), "enable");
    assert_eq!(column(&cast.owner.get(&asks).ok(), "permission"), ["OWNER"]);
    shows(&give(&cast, &cast.owner, cast.editor.email()).ok(), &json!({"permission": "EDITOR"}));
}

/// 7.11: the offer follows an address changed by the operator and is removed with a deleted user.
fn offer_follows_a_renamed_address(server: &Server) {
    let cast = Cast::new(server);
    let [renamed, gone] =
        ["renamed", "gone"].map(|name| server.client(&format!("{}@example.com", unique(name))));
    renamed.get("/v5/user").ok();
    give(&cast, &cast.owner, renamed.email()).ok();
    let to = format!("{}@example.com", unique("new"));
    run(server, &["user", "rename-email", "--email", renamed.email(), "--to", &to]).expect("done");
    let renamed = server.client(&to);
    assert_eq!(offers(&renamed).len(), 1);
    gone.get("/v5/user").ok();
    give(&cast, &cast.owner, gone.email()).ok();
    run(server, &["user", "delete", "--email", gone.email()]).expect("nothing is owned");
    cast.get("/transfer").refused(404, "notFound");
}

/// 7.10: offers and invitations are limited to 100 mails a day; a repeated offer is mailed once.
fn offer_mails_are_limited(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::new(&server);
    let mails = |email: &str| {
        let touch = format!("UPDATE mails SET id = id WHERE recipient = '{email}'");
        RawSql::open(&server).execute(&touch)
    };
    for _ in 0..3 {
        give(&cast, &cast.owner, cast.stranger.email()).ok();
    }
    assert_eq!(mails(cast.stranger.email()), 1);
    // The fixture has mailed four invitations and one offer.
    for number in 0..95 {
        give(&cast, &cast.owner, &format!("stranger{number}@elsewhere.example")).ok();
    }
    assert_eq!(mails("stranger94@elsewhere.example"), 1);
    give(&cast, &cast.owner, "one.more@elsewhere.example").ok();
    assert_eq!(mails("one.more@elsewhere.example"), 0);
    let offer = cast.read("/transfer");
    assert_eq!(offer["email"], "one.more@elsewhere.example", "the offer exists without a mail");
    cast.share("guest@elsewhere.example", "VIEWER");
    assert_eq!(mails("guest@elsewhere.example"), 0);
}
