//! The assignment of transactions to records, one to one on each account.
//!
//! Exact matches are taken first: same account, amount and day. Then those within five days, then
//! transfers between two accounts. A match that is not unique in both directions is a candidate
//! for a decision. Long runs of equal amounts are read in part only, so that the time is linear in
//! the records and transactions after sorting.

use std::collections::{HashMap, HashSet};

use super::matcher::{MATCH_DAYS, Matcher, OpenRecord};
use super::matches::{Matches, Row as Found};
use super::offers::{HalfTransfer, PendingDraft, Row, follows_pending, records_with};
use super::outcome::{MatchEffect, MatchReason, MatchTarget};
use crate::id::AccountId;

/// The most rows of equal amounts that are read for a record.
const MAX_NEAR: usize = 16;

/// The most pairs of records and transactions of one day whose texts are compared.
const MAX_PAIRS: usize = 1_024;

/// Assigns the transactions to the records. All slices are sorted.
pub(super) fn assign(
    matcher: &Matcher<'_>,
    by_units: &[u32],
    rows: &[Row],
    halves: &[HalfTransfer],
    pending: &[PendingDraft],
) -> Matches {
    let mut matches = Matches::default();
    let mut rest = rows;
    for group in matcher
        .records
        .chunk_by(|one, other| (one.account, one.units) == (other.account, other.units))
    {
        let Some(key) = group.first().map(|record| (record.account, record.units)) else {
            continue;
        };
        let skipped = rest.partition_point(|row| (row.account, row.units) < key);
        rest = rest.get(skipped..).unwrap_or_default();
        let length = rest.partition_point(|row| (row.account, row.units) == key);
        let (own, others) = rest.split_at_checked(length).unwrap_or_default();
        rest = others;
        if !own.is_empty() {
            Group::new(group, own).assign(&mut matches);
        }
    }
    matches.sort();
    Transfers { matcher, by_units, halves }.assign(&mut matches);
    offer_pending(&matcher.records, pending, &mut matches);
    matches.sort();
    matches
}

/// The state of a record or of a transaction in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// It may belong to several others of its day.
    Ambiguous,
    Assigned,
}

/// The records and the transactions of one account and one amount, by day.
struct Group<'a> {
    records: &'a [OpenRecord],
    rows: &'a [Row],
    record_states: Vec<State>,
    row_states: Vec<State>,
}

impl<'a> Group<'a> {
    fn new(records: &'a [OpenRecord], rows: &'a [Row]) -> Self {
        Self {
            records,
            rows,
            record_states: vec![State::Free; records.len()],
            row_states: vec![State::Free; rows.len()],
        }
    }

    fn assign(mut self, matches: &mut Matches) {
        let mut row_start = 0;
        let mut record_start = 0;
        for day in self.records.chunk_by(|one, other| one.day == other.day) {
            let Some(first) = day.first() else { continue };
            let rest = self.rows.get(row_start..).unwrap_or_default();
            row_start += rest.partition_point(|row| row.day < first.day);
            let rest = self.rows.get(row_start..).unwrap_or_default();
            let length = rest.partition_point(|row| row.day == first.day);
            let records: Vec<usize> = (record_start..record_start + day.len()).collect();
            let rows: Vec<usize> = (row_start..row_start + length).collect();
            record_start += day.len();
            row_start += length;
            if !rows.is_empty() {
                self.assign_day(records, rows, matches);
            }
        }
        self.assign_near(matches);
    }

    /// Assigns the transactions of one day to its records.
    fn assign_day(&mut self, records: Vec<usize>, rows: Vec<usize>, matches: &mut Matches) {
        if records.len().saturating_mul(rows.len()) <= MAX_PAIRS {
            let pairs = unique_pairs(&records, &rows, |record, row| self.is_similar(record, row));
            for (record, row) in pairs {
                self.take(record, row, MatchReason::SameDayAndText, matches);
            }
        }
        let records: Vec<usize> =
            records.into_iter().filter(|at| self.is_free_record(*at)).collect();
        let rows: Vec<usize> = rows.into_iter().filter(|at| self.is_free_row(*at)).collect();
        if records.is_empty() || rows.is_empty() {
            return;
        }
        let has_equal_records =
            all_equal(records.iter().map(|at| self.record(*at).map(|r| r.sketch)));
        let has_equal_rows = all_equal(rows.iter().map(|at| self.row(*at).map(|row| row.sketch)));
        // As many of one as of the other, or equal ones: any assignment gives the same books.
        let is_certain = records.len() == rows.len()
            || (records.len() > rows.len() && has_equal_records)
            || (records.len() < rows.len() && has_equal_rows);
        if is_certain {
            for (record, row) in records.into_iter().zip(rows) {
                let is_similar = self.is_similar(record, row);
                let reason =
                    if is_similar { MatchReason::SameDayAndText } else { MatchReason::SameDay };
                self.take(record, row, reason, matches);
            }
            return;
        }
        let offered = rows.get(..rows.len().min(MAX_NEAR)).unwrap_or_default();
        for record in &records {
            let found = offered
                .iter()
                .filter_map(|row| self.found(*record, *row, MatchReason::SameDay))
                .collect();
            matches.review(found);
            set(&mut self.record_states, *record, State::Ambiguous);
        }
        rows.iter().for_each(|row| set(&mut self.row_states, *row, State::Ambiguous));
    }

