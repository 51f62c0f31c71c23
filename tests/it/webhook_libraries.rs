//! Independent receivers (8.6): Python's `standardwebhooks` and PyJWT verify the requests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use daybook_tests::contract::python;
use daybook_tests::receiver::{Received, Receiver};
use daybook_tests::{CASH_AND_FOOD, Cast, Server, setting};
use serde_json::{Value, json};

use crate::Case;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::cases![rule_8_6_libraries_verify, rule_8_6_any_secret_is_one_for_libraries]
}

/// The verdicts of the libraries; `None` if they are not installed.
fn verdicts(asked: &[Value]) -> Option<Vec<Value>> {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => {
            assert!(setting("CI").is_none(), "{missing}");
            eprintln!("a case of webhook_libraries is left out: {missing}");
            return None;
        }
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/webhook_receiver.py");
    let mut command = Command::new(python);
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("python starts");
    let mut input = child.stdin.take().expect("its standard input");
    input.write_all(json!(asked).to_string().as_bytes()).expect("it reads");
    drop(input);
    let done = child.wait_with_output().expect("python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(serde_json::from_slice(&done.stdout).expect("JSON"))
}

/// A received webhook, and the receiver's keys.
fn asked(server: &Server, received: &Received, secret: &str, audience: &str) -> Value {
    json!({"headers": received.headers, "body": received.text, "secret": secret,
        "issuer": server.base(), "audience": audience})
}

/// Sends an event to an app with this secret; returns it, the app and its address.
fn sent(server: &Server, secret: &str) -> (Received, Value, String) {
    let (cast, receiver) = (Cast::with_accounts(server, &CASH_AND_FOOD), Receiver::start());
    let secret = json!({"clientSecret": secret});
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], secret);
    cast.record("2026-01-05", "10", "Cash", "Food", "Crème brûlée");
    (receiver.wait_for(1).remove(0), app, receiver.url())
}

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A JWT with modified claims.
fn forged(token: &str) -> String {
    let parts: Vec<&str> = token.split('.').collect();
    let claims = BASE64_URL_SAFE_NO_PAD.decode(parts[1]).expect("Base64");
    let mut claims: Value = serde_json::from_slice(&claims).expect("claims");
    claims["sub"] = json!("somebody-else");
    let claims = BASE64_URL_SAFE_NO_PAD.encode(claims.to_string());
    [parts[0], &claims, parts[2]].join(".")
}

/// Both libraries accept the request, and reject it with any part replaced.
fn rule_8_6_libraries_verify(server: &Server) {
    let (received, app, url) = sent(server, SECRET);
    let whole = asked(server, &received, SECRET, &url);
    let changed = |what: &dyn Fn(&mut Value)| {
        let mut one = whole.clone();
        what(&mut one);
        one
    };
    let later = || (received.header("webhook-timestamp").parse::<i64>().expect("seconds")) + 1;
    let all = [
        whole.clone(),
        changed(&|one| one["secret"] = json!("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        changed(&|one| one["body"] = json!(received.text.replace("Crème", "Creme"))),
        changed(&|one| one["headers"]["webhook-id"] = json!("another")),
        changed(&|one| one["headers"]["webhook-timestamp"] = json!(later().to_string())),
        changed(&|one| one["headers"]["webhook-timestamp"] = json!("1763000000")),
        changed(&|one| one["audience"] = json!("http://127.0.0.1:1/hook")),
        changed(&|one| {
            one["headers"]["authorization"] = json!(forged(received.header("authorization")));
        }),
    ];
    let Some(verdicts) = verdicts(&all) else { return };
    let claims = &verdicts[0]["told"];
    assert_eq!(verdicts[0]["signed"], "genuine", "8.6: {received:?}");
    assert_eq!(
        json!([claims["iss"], claims["aud"], claims["sub"], claims["jti"]]),
        json!([server.base(), url, app["id"], received.body["id"]]),
        "8.6: {claims}"
    );
    let seconds = |claim: &str| claims[claim].as_i64().expect("seconds");
    assert_eq!(seconds("exp") - seconds("iat"), 300, "8.6: it is valid for five minutes");
    let genuine: Vec<bool> = verdicts.iter().map(|one| one["signed"] == "genuine").collect();
    assert_eq!(genuine, [true, false, false, false, false, false, true, true], "{verdicts:?}");
    let told: Vec<&str> =
        verdicts[2..].iter().map(|one| one["told"].as_str().unwrap_or("claims")).collect();
    let expected = [
        "another body",
        "claims",
        "claims",
        "claims",
        "InvalidAudienceError",
        "InvalidSignatureError",
    ];
    assert_eq!(told, expected, "{verdicts:?}");
}

/// A secret of another form is passed to libraries in Base64, as the rule says.
fn rule_8_6_any_secret_is_one_for_libraries(server: &Server) {
    for (secret, given) in [
        ("plain words, ünd more", None),
        ("0123456789abcdef", None),
        ("whsec_not Base64", None),
        // Without padding.
        ("whsec_c2VjcmV0cw", Some("whsec_c2VjcmV0cw")),
    ] {
        let (received, _, url) = sent(server, secret);
        let given = given.map_or_else(|| BASE64_STANDARD.encode(secret), str::to_owned);
        let all = [&given, "whsec_AAAA"].map(|secret| asked(server, &received, secret, &url));
        let Some(verdicts) = verdicts(&all) else { return };
        assert_eq!(verdicts[0]["signed"], "genuine", "8.6: {secret}");
        assert_ne!(verdicts[1]["signed"], "genuine", "8.6: {secret}");
    }
}
