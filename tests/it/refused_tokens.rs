//! Invalid access tokens are limited by the client address (10.12). Each case has its own server,
//! whose clients choose their addresses.

use daybook_tests::{Answer, Client, Engine, Server};
use serde_json::json;

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        only_refused_tokens_of_an_address_count,
        only_trusted_proxies_set_client_addresses,
        revoked_own_tokens_are_not_counted,
    ]
}

const HERE: &str = "198.51.100.2";
const ELSEWHERE: &str = "203.0.113.9";

fn server(engine: Engine, args: &[&str]) -> Server {
    Server::with_args(engine, &[&["--refused-tokens-per-minute", "3"], args].concat())
}

fn from(client: &Client, addresses: &str) -> Client {
    client.header("X-Forwarded-For", addresses)
}

/// The response to a request with this token from these addresses.
fn guess(server: &Server, token: &str, addresses: &str) -> Answer {
    from(&server.client_with_token(token), addresses).get("/v5/user")
}

#[track_caller]
fn too_many(answer: Answer) {
    let wait = answer.headers.get("retry-after").and_then(|text| text.parse::<u64>().ok());
    // One of three is regained every 20 seconds.
    assert!(wait.is_some_and(|seconds| (1..=20).contains(&seconds)), "{:?}", answer.headers);
    let message = answer.refused(429, "rateLimitExceeded");
    assert!(message.contains("try again in"), "{message}");
}

fn only_refused_tokens_of_an_address_count(engine: Engine) {
    let server = server(engine, &["--trusted-proxies", "127.0.0.1,10.0.0.0/8"]);
    let known = server.client("known@example.com");
    let fresh = server.token("fresh@example.com");
    from(&known, HERE).get("/v5/user").ok();
    for _ in 0..5 {
        // Neither successful requests nor requests without a token count.
        from(&known, HERE).get("/v5/user").ok();
        from(&server.anonymous(), HERE).get("/v5/user").refused(401, "required");
    }
    for token in ["not.a.token", "guess", "not.a.token"] {
        guess(&server, token, HERE).refused(401, "required");
    }
    too_many(guess(&server, "another", HERE));
    too_many(guess(&server, "not.a.token", HERE));
    // A token signed by this installation is not a guess, be it new here, revoked or expired.
    guess(&server, &fresh, HERE).ok();
    // A proxy appends to the client's header.
    too_many(guess(&server, "another", &format!("{ELSEWHERE}, {HERE}")));
    too_many(guess(&server, "another", &format!("{ELSEWHERE}, {HERE}, 10.1.2.3")));
    // Cached tokens keep working, also after the cache was invalidated: issuing a token changes
    // nothing, revoking one does.
    let known = from(&known, HERE);
    let issued = known.post("/v5/user/tokens", &json!({})).ok();
    known.delete(&format!("/v5/user/tokens/{}", issued["id"].as_str().expect("an id"))).ok();
    known.get("/v5/user").ok();
    from(&server.anonymous(), HERE).get("/v5/user").refused(401, "required");
    assert_eq!(from(&server.anonymous(), HERE).get("/health").status, 200);
    // Other addresses are unaffected, and cached tokens work from any address.
    guess(&server, "guess", ELSEWHERE).refused(401, "required");
    guess(&server, &fresh, ELSEWHERE).ok();
    // An IPv6 network counts as one client.
    for address in ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:0:3"] {
        guess(&server, "guess", address).refused(401, "required");
    }
    too_many(guess(&server, "guess", "2001:db8::4"));
    guess(&server, "guess", "2001:db8:0:1::4").refused(401, "required");
}

fn only_trusted_proxies_set_client_addresses(engine: Engine) {
    let server = server(engine, &["--trusted-proxies", "192.0.2.1"]);
    let fresh = server.token("fresh@example.com");
    for address in ["198.51.100.1", "198.51.100.2", "garbage"] {
        guess(&server, "guess", address).refused(401, "required");
    }
    too_many(guess(&server, "guess", "198.51.100.4"));
    too_many(server.client_with_token("guess").get("/v5/user"));
    server.client_with_token(&fresh).get("/v5/user").ok();
    let warning = "is not in --trusted-proxies";
    assert_eq!(server.log().matches(warning).count(), 1, "10.12: the log warns once");
}

/// A program that keeps sending a revoked token does not lock out others at its address.
fn revoked_own_tokens_are_not_counted(engine: Engine) {
    let server = server(engine, &["--trusted-proxies", "127.0.0.1"]);
    let owner = from(&server.client("owner@example.com"), ELSEWHERE);
    let issued = owner.post("/v5/user/tokens", &json!({})).ok();
    let revoked = issued["token"].as_str().expect("a token");
    owner.delete(&format!("/v5/user/tokens/{}", issued["id"].as_str().expect("an id"))).ok();
    for _ in 0..5 {
        guess(&server, revoked, HERE).refused(401, "required");
    }
    for _ in 0..3 {
        guess(&server, "guess", HERE).refused(401, "required");
    }
    too_many(guess(&server, "guess", HERE));
    guess(&server, revoked, HERE).refused(401, "required");
    guess(&server, &server.token("fresh@example.com"), HERE).ok();
    assert!(
        !server.log().contains("--trusted-proxies"),
        "10.12: a trusted proxy causes no warning"
    );
}
