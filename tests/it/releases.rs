//! The size of a deletion is limited (10.11): the affected rows are counted before any is loaded.

use daybook_domain::account::{AccountRef, AccountType};
use daybook_domain::field::Field;
use daybook_domain::file::{self as files, Content};
use daybook_domain::instant::Instant;
use daybook_domain::transaction::Changes;
use daybook_service::{Error, account, file};
use daybook_tests::Engine;

use crate::Case;
use crate::inside::{Inside, side};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_10_11_deletions_are_counted_first,
        rule_10_11_deletions_read_so_many_texts_at_most
    ]
}

/// The most rows that a deletion may change (10.11).
const MOST: usize = 10_000;

/// A book with a draft on the account Cash that references a file.
fn fixture(engine: Engine) -> (Inside, String) {
    let inside = Inside::new(
        engine,
        Instant::new(1_763_000_000_000),
        daybook_domain::book::Changes::default(),
    );
    inside.chart(&[], &[("Cash", AccountType::Asset, &[])]);
    let named = files::Changes { name: Some("a.txt".to_owned()), ..files::Changes::default() };
    let content = Content { blob: "b".to_owned(), size: 0, digest: "d".to_owned() };
    let made = inside
        .write(move |tx, cx, book| file::create(tx, cx, book, named, content))
        .expect("a file")
        .file;
    let attached = vec![files::Attachment::File(made.id)];
    inside.record(vec![Changes {
        credit: side("Cash"),
        description: Field::Set("x".to_owned()),
        files: Some(attached),
        ..Changes::default()
    }]);
    (inside, made.id.to_string())
}

fn rule_10_11_deletions_are_counted_first(engine: Engine) {
    let (inside, held) = fixture(engine);
    let delete_account = || {
        inside.write(|tx, cx, book| {
            account::delete(tx, cx, book, &[AccountRef::id_or_name("Cash")]).map(drop)
        })
    };
    let delete_file = || {
        let held = held.clone();
        inside.write(move |tx, cx, book| file::delete(tx, cx, book, &held).map(drop))
    };
    // Add as many rows as are allowed, directly.
    let numbers =
        format!("WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {MOST})");
    let columns = "day, dated, standing, trashed, amount, credit_account_id, debit_account_id, \
        description, folded_description, created_by, created_at, updated_at, version, files";
    inside.execute(&[
        &format!(
            "INSERT INTO transactions (book_id, id, {columns}) {numbers} \
             SELECT book_id, n.n, {columns} FROM transactions CROSS JOIN n"
        ),
        &format!(
            "INSERT INTO index_terms (book_id, term, day, transaction_id) {numbers} \
             SELECT m.book_id, m.term, m.day, n.n FROM index_terms m CROSS JOIN n \
             WHERE m.term LIKE 'f%'"
        ),
    ]);
    let refused = |outcome: Result<(), Error>| outcome.expect_err("too much").to_string();
    assert!(refused(delete_account()).contains("sides of drafts"));
    assert!(refused(delete_file()).contains(
        "the file is attached to more than 10000 transactions, or they have more than 67108864 \
         bytes of texts: remove it from some of them first"
    ));
    inside.execute(&[
        "DELETE FROM transactions WHERE id = 1",
        "DELETE FROM index_terms WHERE transaction_id = 1",
    ]);
    delete_file().expect("one fewer");
    delete_account().expect("one fewer");
}

fn rule_10_11_deletions_read_so_many_texts_at_most(engine: Engine) {
    let (inside, held) = fixture(engine);
    let urls: Vec<String> =
        (0..64).map(|number| format!("https://x/{number:02}{}", "u".repeat(2_000))).collect();
    let file = || files::Attachment::Given { id: Some(held.clone()), new: None };
    let draft = |_| Changes {
        credit: side("Cash"),
        description: Field::Set("x".to_owned()),
        files: Some(vec![file()]),
        urls: Some(urls.clone()),
        ..Changes::default()
    };
    let mut drafts = Vec::new();
    // 128 KB each.
    for _ in 0..5 {
        drafts.extend(inside.record((0..108).map(draft).collect()));
    }
    let delete_account = || {
        inside
            .write(|tx, cx, book| account::delete(tx, cx, book, &[AccountRef::id_or_name("Cash")]))
    };
    let delete_file = || {
        let held = held.clone();
        inside.write(move |tx, cx, book| file::delete(tx, cx, book, &held))
    };
    let advice = "67108864 bytes of texts";
    let refused = delete_account().expect_err("too much").to_string();
    assert!(refused.contains(advice), "{refused}");
    let refused = delete_file().expect_err("too much").to_string();
    assert!(refused.contains(advice), "{refused}");
    let shorter: Vec<String> = drafts.iter().take(300).map(|id| id.get().to_string()).collect();
    inside.execute(&[&format!(
        "UPDATE transactions SET urls = NULL WHERE id IN ({})",
        shorter.join(", ")
    )]);
    delete_account().expect("half of it");
    delete_file().expect("half of it");
}
