//! Checkpoints of the logs and `daybook verify` (6.26, 6.27), through the program. Each case has
//! its own installation, because all of its books are compared.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use daybook_domain::event::Event;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_storage::{Address, ReadOnlyStore};
use daybook_tests::{Cast, Engine, RawSql, Server, id};
use serde_json::json;

use crate::Case;
use crate::deleted_books::{remove, rows};
use crate::file_sweep::eventually;
use crate::files::file;
use crate::reading::events;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        intact_books_are_verified,
        a_changed_event_is_named,
        a_chain_that_is_rewritten_as_a_whole_is_found,
        a_log_that_is_cut_is_found,
        a_row_behind_the_head_is_found,
        a_changed_row_is_found,
        removed_and_missing_books_are_distinguished,
        immediately_removed_books_are_noted,
        changed_checkpoints_are_found,
        rotated_keys_verify_the_same,
        a_checkpoint_is_written_each_day,
        partial_checkpoint_is_ignored,
        changed_bytes_are_found_and_not_served,
        incomparable_books_are_reported,
    ]
}

/// A book with single events, each in its own row, and a file.
fn book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    cast.record("2025-02-28", "7.25", "Cash", "Food", "Dinner");
    file(&cast, "receipt.txt", b"one lunch");
    cast
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn daybook(server: &Server, arguments: &[&str]) -> Output {
    server.admin(arguments).output().expect("daybook runs")
}

/// Writes a checkpoint; returns its path.
#[track_caller]
fn checkpoint(server: &Server) -> PathBuf {
    let run = daybook(server, &["checkpoint"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    PathBuf::from(text(&run.stdout).trim_end())
}

/// Runs `daybook verify` and asserts its status and its last line; returns the columns of the other
/// lines.
#[track_caller]
fn verify(server: &Server, status: i32) -> Vec<Vec<String>> {
    let run = daybook(server, &["verify"]);
    let (printed, said) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(status), "{printed}{said}");
    let mut lines: Vec<&str> = printed.lines().collect();
    let last = lines.pop().expect("a last line");
    assert_eq!(last.ends_with(": 0 differences"), status == 0, "{printed}");
    lines.iter().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The differences of a kind: what is compared, the expected and the found value.
#[track_caller]
fn found(server: &Server, kind: &str) -> Vec<[String; 3]> {
    let lines = verify(server, 1);
    let of_kind = lines.iter().filter(|line| line[0] == kind);
    let found: Vec<[String; 3]> =
        of_kind.map(|line| [2, 3, 4].map(|column| line[column].clone())).collect();
    assert!(!found.is_empty(), "{kind}: {lines:?}");
    found
}

fn number(cast: &Cast) -> String {
    format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book)
}

/// The stored log.
fn log(server: &Server, cast: &Cast) -> Vec<Event> {
    let address = Address::parse(server.database_url()).expect("an address");
    let mut store = ReadOnlyStore::open(&address).expect("a database");
    let key = BookKey::new(cast.book.clone());
    let read = store.read(|tx| {
        let access = tx.audits().enter_as_operator(&key)?.expect("the book");
        tx.audits().events(&access, 0, 1_000)
    });
    let logged = read.expect("the log").into_iter();
    logged.map(|logged| logged.event.expect("an event")).collect()
}

/// Changes the instant of the event with that number and recomputes the chain after it, as an
/// attacker with write access to the database could.
fn rewrite(server: &Server, cast: &Cast, from: i64) {
    let (key, book) = (BookKey::new(cast.book.clone()), number(cast));
    let mut raw_sql = RawSql::open(server);
    let mut previous = None;
    for mut event in log(server, cast) {
        if event.sequence >= from {
            if event.sequence == from {
                event.created_at = Instant::new(event.created_at.milliseconds() - 1);
            }
            event.hash = event.hash_after(&previous.expect("an event before"), &key);
            let (at, hash) =
                (event.created_at.milliseconds(), raw_sql.literal(event.hash.as_bytes()));
            let changed = raw_sql.execute(&format!(
                "UPDATE events SET created_at = {at}, hash = {hash} WHERE book_id = {book} \
                 AND sequence = {}",
                event.sequence
            ));
            assert_eq!(changed, 1, "event {}", event.sequence);
        }
        previous = Some(event.hash);
    }
    let hash = raw_sql.literal(previous.expect("events").as_bytes());
    raw_sql.execute(&format!("UPDATE book_state SET hash = {hash} WHERE book_id = {book}"));
}

fn intact_books_are_verified(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    let first = checkpoint(&server);
    cast.record("2025-03-01", "3", "Cash", "Food", "Breakfast");
    let others = events(&Cast::new(&server)).len();
    checkpoint(&server);
    cast.record("2025-03-02", "4", "Cash", "Food", "Tea");
    assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new());
    let run = daybook(&server, &["verify"]);
    let logged = events(&cast).len();
    let expected =
        format!("2 checkpoints, 2 books, {} events, 1 file: 0 differences\n", logged + others);
    assert_eq!(text(&run.stdout), expected);
    // Also with a copy of the checkpoints.
    let elsewhere = server.data_dir().join("copied");
    fs::create_dir(&elsewhere).expect("a directory");
    fs::copy(&first, elsewhere.join(first.file_name().expect("a name"))).expect("a copy");
    let named = elsewhere.to_str().expect("a path");
    let run = daybook(&server, &["verify", "--checkpoints", named]);
    assert!(text(&run.stdout).starts_with("1 checkpoint, 2 books"), "{}", text(&run.stdout));
    assert!(run.status.success());
}

