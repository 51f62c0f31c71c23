//! Collections (9.10): sets of books of one user; a book is in at most one per owner. Their
//! presentation is in `collection_views`.

use daybook_tests::{Cast, Client, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_9_10_created_collection_is_listed,
        rule_9_10_delete_returns_the_former_books,
        rule_9_10_collections_of_others_are_not_found,
        rule_9_10_add_and_remove_return_affected_books,
        rule_9_10_book_is_in_one_collection_per_owner,
        rule_9_10_adding_requires_access,
        rule_9_10_inaccessible_books_are_hidden,
        rule_9_13_missing_fields_are_refused,
    ]
}

pub fn person(server: &Server, kind: &str) -> Client {
    server.client(&format!("{}@example.com", unique(kind)))
}

#[track_caller]
pub fn book(owner: &Client, name: &str) -> Value {
    owner.post("/v5/books", &json!({"name": name, "properties": {"code": name}})).ok()
}

#[track_caller]
pub fn collection(owner: &Client, name: &str) -> Value {
    owner.post("/v5/collections", &json!({"name": name})).ok()
}

pub fn change(
    owner: &Client,
    collection: &Value,
    verb: &str,
    books: &[&Value],
) -> daybook_tests::Answer {
    let items: Vec<Value> = books.iter().map(|book| json!({"id": book["id"]})).collect();
    owner.patch(
        &format!("/v5/collections/{}/books/{verb}", id(collection)),
        &json!({"items": items}),
    )
}

#[track_caller]
pub fn add(owner: &Client, collection: &Value, books: &[&Value]) -> Value {
    change(owner, collection, "add", books).ok()
}

#[track_caller]
pub fn names(list: &Value) -> Vec<String> {
    column(list, "name")
}

/// The names of the books of a collection.
#[track_caller]
pub fn inside(collection: &Value) -> Vec<String> {
    column(&json!({"items": collection["books"]}), "name")
}

#[track_caller]
pub fn read(reader: &Client, collection: &Value) -> Value {
    reader.get(&format!("/v5/collections/{}", id(collection))).ok()
}

/// 9.10, 12.9: the creator is the owner.
fn rule_9_10_created_collection_is_listed(server: &Server) {
    let owner = person(server, "owner").header("service-agent-id", "importer");
    assert_eq!(owner.get("/v5/collections").ok(), json!({"items": []}));
    let clients = collection(&owner, " clients ");
    let username = owner.get("/v5/user").ok()["username"].clone();
    let expected = json!({
        "name": "clients", "ownerUsername": username, "permission": "OWNER", "books": [],
        "agentId": "importer",
    });
    shows(&clients, &expected);
    assert_eq!(clients["createdAt"], clients["updatedAt"]);
    let (own, archive) = (collection(&owner, "Own"), collection(&owner, "Archive"));
    // By name, ignoring case.
    assert_eq!(owner.get("/v5/collections?").ok()["items"], json!([archive, clients, own]));
    assert_eq!(read(&owner, &clients), clients);
    let model = collection(&owner, "Own");
    assert_ne!(model["id"], own["id"], "names may repeat");
    let sent = json!({
        "name": "X", "id": "mine", "ownerUsername": "bob", "permission": "VIEWER",
        "books": [{"id": "nothing"}],
    });
    let made = owner.post("/v5/collections", &sent).ok();
    shows(&made, &json!({"ownerUsername": username, "permission": "OWNER", "books": []}));
}

/// 9.10: deleteCollection returns its former books, which stay.
fn rule_9_10_delete_returns_the_former_books(server: &Server) {
    let owner = person(server, "owner");
    let (shelf, other) = (collection(&owner, "Shelf"), collection(&owner, "Other"));
    let (a, b, c) = (book(&owner, "a"), book(&owner, "B"), book(&owner, "c"));
    add(&owner, &shelf, &[&b, &a]);
    add(&owner, &other, &[&c]);
    let path = format!("/v5/collections/{}", id(&shelf));
    assert_eq!(names(&owner.delete(&path).ok()), ["a", "B"]);
    owner.delete(&path).refused(404, "notFound");
    assert_eq!(names(&owner.get("/v5/books").ok()), ["a", "B", "c"]);
    shows(&owner.get(&format!("/v5/books/{}", id(&a))).ok(), &json!({"collection": null}));
    assert_eq!(inside(&read(&owner, &other)), ["c"]);
    let empty = format!("/v5/collections/{}", id(&collection(&owner, "Empty")));
    assert_eq!(owner.delete(&empty).ok(), json!({"items": []}));
}

