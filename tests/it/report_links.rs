//! Links to reports, which open without a token (13.14).

use daybook_tests::{Cast, Client, Server, encode};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::id;
use crate::secrets::assert_not_logged;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_13_14_link_opens_without_a_token,
        rule_13_14_link_ends_with_its_token_and_permission,
        rule_13_14_other_links_are_refused,
        rule_13_14_links_are_not_logged,
    ]
}

fn book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Rent", "OUTGOING")]);
    cast.record("2026-09-10", "30.00", "Cash", "Rent", "rent");
    cast
}

/// The path of a link that a caller makes.
#[track_caller]
fn link(server: &Server, caller: &Client, cast: &Cast, report: &str, query: &str) -> String {
    let link = caller.get(&cast.path(&format!("/reports/{report}/link{query}"))).ok();
    let url = link["url"].as_str().expect("a url");
    url.strip_prefix(server.base()).expect("an address of this server").to_owned()
}

fn rule_13_14_link_opens_without_a_token(server: &Server) {
    let cast = book(server);
    let shown = cast.get("/reports/journal/link").ok();
    let now = daybook_tests::now_milliseconds();
    let expires: i64 = shown["expiresAt"].as_str().and_then(|at| at.parse().ok()).expect("a time");
    assert!((240_000..=300_000).contains(&(expires - now)), "13.14: five minutes: {shown}");
    let query = format!("?period=2026&format=html&query={}", encode("account:Cash"));
    for report in ["trial-balance", "general-ledger"] {
        let path = link(server, &cast.viewer, &cast, report, &query);
        let page = cast.anonymous.get(&path);
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.text.contains("account:") && page.text.contains("30.00"), "{}", page.text);
        assert_eq!(page.headers["cache-control"], "no-store");
        assert_eq!(page.headers["referrer-policy"], "no-referrer");
        let policy = &page.headers["content-security-policy"];
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe-inline"), "{policy}");
    }
    let path = link(server, &cast.owner, &cast, "journal", "?period=2026&format=csv");
    for _ in 0..2 {
        let table = cast.stranger.get(&path);
        assert!(table.headers["content-disposition"].starts_with("attachment;"));
        assert!(table.text.contains(",rent,Rent,Cash,30.00,"), "{}", table.text);
    }
    // A link shows the book as it is when it is opened.
    cast.record("2026-09-11", "40.00", "Cash", "Rent", "later");
    assert!(cast.anonymous.get(&path).text.contains(",later,"));
}

fn rule_13_14_link_ends_with_its_token_and_permission(server: &Server) {
    let cast = book(server);
    let created = cast.viewer.post("/v5/user/tokens", &json!({"name": "links"})).ok();
    let caller = server.client_with_token(created["token"].as_str().expect("a token"));
    let path = link(server, &caller, &cast, "journal", "?format=csv");
    assert_eq!(cast.anonymous.get(&path).status, 200);
    cast.viewer.delete(&format!("/v5/user/tokens/{}", id(&created))).ok();
    cast.anonymous.get(&path).refused(401, "required");
    let path = link(server, &cast.viewer, &cast, "balance-sheet", "?format=html");
    assert_eq!(cast.anonymous.get(&path).status, 200);
    cast.share(cast.viewer.email(), "RECORDER");
    let refused = cast.anonymous.get(&path);
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(refused.headers["referrer-policy"], "no-referrer");
    cast.share(cast.viewer.email(), "NONE");
    cast.anonymous.get(&path).refused(404, "notFound");
}

fn rule_13_14_other_links_are_refused(server: &Server) {
    let cast = book(server);
    let path = link(server, &cast.owner, &cast, "journal", "");
    let (base, sealed) = path.rsplit_once('/').expect("a path");
    let (head, tail) = sealed.split_at(sealed.len() / 2);
    let flipped = if tail.starts_with('A') { "B" } else { "A" };
    let changed = format!("{head}{flipped}{}", &tail[1..]);
    for other in [changed.as_str(), head, "x", "%00"] {
        let refused = cast.owner.get(&format!("{base}/{other}"));
        assert_eq!(refused.status, 404, "{other}: {}", refused.text);
        assert!(!refused.text.contains(head), "{}", refused.text);
    }
    for (report, query, status) in [
        ("net-worth", "", 404),
        ("journal", "?period=never", 400),
        ("journal", "?format=pdf", 400),
        ("balance-sheet", "?query=account:Cash", 400),
    ] {
        let answer = cast.get(&format!("/reports/{report}/link{query}"));
        assert_eq!(answer.status, status, "{report}{query}: {}", answer.text);
    }
    // A blank flag counts as absent (0.9).
    let long = cast.get(&format!("/reports/journal/link?excel={}", "+".repeat(8_000)));
    assert!(long.refused(400, "badRequest").contains("at most 7500 are allowed"));
    assert_eq!(cast.recorder.get(&cast.path("/reports/journal/link")).status, 403);
    let narrow = json!({"name": "narrow", "books": [cast.book]});
    let created: Value = cast.owner.post("/v5/user/tokens", &narrow).ok();
    let caller = server.client_with_token(created["token"].as_str().expect("a token"));
    assert_eq!(cast.anonymous.get(&link(server, &caller, &cast, "journal", "")).status, 200);
}

fn rule_13_14_links_are_not_logged(server: &Server) {
    let server = server.beside(&["--log", "trace"]);
    let cast = book(&server);
    let path = link(&server, &cast.owner, &cast, "journal", "?format=html");
    assert_eq!(cast.anonymous.get(&path).status, 200);
    let sealed = path.rsplit_once('/').expect("a path").1;
    assert_eq!(cast.anonymous.get(&format!("/links/x{sealed}")).status, 404);
    let token = cast.owner.token().expect("a token");
    assert!(server.log().contains("/links/{link}"), "each request is logged");
    assert_not_logged(&server, [sealed, token]);
}
