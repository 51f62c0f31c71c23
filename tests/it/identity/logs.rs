//! Tokens, addresses and secrets are never logged.

use daybook_tests::provider::{ASKING_SECRET, File, Provider};
use daybook_tests::{Engine, Options, Server, encode};
use serde_json::json;

use super::{IdentityFixture, arguments, assert_accepted, assert_refused};
use crate::Case;
use crate::secrets::assert_not_logged;

pub fn tests() -> Vec<Case> {
    crate::isolated![tokens_and_addresses_are_not_logged]
}

/// At any log level, also names and the server's own secret.
fn tokens_and_addresses_are_not_logged(engine: Engine) {
    let provider = Provider::start();
    let file = File::new(&[provider.oidc(), provider.introspection(), provider.tokeninfo()]);
    let fixture = IdentityFixture {
        server: Server::start_with(Options {
            engine,
            args: arguments(&file, &["@example.com"]),
            env: vec![("DAYBOOK_LOG".to_owned(), "trace".to_owned())],
            ..Options::default()
        }),
        provider,
        _file: file,
    };
    let email = fixture.person("zacharias");
    let signed = fixture.signed_with("zacharias", &json!({"name": "Zacharias Private"}));
    let opaque = fixture.opaque("zacharias", "openid email");
    let unverified = fixture.signed_with("zacharias", &json!({"email_verified": false}));
    let expired = fixture.signed_with("zacharias", &json!({"exp": 5}));
    let outsider = fixture.signed_with("zora", &json!({"email": "zora@outside.example"}));
    assert_accepted(fixture.ask(&signed), &email, "a JWT");
    assert_accepted(fixture.ask(&opaque), &email, "an opaque one");
    assert_refused(fixture.ask(&unverified), "not verified");
    assert_refused(fixture.ask(&expired), "expired");
    assert_refused(fixture.ask("opaque-and-unknown"), "unknown");
    fixture.ask(&outsider).refused(403, "notAdmitted");
    fixture.provider.pause();
    fixture.ask("opaque-while-it-is-down").refused(503, "backendError");
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
        // The Basic header: the user, a colon and the begin of the secret.
        "ZGF5Ym9vazph".to_owned(),
    ];
    assert_not_logged(&fixture.server, words.iter().map(String::as_str));
}
