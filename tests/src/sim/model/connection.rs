//! Connections, from behaviour 9.5: a user's own.

use daybook_domain::property::Edits;

use super::app::Visitor;
use super::text::{checked_title, merged};
use super::{Book, Caller, Model, may};
use crate::sim::body::Id;
use crate::sim::facts::{Connection, Integration, Properties, Refusal};
use crate::sim::label;

/// The fields of a new connection.
#[derive(Clone, Debug)]
pub struct ConnectionInput {
    pub label: label::Connection,
    pub app: Option<label::App>,
    pub uuid: Option<String>,
    pub bank: bool,
    pub name: Option<String>,
    pub properties: Edits,
}

impl Model {
    /// Lists the caller's connections by name, ignoring case, then by age.
    pub fn list_connections(&self, caller: &Caller) -> Vec<Connection> {
        let own = self.connections.values().filter(|one| one.owner == caller.who);
        let mut own: Vec<Connection> = own.cloned().collect();
        own.sort_by_key(|one| (one.name.to_lowercase(), one.label));
        own
    }

    /// Finds a connection of the caller; one of another user is reported as missing.
    pub fn own_connection(
        &self,
        caller: &Caller,
        id: Id<label::Connection>,
    ) -> Result<Connection, Refusal> {
        let found = id.known().and_then(|label| self.connections.get(&label));
        found.filter(|one| one.owner == caller.who).cloned().ok_or_else(Refusal::missing)
    }

    /// Creates a connection, or returns the existing one with the same app and uuid unchanged.
    pub fn connect(
        &mut self,
        caller: &Caller,
        input: &ConnectionInput,
    ) -> Result<Connection, Refusal> {
        let app = input.app.ok_or_else(Refusal::bad)?;
        let uuid = input.uuid.as_deref().map(str::trim).filter(|uuid| !uuid.is_empty());
        if uuid.is_some_and(|uuid| uuid.chars().count() > 255) {
            return Err(Refusal::bad());
        }
        let same =
            |one: &&Connection| one.owner == caller.who && one.app == app && one.uuid() == uuid;
        if let Some(existing) = self.connections.values().filter(|_| uuid.is_some()).find(same) {
            return Ok(existing.clone());
        }
        let connectable =
            |app| self.visible(Visitor::from(caller), app).is_some_and(|app| app.connectable);
        if !input.bank && !connectable(app) {
            return Err(Refusal::bad());
        }
        let made = Connection {
            label: input.label,
            owner: caller.who,
            app,
            uuid: uuid.map(str::to_owned),
            bank: input.bank,
            name: checked_title(input.name.as_deref())?,
            properties: merged(&Properties::new(), &input.properties)?,
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
        name: Option<&str>,
        properties: &Edits,
    ) -> Result<Connection, Refusal> {
        let before = self.own_connection(caller, id.ok_or_else(Refusal::bad)?)?;
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
    ) -> Result<Connection, Refusal> {
        let doomed = self.own_connection(caller, id)?;
        self.disconnect(doomed.label, caller);
        self.connections.remove(&doomed.label);
        Ok(doomed)
    }

    /// Lists the integrations of a connection in books that the user can still read.
    pub fn connected(
        &self,
        caller: &Caller,
        id: Id<label::Connection>,
    ) -> Result<Vec<Integration>, Refusal> {
        let connection = self.own_connection(caller, id)?.label;
        let reads = |book: &&Book| {
            self.permission(book, caller.who).is_some_and(|one| book.allows(one, may::READ))
        };
        let all = self.books.values().filter(reads).flat_map(|book| book.integrations.values());
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
