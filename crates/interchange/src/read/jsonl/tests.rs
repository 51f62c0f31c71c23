//! Tests of exported books.

use super::*;
use daybook_domain::calendar::format_iso;

const EXPORT: &str = include_str!("../../../tests/journals/export.jsonl");

fn sample(lines: std::ops::Range<usize>) -> String {
    EXPORT.lines().skip(lines.start).take(lines.len()).collect::<Vec<&str>>().join("\n")
}

/// Returns the header, the chart with a line of the future, the transactions and the end.
fn parts() -> [String; 4] {
    [sample(0..1), sample(1..7), sample(7..10), sample(10..11)]
}

fn file(parts: &[&str]) -> String {
    parts.join("\n") + "\n"
}

fn read_all(text: &str) -> Result<(Vec<Item>, Summary), String> {
    let mut items = Vec::new();
    let summary = read(text.as_bytes(), &mut |item| items.push(item));
    summary.map(|summary| (items, summary)).map_err(|problem| problem.to_string())
}

#[test]
fn exports_are_read() {
    let [header, chart, transactions, end] = parts();
    let (items, summary) = read_all(&file(&[&header, &chart, &transactions, &end])).unwrap();
    assert_eq!((summary.transactions, summary.drafts, summary.trashed), (3, 1, 1));
    assert_eq!(summary.sum.to_string(), "42.505");
    let [header, assets, cash, bank, food, receipt, shop, draft] = items.as_slice() else {
        panic!("{items:?}")
    };
    let Item::Header(header) = header else { panic!("{header:?}") };
    assert_eq!((header.scale, header.exported_at), (3, 1_793_466_309_007));
    assert_eq!(header.book.lock_date.map(format_iso).as_deref(), Some("2026-01-31"));
    assert_eq!(header.book.decimal_separator.as_deref(), Some("COMMA"));
    assert!(header.book.auto_post && header.book.properties.contains_key("k"));
    let (Item::Group(assets), Item::Group(cash)) = (assets, cash) else { panic!("{items:?}") };
    assert_eq!(
        (cash.parent.as_ref(), cash.is_hidden, cash.is_locked),
        (Some(&assets.id), true, true)
    );
    let (Item::Account(bank), Item::Account(food)) = (bank, food) else { panic!("{items:?}") };
    assert_eq!((bank.kind, bank.groups.as_slice()), (AccountType::Asset, &["12".to_owned()][..]));
    assert_eq!(bank.min_balance.unwrap().to_string(), "-5");
    assert!(food.is_archived);
    let Item::File(receipt) = receipt else { panic!("{receipt:?}") };
    assert_eq!((receipt.size, receipt.path.as_deref()), (7, Some("x/r.pdf")));
    let Item::Transaction(shop) = shop else { panic!("{shop:?}") };
    assert_eq!(shop.position, Position::line(8));
    assert_eq!((shop.is_checked, shop.is_draft), (true, false));
    assert_eq!(shop.amount.unwrap().to_string(), "42.505");
    assert_eq!((shop.credit.as_deref(), shop.debit.as_deref()), (Some("21"), Some("22")));
    assert_eq!((shop.remote_ids.len(), shop.urls.len(), shop.files.len()), (1, 1, 1));
    assert_eq!((shop.stamp.created_by.as_deref(), shop.stamp.updated_at), (Some("ada"), 6));
    let Item::Transaction(draft) = draft else { panic!("{draft:?}") };
    assert!(draft.is_draft && draft.amount.is_none() && draft.date.is_none());
}

#[test]
fn faults_refuse_the_file() {
    let [header, chart, transactions, end] = parts();
    let transaction = |fields: &str| {
        let line = format!("{{\"transaction\":{{\"id\":\"9\",{fields}}}}}");
        file(&[&header, &chart, &line, &end])
    };
    for (text, expected) in [
        (file(&[&header, &chart, &transactions]), "the export was cut short or changed"),
        (file(&[&header, &chart, &end]), "line 8, column 1: the export was cut short or changed"),
        (file(&[&chart]), "line 1, column 1: the file is not an export of Daybook"),
        (String::new(), "the file is not an export of Daybook"),
        (
            file(&[&header, &chart, &transactions, &end, &end]),
            "line 12, column 1: the file is not an \
                                                           export of Daybook",
        ),
        (
            header.replace("\"version\":1", "\"version\":2"),
            "line 1, column 1: version 2 of exports is not read",
        ),
        (
            transaction("\"draft\":true,\"creditAccount\":{\"id\":\"77\"}"),
            "line 8, column 1: no line before has the id \"77\"",
        ),
        (
            transaction("\"amount\":\"1.00\""),
            "line 8, column 1: a transaction that is not a draft lacks a date, an amount or an \
             account",
        ),
        (
            transaction("\"draft\":true,\"amount\":\"1.0001\""),
            "line 8, column 1: the amount has 4 decimal places, and the book 3",
        ),
        (
            transaction("\"draft\":true,\"amount\":\"9e9\""),
            "line 8, column 1: invalid amount \"9e9\"",
        ),
        (
            transaction("\"draft\":true,\"date\":\"2026-02-30\""),
            "line 8, column 1: invalid date \"2026-02-30\"",
        ),
        (
            file(&[
                &header,
                "{\"group\":{\"id\":\"1\",\"name\":\"a\"}}",
                "{\"group\":{\"id\":\"1\",\"name\":\"b\"}}",
            ]),
            "line 3, column 1: another line has the id \"1\"",
        ),
    ] {
        assert_eq!(read_all(&text).unwrap_err(), expected, "{text}");
    }
    let message = read_all(&file(&[&header, "{\"group\":{\"id\":"])).unwrap_err();
    assert!(message.starts_with("line 2, column 15: invalid JSON: EOF"), "{message}");
}

