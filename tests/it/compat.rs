//! Options for existing v5 clients: 204 for missing resources, older paths and header prefixes, and
//! `--compat` that sets them together (12.6, 12.7, 12.14).

use daybook_tests::{Cast, Engine, Options, Server, id, shows};
use serde_json::json;

use crate::process::takes_agents;

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![
        missing_resources_are_204_with_the_option,
        compat_option_sets_all_v5_options,
        app_source_is_not_offered,
        ledger_alias_creates_accounts,
    ]
}

/// 4.4: for accounts, groups and transactions; a missing book stays 404.
fn missing_resources_are_204_with_the_option(engine: Engine) {
    let env = vec![("DAYBOOK_MISSING_AS_NO_CONTENT".to_owned(), "true".to_owned())];
    let server = Server::start_with(Options { engine, env, ..Options::default() });
    let owner = server.client("alice@example.com");
    let book = owner.post("/v5/books", &json!({"name": "B", "accounts": [{"name": "Cash"}]})).ok();
    let path = |rest: &str| format!("/v5/books/{}{rest}", id(&book));
    owner.get(&path("/accounts/cash")).ok();
    owner.get(&path("/accounts/nothing")).no_content();
    owner.get(&path("/groups/nothing")).no_content();
    let draft = owner.post(&path("/transactions"), &json!({"description": "Lunch"})).ok();
    let draft = format!("/transactions/{}", id(&draft["transaction"]));
    owner.get(&path(&draft)).ok();
    for unknown in ["nothing", "0", "1234567890", "%20", &"x".repeat(300)] {
        owner.get(&path(&format!("/transactions/{unknown}"))).no_content();
    }
    // A transaction of another book and, for a RECORDER, a draft of another user are unknown.
    let other = owner.post("/v5/books", &json!({"name": "C"})).ok();
    owner.get(&format!("/v5/books/{}{draft}", id(&other))).no_content();
    let recorder = server.client("bob@example.com");
    let shared = json!({"email": "bob@example.com", "permission": "RECORDER"});
    owner.post(&path("/collaborators"), &shared).ok();
    recorder.get(&path(&draft)).no_content();
    recorder.get(&path("/accounts/nothing")).refused(403, "forbidden");
    server.client("eve@example.com").get(&path(&draft)).refused(404, "notFound");
    server.anonymous().get(&path(&draft)).refused(401, "required");
    // Other operations still fail.
    for missing in ["/accounts/nothing/groups", "/groups/nothing/accounts", "/files/nothing"] {
        owner.get(&path(missing)).refused(404, "notFound");
    }
    owner.get(&path("/transactions?ids=nothing")).refused(404, "notFound");
    owner.get("/v5/books/nothing/accounts/cash").refused(404, "notFound");
    owner.delete(&path("/accounts/1234567890")).refused(404, "notFound");
}

/// 12.14: explicit options take precedence.
fn compat_option_sets_all_v5_options(engine: Engine) {
    let missing = ("DAYBOOK_MISSING_AS_NO_CONTENT", "false");
    let server = |args: &[&str], env: &[(&str, &str)]| {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Server::start_with(Options { engine, args, env: env.collect(), ..Options::default() })
    };
    for (server, status, prefix) in [
        (server(&["--compat", "v5"], &[]), 204, "bkper-"),
        (server(&[], &[("DAYBOOK_COMPAT", "v5")]), 204, "bkper-"),
        (server(&["--compat", "v5"], &[missing]), 404, "bkper-"),
        (server(&["--compat=v5", "--missing-as-no-content=false"], &[]), 404, "bkper-"),
        (server(&["--compat=v5", "--header-prefixes", "acme-"], &[]), 204, "acme-"),
    ] {
        let cast = Cast::new(&server);
        for path in ["/accounts/nothing", "/groups/nothing", "/transactions/nothing"] {
            assert_eq!(cast.get(path).status, status, "{path}");
        }
        let path = format!("/v2/ledgers/{}/accounts", cast.book);
        cast.owner.post(&path, &json!({"name": "Cash"})).ok();
        let own = (&*format!("{prefix}agent-id"), true);
        let none = ["bkper-agent-id", "acme-agent-id"].into_iter().find(|name| *name != own.0);
        takes_agents(&server, &[own, (none.expect("the other"), false)]);
    }
}

