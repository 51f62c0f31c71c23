//! The query language in lists (section 1): operators, boolean logic, quotes, and arbitrary text.
//! Each row of a table is a query and a predicate for the transactions it must find.

use daybook_tests::{Cast, Server};
use serde_json::{Value, json};

use crate::reading::{Faults, batch, find, id, ids, items, search, sorted_labels};

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Draft,
    Unchecked,
    Checked,
}

use State::{Checked, Draft, Unchecked};

/// A transaction of the fixture; its label is the first word of the description.
#[derive(Debug)]
struct Row {
    label: &'static str,
    date: &'static str,
    cents: i64,
    credit: &'static str,
    debit: &'static str,
    text: &'static str,
    state: State,
    trashed: bool,
}

const fn row(
    label: &'static str,
    date: &'static str,
    cents: i64,
    credit: &'static str,
    debit: &'static str,
    text: &'static str,
    state: State,
) -> Row {
    Row { label, date, cents, credit, debit, text, state, trashed: false }
}

const fn trashed(row: Row) -> Row {
    Row { trashed: true, ..row }
}

const ROWS: [Row; 17] = [
    row("t01", "2024-12-31", 10_000, "Salary", "Bank", "december pay #income", Unchecked),
    row("t02", "2025-01-01", 25_000, "Salary", "Bank", "January PAY #Income #bonus", Checked),
    row("t03", "2025-01-10", 500, "Cash", "Food", "lunch at Café #food", Unchecked),
    row("t04", "2025-01-10", 4_550, "Credit Card", "Food", "dinner #food #out", Unchecked),
    row("t05", "2025-01-20", 6_000, "Bank", "Cash", "withdrawal 10:30", Checked),
    row(
        "t06",
        "2025-01-31",
        100_000,
        "Bank",
        "Credit Card",
        "card bill http://example.com/x",
        Unchecked,
    ),
    row("t07", "2025-02-01", 123_456, "Cash", "Café Über", "Ärger, naïve (so so)", Unchecked),
    row("t08", "2025-02-15", 500_000, "Bank", "Food", "#fuel fuel-station", Draft),
    row("t09", "", 1_200, "Cash", "Food", "dateless and #food", Draft),
    row("t10", "2025-03-01", 0, "Cash", "", "amountless bill of the card", Draft),
    row("t11", "2025-03-05", 7_700, "Cash", "Old", "archived", Unchecked),
    trashed(row("t12", "2025-01-15", 3_000, "Cash", "Food", "thrown #food", Unchecked)),
    trashed(row("t13", "2025-01-16", 4_000, "Bank", "Food", "thrown checked", Checked)),
    row(
        "t14",
        "2025-03-06",
        100,
        "Owner's Equity",
        "Bank",
        "it's \"quoted\" back\\slash",
        Unchecked,
    ),
    row(
        "t15",
        "2025-03-07",
        200,
        "Owner's Equity",
        "Bank",
        "100% sure_thing *star? [x]",
        Unchecked,
    ),
    trashed(row("t16", "2025-03-08", 300, "Cash", "Food", "thrown draft", Draft)),
    row("t17", "", 0, "", "", "nothing at all", Draft),
];

impl Row {
    fn touches(&self, account: &str) -> bool {
        self.credit == account || self.debit == account
    }

