//! Token revocation (RFC 7009) and introspection (RFC 7662).

use daybook_tests::Server;
use daybook_tests::browser::Browser;
use serde_json::{Value, json};

use crate::book_transfers::set_disabled;

use super::{
    APP, ASKED, CLI, OLD, SECRET, ask, code, is_refused, lets_in, person, post, redeem, refresh,
    text, with_clients, with_secret,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        client_revokes_its_tokens,
        token_in_the_query_is_revoked,
        introspection_describes_active_tokens,
    ]
}

fn client_revokes_its_tokens(server: &Server) {
    let server = &with_clients(server);
    let mut browser = Browser::signed_in(server, &person());
    for revoked in ["refresh_token", "access_token"] {
        let tokens = redeem(server, &code(&mut browser, &ASKED));
        let token = text(&tokens, revoked);
        let other = [("client_id", OLD), ("token", token)];
        is_refused(&ask(server, "/auth/revoke", &other), 400, "invalid_grant");
        let fields = [("client_id", CLI), ("token", token), ("token_type_hint", "what?")];
        for _ in 0..2 {
            assert_eq!(ask(server, "/auth/revoke", &fields).status, 200);
        }
        let client = server.client_with_token(text(&tokens, "access_token"));
        client.get("/v5/user").refused(401, "required");
        is_refused(&refresh(server, text(&tokens, "refresh_token")), 400, "invalid_grant");
    }
    for token in ["unknown", "a.b.c"] {
        let fields = [("client_id", CLI), ("token", token)];
        assert_eq!(ask(server, "/auth/revoke", &fields).status, 200);
    }
    is_refused(&ask(server, "/auth/revoke", &[("client_id", CLI)]), 400, "invalid_request");
    is_refused(&ask(server, "/auth/revoke", &[]), 400, "invalid_request");
}

/// 11.18: existing command lines send an empty body and no client id.
fn token_in_the_query_is_revoked(server: &Server) {
    let args = ["--log", "trace"];
    let (server, email) = (with_clients(&server.beside(&args)), person());
    let mut browser = Browser::signed_in(&server, &email);
    let anonymous = server.anonymous();
    let revoke = |query: &str, kind: Option<&str>, form: &str| {
        anonymous.send_raw("POST", &format!("/auth/revoke{query}"), kind, form.as_bytes())
    };
    let (form, mut seen) = (Some("application/x-www-form-urlencoded"), Vec::new());
    for (named, with) in [
        ("refresh_token", ""),
        ("access_token", ""),
        ("refresh_token", "&client_id=daybook-cli"),
        ("refresh_token", "&token_type_hint=refresh_token&client_secret=x"),
    ] {
        let tokens = redeem(&server, &code(&mut browser, &ASKED));
        let token = text(&tokens, named);
        seen.push(token.to_owned());
        lets_in(&server, text(&tokens, "access_token"), &email);
        let query = format!("?token={token}{with}");
        let other = format!("?token={token}&client_id={OLD}");
        is_refused(&revoke(&other, None, ""), 400, "invalid_grant");
        for kind in [None, form] {
            let answer = revoke(&query, kind, "");
            assert_eq!((answer.status, answer.text.as_str()), (200, ""), "{with}");
        }
        let client = server.client_with_token(text(&tokens, "access_token"));
        client.get("/v5/user").refused(401, "required");
        is_refused(&refresh(&server, text(&tokens, "refresh_token")), 400, "invalid_grant");
    }
    // In the form, without a client id: possession of the token is enough.
    let tokens = redeem(&server, &code(&mut browser, &ASKED));
    let token = text(&tokens, "refresh_token");
    let twice = revoke(&format!("?token={token}"), form, &format!("token={token}"));
    is_refused(&twice, 400, "invalid_request");
    lets_in(&server, text(&tokens, "access_token"), &email);
    assert_eq!(revoke("", form, &format!("token={token}")).status, 200);
    server
        .client_with_token(text(&tokens, "access_token"))
        .get("/v5/user")
        .refused(401, "required");
    assert_eq!(revoke("?token=unknown", None, "").status, 200);
    for (query, kind, form) in
        [("", None, ""), ("?token=", None, ""), ("?token=x", Some("application/json"), "{}")]
    {
        is_refused(&revoke(query, kind, form), 400, "invalid_request");
    }
    let unknown = revoke("?token=x&client_id=nobody", None, "");
    is_refused(&unknown, 401, "invalid_client");
    assert!(server.log().contains("/auth/revoke"), "each request is logged");
    for token in &seen {
        assert!(!server.log().contains(token.as_str()), "11.18: no query in the log");
    }
}

fn introspection_describes_active_tokens(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let app = with_secret(&server, APP, SECRET);
    let about = |token: &str| post(&app, "/auth/introspect", &[("token", token)]).ok();
    let mut browser = Browser::signed_in(&server, &email);
    let tokens = redeem(&server, &code(&mut browser, &ASKED));
    let user = server.client_with_token(text(&tokens, "access_token")).get("/v5/user").ok();
    for (name, kind) in [("access_token", json!("Bearer")), ("refresh_token", Value::Null)] {
        let described = about(text(&tokens, name));
        for (field, expected) in [
            ("active", json!(true)),
            ("scope", json!("email")),
            ("client_id", json!(CLI)),
            ("token_type", kind),
            ("sub", user["id"].clone()),
            ("username", user["username"].clone()),
            ("email", json!(email)),
            ("email_verified", json!(true)),
            ("iss", json!(server.base())),
        ] {
            assert_eq!(described[field], expected, "{field}: {described}");
        }
        assert!(described["exp"].as_i64().is_some_and(|exp| exp > 1_700_000_000), "{described}");
    }
    let own = server.token(&email);
    assert_eq!(about(&own)["active"], true, "also those of daybook token");
    let limited = server.client_with_token(&own);
    let limited = limited.post("/v5/user/tokens", &json!({"readOnly": true})).ok();
    let inactive = json!({"active": false});
    // Limited tokens are not for other servers.
    assert_eq!(about(text(&limited, "token")), inactive);
    for token in ["unknown", "a.b.c"] {
        assert_eq!(about(token), inactive);
    }
    let next = refresh(&server, text(&tokens, "refresh_token")).ok();
    assert_eq!(about(text(&tokens, "refresh_token")), inactive, "it was used");
    assert_eq!(about(text(&next, "refresh_token"))["active"], true);
    let token = text(&next, "access_token");
    set_disabled(&server, &email, "disable");
    assert_eq!(about(token), inactive);
    assert_eq!(about(text(&next, "refresh_token")), inactive);
    set_disabled(&server, &email, "enable");
    lets_in(&server, token, &email);
    for (fields, status) in [
        (&[("client_id", APP), ("token", token)][..], 401),
        (&[("client_id", OLD), ("token", token)], 401),
        (&[("client_id", CLI), ("token", token)], 401),
        (&[("token", token)], 400),
    ] {
        assert_eq!(ask(&server, "/auth/introspect", fields).status, status, "{fields:?}");
    }
    is_refused(&post(&app, "/auth/introspect", &[]), 400, "invalid_request");
}
