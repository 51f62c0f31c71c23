//! The new records of a file, for matching.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use time::Date;

use super::identity::source;
use super::offers::Offers;
use super::outcome::{Match, MatchReason, MatchTarget, NewReason, Outcome};
use super::own_accounts::OwnAccounts;
use super::record::{Record, Status};
use super::text::Sketch;
use crate::id::{AccountId, TransactionId};

/// The days between a record and a transaction that may belong together.
pub(super) const MATCH_DAYS: i32 = 5;

/// The days between a pending record and the booked one.
pub(super) const PENDING_DAYS: i32 = 10;

/// A new record, without its texts: 56 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenRecord {
    pub(super) account: AccountId,
    pub(super) units: i64,
    /// The Julian day.
    pub(super) day: i32,
    pub(super) number: u32,
    /// The position of the account that it probably transfers to or from, from 1; 0 for none.
    hint: u32,
    pub(super) sketch: Sketch,
}

/// Collects the new records of a file.
#[derive(Debug)]
pub struct Matcher<'a> {
    scheme: &'static str,
    pub(super) own: &'a OwnAccounts,
    pub(super) uncategorised: Vec<AccountId>,
    pub(super) records: Vec<OpenRecord>,
    hints: Vec<AccountId>,
    hint_positions: HashMap<AccountId, u32>,
    /// The last locked day, as a Julian day.
    locked_until: Option<i32>,
    /// The sources of the new records of each account.
    pub(super) sources: BTreeMap<AccountId, BTreeSet<String>>,
    /// Transactions whose id of the source is that of another record now.
    pub(super) released: HashSet<TransactionId>,
    /// Transactions that are matched already.
    pub(super) taken: HashSet<TransactionId>,
}

impl<'a> Matcher<'a> {
    /// Creates a matcher without records.
    ///
    /// `scheme` is that of the [`Census`](super::Census). `uncategorised` has the accounts for
    /// records with an unknown other account, as far as they exist: a transaction with one of them
    /// may be the first half of a transfer.
    pub fn new(scheme: &'static str, own: &'a OwnAccounts, uncategorised: Vec<AccountId>) -> Self {
        Self {
            scheme,
            own,
            locked_until: None,
            uncategorised,
            records: Vec::new(),
            hints: Vec::new(),
            hint_positions: HashMap::new(),
            sources: BTreeMap::new(),
            released: HashSet::new(),
            taken: HashSet::new(),
        }
    }

    /// Sets the last locked day of the book: two records of a transfer are joined only if the date
    /// of neither is locked.
    #[must_use]
    pub fn with_locked_until(self, day: Option<Date>) -> Self {
        Self { locked_until: day.map(Date::to_julian_day), ..self }
    }

    /// Reserves memory for `records` records. A growing vector would take up to three times as
    /// much.
    pub fn reserve(&mut self, records: usize) {
        self.records.reserve_exact(records);
    }

    /// Takes a record with the outcome that [`classify`](super::classify) gave it. Records come in
    /// the order of their numbers.
    ///
    /// New booked records with a date are matched.
    pub fn add_record(&mut self, record: &Record, outcome: &Outcome) {
        let reason = match outcome {
            Outcome::New(reason) => reason,
            Outcome::Matched(Match {
                target: MatchTarget::Transaction(id),
                reason: MatchReason::PendingForm,
                ..
            }) => {
                self.taken.insert(*id);
                return;
            }
            Outcome::Matched(_)
            | Outcome::Existing(_)
            | Outcome::Skipped(_)
            | Outcome::Refused(_) => return,
        };
        if let NewReason::ReusedId(id) = reason {
            self.released.insert(*id);
        }
        let (Some(date), Status::Booked) = (record.date, record.status) else { return };
        let sources = self.sources.entry(record.account).or_default();
        let source = source(record, self.scheme);
        if !sources.contains(&source) {
            sources.insert(source);
        }
        let hint = self.own.transfer_hint(record).map_or(0, |id| self.hint_position(id));
        self.records.push(OpenRecord {
            account: record.account,
            units: record.units,
            day: date.to_julian_day(),
            number: record.number,
            hint,
            sketch: Sketch::with_words(&record.description, &record.text),
        });
    }

    /// Ends the records.
    #[must_use]
    pub fn ready(mut self) -> Offers<'a> {
        let key = |record: &OpenRecord| (record.account, record.units, record.day, record.number);
        self.records.sort_unstable_by_key(key);
        Offers::new(self)
    }

    fn hint_position(&mut self, id: AccountId) -> u32 {
        *self.hint_positions.entry(id).or_insert_with(|| {
            self.hints.push(id);
            u32::try_from(self.hints.len()).unwrap_or_default()
        })
    }

    /// Returns the account that a record probably transfers to or from.
    pub(super) fn hint(&self, record: &OpenRecord) -> Option<AccountId> {
        let index = usize::try_from(record.hint.checked_sub(1)?).ok()?;
        self.hints.get(index).copied()
    }

    /// Returns whether the date of a record is locked, so that it cannot be recorded.
    pub(super) fn is_locked(&self, record: &OpenRecord) -> bool {
        self.locked_until.is_some_and(|until| record.day <= until)
    }

    /// Returns the days of transactions that may match a record.
    pub(super) fn days(&self) -> Option<(Date, Date)> {
        let first = self.records.iter().map(|record| record.day).min()?;
        let last = self.records.iter().map(|record| record.day).max()?;
        let day = |day| Date::from_julian_day(day).ok();
        let first = day(first.saturating_sub(PENDING_DAYS)).unwrap_or(Date::MIN);
        Some((first, day(last.saturating_add(MATCH_DAYS)).unwrap_or(Date::MAX)))
    }
}
