//! Operator commands on users (7.11): `daybook user show`, `rename-email` and `delete`.

use std::sync::atomic::{AtomicBool, Ordering};

use daybook_tests::browser::{Browser, login_link};
use daybook_tests::{Cast, Client, RawSql, Server, SetAtEnd, column, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;

pub fn tests() -> Vec<Case> {
    crate::cases![
        a_user_is_shown,
        a_renamed_user_keeps_everything,
        books_show_the_new_address,
        book_created_after_renaming_has_the_new_owner,
        addresses_that_collide_are_refused,
        a_deleted_user_leaves_their_books,
        deleted_user_leaves_no_rows,
        owners_are_not_deleted,
        unknown_users_are_not_found,
        requests_succeed_while_a_user_is_renamed,
        users_are_renamed_during_transfers,
        users_are_deleted_during_transfers,
        deleted_user_creates_no_books,
        calls_of_a_deleted_user_are_not_counted,
    ]
}

/// Runs `daybook user`; returns its output, or its error message.
fn run(server: &Server, arguments: &[&str]) -> Result<String, String> {
    server.run(&[&["user"], arguments].concat())
}

fn person() -> String {
    format!("{}@example.org", unique("operated"))
}

/// The events of a type in a book, newest first.
fn events(cast: &Cast, kind: &str) -> Vec<Value> {
    let all = cast.get("/events?limit=200").ok();
    let items = all["items"].as_array().expect("items").iter();
    items.filter(|event| event["type"] == kind).cloned().collect()
}

/// Audits the book, which must find the log intact.
#[track_caller]
fn audited(cast: &Cast) {
    let event = audit(cast);
    assert_eq!(event["data"]["audit"]["findingsCount"], 0, "{event}");
}

fn a_user_is_shown(server: &Server) {
    let cast = Cast::new(server);
    let shown = run(server, &["show", "--email", cast.editor.email()]).expect("a user");
    let user = cast.editor.get("/v5/user").ok();
    for line in [
        format!("Id: {}", id(&user)),
        format!("E-mail: {}", cast.editor.email()),
        format!("Username: {}", user["username"].as_str().expect("a username")),
        "State: enabled".to_owned(),
        "Books owned: 0".to_owned(),
        "Books seen: 1".to_owned(),
        "Active tokens: 1".to_owned(),
    ] {
        assert!(shown.lines().any(|found| found == line), "{line} in {shown}");
    }
    let owner = run(server, &["show", "--email", cast.owner.email()]).expect("a user");
    assert!(owner.contains("Books owned: 1\n"), "{owner}");
}

fn a_renamed_user_keeps_everything(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    let before = cast.owner.get("/v5/user").ok();
    let (from, token) = (cast.owner.email(), cast.owner.token().expect("a token").to_owned());
    let printed = run(server, &["rename-email", "--email", from, "--to", &to.to_uppercase()]);
    assert!(printed.expect("it is done").starts_with(&format!("{to}\t")));
    // The other process may have cached the user of the token.
    let fresh = server.beside(&[]);
    let old_token = fresh.client_with_token(&token);
    let user = old_token.get("/v5/user").ok();
    assert_eq!(user["email"], to.as_str(), "tokens go on working");
    assert_eq!((&user["id"], &user["username"]), (&before["id"], &before["username"]));
    assert_eq!(old_token.get(&cast.path("")).ok()["permission"], "OWNER");
    assert_eq!(column(&old_token.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
    assert_eq!(fresh.client(&to).get("/v5/user").ok()["id"], before["id"]);
    let other = fresh.client(from);
    assert_ne!(other.get("/v5/user").ok()["id"], before["id"], "the old address is anybody's");
    other.get(&cast.path("")).refused(404, "notFound");
}

fn books_show_the_new_address(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    let from = cast.poster.email().to_owned();
    let two = Cast::new(server);
    two.share(&from, "EDITOR");
    run(server, &["rename-email", "--email", &from, "--to", &to]).expect("it is done");
    for (cast, permission) in [(&cast, "POSTER"), (&two, "EDITOR")] {
        let rows = cast.get("/collaborators").ok();
        let items = rows["items"].as_array().expect("items");
        let row = items.iter().find(|row| row["email"] == to.as_str()).expect("a row");
        assert_eq!(row["permission"], permission);
        assert!(!items.iter().any(|row| row["email"] == from.as_str()));
        let event = &events(cast, "COLLABORATOR_UPDATED")[0];
        assert_eq!(event["data"]["object"]["email"], to.as_str(), "{event}");
        assert_eq!(event["data"]["previousAttributes"]["email"], from.as_str(), "{event}");
        assert_eq!(event["agent"]["id"], "daybook", "{event}");
        audited(cast);
    }
}

/// The server may cache the user for some seconds. Books created in that time belong to the renamed
/// user, not to the next user of the old address.
fn book_created_after_renaming_has_the_new_owner(server: &Server) {
    let (from, to) = (person(), person());
    let user = server.client(&from);
    user.get("/v5/user").ok();
    run(server, &["rename-email", "--email", &from, "--to", &to]).expect("it is done");
    let founded = user.post("/v5/books", &json!({"name": "After"})).ok();
    let shared = server.client(&to).get(&format!("/v5/books/{}/collaborators", id(&founded)));
    assert_eq!(column(&shared.ok(), "email"), [to.as_str()]);
    run(server, &["disable", "--email", &to]).expect("it is done");
    let answer = user.post("/v5/books", &json!({"name": "Never"}));
    answer.refused(403, "disabled");
}

fn addresses_that_collide_are_refused(server: &Server) {
    let (cast, pending) = (Cast::new(server), person());
    cast.share(&pending, "VIEWER");
    let before = cast.get("/collaborators").ok();
    let from = cast.editor.email();
    for (to, why) in [
        (cast.viewer.email(), "is the address of another user"),
        (pending.as_str(), "is shared with both addresses"),
        ("nobody", "nobody"),
    ] {
        let said =
            run(server, &["rename-email", "--email", from, "--to", to]).expect_err("refused");
        assert!(said.contains(why), "{to}: {said}");
    }
    assert_eq!(cast.get("/collaborators").ok(), before);
    assert_eq!(cast.editor.get("/v5/user").ok()["email"], from);
    run(server, &["rename-email", "--email", from, "--to", from]).expect("nothing to do");
}

fn a_deleted_user_leaves_their_books(server: &Server) {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    let (email, user) = (cast.poster.email(), id(&cast.poster.get("/v5/user").ok()).to_owned());
    let body = json!({"date": "2026-01-02", "amount": "1", "description": "Lunch",
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}});
    let made = cast.poster.post(&cast.path("/transactions"), &body).ok();
    let token = cast.poster.token().expect("a token").to_owned();
    let printed = run(server, &["delete", "--email", email]).expect("it is done");
    assert!(printed.contains(&format!("deleted-{user}\tdisabled")), "{printed}");
    let fresh = server.beside(&[]);
    fresh.client_with_token(&token).get("/v5/user").refused(401, "required");
    let rows = cast.get("/collaborators").ok();
    assert!(!rows.to_string().contains(email), "{rows}");
    let removed = &events(&cast, "COLLABORATOR_REMOVED")[0];
    assert_eq!(removed["data"]["object"]["email"], email, "{removed}");
    assert_eq!(removed["user"]["username"], format!("deleted-{user}").as_str(), "{removed}");
    let path = cast.path(&format!("/transactions/{}", id(&made["transaction"])));
    let stored = cast.owner.get(&path).ok();
    assert_eq!(stored["description"], "Lunch");
    audited(&cast);
    let repeated = fresh.client(email).get("/v5/user").ok();
    assert_ne!(repeated["id"], user.as_str(), "who comes back is somebody else");
}

/// Every table with data of a user, except the log and the books.
fn deleted_user_leaves_no_rows(server: &Server) {
    let cast = Cast::new(server);
    let client = &cast.viewer;
    let user = id(&client.get("/v5/user").ok()).to_owned();
    let keyed = client.header("Idempotency-Key", &unique("delete"));
    keyed.post("/v5/collections", &json!({"name": "Mine"})).ok();
    let other = Cast::new(server);
    client
        .send("POST", &other.path("/collaborators/request?permission=VIEWER"), &Value::Null)
        .no_content();
    server.run(&["login", "--email", client.email()]).expect("a link");
    let count = |table: &str, column: &str, value: &str| {
        let touch = format!("UPDATE {table} SET {column} = {column} WHERE {column} = {value}");
        RawSql::open(server).execute(&touch)
    };
    let quoted = format!("'{}'", client.email());
    client.post("/v5/user/keys", &json!({"name": "Mine"})).ok();
    let places = [
        ("api_keys", "user_id", &user),
        ("tokens", "user_id", &user),
        ("access_requests", "user_id", &user),
        ("collections", "user_id", &user),
        ("idempotency_keys", "user_id", &user),
        ("mails", "user_id", &user),
        ("mails", "recipient", &quoted),
        ("login_links", "email", &quoted),
    ];
    for (table, column, value) in places {
        assert!(count(table, column, value) > 0, "{table}.{column} is tested");
    }
    run(server, &["delete", "--email", client.email()]).expect("it is done");
    for (table, column, value) in places {
        assert_eq!(count(table, column, value), 0, "{table}.{column}");
    }
    assert_eq!(count("users", "email", &quoted), 0);
}

fn owners_are_not_deleted(server: &Server) {
    let cast = Cast::new(server);
    let said = run(server, &["delete", "--email", cast.owner.email()]).expect_err("refused");
    assert!(said.contains("owns 1 books"), "{said}");
    assert_eq!(cast.get("").ok()["permission"], "OWNER");
    cast.give(&cast.owner, &cast.editor);
    run(server, &["delete", "--email", cast.owner.email()]).expect("nothing is owned any more");
}

fn unknown_users_are_not_found(server: &Server) {
    let nobody = person();
    for arguments in [
        vec!["show", "--email", nobody.as_str()],
        vec!["delete", "--email", &nobody],
        vec!["rename-email", "--email", &nobody, "--to", "other@example.org"],
    ] {
        let said = run(server, &arguments).expect_err("refused");
        assert!(said.contains("user not found"), "{arguments:?}: {said}");
    }
}

/// Two processes serve a user who creates books, changes collections and tokens and signs in, while
/// the operator changes the address back and forth. All lock in the same order, so no request is
/// refused (7.11).
fn requests_succeed_while_a_user_is_renamed(server: &Server) {
    let (from, to, other) = (person(), person(), server.beside(&[]));
    let both = [server, &other];
    let tokens = [server.token(&from), server.token(&from)];
    let work = |number: usize| {
        let server = both[number % 2];
        let client = server.client_with_token(&tokens[number % 2]);
        let mut owned = Vec::new();
        for round in 0..12 {
            let key = unique("operated");
            let keyed = client.header("Idempotency-Key", &key);
            let sent = match (number + round) % 6 {
                0 => keyed.post("/v5/books", &json!({"name": "Founded"})),
                1 => client.post("/v5/books", &json!({"name": "Founded"})),
                2 => keyed.post("/v5/collections", &json!({"name": key})),
                3 => client.post("/v5/collections", &json!({"name": key})),
                4 => keyed.post("/v5/user/tokens", &json!({"name": key})),
                _ => {
                    let code = login_link(server, if round % 2 == 0 { &from } else { &to });
                    Browser::new(server).press(&code)
                }
            };
            assert!(sent.status < 500, "{number}.{round}: {} {}", sent.status, sent.text);
            if sent.body.get("permission").is_some() {
                owned.push(id(&sent.body).to_owned());
            }
        }
        // Only an existing user may delete.
        for book in owned {
            let gone = client.delete(&format!("/v5/books/{book}"));
            assert!(gone.status < 500, "{number}: {} {}", gone.status, gone.text);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..6).map(|number| scope.spawn(move || work(number))).collect();
        let mut names = (&from, &to);
        while !workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            // A sign-in with an unused address creates a user.
            match run(server, &["rename-email", "--email", names.0, "--to", names.1]) {
                Ok(_) => names = (names.1, names.0),
                Err(said) => assert!(said.contains("another user"), "{said}"),
            }
        }
    });
}

