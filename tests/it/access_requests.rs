//! Access requests (7.6, 7.4).

use daybook_tests::{Answer, Backdoor, Cast, Client, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::deleted_books;
use crate::limited_callers::issued;

pub fn tests() -> Vec<Case> {
    crate::cases![
        asked_shown_and_granted,
        the_answer_tells_nothing_of_the_book,
        who_may_ask_for_what,
        what_cannot_be_asked,
        a_new_one_replaces_the_old,
        less_than_asked_leaves_it_open,
        declined_and_asked_again,
        it_expires_after_30_days,
        the_newest_1000_are_kept,
        ids_belong_to_their_book,
        deleted_with_the_book,
        tokens_for_other_books_ask_nothing,
    ]
}

fn ask(cast: &Cast, client: &Client, query: &str) -> Answer {
    client.send("POST", &cast.path(&format!("/collaborators/request{query}")), &Value::Null)
}

#[track_caller]
fn asked(cast: &Cast, client: &Client, permission: &str) -> Value {
    ask(cast, client, &format!("?permission={permission}")).no_content();
    open(cast).into_iter().find(|one| one["email"] == client.email()).expect("an open request")
}

#[track_caller]
fn open(cast: &Cast) -> Vec<Value> {
    let list = cast.owner.get(&cast.path("/collaborators/request")).ok();
    list["items"].as_array().expect("items").clone()
}

fn one(cast: &Cast, request: &Value) -> String {
    cast.path(&format!("/collaborators/request/{}", id(request)))
}

/// The rows of a book in the database, open or not.
fn rows(server: &Server, cast: &Cast) -> u64 {
    let place = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    touched(server, &format!("book_id = {place}"))
}

fn touched(server: &Server, which: &str) -> u64 {
    let touch = format!("UPDATE access_requests SET id = id WHERE {which}");
    Backdoor::open(server).execute(&touch)
}

fn asked_shown_and_granted(server: &Server) {
    let cast = Cast::new(server);
    let events = cast.owner.get(&cast.path("/events")).ok();
    let asking =
        ask(&cast, &cast.stranger, "?permission=POSTER&message=%20Please%20let%20me%20in%0A");
    asking.no_content();
    let list = open(&cast);
    let [request] = list.as_slice() else { panic!("one request: {list:?}") };
    let email = cast.stranger.email();
    shows(
        request,
        &json!({
            "email": email, "permission": "POSTER", "avatarUrl": "",
            "message": "Please let me in",
        }),
    );
    let time = |field: &str| -> i64 {
        request[field].as_str().and_then(|text| text.parse().ok()).expect("milliseconds")
    };
    assert_eq!(time("expiresAt") - time("createdAt"), 30 * 86_400_000, "7.6: 30 days");
    for reader in [&cast.owner, &cast.editor] {
        let shown = reader.get(&one(&cast, request)).ok();
        let expected = json!({"email": email, "permission": "POSTER", "avatarUrl": ""});
        assert_eq!(shown, expected, "7.6: no id");
    }
    cast.stranger.get(&cast.path("")).refused(404, "notFound");
    assert_eq!(cast.owner.get(&cast.path("/events")).ok(), events, "it is not in the log");
    cast.share(email, "POSTER");
    assert_eq!(open(&cast), Vec::<Value>::new());
    cast.owner.get(&one(&cast, request)).refused(404, "notFound");
    cast.owner.delete(&one(&cast, request)).refused(404, "notFound");
    shows(&cast.stranger.get(&cast.path("")).ok(), &json!({"permission": "POSTER"}));
}

/// 7.4: a book that is private and one that never was answer alike, and of the latter nothing is
/// kept.
fn the_answer_tells_nothing_of_the_book(server: &Server) {
    let cast = Cast::new(server);
    let missing: String = cast.book.chars().rev().collect();
    let path = |book: &str| format!("/v5/books/{book}/collaborators/request");
    for query in ["?permission=VIEWER", "?permission=EDITOR&message=x", "?permission=OWNER", ""] {
        let [known, unknown] = [&cast.book, &missing].map(|book| {
            let mut answer =
                cast.stranger.send("POST", &format!("{}{query}", path(book)), &Value::Null);
            for own in ["date", "x-request-id"] {
                answer.headers.remove(own);
            }
            (answer.status, answer.headers, answer.text)
        });
        assert_eq!(known, unknown, "{query}");
    }
    assert_eq!(rows(server, &cast), 1);
    assert_eq!(touched(server, "book_id NOT IN (SELECT id FROM books)"), 0);
    for book in ["nobody", &cast.book.to_uppercase(), &cast.book[1..], "%20"] {
        let answer =
            cast.stranger.send("POST", &format!("{}?permission=VIEWER", path(book)), &Value::Null);
        answer.refused(404, "notFound");
    }
    // Only who decides sees that somebody asked.
    for path in [path(&cast.book), one(&cast, &open(&cast)[0])] {
        cast.stranger.get(&path).refused(404, "notFound");
        cast.viewer.get(&path).refused(403, "forbidden");
    }
}

/// 7.3, 7.6: nobody asks for what they have.
fn who_may_ask_for_what(server: &Server) {
    let names = ["VIEWER", "RECORDER", "POSTER", "EDITOR"];
    for visibility in ["PRIVATE", "PUBLIC"] {
        let cast = Cast::with_settings(server, json!({"visibility": visibility}));
        let callers: [(&Client, &[&str]); 6] = [
            (&cast.owner, &[]),
            (&cast.editor, &[]),
            (&cast.poster, &["EDITOR"]),
            (&cast.recorder, &["VIEWER", "POSTER", "EDITOR"]),
            (&cast.viewer, &["RECORDER", "POSTER", "EDITOR"]),
            // Who reads a PUBLIC book is no collaborator of it.
            (&cast.stranger, &names),
        ];
        for (caller, allowed) in callers {
            for asked in names {
                let answer = ask(&cast, caller, &format!("?permission={asked}"));
                if allowed.contains(&asked) {
                    answer.no_content();
                    let list = open(&cast);
                    let own = list.iter().find(|one| one["email"] == caller.email());
                    assert_eq!(own.map(|own| own["permission"].clone()), Some(json!(asked)));
                } else {
                    answer.refused(400, "badRequest");
                }
            }
        }
        assert_eq!(open(&cast).len(), 4, "{visibility}");
    }
}

fn what_cannot_be_asked(server: &Server) {
    let cast = Cast::new(server);
    let longest = "m".repeat(2_000);
    for query in [
        String::new(),
        "?permission=".to_owned(),
        "?permission=OWNER".to_owned(),
        "?permission=NONE".to_owned(),
        "?permission=viewer".to_owned(),
        "?message=please".to_owned(),
        format!("?permission=VIEWER&message={longest}m"),
    ] {
        ask(&cast, &cast.stranger, &query).refused(400, "badRequest");
    }
    assert_eq!(open(&cast), Vec::<Value>::new());
    ask(&cast, &cast.stranger, &format!("?permission=VIEWER&message={longest}")).no_content();
    assert_eq!(open(&cast)[0]["message"], longest);
    ask(&cast, &cast.stranger, "?permission=VIEWER&message=%20%09").no_content();
    assert_eq!(open(&cast)[0].get("message"), None, "7.6: a blank message is none");
}

fn a_new_one_replaces_the_old(server: &Server) {
    let cast = Cast::new(server);
    let first = asked(&cast, &cast.stranger, "VIEWER");
    let other = asked(&cast, &cast.viewer, "EDITOR");
    let second = asked(&cast, &cast.stranger, "EDITOR");
    assert_ne!(id(&first), id(&second));
    assert_eq!(open(&cast), [second, other], "one of each user, the newest first");
    assert_eq!(rows(server, &cast), 2);
    cast.owner.get(&one(&cast, &first)).refused(404, "notFound");
}

fn less_than_asked_leaves_it_open(server: &Server) {
    let cast = Cast::new(server);
    let request = asked(&cast, &cast.stranger, "POSTER");
    for less in ["VIEWER", "RECORDER", "NONE"] {
        cast.share(cast.stranger.email(), less);
        assert_eq!(open(&cast), std::slice::from_ref(&request), "{less}");
    }
    // More than was asked grants it, too, and somebody else's is not touched.
    let other = asked(&cast, &cast.viewer, "EDITOR");
    cast.share(cast.stranger.email(), "EDITOR");
    assert_eq!(open(&cast), [other]);
}

fn declined_and_asked_again(server: &Server) {
    let cast = Cast::new(server);
    for decider in [&cast.owner, &cast.editor] {
        let request = asked(&cast, &cast.stranger, "VIEWER");
        cast.poster.delete(&one(&cast, &request)).refused(403, "forbidden");
        cast.stranger.delete(&one(&cast, &request)).refused(404, "notFound");
        assert_eq!(decider.delete(&one(&cast, &request)).ok(), request);
        decider.get(&one(&cast, &request)).refused(404, "notFound");
        decider.delete(&one(&cast, &request)).refused(404, "notFound");
        assert_eq!(open(&cast), Vec::<Value>::new());
    }
}

fn it_expires_after_30_days(server: &Server) {
    let cast = Cast::new(server);
    let [old, young] = [&cast.stranger, &cast.viewer].map(|client| asked(&cast, client, "EDITOR"));
    for (request, days) in [(&old, 30), (&young, 29)] {
        let earlier = i64::from(days) * 86_400_000;
        let number = i64::from_str_radix(id(request), 16).expect("an id");
        Backdoor::open(server).execute(&format!(
            "UPDATE access_requests SET created_at = created_at - {earlier} WHERE id = {number}"
        ));
    }
    assert_eq!(column(&json!({"items": open(&cast)}), "id"), [id(&young)]);
    cast.owner.get(&one(&cast, &old)).refused(404, "notFound");
    cast.owner.delete(&one(&cast, &old)).refused(404, "notFound");
    cast.owner.get(&one(&cast, &young)).ok();
    // The next one sweeps those that are expired.
    asked(&cast, &cast.poster, "EDITOR");
    assert_eq!(rows(server, &cast), 2);
}

fn the_newest_1000_are_kept(server: &Server) {
    let cast = Cast::new(server);
    let first = asked(&cast, &cast.viewer, "EDITOR");
    let number = i64::from_str_radix(id(&first), 16).expect("an id");
    // A thousand more, older than that one.
    Backdoor::open(server).execute(&format!(
        "INSERT INTO access_requests (book_id, id, user_id, permission, created_at) \
         WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < 999) \
         SELECT r.book_id, r.id - n, r.user_id, r.permission, r.created_at \
         FROM series, access_requests r WHERE r.id = {number}"
    ));
    assert_eq!(open(&cast).len(), 1_000);
    let newest = asked(&cast, &cast.stranger, "VIEWER");
    let list = open(&cast);
    assert_eq!((list.len(), &list[0]), (1_000, &newest));
    assert_eq!(id(&list[999]), format!("{:016x}", number - 998), "the oldest one went");
}

fn ids_belong_to_their_book(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let request = asked(&other, &other.stranger, "VIEWER");
    for wrong in [id(&request), "0000000000000001", "request", "%20"] {
        let path = cast.path(&format!("/collaborators/request/{wrong}"));
        cast.owner.get(&path).refused(404, "notFound");
        cast.owner.delete(&path).refused(404, "notFound");
    }
    assert_eq!(open(&other), [request]);
}

fn deleted_with_the_book(server: &Server) {
    let cast = Cast::new(server);
    let request = asked(&cast, &cast.stranger, "VIEWER");
    let number = i64::from_str_radix(id(&request), 16).expect("an id");
    cast.owner.delete(&cast.path("")).ok();
    // As of a book that never was.
    ask(&cast, &cast.stranger, "?permission=EDITOR").no_content();
    assert_eq!(rows(server, &cast), 1, "what was asked before waits with the book");
    deleted_books::remove(server, &cast.book);
    assert_eq!(touched(server, &format!("id = {number}")), 0);
    ask(&cast, &cast.stranger, "?permission=VIEWER").no_content();
    assert_eq!(touched(server, "book_id NOT IN (SELECT id FROM books)"), 0);
}

/// 11.9: known or unknown, a token that names books reaches no other.
fn tokens_for_other_books_ask_nothing(server: &Server) {
    let cast = Cast::new(server);
    let own = cast.stranger.post("/v5/books", &json!({"name": unique("Own")})).ok();
    let limited = issued(server, &cast.stranger, json!({"books": [own["id"]]}));
    let reader = issued(server, &cast.stranger, json!({"readOnly": true}));
    let missing: String = cast.book.chars().rev().collect();
    for caller in [&limited, &reader] {
        for book in [cast.book.as_str(), &missing, "nobody"] {
            let path = format!("/v5/books/{book}/collaborators/request?permission=VIEWER");
            caller.send("POST", &path, &Value::Null).refused(403, "insufficientScope");
        }
    }
    assert_eq!(open(&cast), Vec::<Value>::new());
    cast.anonymous
        .send("POST", &cast.path("/collaborators/request?permission=VIEWER"), &Value::Null)
        .refused(401, "required");
}
