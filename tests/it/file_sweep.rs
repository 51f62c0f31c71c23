//! File contents across crashes (9.6, 9.17): bytes are written before their row, so a row never
//! names missing bytes, and the sweep removes orphans.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use daybook_domain::RefusalKind;
use daybook_domain::file::{Changes, Content};
use daybook_service::file as service;
use daybook_tests::{Cast, Engine, RowLock, Server, id, pause};
use serde_json::json;

use crate::Case;
use crate::deleted_books::rows;
use crate::files::{base64, download, file, get, kinds};
use crate::inside::Inside;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        kill_between_bytes_and_row_leaves_no_file,
        acknowledged_files_survive_a_kill,
        sweep_removes_orphans,
        sweep_keeps_young_and_foreign_files,
        sweep_keeps_files_with_foreign_names,
        removed_book_leaves_no_files,
        late_bytes_of_a_removed_book_are_swept,
        refused_delete_leaves_no_deletion_note,
        sweep_keeps_files_of_unknown_books,
        lost_bytes_are_an_internal_error,
        update_notices_replaced_content,
    ]
}

/// Returns the relative paths of all files below a folder, sorted.
pub fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(current) = open.pop() {
        for entry in std::fs::read_dir(current).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(folder).expect("below").display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn blobs(server: &Server) -> Vec<String> {
    below(&server.data_dir().join("files"))
}

#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: not after 60 s");
        pause(Duration::from_millis(20));
    }
}

/// Sets the modification time of a file two days back, longer than any write takes.
pub fn age(path: &Path) {
    #[expect(
        clippy::disallowed_methods,
        reason = "the age of a file is measured by the system's clock"
    )]
    let then = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    let file = std::fs::File::options().write(true).open(path).expect("the file");
    file.set_modified(then).expect("its time is changed");
}

/// Writes a byte into the folder of files and returns its path.
fn put_blob(server: &Server, name: &str) -> PathBuf {
    let path = server.data_dir().join("files").join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, b"x").expect("a file");
    path
}

/// Ages all stored files.
fn age_all(server: &Server) {
    for blob in blobs(server) {
        age(&server.data_dir().join("files").join(blob));
    }
}

fn kill_between_bytes_and_row_leaves_no_file(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    let kept = file(&cast, "kept.txt", b"kept");
    assert_eq!(blobs(&server).len(), 1);
    let cut = base64(b"cut off");
    for (method, noun, body) in [
        ("POST", "/files", json!({"name": "cut.txt", "content": cut})),
        ("PUT", "/files", json!({"id": kept["id"], "content": cut})),
        (
            "POST",
            "/transactions",
            json!({"description": "cut", "files": [{"name": "cut.txt", "content": cut}]}),
        ),
    ] {
        let lock = RowLock::book(&server, &cast.book);
        let (caller, path) = (cast.owner.clone(), cast.path(noun));
        caller.token();
        let writing = std::thread::spawn(move || {
            caller.try_send(method, &path, Some("application/json"), body.to_string().as_bytes())
        });
        eventually("the bytes are written before the row", || blobs(&server).len() == 2);
        server.kill();
        lock.release();
        assert!(writing.join().expect("no panic").is_err(), "the request was not answered");
        assert_eq!(blobs(&server).len(), 2, "the bytes outlive the kill");
        age_all(&server);
        server.restart();
        assert_eq!(cast.read("/files"), json!({"items": [kept]}), "no row without its commit");
        assert_eq!(kinds(&cast), ["FILE_CREATED", "BOOK_CREATED"]);
        eventually("the sweep removes the bytes", || blobs(&server).len() == 1);
        assert_eq!(get(&cast, &kept)["content"], base64(b"kept"), "and keeps referenced files");
    }
}

fn acknowledged_files_survive_a_kill(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    for round in 0..3 {
        let bytes = vec![b'a' + round; 300_000];
        let created = file(&cast, "large.txt", &bytes);
        let replaced = file(&cast, "replaced.txt", b"one");
        cast.put("/files", &json!({"id": replaced["id"], "content": base64(&bytes)})).ok();
        server.kill();
        server.restart();
        for file in [&created, &replaced] {
            assert!(get(&cast, file)["content"] == base64(&bytes), "round {round}");
        }
    }
}

