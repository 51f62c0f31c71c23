//! Imports of exported books (15.13): the same book, damaged files, undo and restarts.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use daybook_tests::{Cast, Engine, Server, id, shows};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::Case;
use crate::exports::members;
use crate::files::base64;
use crate::import_runs::kill_while_recording;
use crate::imports::{confirm, done, settle, undo};
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_15_13_archive_makes_the_same_book,
        rule_15_13_lines_make_the_same_book_without_files,
        rule_15_13_damaged_exports_change_nothing,
    ]
}

pub fn nightly() -> Vec<Case> {
    crate::isolated![rule_15_13_import_of_a_book_continues_after_a_restart]
}

/// A book with everything that an export has.
fn book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &[("Rent", "OUTGOING"), ("Old", "ASSET")]);
    cast.group("Assets");
    cast.group_under("Current", "Assets");
    cast.account_in("Bank", "ASSET", &["Current"]);
    cast.put("/groups", &json!({"name": "Current", "hidden": true, "properties": {"a": "b"}})).ok();
    cast.put("/groups", &json!({"name": "Assets", "locked": true})).ok();
    let file = |name: &str, bytes: &[u8]| {
        let body = json!({"name": name, "content": base64(bytes), "properties": {"kind": name}});
        id(&cast.post("/files", &body).ok()).to_owned()
    };
    // The transactions of an entry have a file in common, and one file has no transaction.
    let receipt = file("receipt.pdf", b"%PDF");
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    file("contract.bin", &large);
    let posting = |day: &str, amount: &str, from: &str| {
        json!({
            "date": day, "amount": amount, "description": "Shop: a/b #home",
            "creditAccount": {"name": from}, "debitAccount": {"name": "Rent"},
        })
    };
    for (amount, from) in [("5.00", "Old"), ("7.25", "Bank")] {
        let mut body = posting("2026-01-11", amount, from);
        body["files"] = json!([{"id": receipt}]);
        body["properties"] = json!({"entry_id": "e1", "code": "7"});
        body["remoteIds"] = json!([format!("bank:{amount}"), format!("other:{amount}")]);
        body["urls"] = json!(["https://example.com/a"]);
        cast.create(&body);
    }
    let checked = cast.create(&posting("2026-03-14", "42.50", "Bank"));
    cast.patch("/transactions/check", &json!({"id": id(&checked)})).ok();
    cast.post("/transactions", &json!({"description": "an idea"})).ok();
    let mut draft = posting("2026-03-14", "3.00", "Bank");
    draft["draft"] = json!(true);
    cast.post("/transactions", &draft).ok();
    cast.create(&posting("2026-03-14", "1.00", "Bank"));
    cast.put("/accounts", &json!({"name": "Old", "archived": true})).ok();
    cast.put("/accounts", &json!({"name": "Bank", "minBalance": "-60"})).ok();
    let settings = json!({
        "id": cast.book, "lockDate": "2026-01-31", "decimalSeparator": "COMMA", "period": "YEAR",
        "datePattern": "MM/dd/yyyy", "autoPost": false, "properties": {"code": "1"},
    });
    cast.owner.put("/v5/books", &settings).ok();
    cast
}

/// The lines of an export without what each book has of its own.
fn comparable(lines: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(lines).expect("UTF-8");
    let all = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        strip(&mut line);
        line
    });
    all.collect()
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for own in ["id", "createdAt", "updatedAt", "exportedAt", "lastEvent", "import_run"] {
                fields.remove(own);
            }
            fields.values_mut().for_each(strip);
            fields.retain(|name, value| name != "properties" || *value != json!({}));
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The import of a file when it is read.
#[track_caller]
fn read(cast: &Cast, query: &str, file: &[u8]) -> Value {
    let path = cast.path(&format!("/imports{query}"));
    settle(cast, &cast.owner.send_raw("POST", &path, None, file).ok())
}

/// Imports a file into a new book, and returns the import and the path of the book.
#[track_caller]
fn import(cast: &Cast, file: &[u8]) -> (Value, String) {
    let read = read(cast, "", file);
    assert_eq!(read["state"], "PREVIEW", "{read}");
    let run = done(cast, confirm(cast, &read, &json!({})));
    let path = format!("/v5/books/{}", run["bookIds"][0].as_str().expect("a book"));
    (run, path)
}

