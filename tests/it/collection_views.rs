//! Collections in books, lists and events (1.5, 6.2, 6.5, 6.8, 8.4). A collaborator sees nothing of
//! the other books of the owner.

use daybook_tests::{Cast, Client, Server, column, encode, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::collections::{add, book, change, collection, inside, names, person, read};
use crate::reading::{events, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_2_book_shows_its_collection,
        rule_6_2_own_collection_precedes_that_of_the_owner,
        rule_6_2_collection_of_the_owner_shows_shared_books_only,
        rule_6_9_public_books_are_shown_in_own_collection,
        rule_9_19_lists_limit_repeated_collections,
        rule_6_5_deleted_book_leaves_collections,
        rule_1_5_search_matches_the_collection_name,
        rule_8_1_collections_record_no_events,
        rule_8_4_events_show_the_collection,
        rule_9_19_event_pages_limit_repeated_collections,
    ]
}

/// 6.2, 6.8: getBook, listBooks and updateBook show the collection with its books, which do not
/// repeat it.
fn rule_6_2_book_shows_its_collection(server: &Server) {
    let owner = person(server, "owner");
    let shelf = collection(&owner, "Shelf");
    let (a, b) = (book(&owner, "a"), book(&owner, "b"));
    shows(&owner.get(&format!("/v5/books/{}", id(&a))).ok(), &json!({"collection": null}));
    add(&owner, &shelf, &[&b, &a]);
    let whole = read(&owner, &shelf);
    assert_eq!(inside(&whole), ["a", "b"]);
    let expected = json!({
        "id": a["id"], "permission": "OWNER", "properties": {"code": "a"}, "collection": null,
        "accounts": null,
    });
    shows(&whole["books"][0], &expected);
    let path = format!("/v5/books/{}", id(&a));
    // It contains the updated book.
    let updated = owner.put(&path, &json!({"pageSize": 7})).ok();
    let whole = read(&owner, &shelf);
    assert_eq!(whole["books"][0]["pageSize"], 7);
    for seen in
        [updated, owner.get(&path).ok(), owner.get(&format!("{path}?loadAccounts=true")).ok()]
    {
        assert_eq!(seen["collection"], whole);
    }
    let listed = owner.get("/v5/books").ok();
    let shown: Vec<Vec<String>> =
        items(&listed).iter().map(|book| inside(&book["collection"])).collect();
    assert_eq!(shown, [["a", "b"], ["a", "b"]]);
    // 6.4: a collection in the body is ignored.
    let mut back = owner.get(&path).ok();
    back["collection"] = json!({"id": "nothing", "name": "Stolen", "books": []});
    assert_eq!(owner.put(&path, &back).ok()["collection"]["name"], "Shelf");
    back["collection"] = Value::Null;
    assert_eq!(owner.put("/v5/books", &back).ok()["collection"]["name"], "Shelf");
}

/// 6.2.
fn rule_6_2_own_collection_precedes_that_of_the_owner(server: &Server) {
    let cast = Cast::new(server);
    let shared = json!({"id": cast.book});
    let seen = |reader: &Client| {
        let (read, listed) =
            (reader.get(&cast.path("")).ok()["collection"].clone(), reader.get("/v5/books").ok());
        let of_list = items(&listed)
            .iter()
            .find(|book| book["id"] == cast.book)
            .expect("it is listed")["collection"]
            .clone();
        assert_eq!(read, of_list, "behaviour 6.8");
        let of_event =
            items(&reader.get(&cast.path("/events?limit=1")).ok())[0]["book"]["collection"].clone();
        assert_eq!(read, of_event, "behaviour 8.4");
        (read["name"].clone(), read["permission"].clone())
    };
    let theirs = collection(&cast.editor, "Editor's");
    add(&cast.editor, &theirs, &[&shared]);
    assert_eq!(seen(&cast.editor), (json!("Editor's"), json!("OWNER")));
    // Collections of other collaborators are hidden.
    assert_eq!(seen(&cast.owner), (Value::Null, Value::Null));
    let owners = collection(&cast.owner, "Owner's");
    add(&cast.owner, &owners, &[&shared]);
    assert_eq!(seen(&cast.editor), (json!("Editor's"), json!("OWNER")));
    assert_eq!(seen(&cast.owner), (json!("Owner's"), json!("OWNER")));
    assert_eq!(seen(&cast.viewer), (json!("Owner's"), json!("VIEWER")));
    change(&cast.editor, &theirs, "remove", &[&shared]).ok();
    assert_eq!(seen(&cast.editor), (json!("Owner's"), json!("VIEWER")));
}

