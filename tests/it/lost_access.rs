//! An idempotency key does not replay a response that its caller may no longer see (behaviour
//! 0.27).

use daybook_tests::{Answer, Cast, Client, Server, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::set_disabled;
use crate::file_sweep::eventually;
use crate::idempotency::keyed;
use crate::targets::Targets;
use daybook_tests::openapi::contract::{Operation, operations};

/// A new writing operation is covered here as soon as it is in the document.
pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        lowered_and_restored_permissions,
        requests_that_remove_their_own_access,
        readers_of_a_book_made_private,
        books_around_a_collection,
        a_new_book_that_was_given_away,
        apps_of_former_developers,
        tokens_of_other_books,
        disabled_users,
        access_request_reveals_nothing,
    ];
    let of_a_book = |operation: &Operation| {
        // An accepted book belongs to the caller: see `book_transfers`.
        let keeps = ["acceptBookTransfer", "deleteBook", "requestBookAccess"];
        let keeps = keeps.contains(&operation.id);
        operation.writes() && operation.path.contains("{bookId}") && !keeps
    };
    for operation in operations().into_iter().filter(of_a_book) {
        cases
            .push(Case::shared(format!("{}_is_not_answered_again", operation.id), move |server| {
                not_answered_again(server, operation)
            }));
    }
    cases
}

#[track_caller]
fn replayed(first: &Answer, again: &Answer) {
    assert!(again.headers.contains_key("idempotency-replayed"), "{} {}", again.status, again.text);
    assert_eq!((first.status, &first.text), (again.status, &again.text));
}

/// Makes the editor the owner of a book, who removes the old owner.
#[track_caller]
fn put_out(cast: &Cast, book: &str) {
    let path = |rest: &str| format!("/v5/books/{book}{rest}");
    let heir = json!({"email": cast.editor.email(), "permission": "EDITOR"});
    cast.owner.post(&path("/collaborators"), &heir).ok();
    daybook_tests::give(book, &cast.owner, &cast.editor);
    cast.editor.delete(&path(&format!("/collaborators/{}", cast.owner.email()))).ok();
}

fn not_answered_again(server: &Server, operation: Operation) {
    let targets = Targets::of(server, operation);
    let caller = keyed(targets.caller(operation));
    let first = targets.call(&caller, operation, "First");
    assert!(matches!(first.status, 200 | 204), "{}: {}", first.status, first.text);
    targets.settle(operation);
    let book = targets.path(operation)["/v5/books/".len()..].chars().take(32).collect::<String>();
    if operation.id == "transferBook" {
        let path = format!("/v5/books/{book}/collaborators/{}", targets.cast.owner.email());
        targets.cast.editor.delete(&path).ok();
    } else {
        put_out(&targets.cast, &book);
    }
    targets.call(&caller, operation, "First").refused(404, "notFound");
    let back = json!({"email": targets.cast.owner.email(), "permission": "EDITOR"});
    targets.cast.editor.post(&format!("/v5/books/{book}/collaborators"), &back).ok();
    let again = targets.call(&caller, operation, "First");
    if operation.id == "transferBook" {
        replayed(&first, &again);
    } else {
        again.refused(403, "forbidden");
    }
}

fn lowered_and_restored_permissions(server: &Server) {
    let cast = Cast::new(server);
    let editor = keyed(&cast.editor);
    let create = || editor.post(&cast.path("/groups"), &json!({"name": "G"}));
    let first = create();
    for (permission, status, reason) in [
        ("POSTER", 403, "forbidden"),
        ("RECORDER", 403, "forbidden"),
        ("VIEWER", 403, "forbidden"),
        ("NONE", 404, "notFound"),
    ] {
        cast.share(cast.editor.email(), permission);
        create().refused(status, reason);
    }
    cast.share(cast.editor.email(), "EDITOR");
    replayed(&first, &create());
    // A POSTER's draft shows accounts that a RECORDER does not see, although it may record.
    cast.account("Cash", "ASSET");
    let poster = keyed(&cast.poster);
    let draft = || {
        let body = json!({"description": "d", "creditAccount": {"name": "Cash"}});
        poster.post(&cast.path("/transactions"), &body)
    };
    let first = draft();
    cast.share(cast.poster.email(), "RECORDER");
    draft().refused(403, "forbidden");
    cast.share(cast.poster.email(), "EDITOR");
    replayed(&first, &draft());
    // Access is checked before a different body under the same key.
    cast.share(cast.poster.email(), "NONE");
    poster.post(&cast.path("/transactions"), &json!({})).refused(404, "notFound");
}

fn requests_that_remove_their_own_access(server: &Server) {
    let cast = Cast::new(server);
    let viewer = keyed(&cast.viewer);
    let leave = cast.path(&format!("/collaborators/{}", cast.viewer.email()));
    let first = viewer.delete(&leave);
    first.clone().ok();
    replayed(&first, &viewer.delete(&leave));
    cast.viewer.get(&cast.path("")).refused(404, "notFound");
    let owner = keyed(&cast.owner);
    let asks = cast.path("/collaborators/request?permission=OWNER");
    cast.editor.post(&asks, &Value::Null).no_content();
    let give = || owner.post(&cast.path("/transfer"), &json!({"email": cast.editor.email()}));
    let first = give();
    replayed(&first, &give());
    let editor = keyed(&cast.editor);
    let first = editor.delete(&cast.path(""));
    first.clone().ok();
    replayed(&first, &editor.delete(&cast.path("")));
    // The old owner lost the remaining access together with the book.
    give().refused(404, "notFound");
}

