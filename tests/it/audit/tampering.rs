//! Direct changes to the rows of a book, with the findings that the audit must report.

use daybook_tests::{Cast, RawSql, Server, plain_event};
use serde_json::json;

use crate::reading::{events, id};

/// A direct change, its reverse, and the expected findings.
pub struct Tampering {
    pub name: &'static str,
    /// Statements, with placeholders such as `{book}` for ids.
    pub apply: Vec<String>,
    pub undo: Vec<String>,
    /// Kind, resource, expected and actual; `*` at the end matches any rest.
    pub findings: Vec<[String; 4]>,
    /// Accounts that lose `balanceVerified`.
    pub unverified: &'static [&'static str],
    /// balancesMatch, zeroSum, chainIntact.
    pub flags: [bool; 3],
}

/// Statements that change rows, and those that restore them.
pub struct Edit {
    pub apply: Vec<String>,
    pub undo: Vec<String>,
}

/// Sets columns of one row, and sets them back.
pub fn set(table: &str, row: &str, apply: &str, undo: &str) -> Edit {
    let statement =
        |set: &str| vec![format!("UPDATE {table} SET {set} WHERE book_id = {{book}} AND {row}")];
    Edit { apply: statement(apply), undo: statement(undo) }
}

/// A book with three postings, a draft, and a transaction in the trash.
pub struct AuditFixture {
    pub cast: Cast,
    numbers: Vec<(&'static str, String)>,
}

impl AuditFixture {
    pub fn new(server: &Server) -> AuditFixture {
        let cast = Cast::new(server);
        super::chart(&cast);
        let lunch = id(&cast.record("2025-01-31", "10", "Cash", "Food", "Lunch #food"));
        let rent = id(&cast.record("2025-02-01", "500", "Cash", "Rent", "Rent"));
        cast.record("2025-02-01", "1000", "Pay", "Cash", "Pay");
        cast.post(
            "/transactions",
            &json!({"description": "A draft", "creditAccount": {"name": "Cash"}}),
        )
        .ok();
        let trashed = id(&cast.record("2025-02-02", "7", "Cash", "Food", "Trashed"));
        cast.patch("/transactions/trash", &json!({"id": trashed})).ok();
        let other = id(&cast.post("/groups", &json!({"name": "Other"})).ok());
        let eating = id(&cast.post("/groups", &json!({"name": "Eating"})).ok());
        let snacks = json!({"name": "Snacks", "type": "OUTGOING", "groups": [{"name": "Eating"}]});
        let snacks = id(&cast.post("/accounts", &snacks).ok());
        let file = json!({"name": "a.txt", "contentType": "text/plain", "content": "QQ=="});
        let file = id(&cast.post("/files", &file).ok());
        let number =
            |hex: &str| i64::from_str_radix(hex, 16).expect("the id of a transaction").to_string();
        let account = |name: &str| id(&cast.read(&format!("/accounts/{name}")));
        let numbers = vec![
            ("{book}", format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book)),
            ("{lunch}", number(&lunch)),
            ("{lunch-id}", lunch),
            ("{rent}", number(&rent)),
            ("{cash}", account("Cash")),
            ("{food}", account("Food")),
            ("{key}", cast.book.clone()),
            ("{other}", other),
            ("{eating}", eating),
            ("{snacks}", snacks),
            ("{file-id}", file),
            ("{editor}", cast.editor.email().to_owned()),
        ];
        AuditFixture { cast, numbers }
    }

    pub fn fill(&self, text: &str) -> String {
        self.numbers.iter().fold(text.to_owned(), |text, (name, number)| text.replace(name, number))
    }
}

pub fn owned(statements: &[&str]) -> Vec<String> {
    statements.iter().map(|statement| (*statement).to_owned()).collect()
}

pub fn rows(findings: &[[&str; 4]]) -> Vec<[String; 4]> {
    findings.iter().map(|finding| finding.map(str::to_owned)).collect()
}

/// Adds to a column of some rows, and subtracts it again.
fn shift(table: &str, row: &str, column: &str, by: i64) -> Edit {
    let statement = |by: i64| {
        vec![format!(
            "UPDATE {table} SET {column} = {column} + ({by}) WHERE book_id = {{book}} AND {row}"
        )]
    };
    Edit { apply: statement(by), undo: statement(-by) }
}