/// 15.13: settings, chart, states, files and remote ids; and the undo.
fn rule_15_13_archive_makes_the_same_book(server: &Server) {
    let cast = book(server);
    let archive = cast.owner.download(&cast.path("/export?format=zip"));
    let seen = read(&cast, "", &archive);
    shows(&seen, &json!({"state": "PREVIEW", "target": "NEW", "warnings": [], "bookIds": []}));
    shows(&seen["counts"], &json!({"new": 6, "drafts": 2, "refused": 0, "total": 6}));
    let format = "export of Daybook, 6 transactions, 2 files, 2026-01-11 to 2026-03-14";
    assert_eq!(seen["format"], format, "{seen}");
    assert_eq!(items(&cast.read(&format!("/imports/{}/records", id(&seen)))).len(), 0);
    let decision = json!({"decisions": [{"record": 1, "outcome": "SKIPPED"}]});
    confirm(&cast, &seen, &decision).refused(400, "badRequest");

    let (run, path) = import(&cast, &archive);
    shows(&run["counts"], &json!({"new": 6, "refused": 0}));
    let again = cast.owner.download(&format!("{path}/export?format=zip"));
    let (mut before, mut after) = (members(archive.clone()), members(again));
    let lines = |members: &mut BTreeMap<String, Vec<u8>>| {
        members.remove("index.csv").expect("an index");
        comparable(&members.remove("book.jsonl").expect("the lines"))
    };
    assert_eq!(lines(&mut after), lines(&mut before));
    assert!(before == after, "the files: {:?}", after.keys());
    let row = cast.owner.get(&format!("{path}/transactions?query=is:checked")).ok();
    assert_eq!(items(&row)[0]["properties"]["import_run"], run["id"], "{row}");

    // Nothing but the import has written to the book.
    shows(&undo(&cast, &run), &json!({"trashed": 0, "deletedBookIds": run["bookIds"]}));
    cast.owner.get(&path).refused(404, "notFound");
    // A person has changed a transaction; that and those of locked dates are left.
    let (run, path) = import(&cast, &archive);
    let found = cast.owner.get(&format!("{path}/transactions?query=amount%3C2")).ok();
    let change = json!({"id": items(&found)[0]["id"], "description": "changed"});
    cast.owner.put(&format!("{path}/transactions"), &change).ok();
    let undone = undo(&cast, &run);
    shows(&undone, &json!({"trashed": 3, "leftCount": 3, "deletedBookIds": []}));
}

/// 15.13: lines alone have no files, which a warning says.
fn rule_15_13_lines_make_the_same_book_without_files(server: &Server) {
    let cast = book(server);
    let lines = cast.owner.download(&cast.path("/export"));
    let (run, path) = import(&cast, &lines);
    let warning = run["warnings"][0]["message"].as_str().expect("a warning");
    assert!(warning.contains("2 files are left out"), "{run}");
    let without_files = |lines: &[u8]| {
        let mut all = comparable(lines);
        all.retain(|line| line.get("file").is_none());
        for line in &mut all {
            for kind in ["transaction", "end"] {
                let fields = line.get_mut(kind).and_then(Value::as_object_mut);
                fields.map(|fields| fields.remove("files"));
            }
        }
        all
    };
    let again = cast.owner.download(&format!("{path}/export"));
    assert_eq!(without_files(&again), without_files(&lines));
}

/// An archive of another program with these members.
fn archive_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let method = CompressionMethod::Deflated;
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).expect("a member");
        writer.write_all(content).expect("its bytes");
    }
    writer.finish().expect("an archive").into_inner()
}

