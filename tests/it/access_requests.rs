//! Access requests (7.6): who may send, see and answer them. The response to a request must not
//! reveal whether a private book exists (7.4).

use daybook_tests::{Answer, Cast, Client, RawSql, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::deleted_books;
use crate::limited_callers::issued;

pub fn tests() -> Vec<Case> {
    crate::cases![
        request_is_listed_and_granted_by_sharing,
        answer_is_the_same_for_private_and_unknown_books,
        request_must_exceed_current_permission,
        invalid_request_is_refused,
        new_request_replaces_older_one,
        lower_permission_leaves_request_open,
        declined_request_can_be_repeated,
        request_expires_after_30_days,
        only_newest_1000_requests_are_kept,
        id_of_another_book_is_not_found,
        requests_are_removed_with_their_book,
        limited_tokens_are_refused,
    ]
}

fn send_request(cast: &Cast, client: &Client, query: &str) -> Answer {
    client.send("POST", &cast.path(&format!("/collaborators/request{query}")), &Value::Null)
}

#[track_caller]
fn request_permission(cast: &Cast, client: &Client, permission: &str) -> Value {
    send_request(cast, client, &format!("?permission={permission}")).no_content();
    open_requests(cast)
        .into_iter()
        .find(|one| one["email"] == client.email())
        .expect("an open request")
}

#[track_caller]
fn open_requests(cast: &Cast) -> Vec<Value> {
    let list = cast.read("/collaborators/request");
    list["items"].as_array().expect("items").clone()
}

fn request_path(cast: &Cast, request: &Value) -> String {
    cast.path(&format!("/collaborators/request/{}", id(request)))
}

/// Counts the stored requests of a book, open or not.
fn count_rows(server: &Server, cast: &Cast) -> u64 {
    let place = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    count_matching(server, &format!("book_id = {place}"))
}

fn count_matching(server: &Server, which: &str) -> u64 {
    let touch = format!("UPDATE access_requests SET id = id WHERE {which}");
    RawSql::open(server).execute(&touch)
}

fn request_is_listed_and_granted_by_sharing(server: &Server) {
    let cast = Cast::new(server);
    let events = cast.read("/events");
    let asking = send_request(
        &cast,
        &cast.stranger,
        "?permission=POSTER&message=%20Please%20let%20me%20in%0A",
    );
    asking.no_content();
    let list = open_requests(&cast);
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
        let shown = reader.get(&request_path(&cast, request)).ok();
        let expected = json!({"email": email, "permission": "POSTER", "avatarUrl": ""});
        assert_eq!(shown, expected, "7.6: no id");
    }
    cast.stranger.get(&cast.path("")).refused(404, "notFound");
    assert_eq!(cast.read("/events"), events, "it is not in the log");
    cast.share(email, "POSTER");
    assert_eq!(open_requests(&cast), Vec::<Value>::new());
    cast.owner.get(&request_path(&cast, request)).refused(404, "notFound");
    cast.owner.delete(&request_path(&cast, request)).refused(404, "notFound");
    shows(&cast.stranger.get(&cast.path("")).ok(), &json!({"permission": "POSTER"}));
}

/// 7.4: a private book and an unknown id get the same response; for an unknown id no row is stored.
fn answer_is_the_same_for_private_and_unknown_books(server: &Server) {
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
    assert_eq!(count_rows(server, &cast), 1);
    assert_eq!(count_matching(server, "book_id NOT IN (SELECT id FROM books)"), 0);
    for book in ["nobody", &cast.book.to_uppercase(), &cast.book[1..], "%20"] {
        let answer =
            cast.stranger.send("POST", &format!("{}?permission=VIEWER", path(book)), &Value::Null);
        answer.refused(404, "notFound");
    }
}

/// 7.3, 7.6: a request must ask for more than the user already has.
fn request_must_exceed_current_permission(server: &Server) {
    let names = ["VIEWER", "RECORDER", "POSTER", "EDITOR"];
    for visibility in ["PRIVATE", "PUBLIC"] {
        let cast = Cast::with_settings(server, json!({"visibility": visibility}));
        let callers: [(&Client, &[&str]); 6] = [
            (&cast.owner, &[]),
            (&cast.editor, &[]),
            (&cast.poster, &["EDITOR"]),
            (&cast.recorder, &["VIEWER", "POSTER", "EDITOR"]),
            (&cast.viewer, &["RECORDER", "POSTER", "EDITOR"]),
            // A reader of a PUBLIC book is not a collaborator.
            (&cast.stranger, &names),
        ];
        for (caller, allowed) in callers {
            for asked in names {
                let answer = send_request(&cast, caller, &format!("?permission={asked}"));
                if allowed.contains(&asked) {
                    answer.no_content();
                    let list = open_requests(&cast);
                    let own = list.iter().find(|one| one["email"] == caller.email());
                    assert_eq!(own.map(|own| own["permission"].clone()), Some(json!(asked)));
                } else {
                    answer.refused(400, "badRequest");
                }
            }
        }
        assert_eq!(open_requests(&cast).len(), 4, "{visibility}");
    }
}

fn invalid_request_is_refused(server: &Server) {
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
        send_request(&cast, &cast.stranger, &query).refused(400, "badRequest");
    }
    assert_eq!(open_requests(&cast), Vec::<Value>::new());
    send_request(&cast, &cast.stranger, &format!("?permission=VIEWER&message={longest}"))
        .no_content();
    assert_eq!(open_requests(&cast)[0]["message"], longest);
    send_request(&cast, &cast.stranger, "?permission=VIEWER&message=%20%09").no_content();
    assert_eq!(open_requests(&cast)[0].get("message"), None, "7.6: blank counts as absent");
}

