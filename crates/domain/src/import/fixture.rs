//! A book in memory that files are imported into.

use std::collections::BTreeMap;

use time::Date;

use super::*;
use crate::calendar::parse_iso;
use crate::id::{AccountId, TransactionId};

pub(super) const BANK: AccountId = AccountId::new(1);
pub(super) const SAVINGS: AccountId = AccountId::new(2);
pub(super) const FOOD: AccountId = AccountId::new(3);
pub(super) const OPEN_OUT: AccountId = AccountId::new(8);
pub(super) const OPEN_IN: AccountId = AccountId::new(9);

pub(super) fn day(text: &str) -> Date {
    parse_iso(text).unwrap()
}

/// A booked record on an account, without an id.
pub(super) fn record(account: AccountId, date: &str, text: &str, units: i64) -> Record {
    Record {
        number: 0,
        account,
        account_number: None,
        date: Some(day(date)),
        units,
        text: text.to_owned(),
        description: text.to_owned(),
        source_id: None,
        status: Status::Booked,
        counterparty: None,
        other: None,
        legs: Vec::new(),
    }
}

pub(super) fn with_id(id: &str, record: Record) -> Record {
    Record { source_id: Some(id.to_owned()), ..record }
}

pub(super) fn pending(record: Record) -> Record {
    Record { status: Status::Pending, ..record }
}

/// A transaction of the book.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: TransactionId,
    pub(super) date: Option<Date>,
    pub(super) units: i64,
    pub(super) credit: Option<AccountId>,
    pub(super) debit: Option<AccountId>,
    pub(super) description: String,
    pub(super) remote_ids: Vec<String>,
    pub(super) entry_id: Option<String>,
    pub(super) second_date: Option<Date>,
    pub(super) is_draft: bool,
    pub(super) lock: Option<LockReason>,
    pub(super) state: FindingState,
}

/// A book in memory.
#[derive(Debug)]
pub(super) struct Book {
    own: OwnAccounts,
    pub(super) entries: Vec<Entry>,
    /// The pairs of remote ids and transactions that runs store.
    pub(super) pairs: Vec<(String, TransactionId)>,
    pub(super) options: Options,
}

/// The result of an import.
pub(super) struct Import {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) candidates: Vec<Vec<Match>>,
}

impl Import {
    pub(super) fn kinds(&self) -> String {
        let letter = |outcome: &Outcome| match outcome.kind() {
            OutcomeKind::New => 'N',
            OutcomeKind::Existing => 'E',
            OutcomeKind::Matched => 'M',
            OutcomeKind::Skipped => 'S',
            OutcomeKind::Refused => 'R',
        };
        self.outcomes.iter().map(letter).collect()
    }
}

impl Book {
    pub(super) fn new() -> Self {
        let own = |id, name: &str, number: &str| OwnAccount {
            id,
            name: name.to_owned(),
            number: Some(number.to_owned()),
        };
        Self {
            own: OwnAccounts::new([own(BANK, "Bank", "DE 01"), own(SAVINGS, "Savings", "DE 02")]),
            entries: Vec::new(),
            pairs: Vec::new(),
            options: Options::default(),
        }
    }

    /// Adds a hand-made posting.
    pub(super) fn post(
        &mut self,
        date: &str,
        text: &str,
        units: i64,
        credit: AccountId,
        debit: AccountId,
    ) -> &mut Entry {
        let id = TransactionId::new(i64::try_from(self.entries.len()).unwrap() + 100);
        self.entries.push(Entry {
            id,
            date: Some(day(date)),
            units,
            credit: Some(credit),
            debit: Some(debit),
            description: text.to_owned(),
            remote_ids: Vec::new(),
            entry_id: None,
            second_date: None,
            is_draft: false,
            lock: None,
            state: FindingState::Live,
        });
        self.entries.last_mut().unwrap()
    }

    fn findings(&self, record: &Record, identity: &Identity) -> Vec<Finding> {
        let mut found = Vec::new();
        for id in identity.lookups() {
            for entry in &self.entries {
                let is_paired = self.pairs.iter().any(|(pair, of)| pair == id && *of == entry.id);
                if is_paired || entry.remote_ids.iter().any(|own| own == id) {
                    found.push(Finding {
                        remote_id: id.to_owned(),
                        transaction: entry.id,
                        state: entry.state,
                        units: Some(entry.effect(record.account)),
                        date: entry.date,
                        description: entry.description.clone(),
                    });
                }
            }
        }
        found
    }

    /// Imports a file as a confirmation without decisions does.
    pub(super) fn import(&mut self, records: &[Record]) -> Import {
        self.import_as("csv", records)
    }

