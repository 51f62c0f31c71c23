//! The report of changes, row by row (behaviour 13.12).

use std::collections::{BTreeMap, HashMap};

use time::Date;

use super::figures::BookChart;
use super::period::Period;
use super::request::Request;
use super::table::{Cell, Column, ColumnKind, Control, Heading, Row, RowKind, Subject};
use crate::amount::{self, DecimalSeparator};
use crate::calendar::{format_iso, from_day_number};
use crate::event::snapshot::{AccountSnapshot, GroupSnapshot, Snapshot, TransactionSnapshot};
use crate::event::{Event, EventType, Head, ReadEvent};
use crate::group::Forest;
use crate::id::{AccountId, BookKey, GroupId, TransactionId};
use crate::json::{Json, Object, text_list};

/// The words for the events of transactions: of drafts, and of posted transactions.
const TRANSACTION_EVENTS: [(EventType, [&str; 2]); 7] = [
    (EventType::TransactionCreated, ["Draft recorded", "Draft recorded"]),
    (EventType::TransactionPosted, ["Transaction posted", "Transaction posted"]),
    (EventType::TransactionUpdated, ["Draft updated", "Transaction updated"]),
    (EventType::TransactionDeleted, ["Draft trashed", "Transaction trashed"]),
    (EventType::TransactionRestored, ["Draft restored", "Transaction restored"]),
    (EventType::TransactionChecked, ["Transaction checked", "Transaction checked"]),
    (EventType::TransactionUnchecked, ["Transaction unchecked", "Transaction unchecked"]),
];

/// The keys of previous values of accounts and groups that move figures. The property `report`
/// makes accounts equity or cash (behaviour 13.5).
const CHART_KEYS: [&str; 5] = ["name", "type", "groups", "parent", "report"];

/// The key of the first month of the fiscal year of a book (behaviour 13.3).
const START_MONTH: &str = "periodStartMonth";

/// The characters that are shown of a value.
const MAX_VALUE: usize = 200;

/// Why a report of changes begins where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangesStart {
    /// The book has no closing, and the request names no start.
    Beginning,
    /// The request names the event.
    Event,
    /// The request names an instant, here in RFC 3339.
    Instant(String),
    /// The event of the last closing (behaviour 13.13).
    Closing,
}

impl Request {
    /// Completes the heading of a report of changes after an event.
    pub fn changes_heading(&self, heading: Heading, after: i64, start: &ChangesStart) -> Heading {
        let dated = self.given_period();
        let note = match start {
            ChangesStart::Beginning | ChangesStart::Event => None,
            ChangesStart::Instant(at) => Some(format!("Recorded since {at}")),
            ChangesStart::Closing => {
                Some(format!("The reports of the last closing include event {after}"))
            }
        };
        Heading {
            from: dated.map(|period| period.first),
            period: if after == 0 {
                "Since the beginning".to_owned()
            } else {
                format!("After event {after}")
            },
            filters: dated.iter().map(|period| format!("Dated {}", period.words())).collect(),
            notes: note.into_iter().collect(),
            ..heading
        }
    }

    fn given_period(&self) -> Option<Period> {
        self.is_period_given.then_some(self.period)
    }
}

/// A changed field with its values.
struct FieldChange {
    label: String,
    before: String,
    after: String,
}

/// A change that the report shows.
struct Change<'e> {
    words: &'static str,
    /// The changed resource; `None` for the book.
    subject: Option<Subject>,
    date: Option<Date>,
    text: &'e str,
    /// The names of the debit and the credit account.
    accounts: [&'e str; 2],
    /// At the storage scale of the book.
    amount: Option<i128>,
    fields: Vec<FieldChange>,
}

/// Builds the rows of a report of changes, from events in the order of their numbers.
#[derive(Debug)]
pub struct Changes<'a> {
    key: &'a BookKey,
    accounts: HashMap<AccountId, &'a str>,
    forest: &'a Forest,
    scale: u32,
    /// Shows only transactions of this period.
    dated: Option<Period>,
    /// The event before the next one.
    previous: Head,
    after: i64,
    /// The number of events whose hash follows from the event before.
    chained: i128,
    counts: BTreeMap<&'static str, u64>,
}

