//! The removal of deleted books (6.22) across restarts, kills and several processes.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use daybook_domain::book::Changes;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant as Moment;
use daybook_service::{Context, Error, book};
use daybook_storage::{ShardKey, Tx};
use daybook_tests::{Cast, Engine, RawSql, Server, id, pause};
use serde_json::Value;

use crate::Case;
use crate::deleted_books::{outlast, rows, run};
use crate::file_sweep::{age, below, eventually};
use crate::files::{base64, file};
use crate::inside::new_user;
use crate::large_copies::filled;
use crate::overlaps::two_stores;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_6_22_files_wait_with_their_book,
        rule_6_22_no_days_no_wait,
        rule_6_22_killed_removal_is_resumed,
        rule_6_22_several_processes_remove,
        rule_6_22_restored_or_removed,
    ]
}

/// Bytes of files stay with their book: they are what they were when it comes back.
#[track_caller]
fn serves(cast: &Cast, bytes: &[u8]) {
    let files = cast.get("/files").ok();
    let path = cast.path(&format!("/files/{}", id(&files["items"][0])));
    assert_eq!(cast.owner.get(&path).ok()["content"], base64(bytes));
}

/// A server that keeps deleted books for this number of days.
fn keeping(engine: Engine, days: &str) -> Server {
    Server::with_args(engine, &["--deleted-books-days", days])
}

/// Makes all blobs old, and starts a sweep.
fn sweep(server: &mut Server) {
    server.terminate();
    for blob in blobs(server) {
        age(&server.data_dir().join("files").join(blob));
    }
    server.restart();
}

fn blobs(server: &Server) -> Vec<String> {
    below(&server.data_dir().join("files"))
}

/// 9.17: a file sweep keeps the files of deleted books.
fn rule_6_22_files_wait_with_their_book(engine: Engine) {
    let mut server = keeping(engine, "30");
    let (cast, other) = (Cast::new(&server), Cast::new(&server));
    file(&cast, "receipt.txt", b"precious");
    let remaining = blobs(&server);
    cast.delete("").ok();
    // When this orphan is gone, a sweep has run that started after the deletion.
    let orphan = file(&other, "orphan.txt", b"nothing");
    other.delete(&format!("/files/{}", id(&orphan))).ok();
    sweep(&mut server);
    eventually("the orphan goes", || blobs(&server).len() == remaining.len());
    assert_eq!(blobs(&server), remaining, "also without a note: nothing is removed yet");
    cast.post("/restore", &Value::Null).ok();
    serves(&cast, b"precious");
    cast.delete("").ok();
    outlast(&server, &cast.book);
    server.restart();
    eventually("the book is removed", || rows(&server, &cast.book) == 0);
    sweep(&mut server);
    eventually("and its bytes", || blobs(&server).is_empty());
    let unknown = "the file store has files of books that are not in this database";
    assert!(!server.log().contains(unknown), "the note said what they were");
}

/// `--deleted-books-days 0`: the book cannot be restored and is removed soon without a restart.
fn rule_6_22_no_days_no_wait(engine: Engine) {
    let mut server = keeping(engine, "0");
    let cast = Cast::new(&server);
    file(&cast, "receipt.txt", b"gone");
    cast.delete("").ok();
    assert_eq!(cast.owner.get("/v5/books?deleted=true").ok()["items"], serde_json::json!([]));
    cast.post("/restore", &Value::Null).refused(404, "notFound");
    cast.get("").refused(404, "notFound");
    eventually("the book is removed", || rows(&server, &cast.book) == 0);
    sweep(&mut server);
    eventually("and its bytes", || blobs(&server).is_empty());
}

/// Counts the rows of a book in a table.
fn left(server: &Server, table: &str, book: &str) -> i64 {
    let book = format!("(SELECT id FROM books WHERE public_id = '{book}')");
    RawSql::open(server).count(&format!("SELECT COUNT(*) FROM {table} WHERE book_id = {book}"))
}