    pub(super) fn import_as(&mut self, scheme: &'static str, records: &[Record]) -> Import {
        let mut records = records.to_vec();
        (1..).zip(&mut records).for_each(|(number, record)| record.number = number);
        let mut census = Census::new(scheme, 2);
        records.iter().for_each(|record| census.add(record));
        let identities = census.finish();
        let own = self.own.clone();
        let until = self.options.locked_until;
        let mut matcher =
            Matcher::new(scheme, &own, vec![OPEN_OUT, OPEN_IN]).with_locked_until(until);
        let mut outcomes = Vec::new();
        for record in &records {
            let identity = identities.identify(record);
            let findings = self.findings(record, &identity);
            let outcome = classify(record, &identity, &findings, self.options);
            matcher.add_record(record, &outcome);
            outcomes.push(outcome);
        }
        let mut offers = matcher.ready();
        for entry in self.entries.iter().filter(|entry| entry.state == FindingState::Live) {
            offers.add_transaction(&self.facts(entry));
        }
        let matches = offers.assign();
        let outcomes: Vec<Outcome> = records
            .iter()
            .zip(outcomes)
            .map(|(record, outcome)| finish(record, outcome, &matches, self.options))
            .collect();
        let mut by_record = BTreeMap::new();
        for (record, outcome) in records.iter().zip(&outcomes) {
            let id = identities.identify(record).recorded_id(outcome).to_owned();
            if let Outcome::New(_) = outcome {
                let counterpart = matches.counterpart(record.number);
                let id = self.record(record, id, counterpart.map(|(_, account)| account));
                by_record.insert(record.number, id);
            }
        }
        for (record, outcome) in records.iter().zip(&outcomes) {
            if let Outcome::Matched(found) = outcome {
                let id = identities.identify(record).recorded_id(outcome).to_owned();
                self.join(record, id, *found, &by_record);
            }
        }
        let candidates = records.iter().map(|record| matches.candidates(record.number)).collect();
        Import { outcomes, candidates }
    }

    fn facts<'a>(&'a self, entry: &'a Entry) -> TransactionFacts<'a> {
        let paired = self.pairs.iter().filter(|(_, of)| *of == entry.id).map(|(id, _)| id);
        TransactionFacts {
            id: entry.id,
            date: entry.date,
            units: Some(entry.units),
            credit: entry.credit,
            debit: entry.debit,
            description: &entry.description,
            remote_ids: entry.remote_ids.iter().chain(paired).map(String::as_str).collect(),
            entry_id: entry.entry_id.as_deref(),
            is_draft: entry.is_draft,
            lock: entry.lock,
        }
    }

    fn record(
        &mut self,
        record: &Record,
        remote_id: String,
        counterpart: Option<AccountId>,
    ) -> TransactionId {
        let other = counterpart.map(Other::Account).or_else(|| record.other.clone());
        let posting = posting(record, None, other.as_ref(), PostingOptions::default());
        let side = |side: &Side| match side {
            Side::Account(id) => Some(*id),
            Side::Create(account) if account.name == UNCATEGORISED_INCOME => Some(OPEN_IN),
            Side::Create(account) if account.name == UNCATEGORISED_EXPENSES => Some(OPEN_OUT),
            Side::Create(_) | Side::Open => None,
        };
        let units = i64::try_from(posting.units).unwrap();
        let (credit, debit) = (side(&posting.credit), side(&posting.debit));
        let entry = self.post("2000-01-01", &record.description, units, BANK, BANK);
        entry.date = record.date;
        (entry.credit, entry.debit) = (credit, debit);
        entry.remote_ids = vec![remote_id];
        entry.is_draft = posting.is_draft;
        entry.id
    }

    fn join(
        &mut self,
        record: &Record,
        remote_id: String,
        found: Match,
        by_record: &BTreeMap<u32, TransactionId>,
    ) {
        let id = match found.target {
            MatchTarget::Transaction(id) => id,
            MatchTarget::Record { number, .. } => by_record[&number],
        };
        if let MatchEffect::StorePair(_) = found.effect {
            self.pairs.push((remote_id, id));
            return;
        }
        let entry = self.entries.iter_mut().find(|entry| entry.id == id).unwrap();
        entry.remote_ids.push(remote_id);
        if found.effect == MatchEffect::PostDraft {
            let (credit, debit) = if record.units > 0 {
                (entry.credit.or(Some(OPEN_IN)), Some(record.account))
            } else {
                (Some(record.account), entry.debit.or(Some(OPEN_OUT)))
            };
            (entry.credit, entry.debit, entry.is_draft) = (credit, debit, false);
            (entry.units, entry.date) = (record.units.abs(), record.date);
            return;
        }
        if found.effect == MatchEffect::SetOtherSide {
            let side = if record.units > 0 { &mut entry.debit } else { &mut entry.credit };
            *side = Some(record.account);
        }
        if entry.date != record.date {
            entry.second_date = record.date;
        }
    }

    /// The balance of an account, positive for money in it.
    pub(super) fn balance(&self, account: AccountId) -> i64 {
        let live = self.entries.iter().filter(|entry| entry.state == FindingState::Live);
        live.filter(|entry| !entry.is_draft).map(|entry| entry.effect(account)).sum()
    }

    /// The transactions outside the trash as `date units credit -> debit`.
    pub(super) fn lines(&self) -> Vec<String> {
        let name = |id: Option<AccountId>| match id {
            Some(BANK) => "Bank",
            Some(SAVINGS) => "Savings",
            Some(FOOD) => "Food",
            Some(OPEN_OUT | OPEN_IN) => "?",
            Some(_) => "other",
            None => "-",
        };
        let live = self.entries.iter().filter(|entry| entry.state == FindingState::Live);
        live.map(|entry| {
            let date = entry.date.map_or_else(String::new, crate::calendar::format_iso);
            let draft = if entry.is_draft { " draft" } else { "" };
            let (credit, debit) = (name(entry.credit), name(entry.debit));
            format!("{date} {} {credit} -> {debit}{draft}", entry.units)
        })
        .collect()
    }
}

impl Entry {
    fn effect(&self, account: AccountId) -> i64 {
        let part = |side: Option<AccountId>| i64::from(side == Some(account)) * self.units;
        part(self.debit) - part(self.credit)
    }
}
