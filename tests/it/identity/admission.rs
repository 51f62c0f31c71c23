//! Admission of new users (11.11): addresses and domains of `--admit`, and collaborators of a book.

use daybook_tests::{Cast, Client, Engine};
use serde_json::json;

use super::{IdentityFixture, assert_accepted, assert_refused};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_11_unlisted_address_is_not_admitted,
        rule_11_11_listed_addresses_and_domains_are_admitted,
        rule_11_11_collaborator_is_admitted,
        rule_11_11_opaque_token_of_an_unlisted_address_is_refused,
        rule_11_10_disabled_user_is_refused,
    ]
}

/// Returns the addresses of all users.
fn users(fixture: &IdentityFixture) -> String {
    fixture.server.run(&["user", "list"]).expect("a list")
}

/// Returns a client with a JWT of the issuer for this address.
#[track_caller]
fn visitor(fixture: &IdentityFixture, email: &str) -> Client {
    fixture.caller(&fixture.signed_with(email, &json!({"email": email})))
}

#[track_caller]
fn not_admitted(caller: &Client) {
    let message = caller.get("/v5/user").refused(403, "notAdmitted");
    assert!(message.contains("operator"), "{message}");
    caller.post("/v5/books", &json!({"name": "Mine"})).refused(403, "notAdmitted");
}

fn rule_11_11_unlisted_address_is_not_admitted(engine: Engine) {
    let fixture = IdentityFixture::admitting(engine, &[], |provider| vec![provider.oidc()]);
    let before = users(&fixture);
    let stranger = visitor(&fixture, "stranger@example.com");
    not_admitted(&stranger);
    not_admitted(&stranger);
    assert_eq!(users(&fixture), before, "nothing is kept of them");
    // A token made by `daybook token` creates the user.
    let own = fixture.server.client("stranger@example.com").get("/v5/user").ok();
    assert_eq!(stranger.get("/v5/user").ok()["id"], own["id"]);
}

fn rule_11_11_listed_addresses_and_domains_are_admitted(engine: Engine) {
    let admitted = ["alice@example.com", "@example.org", "Bob@Example.NET"];
    let fixture = IdentityFixture::admitting(engine, &admitted, |provider| vec![provider.oidc()]);
    for email in ["alice@example.com", "ALICE@Example.COM", "any@example.org", "bob@example.net"] {
        let user = visitor(&fixture, email).get("/v5/user");
        assert_accepted(user, &email.to_lowercase(), "admitted");
    }
    for email in [
        "carol@example.com",
        "malice@example.com",
        "alice@example.com.evil.example",
        "any@sub.example.org",
        "any@notexample.org",
        "any@example.org.evil.example",
        "\"@example.org\"@evil.example",
        "bob@example.com",
    ] {
        let answer = visitor(&fixture, email).get("/v5/user");
        assert!(matches!(answer.status, 401 | 403), "{email}: {}", answer.text);
    }
    let listed = users(&fixture);
    assert_eq!(listed.lines().filter(|line| line.contains('@')).count(), 3, "{listed}");
}

fn rule_11_11_collaborator_is_admitted(engine: Engine) {
    let fixture = IdentityFixture::admitting(engine, &[], |provider| vec![provider.oidc()]);
    let cast = Cast::new(&fixture.server);
    let (guest, other) =
        (visitor(&fixture, "guest@example.com"), visitor(&fixture, "other@a.example"));
    not_admitted(&guest);
    cast.share("Guest@example.com", "VIEWER");
    let seen = guest.get(&cast.path("")).ok();
    assert_eq!(seen["permission"], "VIEWER", "7.5: it waited for the first sight");
    guest.get("/v5/user").ok();
    not_admitted(&other);
    // Removed before the first request.
    cast.share("other@a.example", "EDITOR");
    cast.delete("/collaborators/other@a.example").ok();
    not_admitted(&other);
    // An existing user stays one.
    cast.delete("/collaborators/guest@example.com").ok();
    guest.get("/v5/user").ok();
    guest.get(&cast.path("")).refused(404, "notFound");
}

/// The token is valid, but no user is stored.
fn rule_11_11_opaque_token_of_an_unlisted_address_is_refused(engine: Engine) {
    let fixture = IdentityFixture::admitting(engine, &["@elsewhere.example"], |provider| {
        vec![provider.introspection()]
    });
    fixture.person("oskar");
    let caller = fixture.caller(&fixture.opaque("oskar", "openid email"));
    not_admitted(&caller);
    not_admitted(&caller);
    assert!(!users(&fixture).contains("oskar"));
    let cast = Cast::new(&fixture.server);
    cast.share("oskar@example.com", "EDITOR");
    caller.get(&cast.path("")).ok();
}

fn rule_11_10_disabled_user_is_refused(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    let caller = visitor(&fixture, "dan@example.com");
    caller.get("/v5/user").ok();
    let disable = ["user", "disable", "--email", "dan@example.com"];
    fixture.server.run(&disable).expect("it is done");
    // The server has not seen this token before.
    let next = fixture.signed_with("again", &json!({"email": "dan@example.com"}));
    fixture.ask(&next).refused(403, "disabled");
    let untrusted = fixture.signed_with("again", &json!({"email": "dan@example.com", "exp": 5}));
    assert_refused(fixture.ask(&untrusted), "a token that is not trusted says nothing of a user");
}
