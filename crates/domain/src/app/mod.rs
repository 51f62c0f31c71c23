//! Apps: programs of others that users install in books and connect to (behaviour 9.3).

mod audience;
mod id;
mod manifest;
mod refusal;
mod schema;
mod summary;
#[cfg(test)]
mod tests;
mod text;

pub use audience::People;
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

/// A program that acts for users in books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Its id, which requests name as their agent.
    pub id: AppId,
    /// Who made it.
    pub owner: UserId,
    /// What it says about itself.
    pub manifest: Manifest,
    /// Everybody sees it.
    pub published: bool,
    /// The secret of its OAuth client, sealed. How it is sealed is a matter of http.
    pub client_secret: Option<Vec<u8>>,
    /// When it was made.
    pub created_at: Instant,
    /// When it last changed.
    pub updated_at: Instant,
}

/// Who looks at an app.
#[derive(Debug, Clone, Copy)]
pub struct Visitor<'v> {
    /// The user.
    pub id: UserId,
    /// The username.
    pub username: &'v str,
    /// The verified address.
    pub email: &'v Email,
    /// The configuration names the user among the administrators.
    pub is_administrator: bool,
}

/// What an app is to somebody, from less to more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppRole {
    /// They do not see it.
    Stranger,
    /// They see and install it.
    User,
    /// They change it: its owner, a developer, or an administrator.
    Developer,
}

impl App {
    /// A new app, of the visitor.
    ///
    /// # Errors
    /// [`Refusal`].
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
            manifest: Manifest::named(name),
            published: false,
            client_secret: None,
            created_at: now,
            updated_at: now,
        };
        new.changed(changes, visitor)
    }

    /// The app after an update by the visitor.
    ///
    /// # Errors
    /// [`Refusal::NotDeveloper`]; else as [`App::create`].
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
        let after = self.changed(changes, visitor)?;
        let updated_at = if after == before { before.updated_at } else { now };
        Ok(Self { updated_at, ..after })
    }

    fn changed(self, changes: Changes, visitor: &Visitor<'_>) -> Result<Self, Refusal> {
        let manifest = self.manifest.changed(&changes)?;
        let published = if visitor.is_administrator {
            changes.published.apply(Some(self.published)).unwrap_or(false)
        } else {
            self.published
        };
        let client_secret = changes.client_secret.apply(self.client_secret);
        Ok(Self { manifest, published, client_secret, ..self })
    }

    /// What it is to somebody.
    #[must_use]
    pub fn role(&self, visitor: &Visitor<'_>) -> AppRole {
        let named = |text| {
            let people = People::read(self.manifest.text(text).unwrap_or_default());
            people.name(visitor.username, visitor.email)
        };
        if self.owner == visitor.id || visitor.is_administrator || named(AppText::Developers) {
            AppRole::Developer
        } else if self.published || named(AppText::Users) {
            AppRole::User
        } else {
            AppRole::Stranger
        }
    }

    /// Everybody whom it names.
    #[must_use]
    pub fn people(&self) -> People {
        let text = |text| self.manifest.text(text).unwrap_or_default();
        People::read(&[text(AppText::Developers), text(AppText::Users)].join(" "))
    }

    /// The sort key for lists: by name, ignoring case.
    #[must_use]
    pub fn sort_key(&self) -> (String, AppId) {
        (self.manifest.name.as_str().to_lowercase(), self.id.clone())
    }
}