/// 6.2, 7.4.
fn rule_6_2_collection_of_the_owner_shows_shared_books_only(server: &Server) {
    let cast = Cast::new(server);
    let (private, public) = (
        book(&cast.owner, "Private"),
        cast.owner.post("/v5/books", &json!({"name": "Public", "visibility": "PUBLIC"})).ok(),
    );
    let second = book(&cast.owner, "Second");
    let share = json!({"email": cast.viewer.email(), "permission": "POSTER"});
    cast.owner.post(&format!("/v5/books/{}/collaborators", id(&second)), &share).ok();
    let shelf = collection(&cast.owner, "Shelf");
    add(&cast.owner, &shelf, &[&json!({"id": cast.book}), &private, &public, &second]);
    assert_eq!(inside(&cast.read("")["collection"]).len(), 4);
    let name = cast.read("")["name"].as_str().expect("a name").to_owned();
    let listed = cast.viewer.get("/v5/books").ok();
    for seen in items(&listed)
        .iter()
        .map(|book| &book["collection"])
        .chain([&cast.viewer.get(&cast.path("")).ok()["collection"]])
    {
        // Neither the private one nor the id of the PUBLIC one.
        assert_eq!(inside(seen), [name.as_str(), "Second"]);
        assert_eq!(column(&json!({"items": seen["books"]}), "permission"), ["VIEWER", "POSTER"]);
        assert_eq!(seen["ownerUsername"], cast.owner.get("/v5/user").ok()["username"]);
    }
}

/// 6.9, 9.10: the collection of the owner is shown to collaborators only.
fn rule_6_9_public_books_are_shown_in_own_collection(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC", "name": "Rates"}));
    let public = json!({"id": cast.book});
    add(&cast.owner, &collection(&cast.owner, "Owner's"), &[&public]);
    let expected = json!({"permission": "VIEWER", "collection": null});
    shows(&cast.stranger.get(&cast.path("")).ok(), &expected);
    let shelf = collection(&cast.stranger, "Shelf");
    add(&cast.stranger, &shelf, &[&public, &book(&cast.stranger, "Own")]);
    assert_eq!(inside(&cast.stranger.get(&cast.path("")).ok()["collection"]), ["Own", "Rates"]);
    let listed = cast.stranger.get("/v5/books").ok();
    assert_eq!(names(&listed), ["Own"]);
    assert_eq!(inside(&listed["items"][0]["collection"]), ["Own", "Rates"]);
    cast.put("", &json!({"visibility": "PRIVATE"})).ok();
    assert_eq!(inside(&read(&cast.stranger, &shelf)), ["Own"]);
}

/// Creates books with 60 KB of properties each, which makes 61 KB of JSON.
fn wide_books(owner: &Client, numbers: std::ops::Range<usize>) -> Vec<Value> {
    let value = "v".repeat(7_500);
    let properties: Value = (0..8).map(|key| (format!("key_{key}"), json!(value))).collect();
    let made = numbers.map(|number| {
        let body = json!({"name": format!("book{number:02}"), "properties": properties});
        owner.post("/v5/books", &body).ok()
    });
    made.collect()
}

/// 9.19: repeated collections are limited to 8 MB, so a list does not grow quadratically.
fn rule_9_19_lists_limit_repeated_collections(server: &Server) {
    let owner = person(server, "owner");
    let (shelf, other) = (collection(&owner, "Shelf"), collection(&owner, "Other"));
    let (books, plain) = (wide_books(&owner, 0..11), [book(&owner, "x"), book(&owner, "y")]);
    add(&owner, &shelf, &books.iter().collect::<Vec<_>>());
    add(&owner, &other, &plain.iter().collect::<Vec<_>>());
    let shown = |query: &str| -> Vec<Option<usize>> {
        let list = owner.get(&format!("/v5/books{query}")).ok();
        let around = items(&list).iter().map(|book| &book["collection"]);
        let whole = around.clone().filter(|collection| collection["books"].is_array());
        let bytes: usize = whole.map(|collection| collection.to_string().len()).sum();
        assert!(bytes <= 8 * 1024 * 1024, "{bytes} bytes");
        assert!(around.clone().all(|collection| collection["id"].is_string()));
        around.map(|collection| Some(collection["books"].as_array()?.len())).collect()
    };
    assert_eq!(shown(""), [vec![Some(11); 11], vec![Some(2); 2]].concat(), "7.4 MB");
    let last = wide_books(&owner, 11..12);
    add(&owner, &shelf, &[&last[0]]);
    let expected = [vec![Some(12); 11], vec![None], vec![Some(2); 2]].concat();
    assert_eq!(shown(""), expected, "the twelfth would make 8.8 MB of it");
    assert_eq!(shown("?query=book1"), [Some(12); 2], "fewer rows show them again");
    assert_eq!(inside(&read(&owner, &shelf)).len(), 12);
}