/// Concurrent changes to the books of two owners: they delete and restore them, transfer them to
/// each other, and remove collaborators.
struct BookChanges {
    owners: [Client; 2],
    books: Vec<String>,
}

impl BookChanges {
    fn new(server: &Server) -> Self {
        let owners = [server.client(&person()), server.client(&person())];
        let found =
            || id(&owners[0].post("/v5/books", &json!({"name": "Passed on"})).ok()).to_owned();
        let books = (0..4).map(|_| found()).collect();
        owners[1].get("/v5/user").ok();
        Self { owners, books }
    }

    fn share(&self, book: &str, email: &str) {
        let share = json!({"email": email, "permission": "EDITOR"});
        self.owners[0].post(&format!("/v5/books/{book}/collaborators"), &share).ok();
    }

    /// Removes both addresses from a book.
    fn take_off(&self, book: &str, addresses: [&str; 2]) {
        for email in addresses {
            let sent = self.owners[0].delete(&format!("/v5/books/{book}/collaborators/{email}"));
            assert!(matches!(sent.status, 200 | 404), "{} {}", sent.status, sent.text);
        }
    }

    /// Changes the books of users with these addresses until `work` ends.
    fn change_during<T>(&self, addresses: [&str; 2], work: impl FnOnce() -> T) -> T {
        let ended = AtomicBool::new(false);
        let change = |book: &str| {
            let path = format!("/v5/books/{book}");
            let [first, second] = &self.owners;
            while !ended.load(Ordering::Relaxed) {
                first.delete(&path).ok();
                first.post(&format!("{path}/restore"), &Value::Null).ok();
                daybook_tests::give(book, first, second);
                daybook_tests::give(book, second, first);
                self.take_off(book, addresses);
                self.share(book, addresses[0]);
            }
        };
        self.books.iter().for_each(|book| self.share(book, addresses[0]));
        std::thread::scope(|scope| {
            for book in &self.books {
                scope.spawn(|| change(book));
            }
            let _ended = SetAtEnd(&ended);
            work()
        })
    }
}

