//! The outcome of a record, from what the book has with its remote ids.

use time::Date;

use super::identity::Identity;
use super::matches::Matches;
use super::outcome::{
    ExistingReason, Match, MatchEffect, MatchReason, MatchTarget, NewReason, Outcome, RefuseReason,
    SkipReason,
};
use super::record::{Record, Status};
use super::text::{Sketch, normalize};
use crate::id::TransactionId;

/// The choices of the user that decide about outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether records that a person trashed are brought back.
    pub restore_trashed: bool,
    /// The last locked day of the book.
    pub locked_until: Option<Date>,
}

impl Options {
    /// Returns the date of a record if it is locked.
    pub fn locked_date(self, date: Option<Date>) -> Option<Date> {
        let until = self.locked_until?;
        date.filter(|date| *date <= until)
    }
}

/// A transaction of the book with one of the remote ids of a record, or paired with it by a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The remote id that was looked up.
    pub remote_id: String,
    /// The transaction.
    pub transaction: TransactionId,
    /// Whether it is in the trash, and why.
    pub state: FindingState,
    /// Its effect on the account of the record at the storage scale, positive into the account. Of
    /// an entry of several legs it is the sum. `None` if the amount or that side is missing.
    pub units: Option<i64>,
    /// Its date.
    pub date: Option<Date>,
    /// Its description.
    pub description: String,
}

/// Whether a transaction with a remote id of a record is in the trash, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingState {
    /// It is a draft or posted.
    Live,
    /// A person trashed it.
    Trashed,
    /// The undo of its run trashed it, so it counts as never imported.
    Undone,
}

/// Returns the outcome of a record from the transactions with its remote ids.
///
/// `findings` has those of [`Identity::lookups`]. A live transaction counts before trashed ones.
/// The result is `Existing`, `Skipped`, `New`, or `Matched` with the draft of a pending record.
/// [`finish`] turns `New` into the final outcome.
pub fn classify(
    record: &Record,
    identity: &Identity,
    findings: &[Finding],
    options: Options,
) -> Outcome {
    if let Some(first) = identity.repeats {
        return Outcome::Existing(ExistingReason::Repetition(first));
    }
    if record.units == 0 {
        return Outcome::Skipped(SkipReason::Zero);
    }
    let by_state = |state| findings.iter().filter(move |finding| finding.state == state);
    let mut pending = None;
    let mut reason = NewReason::Unknown;
    for finding in by_state(FindingState::Live) {
        match compare(record, identity, finding) {
            Comparison::Same(existing) => return Outcome::Existing(existing),
            Comparison::Pending => pending = pending.or(Some(finding.transaction)),
            Comparison::Reuse => reason = NewReason::ReusedId(finding.transaction),
            Comparison::Other => {}
        }
    }
    if let Some(draft) = pending {
        return Outcome::Matched(Match {
            target: MatchTarget::Transaction(draft),
            reason: MatchReason::PendingForm,
            effect: MatchEffect::PostDraft,
        });
    }
    let trashed = by_state(FindingState::Trashed)
        .find(|finding| matches!(compare(record, identity, finding), Comparison::Same(_)));
    match (trashed, options.restore_trashed) {
        (Some(finding), false) => Outcome::Skipped(SkipReason::Trashed(finding.transaction)),
        (Some(finding), true) => Outcome::New(NewReason::Restored(finding.transaction)),
        (None, _) => Outcome::New(reason),
    }
}

enum Comparison {
    /// It is the transaction of the record.
    Same(ExistingReason),
    /// It is the draft of the pending form of the record.
    Pending,
    /// It has the id of the record but is another movement.
    Reuse,
    /// It belongs to another record of the file.
    Other,
}

/// Compares a record with a transaction that has one of its remote ids.
///
/// A hashed or counted id covers day, amount and text, so the transaction is that of the record
/// whatever a person changed since. An id of the source alone does not: banks number the rows of a
/// day anew. There an equal amount or text confirms it.
fn compare(record: &Record, identity: &Identity, finding: &Finding) -> Comparison {
    let is_other_form = identity.other_form.as_ref() == Some(&finding.remote_id);
    if is_other_form && record.status == Status::Booked {
        // Banks give the id of a pending record to other records too.
        let is_counted = identity.alternate.is_none();
        let is_similar = || Sketch::of(&finding.description).is_similar(Sketch::of(&record.text));
        return if is_counted || is_similar() { Comparison::Pending } else { Comparison::Other };
    }
    let is_primary = identity.remote_id == finding.remote_id;
    let covers_content = match (&identity.alternate, identity.is_ambiguous) {
        (None, _) => true,
        (Some(_), true) => is_primary,
        (Some(_), false) => !is_primary && !is_other_form,
    };
    if covers_content {
        return Comparison::Same(ExistingReason::RemoteId(finding.transaction));
    }
    let differs_in_amount = finding.units != Some(record.units);
    let differs_in_date = finding.date != record.date;
    let description = normalize(&finding.description);
    let has_text =
        [&record.description, &record.text].into_iter().any(|text| normalize(text) == description);
    let transaction = finding.transaction;
    if identity.is_ambiguous {
        // The plain id may be that of any record of the file with it.
        return if differs_in_amount || differs_in_date {
            Comparison::Other
        } else {
            Comparison::Same(ExistingReason::RemoteId(transaction))
        };
    }
    match (differs_in_amount, differs_in_date) {
        (false, false) => Comparison::Same(ExistingReason::RemoteId(transaction)),
        (true, _) if !has_text => Comparison::Reuse,
        (amount, date) => Comparison::Same(ExistingReason::Changed { transaction, amount, date }),
    }
}

/// Returns the final outcome of a record: a new one may be matched, or its date locked.
pub fn finish(record: &Record, outcome: Outcome, matches: &Matches, options: Options) -> Outcome {
    let Outcome::New(reason) = outcome else { return outcome };
    if let Some(found) = matches.certain(record.number) {
        return Outcome::Matched(found);
    }
    match options.locked_date(record.date) {
        Some(date) => Outcome::Refused(RefuseReason::Locked(date)),
        None => Outcome::New(reason),
    }
}