impl<'a> Changes<'a> {
    /// Starts the report after an event; after [`Head::default`] it has all events.
    pub fn new(request: &Request, chart: &BookChart<'a>, after: Head) -> Self {
        let account_name =
            |account: &'a crate::account::Account| (account.id, account.name.as_str());
        Self {
            key: &chart.book.key,
            accounts: chart.accounts.iter().map(account_name).collect(),
            forest: chart.forest,
            scale: chart.book.scale,
            dated: request.given_period(),
            previous: after,
            after: after.sequence,
            chained: 0,
            counts: BTreeMap::new(),
        }
    }

    /// Returns the columns.
    pub fn columns() -> Vec<Column> {
        vec![
            Column::new("event", "Event", ColumnKind::Number),
            Column::new("at", "At", ColumnKind::Instant),
            Column::new("user", "User", ColumnKind::Text),
            Column::new("app", "App", ColumnKind::Text),
            Column::new("change", "Change", ColumnKind::Text),
            Column::new("date", "Date", ColumnKind::Date),
            Column::new("text", "Text", ColumnKind::Text),
            Column::new("debitAccount", "Debit account", ColumnKind::Text),
            Column::new("creditAccount", "Credit account", ColumnKind::Text),
            Column::of_amount("amount", "Amount"),
            Column::new("before", "Before", ColumnKind::Text),
            Column::new("after", "After", ColumnKind::Text),
        ]
    }

    /// Adds the next event. Returns its row if the event changes what reports show.
    ///
    /// `user` is the name of the user who acted.
    pub fn push(&mut self, read: &ReadEvent, user: &str) -> Option<Row> {
        let event = &read.event;
        self.follow(event);
        let change = match &read.snapshot {
            Snapshot::Transaction(transaction) => self.of_transaction(read, transaction),
            Snapshot::Account(account) => self.of_account(read, account),
            Snapshot::Group(group) => self.of_group(read, group),
            Snapshot::Book(book) => book_change(read, book),
            Snapshot::File(_)
            | Snapshot::SavedQuery(_)
            | Snapshot::Integration(_)
            | Snapshot::Collaborator(_)
            | Snapshot::Reconciliation(_)
            | Snapshot::Comment(_) => None,
        }?;
        let count = self.counts.entry(change.words).or_default();
        *count = count.saturating_add(1);
        Some(row(event, user, change))
    }

    /// Ends the report. Returns the control, which has the number of changes of each kind.
    pub fn finish(self, head: &Head) -> Vec<Control> {
        let counts: Vec<String> =
            self.counts.iter().map(|(words, count)| format!("{words}: {count}")).collect();
        let counts = if counts.is_empty() { "no changes".to_owned() } else { counts.join(", ") };
        let label = format!(
            "Events in the chain = events after {} (last event {}, hash {}; {counts})",
            self.after, head.sequence, head.hash
        );
        let expected = i128::from(head.sequence.saturating_sub(self.after));
        vec![Control::of_counts(label, self.chained, expected)]
    }

    /// Checks that an event follows the one before.
    fn follow(&mut self, event: &Event) {
        let Head { sequence, hash } = self.previous;
        let is_next = event.sequence == sequence.saturating_add(1);
        if is_next && event.hash == event.hash_after(&hash, self.key) {
            self.chained = self.chained.saturating_add(1);
        }
        self.previous = Head { sequence: event.sequence, hash: event.hash };
    }

