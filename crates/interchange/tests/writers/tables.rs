//! JSON lines, CSV and XLSX.

use std::collections::HashSet;
use std::io::{Cursor, Read as _};

use daybook_domain::amount::{Amount, DecimalSeparator};
use daybook_domain::event::Hash;
use daybook_domain::id::{AccountId, FileId};
use daybook_domain::property::Properties;
use daybook_domain::transaction::{Standing, Transaction};
use daybook_interchange::write::{Error, Format, MAX_ROWS};
use serde_json::{Value, json};
use zip::ZipArchive;

use crate::book::{Fixture, day, file, transaction};

/// Returns the kind and the content of each line.
fn lines(fixture: &Fixture) -> Vec<(String, Value)> {
    let text = String::from_utf8(fixture.write(Format::Jsonl)).unwrap();
    assert!(text.ends_with('\n'));
    let line = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        let (kind, content) = object.as_object().unwrap().iter().next().unwrap();
        assert_eq!(object.as_object().unwrap().len(), 1, "{line}");
        (kind.clone(), content.clone())
    };
    text.lines().map(line).collect()
}

#[test]
fn lines_have_all_fields() {
    let mut fixture = Fixture::empty(Some("EUR"), 2);
    fixture.files.push(file(31, "receipt.pdf"));
    let pair = ("entry_id".to_owned(), "e \"1\"".to_owned());
    fixture.transactions.push(Transaction {
        amount: Amount::from_units(42_505, 3),
        description: "Corner \"Shop\"\n#food".to_owned(),
        credit: Some(AccountId::new(201)),
        debit: Some(AccountId::new(207)),
        standing: Standing::Checked,
        properties: Properties::stored([pair].into()),
        urls: vec!["https://a.example".to_owned()],
        remote_ids: vec!["bank:1".to_owned()],
        files: vec![FileId::new(31)],
        ..transaction(41, day("2026-03-14"))
    });
    let draft = Transaction {
        date: None,
        amount: None,
        standing: Standing::Draft,
        ..transaction(42, day("2026-03-15"))
    };
    fixture.transactions.push(draft);
    let lines = lines(&fixture);
    let find = |kind: &str| &lines.iter().find(|(found, _)| found == kind).unwrap().1;
    let at = "1793466309007";
    assert_eq!(
        find("daybook"),
        &json!({
            "version": 1, "exportedAt": at, "scale": 3,
            "book": {
                "id": "0192f5c0a1b27c3d8e4f5a6b7c8d9e0f", "name": "Müller & \"Sons\"",
                "visibility": "PRIVATE", "autoPost": true, "datePattern": "dd/MM/yyyy",
                "decimalSeparator": "DOT", "fractionDigits": 2, "pageSize": 100,
                "period": "MONTH", "periodStartMonth": "JANUARY", "timeZone": "UTC",
                "properties": {"currency": "EUR"}, "createdAt": at, "updatedAt": at,
            },
        })
    );
    assert_eq!(
        find("account"),
        &json!({
            "id": "201", "name": "Bank", "type": "ASSET",
            "groups": [{"id": "102", "name": "Cash & bank"}], "createdAt": at, "updatedAt": at,
        })
    );
    assert_eq!(
        find("file"),
        &json!({
            "id": "000000000000001f", "name": "receipt.pdf", "contentType": "application/pdf",
            "size": 7, "sha256": "0a".repeat(32), "createdBy": "ada",
            "createdAt": at, "updatedAt": at,
        })
    );
    assert_eq!(
        find("transaction"),
        &json!({
            "id": "0000000000000029", "date": "2026-03-14", "amount": "42.505",
            "description": "Corner \"Shop\"\n#food",
            "creditAccount": {"id": "201", "name": "Bank"},
            "debitAccount": {"id": "207", "name": "Expenses:Food:Groceries"},
            "checked": true, "urls": ["https://a.example"], "remoteIds": ["bank:1"],
            "files": [{"id": "000000000000001f"}], "properties": {"entry_id": "e \"1\""},
            "createdBy": "ada", "createdAt": at, "updatedAt": at,
        })
    );
    let draft = &lines[lines.len() - 2].1;
    let expected = json!({
        "id": "000000000000002a", "description": "", "draft": true,
        "createdBy": "ada", "createdAt": at, "updatedAt": at,
    });
    assert_eq!(draft, &expected);
    let (last, end) = lines.last().unwrap();
    let expected = json!({
        "groups": 7, "accounts": 14, "files": 1, "transactions": 2, "drafts": 1,
        "amount": "42.505", "lastEvent": {"sequence": 57, "hash": Hash::of(b"57").to_string()},
    });
    assert_eq!((last.as_str(), end), ("end", &expected));
}

