//! Confidentiality of files (docs/operations.md) and of responses in browsers and caches (0.31).
//! Each case starts its own server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use daybook_tests::{Engine, Server, run_for};
use serde_json::json;

use crate::Case;
use crate::transport::{furnished, readable};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        data_files_are_private,
        files_readable_by_others_are_refused,
        responses_are_not_cached,
    ]
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// The mode does not depend on the umask of the starting user.
fn data_files_are_private(engine: Engine) {
    let server = Server::start(engine);
    let cast = furnished(&server);
    let file = json!({"name": "a.txt", "contentType": "text/plain", "content": "YQ=="});
    cast.post("/files", &file).ok();
    let mut found = vec![server.data_dir().to_owned()];
    let mut files = 0;
    while let Some(path) = found.pop() {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
        if path.is_dir() {
            let inside = fs::read_dir(&path).expect("a folder");
            found.extend(inside.map(|entry| entry.expect("an entry").path()));
        } else {
            files += 1;
        }
    }
    assert!(files >= 2, "token.key and a file of a book at least: {files}");
}

fn files_readable_by_others_are_refused(engine: Engine) {
    let mut server = Server::start(engine);
    server.terminate();
    set_mode(server.data_dir(), 0o750);
    for verbs in [&["serve", "--listen", "127.0.0.1:0"][..], &["token", "--email", "a@b.example"]] {
        let output = server.run(verbs).expect_err("refused");
        assert!(output.contains("is open to others (mode 750); chmod 700 it"), "{output}");
    }
    set_mode(server.data_dir(), 0o700);
    server.restart();
    if engine == Engine::Postgres {
        return;
    }
    // A database outside the data directory is protected by the mode of its folder or of its file.
    let elsewhere = server.data_dir().join("../elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let file = elsewhere.join("books.db");
    let url = format!("sqlite:{}", file.display());
    let ran = |folder: u32, books: u32| {
        set_mode(&elsewhere, folder);
        fs::write(&file, "").expect("a file");
        set_mode(&file, books);
        let mut command = Command::new(server.admin(&["token"]).get_program());
        command.args(["token", "--email", "a@b.example", "--database-url", &url, "--data-dir"]);
        let run = run_for(command.arg(server.data_dir()), Duration::from_secs(60));
        let run = run.expect("it ends");
        (run.status.success(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (succeeded, output) = ran(0o755, 0o644);
    assert!(!succeeded && output.contains("books.db may be read by others (mode 644)"), "{output}");
    assert!(ran(0o700, 0o644).0, "the folder keeps others out");
    assert!(ran(0o755, 0o600).0);
}

fn responses_are_not_cached(engine: Engine) {
    let server = Server::start(engine);
    let cast = furnished(&server);
    let mut asked: Vec<String> = readable(&cast).into_iter().collect();
    asked.push("/v5/user".to_owned());
    asked.push("/v5/nothing".to_owned());
    for path in asked {
        let answer = cast.owner.get(&path);
        assert_eq!(answer.headers["cache-control"], "no-store", "{path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert!(!answer.headers.contains_key("strict-transport-security"), "{path}");
        assert!(!answer.headers.contains_key("content-security-policy"), "{path}: no page");
    }
    let page = server.anonymous().get("/docs");
    assert_eq!(page.headers["content-security-policy"], "frame-ancestors 'none'");
    let named = [
        "/openapi.json",
        "/openapi-3.1.json",
        "/auth/openapi.json",
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
    ];
    for path in named {
        let answer = server.anonymous().get(path);
        assert_eq!(answer.headers["cache-control"], "no-store", "0.31: it names the Host: {path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
    }
    let behind = Server::with_args(engine, &["--public-url", "https://books.example.com"]);
    for path in ["/health", "/docs", "/v5/user"] {
        let answer = behind.anonymous().get(path);
        assert_eq!(answer.headers["strict-transport-security"], "max-age=31536000", "{path}");
    }
    for path in named {
        let stored = &behind.anonymous().get(path).headers["cache-control"];
        assert_eq!(stored, "public, max-age=300", "0.31: {path}");
    }
}