fn a_changed_event_is_named(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    checkpoint(&server);
    let forged = id(&events(&cast)[4]).to_owned();
    RawSql::open(&server).execute(&format!(
        "UPDATE events SET created_at = created_at + 1 WHERE book_id = {} AND sequence = 5",
        number(&cast)
    ));
    let [[resource, ..]] = found(&server, "event").try_into().expect("one event");
    assert_eq!(resource, forged);
}

fn a_chain_that_is_rewritten_as_a_whole_is_found(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    let first = checkpoint(&server);
    let known = i64::try_from(events(&cast).len()).expect("a small number");
    cast.record("2025-03-01", "3", "Cash", "Food", "Breakfast");
    cast.record("2025-03-02", "4", "Cash", "Food", "Tea");
    checkpoint(&server);
    let end = i64::try_from(events(&cast).len()).expect("a small number");
    assert!(end > known + 1);
    rewrite(&server, &cast, known + 1);
    let lines = verify(&server, 1);
    let [line] = lines.as_slice() else { panic!("nothing else differs: {lines:?}") };
    assert_eq!((&line[0], &line[1]), (&"rewritten".to_owned(), &cast.book));
    assert_eq!(line[2], id(&events(&cast)[usize::try_from(end - 1).expect("a place")]));
    assert!(line[4].ends_with(&format!("; events {} to {end} differ", known + 1)), "{line:?}");
    // Before any checkpoint it matched.
    rewrite(&server, &cast, 3);
    let [[_, expected, actual]] = found(&server, "rewritten").try_into().expect("one line");
    let name = first.file_name().expect("a name").to_string_lossy();
    assert!(expected.ends_with(&format!(" as in {name}")), "{expected}");
    assert!(actual.ends_with(&format!("; events 1 to {known} differ")), "{actual}");
}

