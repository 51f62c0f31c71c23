//! Random books over three fiscal years, recorded over HTTP.

use std::collections::BTreeMap;

use daybook_tests::decimal::{show, units};
use daybook_tests::rng::Rng;
use daybook_tests::{Cast, Server};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use crate::reading::{batch, id, ids};

/// The first calendar year in which a fiscal year of the books begins.
pub(super) const FIRST_YEAR: i16 = 2023;

/// The transactions of a book, drafts and trashed ones included, in batches.
const BATCHES: u64 = 4;
const BATCH: u64 = 100;

/// Name, parent and the property `report`.
const GROUPS: [(&str, &str, &str); 19] = [
    ("Current assets", "", ""),
    ("Liquid", "Current assets", ""),
    ("Bank accounts", "Liquid", "cash"),
    ("Receivables", "Current assets", ""),
    ("Debts", "", ""),
    ("Cards", "Debts", "cash"),
    ("Long term", "Debts", ""),
    ("Equity", "", ""),
    ("Partners", "Equity", ""),
    ("Reserves", "Partners", ""),
    ("Owners", "", "equity"),
    ("Drawings", "Owners", ""),
    ("Revenue", "", ""),
    ("Online", "Revenue", "cash"),
    ("Costs", "", ""),
    ("Premises", "Costs", ""),
    ("Energy", "Premises", ""),
    // Accounts of all types.
    ("Projects", "", ""),
    ("Site", "Projects", "cash"),
];

/// Name, type and groups of the accounts that every book has.
const ACCOUNTS: [(&str, &str, &[&str]); 15] = [
    ("Bank", "ASSET", &["Bank accounts"]),
    ("Till", "ASSET", &["Bank accounts"]),
    ("Credit card", "LIABILITY", &["Cards"]),
    ("Customers", "ASSET", &["Receivables"]),
    ("Mortgage", "LIABILITY", &["Long term"]),
    ("Capital", "LIABILITY", &["Reserves"]),
    ("Retained earnings", "LIABILITY", &["Equity"]),
    ("Grants", "INCOMING", &["Reserves"]),
    ("Withdrawals", "OUTGOING", &["Drawings"]),
    ("Sales", "INCOMING", &["Revenue"]),
    ("Web shop", "INCOMING", &["Online"]),
    ("Rent", "OUTGOING", &["Premises"]),
    ("Power", "OUTGOING", &["Energy"]),
    ("Opening balances", "INCOMING", &[]),
    ("Conversions", "OUTGOING", &[]),
];

/// How many accounts have a random type and up to three random groups.
const RANDOM_ACCOUNTS: u64 = 25;

/// The month in which the fiscal years of a book begin, and its decimals.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) start: &'static str,
    pub(super) month: i8,
    pub(super) fraction_digits: usize,
}

/// Creates a random book. Equal settings give equal books.
#[track_caller]
pub(super) fn create(server: &Server, settings: Settings) -> Cast {
    let Settings { start, month, fraction_digits } = settings;
    let book = json!({"periodStartMonth": start, "fractionDigits": fraction_digits});
    let cast = Cast::with_settings(server, book);
    let mut rng = Rng::new(u64::from(month.unsigned_abs()));
    let accounts = create_chart(&cast, &mut rng);
    let mut maker = Maker {
        rng,
        accounts,
        fraction_digits,
        start: date(FIRST_YEAR, month, 1),
        result: BTreeMap::new(),
        made: 0,
    };
    let mut recorded = Vec::new();
    for _ in 0..BATCHES {
        let bodies: Vec<Value> = (0..BATCH).map(|_| maker.transaction()).collect();
        recorded.extend(ids(&cast.post("/transactions/batch", &batch(bodies)).ok()));
    }
    let closing = maker.closing_entries();
    assert!(!closing.is_empty(), "the first year has income or expenses");
    cast.post("/transactions/batch", &batch(closing)).ok();

    // Drafts are posted, and transactions go to the trash and partly come back.
    let rng = &mut maker.rng;
    let mut some = |one_in: u64| {
        let chosen = recorded.iter().filter(|_| rng.below(one_in) == 0);
        batch(chosen.map(|id| json!({"id": id})))
    };
    cast.patch("/transactions/post/batch", &some(4)).no_content();
    cast.patch("/transactions/trash/batch", &some(10)).no_content();
    cast.patch("/transactions/untrash/batch", &some(3)).no_content();
    cast.patch("/transactions/check/batch", &some(5)).no_content();
    // An archived account keeps its balance (4.8).
    for name in ["Mortgage", "Power", "Account 3"] {
        let account = cast.read(&format!("/accounts/{}", daybook_tests::encode(name)));
        let groups = account["groups"].clone();
        let body = json!({"id": id(&account), "archived": true, "groups": groups});
        assert_eq!(cast.put("/accounts", &body).ok()["archived"], true);
    }
    cast
}

