//! An invalid provider file or admission stops the start with a message that names the entry and
//! shows no secret.

use std::path::Path;

use daybook_tests::provider::File;
use daybook_tests::{Engine, Options, Server, refused_start, unique};
use serde_json::{Value, json};

use super::arguments;
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        invalid_provider_entries_are_refused,
        invalid_provider_files_are_refused,
        invalid_admissions_are_refused,
        valid_provider_files_are_accepted,
    ]
}

/// Starts a server that must fail, and returns its error output.
#[track_caller]
fn start_and_fail(arguments: &[&str]) -> String {
    let folder =
        std::env::temp_dir().join(format!("daybook-{}-{}", std::process::id(), unique("refused")));
    let data = folder.display().to_string();
    let serve = ["--listen", "127.0.0.1:0", "--data-dir", &data];
    let error = refused_start(&[&serve[..], arguments].concat());
    drop(std::fs::remove_dir_all(&folder));
    error
}

#[track_caller]
fn start_with_invalid_file(path: &Path) -> String {
    start_and_fail(&["--providers", &path.display().to_string()])
}

fn oidc() -> Value {
    json!({"kind": "oidc", "issuer": "https://accounts.example", "clients": ["web"]})
}

fn introspection() -> Value {
    json!({
        "kind": "introspection",
        "url": "https://accounts.example/introspect",
        "clientId": "daybook",
        "clientSecret": "not-to-be-shown",
    })
}

fn tokeninfo() -> Value {
    json!({"kind": "tokeninfo", "url": "https://accounts.example/tokeninfo", "clients": ["web"]})
}

/// Returns an entry for signing in, with changes.
fn sign_in_entry(changes: Value) -> Value {
    let client = json!({"name": "Id", "clientId": "a", "clientSecret": "not-to-be-shown"});
    super::changed(oidc(), &json!({"signIn": super::changed(client, &changes)}))
}

/// The invalid entry is the second, and the message must say so.
fn invalid_provider_entries_are_refused(_: Engine) {
    let with = |entry: Value, changes: Value| super::changed(entry, &changes);
    let first = "https://first.example";
    for (entry, words) in [
        (with(oidc(), json!({"audience": "web"})), &["audience"][..]),
        (with(oidc(), json!({"clientSecret": "not-to-be-shown"})), &["clientSecret"]),
        (with(oidc(), json!({"kind": "saml"})), &["saml"]),
        (with(oidc(), json!({"kind": null})), &["kind"]),
        (with(oidc(), json!({"issuer": null})), &["issuer"]),
        (with(oidc(), json!({"issuer": 5})), &[]),
        (with(oidc(), json!({"issuer": "accounts.example"})), &["issuer"]),
        (with(oidc(), json!({"issuer": "ftp://accounts.example"})), &["issuer"]),
        (with(oidc(), json!({"issuer": "https://accounts.example?a=b"})), &["issuer"]),
        (with(oidc(), json!({"issuer": "https://accounts.example#a"})), &["issuer"]),
        (with(oidc(), json!({"issuer": "http://accounts.example"})), &["issuer", "http"]),
        (with(oidc(), json!({"issuer": "http://192.0.2.1"})), &["issuer", "http"]),
        (with(oidc(), json!({"issuer": "http://localhost.evil.example"})), &["issuer", "http"]),
        (with(oidc(), json!({"issuer": "http://127.0.0.1.evil.example"})), &["issuer", "http"]),
        (with(oidc(), json!({"issuer": first})), &["issuer", first]),
        (with(oidc(), json!({"clients": null})), &["clients"]),
        (with(oidc(), json!({"clients": []})), &["clients"]),
        (with(oidc(), json!({"clients": "web"})), &[]),
        (with(oidc(), json!({"clients": [""]})), &["clients"]),
        (with(oidc(), json!({"clients": [5]})), &[]),
        (with(oidc(), json!({"emailScope": ""})), &["emailScope"]),
        (with(oidc(), json!({"emailScope": "a b"})), &["emailScope"]),
        (with(introspection(), json!({"url": null})), &["url"]),
        (with(introspection(), json!({"url": "http://accounts.example/a"})), &["url", "http"]),
        (with(introspection(), json!({"clientId": null})), &["clientId"]),
        (with(introspection(), json!({"clientId": ""})), &["clientId"]),
        (with(introspection(), json!({"clientSecret": null})), &["clientSecret"]),
        (with(introspection(), json!({"clientSecret": ""})), &["clientSecret"]),
        (with(introspection(), json!({"userinfoUrl": "http://a.example/u"})), &["userinfoUrl"]),
        (with(introspection(), json!({"clients": []})), &["clients"]),
        (with(tokeninfo(), json!({"clients": null})), &["clients"]),
        (with(tokeninfo(), json!({"clients": []})), &["clients"]),
        (with(tokeninfo(), json!({"url": "http://accounts.example/a"})), &["url", "http"]),
        (sign_in_entry(json!({"name": null})), &["name"]),
        (sign_in_entry(json!({"name": " "})), &["signIn.name"]),
        (sign_in_entry(json!({"name": "a\nb"})), &["signIn.name"]),
        (sign_in_entry(json!({"name": "x".repeat(101)})), &["signIn.name"]),
        (sign_in_entry(json!({"name": "First"})), &["First", "repeated"]),
        (sign_in_entry(json!({"clientId": null})), &["clientId"]),
        (sign_in_entry(json!({"clientId": ""})), &["clientId"]),
        (sign_in_entry(json!({"clientSecret": ""})), &["clientSecret"]),
        (sign_in_entry(json!({"scope": "email"})), &["scope"]),
        (with(oidc(), json!({"signIn": true})), &[]),
        (with(tokeninfo(), json!({"signIn": {"name": "a", "clientId": "a"}})), &["signIn"]),
        (json!("accounts.example"), &[]),
        (json!(null), &[]),
    ] {
        let sign_in_entry = json!({"name": "First", "clientId": "web"});
        let good = json!({
            "kind": "oidc", "issuer": first, "clients": ["web"], "signIn": sign_in_entry,
        });
        let file = File::new(&[good, entry.clone()]);
        let error = start_with_invalid_file(&file.path());
        for word in words {
            assert!(error.contains(word), "{entry}: `{word}` is not in: {error}");
        }
        let named = ["items[1]", "items.1", "items/1", "entry 2", "second"];
        assert!(named.iter().any(|name| error.contains(name)), "{entry}: which entry: {error}");
        assert!(!error.contains("not-to-be-shown"), "a secret is shown: {error}");
    }
}