fn a_log_that_is_cut_is_found(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    checkpoint(&server);
    let logged = log(&server, &cast);
    let [.., before, last] = logged.as_slice() else { panic!("two events") };
    let cut = id(events(&cast).last().expect("an event")).to_owned();
    let (mut raw_sql, book) = (RawSql::open(&server), number(&cast));
    let of_last = format!("book_id = {book} AND sequence = {}", last.sequence);
    assert_eq!(raw_sql.execute(&format!("DELETE FROM events WHERE {of_last}")), 1);
    let hash = raw_sql.literal(before.hash.as_bytes());
    raw_sql.execute(&format!(
        "UPDATE book_state SET sequence = {}, hash = {hash} WHERE book_id = {book}",
        before.sequence
    ));
    let [[resource, _, actual]] = found(&server, "cut").try_into().expect("one line");
    assert_eq!((resource, actual), (cut, format!("the log ends with event {}", before.sequence)));
}

fn a_row_behind_the_head_is_found(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    checkpoint(&server);
    let columns = "resource, created_at, user_id, kind, agent, data, hash, count";
    let behind = format!(
        "INSERT INTO events (book_id, sequence, {columns}) \
         SELECT book_id, sequence + 1, {columns} FROM events WHERE book_id = {book} AND sequence = \
         (SELECT sequence FROM book_state WHERE book_id = {book})",
        book = number(&cast)
    );
    assert_eq!(RawSql::open(&server).execute(&behind), 1);
    assert_eq!(found(&server, "eventHead").len(), 1);
}

/// The rows that an audit compares, too (6.25).
fn a_changed_row_is_found(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    checkpoint(&server);
    let digest = format!("digest = '{}'", "0".repeat(64));
    let changed =
        RawSql::open(&server).execute(&format!("UPDATE files SET {digest} WHERE size = 9"));
    assert_eq!(changed, 1);
    assert_eq!(found(&server, "row").len(), 1);
    assert_eq!(found(&server, "file").len(), 1);
    RawSql::open(&server)
        .execute(&format!("DELETE FROM book_state WHERE book_id = {}", number(&cast)));
    let lines = verify(&server, 1);
    assert!(lines.iter().any(|line| line[..2] == ["unreadable", &cast.book]), "{lines:?}");
}

fn removed_and_missing_books_are_distinguished(engine: Engine) {
    let server = Server::start(engine);
    let [remaining, removed, missing] = [(); 3].map(|()| book(&server));
    checkpoint(&server);
    removed.owner.delete(&removed.path("")).ok();
    assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new(), "a deleted book waits");
    remove(&server, &removed.book);
    assert_eq!(verify(&server, 0), [["removed", &removed.book]]);
    remaining.record("2025-03-01", "3", "Cash", "Food", "Breakfast");
    let mut raw_sql = RawSql::open(&server);
    raw_sql.execute(&format!("DELETE FROM events WHERE book_id = {}", number(&missing)));
    raw_sql.execute(&format!("DELETE FROM books WHERE public_id = '{}'", missing.book));
    raw_sql.execute(&format!("DELETE FROM book_keys WHERE public_id = '{}'", missing.book));
    let lines = verify(&server, 1);
    let known: Vec<[&str; 2]> = lines.iter().map(|line| [&*line[0], &*line[1]]).collect();
    assert!(known.contains(&["removed", &removed.book]), "{lines:?}");
    assert!(known.contains(&["missing", &missing.book]), "{lines:?}");
    assert_eq!(known.len(), 2, "{lines:?}");
    // Only marking a book as being removed does not hide it.
    let says = format!("UPDATE books SET deleted_at = 1 WHERE public_id = '{}'", remaining.book);
    assert_eq!(raw_sql.execute(&says), 1);
    let lines = verify(&server, 1);
    assert!(lines.iter().any(|line| line[..2] == ["missing", &remaining.book]), "{lines:?}");
}

fn immediately_removed_books_are_noted(engine: Engine) {
    let server = Server::with_args(engine, &["--deleted-books-days", "0"]);
    let [first, second] = [(); 2].map(|()| book(&server));
    checkpoint(&server);
    for cast in [&first, &second] {
        cast.delete("").ok();
        eventually("the book is removed", || rows(&server, &cast.book) == 0);
    }
    let mut expected = [["removed", &first.book], ["removed", &second.book]];
    expected.sort_unstable();
    assert_eq!(verify(&server, 0), expected);
}

