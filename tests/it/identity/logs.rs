//! What never stands in the log.

use daybook_tests::provider::{ASKING_SECRET, File, Provider};
use daybook_tests::{Engine, Options, Server, encode};
use serde_json::json;

use super::{Stage, arguments, lets_in, not_trusted};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![logs_hold_no_tokens]
}

/// Nor addresses, names, nor the server's own secret, at any level.
fn logs_hold_no_tokens(engine: Engine) {
    let provider = Provider::start();
    let file = File::new(&[provider.oidc(), provider.introspection(), provider.tokeninfo()]);
    let stage = Stage {
        server: Server::start_with(Options {
            engine,
            args: arguments(&file, &["@example.com"]),
            env: vec![("DAYBOOK_LOG".to_owned(), "trace".to_owned())],
            ..Options::default()
        }),
        provider,
        _file: file,
    };
    let email = stage.person("zacharias");
    let signed = stage.signed_with("zacharias", &json!({"name": "Zacharias Private"}));
    let opaque = stage.opaque("zacharias", "openid email");
    let unverified = stage.signed_with("zacharias", &json!({"email_verified": false}));
    let expired = stage.signed_with("zacharias", &json!({"exp": 5}));
    let outsider = stage.signed_with("zora", &json!({"email": "zora@outside.example"}));
    lets_in(stage.ask(&signed), &email, "a JWT");
    lets_in(stage.ask(&opaque), &email, "an opaque one");
    not_trusted(stage.ask(&unverified), "not verified");
    not_trusted(stage.ask(&expired), "expired");
    not_trusted(stage.ask("opaque-and-unknown"), "unknown");
    stage.ask(&outsider).refused(403, "notAdmitted");
    stage.provider.pause();
    stage.ask("opaque-while-it-is-down").refused(503, "backendError");
    let log = stage.server.log();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "all is logged");
    let signature = |token: &str| token.rsplit('.').next().expect("a last part").to_owned();
    let words = [
        signature(&signed),
        signature(&unverified),
        signature(&expired),
        signature(&outsider),
        opaque,
        "opaque-and-unknown".to_owned(),
        "opaque-while-it-is-down".to_owned(),
        "zacharias".to_owned(),
        "zora".to_owned(),
        "Private".to_owned(),
        ASKING_SECRET.to_owned(),
        encode(ASKING_SECRET),
        // The same in the header: the user, a colon and how the secret begins.
        "ZGF5Ym9vazph".to_owned(),
    ];
    for word in words {
        let line = log.lines().find(|line| line.contains(&word));
        assert_eq!(line, None, "the log holds {word}");
    }
}
