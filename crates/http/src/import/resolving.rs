//! The decisions about records, and the accounts of their transactions.

use std::collections::{BTreeSet, HashSet};

use daybook_domain::access::Access;
use daybook_domain::id::AccountId;
use daybook_domain::import::{
    Decisions, Match, MatchEffect, Other, OutcomeKind, Posting, PostingOptions, Proposal, Refusal,
    Side, Suggestion, UNCATEGORISED_EXPENSES, UNCATEGORISED_INCOME, posting,
};
use daybook_domain::permission::Action;

use super::chart::{Names, account_document};
use super::document::{AccountDoc, NewAccountDoc, OptionsDoc, OtherDoc, RecordDoc};

/// Returns what decides between postings and drafts.
pub(super) fn posting_options(access: &Access, options: &OptionsDoc) -> PostingOptions {
    PostingOptions { open_as_draft: options.drafts, drafts_only: !access.may(Action::Post) }
}

/// Resolves records, one after another.
pub(super) struct Resolver<'r, 'n> {
    names: &'r Names<'n>,
    options: PostingOptions,
    decisions: Decisions,
    /// The names of the accounts that may be created; `None` for all.
    allowed: Option<HashSet<String>>,
    new_accounts: BTreeSet<NewAccountDoc>,
}

impl<'r, 'n> Resolver<'r, 'n> {
    /// Creates a resolver; `None` stands for no decisions.
    pub(super) fn new(
        names: &'r Names<'n>,
        options: PostingOptions,
        decisions: Option<(Decisions, Option<HashSet<String>>)>,
    ) -> Self {
        let (decisions, allowed) = decisions.unwrap_or_default();
        Self { names, options, decisions, allowed, new_accounts: BTreeSet::new() }
    }

    /// Returns the accounts to create.
    pub(super) fn into_new_accounts(self) -> BTreeSet<NewAccountDoc> {
        self.new_accounts
    }

    /// Applies the decisions to a record that was read. If `is_final`, the other account is the one
    /// that is recorded.
    ///
    /// # Errors
    /// Refusals of the decisions.
    pub(super) fn resolve(
        &mut self,
        record: &mut RecordDoc,
        is_final: bool,
    ) -> Result<(), Refusal> {
        if !record.entry.is_empty() {
            return self.resolve_entry(record);
        }
        let outcome = record.outcome();
        let proposal = Proposal {
            record: record.number,
            account: AccountId::new(record.account),
            locked_date: record.locked_date(),
            candidates: record.candidates.iter().map(Match::from).collect(),
            counterpart: record.counterpart.map(|(other, id)| (other, AccountId::new(id))),
            other: record.other.as_ref().map(Other::from),
            counterparty: record.counterparty_account.map(AccountId::new),
            suggestion: record.suggestion.as_ref().map(Suggestion::from),
            description: record.description.clone(),
            outcome,
        };
        let resolution = self.decisions.resolve(&proposal)?;
        if resolution.outcome != proposal.outcome {
            record.set_outcome(&resolution.outcome);
        }
        if resolution.counterpart.is_none() {
            record.joined_remote_id = None;
        }
        record.description = resolution.description;
        let other = resolution.other.filter(|other| self.may_create(other));
        if is_final {
            record.other = other.as_ref().map(OtherDoc::from);
            for leg in &mut record.legs {
                let own = leg.other.as_ref().map(Other::from);
                let own = own.filter(|own| self.may_create(own)).or_else(|| other.clone());
                leg.other = own.as_ref().map(OtherDoc::from);
            }
        }
        record.draft = false;
        record.uncategorised = false;
        record.from = None;
        record.to = None;
        if record.kind() == OutcomeKind::New || posts_draft(record) {
            self.set_sides(record, other.as_ref());
        }
        Ok(())
    }

    /// Applies the decisions to an entry of a journal, whose accounts are those of the file. An
    /// entry on an account that is not created is refused.
    fn resolve_entry(&self, record: &mut RecordDoc) -> Result<(), Refusal> {
        let before = record.outcome();
        let (outcome, description) = self.decisions.resolve_entry(
            record.number,
            before.clone(),
            record.locked_date(),
            &record.description,
        )?;
        if outcome != before {
            record.set_outcome(&outcome);
        }
        record.describe(description);
        if record.kind() != OutcomeKind::New {
            record.draft = false;
            return Ok(());
        }
        let mut sides = record.entry.iter().flat_map(|leg| leg.credit.iter().chain(&leg.debit));
        let missing = sides.find(|name| {
            let known = self.names.find_by_name(name).is_some_and(|known| !known.archived);
            !known && !self.may_create_named(name)
        });
        if let Some(name) = missing.cloned() {
            let shown: String = name.chars().take(60).collect();
            record.refuse(&format!("account \"{shown}\" is not created"));
        }
        Ok(())
    }

    fn may_create(&self, other: &Other) -> bool {
        match other {
            Other::Account(_) => true,
            Other::Named(name) => self.may_create_named(name),
        }
    }

    /// Returns whether an account of this name may be created.
    pub(super) fn may_create_named(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
    }

    /// Sets the accounts of the transaction of a new record, or of its first part.
    fn set_sides(&mut self, record: &mut RecordDoc, other: Option<&Other>) {
        let postings = postings(record, other, self.options);
        let mut sides = None;
        for posting in &postings {
            record.draft |= posting.is_draft;
            let both = [&posting.credit, &posting.debit].map(|side| self.side(side));
            let unknown = [UNCATEGORISED_EXPENSES, UNCATEGORISED_INCOME];
            let is_unknown = |side: &Option<AccountDoc>| {
                side.as_ref().is_some_and(|side| unknown.contains(&side.name.as_str()))
            };
            record.uncategorised |= both.iter().any(is_unknown);
            sides = sides.or(Some(both));
        }
        let [from, to] = sides.unwrap_or_default();
        record.from = from;
        record.to = to;
    }

    fn side(&mut self, side: &Side) -> Option<AccountDoc> {
        match side {
            Side::Open => None,
            Side::Account(id) => self.names.get(*id).map(account_document),
            Side::Create(new) => {
                let known = self.names.find(&new.name);
                // An archived one, as after an undo, is taken out of the archive.
                if known.is_none_or(|known| known.archived) {
                    let (name, kind) = (new.name.clone(), new.kind.as_str().to_owned());
                    self.new_accounts.insert(NewAccountDoc { name, r#type: kind, group: None });
                }
                let to_create = || AccountDoc { id: None, name: new.name.clone() };
                Some(known.map_or_else(to_create, account_document))
            }
        }
    }
}

/// Returns whether the record is matched with a draft that is posted.
fn posts_draft(record: &RecordDoc) -> bool {
    let found = record.matched.as_ref().map(Match::from);
    found.is_some_and(|found| found.effect == MatchEffect::PostDraft)
}

/// Returns the postings of a new record: one, or one for each of its parts.
pub(super) fn postings(
    record: &RecordDoc,
    other: Option<&Other>,
    options: PostingOptions,
) -> Vec<Posting> {
    let read = record.to_record();
    if read.legs.is_empty() {
        return vec![posting(&read, None, other, options)];
    }
    let legs = read.legs.iter();
    legs.map(|leg| posting(&read, Some(leg), leg.other.as_ref().or(other), options)).collect()
}
