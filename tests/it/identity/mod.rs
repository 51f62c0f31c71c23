//! Whom the tokens of other providers let in (11.11 - 11.13), against a real OpenID provider
//! (`daybook_tests::provider`). Each case has issuers and servers of its own.

mod accepted;
mod admission;
mod claims;
mod endpoints;
mod faults;
mod keys;
mod logs;
mod opaque;
mod outages;
mod profile;
mod refused;
mod remembered;
mod sign_in;
mod sign_in_anew;
mod tokeninfo;
mod userinfo;

use daybook_tests::provider::{File, Provider, missing};
use daybook_tests::{Answer, Client, Engine, Options, Server};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let with_provider = [
        accepted::tests(),
        admission::tests(),
        claims::tests(),
        endpoints::tests(),
        keys::tests(),
        logs::tests(),
        opaque::tests(),
        profile::tests(),
        refused::tests(),
        remembered::tests(),
        sign_in::tests(),
        sign_in_anew::tests(),
        tokeninfo::tests(),
        userinfo::tests(),
    ];
    let with_provider = with_provider.into_iter().flatten().map(|case| case.needs(missing));
    with_provider.chain(faults::tests()).collect()
}

/// Providers that are down or slow, and tokens that expire.
pub fn nightly() -> Vec<Case> {
    let cases = outages::tests().into_iter().chain(remembered::nightly());
    cases.map(|case| case.needs(missing)).collect()
}

/// The client whose ID tokens are signed with ES256, which the cases use where it does not matter.
const CLIENT: &str = "web-ES256";

/// A server that trusts an issuer.
struct Stage {
    provider: Provider,
    server: Server,
    _file: File,
}

impl Stage {
    /// A server that trusts the issuer in the way of these entries, and admits all of example.com.
    #[track_caller]
    fn new(engine: Engine, entries: impl FnOnce(&Provider) -> Vec<Value>) -> Stage {
        Stage::admitting(engine, &["@example.com"], entries)
    }

    /// One that admits these addresses and domains.
    #[track_caller]
    fn admitting(
        engine: Engine,
        admitted: &[&str],
        entries: impl FnOnce(&Provider) -> Vec<Value>,
    ) -> Stage {
        let provider = Provider::start();
        let file = File::new(&entries(&provider));
        let options = Options { engine, args: arguments(&file, admitted), ..Options::default() };
        Stage { provider, server: Server::start_with(options), _file: file }
    }

    /// getUser with a token.
    #[track_caller]
    fn ask(&self, token: &str) -> Answer {
        self.caller(token).get("/v5/user")
    }

    fn caller(&self, token: &str) -> Client {
        self.server.client_with_token(token)
    }

    /// A user of the issuer with a verified address at example.com; the address.
    #[track_caller]
    fn person(&self, sub: &str) -> String {
        let email = format!("{sub}@example.com");
        self.provider.user(sub, &json!({"email": email, "email_verified": true}));
        email
    }

    /// The claims of a good JWT of the issuer for a user with a verified address at example.com.
    fn claims(&self, sub: &str) -> Value {
        json!({
            "iss": self.provider.issuer(),
            "aud": CLIENT,
            "sub": sub,
            "iat": now(),
            "exp": now() + 300,
            "email": format!("{sub}@example.com"),
            "email_verified": true,
        })
    }

    /// A JWT of these claims, signed with the current key of ES256.
    #[track_caller]
    fn signed(&self, claims: &Value) -> String {
        self.provider.sign(&json!({}), claims, &json!({"alg": "ES256"}))
    }

    /// The same with some claims put in, or taken out by null.
    #[track_caller]
    fn signed_with(&self, sub: &str, claims: &Value) -> String {
        self.signed(&changed(self.claims(sub), claims))
    }

    /// An opaque access token for this scope, by the whole way through the issuer's pages.
    #[track_caller]
    fn opaque(&self, sub: &str, scope: &str) -> String {
        self.provider.sign_in(sub, CLIENT, scope, "").access
    }
}

/// The options of a server that trusts the providers of a file.
fn arguments(file: &File, admitted: &[&str]) -> Vec<String> {
    let path = file.path().display().to_string();
    let mut arguments = vec!["--providers".to_owned(), path];
    if !admitted.is_empty() {
        arguments.extend(["--admit".to_owned(), admitted.join(",")]);
    }
    arguments
}

/// An object with fields of another put in; null takes one out.
fn changed(mut object: Value, changes: &Value) -> Value {
    let fields = object.as_object_mut().expect("an object");
    for (name, value) in changes.as_object().expect("an object") {
        fields.insert(name.clone(), value.clone());
    }
    fields.retain(|_, value| !value.is_null());
    object
}

/// The time in tokens: seconds since 1970.
fn now() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "tokens end by the system's clock")]
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(now.expect("after 1970").as_secs()).expect("seconds fit")
}

/// The token lets its user in, under this address.
#[track_caller]
fn lets_in(answer: Answer, email: &str, what: &str) {
    assert_eq!(answer.status, 200, "{what}: {}", answer.text);
    assert_eq!(answer.body["email"], email, "{what}");
}

/// 401 as for any caller without a token (10.2).
#[track_caller]
fn not_trusted(answer: Answer, what: &str) {
    assert_eq!(answer.status, 401, "{what}: {}", answer.text);
    let message = answer.refused(401, "required");
    assert!(message.contains("Login Required"), "10.2: {what}: {message}");
}

/// 503 with the time to wait: the token may be good, and nobody can tell now.
#[track_caller]
fn not_known_now(answer: Answer, what: &str) {
    assert_eq!(answer.status, 503, "{what}: {}", answer.text);
    let wait = answer.headers.get("retry-after").and_then(|text| text.parse::<u64>().ok());
    assert!(wait.is_some_and(|seconds| seconds >= 1), "{what}: Retry-After: {wait:?}");
    answer.refused(503, "backendError");
}
