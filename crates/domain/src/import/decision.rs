//! Decisions of the user about single records, applied to the outcomes of the preview.

use std::collections::HashMap;

use time::Date;

use super::history::{Confidence, Suggestion};
use super::outcome::{
    Match, MatchReason, MatchTarget, NewReason, Outcome, OutcomeKind, SkipReason,
};
use super::posting::Other;
use super::refusal::Refusal;
use crate::id::{AccountId, TransactionId};
use crate::transaction::tags;

/// What a user decides about a record. Absent parts keep the preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// The number of the record.
    pub record: u32,
    /// The outcome: `NEW`, `MATCHED` or `SKIPPED`, or that of the preview.
    pub outcome: Option<OutcomeKind>,
    /// The other account.
    pub account: Option<Other>,
    /// What it is matched with: one of its candidates. It implies the outcome `MATCHED`.
    pub matched: Option<Choice>,
    /// The description.
    pub description: Option<String>,
    /// Hashtags to add, with or without `#`.
    pub tags: Vec<String>,
}

/// The candidate that a user chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    /// A transaction of the book.
    Transaction(TransactionId),
    /// Another record of the file, by its number.
    Record(u32),
}

impl Choice {
    fn is(self, target: MatchTarget) -> bool {
        match (self, target) {
            (Self::Transaction(id), MatchTarget::Transaction(other)) => id == other,
            (Self::Record(number), MatchTarget::Record { number: other, .. }) => number == other,
            (Self::Transaction(_), MatchTarget::Record { .. })
            | (Self::Record(_), MatchTarget::Transaction(_)) => false,
        }
    }
}

/// What the preview says about a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The number of the record.
    pub record: u32,
    /// The account of its statement.
    pub account: AccountId,
    /// Its date, if that is locked.
    pub locked_date: Option<Date>,
    /// The final outcome.
    pub outcome: Outcome,
    /// The candidates to review.
    pub candidates: Vec<Match>,
    /// The record that is matched with this one, and its account.
    pub counterpart: Option<(u32, AccountId)>,
    /// The other account, if a rule or the file names it.
    pub other: Option<Other>,
    /// The account of the book that has the counterparty's number.
    pub counterparty: Option<AccountId>,
    /// The suggested other account.
    pub suggestion: Option<Suggestion>,
    /// The description of the transaction.
    pub description: String,
}

/// What is recorded of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The outcome.
    pub outcome: Outcome,
    /// The other account of a new record; of a record with several legs, that of the legs that
    /// name none.
    pub other: Option<Other>,
    /// The record that is recorded in the same transaction, and its account.
    pub counterpart: Option<(u32, AccountId)>,
    /// The description with the added hashtags.
    pub description: String,
}

/// The decisions of a confirmation.
#[derive(Debug, Default)]
pub struct Decisions {
    by_record: HashMap<u32, Decision>,
    /// The records that decisions match with a record, by that record.
    joins: HashMap<u32, u32>,
    accept_above: Option<Confidence>,
    /// The record that has taken a match, by the match and the account.
    taken: HashMap<(MatchTarget, AccountId), u32>,
}

impl Decisions {
    /// Checks the decisions about a file of `total` records.
    ///
    /// Suggestions of at least `accept_above` are taken.
    ///
    /// # Errors
    /// [`Refusal`] for a record that does not exist, two decisions about one record, an invalid
    /// hashtag, a match without the outcome `MATCHED`, and that outcome without a match.
    pub fn new(
        decisions: Vec<Decision>,
        total: u32,
        accept_above: Option<Confidence>,
    ) -> Result<Self, Refusal> {
        let mut found = Self { accept_above, ..Self::default() };
        for mut decision in decisions {
            let record = decision.record;
            if record == 0 || record > total {
                return Err(Refusal::UnknownRecord(record, total));
            }
            for tag in &mut decision.tags {
                *tag = read_tag(record, tag)?;
            }
            match (decision.outcome, decision.matched) {
                (None, Some(_)) => decision.outcome = Some(OutcomeKind::Matched),
                (Some(kind), Some(_)) if kind != OutcomeKind::Matched => {
                    return Err(Refusal::MatchWithoutOutcome(record));
                }
                (_, None) | (Some(_), Some(_)) => {}
            }
            if let Some(Choice::Record(main)) = decision.matched
                && let Some(other) = found.joins.insert(main, record)
            {
                return Err(Refusal::MatchTaken(record, other));
            }
            if found.by_record.insert(record, decision).is_some() {
                return Err(Refusal::Repeated(record));
            }
        }
        Ok(found)
    }

