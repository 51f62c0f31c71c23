//! Recounts a book: sums its transactions up and compares the sums with the totals.

use std::collections::{BTreeMap, BTreeSet};

use super::contradiction::contradictions;
use super::finding::{Finding, FindingKind, Findings};
use super::months::{MonthCounts, format_period};
use super::{AccountFlags, AuditedCounts, AuditedTotal, AuditedTransaction};
use crate::amount::write_units;
use crate::balance::Sums;
use crate::id::AccountId;
use crate::storage_quota::StorageUsage;

/// The state of one account in the recount.
#[derive(Debug, Clone, Default)]
struct AccountState {
    /// The columns of its row; `None` if the account does not exist.
    stored: Option<AccountFlags>,
    /// The sums of its transactions.
    expected_sums: Sums,
    entries: i64,
    /// Whether there is a finding about it.
    suspect: bool,
    /// Whether a transaction that counts in balances is on it.
    posted: bool,
}

/// The result of a recount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecountResult {
    /// Whether every balance and total equals the sums of the transactions.
    pub balances_match: bool,
    /// Whether credits and debits are equal, both of the transactions and of the totals.
    pub zero_sum: bool,
    /// The number of accounts.
    pub accounts_checked: i64,
    /// The number of transactions.
    pub transactions_checked: i64,
    /// The findings.
    pub findings: Findings,
    /// The accounts whose `balanceVerified` changes, with the new value.
    pub changed: Vec<(AccountId, bool)>,
}

/// Recounts a book: first every transaction is added ([`Recount::add_transaction`]), then the
/// totals of days and months are compared ([`Recount::compare`]).
#[derive(Debug)]
pub struct Recount {
    book: String,
    /// The storage scale of the book.
    scale: u32,
    /// The fraction digits of the book.
    fraction_digits: u32,
    accounts: BTreeMap<AccountId, AccountState>,
    transactions: i64,
    posted: i64,
    index_terms: i64,
    stored: StorageUsage,
    months: MonthCounts,
    /// The raw balance of the book according to its month totals.
    balance_of_totals: i128,
    findings: Findings,
}

impl Recount {
    /// Begins the recount of a book with its public id, its storage scale, its fraction digits and
    /// all its accounts.
    pub fn new(
        book: &str,
        scale: u32,
        fraction_digits: u32,
        accounts: impl IntoIterator<Item = AccountFlags>,
    ) -> Self {
        let accounts = accounts.into_iter().map(|stored| {
            (stored.account, AccountState { stored: Some(stored), ..AccountState::default() })
        });
        Self {
            book: book.to_owned(),
            scale,
            fraction_digits,
            accounts: accounts.collect(),
            transactions: 0,
            posted: 0,
            index_terms: 0,
            stored: StorageUsage::default(),
            months: MonthCounts::default(),
            balance_of_totals: 0,
            findings: Findings::default(),
        }
    }

    /// Adds a transaction.
    pub fn add_transaction(&mut self, record: &AuditedTransaction) {
        let AuditedTransaction {
            id,
            day,
            dated,
            standing: _,
            trashed,
            amount,
            credit,
            debit,
            indexed,
            index_terms_found,
        } = record;
        self.index_terms = self.index_terms.saturating_add(*index_terms_found);
        self.transactions = self.transactions.saturating_add(1);
        let counts = record.counts();
        if counts {
            self.posted = self.posted.saturating_add(1);
        }
        if *dated {
            self.months.add(*day, counts, *trashed);
        }
        for contradiction in contradictions(record, |account| self.exists(account)) {
            let expected = "consistent transaction";
            self.add(FindingKind::Transaction, id, expected, contradiction);
            credit.iter().chain(debit).for_each(|account| self.account(*account).suspect = true);
        }
        if !indexed {
            self.add(FindingKind::Index, id, "index matches", "index does not match");
        }
        let units = i128::from(amount.filter(|_| counts).unwrap_or_default());
        for (account, sums) in [
            (*credit, Sums { debit: 0, credit: units }),
            (*debit, Sums { debit: units, credit: 0 }),
        ] {
            let Some(account) = account else { continue };
            let audited = self.account(account);
            audited.expected_sums = audited.expected_sums + sums;
            audited.posted |= counts;
            audited.entries = audited.entries.saturating_add(1);
        }
    }

    /// Adds accounts that have totals. They may have neither a row nor a transaction.
    pub fn add_accounts(&mut self, accounts: Vec<AccountId>) {
        for account in accounts {
            self.account(account);
        }
    }

    /// Returns all accounts with the number of their entries, including accounts that do not exist.
    pub fn accounts(&self) -> impl Iterator<Item = (AccountId, i64)> {
        self.accounts.iter().map(|(account, audited)| (*account, audited.entries))
    }

    /// Compares the sums of the entries of these accounts by day with their day and month totals.
    pub fn compare(
        &mut self,
        accounts: &[AccountId],
        entries: &[AuditedTotal],
        days: &[AuditedTotal],
        months: &[AuditedTotal],
    ) {
        let [entries, days, months] = [entries, days, months].map(by_period);
        for account in accounts {
            let balance = self.account(*account).expected_sums.balance();
            let by_day = of_account(&entries, *account);
            let mut by_month: BTreeMap<i32, Sums> = BTreeMap::new();
            for (day, sums) in &by_day {
                let month = by_month.entry(day.div_euclid(100)).or_default();
                *month = *month + *sums;
            }
            let (days, months) = (of_account(&days, *account), of_account(&months, *account));
            self.compare_periods(FindingKind::DayTotal, *account, &by_day, &days);
            self.compare_periods(FindingKind::MonthTotal, *account, &by_month, &months);
            let stored = months.values().copied().sum::<Sums>().balance();
            self.balance_of_totals = self.balance_of_totals.saturating_add(stored);
            if stored != balance {
                let [expected, actual] = [balance, stored].map(|units| self.amount_text(units));
                self.add(FindingKind::Balance, account, expected, actual);
                self.account(*account).suspect = true;
            }
        }
    }

