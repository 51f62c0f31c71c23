//! Recording transactions, from behaviour 3.1, 3.2, 3.7.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::query::is_own_draft;
use super::text::{merged, normalized, tags};
use super::typed::later;
use super::{Book, Turn, amount, dates, each, may};
use crate::sim::body::{Named, TransactionBody};
use crate::sim::facts::{Properties, Refused, Resource, Transaction};
use crate::sim::label;

/// How a request records.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The post without an id (3.3.2).
    pub post: bool,
    /// A createTransaction, whose text may ask for the following months too (3.8.2.8).
    pub single: bool,
    /// The zone of dates in texts (3.2.9).
    pub zone: Option<String>,
    /// The label of the draft for the first of the following months; those of the others follow it.
    pub months: label::Transaction,
}

impl Transaction {
    pub fn is_posted(&self) -> bool {
        self.standing != Standing::Draft
    }

    /// 3.1.2.
    pub fn is_complete(&self) -> bool {
        self.date.is_some()
            && self.amount.is_some()
            && self.credit.is_some()
            && self.debit.is_some()
    }

    /// 5.12.
    pub fn counts(&self) -> bool {
        self.is_posted() && !self.trashed
    }
}

impl Turn {
    /// Records each item, or finds it by its remote ids (3.7). The second answer are those of which
    /// a RECORDER sees id and remote ids only.
    pub fn record(
        &mut self,
        items: &[TransactionBody],
        recording: &Recording,
    ) -> Result<(Vec<Transaction>, BTreeSet<label::Transaction>), Refused> {
        check_rows(items)?;
        // What a request records is no history of its own.
        let history = self.history();
        let recorded = each(items, |body| {
            let remote_ids = remote_ids(body.remote_ids.as_deref().unwrap_or_default())?;
            let existing = self.known(&remote_ids).cloned();
            if let Some(existing) = &existing
                && (!recording.post || existing.is_posted())
            {
                return Ok(existing.clone());
            }
            let typed = self.typed(body, recording, &history);
            let (body, months) = typed.as_ref().map_or((body, 0), |(body, months)| (body, *months));
            if let Some(draft) = existing {
                // 3.3.2: as if its id had been sent.
                let body = TransactionBody { remote_ids: None, ..body.clone() };
                return self.post_known(&draft, &body);
            }
            let recorded = self.recorded(body, remote_ids, recording.post)?;
            let kind = if recorded.is_posted() {
                EventType::TransactionPosted
            } else {
                EventType::TransactionCreated
            };
            self.emit(kind, Resource::Transaction(recorded.label), BTreeMap::new());
            self.book.put(recorded.clone());
            self.record_months(&recorded, months, recording.months);
            Ok(recorded)
        })?;
        let hidden = |one: &&Transaction| !self.may(may::READ) && !is_own_draft(one, &self.caller);
        let masked = recorded.iter().filter(hidden).map(|one| one.label).collect();
        Ok((recorded, masked))
    }

    /// The drafts of the following months (3.8.2.8).
    fn record_months(&mut self, first: &Transaction, months: u32, labels: label::Transaction) {
        let Some(date) = first.date else { return };
        for month in 1..=months {
            let (label, date) = (label::Transaction(labels.0 + month - 1), later(date, month));
            let draft = Transaction {
                label,
                date: Some(date),
                day: date,
                remote_ids: Vec::new(),
                files: Vec::new(),
                ..first.clone()
            };
            let draft = Transaction { standing: Standing::Draft, posted_at: None, ..draft };
            self.emit(EventType::TransactionCreated, Resource::Transaction(label), BTreeMap::new());
            self.book.put(draft);
        }
    }

