//! Books, from behaviour 3.5, 3.12.7 and 6.

use std::collections::BTreeMap;

use daybook_domain::book::Changes;
use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::permission::Permission;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::text::{checked_title, folded, merged};
use super::{Book, Caller, Model, Tx, amount, dates, may};
use crate::sim::body::{AccountBody, GroupBody};
use crate::sim::facts::{
    self, Account, Collaborator, Group, Nature, Properties, Refusal, Resource, Settings,
};
use crate::sim::label;

/// A new book with its embedded resources (6.1).
#[derive(Clone, Debug)]
pub struct NewBook {
    pub book: label::Book,
    /// The owner's collaborator row.
    pub owner: label::Collaborator,
    pub changes: Changes,
    pub groups: Vec<GroupBody>,
    pub accounts: Vec<AccountBody>,
}

/// The accounts and the groups that a book embeds.
pub type Chart = (Option<Vec<Account>>, Option<Vec<(Group, Nature)>>);

impl Book {
    /// An empty book with the caller as its only collaborator.
    pub fn founded(
        caller: &Caller,
        email: &str,
        label: label::Book,
        owner: label::Collaborator,
        settings: Settings,
        scale: u32,
    ) -> Book {
        let collaborator = Collaborator {
            label: owner,
            email: email.to_owned(),
            permission: Permission::Owner,
            stamp: caller.stamp(),
        };
        Book {
            label,
            owner: caller.who,
            settings,
            scale,
            stamp: caller.stamp(),
            accounts: BTreeMap::new(),
            groups: BTreeMap::new(),
            transactions: BTreeMap::new(),
            files: BTreeMap::new(),
            comments: BTreeMap::new(),
            saved: BTreeMap::new(),
            integrations: BTreeMap::new(),
            collaborators: BTreeMap::from([(owner, collaborator)]),
            requests: Vec::new(),
            offer: None,
        }
    }
}

impl Model {
    pub fn create_book(
        &mut self,
        caller: &Caller,
        new_book: &NewBook,
    ) -> Result<facts::Book, Refusal> {
        if new_book.changes.name.as_deref().is_none_or(|name| name.trim().is_empty()) {
            return Err(Refusal::bad());
        }
        let settings = changed(defaults(), &new_book.changes)?;
        let email = self.users[caller.who].email.clone();
        let scale = settings.digits;
        let book = Book::founded(caller, &email, new_book.book, new_book.owner, settings, scale);
        let mut tx = Tx::new(book, Permission::Owner, caller, &email);
        tx.emit(EventType::BookCreated, Resource::Book(new_book.book));
        tx.create_groups(&new_book.groups)?;
        tx.create_accounts(&new_book.accounts)?;
        self.keep(tx);
        Ok(self.shown(&self.books[&new_book.book], Permission::Owner, caller))
    }

    pub fn update_book(
        &mut self,
        caller: &Caller,
        changes: &Changes,
    ) -> Result<facts::Book, Refusal> {
        self.write(caller, may::MANAGE, |tx| tx.update_book(changes))?;
        self.get_book(caller)
    }

    pub fn get_book(&self, caller: &Caller) -> Result<facts::Book, Refusal> {
        let (book, permission) = self.enter(caller, may::READ_BOOK)?;
        Ok(self.shown_in_collection(book, permission, caller))
    }

    /// The content of `loadAccounts` and `loadGroups`, which a RECORDER never gets (6.2).
    pub fn load_chart(
        &self,
        caller: &Caller,
        accounts: bool,
        groups: bool,
    ) -> Result<Chart, Refusal> {
        let (book, permission) = self.enter(caller, may::READ_BOOK)?;
        let may = book.allows(permission, may::READ);
        let list = || book.groups_in_order().iter().map(|group| book.with_nature(group)).collect();
        Ok((
            (may && accounts).then(|| book.accounts_by_name()),
            (may && (accounts || groups)).then(list),
        ))
    }

    /// Lists books by name, ignoring case (1.5, 6.8).
    pub fn list_books(&self, caller: &Caller, term: &str) -> Vec<facts::Book> {
        let email = &self.users[caller.who].email;
        let term = folded(term.trim());
        let mut found: Vec<facts::Book> = Vec::new();
        for book in self.books.values() {
            let Some(own) = book.collaborators.values().find(|one| one.email == *email) else {
                continue;
            };
            let shown = self.shown_in_collection(book, own.permission, caller);
            let contains = |text: &String| folded(text).contains(&term);
            let collected =
                shown.collection.as_ref().is_some_and(|collection| contains(&collection.name));
            if collected
                || contains(&shown.settings.name)
                || contains(&shown.owner)
                || shown.settings.properties.values().any(contains)
            {
                found.push(shown);
            }
        }
        found.sort_by_key(|book| (book.settings.name.to_lowercase(), book.label));
        found
    }