    /// Assigns the remaining transactions to records within five days.
    fn assign_near(&mut self, matches: &mut Matches) {
        // The transactions near each record, and the number of records near each transaction.
        let mut near: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut uses: HashMap<usize, (u32, u32)> = HashMap::new();
        let mut is_complete = true;
        for (at, record) in
            self.records.iter().enumerate().filter(|(at, _)| self.is_free_record(*at))
        {
            let from = record.day.saturating_sub(MATCH_DAYS);
            let first = self.rows.partition_point(|row| row.day < from);
            let window = self.rows.iter().enumerate().skip(first);
            let mut window =
                window.take_while(|(_, row)| row.day <= record.day.saturating_add(MATCH_DAYS));
            let found: Vec<usize> = window
                .by_ref()
                .take(MAX_NEAR)
                .filter(|(row, found)| {
                    self.is_free_row(*row) && (!found.is_imported || found.is_transfer)
                })
                .map(|(row, _)| row)
                .collect();
            is_complete &= window.next().is_none();
            for row in &found {
                let (all, similar) = uses.entry(*row).or_default();
                *all += 1;
                *similar += u32::from(self.is_similar(at, *row));
            }
            if !found.is_empty() {
                near.push((at, found));
            }
        }
        for (record, rows) in near {
            let similar: Vec<usize> =
                rows.iter().copied().filter(|row| self.is_similar(record, *row)).collect();
            let used = |row: usize| uses.get(&row).copied().unwrap_or_default();
            let certain = match (rows.as_slice(), similar.as_slice()) {
                _ if !is_complete => None,
                (_, [row]) if used(*row).1 == 1 && !self.is_imported(*row) => {
                    Some((*row, MatchReason::NearDayAndText))
                }
                ([row], _) if used(*row).0 == 1 && self.is_transfer(*row) => {
                    Some((*row, MatchReason::Transfer))
                }
                _ => None,
            };
            if let Some((row, reason)) = certain.filter(|(row, _)| self.is_free_row(*row)) {
                self.take(record, row, reason, matches);
            } else {
                let free = rows.into_iter().filter(|row| self.is_free_row(*row));
                let found =
                    free.filter_map(|row| self.found(record, row, MatchReason::NearDay)).collect();
                matches.review(found);
            }
        }
    }

    fn take(&mut self, record: usize, row: usize, reason: MatchReason, matches: &mut Matches) {
        if let Some(found) = self.found(record, row, reason) {
            matches.take(found);
            set(&mut self.record_states, record, State::Assigned);
            set(&mut self.row_states, row, State::Assigned);
        }
    }

    fn found(&self, record: usize, row: usize, reason: MatchReason) -> Option<Found> {
        let (record, row) = (self.record(record)?, self.row(row)?);
        Some(Found {
            number: record.number,
            reason,
            distance: record.day.abs_diff(row.day),
            target: MatchTarget::Transaction(row.id),
            effect: row.effect,
        })
    }

    fn record(&self, at: usize) -> Option<&'a OpenRecord> {
        self.records.get(at)
    }

    fn row(&self, at: usize) -> Option<&'a Row> {
        self.rows.get(at)
    }

    fn is_similar(&self, record: usize, row: usize) -> bool {
        let sketches = self.record(record).zip(self.row(row));
        sketches.is_some_and(|(record, row)| record.sketch.is_similar(row.sketch))
    }

    fn is_imported(&self, row: usize) -> bool {
        self.row(row).is_some_and(|row| row.is_imported)
    }

    fn is_transfer(&self, row: usize) -> bool {
        self.row(row).is_some_and(|row| row.is_transfer)
    }

    fn is_free_record(&self, at: usize) -> bool {
        self.record_states.get(at) == Some(&State::Free)
    }

    fn is_free_row(&self, at: usize) -> bool {
        self.row_states.get(at) == Some(&State::Free)
    }
}