/// The list of books that is read first differs from the one under lock (7.11).
fn users_are_renamed_during_transfers(server: &Server) {
    let (changes, email, other) = (BookChanges::new(server), person(), person());
    server.client(&email).get("/v5/user").ok();
    let mut names = [email.as_str(), other.as_str()];
    changes.change_during([&email, &other], || {
        let mut rounds = 0;
        while rounds < 4 {
            match run(server, &["rename-email", "--email", names[0], "--to", names[1]]) {
                Ok(_) => names.reverse(),
                // The command backs off, and on a busy machine too often.
                Err(said) if said.contains("the database is not available") => continue,
                Err(said) => assert!(said.contains("is shared with both addresses"), "{said}"),
            }
            rounds += 1;
        }
    });
    for book in &changes.books {
        changes.take_off(book, names);
        changes.share(book, names[0]);
    }
    run(server, &["rename-email", "--email", names[0], "--to", names[1]]).expect("renamed");
    for book in &changes.books {
        let listed = changes.owners[0].get(&format!("/v5/books/{book}/collaborators")).text;
        assert_eq!(names.map(|name| listed.contains(name)), [false, true], "{listed}");
    }
}

fn users_are_deleted_during_transfers(server: &Server) {
    let changes = BookChanges::new(server);
    for _ in 0..2 {
        let email = person();
        server.client(&email).get("/v5/user").ok();
        let deleted =
            changes.change_during([&email, &email], || run(server, &["delete", "--email", &email]));
        deleted.expect("nothing is owned");
        run(server, &["show", "--email", &email]).expect_err("nobody");
    }
}

