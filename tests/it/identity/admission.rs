//! Who may become a user (11.11): addresses and domains of `--admit`, and whoever is expected in a
//! book.

use daybook_tests::{Cast, Client, Engine, run_for};
use serde_json::json;

use super::{Stage, lets_in, not_trusted};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_11_not_admitted,
        rule_11_11_admitted_by_address_and_domain,
        rule_11_11_admitted_by_a_collaboration,
        rule_11_11_opaque_tokens_of_strangers,
        rule_11_10_disabled_users,
    ]
}

/// The addresses of all users.
fn users(stage: &Stage) -> String {
    let run = stage.server.admin(&["user", "list"]).output().expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("UTF-8")
}

/// A caller with a JWT of the issuer for this address.
#[track_caller]
fn visitor(stage: &Stage, email: &str) -> Client {
    stage.caller(&stage.signed_with(email, &json!({"email": email})))
}

#[track_caller]
fn not_admitted(caller: &Client) {
    let message = caller.get("/v5/user").refused(403, "notAdmitted");
    assert!(!message.is_empty());
    caller.post("/v5/books", &json!({"name": "Mine"})).refused(403, "notAdmitted");
}

fn rule_11_11_not_admitted(engine: Engine) {
    let stage = Stage::admitting(engine, &[], |provider| vec![provider.oidc()]);
    let before = users(&stage);
    let stranger = visitor(&stage, "stranger@example.com");
    not_admitted(&stranger);
    not_admitted(&stranger);
    assert_eq!(users(&stage), before, "nothing is kept of them");
    // An own token, made on the server's machine, admits; then the address is known.
    let own = stage.server.client("stranger@example.com").get("/v5/user").ok();
    assert_eq!(stranger.get("/v5/user").ok()["id"], own["id"]);
}

fn rule_11_11_admitted_by_address_and_domain(engine: Engine) {
    let admitted = ["alice@example.com", "@example.org", "Bob@Example.NET"];
    let stage = Stage::admitting(engine, &admitted, |provider| vec![provider.oidc()]);
    for email in ["alice@example.com", "ALICE@Example.COM", "any@example.org", "bob@example.net"] {
        let user = visitor(&stage, email).get("/v5/user");
        lets_in(user, &email.to_lowercase(), "admitted");
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
        let answer = visitor(&stage, email).get("/v5/user");
        assert!(matches!(answer.status, 401 | 403), "{email}: {}", answer.text);
    }
    let listed = users(&stage);
    assert_eq!(listed.lines().filter(|line| line.contains('@')).count(), 3, "{listed}");
}

fn rule_11_11_admitted_by_a_collaboration(engine: Engine) {
    let stage = Stage::admitting(engine, &[], |provider| vec![provider.oidc()]);
    let cast = Cast::new(&stage.server);
    let (guest, other) = (visitor(&stage, "guest@example.com"), visitor(&stage, "other@a.example"));
    not_admitted(&guest);
    cast.share("Guest@example.com", "VIEWER");
    let seen = guest.get(&cast.path("")).ok();
    assert_eq!(seen["permission"], "VIEWER", "7.5: it waited for the first sight");
    guest.get("/v5/user").ok();
    not_admitted(&other);
    // Taken back before the first sight.
    cast.share("other@a.example", "EDITOR");
    cast.owner.delete(&cast.path("/collaborators/other@a.example")).ok();
    not_admitted(&other);
    // Whoever is a user stays one.
    cast.owner.delete(&cast.path("/collaborators/guest@example.com")).ok();
    guest.get("/v5/user").ok();
    guest.get(&cast.path("")).refused(404, "notFound");
}

/// Their token is good; who they are is known, and still nothing is kept.
fn rule_11_11_opaque_tokens_of_strangers(engine: Engine) {
    let stage = Stage::admitting(engine, &["@elsewhere.example"], |provider| {
        vec![provider.introspection()]
    });
    stage.person("oskar");
    let caller = stage.caller(&stage.opaque("oskar", "openid email"));
    not_admitted(&caller);
    not_admitted(&caller);
    assert!(!users(&stage).contains("oskar"));
    let cast = Cast::new(&stage.server);
    cast.share("oskar@example.com", "EDITOR");
    caller.get(&cast.path("")).ok();
}

fn rule_11_10_disabled_users(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
    let caller = visitor(&stage, "dan@example.com");
    caller.get("/v5/user").ok();
    let mut command = stage.server.admin(&["user", "disable", "--email", "dan@example.com"]);
    let run = run_for(&mut command, std::time::Duration::from_secs(30)).expect("it ends");
    assert!(run.status.success());
    // The server has not seen this token before.
    let next = stage.signed_with("again", &json!({"email": "dan@example.com"}));
    stage.ask(&next).refused(403, "disabled");
    let untrusted = stage.signed_with("again", &json!({"email": "dan@example.com", "exp": 5}));
    not_trusted(stage.ask(&untrusted), "a token that is not trusted says nothing of a user");
}
