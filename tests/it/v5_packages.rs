//! The public v5 clients from npm, unmodified: the library that signs their command line in
//! (docs/clients.md). `tests/install-v5-packages` installs it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use daybook_tests::browser::Browser;
use daybook_tests::{Server, target_dir};
use serde_json::Value;

use crate::grants::{ASKED, code, lets_in, person, redeem, text};

pub fn tests() -> Vec<crate::Case> {
    let cases = crate::cases![a_command_line_refreshes_and_revokes_its_tokens];
    cases.into_iter().map(|case| case.needs(missing)).collect()
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../v5")
}

fn home() -> PathBuf {
    target_dir().join("v5-packages")
}

/// Reports missing packages, or other versions, and how to install them.
fn missing() -> Option<String> {
    let lock = |folder: PathBuf| std::fs::read(folder.join("package-lock.json")).ok();
    let same = lock(sources()).is_some_and(|expected| lock(home()).as_ref() == Some(&expected));
    (!same).then(|| {
        let home = home().display().to_string();
        format!("the packages of tests/v5 are not in {home}: run tests/install-v5-packages")
    })
}

/// 11.18, 11.21: an access token for a refresh token, its user, and the revocation of both.
fn a_command_line_refreshes_and_revokes_its_tokens(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let tokens = redeem(server, &code(&mut browser, &ASKED));
    lets_in(server, text(&tokens, "access_token"), &email);
    let mut command = Command::new(target_dir().join("oidc-provider/node"));
    command.arg(sources().join("login.mjs")).arg(home()).arg(server.base());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("node starts");
    let mut input = child.stdin.take().expect("its standard input");
    input.write_all(text(&tokens, "refresh_token").as_bytes()).expect("it reads");
    drop(input);
    let done = child.wait_with_output().expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let learned: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(learned["email"], email);
    assert_eq!(learned["scopes"], serde_json::json!(["email"]));
    let seconds = learned["seconds"].as_f64().expect("a number");
    assert!((3_500.0..=3_601.0).contains(&seconds), "{learned}");
    assert_eq!(learned["revoked"], 200);
    for token in [text(&learned, "token"), text(&tokens, "access_token")] {
        server.client_with_token(token).get("/v5/user").refused(401, "required");
    }
}
