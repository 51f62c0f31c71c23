//! The audience of access tokens (11.26): only tokens issued for this installation are accepted.
//! Ids that grant access are random.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_tests::{Client, Server, id, unique};
use serde_json::{Value, json};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        tokens_of_other_audiences_are_refused,
        forged_session_and_grant_tokens_are_refused,
        book_ids_are_random
    ]
}

/// Returns the claims of a token.
pub(crate) fn claims(token: &str) -> Value {
    let middle = token.split('.').nth(1).expect("three parts");
    let text = BASE64_URL_SAFE_NO_PAD.decode(middle).expect("Base64");
    serde_json::from_slice(&text).expect("JSON")
}

fn client_with_claims(server: &Server, claims: &Value) -> Client {
    server.client_with_token(&signed(server, claims))
}

/// Signs these claims with the key of the server.
pub(crate) fn signed(server: &Server, claims: &Value) -> String {
    let key = std::fs::read(server.data_dir().join("token.key")).expect("the key");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let head = BASE64_URL_SAFE_NO_PAD.encode(json!({"typ": "JWT", "alg": "HS256"}).to_string());
    let text = format!("{head}.{}", BASE64_URL_SAFE_NO_PAD.encode(claims.to_string()));
    let tag = BASE64_URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes()));
    format!("{text}.{tag}")
}

fn tokens_of_other_audiences_are_refused(server: &Server) {
    let person = server.client(&format!("{}@example.com", unique("holder")));
    let issued = person.post("/v5/user/tokens", &json!({})).ok();
    let issued = issued["token"].as_str().expect("a token").to_owned();
    for token in [person.token().expect("a token"), &issued] {
        let issued_claims = claims(token);
        assert_eq!(issued_claims["aud"], "daybook");
        let with = |aud: Value| {
            let mut claims = issued_claims.clone();
            claims["aud"] = aud;
            client_with_claims(server, &claims)
        };
        with(json!("daybook")).get("/v5/user").ok();
        let mut without = issued_claims.clone();
        without.as_object_mut().expect("claims").remove("aud");
        client_with_claims(server, &without).get("/v5/user").refused(401, "required");
        for aud in [json!("another"), json!(["another"]), json!("daybook code"), json!(7)] {
            with(aud).get("/v5/user").refused(401, "required");
        }
    }
}

fn forged_session_and_grant_tokens_are_refused(server: &Server) {
    let person = server.client(&format!("{}@example.com", unique("holder")));
    let user = id(&person.get("/v5/user").ok()).to_owned();
    for (claim, other) in [("sid", "gid"), ("gid", "sid")] {
        let mut forged = claims(person.token().expect("a token"));
        forged.as_object_mut().expect("claims").remove("jti");
        // A valid signature is not enough: the claims must name a token, session or grant.
        client_with_claims(server, &forged).get("/v5/user").refused(401, "required");
        forged[claim] = json!(user);
        forged[other] = Value::Null;
        // The session or grant does not exist.
        client_with_claims(server, &forged).get("/v5/user").refused(401, "required");
    }
}

/// 128 random bits: no digit is the same in all of them.
fn book_ids_are_random(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("owner")));
    let books: Vec<String> = (0..20)
        .map(|_| id(&owner.post("/v5/books", &json!({"name": "Book"})).ok()).to_owned())
        .collect();
    assert!(books.iter().all(|book| book.len() == 32), "{books:?}");
    let fixed = (0..32)
        .filter(|at| books.iter().all(|book| book.as_bytes()[*at] == books[0].as_bytes()[*at]))
        .count();
    assert_eq!(fixed, 0, "{books:?}");
}