    /// Returns what is recorded of a record. Every record of the file comes once.
    ///
    /// # Errors
    /// [`Refusal`] for an outcome that the record cannot have, a match that is not one of its
    /// candidates or is taken by another record, the account of the statement as the other account,
    /// a locked date, and values for a record that is not recorded.
    pub fn resolve(&mut self, proposal: &Proposal) -> Result<Resolution, Refusal> {
        let number = proposal.record;
        let decision = self.by_record.get(&number);
        let outcome = match decision {
            Some(decision) => decide(proposal, decision)?,
            None => proposal.outcome.clone(),
        };
        if let Outcome::Matched(found) = outcome {
            let taken = self.taken.insert((found.target, proposal.account), number);
            if let Some(other) = taken.filter(|other| *other != number) {
                return Err(Refusal::MatchTaken(number, other));
            }
            if let MatchTarget::Record { number: main, .. } = found.target {
                self.check_main(number, main)?;
            }
        }
        let counterpart = self.counterpart(proposal)?;
        let chosen = decision.and_then(|decision| decision.account.clone());
        if chosen == Some(Other::Account(proposal.account)) {
            return Err(Refusal::SameAccount(number));
        }
        let has_values = decision.is_some_and(|decision| {
            chosen.is_some() || decision.description.is_some() || !decision.tags.is_empty()
        });
        let is_new = outcome.kind() == OutcomeKind::New;
        if has_values && !is_new {
            return Err(Refusal::NotRecorded(number));
        }
        let other = if is_new { self.other(proposal, chosen, counterpart) } else { None };
        let description = describe(&proposal.description, decision);
        Ok(Resolution { outcome, other, counterpart, description })
    }

    /// Checks that the record which another one is matched with is recorded itself.
    fn check_main(&self, number: u32, main: u32) -> Result<(), Refusal> {
        let outcome = self.by_record.get(&main).and_then(|decision| decision.outcome);
        match outcome {
            Some(OutcomeKind::New) | None => Ok(()),
            Some(
                OutcomeKind::Existing
                | OutcomeKind::Matched
                | OutcomeKind::Skipped
                | OutcomeKind::Refused,
            ) => Err(Refusal::MainNotRecorded(number, main)),
        }
    }

    /// Returns the record that is recorded in the same transaction.
    fn counterpart(&self, proposal: &Proposal) -> Result<Option<(u32, AccountId)>, Refusal> {
        if let Some(second) = self.joins.get(&proposal.record) {
            let accounts = proposal.candidates.iter().filter_map(|found| match found.target {
                MatchTarget::Record { number, account } if number == *second => Some(account),
                MatchTarget::Record { .. } | MatchTarget::Transaction(_) => None,
            });
            let refusal = Refusal::NotACandidateRecord(*second, proposal.record);
            let own = proposal.counterpart.filter(|(number, _)| number == second);
            let account = accounts.chain(own.map(|(_, account)| account)).next().ok_or(refusal)?;
            return Ok(Some((*second, account)));
        }
        // A decision may have taken the second record away.
        Ok(proposal.counterpart.filter(|(second, _)| {
            self.by_record.get(second).is_none_or(|decision| match decision.outcome {
                None => true,
                Some(kind) => kind == OutcomeKind::Matched && decision.matched.is_none(),
            })
        }))
    }