fn readers_of_a_book_made_private(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    let reader = keyed(&cast.stranger);
    let copy = || reader.post(&cast.path("/copy?name=Mine"), &Value::Null);
    let first = copy();
    replayed(&first, &copy());
    let visibility = |name: &str| {
        cast.put("", &json!({"visibility": name})).ok();
    };
    visibility("PRIVATE");
    copy().refused(404, "notFound");
    visibility("PUBLIC");
    replayed(&first, &copy());
}

fn books_around_a_collection(server: &Server) {
    let cast = Cast::new(server);
    let shelf = cast.viewer.post("/v5/collections", &json!({"name": "Shelf"})).ok();
    let viewer = keyed(&cast.viewer);
    let path = format!("/v5/collections/{}/books/add", id(&shelf));
    let add = || viewer.patch(&path, &json!({"items": [{"id": cast.book}]}));
    let rename = || viewer.put("/v5/collections", &json!({"id": shelf["id"], "name": "Renamed"}));
    let (added, renamed) = (add(), rename());
    assert!(added.text.contains(&cast.book) && renamed.text.contains(&cast.book));
    replayed(&added, &add());
    replayed(&renamed, &rename());
    cast.share(cast.viewer.email(), "NONE");
    add().refused(404, "notFound");
    rename().refused(404, "notFound");
}

fn a_new_book_that_was_given_away(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create = || owner.post("/v5/books", &json!({"name": "New", "properties": {"a": "b"}}));
    let first = create();
    replayed(&first, &create());
    put_out(&cast, id(&first.ok()));
    create().refused(404, "notFound");
    let copy = || owner.post(&cast.path("/copy?name=Copy"), &Value::Null);
    let first = copy();
    replayed(&first, &copy());
    put_out(&cast, id(&first.ok()));
    copy().refused(404, "notFound");
}

fn apps_of_former_developers(server: &Server) {
    let cast = Cast::new(server);
    let app = unique("app");
    let user = cast.stranger.get("/v5/user").ok();
    let stranger = user["username"].as_str().expect("a username");
    let of = |developers: &str| json!({"id": app, "name": "App", "developers": developers});
    cast.owner.post("/v5/apps", &of(stranger)).ok();
    let developer = keyed(&cast.stranger);
    let change = || developer.put("/v5/apps", &json!({"id": app, "webhookUrl": "http://x.test"}));
    let first = change();
    replayed(&first, &change());
    cast.owner.put("/v5/apps", &of("nobody")).ok();
    change().refused(404, "notFound");
    let users = json!({"id": app, "name": "App", "users": stranger});
    cast.owner.put("/v5/apps", &users).ok();
    change().refused(403, "forbidden");
}

fn tokens_of_other_books(server: &Server) {
    let cast = Cast::new(server);
    let other = cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let token = |body: Value| {
        let issued = cast.owner.post("/v5/user/tokens", &body).ok();
        server.client_with_token(issued["token"].as_str().expect("a token"))
    };
    let (elsewhere, here, reader) = (
        token(json!({"books": [other["id"]]})),
        token(json!({"books": [cast.book]})),
        token(json!({"readOnly": true})),
    );
    let key = unique("key");
    let create = |client: &Client| {
        client.header("Idempotency-Key", &key).post(&cast.path("/groups"), &json!({"name": "G"}))
    };
    let first = create(&cast.owner);
    first.clone().ok();
    replayed(&first, &create(&here));
    for limited in [&elsewhere, &reader] {
        create(limited).refused(403, "insufficientScope");
    }
    // Responses that need no permission are not replayed to a token that never reached the book.
    let delete = |client: &Client| client.header("Idempotency-Key", &key).delete(&cast.path(""));
    let first = delete(&cast.owner);
    replayed(&first, &delete(&here));
    delete(&elsewhere).refused(403, "insufficientScope");
}

fn disabled_users(server: &Server) {
    let cast = Cast::new(server);
    let editor = keyed(&cast.editor);
    let create = || editor.post(&cast.path("/groups"), &json!({"name": "G"}));
    let first = create();
    set_disabled(server, cast.editor.email(), "disable");
    eventually("11.10: within 5 seconds", || {
        let answer = create();
        if answer.status != 403 {
            replayed(&first, &answer);
            return false;
        }
        answer.refused(403, "disabled");
        true
    });
}

/// 7.6: the response is the same for every id, also for a book without access.
fn access_request_reveals_nothing(server: &Server) {
    let cast = Cast::new(server);
    let viewer = keyed(&cast.viewer);
    let path = cast.path("/collaborators/request?permission=EDITOR");
    let ask = || viewer.post(&path, &Value::Null);
    ask().no_content();
    cast.share(cast.viewer.email(), "NONE");
    let again = ask();
    assert!(again.headers.contains_key("idempotency-replayed"));
    again.no_content();
}
