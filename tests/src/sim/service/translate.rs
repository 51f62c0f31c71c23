//! Translates the answers of the service to facts.

use daybook_domain::access::Access;
use daybook_domain::access_request::AccessRequest;
use daybook_domain::account::Account;
use daybook_domain::amount;
use daybook_domain::balance::{AccountBalances, Amounts, GroupBalances, Slice, Sums};
use daybook_domain::book::{Settings, TransferOffer};
use daybook_domain::calendar::day_number;
use daybook_domain::collaborator::Collaborator;
use daybook_domain::comment::Comment;
use daybook_domain::event::{Event, Noun};
use daybook_domain::file::File;
use daybook_domain::group::{Forest, Group};
use daybook_domain::id::{AccountId, GroupId, TransactionId};
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::property::Properties;
use daybook_domain::saved_query::SavedQuery;
use daybook_domain::token::AccessToken;
use daybook_domain::transaction::Transaction;
use daybook_service::{account, balance, book, collection, group, transaction};
use daybook_storage::book::BookCounters;

use super::Service;
use crate::decimal;
use crate::sim::facts::{self, Container, Content, Empty, Nature, Of, Resource, Row, Sides};
use crate::sim::label;
use crate::sim::model::{Caller, dates};

impl Service {
    pub fn all<T, F>(&self, found: &[T], fact: impl Fn(&Service, &T) -> F) -> Vec<F> {
        found.iter().map(|one| fact(self, one)).collect()
    }

    pub fn accounts(&self, view: &account::View) -> Vec<facts::Account> {
        self.all(&view.accounts, Service::account)
    }

    fn account(&self, account: &Account) -> facts::Account {
        facts::Account {
            label: self.labels.label(account.id.get()),
            name: account.name.as_str().to_owned(),
            kind: account.kind,
            archived: account.archived,
            posted: account.has_transaction_posted,
            min_balance: account.min_balance.map(|least| decimal::units(&least.to_string())),
            groups: account.groups.iter().map(|group| self.labels.label(group.get())).collect(),
            properties: properties(&account.properties),
            stamp: stamp(&account.stamp),
        }
    }

    fn group(&self, group: &Group, forest: &Forest) -> (facts::Group, Nature) {
        let facts = facts::Group {
            label: self.labels.label(group.id.get()),
            name: group.name.as_str().to_owned(),
            parent: group.parent.map(|parent| self.labels.label(parent.get())),
            hidden: group.hidden,
            locked: group.locked,
            properties: properties(&group.properties),
            stamp: stamp(&group.stamp),
        };
        (facts, nature(forest, group.id))
    }

    pub fn groups(&self, view: &group::View) -> Vec<(facts::Group, Nature)> {
        view.groups.iter().map(|group| self.group(group, &view.forest)).collect()
    }

    pub fn transaction(&self, one: &Transaction) -> facts::Transaction {
        let side = |side: Option<AccountId>| side.map(|side| self.labels.label(side.get()));
        facts::Transaction {
            label: self.labels.label(one.id.get()),
            date: one.date.map(|day| dates::from_number(day_number(day))),
            day: dates::from_number(day_number(one.list_day)),
            amount: one.amount.map(|amount| decimal::units(&amount::write(amount.value(), 0))),
            description: one.description.clone(),
            tags: one.tags(),
            credit: side(one.credit),
            debit: side(one.debit),
            standing: one.standing,
            trashed: one.trashed,
            posted_at: one.posted_at.map(|at| at.milliseconds()),
            properties: properties(&one.properties),
            urls: one.urls.clone(),
            files: one.files.iter().map(|file| self.labels.label(file.get())).collect(),
            comments: one.comment_count,
            remote_ids: one.remote_ids.iter().map(|id| self.linked(id)).collect(),
            creator: self.user(one.created_by),
            stamp: stamp(&one.stamp),
        }
    }

    pub fn file(&self, file: &File) -> facts::File {
        let content = Content(u32::from_str_radix(&file.content.digest, 16).unwrap_or(u32::MAX));
        facts::File {
            label: self.labels.label(file.id.get()),
            name: file.name.clone(),
            content_type: file.content_type.clone(),
            // Content with another size was never sent.
            content: if content.size() == file.content.size { content } else { Content(u32::MAX) },
            properties: properties(&file.properties),
            creator: self.user(file.created_by),
            stamp: stamp(&file.stamp),
        }
    }