    /// The first remote id of the payload that matches, and of its transactions the one created
    /// first (3.7.3).
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
    ) -> Result<Transaction, Refused> {
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
    ) -> Result<Transaction, Refused> {
        let (credit, debit) = (self.new_side(&body.credit)?, self.new_side(&body.debit)?);
        check_sides(credit, debit)?;
        let date = read_date(&body.date)?.value();
        let amount = match &body.amount {
            Field::Set(text) => amount::read(text, &self.book.settings.separator)?,
            Field::Keep | Field::Clear => None,
        };
        let description =
            checked_description(body.description.as_ref().value().map_or("", String::as_str))?;
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
            creator: self.caller.who,
            stamp: self.caller.stamp(),
        })
    }

    /// 3.3.5 and 4.8.
    pub fn posted(&self, draft: Transaction, checked: bool) -> Result<Transaction, Refused> {
        if !draft.is_complete() {
            return Err(Refused::bad());
        }
        if draft.date.is_some_and(|date| self.is_locked(date)) {
            return Err(Refused::locked());
        }
        let archived = |side: Option<label::Account>| {
            side.is_some_and(|side| self.book.accounts[&side].archived)
        };
        if archived(draft.credit) || archived(draft.debit) {
            return Err(Refused::bad());
        }
        let standing = if checked { Standing::Checked } else { Standing::Unchecked };
        Ok(Transaction { standing, posted_at: Some(self.caller.now), ..draft })
    }

    /// A side of a create (3.2.6): unknown with an id is empty, unknown by name only is refused.
    fn new_side(
        &self,
        side: &Field<Named<label::Account>>,
    ) -> Result<Option<label::Account>, Refused> {
        let Field::Set(named) = side else { return Ok(None) };
        match self.book.find_account(named) {
            Some(account) => Ok(Some(account.label)),
            None if named.id.is_some() || is_blank(named) => Ok(None),
            None => Err(Refused::bad()),
        }
    }
}

impl Book {
    /// Puts a transaction in place and marks the accounts it is posted on (4.7).
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

/// 3.2.6.
pub fn is_blank(named: &Named<label::Account>) -> bool {
    named.id.is_none() && named.name.as_deref().is_none_or(|name| normalized(name).is_empty())
}

/// 3.2.8.
pub fn check_sides(
    credit: Option<label::Account>,
    debit: Option<label::Account>,
) -> Result<(), Refused> {
    if credit.is_some() && credit == debit { Err(Refused::bad()) } else { Ok(()) }
}

/// 3.2.4.
pub fn read_date(field: &Field<String>) -> Result<Field<Date>, Refused> {
    match field {
        Field::Keep => Ok(Field::Keep),
        Field::Clear => Ok(Field::Clear),
        Field::Set(text) if text.trim().is_empty() => Ok(Field::Clear),
        Field::Set(text) => dates::parse(text).map(Field::Set).ok_or_else(Refused::bad),
    }
}

/// 3.7.2: rows of one request with a remote id in common say the same.
fn check_rows(items: &[TransactionBody]) -> Result<(), Refused> {
    let ids = |body: &TransactionBody| -> BTreeSet<String> {
        let given = body.remote_ids.iter().flatten().map(|id| id.trim().to_owned());
        given.filter(|id| !id.is_empty()).collect()
    };
    let text = |field: &Field<String>| {
        let said = field.as_ref().value().map(|text| text.trim().to_owned());
        said.filter(|text| !text.is_empty())
    };
    let side = |field: &Field<Named<label::Account>>| {
        field.as_ref().value().filter(|named| !is_blank(named)).cloned()
    };
    let said = |body: &TransactionBody| {
        let texts = [&body.date, &body.amount, &body.description].map(text);
        (texts, [&body.credit, &body.debit].map(side))
    };
    for (index, body) in items.iter().enumerate() {
        for id in ids(body) {
            let first = items.iter().find(|other| ids(other).contains(&id));
            if first.is_some_and(|first| said(first) != said(body)) {
                return Err(Refused { item: Some(index), ..Refused::bad() });
            }
        }
    }
    Ok(())
}

/// 3.7.5.
pub fn remote_ids(given: &[String]) -> Result<Vec<String>, Refused> {
    let mut kept: Vec<String> = Vec::new();
    for id in given.iter().map(|id| id.trim()).filter(|id| !id.is_empty()) {
        if id.chars().count() > 256 {
            return Err(Refused::bad());
        }
        if !kept.iter().any(|one| one == id) {
            kept.push(id.to_owned());
        }
    }
    Ok(kept)
}

/// 10.9.
pub fn checked_description(text: &str) -> Result<String, Refused> {
    if text.len() > 65_536 { Err(Refused::bad()) } else { Ok(text.to_owned()) }
}
