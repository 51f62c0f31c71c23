//! Decisions of the user about single records, applied to the outcomes of the preview.

use std::collections::HashMap;

use time::Date;

use super::history::{Confidence, Suggestion};
use super::outcome::{
    Match, MatchReason, MatchTarget, NewReason, Outcome, OutcomeKind, SkipReason,
};
use super::record::Other;
use super::refusal::Refusal;
use crate::id::{AccountId, TransactionId};
use crate::transaction::tags;

/// The decision of a user about a record. Absent parts keep the preview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// The number of the record.
    pub record: u32,
    /// The outcome: `NEW`, `MATCHED` or `SKIPPED`, or that of the preview.
    pub outcome: Option<OutcomeKind>,
    /// The other account.
    pub account: Option<Other>,
    /// The match, which is one of its candidates. It implies the outcome `MATCHED`.
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

/// A record as the preview shows it.
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

/// The data that are recorded for a record.
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

    /// Returns the outcome and the description of an entry of a journal. `locked_date` is its date,
    /// if that is locked.
    ///
    /// # Errors
    /// [`Refusal`] for an account or a match, and those of [`Self::resolve`] for outcomes and
    /// values.
    pub fn resolve_entry(
        &self,
        record: u32,
        outcome: Outcome,
        locked_date: Option<Date>,
        description: &str,
    ) -> Result<(Outcome, String), Refusal> {
        let Some(decision) = self.by_record.get(&record) else {
            return Ok((outcome, description.to_owned()));
        };
        if decision.account.is_some() {
            return Err(Refusal::AccountOfEntry(record));
        }
        let proposal = Proposal {
            record,
            account: AccountId::new(0),
            locked_date,
            outcome,
            candidates: Vec::new(),
            counterpart: None,
            other: None,
            counterparty: None,
            suggestion: None,
            description: description.to_owned(),
        };
        let outcome = decide(&proposal, decision)?;
        let has_values = decision.description.is_some() || !decision.tags.is_empty();
        if has_values && outcome.kind() != OutcomeKind::New {
            return Err(Refusal::NotRecorded(record));
        }
        Ok((outcome, describe(description, Some(decision))))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ExistingReason, MatchEffect, RefuseReason};

    const BANK: AccountId = AccountId::new(1);
    const FOOD: AccountId = AccountId::new(2);
    const SAVINGS: AccountId = AccountId::new(3);

    fn candidate(target: MatchTarget, reason: MatchReason) -> Match {
        let effect = match target {
            MatchTarget::Transaction(_) => MatchEffect::AddRemoteId,
            MatchTarget::Record { .. } => MatchEffect::JoinRecord,
        };
        Match { target, reason, effect }
    }

    fn transaction(id: i64) -> MatchTarget {
        MatchTarget::Transaction(TransactionId::new(id))
    }

    fn proposal(record: u32, outcome: Outcome) -> Proposal {
        Proposal {
            record,
            account: BANK,
            locked_date: None,
            outcome,
            candidates: vec![candidate(transaction(7), MatchReason::NearDay)],
            counterpart: None,
            other: None,
            counterparty: None,
            suggestion: None,
            description: "NETFLIX #tv".to_owned(),
        }
    }

    fn new_record(record: u32) -> Proposal {
        proposal(record, Outcome::New(NewReason::Unknown))
    }

    fn decide(decision: Decision, proposal: &Proposal) -> Result<Resolution, Refusal> {
        Decisions::new(vec![decision], 9, None)?.resolve(proposal)
    }

    fn kind(record: u32, outcome: OutcomeKind) -> Decision {
        Decision { record, outcome: Some(outcome), ..Decision::default() }
    }

    fn choice(record: u32, choice: Choice) -> Decision {
        Decision { record, matched: Some(choice), ..Decision::default() }
    }

    #[test]
    fn outcomes_change_where_the_record_allows_it() {
        use OutcomeKind::{Existing, Matched, New, Refused, Skipped};
        let certain = candidate(transaction(8), MatchReason::SameDay);
        let trashed = Outcome::Skipped(SkipReason::Trashed(TransactionId::new(5)));
        let existing = Outcome::Existing(ExistingReason::RemoteId(TransactionId::new(5)));
        let new = Outcome::New(NewReason::Unknown);
        let outcomes = [
            (new, [true, false, false, true, false]),
            (existing, [false, true, false, false, false]),
            (Outcome::Matched(certain), [true, false, true, true, false]),
            (trashed, [true, false, false, true, false]),
            (Outcome::Skipped(SkipReason::Rule(3)), [false, false, false, true, false]),
            (Outcome::Refused(RefuseReason::TooLarge), [false, false, false, false, true]),
        ];
        for (outcome, allowed) in outcomes {
            for (decided, allowed) in
                [New, Existing, Matched, Skipped, Refused].into_iter().zip(allowed)
            {
                let result = decide(kind(1, decided), &proposal(1, outcome.clone()));
                let found = result.map(|resolution| resolution.outcome.kind());
                assert_eq!(found.ok(), allowed.then_some(decided), "{outcome:?} {decided:?}");
            }
        }
        let required = decide(kind(1, Matched), &new_record(1));
        assert_eq!(required, Err(Refusal::MatchRequired(1)));
        let locked = Proposal {
            locked_date: crate::calendar::parse_iso("2026-01-01"),
            ..proposal(1, Outcome::Matched(certain))
        };
        assert_eq!(decide(kind(1, New), &locked), Err(Refusal::Locked(1, "2026-01-01".to_owned())));
    }

    #[test]
    fn match_is_a_candidate_and_taken_once() {
        let seven = choice(1, Choice::Transaction(TransactionId::new(7)));
        let found = decide(seven.clone(), &new_record(1)).unwrap().outcome;
        let expected = candidate(transaction(7), MatchReason::Decision);
        assert_eq!(found, Outcome::Matched(expected));
        let other = TransactionId::new(6);
        let refused = decide(choice(1, Choice::Transaction(other)), &new_record(1));
        assert_eq!(refused, Err(Refusal::NotACandidate(1, other)));
        let refused = decide(choice(1, Choice::Record(3)), &new_record(1));
        assert_eq!(refused, Err(Refusal::NotACandidateRecord(1, 3)));
        let mut decisions = Decisions::new(vec![seven], 9, None).unwrap();
        decisions.resolve(&new_record(1)).unwrap();
        let second = candidate(transaction(7), MatchReason::SameDay);
        let second = proposal(2, Outcome::Matched(second));
        assert_eq!(decisions.resolve(&second), Err(Refusal::MatchTaken(2, 1)));
        // On another account it is the other side of the transaction.
        let savings = Proposal { account: SAVINGS, ..second };
        assert!(decisions.resolve(&savings).is_ok());
    }

    #[test]
    fn decided_transfer_joins_two_records() {
        let possible = |number, account| {
            candidate(MatchTarget::Record { number, account }, MatchReason::PossibleTransfer)
        };
        let main = Proposal { candidates: vec![possible(2, SAVINGS)], ..new_record(1) };
        let second =
            Proposal { account: SAVINGS, candidates: vec![possible(1, BANK)], ..new_record(2) };
        let join = choice(2, Choice::Record(1));
        let mut decisions = Decisions::new(vec![join.clone()], 9, None).unwrap();
        let resolution = decisions.resolve(&main).unwrap();
        assert_eq!(resolution.counterpart, Some((2, SAVINGS)));
        assert_eq!(resolution.other, Some(Other::Account(SAVINGS)));
        assert_eq!(decisions.resolve(&second).unwrap().outcome.kind(), OutcomeKind::Matched);
        // The record that it is matched with has to be recorded.
        let both = vec![join.clone(), kind(1, OutcomeKind::Skipped)];
        let mut decisions = Decisions::new(both, 9, None).unwrap();
        assert_eq!(decisions.resolve(&second), Err(Refusal::MainNotRecorded(2, 1)));
        let both = vec![join, choice(1, Choice::Record(2))];
        let mut decisions = Decisions::new(both, 9, None).unwrap();
        assert_eq!(decisions.resolve(&second), Err(Refusal::MainNotRecorded(2, 1)));
        // A decision takes the second record of a found transfer away.
        let main = Proposal { counterpart: Some((2, SAVINGS)), ..main };
        let alone = kind(2, OutcomeKind::New);
        let mut decisions = Decisions::new(vec![alone], 9, None).unwrap();
        let resolution = decisions.resolve(&main).unwrap();
        assert_eq!((resolution.counterpart, resolution.other), (None, None));
    }

    #[test]
    fn other_account_is_the_first_one_known() {
        let suggestion = |uses| Suggestion {
            account: AccountId::new(14),
            word: "NETFLIX".to_owned(),
            uses,
            all: uses,
        };
        let account = |id| Some(Other::Account(AccountId::new(id)));
        let mut proposal = Proposal {
            counterpart: Some((2, AccountId::new(11))),
            other: account(12),
            counterparty: Some(AccountId::new(13)),
            suggestion: Some(suggestion(7)),
            ..new_record(1)
        };
        let decision = Decision { record: 1, account: account(10), ..Decision::default() };
        assert_eq!(decide(decision, &proposal).unwrap().other, account(10));
        let accept = Some(Confidence::from_ten_thousandths(9_500));
        let other = |proposal: &Proposal, accept| {
            Decisions::new(Vec::new(), 9, accept).unwrap().resolve(proposal).unwrap().other
        };
        assert_eq!(other(&proposal, accept), account(11));
        proposal.counterpart = None;
        assert_eq!(other(&proposal, accept), account(12));
        proposal.other = None;
        assert_eq!(other(&proposal, accept), account(13));
        proposal.counterparty = None;
        assert_eq!(other(&proposal, accept), account(14));
        assert_eq!(other(&proposal, None), None);
        proposal.suggestion = Some(suggestion(4));
        assert_eq!(other(&proposal, accept), None);
    }

    #[test]
    fn values_belong_to_recorded_records() {
        let values = Decision {
            record: 1,
            account: Some(Other::Account(FOOD)),
            description: Some(" Netflix #TV ".to_owned()),
            tags: vec!["#tv".to_owned(), "home".to_owned()],
            ..Decision::default()
        };
        let resolution = decide(values.clone(), &new_record(1)).unwrap();
        assert_eq!(resolution.description, "Netflix #TV #home");
        let skip = Decision { outcome: Some(OutcomeKind::Skipped), ..values.clone() };
        assert_eq!(decide(skip, &new_record(1)), Err(Refusal::NotRecorded(1)));
        let same = Decision { account: Some(Other::Account(BANK)), ..values };
        assert_eq!(decide(same, &new_record(1)), Err(Refusal::SameAccount(1)));
    }

    #[test]
    fn invalid_decisions_are_refused() {
        let seven = Choice::Transaction(TransactionId::new(7));
        let skip = kind(1, OutcomeKind::Skipped);
        let tag = |tag: &str| Decision { tags: vec![tag.to_owned()], ..skip.clone() };
        for (decisions, expected) in [
            (vec![kind(0, OutcomeKind::New)], Refusal::UnknownRecord(0, 9)),
            (vec![kind(10, OutcomeKind::New)], Refusal::UnknownRecord(10, 9)),
            (vec![skip.clone(), skip.clone()], Refusal::Repeated(1)),
            (
                vec![Decision { matched: Some(seven), ..skip.clone() }],
                Refusal::MatchWithoutOutcome(1),
            ),
            (
                vec![choice(1, Choice::Record(3)), choice(2, Choice::Record(3))],
                Refusal::MatchTaken(2, 1),
            ),
            (vec![tag("a b")], Refusal::Tag(1, "a b".to_owned())),
            (vec![tag("#")], Refusal::Tag(1, "#".to_owned())),
        ] {
            assert_eq!(Decisions::new(decisions, 9, None).unwrap_err(), expected);
        }
    }
}
