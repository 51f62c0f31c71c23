//! Collaborators (7.1, 7.4, 7.5): identified by the normalized email address, with one permission
//! per book. The row of the owner is fixed.

use daybook_tests::{Cast, Client, Server, all_pages, column, encode, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        list_begins_with_the_owner,
        second_add_updates_the_permission,
        spellings_of_an_email_are_one_collaborator,
        look_alike_emails_are_refused,
        readers_of_a_public_book_see_no_collaborators,
        invalid_permission_or_email_is_refused,
        owner_row_cannot_be_changed,
        collaborator_may_be_added_before_signing_up,
        remove_by_id_and_by_email_in_any_spelling,
        removal_takes_effect_at_once,
        read_only_fields_are_ignored,
    ]
}

/// A book and an email address that no user has.
struct CollaboratorFixture {
    cast: Cast,
    email: String,
}

fn fixture(server: &Server) -> CollaboratorFixture {
    CollaboratorFixture {
        cast: Cast::new(server),
        email: format!("{}@example.com", unique("guest")),
    }
}

impl CollaboratorFixture {
    fn share(&self, email: &str, permission: &str) -> daybook_tests::Answer {
        self.cast.post("/collaborators", &json!({"email": email, "permission": permission}))
    }

    fn rows(&self) -> Value {
        self.cast.read("/collaborators")["items"].clone()
    }

    fn row(&self, email: &str) -> Option<Value> {
        self.rows().as_array().expect("items").iter().find(|row| row["email"] == email).cloned()
    }

    fn remove(&self, name: &str) -> daybook_tests::Answer {
        self.cast.delete(&format!("/collaborators/{name}"))
    }
}

/// 7.5: then by email.
fn list_begins_with_the_owner(server: &Server) {
    let book = fixture(server);
    let added = book.share("aaa@example.com", "VIEWER").ok();
    shows(&added, &json!({"email": "aaa@example.com", "permission": "VIEWER"}));
    assert!(!id(&added).is_empty());
    book.share("zzz@example.com", "POSTER").ok();
    let rows = book.rows();
    let listed: Vec<String> = column(&json!({"items": rows}), "email");
    let mut others: Vec<String> = ["editor", "poster", "recorder", "viewer"]
        .iter()
        .filter_map(|kind| listed.iter().find(|email| email.starts_with(kind)).cloned())
        .collect();
    assert_eq!(others.len(), 4, "the cast is there");
    others.extend(["aaa@example.com".to_owned(), "zzz@example.com".to_owned()]);
    others.sort();
    assert_eq!(listed[0], book.cast.owner.email());
    assert_eq!(listed[1..], others);
    shows(&rows[0], &json!({"permission": "OWNER"}));
    for row in rows.as_array().expect("items") {
        assert!(row["avatarUrl"].is_string(), "7.5: avatarUrl is included: {row}");
        assert!(!id(row).is_empty());
    }
}

/// 7.5: the id stays, also after the user has signed in.
fn second_add_updates_the_permission(server: &Server) {
    let book = fixture(server);
    let first = book.share(&book.email, "VIEWER").ok();
    server.client(&book.email).get("/v5/user").ok();
    let second = book.share(&book.email, "EDITOR").ok();
    shows(&second, &json!({"id": first["id"], "permission": "EDITOR"}));
    let emails = column(&book.cast.read("/collaborators"), "email");
    assert_eq!(emails.iter().filter(|email| **email == book.email).count(), 1);
    shows(&book.row(&book.email).expect("listed"), &second);
}

/// 7.9: case, composition and the form of the domain do not distinguish addresses.
fn spellings_of_an_email_are_one_collaborator(server: &Server) {
    let book = fixture(server);
    let local = unique("zo\u{eb}");
    let email = format!("{local}@xn--bcher-kva.example");
    let spellings = [
        format!("{}@B\u{dc}CHER.Example", local.to_uppercase()),
        format!("{}@bu\u{308}cher.example", local.replace('\u{eb}', "e\u{308}")),
        format!("{local}@XN--BCHER-KVA.example"),
        format!(" {email}\t"),
    ];
    let added = book.share(&email, "VIEWER").ok();
    shows(&added, &json!({"email": email}));
    for spelling in &spellings {
        let row = book.share(spelling, "POSTER").ok();
        shows(&row, &json!({"id": added["id"], "email": email}));
        let guest = server.client(spelling);
        assert_eq!(guest.get("/v5/user").ok()["email"], email.as_str(), "{spelling:?}");
        assert_eq!(guest.get(&book.cast.path("")).ok()["permission"], "POSTER", "{spelling:?}");
    }
    assert_eq!(book.rows().as_array().map(Vec::len), Some(6), "one row for all of them");
    for spelling in &spellings {
        let row = book.share(&email, "VIEWER").ok();
        assert_eq!(book.remove(&encode(spelling)).ok()["id"], row["id"], "{spelling:?}");
        assert_eq!(book.row(&email), None);
    }
}

