//! Connections of users to external services, such as a bank account (behaviour 9.5).
//!
//! The app that uses the service stores its tokens in the properties of the connection. Only the
//! owner and the app see it.

mod refusal;

pub use refusal::{MAX_CONNECTIONS, MAX_UUID, Refusal};

use crate::app::{App, AppId, AppRole, Visitor};
use crate::id::{ConnectionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::name::Name;
use crate::named::named;

named! {
    /// The kind of a connection.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ConnectionKind {
        /// A connection to an app of this installation.
        #[default]
        App = "APP",
        /// A connection to a bank, through any program.
        Bank = "BANK",
    }
}

/// A connection of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Unique across all users.
    pub id: ConnectionId,
    /// The user.
    pub owner: UserId,
    /// The app. For a bank, it need not be registered here.
    pub app: AppId,
    /// The client's id for it, unique for the user and the app.
    pub uuid: String,
    /// The kind.
    pub kind: ConnectionKind,
    /// The name.
    pub name: Name,
    /// The custom properties, sealed by the http crate; `None` without properties.
    pub properties: Option<Vec<u8>>,
    /// The times. It has no agent, because `agentId` of a connection is its app.
    pub stamp: Stamp,
}

/// The body of a new connection.
#[derive(Debug, Clone, Default)]
pub struct NewConnection {
    /// The id of the app.
    pub app: Option<String>,
    /// The client's id for it; defaults to its id.
    pub uuid: Option<String>,
    /// The kind.
    pub kind: ConnectionKind,
    /// The name.
    pub name: Option<String>,
}

impl NewConnection {
    /// Validates the id of the app.
    ///
    /// # Errors
    /// [`Refusal::AppRequired`], [`Refusal::AppMalformed`].
    pub fn app(&self) -> Result<AppId, Refusal> {
        let app = self.app.as_deref().map(str::trim).filter(|app| !app.is_empty());
        AppId::new(app.ok_or(Refusal::AppRequired)?).map_err(Refusal::AppMalformed)
    }

    /// Validates the client's id, if it is not blank.
    ///
    /// # Errors
    /// [`Refusal::UuidTooLong`].
    pub fn uuid(&self) -> Result<Option<&str>, Refusal> {
        let uuid = self.uuid.as_deref().map(str::trim).filter(|uuid| !uuid.is_empty());
        match uuid.map(|uuid| uuid.chars().count()) {
            Some(length) if length > MAX_UUID => Err(Refusal::UuidTooLong(length)),
            Some(_) | None => Ok(uuid),
        }
    }
}

impl Connection {
    /// Creates a connection of the visitor, without properties.
    ///
    /// `app` is the registered app with that id, if there is one.
    ///
    /// # Errors
    /// [`Refusal::UnknownApp`] and [`Refusal::NotConnectable`], unless it is a bank; [`Refusal`]
    /// for an invalid uuid or name.
    pub fn create(
        id: ConnectionId,
        new: &NewConnection,
        app: Option<&App>,
        visitor: &Visitor<'_>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let agent = new.app()?;
        let app = app.filter(|app| app.role(visitor) > AppRole::Stranger);
        if new.kind == ConnectionKind::App {
            let app = app.ok_or_else(|| Refusal::UnknownApp(agent.to_string()))?;
            if !app.manifest.flags.connectable {
                return Err(Refusal::NotConnectable(agent.to_string()));
            }
        }
        Ok(Self {
            id,
            owner: visitor.id,
            uuid: new.uuid()?.map_or_else(|| id.to_string(), str::to_owned),
            kind: new.kind,
            name: Name::new(new.name.as_deref().unwrap_or_default())?,
            app: agent,
            properties: None,
            stamp: Stamp::new(None, now),
        })
    }

    /// Sets the name, unless it is absent, and the properties.
    ///
    /// # Errors
    /// The refusal of the name.
    pub fn update(
        self,
        name: Option<&str>,
        properties: Option<Vec<u8>>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let name = name.map_or_else(|| Ok(self.name.clone()), Name::new)?;
        if name == self.name && properties == self.properties {
            return Ok(self);
        }
        let stamp = self.stamp.touch(now);
        Ok(Self { name, properties, stamp, ..self })
    }

    /// Returns the sort key for lists: the name, ignoring case.
    pub fn sort_key(&self) -> (String, ConnectionId) {
        (self.name.as_str().to_lowercase(), self.id)
    }
}

#[cfg(test)]
mod tests;
