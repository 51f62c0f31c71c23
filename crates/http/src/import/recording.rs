//! From the records of a block to the transactions that are recorded.

use std::collections::BTreeMap;

use daybook_domain::account::AccountRef;
use daybook_domain::amount::write_units;
use daybook_domain::calendar::format_iso;
use daybook_domain::field::Field;
use daybook_domain::id::{AccountId, ImportId};
use daybook_domain::import::{
    ENTRY_PROPERTY, Match, MatchTarget, Other, OutcomeKind, Posting, PostingOptions, RUN_PROPERTY,
    SOURCE_PROPERTY, Side,
};
use daybook_domain::property::Edits;
use daybook_domain::transaction::Changes;
use daybook_service::import::{Block, Group, MatchedRecord};

use super::document::RecordDoc;
use super::journal_document::{EntryDoc, edits};
use super::resolving::postings;

/// The bytes of a property that are kept.
const MAX_PROPERTY: usize = 8 * 1024;

/// The characters of a key of a property.
const MAX_KEY: usize = 30;

/// The data that all transactions of an import share.
pub(super) struct Run<'r> {
    pub(super) id: ImportId,
    pub(super) name: &'r str,
    pub(super) options: PostingOptions,
    /// The storage scale of the book.
    pub(super) scale: u32,
}

impl Run<'_> {
    pub(super) fn block(&self, records: &[RecordDoc]) -> Block {
        let count = i64::try_from(records.len()).unwrap_or(i64::MAX);
        let mut block = Block { count, groups: Vec::new(), matches: Vec::new() };
        for record in records {
            match record.kind() {
                OutcomeKind::New if record.entry.is_empty() => block.groups.push(Group {
                    record: record.number,
                    items: self.items(record),
                    is_draft: record.draft,
                }),
                OutcomeKind::New => block.groups.extend(self.entry(record).into_values()),
                OutcomeKind::Matched => block.matches.extend(self.matched(record)),
                OutcomeKind::Existing | OutcomeKind::Skipped | OutcomeKind::Refused => {}
            }
        }
        block
    }

    /// Returns the new entries of a block, by the index of the book.
    pub(super) fn by_book(&self, records: &[RecordDoc]) -> BTreeMap<usize, Vec<Group>> {
        let mut by_book: BTreeMap<usize, Vec<Group>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.kind() == OutcomeKind::New) {
            for (book, group) in self.entry(record) {
                by_book.entry(book).or_default().push(group);
            }
        }
        by_book
    }

    /// Returns the transactions of an entry of a journal, by the index of the book.
    fn entry(&self, record: &RecordDoc) -> BTreeMap<usize, Group> {
        let mut by_book: BTreeMap<usize, Group> = BTreeMap::new();
        for leg in &record.entry {
            let group = by_book.entry(leg.book).or_insert_with(|| Group {
                record: record.number,
                items: Vec::new(),
                is_draft: record.draft,
            });
            group.items.push(self.transaction(record, leg));
        }
        by_book
    }

    fn transaction(&self, record: &RecordDoc, leg: &EntryDoc) -> Changes {
        let account = |name: &Option<String>| {
            let name = name.clone();
            name.map_or(Field::Keep, |name| Field::Set(AccountRef { id: None, name: Some(name) }))
        };
        let mut properties = edits(&leg.properties);
        properties.extend(self.own_properties(record));
        Changes {
            date: leg.date().map_or(Field::Keep, |date| Field::Set(format_iso(date))),
            amount: leg.amount.clone().map_or(Field::Keep, Field::Set),
            description: Field::Set(leg.description.clone()),
            credit: account(&leg.credit),
            debit: account(&leg.debit),
            checked: leg.is_checked,
            remote_ids: Some(vec![leg.remote_id.clone()]),
            properties,
            ..Changes::default()
        }
    }

    fn items(&self, record: &RecordDoc) -> Vec<Changes> {
        let other = record.other.as_ref().map(Other::from);
        let postings = postings(record, other.as_ref(), self.options);
        let has_legs = !record.legs.is_empty();
        let each = (1_usize..).zip(postings).map(|(leg, posting)| {
            let mut changes = self.values(record, &posting);
            let mut remote_ids = vec![record.remote_id_of(leg)];
            if leg == 1 {
                remote_ids.extend(record.joined_remote_id.clone());
            }
            changes.remote_ids = Some(remote_ids);
            changes.properties = self.properties(record);
            if has_legs {
                let entry = Some(record.remote_id.clone());
                changes.properties.insert(ENTRY_PROPERTY.to_owned(), entry);
                let text = leg.checked_sub(1).and_then(|index| record.legs.get(index));
                if let Some(text) = text.and_then(|leg| leg.description.clone()) {
                    changes.description = Field::Set(text);
                }
            }
            changes.urls = (!record.urls.is_empty()).then(|| record.urls.clone());
            changes
        });
        each.collect()
    }

    /// Returns date, amount, description and accounts.
    fn values(&self, record: &RecordDoc, posting: &Posting) -> Changes {
        let date = record.date().map_or(Field::Keep, |date| Field::Set(format_iso(date)));
        let units = i128::from(posting.units);
        Changes {
            date,
            amount: Field::Set(write_units(units, self.scale, self.scale)),
            description: Field::Set(record.description.clone()),
            credit: side(&posting.credit),
            debit: side(&posting.debit),
            checked: record.checked,
            ..Changes::default()
        }
    }

    fn properties(&self, record: &RecordDoc) -> Edits {
        let read = record.properties.iter().map(|(key, value)| {
            let key = key.chars().take(MAX_KEY).collect();
            let end = value.floor_char_boundary(MAX_PROPERTY);
            (key, Some(value.get(..end).unwrap_or_default().to_owned()))
        });
        // The own ones come last, so that the file cannot replace them.
        read.chain(self.own_properties(record)).collect()
    }

    /// Returns the properties that every transaction of the import has.
    fn own_properties(&self, record: &RecordDoc) -> [(String, Option<String>); 2] {
        let place = format!("{}:{}", self.name, record.line);
        [
            (RUN_PROPERTY.to_owned(), Some(self.id.to_string())),
            (SOURCE_PROPERTY.to_owned(), Some(place)),
        ]
    }

    fn matched(&self, record: &RecordDoc) -> Option<MatchedRecord> {
        let found = record.matched.as_ref().map(Match::from)?;
        let MatchTarget::Transaction(transaction) = found.target else { return None };
        let other = record.other.as_ref().map(Other::from);
        let posting = postings(record, other.as_ref(), self.options).into_iter().next()?;
        let mut values = self.values(record, &posting);
        // The draft keeps the side that it has where the record does not name one.
        if posting.credit == Side::Open {
            values.credit = Field::Keep;
        }
        if posting.debit == Side::Open {
            values.debit = Field::Keep;
        }
        Some(MatchedRecord {
            record: record.number,
            remote_id: record.remote_id.clone(),
            transaction,
            effect: found.effect,
            account: AccountId::new(record.account),
            is_inward: record.units > 0,
            date: record.date(),
            values,
        })
    }
}

fn side(side: &Side) -> Field<AccountRef> {
    match side {
        Side::Open => Field::Keep,
        Side::Account(id) => Field::Set(AccountRef { id: Some(id.to_string()), name: None }),
        Side::Create(new) => Field::Set(AccountRef { id: None, name: Some(new.name.clone()) }),
    }
}