/// 7.9: a confusable address is refused with a message that names the character, also by `daybook
/// token`. The domain crate tests the full table.
fn look_alike_emails_are_refused(server: &Server) {
    let book = fixture(server);
    let before = book.rows();
    for (email, fault) in [
        ("\u{212a}ate@example.com".to_owned(), "U+212A"),
        ("p\u{430}ypal@example.com".to_owned(), "confused with another"),
        ("alice@\u{ff45}xample.com".to_owned(), "invalid domain"),
        (format!("{}@example.com", "a".repeat(65)), "64 bytes"),
    ] {
        let message = book.share(&email, "VIEWER").refused(400, "badRequest");
        assert!(message.contains(fault), "{email:?}: {message}");
        book.remove(&encode(&email)).refused(404, "notFound");
        let run = server.admin(&["token"]).args(["--email", &email]).output().expect("it runs");
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && run.stdout.is_empty(), "{email:?}");
        assert!(error.contains(fault), "{email:?}: {error}");
    }
    assert_eq!(book.rows(), before);
}

/// 7.3: neither lists nor events reveal them.
fn readers_of_a_public_book_see_no_collaborators(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    cast.share("guest@example.com", "VIEWER");
    cast.share("guest@example.com", "POSTER");
    cast.delete("/collaborators/guest@example.com").ok();
    cast.account("Cash", "ASSET");
    const WHOLE: &str = "limit=200";
    let list =
        |client: &Client, query: &str| client.get(&cast.path(&format!("/events?{query}"))).ok();
    let about = |events: &Value| -> Vec<Value> {
        let items = events["items"].as_array().expect("items").iter();
        let about = items.filter(|event| {
            event["type"].as_str().is_some_and(|name| name.starts_with("COLLABORATOR_"))
        });
        about.cloned().collect()
    };
    let all = list(&cast.owner, WHOLE);
    let secret = about(&all);
    assert!(secret.len() >= 7, "four members and the changes of the guest: {all}");
    for (role, member) in cast.members() {
        member.get(&cast.path("/collaborators")).ok();
        assert_eq!(about(&list(member, WHOLE)).len(), secret.len(), "{role}");
    }
    let reader = &cast.stranger;
    reader.get(&cast.path("/collaborators")).refused(403, "forbidden");
    let seen = list(reader, WHOLE);
    assert_eq!(about(&seen), Vec::<Value>::new());
    let others = column(&all, "id").len() - secret.len();
    assert_eq!(column(&seen, "id").len(), others, "all other events are there");
    for event in &secret {
        let event_id = id(event);
        reader.get(&cast.path(&format!("/events/{event_id}"))).refused(404, "notFound");
        cast.viewer.get(&cast.path(&format!("/events/{event_id}"))).ok();
        let kind = event["type"].as_str().expect("a type");
        let resource = event["resource"].as_str().expect("an id");
        for query in [format!("type={kind}"), format!("resourceId={resource}")] {
            assert_eq!(list(reader, &query)["items"], json!([]), "{query}");
            assert!(!about(&list(&cast.viewer, &query)).is_empty(), "{query}");
        }
    }
    // Pages contain the same events.
    let paged = all_pages(|cursor| list(reader, &format!("limit=2&cursor={cursor}")));
    assert_eq!(paged, seen["items"].as_array().expect("items").as_slice());
}

/// 7.5.
fn invalid_permission_or_email_is_refused(server: &Server) {
    let book = fixture(server);
    let before = book.rows();
    let _message = book.share(&book.email, "OWNER").refused(400, "badRequest");
    for email in ["", "a@", "no-at-sign", "a b@example.com", "a@b@c.com"] {
        let answer = book.share(email, "VIEWER");
        assert_eq!(answer.status, 400, "{email:?}: {}", answer.text);
    }
    assert_eq!(book.rows(), before);
}