    fn of_transaction<'e>(
        &self,
        read: &'e ReadEvent,
        transaction: &'e TransactionSnapshot,
    ) -> Option<Change<'e>> {
        let (_, [draft, posted]) =
            TRANSACTION_EVENTS.into_iter().find(|(kind, _)| *kind == read.event.kind)?;
        let previous_day = previous(read).find(|(key, _)| *key == "dateValue");
        let days = [transaction.date, previous_day.and_then(|(_, text)| read_day_number(text))];
        let is_dated = |period: Period| {
            days.into_iter().flatten().any(|day| period.first <= day && day <= period.last)
        };
        if !self.dated.is_none_or(is_dated) {
            return None;
        }
        let name = |side: &'e Option<AccountSnapshot>| {
            side.as_ref().and_then(|side| side.name.as_deref()).unwrap_or_default()
        };
        let fields =
            previous(read).map(|(key, value)| self.transaction_field(transaction, key, value));
        Some(Change {
            words: if transaction.posted { posted } else { draft },
            subject: Some(Subject::Transaction(TransactionId::new(read.event.resource))),
            date: transaction.date,
            text: &transaction.description,
            accounts: [name(&transaction.debit), name(&transaction.credit)],
            amount: text(&transaction.object, "amount").and_then(|text| self.units(text)),
            fields: fields.collect(),
        })
    }

    fn transaction_field(
        &self,
        transaction: &TransactionSnapshot,
        key: &str,
        value: &str,
    ) -> FieldChange {
        let account = |id: &str| match id.parse::<AccountId>() {
            Ok(id) => {
                self.accounts.get(&id).map_or_else(|| id.to_string(), |name| (*name).to_owned())
            }
            Err(_) => String::new(),
        };
        let name = |side: &Option<AccountSnapshot>| {
            side.as_ref().and_then(|side| side.name.clone()).unwrap_or_default()
        };
        let day = |day: Option<Date>| day.map(format_iso).unwrap_or_default();
        let value = || value.to_owned();
        let object = &transaction.object;
        let (label, before, after) = match key {
            "creditAccId" => ("Credit account", account(&value()), name(&transaction.credit)),
            "debitAccId" => ("Debit account", account(&value()), name(&transaction.debit)),
            "dateValue" => ("Date", day(read_day_number(&value())), day(transaction.date)),
            "amount" => ("Amount", value(), text(object, key).unwrap_or_default().to_owned()),
            "description" => ("Text", value(), transaction.description.clone()),
            "urls" => ("Urls", value(), list(object, key)),
            "remoteIds" => ("Remote ids", value(), list(object, key)),
            "files" => {
                let ids = transaction.files.iter().map(|file| file.id.to_string());
                ("Files", value(), text_list(ids))
            }
            property => (property, value(), property_of(object, property)),
        };
        FieldChange { label: label.to_owned(), before, after }
    }

    fn of_account<'e>(
        &self,
        read: &'e ReadEvent,
        account: &'e AccountSnapshot,
    ) -> Option<Change<'e>> {
        let after = |key: &str| match key {
            "groups" => {
                let groups = account.groups.iter().flatten();
                joined(groups.map(|group| group.name.clone()))
            }
            "name" | "type" => text(&account.object, key).unwrap_or_default().to_owned(),
            property => property_of(&account.object, property),
        };
        let subject = Subject::Account(account.id);
        let name = account.name.as_deref().unwrap_or_default();
        self.of_chart(read, "Account changed", subject, name, after)
    }

    fn of_group<'e>(&self, read: &'e ReadEvent, group: &'e GroupSnapshot) -> Option<Change<'e>> {
        let after = |key: &str| match key {
            "name" => group.name.clone(),
            "parent" => {
                let parent = group.object.get("parent").and_then(Json::as_object);
                parent.and_then(|parent| text(parent, "name")).unwrap_or_default().to_owned()
            }
            property => property_of(&group.object, property),
        };
        self.of_chart(read, "Group changed", Subject::Group(group.id), &group.name, after)
    }

    /// Returns the change of an account or group, if it moves figures.
    fn of_chart<'e>(
        &self,
        read: &'e ReadEvent,
        words: &'static str,
        subject: Subject,
        name: &'e str,
        after: impl Fn(&str) -> String,
    ) -> Option<Change<'e>> {
        let field = |(key, value): (&str, &str)| {
            let (label, before) = match key {
                "name" => ("Name", value.to_owned()),
                "type" => ("Type", value.to_owned()),
                "groups" => ("Groups", self.group_names(value)),
                "parent" => ("Parent", self.group_names(value)),
                property => (property, value.to_owned()),
            };
            FieldChange { label: label.to_owned(), before, after: after(key) }
        };
        let moved = previous(read).filter(|(key, _)| CHART_KEYS.contains(key));
        let fields: Vec<FieldChange> = moved.map(field).collect();
        let (subject, accounts) = (Some(subject), [""; 2]);
        let change =
            Change { words, subject, date: None, text: name, accounts, amount: None, fields };
        (!change.fields.is_empty()).then_some(change)
    }

    /// Returns the names of the groups whose ids stand in a text.
    fn group_names(&self, ids: &str) -> String {
        let ids = ids.split(|character: char| !character.is_ascii_digit());
        let ids = ids.filter_map(|id| id.parse::<GroupId>().ok());
        let name = |id: GroupId| {
            self.forest
                .get(id)
                .map_or_else(|| id.to_string(), |group| group.name.as_str().to_owned())
        };
        joined(ids.map(name))
    }

    /// Parses an amount as an integer at the storage scale of the book.
    fn units(&self, text: &str) -> Option<i128> {
        let precision = crate::amount::Precision {
            fraction_digits: self.scale,
            scale: self.scale,
            separator: DecimalSeparator::Dot,
        };
        let parsed = amount::read(text, precision.separator).ok()??;
        parsed.round(precision).ok()?.units(self.scale).map(i128::from)
    }
}