#[test]
fn lines_name_what_precedes_them() {
    let lines = lines(&Fixture::random(8, Some("EUR"), 2));
    let mut known: HashSet<(String, String)> = HashSet::new();
    let id = |value: &Value| value["id"].as_str().unwrap_or_default().to_owned();
    for (kind, content) in &lines {
        let mut named: Vec<(&str, &Value)> = Vec::new();
        for (name, list) in [("group", "groups"), ("file", "files")] {
            let items = content[list].as_array().into_iter().flatten();
            named.extend(items.map(|one| (name, one)));
        }
        for (name, field) in
            [("group", "parent"), ("account", "creditAccount"), ("account", "debitAccount")]
        {
            named.extend(content.get(field).map(|one| (name, one)));
        }
        for (name, value) in named {
            assert!(known.contains(&(name.to_owned(), id(value))), "{kind}: {name} {value}");
        }
        known.insert((kind.clone(), id(content)));
    }
    assert!(known.len() > 300);
}

#[test]
fn csv_has_the_texts_and_the_separators_of_the_book() {
    let mut fixture = Fixture::random(9, Some("EUR"), 2);
    fixture.transactions[0].description = "=HYPERLINK(\"x\")\r\n;,".to_owned();
    fixture.transactions[0].amount = Amount::from_units(1_234_500, 3);
    let excel = |separator| Format::Csv { excel: Some(separator) };
    for (format, delimiter, mark, amount) in [
        (Format::Csv { excel: None }, b',', "", "1234.50"),
        (excel(DecimalSeparator::Dot), b',', "\u{feff}", "1234.50"),
        (excel(DecimalSeparator::Comma), b';', "\u{feff}", "1234,50"),
    ] {
        let text = String::from_utf8(fixture.write(format)).unwrap();
        let text = text.strip_prefix(mark).unwrap();
        assert!(text.starts_with("id"), "{format:?}");
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
        let column = |name: &str, headers: &csv::StringRecord| {
            headers.iter().position(|header| header == name).unwrap()
        };
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let (end, rows) = rows.split_last().unwrap();
        let count = fixture.transactions.len();
        assert_eq!((&end[0], &end[1]), ("end", format!("Rows: {count}").as_str()));
        assert_eq!(rows.len(), count);
        assert_eq!(&rows[0][column("description", &headers)], "=HYPERLINK(\"x\")\r\n;,");
        assert_eq!(&rows[0][column("amount", &headers)], amount);
        for (row, one) in rows.iter().zip(&fixture.transactions) {
            assert_eq!(row[0], one.id.to_string());
            let properties = &row[column("properties", &headers)];
            if let Ok(Value::Object(read)) = serde_json::from_str(properties) {
                assert_eq!(read.len(), one.properties.iter().count());
            } else {
                assert!(one.properties.is_empty() && properties.is_empty());
            }
        }
    }
}

#[test]
fn spreadsheet_sums_the_posted_amounts_of_each_month() {
    let fixture = Fixture::random(10, Some("EUR"), 2);
    let mut workbook = ZipArchive::new(Cursor::new(fixture.write(Format::Xlsx))).unwrap();
    let mut sheet = String::new();
    workbook.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut sheet).unwrap();
    let mut strings = String::new();
    workbook.by_name("xl/sharedStrings.xml").unwrap().read_to_string(&mut strings).unwrap();
    assert!(strings.contains("drafts and trashed transactions are not summed"), "{strings}");
    assert!(strings.contains("<t>=1+1</t>") && sheet.contains("<pane "), "{strings}");
    assert_eq!(sheet.matches("outlineLevel=\"1\"").count(), fixture.transactions.len());
    let formulas: Vec<&str> = sheet.split("<f>SUBTOTAL(9,").skip(1).collect();
    let mut months: Vec<((i32, u8), i128)> = Vec::new();
    for one in &fixture.transactions {
        let month = (one.list_day.year(), u8::from(one.list_day.month()));
        if months.last().is_none_or(|(last, _)| *last != month) {
            months.push((month, 0));
        }
        let units = one.amount.and_then(|amount| amount.units(3)).map_or(0, i128::from);
        months.last_mut().unwrap().1 += if one.counts() { units } else { 0 };
    }
    assert_eq!(formulas.len(), months.len());
    assert_eq!(sheet.matches("<f>").count(), months.len(), "texts are not formulas");
    for (formula, (month, sum)) in formulas.into_iter().zip(months) {
        let value = formula.split("<v>").nth(1).unwrap().split("</v>").next().unwrap();
        assert_eq!(fixture.units(value), sum, "{month:?}");
    }
}

#[test]
fn spreadsheet_with_too_many_rows_is_refused() {
    let mut fixture = Fixture::empty(Some("EUR"), 2);
    fixture.transactions = vec![transaction(1, day("2026-03-14")); MAX_ROWS + 1];
    let refused = fixture.try_write(Format::Xlsx);
    assert!(matches!(refused, Err(Error::TooManyRows)), "{:?}", refused.err());
}