/// 7.5: also by an EDITOR.
fn owner_row_cannot_be_changed(server: &Server) {
    let book = fixture(server);
    let before = book.rows();
    let owner = book.cast.owner.email().to_owned();
    for client in [&book.cast.owner, &book.cast.editor] {
        for permission in ["EDITOR", "VIEWER", "NONE", "OWNER"] {
            let body = json!({"email": owner, "permission": permission});
            client.post(&book.cast.path("/collaborators"), &body).refused(400, "badRequest");
        }
        for name in [owner.as_str(), id(&before[0]), &owner.to_uppercase()] {
            client
                .delete(&book.cast.path(&format!("/collaborators/{name}")))
                .refused(400, "badRequest");
        }
    }
    assert_eq!(book.rows(), before);
}

/// 7.5: the user gets access on signing in with that address.
fn collaborator_may_be_added_before_signing_up(server: &Server) {
    let book = fixture(server);
    book.share(&book.email, "POSTER").ok();
    let guest = server.client(&book.email);
    assert_eq!(guest.get(&book.cast.path("")).ok()["permission"], "POSTER");
    assert_eq!(column(&guest.get("/v5/books").ok(), "id"), [book.cast.book.as_str()]);
    server.client(&format!("x{}", book.email)).get(&book.cast.path("")).refused(404, "notFound");
    // Permissions are per book.
    let other = fixture(server);
    other.share(&book.email, "VIEWER").ok();
    assert_eq!(guest.get(&other.cast.path("")).ok()["permission"], "VIEWER");
    other.remove(&book.email).ok();
    assert_eq!(guest.get(&book.cast.path("")).ok()["permission"], "POSTER");
}

/// 0.5, 7.5: with `@` bare or encoded, a trailing slash, or other case.
fn remove_by_id_and_by_email_in_any_spelling(server: &Server) {
    let book = fixture(server);
    let plus = book.email.replace('@', "+tag@");
    for (email, path) in [
        (&book.email, format!("{}?", book.email)),
        (&book.email, encode(&book.email)),
        (&book.email, book.email.to_uppercase()),
        (&book.email, format!("{}/", book.email)),
        (&plus, plus.clone()),
        (&plus, encode(&plus)),
    ] {
        let added = book.share(email, "VIEWER").ok();
        let removed = book.remove(&path).ok();
        shows(&removed, &json!({"id": added["id"], "email": email}));
        assert_eq!(book.row(email), None, "{path}");
    }
    let added = book.share(&book.email, "VIEWER").ok();
    shows(&book.remove(id(&added)).ok(), &json!({"id": added["id"], "email": book.email}));
    assert_eq!(book.row(&book.email), None);
}

/// 0.11, 7.5: also by the permission NONE.
fn removal_takes_effect_at_once(server: &Server) {
    let book = fixture(server);
    let cast = &book.cast;
    cast.account("Cash", "ASSET");
    for by_none in [false, true] {
        book.share(&book.email, "EDITOR").ok();
        let guest = server.client(&book.email);
        guest.get(&cast.path("/accounts")).ok();
        let removed =
            if by_none { book.share(&book.email, "NONE") } else { book.remove(&book.email) };
        assert_eq!(removed.ok()["email"], book.email.as_str());
        assert_eq!(book.row(&book.email), None);
        guest.get(&cast.path("/accounts")).refused(404, "notFound");
    }
    book.share(cast.editor.email(), "VIEWER").ok();
    cast.editor.post(&cast.path("/accounts"), &json!({"name": "Bank"})).refused(403, "forbidden");
    let before = book.rows();
    for name in ["nobody@example.com", "12345678901", "nobody", "%20", cast.stranger.email()] {
        book.remove(name).refused(404, "notFound");
    }
    assert_eq!(book.rows(), before);
}

/// 7.5, 9.13.
fn read_only_fields_are_ignored(server: &Server) {
    let book = fixture(server);
    let body = json!({
        "email": book.email, "permission": "VIEWER", "id": "mine", "avatarUrl": "http://x",
        "agentId": "forged",
    });
    let path = book.cast.path("/collaborators?message=Hello%20there%0Afriend");
    let row = book.cast.owner.post(&path, &body).ok();
    for field in ["id", "avatarUrl", "agentId"] {
        assert_ne!(row[field], body[field], "{field}");
    }
}
