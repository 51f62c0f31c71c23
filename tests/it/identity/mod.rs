//! Tokens of other identity providers (11.11 - 11.13), against a real OpenID provider
//! (`daybook_tests::provider`). A token is accepted (200), refused (401), or unavailable while its
//! provider cannot be asked (503).

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
        remembered::tests(),
        sign_in::tests(),
        sign_in_anew::tests(),
        tokeninfo::tests(),
        userinfo::tests(),
    ];
    let with_provider = with_provider.into_iter().flatten().map(|case| case.needs(missing));
    with_provider.chain(faults::tests()).collect()
}

/// Unreachable and slow providers, and tokens that expire.
pub fn nightly() -> Vec<Case> {
    let cases = outages::tests().into_iter().chain(remembered::nightly());
    cases.map(|case| case.needs(missing)).collect()
}

/// The default client, whose ID tokens are signed with ES256.
const CLIENT: &str = "web-ES256";

/// A server that trusts an issuer.
struct IdentityFixture {
    provider: Provider,
    server: Server,
    _file: File,
}

impl IdentityFixture {
    /// Starts a server with these provider entries that admits example.com.
    #[track_caller]
    fn new(engine: Engine, entries: impl FnOnce(&Provider) -> Vec<Value>) -> IdentityFixture {
        IdentityFixture::admitting(engine, &["@example.com"], entries)
    }

    /// Starts a server that admits these addresses and domains.
    #[track_caller]
    fn admitting(
        engine: Engine,
        admitted: &[&str],
        entries: impl FnOnce(&Provider) -> Vec<Value>,
    ) -> IdentityFixture {
        let provider = Provider::start();
        let file = File::new(&entries(&provider));
        let options = Options { engine, args: arguments(&file, admitted), ..Options::default() };
        IdentityFixture { provider, server: Server::start_with(options), _file: file }
    }

    /// Sends getUser with a token.
    #[track_caller]
    fn ask(&self, token: &str) -> Answer {
        self.caller(token).get("/v5/user")
    }

    fn caller(&self, token: &str) -> Client {
        self.server.client_with_token(token)
    }

    /// Creates a user of the issuer with a verified address, and returns the address.
    #[track_caller]
    fn person(&self, sub: &str) -> String {
        let email = format!("{sub}@example.com");
        self.provider.user(sub, &json!({"email": email, "email_verified": true}));
        email
    }

    /// Returns the claims of a valid JWT for a user with a verified address.
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

    /// Signs these claims with the current ES256 key.
    #[track_caller]
    fn signed(&self, claims: &Value) -> String {
        self.provider.sign(&json!({}), claims, &json!({"alg": "ES256"}))
    }

    /// Signs valid claims with some replaced, or removed by null.
    #[track_caller]
    fn signed_with(&self, sub: &str, claims: &Value) -> String {
        self.signed(&changed(self.claims(sub), claims))
    }

    /// Returns an opaque access token, through the pages of the issuer.
    #[track_caller]
    fn opaque(&self, sub: &str, scope: &str) -> String {
        self.provider.sign_in(sub, CLIENT, scope, "").access
    }
}

/// Returns the options of a server with this provider file.
fn arguments(file: &File, admitted: &[&str]) -> Vec<String> {
    let path = file.path().display().to_string();
    let mut arguments = vec!["--providers".to_owned(), path];
    if !admitted.is_empty() {
        arguments.extend(["--admit".to_owned(), admitted.join(",")]);
    }
    arguments
}

/// Replaces fields of an object; null removes one.
fn changed(mut object: Value, changes: &Value) -> Value {
    let fields = object.as_object_mut().expect("an object");
    for (name, value) in changes.as_object().expect("an object") {
        fields.insert(name.clone(), value.clone());
    }
    fields.retain(|_, value| !value.is_null());
    object
}

/// Returns the seconds since 1970.
fn now() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "tokens end by the system's clock")]
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(now.expect("after 1970").as_secs()).expect("seconds fit")
}

/// Asserts that the token authenticates this address.
#[track_caller]
fn assert_accepted(answer: Answer, email: &str, what: &str) {
    assert_eq!(answer.status, 200, "{what}: {}", answer.text);
    assert_eq!(answer.body["email"], email, "{what}");
}

/// Asserts 401, as without a token (10.2).
#[track_caller]
fn assert_refused(answer: Answer, what: &str) {
    assert_eq!(answer.status, 401, "{what}: {}", answer.text);
    let message = answer.refused(401, "required");
    assert!(message.contains("Login Required"), "10.2: {what}: {message}");
}

/// Asserts 503 with Retry-After: the token cannot be checked now.
#[track_caller]
fn assert_unavailable(answer: Answer, what: &str) {
    assert_eq!(answer.status, 503, "{what}: {}", answer.text);
    let wait = answer.headers.get("retry-after").and_then(|text| text.parse::<u64>().ok());
    assert!(wait.is_some_and(|seconds| seconds >= 1), "{what}: Retry-After: {wait:?}");
    answer.refused(503, "backendError");
}
