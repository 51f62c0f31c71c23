//! The transactions that new records may belong to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use time::Date;

use super::assignment::assign;
use super::identity::booked_form;
use super::matcher::{MATCH_DAYS, Matcher, OpenRecord, PENDING_DAYS};
use super::matches::Matches;
use super::outcome::{LockReason, MatchEffect};
use super::text::Sketch;
use crate::id::{AccountId, TransactionId};
use crate::transaction::{Standing, Transaction};

/// The facts about a transaction that matching uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionFacts<'a> {
    /// The transaction.
    pub id: TransactionId,
    /// Its date.
    pub date: Option<Date>,
    /// Its amount at the storage scale.
    pub units: Option<i64>,
    /// The credit account.
    pub credit: Option<AccountId>,
    /// The debit account.
    pub debit: Option<AccountId>,
    /// Its description.
    pub description: &'a str,
    /// Its remote ids, and those that runs have paired with it.
    pub remote_ids: Vec<&'a str>,
    /// The property [`ENTRY_PROPERTY`](super::ENTRY_PROPERTY).
    pub entry_id: Option<&'a str>,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// Why it may not be changed; `None` if it may.
    pub lock: Option<LockReason>,
}

impl<'a> TransactionFacts<'a> {
    /// Returns the facts of a transaction that is not in the trash.
    ///
    /// `paired` has the remote ids that runs have paired with it, `scale` is the storage scale.
    pub fn of(
        transaction: &'a Transaction,
        paired: impl IntoIterator<Item = &'a str>,
        scale: u32,
        is_locked: bool,
        is_editable: bool,
    ) -> Self {
        let lock = if transaction.standing == Standing::Checked {
            Some(LockReason::Checked)
        } else if is_locked {
            Some(LockReason::Locked)
        } else if is_editable {
            None
        } else {
            Some(LockReason::NotEditable)
        };
        Self {
            id: transaction.id,
            date: transaction.date,
            units: transaction.amount.and_then(|amount| amount.units(scale)),
            credit: transaction.credit,
            debit: transaction.debit,
            description: &transaction.description,
            remote_ids: transaction.remote_ids.iter().map(String::as_str).chain(paired).collect(),
            entry_id: transaction.properties.get(super::ENTRY_PROPERTY),
            is_draft: transaction.standing == Standing::Draft,
            lock,
        }
    }

    const fn effect(&self) -> MatchEffect {
        match self.lock {
            Some(reason) => MatchEffect::StorePair(reason),
            None if self.is_draft => MatchEffect::PostDraft,
            None => MatchEffect::AddRemoteId,
        }
    }

    /// Iterates over the accounts and its effects on them, positive into the account.
    fn sides(&self) -> impl Iterator<Item = (AccountId, i64)> + use<> {
        let units = self.units.unwrap_or_default();
        let credit = self.credit.map(|account| (account, units.saturating_neg()));
        credit.into_iter().chain(self.debit.map(|account| (account, units)))
    }
}

/// A transaction on an account with the amount and about the day of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The account of the record that it may be.
    pub(super) account: AccountId,
    pub(super) units: i64,
    pub(super) day: i32,
    pub(super) id: TransactionId,
    pub(super) sketch: Sketch,
    pub(super) effect: MatchEffect,
    /// Whether it is from another source.
    pub(super) is_imported: bool,
    /// Whether both sides are accounts between which transfers are found.
    pub(super) is_transfer: bool,
}

/// A transaction with one side on an own account and the other one unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct HalfTransfer {
    pub(super) account: AccountId,
    /// The amount of the record that would be the other half.
    pub(super) units: i64,
    pub(super) day: i32,
    pub(super) id: TransactionId,
    /// The account in its text.
    pub(super) hint: Option<AccountId>,
}

/// A draft of a pending record.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingDraft {
    pub(super) account: AccountId,
    pub(super) word: u32,
    pub(super) units: i64,
    pub(super) day: i32,
    pub(super) id: TransactionId,
}

/// The sum of the transactions of an entry.
#[derive(Debug)]
struct EntrySum {
    sides: BTreeMap<AccountId, i64>,
    first: TransactionId,
    day: i32,
    text: String,
    effect: MatchEffect,
    is_imported: bool,
    /// The accounts that a record of the same source is the evidence of.
    evidence: BTreeSet<AccountId>,
}

/// Collects the transactions that new records may belong to.
#[derive(Debug)]
pub struct Offers<'a> {
    pub(super) matcher: Matcher<'a>,
    /// The records by amount and day, as positions.
    pub(super) by_units: Vec<u32>,
    pub(super) rows: Vec<Row>,
    pub(super) halves: Vec<HalfTransfer>,
    pub(super) pending: Vec<PendingDraft>,
    entries: HashMap<String, EntrySum>,
}