    fn shown_in_collection(
        &self,
        book: &Book,
        permission: Permission,
        caller: &Caller,
    ) -> facts::Book {
        let collection = self.collection_around(book, caller).map(Box::new);
        facts::Book { collection, ..self.shown(book, permission, caller) }
    }

    pub fn shown(&self, book: &Book, permission: Permission, caller: &Caller) -> facts::Book {
        facts::Book {
            label: book.label,
            owner: self.users[book.owner].username.clone(),
            permission,
            settings: book.settings.clone(),
            scale: book.scale,
            stamp: book.stamp.clone(),
            posted: book.posted(caller.now),
            collection: None,
        }
    }
}

impl Book {
    /// Counts the postings: all, and those of the current month and year in the book zone (6.10).
    fn posted(&self, now: i64) -> (i64, i64, i64) {
        let zone = &self.settings.zone;
        let today = dates::day(now, zone);
        let mut posted = (0, 0, 0);
        for transaction in self.transactions.values().filter(|one| one.counts()) {
            let day = dates::day(transaction.posted_at.expect("a posting has its instant"), zone);
            posted.0 += 1;
            posted.1 += i64::from((day.year(), day.month()) == (today.year(), today.month()));
            posted.2 += i64::from(day.year() == today.year());
        }
        posted
    }
}

impl Tx {
    fn update_book(&mut self, changes: &Changes) -> Result<(), Refusal> {
        let before = self.book.settings.clone();
        // 3.5.4: MANAGE allows advancing the dates; only the OWNER may move them back or clear
        // them. A missing permission is reported before invalid values of other fields (0.17).
        let shows =
            changes.visibility.is_some_and(|visibility| visibility.as_str() != before.visibility);
        let moved_back = |old: Option<Date>, new: &Field<String>| {
            Ok(date(new, old)?.map_or(old.is_some(), |new| old.is_some_and(|old| new < old)))
        };
        let owners = shows
            || moved_back(before.lock, &changes.lock_date)?
            || moved_back(before.closing, &changes.closing_date)?;
        if owners && !self.may(may::OWN) {
            return Err(Refusal::forbidden());
        }
        let after = changed(before.clone(), changes)?;
        if after == before {
            return Ok(());
        }
        let scale = self.book.scale.max(after.digits);
        if self
            .book
            .transactions
            .values()
            .filter_map(|one| one.amount)
            .any(|units| !amount::fits(units, scale))
        {
            return Err(Refusal::bad());
        }
        self.book.settings = after;
        self.book.scale = scale;
        self.book.stamp.updated = self.caller.now;
        self.emit(EventType::BookUpdated, Resource::Book(self.book.label));
        Ok(())
    }
}

/// The settings of a new book (6.1).
fn defaults() -> Settings {
    Settings {
        name: String::new(),
        auto_post: true,
        closing: None,
        lock: None,
        pattern: "dd/MM/yyyy".to_owned(),
        separator: "DOT".to_owned(),
        digits: 2,
        zone: "UTC".to_owned(),
        visibility: "PRIVATE".to_owned(),
        properties: Properties::new(),
    }
}

fn changed(settings: Settings, changes: &Changes) -> Result<Settings, Refusal> {
    let name = changes.name.as_deref().map(|name| checked_title(Some(name))).transpose()?;
    let digits = changes.fraction_digits.map(|digits| {
        u32::try_from(digits).ok().filter(|digits| *digits <= 8).ok_or_else(Refusal::bad)
    });
    let zone = changes
        .time_zone
        .clone()
        .map(|zone| if TimeZone::get(&zone).is_ok() { Ok(zone) } else { Err(Refusal::bad()) });
    Ok(Settings {
        name: name.unwrap_or(settings.name),
        auto_post: changes.auto_post.unwrap_or(settings.auto_post),
        closing: date(&changes.closing_date, settings.closing)?,
        lock: date(&changes.lock_date, settings.lock)?,
        pattern: changes
            .date_pattern
            .map_or(settings.pattern, |pattern| pattern.as_str().to_owned()),
        separator: changes
            .decimal_separator
            .map_or(settings.separator, |separator| separator.as_str().to_owned()),
        digits: digits.transpose()?.unwrap_or(settings.digits),
        zone: zone.transpose()?.unwrap_or(settings.zone),
        visibility: changes
            .visibility
            .map_or(settings.visibility, |visibility| visibility.as_str().to_owned()),
        properties: merged(&settings.properties, &changes.properties)?,
    })
}

/// Parses a date setting: null, blank text and the sentinel clear it (3.5.5).
fn date(field: &Field<String>, old: Option<Date>) -> Result<Option<Date>, Refusal> {
    match field {
        Field::Keep => Ok(old),
        Field::Clear => Ok(None),
        Field::Set(text) if text.trim().is_empty() || text == "1900-00-00" => Ok(None),
        Field::Set(text) => dates::parse(text).map(Some).ok_or_else(Refusal::bad),
    }
}