/// 15.13: the line or the entry is named, and no book is created.
fn rule_15_13_damaged_exports_change_nothing(server: &Server) {
    let cast = book(server);
    let archive = cast.owner.download(&cast.path("/export?format=zip"));
    let of = members(archive.clone());
    let lines = of["book.jsonl"].as_slice();
    let text = std::str::from_utf8(lines).expect("UTF-8");
    let books = || items(&cast.owner.get("/v5/books").ok()).len();
    let before = books();
    let receipt = of.keys().find(|name| name.ends_with(".pdf")).expect("a receipt");
    let receipt = format!("entry \"{receipt}\": its bytes differ");
    let cut = archive[..archive.len() - 10].to_vec();
    let mut damaged = archive.clone();
    let at = damaged.windows(4).rposition(|four| four == b"%PDF").expect("the receipt");
    damaged[at] ^= 1;
    let last = text.rfind("{\"end\"").expect("the last line");
    let no_end = &text.as_bytes()[..last];
    let invalid = text.replacen("\"type\":\"ASSET\"", "\"type\":\"X\"", 1);
    let assets = text.find("\"type\":\"ASSET\"").expect("an account");
    let place = format!("line {}, column 1", text[..assets].lines().count());
    let file = text.lines().find(|line| line.starts_with("{\"file\"")).expect("a file");
    let other = file.replacen("\"id\":\"", "\"id\":\"9", 1);
    let twice = text.replacen(file, &format!("{file}\n{other}"), 1);
    let mut shared: Vec<(&str, &[u8])> = vec![("book.jsonl", twice.as_bytes())];
    shared.extend(of.iter().skip(1).map(|(name, content)| (name.as_str(), content.as_slice())));
    let zeros = vec![b'\n'; 8 << 20];
    let unsafe_name = archive_of(&[("book.jsonl", lines), ("../x", b"x")]);
    for (query, file, reason, part) in [
        ("", cut, "unreadable", "its end is missing"),
        ("", damaged, "unreadable", receipt.as_str()),
        ("", unsafe_name, "unreadable", "entry \"../x\""),
        ("", archive_of(&[("book.jsonl", lines)]), "unreadable", "is missing"),
        ("", archive_of(&shared), "unreadable", "belongs to two files"),
        ("", archive_of(&[("book.jsonl", &zeros)]), "unreadable", "200 times"),
        ("", no_end.to_vec(), "incomplete", "cut short"),
        ("", invalid.into_bytes(), "unreadable", place.as_str()),
        ("?target=HERE", lines.to_vec(), "invalidTarget", "new book"),
    ] {
        let failed = read(&cast, query, &file);
        let error = failed["error"].as_str().unwrap_or_default();
        assert!(error.contains(part), "{part}: {failed}");
        assert_eq!(failed["errorReason"], reason, "{failed}");
        confirm(&cast, &failed, &json!({})).refused(400, "badRequest");
    }
    assert_eq!(books(), before);
    // Members in another order, packed by another program, are read too.
    let mut packed: Vec<(&str, &[u8])> =
        of.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    packed.reverse();
    let (run, _) = import(&cast, &archive_of(&packed));
    shows(&run["counts"], &json!({"new": 6, "refused": 0}));
}

/// 15.13: a killed server continues, and nothing is recorded twice.
fn rule_15_13_import_of_a_book_continues_after_a_restart(engine: Engine) {
    const ROWS: usize = 12_000;
    const REFUSED: usize = ROWS / 100;
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    let head = [
        json!({"daybook": {
            "version": 1, "exportedAt": "1", "scale": 2,
            "book": {"id": "b", "name": "Large", "fractionDigits": 2},
        }}),
        json!({"account": {"id": "1", "name": "Bank", "type": "ASSET"}}),
        json!({"account": {"id": "2", "name": "Food", "type": "OUTGOING"}}),
    ];
    let rows = (0..ROWS).map(|row| {
        let remote_id = if row % 100 == 7 { "x".repeat(300) } else { row.to_string() };
        json!({"transaction": {
            "id": row.to_string(), "remoteIds": [remote_id],
            "date": format!("2026-01-{:02}", row % 28 + 1),
            "amount": "1.00", "description": format!("Row {row}"),
            "creditAccount": {"id": "1"}, "debitAccount": {"id": "2"},
        }})
    });
    let end = json!({
        "groups": 0, "accounts": 2, "files": 0, "transactions": ROWS, "drafts": 0,
        "amount": format!("{ROWS}.00"),
    });
    let lines = head.into_iter().chain(rows).chain([json!({"end": end})]);
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    let seen = read(&cast, "", lines.as_bytes());
    assert_eq!(seen["state"], "PREVIEW", "{seen}");
    let run = kill_while_recording(&mut server, &cast, &seen);
    let path = format!("/v5/books/{}", run["bookIds"][0].as_str().expect("a book"));
    let count = cast.owner.get(&format!("{path}/transactions/count")).ok();
    assert_eq!(count["total"], ROWS - REFUSED, "{count}");
    shows(&run["counts"], &json!({"new": ROWS - REFUSED, "refused": REFUSED}));
    assert_eq!(run["warningCount"], REFUSED, "{run}");
    assert!(cast.owner.get(&path).ok()["properties"].get("import_progress").is_none());
}