impl<'a> Offers<'a> {
    pub(super) fn new(matcher: Matcher<'a>) -> Self {
        let records = &matcher.records;
        let mut by_units: Vec<u32> = (0..).zip(records).map(|(position, _)| position).collect();
        let key = |position: &u32| {
            let record = usize::try_from(*position).ok().and_then(|at| records.get(at));
            record.map(|record| (record.units, record.day, record.number))
        };
        by_units.sort_unstable_by_key(key);
        Self {
            by_units,
            matcher,
            rows: Vec::new(),
            halves: Vec::new(),
            pending: Vec::new(),
            entries: HashMap::new(),
        }
    }

    /// Returns the first and the last day of the transactions to add; `None` if there are none.
    pub fn days(&self) -> Option<(Date, Date)> {
        self.matcher.days()
    }

    /// Returns the accounts whose transactions are to be added: those of the new records, and those
    /// for unknown other accounts.
    ///
    /// Drafts without one of their accounts are to be added too.
    pub fn accounts(&self) -> Vec<AccountId> {
        let own = self.matcher.sources.keys();
        own.chain(&self.matcher.uncategorised).copied().collect()
    }

    /// Takes a transaction that is not in the trash. Each comes once, in any order.
    pub fn add_transaction(&mut self, facts: &TransactionFacts<'_>) {
        let (Some(date), Some(_)) = (facts.date, facts.units) else { return };
        if self.matcher.taken.contains(&facts.id) {
            return;
        }
        let day = date.to_julian_day();
        // A draft that may not be changed cannot be posted either.
        let is_usable = !(facts.is_draft && facts.lock.is_some());
        if !is_usable || self.add_pending(facts, day) {
            return;
        }
        if let Some(entry) = facts.entry_id {
            self.add_leg(entry, facts, day);
            return;
        }
        let is_own = |id: Option<AccountId>| id.is_some_and(|id| self.matcher.own.contains(id));
        let is_transfer = is_own(facts.credit) && is_own(facts.debit);
        for (account, units) in facts.sides() {
            if self.has_evidence(facts, account) {
                continue;
            }
            let row = Row {
                account,
                units,
                day,
                id: facts.id,
                sketch: Sketch::default(),
                effect: facts.effect(),
                is_imported: is_imported(facts),
                is_transfer,
            };
            if self.has_record(&row) {
                self.rows.push(Row { sketch: Sketch::of(facts.description), ..row });
            }
        }
        self.add_half(facts, day);
    }

    /// Assigns transactions to records, each to one record of an account at most.
    #[must_use]
    pub fn assign(mut self) -> Matches {
        for (_, entry) in std::mem::take(&mut self.entries) {
            let sketch = Sketch::of(&entry.text);
            for (account, units) in entry.sides {
                let row = Row {
                    account,
                    units,
                    day: entry.day,
                    id: entry.first,
                    sketch,
                    effect: entry.effect,
                    is_imported: entry.is_imported,
                    is_transfer: false,
                };
                if units != 0 && !entry.evidence.contains(&account) && self.has_record(&row) {
                    self.rows.push(row);
                }
            }
        }
        self.rows.sort_unstable_by_key(|row| (row.account, row.units, row.day, row.id));
        self.halves.sort_unstable_by_key(|half| (half.units, half.day, half.id));
        self.pending.sort_unstable_by_key(|draft| (draft.account, draft.word, draft.day, draft.id));
        assign(&self.matcher, &self.by_units, &self.rows, &self.halves, &self.pending)
    }

    /// Returns whether a record of the account has about this amount and day.
    fn has_record(&self, row: &Row) -> bool {
        let key = (row.account, row.units, row.day.saturating_sub(MATCH_DAYS));
        let records = &self.matcher.records;
        let first =
            records.partition_point(|record| (record.account, record.units, record.day) < key);
        records.get(first).is_some_and(|record: &OpenRecord| {
            record.account == row.account
                && record.units == row.units
                && record.day <= row.day.saturating_add(MATCH_DAYS)
        })
    }

    /// Returns whether the transaction is already that of a record of the same source.
    fn has_evidence(&self, facts: &TransactionFacts<'_>, account: AccountId) -> bool {
        let Some(sources) = self.matcher.sources.get(&account) else { return false };
        !self.matcher.released.contains(&facts.id)
            && facts.remote_ids.iter().any(|id| {
                let id = booked_form(id).unwrap_or(id);
                sources.iter().any(|source| id.starts_with(source.as_str()))
            })
    }