fn row(event: &Event, user: &str, change: Change<'_>) -> Row {
    let Change { words, subject, date, text, accounts: [debit, credit], amount, fields } = change;
    let values = |value: fn(&FieldChange) -> &str| {
        let shown =
            fields.iter().map(|field| format!("{}: {}", field.label, excerpt(value(field))));
        Cell::Text(shown.collect::<Vec<_>>().join("; "))
    };
    let text_cell = |text: &str| Cell::Text(text.to_owned());
    let cells = vec![
        Cell::Number(event.sequence),
        Cell::Instant(event.created_at),
        text_cell(user),
        text_cell(event.agent.as_deref().unwrap_or_default()),
        text_cell(words),
        date.map_or(Cell::Empty, Cell::Date),
        text_cell(text),
        text_cell(debit),
        text_cell(credit),
        amount.map_or(Cell::Empty, Cell::Amount),
        values(|field| &field.before),
        values(|field| &field.after),
    ];
    Row { kind: RowKind::Entry, depth: 0, subject, cells, sums: 0 }
}

/// Returns the change of a book, if it moves figures to other fiscal years.
fn book_change<'e>(read: &'e ReadEvent, book: &'e Object) -> Option<Change<'e>> {
    let (_, before) = previous(read).find(|(key, _)| *key == START_MONTH)?;
    let after = text(book, START_MONTH).unwrap_or_default().to_owned();
    let label = "Start of the fiscal year".to_owned();
    Some(Change {
        words: "Book changed",
        subject: None,
        date: None,
        text: text(book, "name").unwrap_or_default(),
        accounts: [""; 2],
        amount: None,
        fields: vec![FieldChange { label, before: before.to_owned(), after }],
    })
}

/// Returns the previous values of an update by field (behaviour 8.3).
fn previous(read: &ReadEvent) -> impl Iterator<Item = (&str, &str)> {
    let values = read.rest.get("previousAttributes").and_then(Json::as_object);
    values
        .into_iter()
        .flat_map(Object::iter)
        .filter_map(|(key, value)| Some((key, value.as_text()?)))
}

fn read_day_number(text: &str) -> Option<Date> {
    text.parse().ok().and_then(from_day_number)
}

fn text<'o>(object: &'o Object, key: &str) -> Option<&'o str> {
    object.get(key).and_then(Json::as_text)
}

/// Returns a list as previous values contain it.
fn list(object: &Object, key: &str) -> String {
    object.get(key).map_or_else(|| "[]".to_owned(), Json::canonical)
}

fn property_of(object: &Object, key: &str) -> String {
    let properties = object.get("properties").and_then(Json::as_object);
    properties.and_then(|properties| text(properties, key)).unwrap_or_default().to_owned()
}

fn joined(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Shortens a value, which may be as long as a property.
fn excerpt(value: &str) -> String {
    match value.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}\u{2026}", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests;