    fn says(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    /// Whether it has a state. Posted includes trashed postings.
    fn is(&self, state: State) -> bool {
        !self.trashed && self.state == state
    }

    fn body(&self) -> Value {
        let side = |name: &str| if name.is_empty() { Value::Null } else { json!({"name": name}) };
        let mut body = json!({
            "date": self.date,
            "amount": format!("{}.{:02}", self.cents / 100, self.cents % 100),
            "creditAccount": side(self.credit),
            "debitAccount": side(self.debit),
            "description": format!("{} {}", self.label, self.text),
            "draft": self.state == Draft,
            "checked": self.state == Checked,
        });
        match self.label {
            "t04" => body["properties"] = json!({"invoice_number": "INV-2024-001", "paid": "yes"}),
            "t05" => {
                body["properties"] = json!({"invoice_number": "INV-2024-002", "payee": "John Doe"})
            }
            "t06" | "t12" => body["remoteIds"] = json!(["abc", "ABC-2 x"]),
            _ => {}
        }
        body
    }
}

/// A book with the fixture: Assets contains Bank and the group Liquid, which contains Cash; Costs
/// is hidden and contains Food.
fn fixture(server: &Server) -> Cast {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.group_under("Liquid", "Assets");
    let costs = cast.group("Costs");
    cast.put("/groups", &json!({"id": costs["id"], "hidden": true})).ok();
    cast.group("Nothing In It");
    cast.account_in("Cash", "ASSET", &["Liquid"]);
    cast.account_in("Bank", "ASSET", &["Assets"]);
    cast.account("Credit Card", "LIABILITY");
    cast.account("Salary", "INCOMING");
    cast.account_in("Food", "OUTGOING", &["Costs"]);
    for name in ["Café Über", "Old"] {
        cast.account(name, "OUTGOING");
    }
    cast.account("Owner's Equity", "LIABILITY");
    // t06 and t12 have one remote id: t12 is trashed before t06 is created (3.7.1).
    let (thrown, stored): (Vec<&Row>, Vec<&Row>) = ROWS.iter().partition(|row| row.trashed);
    let made = cast.post("/transactions/batch", &batch(thrown.iter().map(|row| row.body()))).ok();
    let only_ids = items(&made).iter().map(|made| json!({"id": made["id"]}));
    cast.patch("/transactions/trash/batch?trashChecked=true", &batch(only_ids)).no_content();
    let made = cast.post("/transactions/batch", &batch(stored.iter().map(|row| row.body()))).ok();
    for (row, made) in stored.iter().zip(items(&made)) {
        assert_eq!(made["posted"], json!(row.state != Draft), "{row:?}");
    }
    let old = cast.get("/accounts/old").ok();
    cast.put("/accounts", &json!({"id": old["id"], "archived": true})).ok();
    cast
}

type Finds = fn(&Row) -> bool;

/// Runs the queries; trashed transactions are left out unless `with_trash` (1.2.2).
fn check(cast: &Cast, with_trash: bool, table: &[(&str, Finds)]) {
    let mut faults = Faults::default();
    for (query, finds) in table {
        let answer = search(&cast.owner, cast, query);
        let wanted: Vec<&str> = ROWS
            .iter()
            .filter(|row| (with_trash || !row.trashed) && finds(row))
            .map(|row| row.label)
            .collect();
        if answer.status == 200 {
            faults.same(&format!("`{query}`"), sorted_labels(&answer.body), wanted);
        } else {
            faults.add(format!("1.1.10: `{query}`: {} {}", answer.status, answer.text));
        }
    }
    faults.none();
}

fn rule_1_2_accounts(server: &Server) {
    let table: &[(&str, Finds)] = &[
        ("", |_| true),
        ("account:Cash", |row| row.touches("Cash")),
        ("account:'Credit Card'", |row| row.touches("Credit Card")),
        ("account:credit_card", |row| row.touches("Credit Card")),
        ("account:'cafe uber'", |row| row.touches("Café Über")),
        ("account:Old", |row| row.touches("Old")),
        ("account:Unknown", |_| false),
        ("from:Cash", |row| row.credit == "Cash"),
        ("to:Cash", |row| row.debit == "Cash"),
        ("from:Bank to:Cash", |row| row.credit == "Bank" && row.debit == "Cash"),
        ("from:Unknown", |_| false),
        // 1.2.3: a transfer between them.
        ("account:Cash account:Bank", |row| row.touches("Cash") && row.touches("Bank")),
        ("group:Liquid", |row| row.touches("Cash")),
        ("group:Assets", |row| row.touches("Cash") || row.touches("Bank")),
        ("group:Costs", |row| row.touches("Food")),
        ("group:'Nothing In It'", |_| false),
        ("group:Unknown", |_| false),
        ("account:Assets", |_| false),
    ];
    let cast = fixture(server);
    check(&cast, false, table);
    // 1.2.9: ids are accepted, too.
    let cash = cast.get("/accounts/cash").ok();
    let assets = cast.get("/groups/assets").ok();
    assert_eq!(
        ids(&find(&cast, &format!("account:{}", id(&cash)))),
        ids(&find(&cast, "account:Cash"))
    );
    assert_eq!(ids(&find(&cast, &format!("from:'{}'", id(&cash)))), ids(&find(&cast, "from:Cash")));
    assert_eq!(
        ids(&find(&cast, &format!("group:{}", id(&assets)))),
        ids(&find(&cast, "group:Assets"))
    );
}

fn rule_1_2_states(server: &Server) {
    let live: &[(&str, Finds)] = &[
        ("is:draft", |row| row.is(Draft)),
        ("is:unchecked", |row| row.is(Unchecked)),
        ("is:checked", |row| row.is(Checked)),
        ("is:posted", |row| !row.is(Draft)),
        ("is:unchecked after:2025-01-01", |row| row.is(Unchecked) && row.date >= "2025-01-01"),
        ("NOT is:trashed", |_| true),
        ("is:nonsense", |_| false),
    ];
    let all: &[(&str, Finds)] = &[
        ("is:trashed", |row| row.trashed),
        ("is:trashed account:Bank", |row| row.trashed && row.touches("Bank")),
        ("is:trashed is:draft", |row| row.trashed || row.is(Draft)),
        ("is:trashed OR #food", |row| row.trashed || row.says("#food")),
        ("remoteId:abc is:trashed", |row| row.label == "t12"),
        ("is:checked is:trashed thrown", |row| row.trashed),
    ];
    let cast = fixture(server);
    check(&cast, false, live);
    check(&cast, true, all);
}

fn rule_1_2_amounts(server: &Server) {
    let table: &[(&str, Finds)] = &[
        ("amount:45.50", |row| row.cents == 4_550),
        ("amount:1,234.56", |row| row.cents == 123_456),
        ("amount>100", |row| row.cents > 10_000),
        ("amount>=100", |row| row.cents >= 10_000),
        ("amount<5", |row| row.cents > 0 && row.cents < 500),
        ("amount<=5", |row| row.cents > 0 && row.cents <= 500),
        ("amount>=1000 AND amount<=5000", |row| (100_000..=500_000).contains(&row.cents)),
        // Transactions without an amount never match (1.2), so a negated term does.
        ("-amount>0", |row| row.cents == 0),
        ("NOT amount<5000", |row| row.cents == 0 || row.cents >= 500_000),
        ("amount>4.999", |row| row.cents >= 500),
        ("amount:45.501", |_| false),
        ("amount>99999999999999999999999999999", |_| false),
    ];
    check(&fixture(server), false, table);
    let comma = Cast::with_settings(server, json!({"decimalSeparator": "COMMA"}));
    for (label, amount) in [("t1", "1.234,56"), ("t2", "1.50")] {
        comma.post("/transactions", &json!({"amount": amount, "description": label})).ok();
    }
    for query in ["amount:1.234,56", "amount:1234,56", "amount>1000", "amount>1,51"] {
        assert_eq!(sorted_labels(&find(&comma, query)), ["t1"], "1.2.8: {query}");
    }
}

fn rule_1_2_text_tags_and_properties(server: &Server) {
    let table: &[(&str, Finds)] = &[
        ("lunch", |row| row.says("lunch")),
        ("cafe", |row| row.says("Café")),
        ("arger naive", |row| row.says("Ärger")),
        ("card bill", |row| row.says("card") && row.says("bill")),
        ("'card bill'", |row| row.says("card bill")),
        ("uel-sta", |row| row.says("fuel-station")),
        ("10:30", |row| row.says("10:30")),
        ("100%", |row| row.says("100%")),
        ("%", |row| row.says("%")),
        ("e_t", |row| row.says("sure_thing")),
        ("*", |row| row.says("*")),
        ("?", |row| row.says("?")),
        ("[", |row| row.says("[")),
        ("_", |row| row.says("_")),
        ("back\\slash", |row| row.says("\\")),
        ("it's", |row| row.says("it's")),
        ("#food", |row| row.says("#food")),
        ("#income", |row| row.says("#income") || row.says("#Income")),
        ("#foo", |_| false),
        ("#food #out", |row| row.says("#food") && row.says("#out")),
        ("'#foo'", |row| row.says("#foo")),
        ("invoice_number:\"INV-2024-001\"", |row| row.label == "t04"),
        ("invoice_number:*", |row| row.label == "t04" || row.label == "t05"),
        ("payee:'john doe'", |row| row.label == "t05"),
        ("paid:yes invoice_number:*", |row| row.label == "t04"),
        ("remoteId:abc", |row| row.label == "t06"),
    ];
    check(&fixture(server), false, table);
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_1_2_accounts,
        rule_1_2_states,
        rule_1_2_amounts,
        rule_1_2_text_tags_and_properties,
    ]
}
