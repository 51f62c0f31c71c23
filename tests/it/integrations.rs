//! Integrations (9.4): apps installed in a book, their events, and the names of agents in
//! transactions and events (3.2.11, 8.4).

use daybook_tests::{Cast, Client, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{events, items, new_events, types};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_9_4_app_is_installed_and_uninstalled,
        rule_9_4_an_app_is_installed_once,
        rule_9_4_invalid_installation_is_refused,
        rule_9_4_update_changes_name_and_properties,
        rule_9_4_lists_are_by_name,
        rule_9_4_apps_of_a_book_are_listed,
        rule_9_4_book_has_at_most_100_integrations,
        rule_8_1_integrations_record_events,
        rule_3_2_11_agents_show_name_and_logo,
        rule_9_2_agent_name_follows_the_app,
    ]
}

/// Creates an app with this name.
#[track_caller]
fn app(owner: &Client, name: &str, fields: Value) -> Value {
    let mut body = json!({"id": unique("bot"), "name": name});
    body.as_object_mut()
        .expect("an object")
        .extend(fields.as_object().cloned().unwrap_or_default());
    owner.post("/v5/apps", &body).ok()
}

#[track_caller]
fn install(cast: &Cast, app: &Value) -> Value {
    cast.post("/integrations", &json!({"agentId": app["id"]})).ok()
}

#[track_caller]
fn list(cast: &Cast) -> Value {
    cast.get("/integrations").ok()
}

/// Clients find the integration by agentId to uninstall it.
fn rule_9_4_app_is_installed_and_uninstalled(server: &Server) {
    let cast = Cast::new(server);
    assert_eq!(list(&cast), json!({"items": []}), "behaviour 2.7");
    let bot = app(&cast.owner, "Tax Bot", json!({"logoUrl": "https://bot.example/logo.png"}));
    let by_agent = cast.owner.header("service-agent-id", "console");
    let made = by_agent.post(&cast.path("/integrations"), &json!({"agentId": bot["id"]})).ok();
    let owner = cast.owner.get("/v5/user").ok();
    shows(
        &made,
        &json!({
            "bookId": cast.book,
            "agentId": bot["id"],
            "name": "Tax Bot",
            "normalizedName": "tax_bot",
            "logo": "https://bot.example/logo.png",
            "addedBy": owner["username"],
            "userId": owner["id"],
            "properties": {},
        }),
    );
    assert!(made.get("logoDark").is_none() && made.get("connectionId").is_none(), "{made}");
    assert_eq!(
        (&made["dateAddedMs"], &made["lastUpdateMs"]),
        (&made["createdAt"], &made["updatedAt"])
    );
    assert!(id(&made).parse::<i64>().is_ok(), "0.14: digits that fit int64: {made}");
    assert_eq!(list(&cast)["items"], json!([made]));
    let all = list(&cast);
    let found = items(&all).iter().find(|one| one["agentId"] == bot["id"]);
    let path = cast.path(&format!("/integrations/{}", id(found.expect("installed"))));
    assert_eq!(cast.editor.delete(&path).ok(), made);
    cast.owner.delete(&path).refused(404, "notFound");
    cast.delete("/integrations/x").refused(404, "notFound");
    assert_eq!(items(&list(&cast)).len(), 0);
}

fn rule_9_4_an_app_is_installed_once(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let bot = app(&cast.owner, "Bot", json!({}));
    let made = install(&cast, &bot);
    let before = events(&cast).len();
    let again = json!({"agentId": bot["id"], "name": "Another", "properties": {"a": "b"}});
    assert_eq!(cast.post("/integrations", &again).ok(), made);
    // A caller who does not see the app gets the installed one, which is in the list.
    assert_eq!(cast.editor.post(&cast.path("/integrations"), &again).ok(), made);
    assert_eq!(events(&cast).len(), before, "nothing happened");
    other.share(cast.owner.email(), "EDITOR");
    let elsewhere = cast
        .owner
        .post(&other.path("/integrations"), &json!({"agentId": bot["id"], "name": "Mine"}))
        .ok();
    assert_eq!(elsewhere["name"], "Mine");
    other.delete(&format!("/integrations/{}", id(&made))).refused(404, "notFound");
}

