//! The implicit flow of existing browser apps (11.3), for clients configured for it.

use daybook_tests::browser::{Browser, is_page};
use daybook_tests::{Client, Server, id, unique};
use serde_json::json;

use super::{
    ASKED, DESKTOP, DESKTOP_URI, OLD, OLD_URI, WAITING, allow, asked_with, code, file_of_clients,
    lets_in, path_of, person, redeem, sent, text, with_clients,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        implicit_client_gets_a_token_in_the_fragment,
        app_of_an_administrator_has_no_administrator_rights,
        implicit_loopback_client_always_asks_for_consent,
        rule_9_5_app_sees_no_properties_of_other_connections,
    ]
}

/// The request of the older app.
const ASKED_BY_OLD: [(&str, &str); 4] =
    [("response_type", "token"), ("client_id", OLD), ("redirect_uri", OLD_URI), ("scope", "email")];

/// 11.16: any program may listen at the address, and the implicit flow needs no secret.
fn implicit_loopback_client_always_asks_for_consent(server: &Server) {
    let server = with_clients(server);
    let mut browser = Browser::signed_in(&server, &person());
    let of = |kind: &'static str, uri: &'static str| {
        asked_with(&[("client_id", DESKTOP), ("redirect_uri", uri), ("response_type", kind)])
    };
    allow(&mut browser, &of("token", WAITING));
    for _ in 0..2 {
        is_page(&browser.get(&path_of(&of("token", WAITING))), 200);
    }
    let silent = [&of("token", WAITING)[..], &[("prompt", "none")]].concat();
    let refused = sent(&browser.get(&path_of(&silent)), "error");
    assert_eq!(refused.as_deref(), Some("consent_required"));
    // With the secret or an own address, one consent is enough.
    for (kind, uri, given) in [("code", WAITING, "code"), ("token", DESKTOP_URI, "access_token")] {
        assert!(sent(&browser.get(&path_of(&of(kind, uri))), given).is_some(), "{kind} {uri}");
    }
}

/// 9.3: the built-in command line keeps them.
fn app_of_an_administrator_has_no_administrator_rights(server: &Server) {
    let email = person();
    let server =
        server.beside(&["--clients", &file_of_clients(server), "--administrators", &email]);
    let id = unique("app");
    server.client(&person()).post("/v5/apps", &json!({"id": id, "name": "App"})).ok();
    // Other cases list apps in the same database; the list omits deprecated ones.
    let publish = json!({"id": id, "published": true, "deprecated": true});
    let mut browser = Browser::signed_in(&server, &email);
    let token = sent(&allow(&mut browser, &ASKED_BY_OLD), "access_token").expect("a token");
    let client = server.client_with_token(&token);
    client.put("/v5/apps", &publish).refused(404, "notFound");
    client.get("/v5/administration/users").refused(403, "insufficientScope");
    let tokens = redeem(&server, &code(&mut browser, &ASKED));
    let command_line = server.client_with_token(text(&tokens, "access_token"));
    assert_eq!(command_line.put("/v5/apps", &publish).ok()["published"], true);
    command_line.get("/v5/administration/users").ok();
}

/// 9.5: only the app of a connection and built-in clients see them.
fn rule_9_5_app_sees_no_properties_of_other_connections(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let all = "/v5/user/connections";
    let bank = json!({"agentId": "some-bank", "type": "BANK", "uuid": "1", "name": "Bank",
        "properties": {"token": "hush"}});
    let owner = server.client(&email);
    let made = owner.post(all, &bank).ok();
    let one = format!("{all}/{}", id(&made));
    let mut browser = Browser::signed_in(&server, &email);
    let token = sent(&allow(&mut browser, &ASKED_BY_OLD), "access_token").expect("a token");
    let app = server.client_with_token(&token);
    let renamed = json!({"id": made["id"], "name": "Renamed", "properties": {"more": "1"}});
    let shown = [
        app.get(all).ok()["items"][0].clone(),
        app.get(&one).ok(),
        app.post(all, &bank).ok(),
        app.put(all, &renamed).ok(),
    ];
    for shown in shown {
        assert_eq!((&shown["id"], &shown["properties"]), (&made["id"], &json!({})));
    }
    let keyed = |caller: &Client| caller.header("idempotency-key", "k").put(all, &renamed).ok();
    assert_eq!(keyed(&owner)["properties"], json!({"more": "1", "token": "hush"}));
    assert_eq!(keyed(&app)["properties"], json!({}), "nor by the key of the user");
    let tokens = redeem(&server, &code(&mut browser, &ASKED));
    let command_line = server.client_with_token(text(&tokens, "access_token"));
    assert_eq!(command_line.get(&one).ok()["properties"]["token"], "hush");
    assert_eq!(app.delete(&one).ok()["properties"], json!({}));
}

fn implicit_client_gets_a_token_in_the_fragment(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let mut browser = Browser::signed_in(&server, &email);
    let asked = [&ASKED_BY_OLD[..], &[("state", "1")]].concat();
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