fn new_request_replaces_older_one(server: &Server) {
    let cast = Cast::new(server);
    let first = request_permission(&cast, &cast.stranger, "VIEWER");
    let other = request_permission(&cast, &cast.viewer, "EDITOR");
    let second = request_permission(&cast, &cast.stranger, "EDITOR");
    assert_ne!(id(&first), id(&second));
    assert_eq!(open_requests(&cast), [second, other], "one of each user, the newest first");
    assert_eq!(count_rows(server, &cast), 2);
    cast.owner.get(&request_path(&cast, &first)).refused(404, "notFound");
}

fn lower_permission_leaves_request_open(server: &Server) {
    let cast = Cast::new(server);
    let request = request_permission(&cast, &cast.stranger, "POSTER");
    for less in ["VIEWER", "RECORDER", "NONE"] {
        cast.share(cast.stranger.email(), less);
        assert_eq!(open_requests(&cast), std::slice::from_ref(&request), "{less}");
    }
    // A higher permission grants the request; requests of other users stay.
    let other = request_permission(&cast, &cast.viewer, "EDITOR");
    cast.share(cast.stranger.email(), "EDITOR");
    assert_eq!(open_requests(&cast), [other]);
}

fn declined_request_can_be_repeated(server: &Server) {
    let cast = Cast::new(server);
    for decider in [&cast.owner, &cast.editor] {
        let request = request_permission(&cast, &cast.stranger, "VIEWER");
        assert_eq!(decider.delete(&request_path(&cast, &request)).ok(), request);
        decider.get(&request_path(&cast, &request)).refused(404, "notFound");
        decider.delete(&request_path(&cast, &request)).refused(404, "notFound");
        assert_eq!(open_requests(&cast), Vec::<Value>::new());
    }
}

fn request_expires_after_30_days(server: &Server) {
    let cast = Cast::new(server);
    let [old, young] =
        [&cast.stranger, &cast.viewer].map(|client| request_permission(&cast, client, "EDITOR"));
    for (request, days) in [(&old, 30), (&young, 29)] {
        let earlier = i64::from(days) * 86_400_000;
        let number = i64::from_str_radix(id(request), 16).expect("an id");
        RawSql::open(server).execute(&format!(
            "UPDATE access_requests SET created_at = created_at - {earlier} WHERE id = {number}"
        ));
    }
    assert_eq!(column(&json!({"items": open_requests(&cast)}), "id"), [id(&young)]);
    cast.owner.get(&request_path(&cast, &old)).refused(404, "notFound");
    cast.owner.delete(&request_path(&cast, &old)).refused(404, "notFound");
    cast.owner.get(&request_path(&cast, &young)).ok();
    // The next request removes expired ones.
    request_permission(&cast, &cast.poster, "EDITOR");
    assert_eq!(count_rows(server, &cast), 2);
}

fn only_newest_1000_requests_are_kept(server: &Server) {
    let cast = Cast::new(server);
    let first = request_permission(&cast, &cast.viewer, "EDITOR");
    let number = i64::from_str_radix(id(&first), 16).expect("an id");
    // A thousand more, older than that one.
    RawSql::open(server).execute(&format!(
        "INSERT INTO access_requests (book_id, id, user_id, permission, created_at) \
         WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < 999) \
         SELECT r.book_id, r.id - n, r.user_id, r.permission, r.created_at \
         FROM series, access_requests r WHERE r.id = {number}"
    ));
    assert_eq!(open_requests(&cast).len(), 1_000);
    let newest = request_permission(&cast, &cast.stranger, "VIEWER");
    let list = open_requests(&cast);
    assert_eq!((list.len(), &list[0]), (1_000, &newest));
    assert_eq!(id(&list[999]), format!("{:016x}", number - 998), "the oldest one went");
}

fn id_of_another_book_is_not_found(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let request = request_permission(&other, &other.stranger, "VIEWER");
    for wrong in [id(&request), "0000000000000001", "request", "%20"] {
        let path = cast.path(&format!("/collaborators/request/{wrong}"));
        cast.owner.get(&path).refused(404, "notFound");
        cast.owner.delete(&path).refused(404, "notFound");
    }
    assert_eq!(open_requests(&other), [request]);
}

fn requests_are_removed_with_their_book(server: &Server) {
    let cast = Cast::new(server);
    let request = request_permission(&cast, &cast.stranger, "VIEWER");
    let number = i64::from_str_radix(id(&request), 16).expect("an id");
    cast.delete("").ok();
    // The response is that for an unknown book.
    send_request(&cast, &cast.stranger, "?permission=EDITOR").no_content();
    assert_eq!(count_rows(server, &cast), 1, "earlier requests stay with the deleted book");
    deleted_books::remove(server, &cast.book);
    assert_eq!(count_matching(server, &format!("id = {number}")), 0);
    send_request(&cast, &cast.stranger, "?permission=VIEWER").no_content();
    assert_eq!(count_matching(server, "book_id NOT IN (SELECT id FROM books)"), 0);
}

/// 11.9: a token limited to books gets the same refusal for known and unknown books.
fn limited_tokens_are_refused(server: &Server) {
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
    assert_eq!(open_requests(&cast), Vec::<Value>::new());
}