fn changed_checkpoints_are_found(engine: Engine) {
    let server = Server::start(engine);
    book(&server);
    let (path, remaining) = (checkpoint(&server), checkpoint(&server));
    let whole = fs::read_to_string(&path).expect("a text");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let deleted = whole.replacen("\nend", " deleted\nend", 1);
    let cut = whole.split_once("\nend").expect("an end").0.to_owned() + "\n";
    for (changed, fault) in [
        (deleted, "changed: the signature does not match"),
        (cut, "cut: the signature at the end is missing"),
        (String::new(), "cut: the signature at the end is missing"),
        (whole.replacen("checkpoint 1 ", "checkpoint 2 ", 1), "not a checkpoint in a known format"),
    ] {
        fs::write(&path, changed).expect("a file");
        let [[resource, _, actual]] = found(&server, "checkpoint").try_into().expect("one line");
        assert_eq!(resource, name);
        assert!(actual.starts_with(fault), "{actual}");
    }
    fs::write(&path, whole).expect("a file");
    verify(&server, 0);
    // Checkpoints of another installation prove nothing here.
    let other = Server::start(engine);
    book(&other);
    let theirs = checkpoint(&other);
    fs::copy(&theirs, remaining.with_file_name(theirs.file_name().expect("a name")))
        .expect("a copy");
    let [[_, _, actual]] = found(&server, "checkpoint").try_into().expect("one line");
    assert!(actual.starts_with("signed with another key"), "{actual}");
}

fn rotated_keys_verify_the_same(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    checkpoint(&server);
    for arguments in [&["rotate"][..], &["rotate", "--discard"], &["rotate", "sealing"]] {
        let run = daybook(&server, &[&["keys"], arguments].concat());
        assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
        assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new(), "{arguments:?}");
        cast.record("2025-03-01", "3", "Cash", "Food", "Breakfast");
        checkpoint(&server);
    }
    assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new());
}

/// The checkpoint files.
fn files(server: &Server) -> Vec<PathBuf> {
    let folder = fs::read_dir(server.data_dir().join("checkpoints"));
    folder.into_iter().flatten().map(|entry| entry.expect("a file").path()).collect()
}

/// The name of the newest file tells whether a day is over.
fn a_checkpoint_is_written_each_day(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = book(&server);
    assert_eq!(files(&server), Vec::<PathBuf>::new(), "no checkpoint without books");
    server.restart();
    eventually("a checkpoint is written", || files(&server).len() == 1);
    eventually("its log tells", || server.log().contains("checkpoint written"));
    server.restart();
    cast.record("2025-03-01", "3", "Cash", "Food", "Breakfast");
    assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new());
    let newest = files(&server).remove(0);
    let yesterday = newest.with_file_name("checkpoint-1700000000000-00000000.txt");
    fs::rename(&newest, &yesterday).expect("a new name");
    server.restart();
    eventually("another one is written", || files(&server).len() == 2);
    // The file may still be incomplete.
    let written = || server.log().matches("checkpoint written").count();
    eventually("its log tells", || written() == 2);
    server.restart();
    assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new());
    assert_eq!(files(&server).len(), 2, "one a day");
}

/// A process killed while writing leaves a partial file.
fn partial_checkpoint_is_ignored(engine: Engine) {
    let server = Server::start(engine);
    book(&server);
    let path = checkpoint(&server);
    let whole = fs::read(&path).expect("a file");
    let part = path.with_file_name("checkpoint-1-00000000.txt.part");
    fs::write(part, &whole[..whole.len() / 2]).expect("a file");
    assert_eq!(verify(&server, 0), Vec::<Vec<String>>::new());
}