    /// Returns the other account: from the decision, the transfer, the rule, the number of the
    /// counterparty, or a suggestion, in this order.
    fn other(
        &self,
        proposal: &Proposal,
        chosen: Option<Other>,
        counterpart: Option<(u32, AccountId)>,
    ) -> Option<Other> {
        let suggestion = proposal.suggestion.as_ref().filter(|suggestion| {
            self.accept_above.is_some_and(|least| suggestion.confidence() >= least)
        });
        chosen
            .or_else(|| counterpart.map(|(_, account)| Other::Account(account)))
            .or_else(|| proposal.other.clone())
            .or_else(|| proposal.counterparty.map(Other::Account))
            .or_else(|| suggestion.map(|suggestion| Other::Account(suggestion.account)))
    }
}

/// Applies a decision to the outcome of the preview.
fn decide(proposal: &Proposal, decision: &Decision) -> Result<Outcome, Refusal> {
    let number = proposal.record;
    let before = &proposal.outcome;
    let Some(kind) = decision.outcome else { return Ok(before.clone()) };
    let is_open = matches!(before, Outcome::New(_) | Outcome::Matched(_));
    let trashed = match before {
        Outcome::Skipped(SkipReason::Trashed(id)) => Some(*id),
        Outcome::New(_)
        | Outcome::Existing(_)
        | Outcome::Matched(_)
        | Outcome::Skipped(_)
        | Outcome::Refused(_) => None,
    };
    match (kind, decision.matched, trashed) {
        (OutcomeKind::Matched, Some(choice), _) if is_open => choose(proposal, choice),
        (kind, ..) if kind == before.kind() => Ok(before.clone()),
        (OutcomeKind::Matched, None, _) if is_open => Err(Refusal::MatchRequired(number)),
        (OutcomeKind::New, _, _) if is_open => check_lock(proposal, NewReason::Unknown),
        (OutcomeKind::New, _, Some(id)) => check_lock(proposal, NewReason::Restored(id)),
        (OutcomeKind::Skipped, ..) if is_open => Ok(Outcome::Skipped(SkipReason::Decision)),
        (
            OutcomeKind::New
            | OutcomeKind::Existing
            | OutcomeKind::Matched
            | OutcomeKind::Skipped
            | OutcomeKind::Refused,
            ..,
        ) => Err(Refusal::Outcome(number, before.kind().as_str(), kind.as_str())),
    }
}

fn check_lock(proposal: &Proposal, reason: NewReason) -> Result<Outcome, Refusal> {
    match proposal.locked_date {
        Some(date) => Err(Refusal::Locked(proposal.record, crate::calendar::format_iso(date))),
        None => Ok(Outcome::New(reason)),
    }
}

fn choose(proposal: &Proposal, choice: Choice) -> Result<Outcome, Refusal> {
    let current = match &proposal.outcome {
        Outcome::Matched(found) => Some(*found),
        Outcome::New(_) | Outcome::Existing(_) | Outcome::Skipped(_) | Outcome::Refused(_) => None,
    };
    if let Some(found) = current.filter(|found| choice.is(found.target)) {
        return Ok(Outcome::Matched(found));
    }
    let found = proposal.candidates.iter().find(|found| choice.is(found.target));
    match (found, choice) {
        (Some(found), _) => Ok(Outcome::Matched(Match { reason: MatchReason::Decision, ..*found })),
        (None, Choice::Transaction(id)) => Err(Refusal::NotACandidate(proposal.record, id)),
        (None, Choice::Record(other)) => Err(Refusal::NotACandidateRecord(proposal.record, other)),
    }
}

/// Reads a hashtag with or without `#`.
fn read_tag(record: u32, text: &str) -> Result<String, Refusal> {
    let tag = text.trim();
    let tag = tag.strip_prefix('#').unwrap_or(tag);
    if tag.is_empty() || tags::leading(tag) != tag {
        return Err(Refusal::Tag(record, text.chars().take(60).collect()));
    }
    Ok(tag.to_owned())
}

/// Returns the description with the hashtags that it does not have yet.
fn describe(description: &str, decision: Option<&Decision>) -> String {
    let Some(decision) = decision else { return description.to_owned() };
    let mut text = decision.description.as_deref().unwrap_or(description).trim().to_owned();
    for tag in &decision.tags {
        if !tags::of(&text).iter().any(|known| tags::key(known) == tags::key(tag)) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push('#');
            text.push_str(tag);
        }
    }
    text
}