    /// Takes the draft of a pending record of the same source. Only a similar text offers it.
    fn add_pending(&mut self, facts: &TransactionFacts<'_>, day: i32) -> bool {
        let is_pending =
            facts.is_draft && facts.remote_ids.iter().any(|id| booked_form(id).is_some());
        if !is_pending {
            return false;
        }
        for (account, units) in facts.sides() {
            if !self.matcher.sources.contains_key(&account) {
                continue;
            }
            let words = Sketch::of(facts.description).words();
            let drafts = words.map(|word| PendingDraft { account, word, units, day, id: facts.id });
            self.pending.extend(drafts);
        }
        true
    }

    fn add_leg(&mut self, entry: &str, facts: &TransactionFacts<'_>, day: i32) {
        let sides: Vec<_> = facts.sides().collect();
        let own = sides.iter().map(|(account, _)| *account);
        let evidence: Vec<_> = own.filter(|account| self.has_evidence(facts, *account)).collect();
        let sum = self.entries.entry(entry.to_owned()).or_insert_with(|| EntrySum {
            sides: BTreeMap::new(),
            first: facts.id,
            day,
            text: facts.description.to_owned(),
            effect: facts.effect(),
            is_imported: false,
            evidence: BTreeSet::new(),
        });
        for (account, units) in sides {
            let total = sum.sides.entry(account).or_default();
            *total = total.saturating_add(units);
        }
        if facts.id < sum.first {
            (sum.first, sum.day) = (facts.id, day);
            facts.description.clone_into(&mut sum.text);
        }
        // One leg that may not be changed protects the whole entry.
        if let effect @ MatchEffect::StorePair(_) = facts.effect() {
            sum.effect = effect;
        }
        sum.is_imported |= is_imported(facts);
        sum.evidence.extend(evidence);
    }

    /// Takes a transaction whose other side is unknown, because it may be half of a transfer.
    fn add_half(&mut self, facts: &TransactionFacts<'_>, day: i32) {
        if facts.lock.is_some() {
            return;
        }
        let open =
            |id: Option<AccountId>| id.is_none_or(|id| self.matcher.uncategorised.contains(&id));
        let (is_credit_open, is_debit_open) = (open(facts.credit), open(facts.debit));
        let units = facts.units.unwrap_or_default();
        // The record on the other account has the opposite direction.
        let (account, units) = match (is_credit_open, is_debit_open) {
            (true, false) => (facts.debit, units.saturating_neg()),
            (false, true) => (facts.credit, units),
            (true, true) | (false, false) => return,
        };
        let Some(account) = account.filter(|id| self.matcher.own.contains(*id)) else { return };
        let mut others = self.matcher.sources.keys().filter(|other| **other != account);
        if others.any(|other| self.has_evidence(facts, *other)) {
            return;
        }
        if self.records_with(units, day).next().is_none() {
            return;
        }
        let hint = self.matcher.own.find_in_text(facts.description, account);
        self.halves.push(HalfTransfer { account, units, day, id: facts.id, hint });
    }

    /// Iterates over the records of all accounts with this amount and about this day.
    fn records_with(&self, units: i64, day: i32) -> impl Iterator<Item = &OpenRecord> {
        records_with(&self.matcher.records, &self.by_units, units, day)
    }
}

/// Iterates over the records of all accounts with this amount and about this day.
pub(super) fn records_with<'r>(
    records: &'r [OpenRecord],
    by_units: &'r [u32],
    units: i64,
    day: i32,
) -> impl Iterator<Item = &'r OpenRecord> {
    let at = |position: &u32| usize::try_from(*position).ok().and_then(|at| records.get(at));
    let key = (units, day.saturating_sub(MATCH_DAYS));
    let first = by_units.partition_point(|position| {
        at(position).is_some_and(|record| (record.units, record.day) < key)
    });
    let last = day.saturating_add(MATCH_DAYS);
    let rest = by_units.get(first..).unwrap_or_default();
    rest.iter().filter_map(at).take_while(move |record| record.units == units && record.day <= last)
}

/// Returns whether another system has recorded the transaction. Merges add remote ids too.
fn is_imported(facts: &TransactionFacts<'_>) -> bool {
    facts.remote_ids.iter().any(|id| !id.starts_with("merged_"))
}

/// Returns whether a booked record may follow a pending one of this day.
pub(super) const fn follows_pending(pending: i32, booked: i32) -> bool {
    booked >= pending && booked - pending <= PENDING_DAYS
}
