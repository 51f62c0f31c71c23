//! Recording transactions, from behaviour 3.1, 3.2, 3.7.

use std::collections::BTreeSet;

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::chart::is_blank;
use super::query::is_own_draft;
use super::text::{merged, tags};
use super::typed::later;
use super::{Book, Tx, amount, dates, each, may};
use crate::sim::body::{Named, TransactionBody};
use crate::sim::facts::{Properties, Refusal, Resource, Transaction};
use crate::sim::label;

/// The options of a recording request.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Whether this is the post without an id (3.3.2).
    pub post: bool,
    /// Whether this is createTransaction, whose text may request following months (3.8.2.8).
    pub single: bool,
    /// The time zone of dates in texts (3.2.9).
    pub zone: Option<String>,
    /// The label of the draft for the first following month; the others get the next labels.
    pub months: label::Transaction,
}

impl Transaction {
    pub fn is_posted(&self) -> bool {
        self.standing != Standing::Draft
    }

    /// Whether the draft can be posted (3.1.2).
    pub fn is_complete(&self) -> bool {
        self.date.is_some()
            && self.amount.is_some()
            && self.credit.is_some()
            && self.debit.is_some()
    }

    /// Whether balances include it (5.12).
    pub fn counts(&self) -> bool {
        self.is_posted() && !self.trashed
    }
}

impl Tx {
    /// Records each item, or finds it by its remote ids (3.7). The set has the transactions of
    /// which a RECORDER sees only id and remote ids.
    pub fn record(
        &mut self,
        items: &[TransactionBody],
        recording: &RecordOptions,
    ) -> Result<(Vec<Transaction>, BTreeSet<label::Transaction>), Refusal> {
        check_rows(items)?;
        // Items of a request do not learn from each other.
        let history = self.history();
        let recorded = each(items, |body| {
            let remote_ids = remote_ids(body.remote_ids.as_deref().unwrap_or_default())?;
            let existing = self.known(&remote_ids).cloned();
            if let Some(existing) = &existing
                && (!recording.post || existing.is_posted())
            {
                return Ok(existing.clone());
            }
            let (body, months) = self.typed(body, recording, &history);
            if let Some(draft) = existing {
                // 3.3.2: handled as if its id had been sent.
                let body = TransactionBody { remote_ids: None, ..body };
                return self.post_known(&draft, &body);
            }
            let recorded = self.recorded(&body, remote_ids, recording.post)?;
            self.add(recorded.clone());
            self.record_months(&recorded, months, recording.months);
            Ok(recorded)
        })?;
        let hidden = |one: &&Transaction| !self.may(may::READ) && !is_own_draft(one, &self.caller);
        let masked = recorded.iter().filter(hidden).map(|one| one.label).collect();
        Ok((recorded, masked))
    }

    /// Stores a new transaction and emits its event.
    pub fn add(&mut self, new: Transaction) {
        let kind = if new.is_posted() {
            EventType::TransactionPosted
        } else {
            EventType::TransactionCreated
        };
        self.emit(kind, Resource::Transaction(new.label));
        self.book.put(new);
    }

    /// Records the drafts of the following months (3.8.2.8).
    fn record_months(&mut self, first: &Transaction, months: u32, labels: label::Transaction) {
        let Some(date) = first.date else { return };
        let mut properties = first.properties.clone();
        properties.remove("entry_id");
        if properties.remove("import_run").is_some() {
            properties.remove("source");
        }
        for month in 1..=months {
            let (label, date) = (label::Transaction(labels.0 + month - 1), later(date, month));
            let draft = Transaction {
                label,
                date: Some(date),
                day: date,
                properties: properties.clone(),
                remote_ids: Vec::new(),
                files: Vec::new(),
                comments: 0,
                ..first.clone()
            };
            self.add(Transaction { standing: Standing::Draft, posted_at: None, ..draft });
        }
    }

    /// The oldest transaction with the first remote id of the payload that matches (3.7.3).
    fn known(&self, remote_ids: &[String]) -> Option<&Transaction> {
        let standing = |id: &String| {
            self.book.transactions.values().find(|one| !one.trashed && one.remote_ids.contains(id))
        };
        remote_ids.iter().find_map(standing)
    }

    fn recorded(
        &mut self,
        body: &TransactionBody,
        remote_ids: Vec<String>,
        post: bool,
    ) -> Result<Transaction, Refusal> {
        let draft = self.draft(body, remote_ids)?;
        let checked = body.checked && self.may(may::CHECK);
        if post {
            return self.posted(draft, checked);
        }
        let by_itself = draft.is_complete()
            && self.book.settings.auto_post
            && !body.draft
            && self.may(may::POST)
            && draft.date.is_some_and(|date| !self.is_locked(date));
        if by_itself { self.posted(draft, checked) } else { Ok(draft) }
    }