/// A deleted user owns no book, whatever the timing.
fn deleted_user_creates_no_books(server: &Server) {
    let other = server.beside(&[]);
    for _ in 0..8 {
        let email = person();
        let client = server.client(&email);
        let user = id(&client.get("/v5/user").ok()).to_owned();
        let token = client.token().expect("a token");
        let clients = [client.clone(), other.client_with_token(token)];
        let work = |client: &Client, number: usize| {
            for round in 0..4 {
                let (path, name) = match (number + round) % 4 {
                    0 => ("/v5/collections", unique("operated")),
                    1 => ("/v5/user/tokens", unique("operated")),
                    _ => ("/v5/books", "Founded".to_owned()),
                };
                let client = client.header("Idempotency-Key", &unique("founded"));
                let sent = client.post(path, &json!({ "name": name }));
                assert!(sent.status < 500, "{path}: {} {}", sent.status, sent.text);
            }
        };
        let outcome = std::thread::scope(|scope| {
            for number in 0..4 {
                let client = &clients[number % 2];
                scope.spawn(move || work(client, number));
            }
            run(server, &["delete", "--email", &email])
        });
        let owned = "UPDATE books SET version = version WHERE owner_id = ";
        let owned = RawSql::open(server).execute(&format!("{owned}{user}"));
        match outcome {
            Ok(_) => assert_eq!(owned, 0, "a deleted user owns no books"),
            Err(said) => assert!(said.contains("owns"), "{said}"),
        }
    }
}

/// 10.13: calls counted in memory are not stored for a deleted key.
fn calls_of_a_deleted_user_are_not_counted(server: &Server) {
    let email = person();
    let client = server.client(&email);
    let made = client.post("/v5/user/keys", &json!({"name": "Mine"})).ok();
    let mut other = server.beside(&[]);
    let key = made["key"].as_str().expect("the text of a new key");
    let caller = other.client_with_token(client.token().expect("a token"));
    caller.header("service-api-key", key).get("/v5/user").ok();
    run(server, &["delete", "--email", &email]).expect("it is done");
    let (status, _) = other.terminate();
    assert!(status.success());
    let number = i64::from_str_radix(id(&made), 16).expect("an id");
    let days = format!("UPDATE api_key_days SET calls = calls WHERE key_id = {number}");
    assert_eq!(RawSql::open(server).execute(&days), 0);
}