fn sweep_removes_orphans(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    let [replaced, deleted, kept] =
        ["replaced", "deleted", "kept"].map(|name| file(&cast, name, name.as_bytes()));
    cast.put("/files", &json!({"id": replaced["id"], "content": base64(b"new")})).ok();
    cast.delete(&format!("/files/{}", id(&deleted))).ok();
    // Ignored content of a known file.
    let whole = json!({"id": kept["id"], "name": "kept", "content": base64(b"ignored")});
    cast.post("/transactions", &json!({"files": [whole]})).ok();
    // A partial write.
    let folder = server.data_dir().join("files").join(&cast.book);
    std::fs::write(folder.join("0123456789abcdef#1"), b"half").expect("a draft");
    age_all(&server);
    server.restart();
    eventually("old content, deleted files, ignored content and drafts go", || {
        blobs(&server).len() == 2
    });
    assert_eq!(get(&cast, &kept)["content"], base64(b"kept"));
    assert_eq!(get(&cast, &replaced)["content"], base64(b"new"));
}

/// The default age is a day, so a slow request keeps its bytes.
fn sweep_keeps_young_and_foreign_files(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    file(&cast, "kept", b"kept");
    let put = |name: &str, old: bool| {
        let path = put_blob(&server, name);
        if old {
            age(&path);
        }
    };
    let (young, old) = (format!("{}/young", cast.book), format!("{}/old", cast.book));
    put(&young, false);
    put(&old, true);
    put(&format!("{}/old#7", cast.book), true);
    put(&format!("{}/young#7", cast.book), false);
    // Neither a book nor a blob.
    put("README", true);
    put("some/deeper/file", true);
    server.restart();
    let own = |path: &String| path.starts_with(&cast.book);
    eventually("the old orphan and the old draft go at the start", || {
        blobs(&server).iter().filter(|path| own(path)).count() == 3
    });
    let left = blobs(&server);
    assert!(left.contains(&young) && left.contains(&format!("{young}#7")), "{left:?}");
    for foreign in ["README", "some/deeper/file"] {
        assert!(left.iter().any(|path| path == foreign), "{foreign} in {left:?}");
    }
}

/// 9.17: the folder may contain other files under similar names.
fn sweep_keeps_files_with_foreign_names(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    let root = server.data_dir().join("files");
    let put = |server: &Server, name: &str| age(&put_blob(server, name));
    let (gone, blob) = ("0123456789abcdef".repeat(2), "89abcdef01234567".repeat(2));
    let foreign = [
        "Photos/cat.jpg".to_owned(),
        "Photos/deleted".to_owned(),
        "Photos/draft#1".to_owned(),
        format!("{}/deleted", gone.to_uppercase()),
        format!("{}/{blob}", gone.to_uppercase()),
        format!("{gone}/deeper/deleted"),
        format!("{gone}/notes.txt"),
    ];
    foreign.iter().for_each(|name| put(&server, name));
    put(&server, &format!("{gone}/deleted"));
    let ours = [format!("{gone}/{blob}"), format!("{}/{blob}#1", cast.book)];
    // The second round runs after a complete sweep.
    for _ in 0..2 {
        ours.iter().for_each(|name| put(&server, name));
        server.restart();
        eventually("the blob of a deleted book and a draft go", || {
            ours.iter().all(|name| !root.join(name).exists())
        });
    }
    let left = blobs(&server);
    assert!(foreign.iter().all(|name| left.contains(name)), "{left:?}");
    let log = server.log();
    assert!(
        !log.contains("not in this database"),
        "foreign folders are not taken for books: {log}"
    );
}

fn removed_book_leaves_no_files(engine: Engine) {
    let mut server = Server::with_args(engine, &["--deleted-books-days", "0"]);
    let (doomed, kept) = (Cast::new(&server), Cast::new(&server));
    for name in ["a", "b"] {
        file(&doomed, name, name.as_bytes());
    }
    let left = file(&kept, "left", b"left");
    // A refused delete has no effect.
    doomed.editor.delete(&doomed.path("")).refused(403, "forbidden");
    doomed.stranger.delete(&doomed.path("")).refused(404, "notFound");
    doomed.delete("").ok();
    eventually("the book is removed", || rows(&server, &doomed.book) == 0);
    age_all(&server);
    server.restart();
    let folder = server.data_dir().join("files").join(&doomed.book);
    eventually("its bytes go, and its folder", || blobs(&server).len() == 1 && !folder.exists());
    assert_eq!(get(&kept, &left)["content"], base64(b"left"));
}

