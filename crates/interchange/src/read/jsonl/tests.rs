//! Tests of exported books.

use super::*;
use daybook_domain::calendar::format_iso;

const HEADER: &str = r#"{"daybook":{"version":1,"exportedAt":"1793466309007","scale":3,"book":{"id":"b","name":"Home","autoPost":true,"lockDate":"2026-01-31","datePattern":"dd/MM/yyyy","decimalSeparator":"COMMA","fractionDigits":2,"pageSize":100,"timeZone":"Europe/Paris","properties":{"k":"v"},"createdAt":"1","updatedAt":"2"}}}"#;

const CHART: &str = r#"{"group":{"id":"11","name":"Assets","createdAt":"1","updatedAt":"2"}}
{"group":{"id":"12","name":"Cash","parent":{"id":"11","name":"Assets"},"hidden":true,"locked":true}}
{"account":{"id":"21","name":"Bank","type":"ASSET","groups":[{"id":"12","name":"Cash"}],"minBalance":"-5.00"}}
{"account":{"id":"22","name":"Food","type":"OUTGOING","archived":true,"properties":{"a":"b"}}}
{"file":{"id":"31","name":"r.pdf","contentType":"application/pdf","size":7,"sha256":"0a","path":"x/r.pdf","createdBy":"ada"}}
{"future":{"any":[1]}}"#;

const TRANSACTIONS: &str = r##"{"transaction":{"id":"41","date":"2026-03-14","amount":"42.505","description":"Shop #food","creditAccount":{"id":"21","name":"Bank"},"debitAccount":{"id":"22","name":"Food"},"checked":true,"urls":["https://a"],"remoteIds":["f:1"],"files":[{"id":"31"}],"properties":{"entry_id":"e"},"createdBy":"ada","agentId":"app","createdAt":"5","updatedAt":"6","new":1}}
{"transaction":{"id":"42","draft":true}}
{"transaction":{"id":"43","date":"2026-03-15","amount":"1","creditAccount":{"id":"21"},"debitAccount":{"id":"22"},"trashed":true}}"##;

const END: &str = r#"{"end":{"groups":2,"accounts":2,"files":1,"transactions":3,"drafts":1,"amount":"42.505","lastEvent":{"sequence":57,"hash":"5f"}}}"#;

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
    let (items, summary) = read_all(&file(&[HEADER, CHART, TRANSACTIONS, END])).unwrap();
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
    let transaction = |fields: &str| {
        let line = format!("{{\"transaction\":{{\"id\":\"9\",{fields}}}}}");
        file(&[HEADER, CHART, &line, END])
    };
    for (text, expected) in [
        (file(&[HEADER, CHART, TRANSACTIONS]), "the export was cut short or changed"),
        (file(&[HEADER, CHART, END]), "line 8, column 1: the export was cut short or changed"),
        (file(&[CHART]), "line 1, column 1: the file is not an export of Daybook"),
        (String::new(), "the file is not an export of Daybook"),
        (
            file(&[HEADER, CHART, TRANSACTIONS, END, END]),
            "line 12, column 1: the file is not an \
                                                           export of Daybook",
        ),
        (
            HEADER.replace("\"version\":1", "\"version\":2"),
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
                HEADER,
                "{\"group\":{\"id\":\"1\",\"name\":\"a\"}}",
                "{\"group\":{\"id\":\"1\",\"name\":\"b\"}}",
            ]),
            "line 3, column 1: another line has the id \"1\"",
        ),
    ] {
        assert_eq!(read_all(&text).unwrap_err(), expected, "{text}");
    }
    let message = read_all(&file(&[HEADER, "{\"group\":{\"id\":"])).unwrap_err();
    assert!(message.starts_with("line 2, column 15: invalid JSON: EOF"), "{message}");
    let deep = file(&[HEADER, &format!("{{\"file\":{{\"x\":{}", "[".repeat(1_000))]);
    assert!(read_all(&deep).unwrap_err().contains("recursion limit"));
}
