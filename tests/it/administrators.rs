//! Administrators (9.3): users named in `--administrators` may change and publish any app.

use daybook_tests::{Engine, Options, Server, column};
use serde_json::json;

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![administrators_publish]
}

fn administrators_publish(engine: Engine) {
    let server = Server::start_with(Options {
        args: vec!["--administrators".to_owned(), "root@example.com,Second@Example.com".to_owned()],
        engine,
        ..Options::default()
    });
    let [root, second, owner, stranger] = ["root", "second", "owner", "stranger"]
        .map(|name| server.client(&format!("{name}@example.com")));
    owner.post("/v5/apps", &json!({"id": "app", "name": "App", "clientId": "c"})).ok();
    let publish = json!({"id": "app", "published": true});
    assert_eq!(owner.put("/v5/apps", &publish).ok()["published"], json!(false));
    stranger.get("/v5/apps/app").refused(404, "notFound");
    assert_eq!(column(&root.get("/v5/apps").ok(), "id"), ["app"]);
    assert_eq!(second.put("/v5/apps", &publish).ok()["published"], json!(true));
    let seen = stranger.get("/v5/apps/app").ok();
    assert!(seen["clientId"].is_null(), "{seen}");
    assert_eq!(column(&stranger.get("/v5/apps").ok(), "id"), ["app"]);
    owner.put("/v5/apps", &json!({"id": "app", "published": null})).ok();
    stranger.get("/v5/apps/app").ok();
    root.put("/v5/apps", &json!({"id": "app", "published": null, "deprecated": true})).ok();
    stranger.get("/v5/apps/app").refused(404, "notFound");
}
