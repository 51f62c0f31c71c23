//! Connections: what a user lets an app use elsewhere, such as an account at a bank (behaviour
//! 9.5). The app keeps its tokens for that in the properties.

mod refusal;

pub use refusal::{MAX_CONNECTIONS, MAX_UUID, Refusal};

use crate::app::{App, AppId, AppRole, Visitor};
use crate::id::{ConnectionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::name::Name;

/// What is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConnectionKind {
    /// An app of this installation.
    #[default]
    App,
    /// A bank, through whatever program.
    Bank,
}

impl ConnectionKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::App, Self::Bank];

    /// The kind as the API names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::App => "APP",
            Self::Bank => "BANK",
        }
    }

    /// Finds the kind with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A connection of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Unique across all users.
    pub id: ConnectionId,
    /// Its user, who alone sees it.
    pub owner: UserId,
    /// The app; that of a bank need not be known here.
    pub app: AppId,
    /// What the client calls it, unique for the user and the app.
    pub uuid: String,
    /// What is at the other end.
    pub kind: ConnectionKind,
    /// The name.
    pub name: Name,
    /// Its custom properties, sealed; none without any. How they are sealed is a matter of http.
    pub properties: Option<Vec<u8>>,
    /// Its times. It names no agent: `agentId` of a connection is its app.
    pub stamp: Stamp,
}

/// What a new connection says of itself.
#[derive(Debug, Clone, Default)]
pub struct NewConnection {
    /// The id of the app.
    pub app: Option<String>,
    /// What the client calls it; absent or blank, its id.
    pub uuid: Option<String>,
    /// What is at the other end.
    pub kind: ConnectionKind,
    /// The name.
    pub name: Option<String>,
}

impl NewConnection {
    /// The id of the app, checked.
    ///
    /// # Errors
    /// [`Refusal::AppRequired`], [`Refusal::AppMalformed`].
    pub fn app(&self) -> Result<AppId, Refusal> {
        let given = self.app.as_deref().map(str::trim).filter(|app| !app.is_empty());
        AppId::new(given.ok_or(Refusal::AppRequired)?).map_err(Refusal::AppMalformed)
    }

    /// What the client calls it, if anything.
    ///
    /// # Errors
    /// [`Refusal::UuidTooLong`].
    pub fn uuid(&self) -> Result<Option<&str>, Refusal> {
        let given = self.uuid.as_deref().map(str::trim).filter(|uuid| !uuid.is_empty());
        match given.map(|uuid| uuid.chars().count()) {
            Some(length) if length > MAX_UUID => Err(Refusal::UuidTooLong(length)),
            Some(_) | None => Ok(given),
        }
    }
}

impl Connection {
    /// A new connection of a visitor to an app, where there is one with that id. It has no
    /// properties yet.
    ///
    /// # Errors
    /// [`Refusal::UnknownApp`], also for an app that the visitor may not see, and
    /// [`Refusal::NotConnectable`], unless it is a bank; a uuid or a name that are none.
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

    /// The connection with another name and other properties; absent ones stay.
    ///
    /// # Errors
    /// A name that is none.
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
        let stamp = self.stamp.touched(now);
        Ok(Self { name, properties, stamp, ..self })
    }

    /// The sort key for lists: by name, ignoring case.
    #[must_use]
    pub fn sort_key(&self) -> (String, ConnectionId) {
        (self.name.as_str().to_lowercase(), self.id)
    }
}

#[cfg(test)]
mod tests;
