//! Exports of a book (16): formats, queries, permissions, the archive and links.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use daybook_tests::{Cast, Server, encode};
use serde_json::{Value, json};
use zip::ZipArchive;

use crate::Case;
use crate::files::base64;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_16_1_five_kinds_of_caller,
        rule_16_2_lines_are_the_list_in_reverse,
        rule_16_3_lines_have_the_chart_and_the_last_event,
        rule_16_4_archive_has_the_files_under_readable_names,
        rule_16_5_journals_join_entries_and_assert_balances,
        rule_16_6_each_format_has_an_end,
        rule_16_8_link_downloads_without_a_token,
    ]
}

/// A book with postings, a checked one, a draft, a trashed one, and files.
fn book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Rent", "OUTGOING")]);
    let group = cast.group("Assets");
    cast.group_under("Current", "Assets");
    cast.account_in("Bank", "ASSET", &["Current"]);
    assert!(group["id"].is_string());
    cast.record("2026-09-10", "30.00", "Cash", "Rent", "second #home");
    cast.record("2026-08-31", "12.50", "Bank", "Rent", "first");
    let entry = json!({"entry_id": "e1"});
    for (amount, credit) in [("5.00", "Cash"), ("7.00", "Bank")] {
        cast.create(&json!({
            "date": "2026-09-11", "amount": amount, "description": "of one entry",
            "creditAccount": {"name": credit}, "debitAccount": {"name": "Rent"},
            "properties": entry, "remoteIds": [format!("bank:{amount}")],
        }));
    }
    cast.post("/transactions", &json!({"description": "a draft", "amount": "3.00"})).ok();
    let trashed = cast.record("2026-09-12", "1.00", "Cash", "Rent", "trashed");
    cast.patch("/transactions/trash", &json!({"id": daybook_tests::id(&trashed)})).ok();
    cast
}

/// The content of each line, by its kind.
#[track_caller]
fn lines(text: &str) -> Vec<(String, Value)> {
    let line = |line: &str| {
        let object: Value = serde_json::from_str(line).expect("JSON");
        let (kind, content) =
            object.as_object().and_then(|one| one.iter().next()).expect("a field");
        (kind.clone(), content.clone())
    };
    text.lines().map(line).collect()
}

fn of_kind<'l>(lines: &'l [(String, Value)], kind: &str) -> Vec<&'l Value> {
    lines.iter().filter(|(found, _)| found == kind).map(|(_, content)| content).collect()
}

fn rule_16_1_five_kinds_of_caller(server: &Server) {
    let cast = book(server);
    let path = cast.path("/export?format=csv");
    for (permission, caller) in cast.members() {
        let answer = caller.get(&path);
        if permission == "RECORDER" {
            answer.refused(403, "forbidden");
        } else {
            assert_eq!(answer.status, 200, "{permission}: {}", answer.text);
            assert!(answer.text.contains(",first,"), "{permission}: {}", answer.text);
        }
    }
    cast.stranger.get(&path).refused(404, "notFound");
    cast.anonymous.get(&path).refused(401, "required");
    cast.owner.put("/v5/books", &json!({"id": cast.book, "visibility": "PUBLIC"})).ok();
    assert!(cast.stranger.get(&path).text.contains(",first,"));
    for bad in ["format=pdf", "query=is:nonsense", "query=account:Nobody"] {
        let answer = cast.get(&format!("/export?{bad}"));
        assert_eq!(answer.status, 400, "{bad}: {}", answer.text);
        assert_eq!(cast.get(&format!("/export/link?{bad}")).status, 400, "{bad}");
    }
}