    pub fn comment(&self, comment: &Comment) -> facts::Comment {
        facts::Comment {
            label: self.labels.label(comment.id.get()),
            transaction: self.labels.label(comment.transaction.get()),
            text: comment.text.clone(),
            author: self.user(comment.author),
            agent: comment.agent.clone(),
            created: comment.created_at.milliseconds(),
        }
    }

    pub fn saved_query(&self, saved: &SavedQuery) -> facts::SavedQuery {
        facts::SavedQuery {
            label: self.labels.label(saved.id.get()),
            title: saved.title.clone(),
            query: saved.query.clone(),
            stamp: stamp(&saved.stamp),
        }
    }

    pub fn transactions(&self, view: &transaction::View) -> Vec<facts::Transaction> {
        self.all(&view.transactions, Service::transaction)
    }

    pub fn rows(&self, listed: &transaction::TransactionPage) -> Vec<Row> {
        let unit = 10_i128.pow(8 - listed.view.access.book().scale);
        let balance = |one: &Transaction| listed.balances.get(&one.id).map(|units| units * unit);
        listed
            .view
            .transactions
            .iter()
            .map(|one| Row { transaction: self.transaction(one), balance: balance(one) })
            .collect()
    }

    /// Replaces the id in a link by its label (3.11.2).
    fn linked(&self, id: &str) -> String {
        match id.strip_prefix("merged_").and_then(|id| id.parse::<TransactionId>().ok()) {
            Some(id) => format!("merged_{:?}", self.labels.label::<label::Transaction>(id.get())),
            None => id.to_owned(),
        }
    }

    pub fn collaborator(&self, row: &Collaborator) -> facts::Collaborator {
        facts::Collaborator {
            label: self.labels.label(row.id.get()),
            email: row.email.to_string(),
            permission: row.permission,
            stamp: stamp(&row.stamp),
        }
    }

    pub fn access_request(&self, request: &AccessRequest) -> facts::AccessRequest {
        facts::AccessRequest {
            label: self.labels.label(request.id.get()),
            email: request.email.to_string(),
            permission: request.permission,
            message: request.message.clone(),
            created: request.created_at.milliseconds(),
            end: request.expires_at().milliseconds(),
        }
    }

    pub fn transfer_offer(&self, offer: &TransferOffer) -> facts::TransferOffer {
        facts::TransferOffer {
            book: self.labels.book_of_key(offer.book.as_str()),
            name: offer.name.clone(),
            from: offer.from.to_string(),
            to: offer.to.to_string(),
            created: offer.created_at.milliseconds(),
            end: offer.expires_at().milliseconds(),
        }
    }

    pub fn token(&self, token: &AccessToken) -> facts::Token {
        let books = token.scope.books.as_ref();
        facts::Token {
            label: self.labels.label(token.id.get()),
            user: self.user(token.user),
            name: token.name.clone(),
            read_only: token.scope.read_only,
            books: books
                .map(|all| all.iter().map(|key| self.labels.book_of_key(key.as_str())).collect()),
            created: token.created_at.milliseconds(),
            expires: token.expires_at.milliseconds(),
            revoked: token.revoked_at.map(Instant::milliseconds),
        }
    }

    pub fn book(&self, view: &book::View, caller: &Caller) -> facts::Book {
        let collection = view.collection.as_ref();
        facts::Book {
            collection: collection.map(|collection| Box::new(self.collection(collection, caller))),
            ..self.plain_book(&view.access, view.counters, caller)
        }
    }

    /// A book without its collection.
    pub fn book_summary(&self, summary: &book::BookSummary, caller: &Caller) -> facts::Book {
        self.plain_book(&summary.access, summary.counters, caller)
    }

    fn plain_book(&self, access: &Access, counters: BookCounters, caller: &Caller) -> facts::Book {
        let book = access.book();
        let (month, year) = counters.current(Service::month(caller.now, &book.settings.time_zone));
        facts::Book {
            label: self.labels.book_of_key(book.key.as_str()),
            owner: book.owner_name.clone(),
            permission: access.permission(),
            settings: settings(&book.settings),
            scale: book.scale,
            stamp: stamp(&book.stamp),
            posted: (counters.posted, month, year),
            collection: None,
        }
    }

