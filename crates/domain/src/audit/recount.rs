//! Recounts a book: adds its transactions up again and compares the sums with the totals.

use std::collections::{BTreeMap, BTreeSet};

use super::contradiction::contradictions;
use super::finding::{Finding, FindingKind, Findings};
use super::months::{MonthCounts, dashed};
use super::{AccountFlags, AuditedCounts, AuditedTotal, AuditedTransaction};
use crate::amount::write_units;
use crate::balance::Sums;
use crate::id::AccountId;
use crate::storage_quota::StorageUsage;

/// What is known of one account so far.
#[derive(Debug, Clone, Default)]
struct Audited {
    /// The columns of its row; `None` for an account that does not exist.
    stored: Option<AccountFlags>,
    /// What its transactions sum to.
    expected_sums: Sums,
    /// How many entries it has.
    entries: i64,
    /// A finding concerns it.
    suspect: bool,
    /// A transaction that counts in balances names it.
    posted: bool,
}

/// The result of a recount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecountResult {
    /// Whether every balance and total is what follows from the transactions.
    pub balances_match: bool,
    /// Whether credits and debits are equal by transactions and by totals.
    pub zero_sum: bool,
    /// How many accounts were checked.
    pub accounts_checked: i64,
    /// How many transactions were read.
    pub transactions_checked: i64,
    /// The findings.
    pub findings: Findings,
    /// The accounts whose `balanceVerified` changes, with the new value.
    pub changed: Vec<(AccountId, bool)>,
}

/// Recounts a book in two steps: every transaction ([`Recount::add_transaction`]), then the totals
/// of days and months ([`Recount::compare`]).
#[derive(Debug)]
pub struct Recount {
    book: String,
    /// The storage scale of the book, and the digits it shows.
    places: (u32, u32),
    accounts: BTreeMap<AccountId, Audited>,
    transactions: i64,
    posted: i64,
    index_terms: i64,
    stored: StorageUsage,
    months: MonthCounts,
    /// Raw balance of the book by its month totals.
    kept_balance: i128,
    findings: Findings,
}

impl Recount {
    /// Begins the recount of the book with that public id. `places` are its storage scale and the
    /// digits it shows; `accounts` are all its accounts.
    pub fn new(
        book: &str,
        places: (u32, u32),
        accounts: impl IntoIterator<Item = AccountFlags>,
    ) -> Self {
        let accounts = accounts
            .into_iter()
            .map(|stored| (stored.account, Audited { stored: Some(stored), ..Audited::default() }));
        Self {
            book: book.to_owned(),
            places,
            accounts: accounts.collect(),
            transactions: 0,
            posted: 0,
            index_terms: 0,
            stored: StorageUsage::default(),
            months: MonthCounts::default(),
            kept_balance: 0,
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
            self.findings.add(Finding::new(
                FindingKind::Transaction,
                id.to_string(),
                "consistent transaction",
                contradiction,
            ));
            credit.iter().chain(debit).for_each(|account| self.account(*account).suspect = true);
        }
        if !indexed {
            self.findings.add(Finding::new(
                FindingKind::Index,
                id.to_string(),
                "index matches",
                "index does not match",
            ));
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

    /// Adds accounts that have totals, which may have neither a row nor a transaction.
    pub fn add_accounts(&mut self, accounts: Vec<AccountId>) {
        for account in accounts {
            self.account(account);
        }
    }

    /// All accounts seen so far, including those that do not exist, each with how many entries it
    /// has.
    pub fn accounts(&self) -> impl Iterator<Item = (AccountId, i64)> {
        self.accounts.iter().map(|(account, audited)| (*account, audited.entries))
    }

    /// Compares the totals of some accounts: the sums of their entries by day with the day totals
    /// and the month totals.
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
            self.periods(FindingKind::DayTotal, *account, &by_day, &days);
            self.periods(FindingKind::MonthTotal, *account, &by_month, &months);
            let kept = months.values().copied().sum::<Sums>().balance();
            self.kept_balance = self.kept_balance.saturating_add(kept);
            if kept != balance {
                let [expected, actual] = [balance, kept].map(|units| self.money(units));
                self.findings.add(Finding::new(
                    FindingKind::Balance,
                    account.to_string(),
                    expected,
                    actual,
                ));
                self.account(*account).suspect = true;
            }
        }
    }

    /// Adds what was found when rows were compared with the log.
    pub fn add_rows(&mut self, findings: Findings) {
        self.findings.extend(findings);
    }

    /// Adds what is stored of the book, as its rows have it.
    pub fn add_stored(&mut self, stored: StorageUsage) {
        self.stored = self.stored + stored;
    }

    /// Compares the counts and ends the recount.
    #[must_use]
    pub fn finish(mut self, counted: AuditedCounts) -> RecountResult {
        // Missing index terms are findings of their transactions; here it shows when there are too
        // many.
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
        for finding in self.months.differing(&counted.months, &self.book) {
            self.findings.add(finding);
        }
        let balance = self
            .accounts
            .values()
            .map(|audited| audited.expected_sums.balance())
            .fold(0, i128::saturating_add);
        // By transactions and by totals; each must be zero.
        let balances = [balance, self.kept_balance];
        for sum in balances.into_iter().filter(|sum| *sum != 0).collect::<BTreeSet<i128>>() {
            let [zero, sum] = [0, sum].map(|units| self.money(units));
            self.findings.add(Finding::new(FindingKind::ZeroSum, &self.book, zero, sum));
        }
        let stored = self
            .accounts
            .values()
            .filter_map(|audited| audited.stored.map(|stored| (stored, audited)));
        let (mut changed, mut checked) = (Vec::new(), 0_i64);
        for (AccountFlags { account, verified, posted }, audited) in stored {
            checked = checked.saturating_add(1);
            // The flag never turns back, so only its absence can be wrong (behaviour 4.7).
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

    fn periods(
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
                let [expected, actual] = [expected, actual].map(|sums| self.both(sums));
                let finding = Finding::new(kind, account.to_string(), expected, actual);
                self.findings.add(Finding { period: Some(dashed(period)), ..finding });
                self.account(account).suspect = true;
            }
        }
    }

    fn exists(&self, account: AccountId) -> bool {
        self.accounts.get(&account).is_some_and(|audited| audited.stored.is_some())
    }

    fn account(&mut self, id: AccountId) -> &mut Audited {
        self.accounts.entry(id).or_default()
    }

    fn money(&self, units: i128) -> String {
        write_units(units, self.places.0, self.places.1)
    }

    fn both(&self, sums: Sums) -> String {
        format!("debit {}, credit {}", self.money(sums.debit), self.money(sums.credit))
    }
}

/// Of a period that is there twice both count, as they do in balances.
fn by_period(totals: &[AuditedTotal]) -> BTreeMap<(AccountId, i32), Sums> {
    let mut sums: BTreeMap<_, Sums> = BTreeMap::new();
    for total in totals {
        let kept = sums.entry((total.account, total.period)).or_default();
        *kept = *kept + total.sums;
    }
    sums
}

/// The totals of one account, by period.
fn of_account(
    totals: &BTreeMap<(AccountId, i32), Sums>,
    account: AccountId,
) -> BTreeMap<i32, Sums> {
    totals
        .range((account, i32::MIN)..=(account, i32::MAX))
        .map(|((_, period), sums)| (*period, *sums))
        .collect()
}