/// A write that began before the deletion may store bytes after the last row is removed.
fn late_bytes_of_a_removed_book_are_swept(engine: Engine) {
    let mut server = Server::with_args(engine, &["--deleted-books-days", "0"]);
    let cast = Cast::new(&server);
    cast.delete("").ok();
    eventually("the book is removed", || rows(&server, &cast.book) == 0);
    let folder = server.data_dir().join("files").join(&cast.book);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("0123456789abcdef".repeat(2)), b"late").expect("a blob");
    age_all(&server);
    server.restart();
    eventually("they go, and the folder", || !folder.exists());
    assert!(!server.log().contains("not in this database"), "{}", server.log());
}

/// 0.17: the note is written only for a book that will be removed.
fn refused_delete_leaves_no_deletion_note(engine: Engine) {
    let server = Server::with_args(engine, &["--deleted-books-days", "0"]);
    let cast = Cast::new(&server);
    file(&cast, "a", b"a");
    let before = blobs(&server);
    cast.owner
        .header("If-Match", "\"stale\"")
        .delete(&cast.path(""))
        .refused(412, "conditionNotMet");
    cast.owner.header("If-Match", "stale").delete(&cast.path("")).refused(400, "badRequest");
    cast.editor.delete(&cast.path("")).refused(403, "forbidden");
    assert_eq!(blobs(&server), before);
    cast.owner.header("If-Match", "*").delete(&cast.path("")).ok();
    eventually("the note is there", || blobs(&server).contains(&format!("{}/deleted", cast.book)));
}

/// A server on an empty database must not remove the files of another.
fn sweep_keeps_files_of_unknown_books(engine: Engine) {
    let first = Server::start(Engine::Sqlite);
    let cast = Cast::new(&first);
    file(&cast, "a", b"precious");
    let before = blobs(&first);
    age_all(&first);
    let place = format!("file://{}", first.data_dir().join("files").display());
    let second = Server::with_args(engine, &["--files-url", &place]);
    file(&Cast::new(&second), "b", b"its own");
    eventually("it says so", || second.log().contains("not in this database"));
    assert_eq!(below(&first.data_dir().join("files")).len(), before.len() + 1);
    assert!(before.iter().all(|blob| first.data_dir().join("files").join(blob).exists()));
}

/// Bytes removed from the disk cause a 500.
fn lost_bytes_are_an_internal_error(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::new(&server);
    let lost = file(&cast, "lost", b"lost");
    for blob in blobs(&server) {
        std::fs::remove_file(server.data_dir().join("files").join(blob)).expect("removed");
    }
    let path = cast.path(&format!("/files/{}", id(&lost)));
    cast.owner.get(&path).refused(500, "internalError");
    download(&server, &lost).refused(500, "internalError");
    assert!(server.log().contains("are missing"), "the log says which");
    assert_eq!(cast.read("/files"), json!({"items": [lost]}));
    cast.put("/files", &json!({"id": lost["id"], "content": base64(b"found")})).ok();
    assert_eq!(get(&cast, &lost)["content"], base64(b"found"));
    cast.owner.delete(&path).ok();
}

/// 9.17: an update does not store equal bytes again, and fails when they were replaced meanwhile.
fn update_notices_replaced_content(engine: Engine) {
    let now = daybook_domain::instant::Instant::new(1_700_000_000_000);
    let inside = Inside::new(engine, now, Default::default());
    let content = |name: &str| Content { blob: name.repeat(32), size: 1, digest: name.repeat(64) };
    let named = Changes { name: Some("a".to_owned()), ..Changes::default() };
    let made = inside
        .write(move |tx, cx, book| service::create(tx, cx, book, named, content("a")))
        .expect("a file");
    let change = move |content| Changes {
        id: Some(made.file.id.to_string()),
        content,
        ..Changes::default()
    };

    let offered = change(Some(Content { blob: "c".repeat(32), ..content("a") }));
    let offered = inside
        .store
        .read(|tx| service::check_update(tx, &inside.cx, &inside.book, offered))
        .expect("nothing to refuse");
    assert_eq!(offered, service::OfferedContent::Same, "the bytes are there");
    let (same, other) = (change(None), change(Some(content("b"))));
    let update = |changes: Changes, unchanged: Option<String>| {
        inside
            .write(move |tx, cx, book| service::update(tx, cx, book, changes, unchanged.as_deref()))
    };
    let kept = update(same.clone(), Some(content("a").digest)).expect("still there");
    assert_eq!(kept.file.content, content("a"));
    update(other, None).expect("another's content");
    let overtaken =
        update(same.clone(), Some(content("a").digest)).expect_err("not there any more");
    assert_eq!(overtaken.kind(), RefusalKind::Limited, "503: {overtaken}");
    let kept = update(same, None).expect("a body without content says nothing of it");
    assert_eq!(kept.file.content, content("b"));
}