/// 9.21: neither at the file's address nor with the metadata.
fn changed_bytes_are_found_and_not_served(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    let bytes = vec![b'x'; 3_000_000];
    let large = file(&cast, "large.txt", &bytes);
    checkpoint(&server);
    verify(&server, 0);
    let folder = server.data_dir().join("files").join(&cast.book);
    let blobs = fs::read_dir(folder).expect("the files of the book");
    let paths: Vec<PathBuf> = blobs.map(|blob| blob.expect("a blob").path()).collect();
    let is_large = |path: &&PathBuf| fs::metadata(path).expect("its size").len() == 3_000_000;
    let path = paths.iter().find(is_large).expect("the large one");
    let mut changed = bytes.clone();
    changed[2_999_999] = b'y';
    let get = cast.path(&format!("/files/{}", id(&large)));
    let url = large["url"].as_str().expect("an address");
    let served = url.strip_prefix(server.base()).expect("an address of this server");
    for (name, stored) in [("changed", &changed[..]), ("cut", &bytes[..9]), ("empty", &[])] {
        fs::write(path, stored).expect("a file");
        let [[resource, _, actual]] = found(&server, "file").try_into().expect("one line");
        assert_eq!(resource, id(&large), "{name}");
        assert!(actual.starts_with(&format!("{} bytes with ", stored.len())), "{name}: {actual}");
        assert_eq!(cast.owner.get(&get).status, 500, "{name}");
        let whole = cast.anonymous.try_send("GET", served, None, &[]);
        assert!(whole.is_err(), "{name}: the connection breaks: {:?}", whole.map(|a| a.status));
    }
    let line = format!("the bytes of a file differ from its SHA-256 book=\"{}\"", cast.book);
    assert!(server.log().contains(&line), "{line}");
    fs::remove_file(path).expect("a file");
    assert_eq!(found(&server, "file")[0][2], "no bytes");
    fs::write(path, &bytes).expect("a file");
    verify(&server, 0);
    assert_eq!(cast.anonymous.get(served).text.len(), bytes.len());
    assert_eq!(cast.owner.get(&get).status, 200);
}

/// Status 2, and nothing is written.
fn incomparable_books_are_reported(engine: Engine) {
    let server = Server::start(engine);
    let refused = |arguments: &[&str], words: &str| {
        let run = daybook(&server, &[&["verify"], arguments].concat());
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    };
    refused(&[], "checkpoints");
    let run = daybook(&server, &["checkpoint"]);
    assert!(!run.status.success() && text(&run.stderr).contains("there is no book yet"));
    let cast = book(&server);
    let path = checkpoint(&server);
    refused(&["--checkpoints", "/nowhere"], "/nowhere cannot be read");
    refused(&["--nothing"], "--nothing");
    fs::remove_file(&path).expect("a file");
    refused(&[], "there is no checkpoint in");
    checkpoint(&server);
    let nowhere = server.data_dir().join("nowhere");
    if engine == Engine::Sqlite {
        let mut command = std::process::Command::new(daybook_tests::binary());
        let missing = format!("sqlite:{}", nowhere.display());
        command.args(["verify", "--database-url", &missing, "--data-dir"]);
        let run = command.arg(server.data_dir()).output().expect("daybook runs");
        let said = text(&run.stderr);
        let named = format!("there is no database {}", nowhere.display());
        assert!(said.contains(&named) && said.contains("--database-url"), "{said}");
        assert_eq!(run.status.code(), Some(2));
        assert!(!nowhere.exists(), "it is only read");
    }
    verification_counts_nothing(&cast, &server);
}

/// Asserts unchanged counters of the database: no process has started (6.27).
fn verification_counts_nothing(cast: &Cast, server: &Server) {
    let mut raw_sql = RawSql::open(server);
    let mut starts = || raw_sql.count("SELECT count FROM process_starts");
    let before = starts();
    verify(server, 0);
    assert_eq!(starts(), before);
    cast.post("/queries", &json!({"query": "account:Cash"})).ok();
}