    /// Adds the findings about rows that differ from the log.
    pub fn add_findings(&mut self, findings: Findings) {
        self.findings.extend(findings);
    }

    /// Adds storage usage that was summed up from the rows.
    pub fn add_stored(&mut self, stored: StorageUsage) {
        self.stored = self.stored + stored;
    }

    /// Compares the counts and ends the recount.
    pub fn finish(mut self, counted: AuditedCounts) -> RecountResult {
        // Missing index terms are findings about their transactions; this comparison finds
        // superfluous ones.
        let bytes = |stored: StorageUsage| {
            format!("{} transactions, {} bytes", stored.transactions, stored.bytes)
        };
        for (kind, [expected, actual]) in [
            (FindingKind::Count, [self.posted, counted.posted].map(|count| count.to_string())),
            (
                FindingKind::Index,
                [self.index_terms, counted.index_terms].map(|count| count.to_string()),
            ),
            (FindingKind::Stored, [self.stored, counted.stored].map(bytes)),
        ] {
            if expected != actual {
                self.findings.add(Finding::new(kind, &self.book, expected, actual));
            }
        }
        for finding in self.months.differences(&counted.months, &self.book) {
            self.findings.add(finding);
        }
        let balance = self
            .accounts
            .values()
            .map(|audited| audited.expected_sums.balance())
            .fold(0, i128::saturating_add);
        // Both must be zero.
        let balances = [balance, self.balance_of_totals];
        for sum in balances.into_iter().filter(|sum| *sum != 0).collect::<BTreeSet<i128>>() {
            let [zero, sum] = [0, sum].map(|units| self.amount_text(units));
            self.findings.add(Finding::new(FindingKind::ZeroSum, &self.book, zero, sum));
        }
        let stored = self
            .accounts
            .values()
            .filter_map(|audited| audited.stored.map(|stored| (stored, audited)));
        let (mut changed, mut checked) = (Vec::new(), 0_i64);
        for (AccountFlags { account, verified, posted }, audited) in stored {
            checked = checked.saturating_add(1);
            // The flag is never cleared, so it is only wrong if it is missing (behaviour 4.7).
            if audited.posted && !posted {
                self.findings.add(Finding::new(
                    FindingKind::Posted,
                    account.to_string(),
                    "true",
                    "false",
                ));
            }
            if verified == audited.suspect {
                changed.push((account, !audited.suspect));
            }
        }
        RecountResult {
            balances_match: self.accounts.values().all(|audited| !audited.suspect),
            zero_sum: balances == [0; 2],
            accounts_checked: checked,
            transactions_checked: self.transactions,
            findings: self.findings,
            changed,
        }
    }

    fn compare_periods(
        &mut self,
        kind: FindingKind,
        account: AccountId,
        expected_sums: &BTreeMap<i32, Sums>,
        stored: &BTreeMap<i32, Sums>,
    ) {
        let periods: BTreeSet<i32> = expected_sums.keys().chain(stored.keys()).copied().collect();
        for period in periods {
            let [expected, actual] =
                [expected_sums, stored].map(|side| side.get(&period).copied().unwrap_or_default());
            if expected != actual {
                let [expected, actual] = [expected, actual].map(|sums| self.sums_text(sums));
                let finding = Finding::new(kind, account.to_string(), expected, actual);
                self.findings.add(Finding { period: Some(format_period(period)), ..finding });
                self.account(account).suspect = true;
            }
        }
    }

    fn add(
        &mut self,
        kind: FindingKind,
        resource: &impl ToString,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) {
        self.findings.add(Finding::new(kind, resource.to_string(), expected, actual));
    }

    fn exists(&self, account: AccountId) -> bool {
        self.accounts.get(&account).is_some_and(|audited| audited.stored.is_some())
    }

    fn account(&mut self, id: AccountId) -> &mut AccountState {
        self.accounts.entry(id).or_default()
    }

    fn amount_text(&self, units: i128) -> String {
        write_units(units, self.scale, self.fraction_digits)
    }

    fn sums_text(&self, sums: Sums) -> String {
        format!("debit {}, credit {}", self.amount_text(sums.debit), self.amount_text(sums.credit))
    }
}

/// Returns the totals by account and period. Duplicate rows are added, as in balances.
fn by_period(totals: &[AuditedTotal]) -> BTreeMap<(AccountId, i32), Sums> {
    let mut sums: BTreeMap<_, Sums> = BTreeMap::new();
    for total in totals {
        let sum = sums.entry((total.account, total.period)).or_default();
        *sum = *sum + total.sums;
    }
    sums
}

/// Returns the totals of one account, by period.
fn of_account(
    totals: &BTreeMap<(AccountId, i32), Sums>,
    account: AccountId,
) -> BTreeMap<i32, Sums> {
    totals
        .range((account, i32::MIN)..=(account, i32::MAX))
        .map(|((_, period), sums)| (*period, *sums))
        .collect()
}