fn rule_6_22_killed_removal_is_resumed(engine: Engine) {
    let mut server = keeping(engine, "30");
    let cast = filled(&server, 8);
    file(&cast, "receipt.txt", b"gone");
    let total = left(&server, "index_terms", &cast.book);
    cast.delete("").ok();
    outlast(&server, &cast.book);
    server.restart();
    let started = Instant::now();
    while left(&server, "index_terms", &cast.book) == total {
        assert!(started.elapsed() < Duration::from_secs(60), "it begins");
        pause(Duration::from_millis(2));
    }
    server.kill();
    if rows(&server, &cast.book) == 1 {
        let output = run(&server, &["book", "restore", &cast.book]).expect_err("refused");
        let message = format!("the book {} is already being removed", cast.book);
        assert!(output.contains(&message), "{output}");
    }
    server.restart();
    cast.post("/restore", &Value::Null).refused(404, "notFound");
    eventually("it is gone on with", || rows(&server, &cast.book) == 0);
    for table in ["transactions", "index_terms", "trigrams", "events", "book_state"] {
        let strays = format!(
            "UPDATE {table} SET book_id = book_id WHERE book_id NOT IN (SELECT id FROM books)"
        );
        assert_eq!(RawSql::open(&server).execute(&strays), 0, "{table}");
    }
    sweep(&mut server);
    eventually("its bytes go too", || blobs(&server).is_empty());
}

/// Each book is removed by one process, and no other book is.
fn rule_6_22_several_processes_remove(engine: Engine) {
    let server = keeping(engine, "30");
    let remaining = filled(&server, 1);
    let doomed: Vec<Cast> = (0..3).map(|_| filled(&server, 1)).collect();
    for cast in &doomed {
        cast.delete("").ok();
        outlast(&server, &cast.book);
    }
    let removers = [server.beside(&[]), server.beside(&[])];
    for cast in &doomed {
        eventually("it is removed", || rows(&server, &cast.book) == 0);
    }
    for process in &removers {
        assert!(!process.log().contains("ERROR"), "{}", process.log());
    }
    let balances = remaining.owner.get(&remaining.path("/balances?query=on:2024")).ok();
    assert!(balances.to_string().contains("Cash"), "{balances}");
}

/// One process restores a book while another one, whose clock is ahead, starts to remove it: one of
/// them succeeds, and the other one gets an error.
fn rule_6_22_restored_or_removed(engine: Engine) {
    const DAY: i64 = 86_400_000;
    let server = Server::start(engine);
    let [restorer, remover] = two_stores(&server);
    let now = Moment::new(1_763_000_000_000);
    let later = Moment::new(now.milliseconds() + 31 * DAY);
    let cx = new_user(&restorer, 7, now);
    let write = |work: fn(&mut Tx<'_>, &Context, &str) -> Result<String, Error>, key: &str| {
        let (cx, key) = (cx.clone(), key.to_owned());
        restorer.write(ShardKey::of_book(&key.clone()), move |tx| work(tx, &cx, &key))
    };
    for _ in 0..40 {
        let key = write(
            |tx, cx, _| {
                let name = Some("Raced for".to_owned());
                let changes = Changes { name, ..Default::default() };
                let input = book::Input { changes, ..Default::default() };
                let view = book::create(tx, cx, input)?;
                Ok(view.access.book().key.to_string())
            },
            "",
        );
        let key = key.expect("a book");
        let restored = |tx: &mut Tx<'_>, cx: &Context, key: &str| {
            book::restore(tx, cx, key).map(|view| view.access.book().key.to_string())
        };
        let deleted = write(|tx, cx, key| book::delete(tx, cx, key, 30).map(|_| key.into()), &key);
        deleted.expect("it is deleted");
        let start = Barrier::new(2);
        let (back, begun) = thread::scope(|scope| {
            let back = scope.spawn(|| {
                start.wait();
                write(restored, &key).is_ok()
            });
            let begun = scope.spawn(|| {
                start.wait();
                let (lane, book) = (ShardKey::of_book(&key), BookKey::new(key.clone()));
                let begun = remover.write(lane, move |tx| book::begin_removal(tx, &book, later));
                begun.expect("the database answers")
            });
            (back.join().expect("a thread"), begun.join().expect("a thread"))
        });
        assert_ne!(back, begun, "one of them");
        let found =
            write(|tx, cx, key| book::get(tx, cx, key, false, false).map(|_| key.into()), &key);
        assert_eq!(found.is_ok(), back);
        assert!(write(restored, &key).is_err(), "no second time");
    }
}
