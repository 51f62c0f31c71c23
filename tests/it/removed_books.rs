//! The removal of deleted books (6.22), on servers that start, stop and die.

use std::time::{Duration, Instant};

use daybook_tests::{Backdoor, Cast, Engine, Options, Server, id, pause};
use serde_json::Value;

use crate::Lone;
use crate::deleted_books::{outlast, rows, run};
use crate::file_sweep::{below, eventually};
use crate::files::{base64, file};
use crate::large_copies::filled;

pub fn lone() -> Vec<Lone> {
    crate::lone![
        rule_6_22_files_wait_with_their_book,
        rule_6_22_no_days_no_wait,
        rule_6_22_a_killed_removal_is_gone_on_with,
        rule_6_22_several_processes_remove,
    ]
}

/// Bytes of files stay with their book: they are what they were when it comes back.
#[track_caller]
fn serves(cast: &Cast, bytes: &[u8]) {
    let files = cast.owner.get(&cast.path("/files")).ok();
    let path = cast.path(&format!("/files/{}", id(&files["items"][0])));
    assert_eq!(cast.owner.get(&path).ok()["content"], base64(bytes));
}

/// A server of its own, which keeps deleted books for so many days.
fn keeping(engine: Engine, days: &str) -> Server {
    let args = ["--files-orphan-seconds", "1", "--deleted-books-days", days];
    let args = args.map(str::to_owned).to_vec();
    Server::start_with(Options { engine, args, ..Options::default() })
}

fn blobs(server: &Server) -> Vec<String> {
    below(&server.data_dir().join("files"))
}

/// 9.17: while a book waits, the sweep of files, which runs each second here, takes nothing of it.
fn rule_6_22_files_wait_with_their_book(engine: Engine) {
    let mut server = keeping(engine, "30");
    let (cast, other) = (Cast::new(&server), Cast::new(&server));
    file(&cast, "receipt.txt", b"precious");
    let kept = blobs(&server);
    cast.owner.delete(&cast.path("")).ok();
    // By the time that this orphan is gone, a sweep has passed that began after the deletion.
    let orphan = file(&other, "orphan.txt", b"nothing");
    pause(Duration::from_millis(1500));
    other.owner.delete(&other.path(&format!("/files/{}", id(&orphan)))).ok();
    eventually("the orphan goes", || blobs(&server).len() == kept.len());
    assert_eq!(blobs(&server), kept, "also without a note: nothing is removed yet");
    cast.owner.send("POST", &cast.path("/restore"), &Value::Null).ok();
    serves(&cast, b"precious");
    cast.owner.delete(&cast.path("")).ok();
    outlast(&server, &cast.book);
    server.restart();
    eventually("the book is removed", || rows(&server, &cast.book) == 0);
    eventually("and its bytes", || blobs(&server).is_empty());
    assert!(!server.log().contains("left alone"), "the note said what they were");
}

/// `--deleted-books-days 0`: nobody restores it, and it is gone soon without a restart.
fn rule_6_22_no_days_no_wait(engine: Engine) {
    let server = keeping(engine, "0");
    let cast = Cast::new(&server);
    file(&cast, "receipt.txt", b"gone");
    cast.owner.delete(&cast.path("")).ok();
    assert_eq!(cast.owner.get("/v5/books?deleted=true").ok()["items"], serde_json::json!([]));
    cast.owner.send("POST", &cast.path("/restore"), &Value::Null).refused(404, "notFound");
    cast.owner.get(&cast.path("")).refused(404, "notFound");
    eventually("the book is removed", || rows(&server, &cast.book) == 0);
    eventually("and its bytes", || blobs(&server).is_empty());
}

/// The rows of a book in a table.
fn left(server: &Server, table: &str, book: &str) -> u64 {
    let book = format!("(SELECT id FROM books WHERE public_id = '{book}')");
    let touch = format!("UPDATE {table} SET book_id = book_id WHERE book_id = {book}");
    Backdoor::open(server).execute(&touch)
}

fn rule_6_22_a_killed_removal_is_gone_on_with(engine: Engine) {
    let mut server = keeping(engine, "30");
    let cast = filled(&server, 8);
    file(&cast, "receipt.txt", b"gone");
    let total = left(&server, "entries", &cast.book);
    cast.owner.delete(&cast.path("")).ok();
    outlast(&server, &cast.book);
    server.restart();
    let started = Instant::now();
    while left(&server, "entries", &cast.book) == total {
        assert!(started.elapsed() < Duration::from_secs(60), "it begins");
        pause(Duration::from_millis(2));
    }
    server.kill();
    if rows(&server, &cast.book) == 1 {
        let said = run(&server, &["book", "restore", &cast.book]).expect_err("refused");
        assert!(said.contains("is being removed already"), "{said}");
    }
    server.restart();
    cast.owner.send("POST", &cast.path("/restore"), &Value::Null).refused(404, "notFound");
    eventually("it is gone on with", || rows(&server, &cast.book) == 0);
    for table in ["transactions", "entries", "index_terms", "trigrams", "events", "book_state"] {
        let strays = format!(
            "UPDATE {table} SET book_id = book_id WHERE book_id NOT IN (SELECT id FROM books)"
        );
        assert_eq!(Backdoor::open(&server).execute(&strays), 0, "{table}");
    }
    eventually("its bytes go too", || blobs(&server).is_empty());
}

/// Each book is removed by one of them, and nothing but these books.
fn rule_6_22_several_processes_remove(engine: Engine) {
    let server = keeping(engine, "30");
    let kept = filled(&server, 1);
    let doomed: Vec<Cast> = (0..3).map(|_| filled(&server, 1)).collect();
    for cast in &doomed {
        cast.owner.delete(&cast.path("")).ok();
        outlast(&server, &cast.book);
    }
    let removers = [server.beside(&[]), server.beside(&[])];
    for cast in &doomed {
        eventually("it is removed", || rows(&server, &cast.book) == 0);
    }
    for process in &removers {
        assert!(!process.log().contains("ERROR"), "{}", process.log());
    }
    let balances = kept.owner.get(&kept.path("/balances?query=on:2024")).ok();
    assert!(balances.to_string().contains("Cash"), "{balances}");
}