    pub fn collection(&self, view: &collection::View, caller: &Caller) -> facts::Collection {
        facts::Collection {
            label: self.labels.label(view.collection.id.get()),
            owner: view.owner_name.clone(),
            permission: view.permission,
            name: view.collection.name.as_str().to_owned(),
            books: view.books.iter().map(|book| self.book_summary(book, caller)).collect(),
            stamp: stamp(&view.collection.stamp),
        }
    }

    pub fn event(&self, event: &Event) -> facts::Event {
        let number = event.resource;
        let resource = match event.kind.noun() {
            Noun::Book => Resource::Book(self.labels.label(number)),
            Noun::Account => Resource::Account(self.labels.label(number)),
            Noun::Group => Resource::Group(self.labels.label(number)),
            Noun::Transaction => Resource::Transaction(self.labels.label(number)),
            Noun::File => Resource::File(self.labels.label(number)),
            Noun::SavedQuery => Resource::SavedQuery(self.labels.label(number)),
            Noun::Integration => Resource::Integration(self.labels.label(number)),
            Noun::Comment => Resource::Comment(self.labels.label(number)),
            Noun::Collaborator => Resource::Collaborator(self.labels.label(number)),
        };
        facts::Event {
            sequence: event.sequence,
            kind: event.kind,
            resource,
            user: self.user(event.user),
            agent: event.agent.clone(),
            at: event.created_at.milliseconds(),
        }
    }

    /// The containers of an answer in the order they are written.
    pub fn containers(&self, view: &balance::View) -> Vec<Container> {
        let scale = view.access.book().scale;
        let mut containers = Vec::new();
        for account in view.balances.accounts.iter().flatten() {
            containers.push(self.account_container(account, 0, scale));
        }
        for group in view.balances.groups.iter().flatten() {
            self.group_containers(group, 0, scale, &view.forest, &mut containers);
        }
        containers
    }

    fn account_container(&self, found: &AccountBalances, depth: usize, scale: u32) -> Container {
        let of = Of::Account(self.labels.label(found.account.get()), Empty(found.empty));
        container(of, depth, scale, found.amounts, &found.series)
    }

    fn group_containers(
        &self,
        found: &GroupBalances,
        depth: usize,
        scale: u32,
        forest: &Forest,
        into: &mut Vec<Container>,
    ) {
        let of = Of::Group(self.labels.label(found.group.get()), nature(forest, found.group));
        into.push(container(of, depth, scale, found.amounts, &found.series));
        for group in &found.groups {
            self.group_containers(group, depth + 1, scale, forest, into);
        }
        into.extend(
            found.accounts.iter().map(|account| self.account_container(account, depth + 1, scale)),
        );
    }
}

fn container(of: Of, depth: usize, scale: u32, amounts: Amounts, series: &[Slice]) -> Container {
    let unit = 10_i128.pow(8 - scale);
    let sides = |sums: Sums| -> Sides { (sums.debit * unit, sums.credit * unit) };
    let slice = |slice: &Slice| {
        (slice.fuzzy_date(), sides(slice.amounts.period), sides(slice.amounts.cumulative))
    };
    let series = series.iter().map(slice).collect();
    Container {
        depth,
        of,
        cumulative: sides(amounts.cumulative),
        period: sides(amounts.period),
        series,
    }
}

fn nature(forest: &Forest, group: GroupId) -> Nature {
    let nature = forest.flags(group);
    Nature {
        kind: nature.kind,
        mixed: nature.mixed,
        permanent: nature.permanent,
        credit: nature.credit,
        has_accounts: nature.has_accounts,
        has_groups: nature.has_groups,
    }
}

fn stamp(stamp: &Stamp) -> facts::Stamp {
    facts::Stamp {
        agent: stamp.agent.clone(),
        created: stamp.created_at.milliseconds(),
        updated: stamp.updated_at.milliseconds(),
    }
}

pub(super) fn properties(properties: &Properties) -> facts::Properties {
    properties.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn settings(settings: &Settings) -> facts::Settings {
    facts::Settings {
        name: settings.name.as_str().to_owned(),
        auto_post: settings.auto_post,
        closing: settings.closing_date.map(|day| dates::from_number(day_number(day))),
        lock: settings.lock_date.map(|day| dates::from_number(day_number(day))),
        pattern: settings.date_pattern.as_str().to_owned(),
        separator: settings.decimal_separator.as_str().to_owned(),
        digits: settings.fraction_digits,
        zone: settings.time_zone.clone(),
        visibility: settings.visibility.as_str().to_owned(),
        properties: properties(&settings.properties),
    }
}
