//! Connections, from behaviour 9.5: a user's own.

use daybook_domain::property::Edits;

use super::app::Visitor;
use super::text::{checked_title, merged};
use super::{Caller, Model, may};
use crate::sim::body::Id;
use crate::sim::facts::{Connection, Integration, Properties, Refused};
use crate::sim::label;

/// What a connection is made from.
#[derive(Clone, Debug)]
pub struct Connecting {
    pub label: label::Connection,
    pub app: Option<label::App>,
    pub uuid: Option<String>,
    pub bank: bool,
    pub name: Option<String>,
    pub properties: Edits,
}

impl Model {
    /// By name, ignoring case, then by age.
    pub fn list_connections(&self, caller: &Caller) -> Vec<Connection> {
        let own = self.connections.values().filter(|one| one.owner == caller.who);
        let mut own: Vec<Connection> = own.cloned().collect();
        own.sort_by_key(|one| (one.name.to_lowercase(), one.label));
        own
    }

    /// That of somebody else does not exist.
    pub fn own_connection(
        &self,
        caller: &Caller,
        id: Id<label::Connection>,
    ) -> Result<Connection, Refused> {
        let found = if let Id::Of(label) = id { self.connections.get(&label) } else { None };
        found.filter(|one| one.owner == caller.who).cloned().ok_or_else(Refused::missing)
    }

    /// One with the same app and uuid is found again, and stays as it is.
    pub fn connect(&mut self, caller: &Caller, asked: &Connecting) -> Result<Connection, Refused> {
        let app = asked.app.ok_or_else(Refused::bad)?;
        let uuid = asked.uuid.as_deref().map(str::trim).filter(|uuid| !uuid.is_empty());
        if uuid.is_some_and(|uuid| uuid.chars().count() > 255) {
            return Err(Refused::bad());
        }
        let same =
            |one: &&Connection| one.owner == caller.who && one.app == app && one.uuid() == uuid;
        if let Some(existing) = self.connections.values().filter(|_| uuid.is_some()).find(same) {
            return Ok(existing.clone());
        }
        let connectable =
            |app| self.visible(Visitor::from(caller), app).is_some_and(|app| app.connectable);
        if !asked.bank && !connectable(app) {
            return Err(Refused::bad());
        }
        let made = Connection {
            label: asked.label,
            owner: caller.who,
            app,
            uuid: uuid.map(str::to_owned),
            bank: asked.bank,
            name: checked_title(asked.name.as_deref())?,
            properties: merged(&Properties::new(), &asked.properties)?,
            created: caller.now,
            updated: caller.now,
        };
        self.connections.insert(made.label, made.clone());
        Ok(made)
    }

    pub fn update_connection(
        &mut self,
        caller: &Caller,
        id: Option<Id<label::Connection>>,
        (name, properties): (Option<&str>, &Edits),
    ) -> Result<Connection, Refused> {
        let before = self.own_connection(caller, id.ok_or_else(Refused::bad)?)?;
        let mut after = before.clone();
        if let Some(name) = name {
            after.name = checked_title(Some(name))?;
        }
        after.properties = merged(&before.properties, properties)?;
        if after != before {
            after.updated = caller.now;
        }
        self.connections.insert(after.label, after.clone());
        Ok(after)
    }

    pub fn delete_connection(
        &mut self,
        caller: &Caller,
        id: Id<label::Connection>,
    ) -> Result<Connection, Refused> {
        let doomed = self.own_connection(caller, id)?;
        self.disconnect(doomed.label, caller);
        self.connections.remove(&doomed.label);
        Ok(doomed)
    }

    /// Those of books that the user still reads.
    pub fn connected(
        &self,
        caller: &Caller,
        id: Id<label::Connection>,
    ) -> Result<Vec<Integration>, Refused> {
        let connection = self.own_connection(caller, id)?.label;
        let read = self.books.keys().filter_map(|book| self.enter(*book, caller, may::READ).ok());
        let all = read.flat_map(|(book, _)| book.integrations.values());
        let mut all: Vec<Integration> =
            all.filter(|one| one.connection == Some(connection)).cloned().collect();
        all.sort_by_key(|one| (one.name.to_lowercase(), one.label));
        Ok(all)
    }
}

impl Connection {
    fn uuid(&self) -> Option<&str> {
        self.uuid.as_deref()
    }
}