/// Creates the groups and the accounts, and returns the names and types of the accounts.
#[track_caller]
fn create_chart(cast: &Cast, rng: &mut Rng) -> Vec<(String, &'static str)> {
    let groups = GROUPS.map(|(name, parent, mark)| {
        let mut group = json!({"name": name});
        if !parent.is_empty() {
            group["parent"] = json!({"name": parent});
        }
        if !mark.is_empty() {
            group["properties"] = json!({"report": mark});
        }
        group
    });
    cast.post("/groups/batch", &batch(groups)).ok();
    let mut accounts: Vec<(String, &'static str, Vec<&str>)> = ACCOUNTS
        .iter()
        .map(|(name, kind, groups)| ((*name).to_owned(), *kind, groups.to_vec()))
        .collect();
    for number in 0..RANDOM_ACCOUNTS {
        let kind = *pick(rng, &["ASSET", "LIABILITY", "INCOMING", "OUTGOING"]);
        let mut groups: Vec<&str> = (0..rng.below(4)).map(|_| pick(rng, &GROUPS).0).collect();
        groups.sort_unstable();
        groups.dedup();
        accounts.push((format!("Account {number}"), kind, groups));
    }
    let bodies = accounts.iter().map(|(name, kind, groups)| {
        let groups: Vec<Value> = groups.iter().map(|group| json!({"name": group})).collect();
        json!({"name": name, "type": kind, "groups": groups})
    });
    cast.post("/accounts/batch", &batch(bodies)).ok();
    accounts.into_iter().map(|(name, kind, _)| (name, kind)).collect()
}

fn pick<'t, T>(rng: &mut Rng, all: &'t [T]) -> &'t T {
    let index = rng.below(all.len() as u64);
    &all[usize::try_from(index).expect("an index")]
}

/// Makes random transactions.
struct Maker {
    rng: Rng,
    accounts: Vec<(String, &'static str)>,
    fraction_digits: usize,
    /// The first day of the first fiscal year.
    start: Date,
    /// Credit minus debit of incoming and outgoing accounts through the first fiscal year, in units
    /// of [`daybook_tests::decimal`].
    result: BTreeMap<String, i128>,
    made: u64,
}

impl Maker {
    /// A day of the three fiscal years or of the months before, often the first or last of a month.
    fn day(&mut self) -> Date {
        let months = if self.rng.below(20) == 0 {
            -i64::try_from(self.rng.below(14)).expect("months")
        } else {
            i64::try_from(self.rng.below(36)).expect("months")
        };
        let first = self.start.saturating_add(months.months());
        let last = first.last_of_month();
        match self.rng.below(6) {
            0 => first,
            1 => last,
            _ => {
                let length = u64::from(last.day().unsigned_abs());
                let days = i64::try_from(self.rng.below(length)).expect("days");
                first.saturating_add(days.days())
            }
        }
    }

    fn amount(&mut self) -> String {
        let smallest = 10_i128.pow(8 - u32::try_from(self.fraction_digits).expect("few digits"));
        let most = *pick(&mut self.rng, &[100, 100_000, 10_000_000]);
        show(i128::from(1 + self.rng.below(most)) * smallest, self.fraction_digits)
    }

    /// An account, every second time one that every book has.
    fn account(&mut self) -> (String, &'static str) {
        let all = self.accounts.as_slice();
        let some = if self.rng.below(2) == 0 { &all[..ACCOUNTS.len()] } else { all };
        pick(&mut self.rng, some).clone()
    }

    fn transaction(&mut self) -> Value {
        self.made += 1;
        let (day, amount) = (self.day(), self.amount());
        let (credit, credit_type) = self.account();
        let (debit, debit_type) = loop {
            let (debit, kind) = self.account();
            if debit != credit {
                break (debit, kind);
            }
        };
        let mut description = format!("Entry {}", self.made);
        for (tag, one_in) in [(" #red", 4), (" #blue", 5), (" #closing", 40)] {
            if self.rng.below(one_in) == 0 {
                description.push_str(tag);
            }
        }
        let is_draft = self.rng.below(10) == 0;
        let is_incomplete = self.rng.below(40) == 0;
        if !is_draft && !is_incomplete && day < self.start.saturating_add(1.year()) {
            let mut add = |name: &str, kind: &str, change: i128| {
                if ["INCOMING", "OUTGOING"].contains(&kind) {
                    *self.result.entry(name.to_owned()).or_default() += change;
                }
            };
            add(&credit, credit_type, units(&amount));
            add(&debit, debit_type, -units(&amount));
        }
        let mut body = json!({
            "date": day.to_string(), "amount": amount, "description": description,
            "creditAccount": {"name": credit}, "draft": is_draft,
        });
        if !is_incomplete {
            body["debitAccount"] = json!({"name": debit});
        }
        body
    }

    /// Entries that close the income and the expenses at the end of the first fiscal year, as other
    /// programs record them.
    fn closing_entries(&self) -> Vec<Value> {
        let day = self.start.saturating_add(1.year()).yesterday().expect("a day before");
        let entry = |(name, result): (&String, &i128)| {
            let (credit, debit) = match *result > 0 {
                true => ("Retained earnings", name.as_str()),
                false => (name.as_str(), "Retained earnings"),
            };
            json!({
                "date": day.to_string(), "amount": show(result.abs(), self.fraction_digits),
                "creditAccount": {"name": credit}, "debitAccount": {"name": debit},
                "description": format!("Close {name} #closing"),
            })
        };
        self.result.iter().filter(|(_, result)| **result != 0).map(entry).collect()
    }
}