/// 12.7.
fn app_source_is_not_offered(engine: Engine) {
    let server = Server::start(engine);
    let answer = server.anonymous().get("/api/apps/tax-bot/source");
    assert!(!answer.headers.contains_key("retry-after"), "the refusal is permanent");
    answer.refused(503, "notOffered");
    server.client("alice@example.com").get("/api/apps/x%2Fy/source").refused(503, "notOffered");
    server.anonymous().post("/api/apps/x/source", &json!({})).refused(405, "methodNotAllowed");
    server.anonymous().get("/api/apps/x/source/activate").refused(404, "notFound");
}

/// 12.6: off by default; otherwise the rules of createAccount apply.
fn ledger_alias_creates_accounts(engine: Engine) {
    let with = |args: &[&str]| {
        let server = Server::with_args(engine, args);
        let cast = Cast::new(&server);
        (server, cast)
    };
    let (_off, cast) = with(&[]);
    cast.owner
        .post(&format!("/v2/ledgers/{}/accounts", cast.book), &json!({"name": "Cash"}))
        .refused(404, "notFound");
    let (_on, cast) = with(&["--ledger-alias"]);
    let path = format!("/v2/ledgers/{}/accounts", cast.book);
    let made = cast.owner.post(&path, &json!({"name": "Cash", "type": "ASSET"})).ok();
    assert_eq!(cast.read("/accounts/cash"), made);
    cast.owner.post(&path, &json!({"name": "cash"})).refused(400, "badRequest");
    cast.viewer.post(&path, &json!({"name": "Mine"})).refused(403, "forbidden");
    cast.stranger.post(&path, &json!({"name": "Mine"})).refused(404, "notFound");
    cast.anonymous.post(&path, &json!({"name": "Mine"})).refused(401, "required");
    cast.owner.get(&path).refused(405, "methodNotAllowed");
    cast.owner.post(&format!("{path}/?"), &json!({"name": "Bank"})).ok();
    // Older clients send a group by name, which gives the type.
    cast.group("Income");
    cast.account_in("Salary", "INCOMING", &["Income"]);
    let body = json!({"name": "Bonus", "group": "income", "description": "Once a year"});
    let made = cast.owner.post(&path, &body).ok();
    assert_eq!(cast.read("/accounts/bonus"), made);
    assert_eq!((&made["type"], &made["groups"][0]["name"]), (&json!("INCOMING"), &json!("Income")));
    assert_eq!(made["properties"], json!({"description": "Once a year"}));
    cast.group("Other");
    let body = json!({
        "name": "Refund", "type": "OUTGOING", "group": "Income", "description": " ",
        "groups": [{"name": "Other"}], "properties": {"description": "kept"},
    });
    let made = cast.owner.post(&path, &body).ok();
    shows(&made, &json!({"type": "OUTGOING", "properties": {"description": "kept"}}));
    assert_eq!(made["groups"].as_array().map(Vec::len), Some(2));
    let blank = json!({"name": "Plain", "group": "", "description": null});
    let made = cast.owner.post(&path, &blank).ok();
    shows(&made, &json!({"type": "ASSET", "groups": [], "properties": {}}));
    let message = cast
        .owner
        .post(&path, &json!({"name": "Lost", "group": "Nowhere"}))
        .refused(400, "badRequest");
    assert!(message.contains("Group not found: Nowhere"), "{message}");
    for wrong in [
        json!({"name": "Wrong", "group": ["Income"]}),
        json!([{"name": "Wrong"}]),
        json!({"name": 1}),
    ] {
        cast.owner.post(&path, &wrong).refused(400, "invalid");
    }
    // createAccount itself ignores them (0.10).
    let body = json!({"name": "New", "group": "Income", "description": "x"});
    let made = cast.post("/accounts", &body).ok();
    assert_eq!((&made["groups"], &made["properties"]), (&json!([]), &json!({})));
}
