//! The synthetic books: 1,000 accounts in 20 groups, and complete transactions spread evenly over
//! accounts and days. Even distribution is the hard case for totals: hardly two transactions share
//! one.

use daybook_client::types::{Account, AccountType, Group};

use crate::bank::Chart;
use crate::rng::Rng;

/// Accounts of a book.
pub(super) const ACCOUNTS: u64 = 1000;
const GROUPS: u64 = 20;

/// A stream of transactions.
#[derive(Clone, Copy)]
pub(super) struct Workload {
    /// The name of its book.
    pub(super) name: &'static str,
    first_year: i32,
    years: u64,
    /// The months of each year, and the days of each month.
    months_and_days: [u64; 2],
    /// With tags, properties and remote ids to search for.
    marked: bool,
}

/// The workload of writes.
pub(super) const TEN_YEARS: Workload =
    Workload { name: "Ten years", first_year: 2014, years: 10, ..ONE_YEAR };

/// All transactions spread over one year.
pub(super) const ONE_YEAR: Workload = Workload {
    name: "One year",
    first_year: 2024,
    years: 1,
    months_and_days: [12, 28],
    marked: false,
};

/// All transactions on three days, like the postings of a service.
pub(super) const THESE_DAYS: Workload =
    Workload { name: "These days", months_and_days: [1, 3], ..ONE_YEAR };

impl Workload {
    /// The workload of reads: all transactions in one year. Each has a remote id, every twentieth
    /// uses account 0, and one of fifty has a tag and one a property, so that 10,000 transactions
    /// fill a page of 100 with any of these.
    pub(super) fn one_year(name: &'static str) -> Workload {
        Workload { name, marked: true, ..ONE_YEAR }
    }

    /// Transaction number `n`, which is deterministic.
    pub(super) fn draft(&self, number: u64) -> Draft {
        let mut rng = Rng::new(number);
        let mut part = |end: u64| i32::try_from(rng.below(end)).expect("a small number");
        let year = self.first_year + part(self.years);
        let [months, days] = self.months_and_days;
        let day = year * 10_000 + (1 + part(months)) * 100 + 1 + part(days);
        let amount = 1 + i64::from(part(1_000_000));
        let credit = if self.marked && number.is_multiple_of(20) { 0 } else { rng.below(ACCOUNTS) };
        // The two accounts differ.
        let debit = (credit + 1 + rng.below(ACCOUNTS - 1)) % ACCOUNTS;
        Draft { number, day, amount, credit, debit, marked: self.marked }
    }

    /// Some transactions from number `first` on, as request bodies.
    pub(super) fn bodies(self, first: u64, count: usize) -> impl ExactSizeIterator<Item = String> {
        (0..count).map(move |place| self.draft(first + place as u64).json())
    }
}

/// A transaction to record.
pub(super) struct Draft {
    number: u64,
    /// yyyymmdd.
    pub(super) day: i32,
    /// In hundredths.
    pub(super) amount: i64,
    /// The number of the account.
    pub(super) credit: u64,
    /// The number of the account.
    pub(super) debit: u64,
    marked: bool,
}

impl Draft {
    /// yyyy-MM-dd.
    pub(super) fn date(&self) -> String {
        let day = self.day;
        format!("{}-{:02}-{:02}", day / 10_000, day / 100 % 100, day % 100)
    }

    /// With two decimals.
    pub(super) fn decimal(&self) -> String {
        format!("{}.{:02}", self.amount / 100, self.amount % 100)
    }

    pub(super) fn description(&self) -> String {
        let tag = if self.marked && self.number % 50 == 7 { " #reviewed" } else { "" };
        format!("Payment {} for goods and services{tag}", self.number)
    }

    /// The JSON members that only searches need.
    fn labels(&self) -> String {
        if !self.marked {
            return String::new();
        }
        let property =
            if self.number % 50 == 13 { r#","properties":{"project":"Atlas"}"# } else { "" };
        format!(r#","remoteIds":["bank-{}"]{property}"#, self.number)
    }

    /// The body of a create.
    pub(super) fn json(&self) -> String {
        format!(
            r#"{{"date":"{}","amount":"{}","description":"{}","creditAccount":{{"name":"{}"}},"debitAccount":{{"name":"{}"}}{}}}"#,
            self.date(),
            self.decimal(),
            self.description(),
            account(self.credit),
            account(self.debit),
            self.labels()
        )
    }
}

/// The name of an account.
pub(super) fn account(number: u64) -> String {
    format!("Account {number:04}")
}

/// The groups and accounts; a group holds one kind.
pub(super) fn chart() -> Chart {
    let group =
        |number: u64| Group { name: Some(format!("Group {number:02}")), ..Group::default() };
    let groups: Vec<Group> = (0..GROUPS).map(group).collect();
    let account = |number: u64| {
        let group = usize::try_from(number % GROUPS).expect("a small number");
        let kind = AccountType::KNOWN[group % AccountType::KNOWN.len()].clone();
        let groups = Some(vec![groups[group].clone()]);
        Account { groups, ..Account::named(&account(number), kind) }
    };
    let accounts = (0..ACCOUNTS).map(account).collect();
    Chart { groups, accounts }
}