    fn draft(
        &mut self,
        body: &TransactionBody,
        remote_ids: Vec<String>,
    ) -> Result<Transaction, Refusal> {
        let (credit, debit) = (self.new_side(&body.credit)?, self.new_side(&body.debit)?);
        check_sides(credit, debit)?;
        let date = read_date(&body.date)?.value();
        let amount = match &body.amount {
            Field::Set(text) => amount::read(text, &self.book.settings.separator)?,
            Field::Keep | Field::Clear => None,
        };
        let description = body.description.as_ref().value().cloned().unwrap_or_default();
        Ok(Transaction {
            label: body.label,
            date,
            day: date.unwrap_or(self.today),
            amount: amount
                .map(|reading| amount::record(reading, &self.book.settings, self.book.scale))
                .transpose()?,
            tags: tags(&description),
            description,
            credit,
            debit,
            standing: Standing::Draft,
            trashed: false,
            posted_at: None,
            properties: merged(&Properties::new(), &body.properties)?,
            urls: body.urls.clone().unwrap_or_default(),
            remote_ids,
            files: self.attached(body.files.as_deref().unwrap_or_default(), None)?,
            comments: 0,
            creator: self.caller.who,
            stamp: self.caller.stamp(),
        })
    }

    /// Posts a draft (3.3.5, 4.8).
    pub fn posted(&self, draft: Transaction, checked: bool) -> Result<Transaction, Refusal> {
        if !draft.is_complete() {
            return Err(Refusal::bad());
        }
        if draft.date.is_some_and(|date| self.is_locked(date)) {
            return Err(Refusal::locked());
        }
        let archived = |side: Option<label::Account>| {
            side.is_some_and(|side| self.book.accounts[&side].archived)
        };
        if archived(draft.credit) || archived(draft.debit) {
            return Err(Refusal::bad());
        }
        let standing = if checked { Standing::Checked } else { Standing::Unchecked };
        Ok(Transaction { standing, posted_at: Some(self.caller.now), ..draft })
    }

    /// Resolves an account of a create: an unknown id leaves the side empty, an unknown name is
    /// refused (3.2.6).
    fn new_side(
        &self,
        side: &Field<Named<label::Account>>,
    ) -> Result<Option<label::Account>, Refusal> {
        let Field::Set(named) = side else { return Ok(None) };
        match self.book.find_account(named) {
            Some(account) => Ok(Some(account.label)),
            None if named.id.is_some() || is_blank(named) => Ok(None),
            None => Err(Refusal::bad()),
        }
    }
}

impl Book {
    /// Stores a transaction and marks its accounts as posted (4.7).
    pub fn put(&mut self, transaction: Transaction) {
        if transaction.counts() {
            for side in [transaction.credit, transaction.debit].into_iter().flatten() {
                self.accounts
                    .get_mut(&side)
                    .expect("a posted transaction has its accounts")
                    .posted = true;
            }
        }
        self.transactions.insert(transaction.label, transaction);
    }
}

/// Refuses equal credit and debit accounts (3.2.8).
pub fn check_sides(
    credit: Option<label::Account>,
    debit: Option<label::Account>,
) -> Result<(), Refusal> {
    if credit.is_some() && credit == debit { Err(Refusal::bad()) } else { Ok(()) }
}

/// Parses a date field (3.2.4).
pub fn read_date(field: &Field<String>) -> Result<Field<Date>, Refusal> {
    match field {
        Field::Keep => Ok(Field::Keep),
        Field::Clear => Ok(Field::Clear),
        Field::Set(text) if text.trim().is_empty() => Ok(Field::Clear),
        Field::Set(text) => dates::parse(text).map(Field::Set).ok_or_else(Refusal::bad),
    }
}

/// Refuses different items of one request with a common remote id (3.7.2).
fn check_rows(items: &[TransactionBody]) -> Result<(), Refusal> {
    let ids = |body: &TransactionBody| -> BTreeSet<String> {
        let given = body.remote_ids.iter().flatten().map(|id| id.trim().to_owned());
        given.filter(|id| !id.is_empty()).collect()
    };
    let text = |field: &Field<String>| {
        let text = field.as_ref().value().map(|text| text.trim().to_owned());
        text.filter(|text| !text.is_empty())
    };
    let side = |field: &Field<Named<label::Account>>| {
        field.as_ref().value().filter(|named| !is_blank(named)).cloned()
    };
    let content = |body: &TransactionBody| {
        let texts = [&body.date, &body.amount, &body.description].map(text);
        (texts, [&body.credit, &body.debit].map(side))
    };
    for (index, body) in items.iter().enumerate() {
        for id in ids(body) {
            let first = items.iter().find(|other| ids(other).contains(&id));
            if first.is_some_and(|first| content(first) != content(body)) {
                return Err(Refusal { item: Some(index), ..Refusal::bad() });
            }
        }
    }
    Ok(())
}

/// Checks and normalizes remote ids (3.7.5).
pub fn remote_ids(given: &[String]) -> Result<Vec<String>, Refusal> {
    let mut ids: Vec<String> = Vec::new();
    for id in given.iter().map(|id| id.trim()).filter(|id| !id.is_empty()) {
        if id.chars().count() > 256 {
            return Err(Refusal::bad());
        }
        if !ids.iter().any(|one| one == id) {
            ids.push(id.to_owned());
        }
    }
    Ok(ids)
}
