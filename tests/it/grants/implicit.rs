//! The implicit flow of existing browser apps (11.3), for clients that may use it.

use daybook_tests::Server;
use daybook_tests::browser::{Browser, is_page};

use super::{OLD, OLD_URI, allow, lets_in, path_of, person, sent, with_clients};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![an_older_app_gets_a_token_in_its_address]
}

fn an_older_app_gets_a_token_in_its_address(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let mut browser = Browser::signed_in(&server, &email);
    let asked = [
        ("response_type", "token"),
        ("client_id", OLD),
        ("redirect_uri", OLD_URI),
        ("scope", "email"),
        ("state", "1"),
    ];
    is_page(&browser.get(&path_of(&asked)), 200);
    let answer = allow(&mut browser, &asked);
    let location = answer.headers["location"].clone();
    assert!(location.starts_with("https://old.example.com/#access_token="), "{location}");
    for (name, expected) in [("token_type", "Bearer"), ("expires_in", "3600"), ("state", "1")] {
        assert_eq!(sent(&answer, name).as_deref(), Some(expected));
    }
    assert_eq!(sent(&answer, "refresh_token"), None);
    lets_in(&server, &sent(&answer, "access_token").expect("a token"), &email);
    let again = browser.get(&path_of(&asked));
    let token = sent(&again, "access_token").expect("a token, without a page");
    lets_in(&server, &token, &email);
    browser.post("/auth/consents", &[("client_id", OLD)]);
    server.client_with_token(&token).get("/v5/user").refused(401, "required");
}