/// 9.10: with the same message as for an unknown id.
fn rule_9_10_collections_of_others_are_not_found(server: &Server) {
    let cast = Cast::new(server);
    let shelf = collection(&cast.owner, "Shelf");
    let shared = json!({"id": cast.book});
    add(&cast.owner, &shelf, &[&shared]);
    let path = format!("/v5/collections/{}", id(&shelf));
    let paths = [
        path.clone(),
        "/v5/collections/ffffffffffffffff".to_owned(),
        "/v5/collections/nothing".to_owned(),
    ];
    for (_, member) in cast.members().into_iter().skip(1).chain([("", &cast.stranger)]) {
        assert_eq!(member.get("/v5/collections").ok()["items"], json!([]));
        for path in &paths {
            let books = json!({"items": [shared]});
            let answers = [
                member.get(path),
                member.delete(path),
                member.patch(&format!("{path}/books/add"), &books),
                member.patch(&format!("{path}/books/remove"), &books),
            ];
            for answer in answers {
                assert!(answer.refused(404, "notFound").contains("collection not found"));
            }
        }
        member
            .put("/v5/collections", &json!({"id": shelf["id"], "name": "Mine"}))
            .refused(404, "notFound");
    }
    shows(&read(&cast.owner, &shelf), &json!({"name": "Shelf", "updatedAt": shelf["updatedAt"]}));
    assert_eq!(inside(&read(&cast.owner, &shelf)).len(), 1);
}

/// 9.10: a book added twice is listed and unchanged.
fn rule_9_10_add_and_remove_return_affected_books(server: &Server) {
    let owner = person(server, "owner");
    let shelf = collection(&owner, "Shelf");
    let (a, b, c) = (book(&owner, "a"), book(&owner, "b"), book(&owner, "c"));
    let added = add(&owner, &shelf, &[&c, &a, &c]);
    assert_eq!(names(&added), ["c", "a"], "in the order given, each once");
    let expected = json!({
        "permission": "OWNER", "properties": {"code": "c"}, "accounts": null, "groups": null,
    });
    shows(&added["items"][0], &expected);
    assert_eq!(names(&add(&owner, &shelf, &[&a, &b])), ["a", "b"], "one is there already");
    assert_eq!(inside(&read(&owner, &shelf)), ["a", "b", "c"]);
    assert_eq!(add(&owner, &shelf, &[]), json!({"items": []}));
    let removed = change(&owner, &shelf, "remove", &[&b, &a]).ok();
    assert_eq!(names(&removed), ["b", "a"]);
    let unknown = json!({"id": "nothing"});
    let removed = change(&owner, &shelf, "remove", &[&a, &unknown, &c]).ok();
    assert_eq!(names(&removed), ["c"], "9.18: unknown books are ignored");
    assert_eq!(inside(&read(&owner, &shelf)), Vec::<String>::new());
    assert_eq!(read(&owner, &shelf)["updatedAt"], shelf["updatedAt"], "it is unchanged itself");
}

/// 9.10: a book is in at most one collection per owner.
fn rule_9_10_book_is_in_one_collection_per_owner(server: &Server) {
    let cast = Cast::new(server);
    let shared = json!({"id": cast.book});
    let (one, two) = (collection(&cast.owner, "One"), collection(&cast.owner, "Two"));
    let theirs = collection(&cast.viewer, "Theirs");
    add(&cast.owner, &one, &[&shared]);
    add(&cast.viewer, &theirs, &[&shared]);
    assert_eq!(add(&cast.owner, &two, &[&shared])["items"][0]["id"], cast.book);
    let sizes = |reader: &Client| -> Vec<usize> {
        let listed = reader.get("/v5/collections").ok();
        items(&listed)
            .iter()
            .map(|collection| items(&json!({"items": collection["books"]})).len())
            .collect()
    };
    assert_eq!(sizes(&cast.owner), [0, 1]);
    assert_eq!(sizes(&cast.viewer), [1], "of another owner");
    // It is no longer there.
    assert_eq!(change(&cast.owner, &one, "remove", &[&shared]).ok(), json!({"items": []}));
    assert_eq!(sizes(&cast.owner), [0, 1]);
}

