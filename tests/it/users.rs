//! getUser (9.11), and the creation of users (11.2).

use std::sync::Arc;
use std::sync::mpsc::channel;

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_service::{Error, Ids, user};
use daybook_storage::{ShardKey, Tx};
use daybook_tests::{Server, encode, unique};
use serde_json::json;

use crate::inside::open_store;

fn rule_9_11_the_profile(server: &Server) {
    let local = unique("mary");
    let email = format!("{local}@example.com");
    let user = server.client(&email).get("/v5/user").ok();
    assert_eq!(user["email"], email);
    let username = user["username"].as_str().expect("a username");
    assert!(username.starts_with(&local), "from the local part of the e-mail: {username}");
    for field in ["id", "name", "fullName", "givenName", "hash"] {
        assert!(user[field].as_str().is_some_and(|text| !text.is_empty()), "9.11: {field}: {user}");
    }
    for (field, value) in [
        ("free", json!(true)),
        ("billingEnabled", json!(false)),
        ("plan", json!("FREE")),
        ("planCycle", json!("MONTHLY")),
    ] {
        assert_eq!(user[field], value, "9.11: {field}");
    }
    assert_eq!(
        (&user["domain"], &user["hostedDomain"]),
        (&json!(null), &json!(null)),
        "9.11: an address makes no organization"
    );
    for field in ["bankConnections", "planOverdue", "startedTrial"] {
        assert!(user[field].is_boolean() || user[field].is_null(), "{field}: {user}");
        assert_ne!(user[field], true, "{field}");
    }
    assert_eq!(server.client(&email).get("/v5/user").ok(), user, "the same user again");
    assert_eq!(server.client(&email).get("/v5/user?").ok(), user, "behaviour 0.2");
}

fn rule_11_2_the_first_sight_creates_a_user(server: &Server) {
    let email = format!("{}@example.com", unique("new"));
    // Any call creates the user, not only getUser.
    let created = server.client(&email).post("/v5/books", &json!({"name": "First"})).ok();
    let user = server.client(&email).get("/v5/user").ok();
    assert_eq!(created["ownerName"], user["username"], "behaviour 6.13");
    assert_eq!(created["permission"], "OWNER");
}

fn rule_11_2_the_email_in_lower_case(server: &Server) {
    let local = unique("Peter");
    let lower =
        server.client(&format!("{}@example.com", local.to_lowercase())).get("/v5/user").ok();
    let upper =
        server.client(&format!("{}@EXAMPLE.com", local.to_uppercase())).get("/v5/user").ok();
    assert_eq!(upper, lower, "identity is the e-mail in lower case");
    assert_eq!(lower["email"], format!("{}@example.com", local.to_lowercase()));
}

fn rule_9_11_many_first_sights_at_once(server: &Server) {
    let local = unique("crowd");
    let users: Vec<_> = std::thread::scope(|scope| {
        let ask = |index: usize| {
            let email = format!("{local}@d{}.example.com", index % 4);
            scope.spawn(move || server.client(&email).get("/v5/user").ok())
        };
        let asked: Vec<_> = (0..12).map(ask).collect();
        asked.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let mut distinct: Vec<_> = users
        .iter()
        .map(|user| {
            (user["email"].to_string(), user["id"].to_string(), user["username"].to_string())
        })
        .collect();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "one user per e-mail: {distinct:?}");
    let mut names: Vec<_> = distinct.into_iter().map(|(_, _, name)| name).collect();
    names.dedup();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "each with a name of its own");
}

fn rule_10_2_without_a_token(server: &Server) {
    let message = server.anonymous().get("/v5/user").refused(401, "required");
    assert!(message.contains("Login Required"), "10.2: {message}");
    // 11.5: a token in the query string is not accepted.
    let token = server.token(&format!("{}@example.com", unique("query")));
    let path = format!("/v5/user?access_token={0}&token={0}&key={0}", encode(&token));
    server.anonymous().get(&path).refused(401, "required");
}

/// Two processes sign in the same new users in opposite orders without a deadlock.
fn rule_11_2_two_processes_sign_in_the_same_users(server: &Server) {
    let processes = [1, 2].map(|node| (open_store(server), Arc::new(Ids::new(node))));
    let prefix = unique("twice");
    for round in 0..5 {
        let emails: Vec<Email> = (0..40)
            .map(|number| format!("{prefix}-{round}-{number}@example.com"))
            .map(Email::stored)
            .collect();
        let (sender, answers) = channel();
        std::thread::scope(|scope| {
            for (turn, (store, ids)) in processes.iter().enumerate() {
                let mut emails = emails.clone();
                if turn == 1 {
                    emails.reverse();
                }
                let sender = sender.clone();
                scope.spawn(move || {
                    for email in emails {
                        let (sender, ids, lane) =
                            (sender.clone(), Arc::clone(ids), ShardKey::of_new_user(&email));
                        let sign_in = move |tx: &mut Tx<'_>| {
                            user::sign_in(tx, &email, &ids, Instant::new(1_763_000_000_000))
                        };
                        store.submit(lane, sign_in, move |outcome| {
                            sender.send(outcome.map(drop)).expect("the test listens")
                        });
                    }
                });
            }
        });
        drop(sender);
        let accepted = |error: &Error| {
            matches!(error, Error::Storage(daybook_storage::Error::UniqueViolation(_)))
        };
        let failed: Vec<Error> =
            answers.iter().filter_map(Result::err).filter(|error| !accepted(error)).collect();
        assert!(
            failed.is_empty(),
            "a taken name is tried again and found; nothing else happens: {failed:?}"
        );
    }
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_11_2_two_processes_sign_in_the_same_users,
        rule_9_11_the_profile,
        rule_11_2_the_first_sight_creates_a_user,
        rule_11_2_the_email_in_lower_case,
        rule_9_11_many_first_sights_at_once,
        rule_10_2_without_a_token,
    ]
}