fn invalid_provider_files_are_refused(_: Engine) {
    for text in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"items": {}}"#,
        r#"{"items": [], "more": 1}"#,
        r#"{"items": []} {}"#,
        r#"{"items": [], "authorizationUrl": "http://id.example.com"}"#,
        r#"{"items": [], "authorizationUrl": ["https://id.example.com"]}"#,
    ] {
        let file = File::with_text(text);
        let error = start_with_invalid_file(&file.path());
        assert!(error.contains("providers.json"), "{text}: the file is not named: {error}");
    }
    let error = start_with_invalid_file(Path::new("/nowhere/providers.json"));
    assert!(error.contains("/nowhere/providers.json"), "{error}");
    // A file with a secret must not be readable by others.
    for secret in [introspection(), sign_in_entry(json!({}))] {
        let file = File::new(&[tokeninfo(), secret]);
        for mode in [0o644, 0o640, 0o604] {
            file.open_to(mode);
            let error = start_with_invalid_file(&file.path());
            assert!(
                error.contains("providers.json") && error.contains("read"),
                "{mode:o}: {error}"
            );
            assert!(!error.contains("not-to-be-shown"), "{error}");
        }
    }
}

fn invalid_admissions_are_refused(_: Engine) {
    for entry in ["nobody", "@", "a@", "@exa mple.org", "a@b@example.org", "@@example.org", ""] {
        let error = start_and_fail(&["--admit", &format!("alice@example.com,{entry}")]);
        assert!(error.contains("admit"), "{entry}: {error}");
    }
}

/// No provider is contacted at the start.
fn valid_provider_files_are_accepted(engine: Engine) {
    let alone = File::new(&[sign_in_entry(json!({"clientSecret": null})), tokeninfo()]);
    alone.open_to(0o644);
    let named = super::changed(
        oidc(),
        &json!({
            "issuer": "https://other.example/realms/books/",
            "emailScope": "https://other.example/auth/email",
        }),
    );
    let all = File::new(&[introspection(), named, oidc(), tokeninfo(), introspection()]);
    for (file, admitted) in [(&alone, &[][..]), (&all, &["alice@example.com", "@example.org"])] {
        let options = Options { engine, args: arguments(file, admitted), ..Options::default() };
        let server = Server::start_with(options);
        server.client("alice@example.com").get("/v5/user").ok();
    }
}
