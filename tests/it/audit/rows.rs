//! Changed rows that contradict only the event log (6.25).

use daybook_tests::RawSql;

use super::tampering::{Edit, Tampering, days_as_hex, owned, rows, set};

fn of_book(apply: &str, undo: &str) -> Edit {
    let statement = |set: &str| vec![format!("UPDATE books SET {set} WHERE id = {{book}}")];
    Edit { apply: statement(apply), undo: statement(undo) }
}

fn case(name: &'static str, edit: Edit, findings: &[[&str; 4]]) -> Tampering {
    let Edit { apply, undo } = edit;
    let findings = rows(findings);
    Tampering { name, apply, undo, findings, unverified: &[], flags: [true; 3] }
}

/// Changes the amount of the lunch and all totals derived from it.
fn raise_lunch_amount(raw_sql: &RawSql) -> Edit {
    let statements = |by: i64, units: u64| {
        let total = |account: &str, side: &str, days: String| {
            format!(
                "UPDATE month_totals SET {side} = {side} + ({by}), days = {} \
                 WHERE book_id = {{book}} AND account_id = {account} AND month = 202501",
                raw_sql.bytes(&days)
            )
        };
        vec![
            format!(
                "UPDATE transactions SET amount = amount + ({by}) \
                 WHERE book_id = {{book}} AND id = {{lunch}}"
            ),
            total("{food}", "debit_low", days_as_hex([(31, units, 0)])),
            total("{cash}", "credit_low", days_as_hex([(31, 0, units)])),
        ]
    };
    Edit { apply: statements(100, 1_100), undo: statements(-100, 1_000) }
}

pub fn of_rows(raw_sql: &RawSql) -> Vec<Tampering> {
    let lunch = |apply, undo| set("transactions", "id = {lunch}", apply, undo);
    let food = |apply, undo| set("accounts", "id = {food}", apply, undo);
    let mut cases = vec![
        case(
            "an amount with its totals",
            raise_lunch_amount(raw_sql),
            &[["row", "{lunch-id}", "amount 10.00", "amount 11.00"]],
        ),
        case(
            "a description",
            lunch("description = 'Lynch #food'", "description = 'Lunch #food'"),
            &[["row", "{lunch-id}", "description Lunch #food", "description Lynch #food"]],
        ),
        case(
            "a checked state",
            lunch("standing = 2", "standing = 1"),
            &[["row", "{lunch-id}", "checked none", "checked true"]],
        ),
        case(
            "the amount of a draft",
            set("transactions", "standing = 0", "amount = 500", "amount = NULL"),
            &[["row", "*", "amount none", "amount 5*"]],
        ),
        case(
            "a type",
            food("kind = 'ASSET'", "kind = 'OUTGOING'"),
            &[["row", "{food}", "type OUTGOING", "type ASSET"]],
        ),
        case(
            "an archived account",
            food("archived = NOT archived", "archived = NOT archived"),
            &[["row", "{food}", "archived none", "archived true"]],
        ),
        case(
            "a minimum balance",
            food("min_balance = '5.00'", "min_balance = NULL"),
            &[["row", "{food}", "minBalance none", "minBalance 5.00"]],
        ),
    ];
    cases.extend(of_the_chart());
    cases.extend(of_the_book());
    cases
}

fn of_the_chart() -> Vec<Tampering> {
    let swapped = |cash: &str, food: &str| {
        format!("name = CASE id WHEN {{cash}} THEN '{cash}' ELSE '{food}' END")
    };
    vec![
        case(
            "exchanged names",
            set(
                "accounts",
                "id IN ({cash}, {food})",
                &swapped("Food", "Cash"),
                &swapped("Cash", "Food"),
            ),
            &[
                ["row", "{cash}", "name Cash", "name Food"],
                ["row", "{food}", "name Food", "name Cash"],
            ],
        ),
        case(
            "a parent",
            set("account_groups", "id = {eating}", "parent_id = {other}", "parent_id = NULL"),
            &[["row", "{eating}", "parent none", "parent {other}"]],
        ),
        case(
            "a moved membership",
            set(
                "memberships",
                "account_id = {snacks}",
                "group_id = {other}",
                "group_id = {eating}",
            ),
            &[["row", "{snacks}", "groups {eating}", "groups {other}"]],
        ),
    ]
}

fn of_the_book() -> Vec<Tampering> {
    let zeros = format!("digest = '{}'", "0".repeat(64));
    // The digest of the single byte `A`.
    let digest = "digest = '559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd'";
    vec![
        case(
            "the scale",
            of_book("scale = 3", "scale = 2"),
            &[
                ["row", "{key}", "scale 2", "scale 3"],
                ["row", "*", "amount 10.00", "amount 1.00"],
                ["row", "*", "amount 500.00", "amount 50.00"],
                ["row", "*", "amount 1000.00", "amount 100.00"],
                ["row", "*", "amount 7.00", "amount 0.70"],
            ],
        ),
        case(
            "a closing date",
            of_book("closing_date = 20240101", "closing_date = NULL"),
            &[["row", "{key}", "closingDate none", "closingDate 2024-01-01"]],
        ),
        case(
            "a permission",
            set(
                "collaborators",
                "email = '{editor}'",
                "permission = 'OWNER'",
                "permission = 'EDITOR'",
            ),
            &[["row", "*", "permission EDITOR", "permission OWNER"]],
        ),
        case(
            "a collaborator without an event",
            Edit {
                apply: owned(&[
                    "INSERT INTO collaborators (book_id, id, email, permission, created_at, \
                     updated_at, version) SELECT book_id, id + 1, 'x@example.com', 'EDITOR', \
                     created_at + 1, updated_at, version FROM collaborators \
                     WHERE book_id = {book} AND email = '{editor}'",
                ]),
                undo: owned(&["DELETE FROM collaborators WHERE book_id = {book} \
                     AND email = 'x@example.com'"]),
            },
            &[["row", "*", "no row", "a row without an event"]],
        ),
        case(
            "the digest of a file",
            set("files", "size = 1", &zeros, digest),
            &[["row", "{file-id}", "sha256 559a*", "sha256 0000*"]],
        ),
    ]
}
