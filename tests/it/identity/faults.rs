//! A file of providers, or an admission, that cannot work stops the start, and the message names
//! the entry.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use daybook_tests::provider::File;
use daybook_tests::{Engine, Options, Server, binary, run_for, unique};
use serde_json::{Value, json};

use super::arguments;
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        entries_that_cannot_work,
        files_that_cannot_be_read,
        admissions_that_cannot_work,
        good_files_start,
    ]
}

/// Starts a server that should refuse to; what it says, and its status.
#[track_caller]
fn refused(arguments: &[&str], what: &str) -> (i32, String) {
    let home =
        std::env::temp_dir().join(format!("daybook-{}-{}", std::process::id(), unique("refused")));
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&home).args(arguments);
    let run = run_for(&mut command, Duration::from_secs(60));
    drop(std::fs::remove_dir_all(&home));
    let run = run.unwrap_or_else(|| panic!("{what}: it starts"));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    (run.status.code().expect("a status"), said)
}

#[track_caller]
fn refused_file(path: &Path, what: &str) -> String {
    let (status, said) = refused(&["--providers", &path.display().to_string()], what);
    assert!(matches!(status, 1 | 2), "{status}: {said}");
    said
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

/// An entry through which people sign in, with changes of how they do.
fn signing_in(changes: Value) -> Value {
    let client = json!({"name": "Id", "clientId": "a", "clientSecret": "not-to-be-shown"});
    super::changed(oidc(), &json!({"signIn": super::changed(client, &changes)}))
}

/// The entry stands second, behind a good one: the message says which it is, and what is wrong.
fn entries_that_cannot_work(_: Engine) {
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
        (signing_in(json!({"name": null})), &["name"]),
        (signing_in(json!({"name": " "})), &["signIn.name"]),
        (signing_in(json!({"name": "a\nb"})), &["signIn.name"]),
        (signing_in(json!({"name": "x".repeat(101)})), &["signIn.name"]),
        (signing_in(json!({"name": "First"})), &["First", "twice"]),
        (signing_in(json!({"clientId": null})), &["clientId"]),
        (signing_in(json!({"clientId": ""})), &["clientId"]),
        (signing_in(json!({"clientSecret": ""})), &["clientSecret"]),
        (signing_in(json!({"scope": "email"})), &["scope"]),
        (with(oidc(), json!({"signIn": true})), &[]),
        (with(tokeninfo(), json!({"signIn": {"name": "a", "clientId": "a"}})), &["signIn"]),
        (json!("accounts.example"), &[]),
        (json!(null), &[]),
    ] {
        let signing_in = json!({"name": "First", "clientId": "web"});
        let good = json!({
            "kind": "oidc", "issuer": first, "clients": ["web"], "signIn": signing_in,
        });
        let file = File::new(&[good, entry.clone()]);
        let said = refused_file(&file.path(), &entry.to_string());
        for word in words {
            assert!(said.contains(word), "{entry}: `{word}` is not in: {said}");
        }
        let named = ["items[1]", "items.1", "items/1", "entry 2", "second"];
        assert!(named.iter().any(|name| said.contains(name)), "{entry}: which entry: {said}");
        assert!(!said.contains("not-to-be-shown"), "a secret is shown: {said}");
    }
}

fn files_that_cannot_be_read(_: Engine) {
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
        let said = refused_file(&file.path(), text);
        assert!(said.contains("providers.json"), "{text}: the file is not named: {said}");
    }
    let said = refused_file(Path::new("/nowhere/providers.json"), "no file");
    assert!(said.contains("/nowhere/providers.json"), "{said}");
    // It holds a secret: nobody else may read it.
    for secret in [introspection(), signing_in(json!({}))] {
        let file = File::new(&[tokeninfo(), secret]);
        for mode in [0o644, 0o640, 0o604] {
            file.open_to(mode);
            let said = refused_file(&file.path(), &format!("{mode:o}"));
            assert!(said.contains("providers.json") && said.contains("read"), "{mode:o}: {said}");
            assert!(!said.contains("not-to-be-shown"), "{said}");
        }
    }
}

fn admissions_that_cannot_work(_: Engine) {
    for entry in ["nobody", "@", "a@", "@exa mple.org", "a@b@example.org", "@@example.org", ""] {
        let (status, said) = refused(&["--admit", &format!("alice@example.com,{entry}")], entry);
        assert!(matches!(status, 1 | 2), "{entry}: {status}: {said}");
        assert!(said.contains("admit"), "{entry}: {said}");
    }
}

/// Nobody is asked at the start, so the hosts need not be there.
fn good_files_start(engine: Engine) {
    let alone = File::new(&[signing_in(json!({"clientSecret": null})), tokeninfo()]);
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