fn set(states: &mut [State], at: usize, state: State) {
    if let Some(slot) = states.get_mut(at) {
        *slot = state;
    }
}

fn all_equal<T: PartialEq>(mut values: impl Iterator<Item = T>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// Returns the pairs in which each is the only one of the other.
fn unique_pairs(
    ones: &[usize],
    others: &[usize],
    is_pair: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let only = |of: usize, from: &[usize], is_pair: &dyn Fn(usize, usize) -> bool| {
        let mut found = from.iter().copied().filter(|other| is_pair(of, *other));
        found.next().filter(|_| found.next().is_none())
    };
    let forward = |one, other| is_pair(one, other);
    let backward = |other, one| is_pair(one, other);
    ones.iter()
        .filter_map(|one| only(*one, others, &forward).map(|other| (*one, other)))
        .filter(|(one, other)| only(*other, ones, &backward) == Some(*one))
        .collect()
}

/// Transfers whose two sides are in different files, or on different accounts of one file.
struct Transfers<'a> {
    matcher: &'a Matcher<'a>,
    by_units: &'a [u32],
    halves: &'a [HalfTransfer],
}

/// The other side of a transfer.
#[derive(Debug, Clone, Copy)]
struct Half<'a> {
    target: MatchTarget,
    day: i32,
    /// Whether one of both names the account of the other.
    is_named: bool,
    record: Option<&'a OpenRecord>,
}

impl<'a> Transfers<'a> {
    fn assign(&self, matches: &mut Matches) {
        let mut taken: HashSet<MatchTarget> = HashSet::new();
        let mut found: Vec<Found> = Vec::new();
        let mut joined: Vec<(u32, u32, AccountId)> = Vec::new();
        let mut reviewed: Vec<Vec<Found>> = Vec::new();
        for position in self.by_units {
            let at = usize::try_from(*position).ok();
            let Some(record) = at.and_then(|at| self.matcher.records.get(at)) else { continue };
            if !self.is_free(record, matches) || taken.contains(&target(record)) {
                continue;
            }
            let halves = self.halves_of(record, matches);
            let Some(half) = self.certain(record, &halves, matches) else {
                if !halves.is_empty() {
                    reviewed.push(halves.iter().map(|half| offer(record, half)).collect());
                }
                continue;
            };
            if !taken.insert(half.target) {
                continue;
            }
            taken.insert(target(record));
            let Some(other) = half.record else {
                found.push(Found { reason: MatchReason::Transfer, ..offer(record, &half) });
                continue;
            };
            // The earlier one is recorded.
            let is_first = (record.day, record.number) < (other.day, other.number);
            let (main, second) = if is_first { (record, other) } else { (other, record) };
            joined.push((main.number, second.number, second.account));
            found.push(Found {
                number: second.number,
                reason: MatchReason::Transfer,
                distance: main.day.abs_diff(second.day),
                target: target(main),
                effect: MatchEffect::JoinRecord,
            });
        }
        found.into_iter().for_each(|row| matches.take(row));
        joined.into_iter().for_each(|(main, second, account)| matches.join(main, second, account));
        matches.sort();
        for rows in reviewed {
            let free = |row: &Found| !taken.contains(&row.target);
            let rows: Vec<Found> = rows.into_iter().filter(free).collect();
            let is_open = rows.first().is_some_and(|row| {
                matches.certain_row(row.number).is_none()
                    && matches.counterpart(row.number).is_none()
            });
            if is_open {
                matches.review(rows);
            }
        }
    }

    fn is_free(&self, record: &OpenRecord, matches: &Matches) -> bool {
        matches.certain_row(record.number).is_none()
    }

    /// Returns the only other side that names this one or is named by it, if that holds in both
    /// directions.
    fn certain(
        &self,
        record: &OpenRecord,
        halves: &[Half<'a>],
        matches: &Matches,
    ) -> Option<Half<'a>> {
        let half = only_named(halves)?;
        match half.record {
            Some(other) => {
                let back = only_named(&self.halves_of(other, matches))?;
                (back.target == target(record)).then_some(half)
            }
            None => {
                let rivals = self.rivals(record, &half, matches);
                (rivals == 1).then_some(half)
            }
        }
    }