/// 9.10: a refused request changes nothing.
fn rule_9_10_adding_requires_access(server: &Server) {
    let cast = Cast::new(server);
    let shelf = collection(&cast.stranger, "Shelf");
    let (own, foreign) = (book(&cast.stranger, "Own"), json!({"id": cast.book}));
    let nowhere = json!({"id": "0192c0ffee"});
    let message =
        change(&cast.stranger, &shelf, "add", &[&own, &foreign, &nowhere]).refused(404, "notFound");
    let expected = format!("not found. Ids: [{}, 0192c0ffee]", cast.book);
    assert!(message.contains(&expected), "3.6.5: {message}");
    assert_eq!(inside(&read(&cast.stranger, &shelf)), Vec::<String>::new());
    for (permission, member) in cast.members() {
        let shelf = collection(member, "Shelf");
        let added = add(member, &shelf, &[&foreign]);
        assert_eq!(added["items"][0]["permission"], permission, "that of the caller");
        assert_eq!(read(member, &shelf)["books"][0]["permission"], permission);
    }
}

/// 9.10.
fn rule_9_10_inaccessible_books_are_hidden(server: &Server) {
    let cast = Cast::new(server);
    let shelf = collection(&cast.viewer, "Shelf");
    let (own, shared) = (book(&cast.viewer, "Own"), json!({"id": cast.book}));
    add(&cast.viewer, &shelf, &[&own, &shared]);
    assert_eq!(inside(&read(&cast.viewer, &shelf)).len(), 2);
    cast.delete(&format!("/collaborators/{}", cast.viewer.email())).ok();
    assert_eq!(inside(&read(&cast.viewer, &shelf)), ["Own"]);
    assert_eq!(inside(&cast.viewer.get("/v5/collections").ok()["items"][0]), ["Own"]);
    change(&cast.viewer, &shelf, "add", &[&shared]).refused(404, "notFound");
    cast.share(cast.viewer.email(), "EDITOR");
    assert_eq!(inside(&read(&cast.viewer, &shelf)).len(), 2, "it stayed in the collection");
    cast.delete(&format!("/collaborators/{}", cast.viewer.email())).ok();
    // 9.18: it is removed without being shown.
    assert_eq!(change(&cast.viewer, &shelf, "remove", &[&shared]).ok(), json!({"items": []}));
    cast.share(cast.viewer.email(), "VIEWER");
    assert_eq!(inside(&read(&cast.viewer, &shelf)), ["Own"]);
}

/// 9.13.
fn rule_9_13_missing_fields_are_refused(server: &Server) {
    let owner = person(server, "owner");
    let shelf = collection(&owner, "Shelf");
    for body in [json!({}), json!({"name": "  "}), json!({"name": "x".repeat(256)})] {
        let message = owner.post("/v5/collections", &body).refused(400, "badRequest");
        assert!(message.contains("name"), "{body}: {message}");
    }
    let put = |body: Value| owner.put("/v5/collections", &body).refused(400, "badRequest");
    assert!(put(json!({"name": "X"})).contains("id"));
    put(json!({"id": shelf["id"], "name": " "}));
    let path = format!("/v5/collections/{}/books/add", id(&shelf));
    for body in [json!({"items": [{"name": "B"}]}), json!({"items": [{"id": " "}]})] {
        assert!(owner.patch(&path, &body).refused(400, "badRequest").contains("id"), "{body}");
    }
    for body in [json!({}), json!([]), json!({"items": [3]}), json!({"items": [["id"]]})] {
        owner.patch(&path, &body).refused(400, "invalid");
    }
    let many: Vec<Value> = (0..10_001).map(|number| json!({"id": format!("{number}")})).collect();
    owner.patch(&path, &json!({"items": many})).refused(400, "badRequest");
    assert_eq!(owner.get("/v5/collections").ok()["items"], json!([shelf]));
}