/// Moves rows out of the book, and moves them back.
fn removal(table: &str, row: &str) -> Edit {
    let apply =
        format!("UPDATE {table} SET book_id = -(book_id) WHERE book_id = {{book}} AND {row}");
    let undo =
        format!("UPDATE {table} SET book_id = -(book_id) WHERE book_id = -{{book}} AND {row}");
    Edit { apply: vec![apply], undo: vec![undo] }
}

/// Encodes the day sums of a month (day, debit, credit) as hex (`storage/balance/day_sums.rs`).
pub fn days_as_hex(days: impl IntoIterator<Item = (u8, u64, u64)>) -> String {
    let mut stored = vec![2];
    for (day, debit, credit) in days {
        let sides = [(debit, 32), (credit, 64)].into_iter().filter(|(sum, _)| *sum != 0);
        stored.push(sides.clone().fold(day, |head, (_, flag)| head | flag));
        for (sum, _) in sides {
            // A positive zigzag varint.
            let mut left = sum << 1;
            while left > 0x7f {
                stored.push(left.to_le_bytes()[0] | 0x80);
                left >>= 7;
            }
            stored.push(left.to_le_bytes()[0]);
        }
    }
    stored.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Replaces the day sums of Food in January.
fn days_of_food(raw_sql: &RawSql, stored: &str) -> Edit {
    let statement = |days: &str| {
        vec![format!(
            "UPDATE month_totals SET days = {} \
             WHERE book_id = {{book}} AND account_id = {{food}} AND month = 202501",
            raw_sql.bytes(days)
        )]
    };
    Edit { apply: statement(stored), undo: statement(&days_as_hex([(31, 1_000, 0)])) }
}

pub fn of_balances(raw_sql: &RawSql) -> Vec<Tampering> {
    let case = |name, edit: Edit, findings: &[[&str; 4]], unverified, zero_sum| Tampering {
        name,
        apply: edit.apply,
        undo: edit.undo,
        findings: rows(findings),
        unverified,
        flags: [false, zero_sum, true],
    };
    vec![
        case(
            "an amount",
            shift("transactions", "id = {lunch}", "amount", 100),
            &[
                ["balance", "{cash}", "-489.00", "-490.00"],
                ["balance", "{food}", "-11.00", "-10.00"],
                ["row", "{lunch-id}", "amount 10.00", "amount 11.00"],
                ["monthTotal", "{cash}", "debit 0.00, credit 11.00", "debit 0.00, credit 10.00"],
                ["monthTotal", "{food}", "debit 11.00, credit 0.00", "debit 10.00, credit 0.00"],
                ["dayTotal", "{cash}", "debit 0.00, credit 11.00", "debit 0.00, credit 10.00"],
                ["dayTotal", "{food}", "debit 11.00, credit 0.00", "debit 10.00, credit 0.00"],
            ],
            &["Cash", "Food"],
            true,
        ),
        case(
            "the total of a day",
            days_of_food(raw_sql, &days_as_hex([(31, 1_001, 0)])),
            &[["dayTotal", "{food}", "debit 10.00, credit 0.00", "debit 10.01, credit 0.00"]],
            &["Food"],
            true,
        ),
        case(
            "the total of a month",
            shift("month_totals", "account_id = {food} AND month = 202501", "debit_high", 1),
            &[
                ["balance", "{food}", "-10.00", "-42949682.96"],
                ["zeroSum", "{key}", "0.00", "-42949672.96"],
                [
                    "monthTotal",
                    "{food}",
                    "debit 10.00, credit 0.00",
                    "debit 42949682.96, credit 0.00",
                ],
            ],
            &["Food"],
            false,
        ),
        case(
            "the month of a total",
            shift("month_totals", "account_id = {food} AND month IN (202501, 202513)", "month", 12),
            &[
                ["monthTotal", "{food}", "debit 10.00, credit 0.00", "debit 0.00, credit 0.00"],
                ["monthTotal", "{food}", "debit 0.00, credit 0.00", "debit 10.00, credit 0.00"],
                ["dayTotal", "{food}", "debit 10.00, credit 0.00", "debit 0.00, credit 0.00"],
                ["dayTotal", "{food}", "debit 0.00, credit 0.00", "debit 10.00, credit 0.00"],
            ],
            &["Food"],
            true,
        ),
        case(
            "a missing transaction",
            removal("transactions", "id = {rent}"),
            &[
                ["balance", "{cash}", "-990.00", "-490.00"],
                ["balance", "*", "0.00", "-500.00"],
                ["row", "*", "a row", "none"],
                ["monthTotal", "*", "*", "*"],
                ["monthTotal", "*", "*", "*"],
                ["dayTotal", "*", "*", "*"],
                ["dayTotal", "*", "*", "*"],
                ["count", "{key}", "2", "3"],
                ["count", "{key}", "posted 1, trashed 1", "posted 2, trashed 1"],
                ["stored", "{key}", "4 transactions, *", "5 transactions, *"],
            ],
            &["Cash", "Rent"],
            true,
        ),
        case(
            "a posting without a side",
            Edit {
                apply: owned(&["UPDATE transactions SET debit_account_id = NULL \
                    WHERE book_id = {book} AND id = {lunch}"]),
                undo: owned(&[
                    "UPDATE transactions SET debit_account_id = {food} WHERE book_id = {book} \
                    AND id = {lunch}",
                ]),
            },
            &[
                ["balance", "{food}", "0.00", "-10.00"],
                ["zeroSum", "{key}", "0.00", "10.00"],
                ["row", "{lunch-id}", "debitAccount {food}", "debitAccount none"],
                ["transaction", "{lunch-id}", "*", "posted without debitAccount"],
                ["monthTotal", "{food}", "*", "*"],
                ["dayTotal", "{food}", "*", "*"],
            ],
            &["Cash", "Food"],
            false,
        ),
        case(
            "a day stored twice",
            days_of_food(raw_sql, &days_as_hex([(31, 1, 0), (31, 1_000, 0)])),
            &[["dayTotal", "{food}", "debit 10.00, credit 0.00", "debit 10.01, credit 0.00"]],
            &["Food"],
            true,
        ),
        case(
            "an invalid day",
            days_of_food(raw_sql, &days_as_hex([(0, 1_000, 0)])),
            &[
                ["dayTotal", "{food}", "debit 0.00, credit 0.00", "debit 0.01, credit 0.00"],
                ["dayTotal", "{food}", "debit 10.00, credit 0.00", "debit 0.00, credit 0.00"],
            ],
            &["Food"],
            true,
        ),
        case(
            "unreadable days",
            days_of_food(raw_sql, "09"),
            &[
                ["dayTotal", "{food}", "debit 0.00, credit 0.00", "debit 0.01, credit 0.00"],
                ["dayTotal", "{food}", "debit 10.00, credit 0.00", "debit 0.00, credit 0.00"],
            ],
            &["Food"],
            true,
        ),
    ]
}

pub fn of_the_rest() -> Vec<Tampering> {
    let case = |name, edit: Edit, findings: &[[&str; 4]]| Tampering {
        name,
        apply: edit.apply,
        undo: edit.undo,
        findings: rows(findings),
        unverified: &[],
        flags: [true, true, true],
    };
    vec![
        case(
            "the count of postings",
            shift("book_state", "posted > 0", "posted", 1),
            &[["count", "{key}", "3", "4"]],
        ),
        case(
            "the storage usage",
            shift("book_state", "posted > 0", "stored_bytes", 7),
            &[["stored", "{key}", "5 transactions, *", "5 transactions, *"]],
        ),
        case(
            "the count of a month",
            shift("month_counts", "month = 202501", "trashed", 1),
            &[["count", "{key}", "posted 1, trashed 0", "posted 1, trashed 1"]],
        ),
        case(
            "the month of a count",
            shift("month_counts", "month IN (202502, 202514)", "month", 12),
            &[
                ["count", "{key}", "posted 2, trashed 1", "posted 0, trashed 0"],
                ["count", "{key}", "posted 0, trashed 0", "posted 2, trashed 1"],
            ],
        ),
        case(
            "the flag of a posting",
            set(
                "accounts",
                "id = {food}",
                "has_transaction_posted = NOT has_transaction_posted",
                "has_transaction_posted = NOT has_transaction_posted",
            ),
            &[["hasTransactionPosted", "{food}", "true", "false"]],
        ),
        case(
            "the searchable text",
            set(
                "transactions",
                "id = {lunch}",
                "folded_description = 'dinner'",
                "folded_description = ''",
            ),
            &[["index", "{lunch-id}", "*", "*"]],
        ),
        case(
            "a missing index term",
            removal("index_terms", "transaction_id = {lunch}"),
            &[["index", "{lunch-id}", "*", "*"]],
        ),
        case(
            "an extra index term",
            Edit {
                apply: owned(&[
                    "INSERT INTO index_terms (book_id, term, day, transaction_id) SELECT book_id, \
                    'tdrink', day, id FROM transactions WHERE book_id = {book} AND id = {lunch}",
                ]),
                undo: owned(&[
                    "DELETE FROM index_terms WHERE book_id = {book} AND term = 'tdrink'",
                ]),
            },
            // The tag of the lunch and the terms of the draft and of the trash.
            &[["index", "{key}", "3", "4"]],
        ),
    ]
}

pub fn of_the_log(fixture: &AuditFixture, raw_sql: &mut RawSql) -> Vec<Tampering> {
    let log = events(&fixture.cast);
    let hash = |number: usize| log[number - 1]["hash"].as_str().expect("8.15: a hash").to_owned();
    let event = |number: usize| id(&log[number - 1]);
    let case = |name, edit: Edit, findings| Tampering {
        name,
        apply: edit.apply,
        undo: edit.undo,
        findings,
        unverified: &[],
        flags: [true, true, false],
    };
    let lunch = log
        .iter()
        .position(|event| event["data"]["object"]["transaction"]["description"] == "Lunch #food")
        .expect("its event")
        + 1;
    let number = i64::try_from(lunch).expect("few events");
    let original = raw_sql.event_data(&fixture.cast.book).remove(&number).expect("its row");
    let changed = plain_event(&original).replace("10.00", "99.00");
    let raw_sql = &*raw_sql;
    let exchange = |a: usize, b: usize| {
        let set = |number: usize, hash: &str| {
            format!(
                "UPDATE events SET hash = {} WHERE book_id = {{book}} AND sequence = {number}",
                raw_sql.bytes(hash)
            )
        };
        Edit {
            apply: vec![set(a, &hash(b)), set(b, &hash(a))],
            undo: vec![set(a, &hash(a)), set(b, &hash(b))],
        }
    };
    let set_data = |data: &[u8]| {
        let data = raw_sql.literal(data);
        format!("UPDATE events SET data = {data} WHERE book_id = {{book}} AND sequence = {number}")
    };
    let forged = |number: usize| ["event".to_owned(), event(number), "*".to_owned(), hash(number)];
    let any = |number: usize| ["event".to_owned(), event(number), "*".to_owned(), "*".to_owned()];
    let missing = |number: usize, expected: &str| {
        ["eventMissing".to_owned(), event(number), expected.to_owned(), "none".to_owned()]
    };
    // An account without an event.
    let without_event = || ["row", "*", "no row", "a row without an event"].map(str::to_owned);
    let fewer = || ["stored", "{key}", "5 transactions, *", "*"].map(str::to_owned);
    vec![
        case(
            "the data of an event",
            Edit { apply: vec![set_data(changed.as_bytes())], undo: vec![set_data(&original)] },
            vec![
                forged(lunch),
                ["row", "{lunch-id}", "amount 99.00", "amount 10.00"].map(str::to_owned),
                fewer(),
            ],
        ),
        case(
            "the time of an event",
            shift("events", "sequence = 4", "created_at", 1),
            vec![forged(4)],
        ),
        case(
            "the user of an event",
            shift("events", "sequence = 5", "user_id", 1),
            vec![forged(5)],
        ),
        case("an unknown kind", shift("events", "sequence = 5", "kind", 1000), vec![any(5)]),
        case("swapped hashes", exchange(3, 6), [3, 4, 6, 7].map(any).to_vec()),
        case(
            "a missing event",
            removal("events", "sequence = 4"),
            vec![missing(4, "event 4"), without_event(), fewer()],
        ),
        case(
            "missing events",
            removal("events", "sequence IN (1, 2, 3)"),
            vec![missing(1, "events 1 to 3"), without_event(), without_event(), fewer()],
        ),
    ]
}
