//! File stores and file URLs (9.6, 9.15, 9.17): a folder or an S3 bucket, here another
//! implementation of the protocol. While the store is unreachable, only operations on contents
//! fail.

use std::time::Duration;

use daybook_tests::{Cast, Engine, Options, Server, binary, free_port, id, run_for};
use serde_json::json;

use crate::Case;
use crate::deleted_books::rows;
use crate::file_sweep::{age, eventually};
use crate::files::{base64, download, file, get};
use crate::s3::{SECRET_KEY, Store};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        files_are_stored_in_a_bucket,
        sweep_removes_orphans_from_a_bucket,
        unreachable_bucket_is_unavailable,
        wrong_secret_key_is_unavailable,
        broken_tls_is_unavailable,
        files_are_stored_in_another_folder,
        public_url_is_used_in_file_urls,
        path_prefix_is_used_in_file_urls,
        invalid_file_options_are_refused_at_start,
    ]
}

fn with(engine: Engine, args: Vec<String>) -> Server {
    Server::start_with(Options { engine, args, ..Options::default() })
}

fn files_are_stored_in_a_bucket(engine: Engine) {
    let store = Store::start();
    let mut server = with(engine, store.options(SECRET_KEY));
    let cast = Cast::new(&server);
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|place| (place % 251) as u8).collect();
    let large = file(&cast, "large.bin", &bytes);
    let note = file(&cast, "note.txt", b"Bread");
    let empty = file(&cast, "empty", b"");
    cast.put("/files", &json!({"id": note["id"], "content": base64(b"Bread and butter")})).ok();
    let recorded = cast.post(
        "/transactions",
        &json!({"files": [note, {"name": "own", "content": base64(b"own")}]}),
    );
    let recorded = recorded.ok()["transaction"].clone();

    assert!(!server.data_dir().join("files").exists(), "nothing is kept here");
    let objects = store.objects();
    assert_eq!(objects.len(), 5, "{objects:?}");
    let folder = format!("one/two/{}/", cast.book);
    assert!(objects.iter().all(|object| object.starts_with(&folder)), "{objects:?}");
    let sizes = |object: &String| store.path(object).metadata().expect("an object").len();
    let mut sizes: Vec<u64> = objects.iter().map(sizes).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 3, 5, 16, 1_000_000], "the bytes as they are");

    server.restart();
    assert!(get(&cast, &large)["content"] == base64(&bytes), "1 MB comes back");
    assert_eq!(get(&cast, &note)["content"], base64(b"Bread and butter"));
    assert_eq!(get(&cast, &empty)["content"], "");
    assert_eq!(get(&cast, &recorded["files"][1])["content"], base64(b"own"));
    let served = download(&server, &note);
    assert_eq!(
        (served.status, served.text.as_str(), served.headers["content-length"].as_str()),
        (200, "Bread and butter", "16")
    );
}

fn sweep_removes_orphans_from_a_bucket(engine: Engine) {
    let store = Store::start();
    let mut args = store.options(SECRET_KEY);
    args.extend(["--deleted-books-days", "0"].map(str::to_owned));
    let mut server = with(engine, args);
    let (cast, doomed) = (Cast::new(&server), Cast::new(&server));
    let [kept, deleted] = ["kept", "deleted"].map(|name| file(&cast, name, name.as_bytes()));
    file(&doomed, "doomed", b"doomed");
    assert_eq!(store.objects().len(), 3);
    cast.delete(&format!("/files/{}", id(&deleted))).ok();
    doomed.delete("").ok();
    eventually("the book is removed", || rows(&server, &doomed.book) == 0);
    store.objects().iter().for_each(|object| age(&store.path(object)));
    server.restart();
    eventually("orphans are removed", || store.objects().len() == 1);
    assert_eq!(get(&cast, &kept)["content"], base64(b"kept"));
}

/// Only operations that need the bytes answer 503.
fn unreachable_bucket_is_unavailable(engine: Engine) {
    let mut store = Store::start();
    let server = with(engine, store.options(SECRET_KEY));
    let cast = Cast::new(&server);
    let note = file(&cast, "note.txt", b"Bread");
    store.pause();
    let path = cast.path(&format!("/files/{}", id(&note)));
    for answer in [
        cast.owner.get(&path),
        cast.post("/files", &json!({"name": "a", "content": base64(b"a")})),
        cast.post("/transactions", &json!({"files": [{"name": "a", "content": ""}]})),
        download(&server, &note),
    ] {
        assert!(answer.headers.contains_key("retry-after"), "{:?}", answer.headers);
        let message = answer.refused(503, "backendError");
        let is_internal = message.contains("http") || message.contains("127.0.0.1");
        assert!(!is_internal, "no internal address: {message}");
    }
    cast.post("/transactions", &json!({"description": "Lunch", "files": [note]})).ok();
    assert_eq!(cast.read("/files"), json!({"items": [note]}), "no row without its bytes");
    store.resume();
    assert_eq!(get(&cast, &note)["content"], base64(b"Bread"));
    file(&cast, "again", b"again");
}