fn rule_9_4_invalid_installation_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let hidden = app(&cast.stranger, "Hidden", json!({}));
    let fixed = app(&cast.owner, "Fixed", json!({"installable": false}));
    let bot = app(&cast.owner, "Bot", json!({}));
    let too_long = "k".repeat(31);
    for body in [
        json!({}),
        json!({"agentId": null}),
        json!({"agentId": unique("unknown")}),
        json!({"agentId": hidden["id"]}),
        json!({"agentId": fixed["id"]}),
        json!({"agentId": bot["id"], "name": "n".repeat(256)}),
        json!({"agentId": bot["id"], "properties": {too_long: "v"}}),
    ] {
        let message = cast.post("/integrations", &body).refused(400, "badRequest");
        assert!(!message.is_empty(), "{body}");
    }
    assert_eq!(list(&cast)["items"], json!([]));
    // An installed app stays when it becomes uninstallable.
    let made = install(&cast, &bot);
    cast.owner.put("/v5/apps", &json!({"id": bot["id"], "installable": false})).ok();
    assert_eq!(list(&cast)["items"], json!([made]));
}

/// 9.4, 9.13.
fn rule_9_4_update_changes_name_and_properties(server: &Server) {
    let cast = Cast::new(server);
    let made = install(&cast, &app(&cast.owner, "Bot", json!({})));
    let put = |body: Value| cast.editor.put(&cast.path("/integrations"), &body).ok();
    let changed = put(json!({"id": made["id"], "name": "VAT", "properties": {"Tax Rate": "10"}}));
    shows(&changed, &json!({"name": "VAT", "properties": {"tax_rate": "10"}}));
    let number: i64 = id(&made).parse().expect("digits");
    let back = put(json!({"id": number, "name": "Bot", "properties": {"tax_rate": null}}));
    shows(&back, &json!({"name": "Bot", "properties": {}, "addedBy": made["addedBy"]}));
    assert_eq!(back["userId"], made["userId"], "the installing user stays");
    for (body, status) in [
        (json!({"name": "x"}), 400),
        (json!({"id": made["id"], "name": " "}), 400),
        (json!({"id": "1", "name": "x"}), 404),
    ] {
        let reason = if status == 404 { "notFound" } else { "badRequest" };
        cast.put("/integrations", &body).refused(status, reason);
    }
    assert_eq!(list(&cast)["items"], json!([back]));
}

fn rule_9_4_lists_are_by_name(server: &Server) {
    let cast = Cast::new(server);
    for name in ["beta", "Alpha", "alpha 2"] {
        install(&cast, &app(&cast.owner, name, json!({})));
    }
    assert_eq!(column(&list(&cast), "name"), ["Alpha", "alpha 2", "beta"]);
    assert_eq!(cast.viewer.get(&cast.path("/integrations")).ok(), list(&cast));
}

/// 9.4: also those hidden elsewhere, without private fields.
fn rule_9_4_apps_of_a_book_are_listed(server: &Server) {
    let cast = Cast::new(server);
    let path = cast.path("/apps");
    assert_eq!(cast.owner.get(&path).ok(), json!({"items": []}));
    let fields = json!({"webhookUrl": "https://bot.example/hook", "readme": "Read"});
    let bots = ["Zeta", "Eta"].map(|name| app(&cast.owner, name, fields.clone()));
    bots.iter().for_each(|bot| drop(install(&cast, bot)));
    app(&cast.owner, "Elsewhere", json!({}));
    cast.owner.put("/v5/apps", &json!({"id": bots[0]["id"], "deprecated": true})).ok();
    let seen = cast.owner.get(&path).ok();
    assert_eq!(column(&seen, "name"), ["Eta", "Zeta"]);
    assert_eq!(seen["items"][0]["webhookUrl"], "https://bot.example/hook");
    assert!(seen["items"][0].get("readme").is_none(), "lists leave readmes out");
    let seen = cast.viewer.get(&path).ok();
    assert_eq!(column(&seen, "name"), ["Eta", "Zeta"]);
    assert!(seen["items"][0].get("webhookUrl").is_none(), "{seen}");
    cast.viewer.get(&format!("/v5/apps/{}", id(&bots[0]))).refused(404, "notFound");
}

fn rule_9_4_book_has_at_most_100_integrations(server: &Server) {
    let cast = Cast::new(server);
    for number in 0..100 {
        install(&cast, &app(&cast.owner, &format!("Bot {number}"), json!({})));
    }
    let one_more = app(&cast.editor, "One more", json!({}));
    let body = json!({"agentId": one_more["id"]});
    cast.editor.post(&cast.path("/integrations"), &body).refused(400, "badRequest");
    let first = id(&list(&cast)["items"][0]).to_owned();
    cast.delete(&format!("/integrations/{first}")).ok();
    cast.editor.post(&cast.path("/integrations"), &body).ok();
}

