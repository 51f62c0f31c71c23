//! Apps: third-party programs that users install in books and connect to (behaviour 9.3).
//!
//! An [`App`] is registered by its owner with a [`Manifest`] that describes it. Its `developers`
//! may change it, its `users` may see and install it before it is published, and administrators
//! publish it. Once installed in a book it receives the events of its manifest and acts with the
//! user's token.

mod audience;
mod id;
mod manifest;
mod refusal;
mod schema;
mod summary;
#[cfg(test)]
mod tests;
mod text;

pub use audience::Audience;
pub use id::AppId;
pub use manifest::{AppFlags, AppTexts, Changes, Manifest};
pub use refusal::{MAX_APPS, MAX_ID, MAX_ITEMS, MAX_SCHEMA, Refusal};
pub use schema::{PropertiesSchema, PropertyHints, PropertyHolder};
pub use summary::{AppSummary, MAX_LOGO};
pub use text::AppText;

use crate::email::Email;
use crate::id::UserId;
use crate::instant::Instant;
use crate::name::Name;

/// A registered app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// The id, which requests send as their agent.
    pub id: AppId,
    /// The user who registered it.
    pub owner: UserId,
    /// The description of the app.
    pub manifest: Manifest,
    /// Whether all users see it.
    pub published: bool,
    /// The client secret, sealed by the http crate.
    pub client_secret: Option<Vec<u8>>,
    /// The time of creation.
    pub created_at: Instant,
    /// The time of the last change.
    pub updated_at: Instant,
}

/// The user who accesses an app.
#[derive(Debug, Clone, Copy)]
pub struct Visitor<'v> {
    /// The user's id.
    pub id: UserId,
    /// The username.
    pub username: &'v str,
    /// The verified address.
    pub email: &'v Email,
    /// Whether the configuration lists the user as an administrator.
    pub is_administrator: bool,
}

/// The role of a user towards an app, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppRole {
    /// Does not see it.
    Stranger,
    /// Sees and installs it.
    User,
    /// Changes it: the owner, a developer or an administrator.
    Developer,
}

impl App {
    /// Creates an app that belongs to the visitor.
    ///
    /// # Errors
    /// [`Refusal`] for an invalid id or field.
    pub fn create(
        id: Option<&str>,
        changes: Changes,
        visitor: &Visitor<'_>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let id = AppId::new(id.unwrap_or_default())?;
        let name = Name::new(changes.name.as_deref().unwrap_or_default())?;
        let new = Self {
            id,
            owner: visitor.id,
            manifest: Manifest::new(name),
            published: false,
            client_secret: None,
            created_at: now,
            updated_at: now,
        };
        new.apply(changes, visitor)
    }

    /// Applies an update by the visitor.
    ///
    /// # Errors
    /// [`Refusal::NotDeveloper`]; otherwise the same as [`App::create`].
    pub fn update(
        self,
        changes: Changes,
        visitor: &Visitor<'_>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        if self.role(visitor) < AppRole::Developer {
            return Err(Refusal::NotDeveloper(self.id.to_string()));
        }
        let before = self.clone();
        let after = self.apply(changes, visitor)?;
        let updated_at = if after == before { before.updated_at } else { now };
        Ok(Self { updated_at, ..after })
    }

    fn apply(self, changes: Changes, visitor: &Visitor<'_>) -> Result<Self, Refusal> {
        let manifest = self.manifest.apply(&changes)?;
        let published = if visitor.is_administrator {
            changes.published.apply(Some(self.published)).unwrap_or(false)
        } else {
            self.published
        };
        let client_secret = changes.client_secret.apply(self.client_secret);
        Ok(Self { manifest, published, client_secret, ..self })
    }

    /// Returns the role of a user.
    pub fn role(&self, visitor: &Visitor<'_>) -> AppRole {
        let is_listed_in = |text| {
            let audience = Audience::read(self.manifest.text(text).unwrap_or_default());
            audience.includes(visitor.username, visitor.email)
        };
        if self.owner == visitor.id || visitor.is_administrator || is_listed_in(AppText::Developers)
        {
            AppRole::Developer
        } else if self.published || is_listed_in(AppText::Users) {
            AppRole::User
        } else {
            AppRole::Stranger
        }
    }

    /// Returns the union of `developers` and `users`.
    pub fn audience(&self) -> Audience {
        let text = |text| self.manifest.text(text).unwrap_or_default();
        Audience::read(&[text(AppText::Developers), text(AppText::Users)].join(" "))
    }

    /// Returns the sort key for lists: the name, ignoring case.
    pub fn sort_key(&self) -> (String, AppId) {
        (self.manifest.name.as_str().to_lowercase(), self.id.clone())
    }
}