/// The store checks signatures, so the other cases also show that the server signs.
fn wrong_secret_key_is_unavailable(engine: Engine) {
    let store = Store::start();
    let server = with(engine, store.options("another-secret"));
    let cast = Cast::new(&server);
    cast.post("/files", &json!({"name": "a", "content": base64(b"a")}))
        .refused(503, "backendError");
    assert_eq!(cast.read("/files"), json!({"items": []}));
    assert_eq!(store.objects(), Vec::<String>::new());
    assert!(!server.log().contains("another-secret"), "secrets are not logged");
}

/// The peer does not speak TLS.
fn broken_tls_is_unavailable(engine: Engine) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("https://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let (store, secret) = (["--files-url", "s3://ledgers"], ["--s3-secret-access-key", "b"]);
    let access = ["--s3-endpoint", &endpoint, "--s3-access-key-id", "a"];
    let server = Server::with_args(engine, &[&store[..], &access, &secret].concat());
    let cast = Cast::new(&server);
    cast.post("/files", &json!({"name": "a", "content": base64(b"a")}))
        .refused(503, "backendError");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

fn files_are_stored_in_another_folder(engine: Engine) {
    let home = Server::start(engine);
    let folder = home.data_dir().join("elsewhere").join("files");
    let url = format!("file://{}", folder.display());
    let server = Server::with_args(engine, &["--files-url", &url]);
    let cast = Cast::new(&server);
    let note = file(&cast, "note.txt", b"Bread");
    assert_eq!(crate::file_sweep::below(&folder).len(), 1);
    assert!(!server.data_dir().join("files").exists());
    assert_eq!(get(&cast, &note)["content"], base64(b"Bread"));
}

fn public_url_is_used_in_file_urls(engine: Engine) {
    let server = Server::with_args(engine, &["--public-url", "https://books.example.com/api/"]);
    let cast = Cast::new(&server);
    let note = file(&cast, "note.txt", b"Bread");
    let url = note["url"].as_str().expect("an address");
    let path = url.strip_prefix("https://books.example.com/api").unwrap_or_else(|| panic!("{url}"));
    assert_eq!(cast.anonymous.get(path).text, "Bread", "a proxy takes the address off");
    let listed = cast.read("/files");
    let events = cast.read("/events?type=FILE_CREATED");
    assert_eq!(listed["items"][0]["url"], note["url"]);
    assert_eq!(events["items"][0]["data"]["object"]["url"], note["url"]);
}

/// Without a public URL, file URLs use the address of the request.
fn path_prefix_is_used_in_file_urls(engine: Engine) {
    let server = Server::with_args(engine, &["--path-prefix", "/books-api"]);
    let owner = server.client("alice@example.com");
    let book = owner.post("/books-api/v5/books", &json!({"name": "B"})).ok();
    let path = format!("/books-api/v5/books/{}/files", id(&book));
    let note = owner.post(&path, &json!({"name": "note.txt", "content": base64(b"Bread")})).ok();
    let url = note["url"].as_str().expect("an address");
    assert!(url.starts_with(&format!("{}/books-api/files/", server.base())), "{url}");
    assert_eq!(download(&server, &note).text, "Bread");
}

fn invalid_file_options_are_refused_at_start(engine: Engine) {
    let server = Server::start(engine);
    let data = server.data_dir().join("other").display().to_string();
    let table: [&[&str]; 8] = [
        &["--files-url", "ftp://example.com/files"],
        &["--files-url", "files"],
        &["--files-url", "file://relative/folder"],
        &["--files-url", "file:///proc/nothing/here"],
        &["--files-url", "s3:///prefix"],
        &["--files-url", "s3://ledgers", "--s3-access-key-id", "alone"],
        &["--files-orphan-seconds", "0"],
        &["--public-url", "books.example.com"],
    ];
    for arguments in table {
        let mut command = std::process::Command::new(binary());
        let listen = format!("127.0.0.1:{}", free_port());
        command.args(["serve", "--listen", &listen, "--data-dir", &data]);
        command.args(["--database-url", server.database_url()]).args(arguments);
        let run = run_for(&mut command, Duration::from_secs(30));
        let run = run.unwrap_or_else(|| panic!("{arguments:?}: still runs after 30 s"));
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success(), "{arguments:?}");
        assert!(!error.is_empty() && !error.contains("panicked"), "{arguments:?}: {error}");
    }
}