fn rule_8_1_integrations_record_events(server: &Server) {
    let cast = Cast::new(server);
    let dark = json!({"logoUrlDark": "https://bot.example/dark.png"});
    let bot = app(&cast.owner, "Bot", dark);
    let before = events(&cast).len();
    let made = install(&cast, &bot);
    let changes = json!({"id": made["id"], "name": "VAT", "properties": {"rate": "10"}});
    let changed = cast.editor.put(&cast.path("/integrations"), &changes).ok();
    cast.editor.put(&cast.path("/integrations"), &changes).ok();
    let removed = cast.delete(&format!("/integrations/{}", id(&made))).ok();
    let new = new_events(&cast, before);
    let expected = ["INTEGRATION_CREATED", "INTEGRATION_UPDATED", "INTEGRATION_DELETED"];
    assert_eq!(types(&new), expected, "and none of an update that changes nothing");
    for (event, object) in new.iter().zip([&made, &changed, &removed]) {
        assert_eq!(event["resource"], made["id"]);
        assert_eq!(&event["data"]["object"], object, "8.2: the resource itself");
    }
    assert_eq!(new[1]["data"]["previousAttributes"], json!({"name": "Bot", "rate": ""}));
    assert!(new[0]["data"].get("previousAttributes").is_none());
    let found = cast.get(&format!("/events?resourceId={}", id(&made))).ok();
    assert_eq!(items(&found).len(), 3, "8.5");
}

/// An id without an app has no name.
fn rule_3_2_11_agents_show_name_and_logo(server: &Server) {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    let long = format!("https://bot.example/{}", "x".repeat(3_000));
    let logos = json!({"logoUrl": "https://bot.example/a.png", "logoUrlDark": long});
    let bot = app(&cast.owner, "Tax Bot", logos);
    let record = |agent: &str| {
        let lunch = json!({
            "date": "2025-01-31", "amount": "5", "description": agent,
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
        });
        let by_agent = cast.owner.header("service-agent-id", agent);
        by_agent.post(&cast.path("/transactions"), &lunch).ok()["transaction"].clone()
    };
    let unknown = unique("unknown");
    let (named, plain) = (record(id(&bot)), record(&unknown));
    let summary = json!({
        "agentId": bot["id"], "agentName": "Tax Bot", "agentLogo": "https://bot.example/a.png",
    });
    let row = |label: &str| {
        let path = cast.path(&format!("/transactions?query={label}"));
        cast.viewer.get(&path).ok()["items"][0].clone()
    };
    for transaction in [&named, &row(id(&bot))] {
        shows(transaction, &summary);
        assert!(transaction.get("agentLogoDark").is_none(), "too long to stand everywhere");
    }
    for transaction in [&plain, &row(&unknown)] {
        assert_eq!(transaction["agentId"], json!(unknown));
        assert!(transaction.get("agentName").is_none(), "{transaction}");
    }
    // In events, for the agent and the transaction.
    let checked = cast
        .editor
        .patch(&cast.path("/transactions/check"), &json!({"id": named["id"]}))
        .ok()["transaction"]
        .clone();
    shows(&checked, &summary);
    let log = events(&cast);
    let of = |kind: &str| {
        let found =
            log.iter().find(|event| event["type"] == kind && event["resource"] == named["id"]);
        found.expect("an event").clone()
    };
    let (posted, checked) = (of("TRANSACTION_POSTED"), of("TRANSACTION_CHECKED"));
    assert_eq!(
        posted["agent"],
        json!({"id": bot["id"], "name": "Tax Bot", "logo": "https://bot.example/a.png"})
    );
    assert_eq!(checked["agent"], json!({"id": "api"}));
    for event in [&posted, &checked] {
        shows(&event["data"]["object"]["transaction"], &summary);
    }
}

/// 9.2.
fn rule_9_2_agent_name_follows_the_app(server: &Server) {
    let cast = Cast::new(server);
    let agent = unique("bot");
    let by_agent = cast.owner.header("service-agent-id", &agent);
    let made = by_agent.post(&cast.path("/transactions"), &json!({"description": "x"})).ok();
    let path = cast.path(&format!("/transactions/{}", id(&made["transaction"])));
    assert!(cast.owner.get(&path).ok().get("agentName").is_none());
    cast.owner.post("/v5/apps", &json!({"id": agent, "name": "First"})).ok();
    assert_eq!(cast.owner.get(&path).ok()["agentName"], "First");
    cast.owner.put("/v5/apps", &json!({"id": agent, "name": "Second"})).ok();
    assert_eq!(cast.owner.get(&path).ok()["agentName"], "Second");
}