/// 6.5.
fn rule_6_5_deleted_book_leaves_collections(server: &Server) {
    let cast = Cast::new(server);
    let shared = json!({"id": cast.book});
    let shelves = [&cast.owner, &cast.viewer].map(|person| {
        let shelf = collection(person, "Shelf");
        add(person, &shelf, &[&shared, &book(person, "Other")]);
        (person, shelf)
    });
    cast.delete("").ok();
    for (person, shelf) in shelves {
        assert_eq!(inside(&read(person, &shelf)), ["Other"]);
        assert_eq!(inside(&person.get("/v5/books").ok()["items"][0]["collection"]), ["Other"]);
        change(person, &shelf, "add", &[&shared]).refused(404, "notFound");
        let former = person.delete(&format!("/v5/collections/{}", id(&shelf))).ok();
        assert_eq!(names(&former), ["Other"]);
    }
}

/// 1.5.
fn rule_1_5_search_matches_the_collection_name(server: &Server) {
    let owner = person(server, "owner");
    let shelf = collection(&owner, "Café Clients");
    let (a, b) = (book(&owner, "a"), book(&owner, "b"));
    book(&owner, "clients of mine");
    add(&owner, &shelf, &[&a, &b]);
    for (term, expected) in [
        ("cafe cl", vec!["a", "b"]),
        ("CLIENTS", vec!["a", "b", "clients of mine"]),
        ("nobody's", vec![]),
    ] {
        let found = owner.get(&format!("/v5/books?query={}", encode(term))).ok();
        assert_eq!(names(&found), expected, "{term}");
        for found in items(&found).iter().filter(|book| book["name"] != "clients of mine") {
            // The whole collection, whatever is searched.
            assert_eq!(inside(&found["collection"]), ["a", "b"]);
        }
    }
}

/// 8.1, 6.11: the book is unchanged.
fn rule_8_1_collections_record_no_events(server: &Server) {
    let cast = Cast::new(server);
    let (before, known) = (cast.read(""), events(&cast).len());
    let shelf = collection(&cast.owner, "Shelf");
    let shared = json!({"id": cast.book});
    add(&cast.owner, &shelf, &[&shared]);
    cast.owner.put("/v5/collections", &json!({"id": shelf["id"], "name": "New"})).ok();
    change(&cast.owner, &shelf, "remove", &[&shared]).ok();
    cast.owner.delete(&format!("/v5/collections/{}", id(&shelf))).ok();
    assert_eq!(events(&cast).len(), known);
    assert_eq!(cast.read(""), before, "lastUpdateMs included");
}

/// 8.4: with `books[]` and their properties, as visible to the reader.
fn rule_8_4_events_show_the_collection(server: &Server) {
    let cast = Cast::new(server);
    let other = book(&cast.owner, "Other");
    add(&cast.owner, &collection(&cast.owner, "Shelf"), &[&json!({"id": cast.book}), &other]);
    let event = items(&cast.read("/events?limit=1"))[0].clone();
    let shown = event["book"]["collection"]["books"].as_array().expect("books").clone();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().any(|book| book["properties"] == json!({"code": "Other"})));
    assert!(shown.iter().all(|book| book["properties"].is_object()));
    let single = cast.viewer.get(&cast.path(&format!("/events/{}", id(&event)))).ok();
    assert_eq!(
        column(&json!({"items": single["book"]["collection"]["books"]}), "id"),
        [cast.book.as_str()]
    );
}

/// 9.19, 8.4: a page ends before the repeated collections exceed 8 MB; no event is lost between
/// pages.
fn rule_9_19_event_pages_limit_repeated_collections(server: &Server) {
    let owner = person(server, "owner");
    let books = wide_books(&owner, 0..20);
    add(&owner, &collection(&owner, "Shelf"), &books.iter().collect::<Vec<_>>());
    let path = format!("/v5/books/{}", id(&books[0]));
    let accounts: Vec<Value> =
        (0..10).map(|number| json!({"name": format!("Account {number}")})).collect();
    owner.post(&format!("{path}/accounts/batch"), &json!({"items": accounts})).ok();
    let (mut sequences, mut pages, mut cursor) = (Vec::new(), Vec::new(), String::new());
    loop {
        let page = owner.get(&format!("{path}/events?limit=200&cursor={}", encode(&cursor))).ok();
        let shown = items(&page).iter().map(|event| event["book"].to_string().len());
        assert!(shown.sum::<usize>() <= 8 * 1024 * 1024);
        for event in items(&page) {
            assert_eq!(inside(&event["book"]["collection"]).len(), 20, "8.4");
            sequences.push(event["sequence"].as_i64().expect("a number"));
        }
        pages.push(items(&page).len());
        match page["cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    // Each event repeats 20 x 60 KB and its own 60 KB.
    assert_eq!(pages, [6, 5]);
    assert_eq!(sequences, (1..=11).rev().collect::<Vec<i64>>());
    let first = owner.get(&format!("{path}/events?limit=2")).ok();
    assert_eq!(items(&first).len(), 2, "a smaller limit is kept");
}
