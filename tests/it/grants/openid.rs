//! OpenID Connect: metadata, ID tokens and userinfo, also with an unmodified client library.

use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_tests::browser::{Browser, is_page};
use daybook_tests::contract::python;
use daybook_tests::{RawSql, Server, setting};
use serde_json::{Value, json};

use super::{
    APP, APP_URI, ASKED, CLI, SECRET, allow, asked_with, code, lets_in, person, redeem, refresh,
    text, with_clients,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        metadata_names_existing_endpoints,
        id_token_has_user_and_times,
        userinfo_follows_the_scope,
        authlib_completes_all_flows,
    ]
}

fn metadata_names_existing_endpoints(server: &Server) {
    let server = server.beside(&["--public-url", "https://books.example.com/api"]);
    let anybody = server.anonymous();
    for path in [
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
        // RFC 8414, 3.1: the path of the issuer follows.
        "/.well-known/oauth-authorization-server/api",
    ] {
        let answer = anybody.get(path);
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        let claimed = answer.ok();
        assert_eq!(claimed["issuer"], "https://books.example.com/api");
        let ends = claimed.as_object().expect("an object").iter().filter_map(|(name, value)| {
            let address = value.as_str()?.strip_prefix("https://books.example.com/api")?;
            (name != "issuer").then_some(address)
        });
        let ends: Vec<&str> = ends.collect();
        assert_eq!(ends.len(), 7, "{claimed}");
        for end in ends {
            let statuses = [anybody.get(end).status, anybody.post(end, &Value::Null).status];
            assert!(statuses.iter().all(|status| *status != 404), "{end}: {statuses:?}");
        }
    }
}

/// Returns the claims of a token.
fn claims(token: &str) -> Value {
    let part = token.split('.').nth(1).expect("three parts");
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).expect("base64url");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn id_token_has_user_and_times(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let asked = asked_with(&[("scope", "openid email profile"), ("nonce", "n1")]);
    let tokens = redeem(server, &code(&mut browser, &asked));
    let user = server.client_with_token(text(&tokens, "access_token")).get("/v5/user").ok();
    let claimed = claims(text(&tokens, "id_token"));
    for (name, expected) in [
        ("iss", json!(server.base())),
        ("aud", json!(CLI)),
        ("sub", user["id"].clone()),
        ("email", json!(email)),
        ("email_verified", json!(true)),
        ("preferred_username", user["username"].clone()),
        ("nonce", json!("n1")),
    ] {
        assert_eq!(claimed[name], expected, "{name}: {claimed}");
    }
    let at = |name: &str| claimed[name].as_i64().expect("seconds");
    assert_eq!(at("exp") - at("iat"), 3_600);
    assert!(at("auth_time") <= at("iat"));
    let next = refresh(server, text(&tokens, "refresh_token")).ok();
    let later = claims(text(&next, "id_token"));
    assert_eq!((&later["sub"], later.get("nonce")), (&claimed["sub"], None));
    assert_eq!(later["auth_time"], claimed["auth_time"], "when the user signed in");
    let plain = redeem(server, &code(&mut browser, &ASKED));
    assert_eq!(plain.get("id_token"), None);
    server.client_with_token(text(&tokens, "id_token")).get("/v5/user").refused(401, "required");
}

fn userinfo_follows_the_scope(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    RawSql::open(server).execute(&format!(
        "UPDATE users SET name = 'Alice A', picture = 'https://a.example/a.png' \
         WHERE email = '{email}'"
    ));
    let full = asked_with(&[("scope", "openid email profile")]);
    for (asked, name) in [(&full[..], json!("Alice A")), (&ASKED, Value::Null)] {
        let tokens = redeem(server, &code(&mut browser, asked));
        let client = server.client_with_token(text(&tokens, "access_token"));
        for answer in [client.get("/auth/userinfo"), client.post("/auth/userinfo", &Value::Null)] {
            assert_eq!(answer.headers["cache-control"], "no-store");
            let claimed = answer.ok();
            assert_eq!((&claimed["email"], &claimed["name"]), (&json!(email), &name));
            // Command lines read these for a stored token.
            assert_eq!(claimed["scope"], tokens["scope"]);
            let seconds = claimed["expires_in"].as_i64().expect("a number");
            assert!((3_500..=3_600).contains(&seconds), "11.18: an hour: {seconds}");
        }
    }
    let own = server.client(&email).get("/auth/userinfo").ok();
    assert_eq!((&own["email"], &own["name"]), (&json!(email), &Value::Null));
    assert_eq!(own["scope"], "email");
    assert!(own["expires_in"].as_i64().is_some_and(|seconds| seconds > 2_500_000), "{own}");
    server.anonymous().get("/auth/userinfo").refused(401, "required");
}

/// Python's Authlib: discovery, code with PKCE, the ID token with the published keys, refresh,
/// device flow, introspection, revocation.
fn authlib_completes_all_flows(server: &Server) {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => {
            assert!(setting("CI").is_none(), "{missing}");
            eprintln!("a case of grants is left out: {missing}");
            return;
        }
    };
    let (server, email) = (with_clients(server), person());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/authlib_client.py");
    let run = |arguments: &[&str]| -> Value {
        let mut command = Command::new(&python);
        command.arg(&script).args(arguments).env("AUTHLIB_INSECURE_TRANSPORT", "1");
        let done = command.output().expect("python runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice(&done.stdout).expect("JSON")
    };
    let begun = run(&["begin", server.base(), APP, SECRET, APP_URI]);
    let mut browser = Browser::signed_in(&server, &email);
    let path = text(&begun, "url").strip_prefix(server.base()).expect("an own address").to_owned();
    is_page(&browser.get(&path), 200);
    let fields = super::fields_of(&path);
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let answer = allow(&mut browser, &fields);
    let location = answer.headers["location"].clone();
    let (verifier, state) = (text(&begun, "verifier"), text(&begun, "state"));
    let nonce = text(&begun, "nonce");
    let done =
        run(&["finish", server.base(), APP, SECRET, APP_URI, &location, verifier, state, nonce]);
    assert_eq!(done["claims"]["email"], email.as_str(), "{done}");
    assert_eq!(done["userinfo"]["email"], email.as_str());
    assert_eq!(done["introspected"]["active"], true);
    assert_eq!(done["revoked"], 200);
    assert_eq!(done["after"]["active"], false);

    let device = run(&["device", server.base(), CLI]);
    browser
        .post("/auth/device", &[("user_code", text(&device, "user_code")), ("decision", "allow")]);
    let tokens = run(&["poll", server.base(), CLI, text(&device, "device_code")]);
    lets_in(&server, text(&tokens, "access_token"), &email);
}