/// The line itself is the first level. Brackets in texts are none.
#[test]
fn values_nest_64_deep() {
    let [header, chart, transactions, end] = parts();
    let line = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!(r#"{{"a":"\"[[","b":["{{{{"],"future":{open}{close}}}"#)
    };
    let text = |levels| file(&[&header, &chart, &line(levels), &transactions, &end]);
    assert!(line(64).matches('[').count() > MAX_DEPTH);
    assert_eq!(read_all(&text(64)).unwrap().1.transactions, 3);
    let message = read_all(&text(65)).unwrap_err();
    assert_eq!(message, "line 8, column 96: elements are nested more than 64 deep");
    let long = file(&[&header, &"[".repeat(MAX_LINE_BYTES)]);
    let message = read_all(&long).unwrap_err();
    assert_eq!(message, "line 2, column 65: elements are nested more than 64 deep");
}

#[test]
fn ids_and_charts_are_bounded() {
    let [header, ..] = parts();
    let refused = |line: &str| read_all(&file(&[&header, line])).unwrap_err();
    let long = "1".repeat(MAX_ID_BYTES + 1);
    for line in [
        r#"{"group":{"id":"LONG","name":"a"}}"#,
        r#"{"account":{"id":"LONG","name":"a","type":"ASSET"}}"#,
        r#"{"file":{"id":"LONG","name":"a","size":1,"sha256":"0a"}}"#,
        r#"{"file":{"id":"1","name":"a","size":1,"sha256":"LONG"}}"#,
    ] {
        let message = refused(&line.replace("LONG", &long));
        assert_eq!(message, "line 2, column 1: a field has more than 100 bytes", "{line}");
    }
    let message = refused(r#"{"group":{"id":"1","name":"a\u0000"}}"#);
    assert!(message.starts_with("line 2, column 1: the file contains a NUL"), "{message}");
    let group = r#"{"group":{"id":"ID","name":"a","properties":{"k":"LONG"}}}"#;
    let group = group.replace("LONG", &"v".repeat(1 << 20));
    let mut reader = Reader::default();
    reader.line(header.as_bytes()).unwrap();
    let mut groups = (1..).map(|id: usize| group.replace("ID", &id.to_string()));
    let problem = groups.find_map(|group| reader.line(group.as_bytes()).err()).unwrap();
    assert_eq!((reader.summary.groups, problem.kind), (31, Kind::ChartTooLarge));
}

/// Behaviour 4.22: the name, the agent, the properties and 100 bytes; a creator is not kept.
#[test]
fn creators_do_not_count_for_a_chart() {
    let [header, ..] = parts();
    let mut reader = Reader::default();
    reader.line(header.as_bytes()).unwrap();
    let creator = "c".repeat(1 << 20);
    for id in 0..40 {
        let stamp = format!(r#""agentId":"app","createdBy":"{creator}""#);
        let line = format!(r#"{{"group":{{"id":"{id}","name":"ab",{stamp}}}}}"#);
        let Some(Item::Group(group)) = reader.line(line.as_bytes()).unwrap() else { panic!() };
        assert_eq!(group.stamp.created_by, None);
        let line = format!(r#"{{"account":{{"id":"{id}","name":"ab","type":"ASSET",{stamp}}}}}"#);
        let Some(Item::Account(account)) = reader.line(line.as_bytes()).unwrap() else { panic!() };
        assert_eq!(account.stamp.created_by, None);
    }
    assert_eq!(reader.chart_bytes, 2 * 40 * (100 + 2 + 3));
}