    /// Returns the number of records that name the account of a transaction, or are named by it.
    fn rivals(&self, record: &OpenRecord, half: &Half<'_>, matches: &Matches) -> usize {
        let records = records_with(&self.matcher.records, self.by_units, record.units, half.day);
        records
            .take(MAX_NEAR)
            .filter(|rival| self.is_free(rival, matches))
            .filter(|rival| {
                let halves = self.halves_of(rival, matches);
                halves.iter().any(|other| other.target == half.target && other.is_named)
            })
            .count()
    }

    /// Returns the possible other sides of a record.
    fn halves_of(&self, record: &OpenRecord, matches: &Matches) -> Vec<Half<'a>> {
        let hint = self.matcher.hint(record);
        let from = (record.units, record.day.saturating_sub(MATCH_DAYS));
        let first = self.halves.partition_point(|half| (half.units, half.day) < from);
        let last = record.day.saturating_add(MATCH_DAYS);
        let transactions = self.halves.get(first..).unwrap_or_default().iter();
        let transactions = transactions
            .take_while(|half| half.units == record.units && half.day <= last)
            .take(MAX_NEAR)
            .filter(|half| half.account != record.account)
            .map(|half| Half {
                target: MatchTarget::Transaction(half.id),
                day: half.day,
                is_named: hint == Some(half.account) || half.hint == Some(record.account),
                record: None,
            });
        let opposite = record.units.saturating_neg();
        let matcher = self.matcher;
        let records = records_with(&matcher.records, self.by_units, opposite, record.day)
            .take(MAX_NEAR)
            .filter(|other| other.account != record.account && self.is_free(other, matches))
            .filter(|other| !matcher.is_locked(record) && !matcher.is_locked(other))
            .map(|other| Half {
                target: target(other),
                day: other.day,
                is_named: hint == Some(other.account)
                    || matcher.hint(other) == Some(record.account),
                record: Some(other),
            });
        transactions.chain(records).collect()
    }
}

fn only_named<'a>(halves: &[Half<'a>]) -> Option<Half<'a>> {
    let mut named = halves.iter().filter(|half| half.is_named);
    named.next().filter(|_| named.next().is_none()).copied()
}

const fn target(record: &OpenRecord) -> MatchTarget {
    MatchTarget::Record { number: record.number, account: record.account }
}

fn offer(record: &OpenRecord, half: &Half<'_>) -> Found {
    Found {
        number: record.number,
        reason: MatchReason::PossibleTransfer,
        distance: record.day.abs_diff(half.day),
        target: half.target,
        effect: match half.record {
            Some(_) => MatchEffect::JoinRecord,
            None => MatchEffect::SetOtherSide,
        },
    }
}

/// Offers drafts of pending records with a common word, the same direction and a similar amount.
fn offer_pending(records: &[OpenRecord], pending: &[PendingDraft], matches: &mut Matches) {
    if pending.is_empty() {
        return;
    }
    let mut offered = Vec::new();
    for record in records.iter().filter(|record| matches.certain_row(record.number).is_none()) {
        let mut found: Vec<Found> = Vec::new();
        for word in record.sketch.words() {
            let from = record.day.saturating_sub(super::matcher::PENDING_DAYS);
            let key = (record.account, word, from);
            let first =
                pending.partition_point(|draft| (draft.account, draft.word, draft.day) < key);
            let drafts = pending.get(first..).unwrap_or_default().iter();
            let drafts = drafts
                .take_while(|draft| (draft.account, draft.word) == (record.account, word))
                .take(MAX_NEAR)
                .filter(|draft| follows_pending(draft.day, record.day))
                .filter(|draft| is_similar_amount(draft.units, record.units))
                .map(|draft| Found {
                    number: record.number,
                    reason: MatchReason::PendingText,
                    distance: record.day.abs_diff(draft.day),
                    target: MatchTarget::Transaction(draft.id),
                    effect: MatchEffect::PostDraft,
                });
            found.extend(drafts);
        }
        found.sort_unstable();
        found.dedup();
        if !found.is_empty() {
            offered.push(found);
        }
    }
    offered.into_iter().for_each(|rows| matches.review(rows));
}

/// Returns whether a booked amount may be that of a pending record: same direction, at most a
/// quarter more or less. Hotels and fuel stations reserve another amount than they book.
fn is_similar_amount(pending: i64, booked: i64) -> bool {
    let same_direction = (pending < 0) == (booked < 0);
    let (pending, booked) = (pending.unsigned_abs(), booked.unsigned_abs());
    same_direction && pending.abs_diff(booked) <= pending / 4
}