fn rule_16_2_lines_are_the_list_in_reverse(server: &Server) {
    let cast = book(server);
    for query in
        ["", "account:Cash", "is:trashed", "is:draft", "#home OR first", "after:2026-09-01"]
    {
        let query = encode(query);
        let listed = cast.read(&format!("/transactions?query={query}"));
        let mut expected: Vec<Value> = listed["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|row| row["id"].clone())
            .collect();
        expected.reverse();
        let text = cast.get(&format!("/export?query={query}")).text;
        let lines = lines(&text);
        let found: Vec<Value> =
            of_kind(&lines, "transaction").iter().map(|one| one["id"].clone()).collect();
        assert_eq!(found, expected, "{query}: {text}");
    }
}

fn rule_16_3_lines_have_the_chart_and_the_last_event(server: &Server) {
    let cast = book(server);
    let answer = cast.get("/export");
    assert_eq!(answer.headers["content-type"], "application/x-ndjson");
    let disposition = &answer.headers["content-disposition"];
    assert!(disposition.starts_with("attachment;") && disposition.contains(".jsonl"));
    let lines = lines(&answer.text);
    let (first, last) = (&lines[0], lines.last().expect("a last line"));
    assert_eq!((first.0.as_str(), last.0.as_str()), ("daybook", "end"));
    assert_eq!(first.1["book"]["id"], json!(cast.book));
    let groups = of_kind(&lines, "group");
    assert_eq!(
        (groups[0]["name"].as_str(), groups[1]["name"].as_str()),
        (Some("Assets"), Some("Current"))
    );
    assert_eq!(groups[1]["parent"]["id"], groups[0]["id"]);
    let accounts = of_kind(&lines, "account");
    let bank = accounts.iter().find(|one| one["name"] == "Bank").expect("Bank");
    assert_eq!(bank["groups"][0]["name"], "Current");
    let event = cast.read("/events?limit=1");
    let end = &last.1;
    assert_eq!(end["lastEvent"]["sequence"], event["items"][0]["sequence"], "{event}");
    assert_eq!(end["lastEvent"]["hash"], event["items"][0]["hash"]);
    let counts = ["groups", "accounts", "files", "transactions", "drafts", "amount"];
    let counts = counts.map(|name| end[name].clone());
    assert_eq!(json!(counts), json!([2, 3, 0, 5, 1, "54.50"]));
    // An account without an import has its list row in the same names.
    let row = cast.read("/transactions?query=first")["items"][0].clone();
    let line = of_kind(&lines, "transaction").into_iter().find(|one| one["id"] == row["id"]);
    let line = line.expect("the line of a row").as_object().expect("an object");
    for (name, value) in line {
        if let Value::String(_) = value {
            assert_eq!(value, &row[name.as_str()], "{name}");
        }
    }
}

fn rule_16_4_archive_has_the_files_under_readable_names(server: &Server) {
    let cast = book(server);
    let file = |name: &str, bytes: &[u8]| json!({"name": name, "content": base64(bytes)});
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    for bytes in [b"one".as_slice(), &large] {
        cast.create(&json!({
            "date": "2026-03-14", "amount": "42.50", "description": "Corner Shop: a/b",
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Rent"},
            "files": [file("IMG_1.pdf", bytes)],
        }));
    }
    cast.post("/files", &file("contract.txt", b"signed")).ok();
    let bytes = cast.owner.download(&cast.path("/export?format=zip"));
    let members = members(bytes);
    let names: Vec<&str> = members.keys().map(String::as_str).collect();
    let expected = [
        "book.jsonl",
        "files/2026-03-14 42.50 Corner Shop a-b (2).pdf",
        "files/2026-03-14 42.50 Corner Shop a-b.pdf",
        "index.csv",
        "other files/contract.txt",
    ];
    assert_eq!(names, expected);
    assert_eq!(members[expected[2]], b"one");
    assert!(members[expected[1]] == large, "the bytes of a file of several pieces");
    assert_eq!(members[expected[4]], b"signed");
    let text = String::from_utf8(members["book.jsonl"].clone()).expect("UTF-8");
    let lines = lines(&text);
    let mut paths: Vec<&str> =
        of_kind(&lines, "file").iter().map(|one| one["path"].as_str().expect("a path")).collect();
    paths.sort_unstable();
    assert_eq!(paths, [expected[1], expected[2], expected[4]]);
    let index = String::from_utf8(members["index.csv"].clone()).expect("UTF-8");
    assert!(index.contains(&format!("{},2026-03-14,42.50,", expected[2])), "{index}");
    assert!(index.contains("\r\nend,Rows: 3,"), "{index}");
    // With a query, only the files of what it finds.
    let bytes = cast.owner.download(&cast.path("/export?format=zip&query=second"));
    assert_eq!(self::members(bytes).len(), 2);
}

/// The members of an archive by their names.
pub fn members(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut members = BTreeMap::new();
    for number in 0..archive.len() {
        let mut member = archive.by_index(number).expect("a member");
        let mut content = Vec::new();
        member.read_to_end(&mut content).expect("its bytes");
        let name = member.name().expect("a name").into_owned();
        members.insert(name, content);
    }
    members
}

fn rule_16_5_journals_join_entries_and_assert_balances(server: &Server) {
    let cast = book(server);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let hledger = words(&cast.get("/export?format=hledger").text);
    for part in [
        "account Assets:Current:Bank ; type:A",
        "account Rent ; type:X",
        "Rent 12.00 Cash -5.00 Assets:Current:Bank -7.00",
        "2026-08-31 * Balances Rent 0.00 = 12.50 Assets:Current:Bank 0.00 = -12.50",
        "; draft",
    ] {
        assert!(hledger.contains(part), "{part}: {hledger}");
    }
    let end = hledger.split("2026-09-30 * Balances").nth(1).expect("the last balances");
    for part in ["Cash 0.00 = -35.00", "Rent 0.00 = 54.50", "Assets:Current:Bank 0.00 = -19.50"] {
        assert!(end.contains(part), "{part}: {end}");
    }
    assert!(!hledger.contains("trashed"), "{hledger}");
    let beancount = words(&cast.get("/export?format=beancount").text);
    for part in [
        "2026-08-31 open Assets:Current:Bank XXX name: \"Bank\"",
        "Expenses:Rent 12.00 XXX Assets:Cash -5.00 XXX Assets:Current:Bank -7.00 XXX",
        "2026-10-01 balance Expenses:Rent 54.50 XXX",
    ] {
        assert!(beancount.contains(part), "{part}: {beancount}");
    }
}

fn rule_16_6_each_format_has_an_end(server: &Server) {
    let cast = book(server);
    for (format, kind, end) in [
        ("hledger", "text/x-hledger; charset=utf-8", "; End of the export. Transactions: 5\n"),
        ("beancount", "text/x-beancount; charset=utf-8", "; End of the export. Transactions: 5\n"),
        ("csv", "text/csv; charset=utf-8", "end,Rows: 5,,,,,,,,,,,,,,,\r\n"),
    ] {
        let answer = cast.get(&format!("/export?format={format}"));
        assert_eq!(answer.headers["content-type"], kind);
        assert!(answer.text.ends_with(end), "{format}: {}", answer.text);
    }
    let sheet = cast.owner.download(&cast.path("/export?format=xlsx"));
    let members = members(sheet);
    let text = String::from_utf8_lossy(&members["xl/worksheets/sheet1.xml"]);
    assert_eq!(text.matches("<f>SUBTOTAL(9,").count(), 3, "a month of the draft and two others");
    cast.put("", &json!({"decimalSeparator": "COMMA"})).ok();
    let excel = cast.get("/export?format=csv&excel=true").text;
    assert!(excel.starts_with("\u{feff}id;date;amount;") && excel.contains(";12,50;"), "{excel}");
}

fn rule_16_8_link_downloads_without_a_token(server: &Server) {
    let cast = book(server);
    let link = cast.viewer.get(&cast.path("/export/link?format=csv&query=first")).ok();
    let url = link["url"].as_str().expect("a url");
    let path = url.strip_prefix(server.base()).expect("an address of this server");
    let answer = cast.anonymous.get(path);
    assert_eq!(answer.headers["referrer-policy"], "no-referrer");
    assert!(answer.text.contains(",first,") && !answer.text.contains("second"), "{}", answer.text);
    cast.share(cast.viewer.email(), "RECORDER");
    assert_eq!(cast.anonymous.get(path).status, 403);
}
