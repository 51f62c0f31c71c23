//! Integrations, from behaviour 9.4.

use std::collections::BTreeSet;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use daybook_domain::property::Edits;

use super::app::{self, Visitor};
use super::text::{checked_title, merged};
use super::{Book, Caller, Model, Tx, may};
use crate::sim::body::Id;
use crate::sim::facts::{AppView, Integration, Properties, Refusal, Resource};
use crate::sim::label;

/// The fields of a new integration.
#[derive(Clone, Debug)]
pub struct IntegrationInput {
    pub label: label::Integration,
    pub app: Option<label::App>,
    pub connection: Option<Id<label::Connection>>,
    pub name: Option<String>,
    pub properties: Edits,
}

impl Book {
    /// Lists integrations by name, ignoring case, then by age.
    pub fn integrations_in_order(&self) -> Vec<Integration> {
        let mut all: Vec<Integration> = self.integrations.values().cloned().collect();
        all.sort_by_key(|one| (one.name.to_lowercase(), one.label));
        all
    }

    /// The integrations that install an app.
    pub fn installed(&self) -> impl Iterator<Item = &Integration> {
        self.integrations.values().filter(|one| one.installs_app)
    }

    fn integration(&self, id: Id<label::Integration>) -> Result<Integration, Refusal> {
        let found = id.known().and_then(|label| self.integrations.get(&label));
        found.cloned().ok_or_else(Refusal::missing)
    }
}

impl Model {
    /// Lists the apps installed in the book, including those that the reader cannot see elsewhere.
    pub fn list_book_apps(&self, caller: &Caller) -> Result<Vec<AppView>, Refusal> {
        let (book, _) = self.enter(caller, may::READ)?;
        let installed: BTreeSet<label::App> = book.installed().map(|one| one.app).collect();
        let apps = self.apps.values().filter(|app| installed.contains(&app.label));
        Ok(app::seen(apps, Visitor::from(caller)))
    }

    pub fn install(
        &mut self,
        caller: &Caller,
        input: &IntegrationInput,
    ) -> Result<Integration, Refusal> {
        let (book, _) = self.enter(caller, may::MANAGE)?;
        let connection = match input.connection {
            Some(id) => Some(self.own_connection(caller, id).map_err(|_| Refusal::bad())?),
            None => None,
        };
        let of_it = connection.as_ref().map(|one| one.app);
        let app = input.app.or(of_it).ok_or_else(Refusal::bad)?;
        let through = connection.as_ref().map(|one| one.label);
        let same = |one: &&Integration| one.app == app && one.connection == through;
        if let Some(existing) = book.integrations.values().find(same) {
            return Ok(existing.clone());
        }
        let installs_app = !connection.as_ref().is_some_and(|one| one.bank);
        let own_name = if let Some(bank) = connection.filter(|one| one.bank) {
            // The app of a bank need not be registered.
            bank.name
        } else {
            let app = self.visible(Visitor::from(caller), app).ok_or_else(Refusal::bad)?;
            if !app.installable {
                return Err(Refusal::bad());
            }
            app.name.clone()
        };
        let given = input.name.as_deref().filter(|name| !name.trim().is_empty());
        let made = Integration {
            label: input.label,
            app,
            installs_app,
            connection: through,
            name: given.map_or(Ok(own_name), |name| checked_title(Some(name)))?,
            installer: caller.who,
            properties: merged(&Properties::new(), &input.properties)?,
            created: caller.now,
            updated: caller.now,
        };
        self.installed.insert(made.label, app);
        self.write(caller, may::MANAGE, |tx| {
            tx.book.integrations.insert(made.label, made.clone());
            tx.emit(EventType::IntegrationCreated, Resource::Integration(made.label));
            Ok(made)
        })
    }

    /// Removes the integrations of a connection from every book, whatever its user's permission
    /// there (9.5).
    pub fn disconnect(&mut self, connection: label::Connection, caller: &Caller) {
        let email = self.users[caller.who].email.clone();
        let uses =
            |book: &&Book| book.integrations.values().any(|one| one.connection == Some(connection));
        let books: Vec<Book> = self.books.values().filter(uses).cloned().collect();
        for book in books {
            let used = book.integrations.values().filter(|one| one.connection == Some(connection));
            let used: Vec<label::Integration> = used.map(|one| one.label).collect();
            let mut tx = Tx::new(book, Permission::Owner, caller, &email);
            for label in used {
                tx.book.integrations.remove(&label);
                tx.emit(EventType::IntegrationDeleted, Resource::Integration(label));
            }
            self.keep(tx);
        }
    }
}

impl Tx {
    pub fn update_integration(
        &mut self,
        id: Option<Id<label::Integration>>,
        name: Option<&str>,
        properties: &Edits,
    ) -> Result<Integration, Refusal> {
        let before = self.book.integration(id.ok_or_else(Refusal::bad)?)?;
        let mut after = before.clone();
        if let Some(name) = name {
            after.name = checked_title(Some(name))?;
        }
        after.properties = merged(&before.properties, properties)?;
        if after != before {
            after.updated = self.caller.now;
            self.book.integrations.insert(after.label, after.clone());
            self.emit(EventType::IntegrationUpdated, Resource::Integration(after.label));
        }
        Ok(after)
    }

    pub fn delete_integration(
        &mut self,
        id: Id<label::Integration>,
    ) -> Result<Integration, Refusal> {
        let doomed = self.book.integration(id)?;
        self.book.integrations.remove(&doomed.label);
        self.emit(EventType::IntegrationDeleted, Resource::Integration(doomed.label));
        Ok(doomed)
    }
}
