//! Integrations: apps and bank connections that are installed in a book (behaviour 9.4).
//!
//! An [`Integration`] belongs to a book and to the user who installed it. An installed app receives
//! the events of its manifest ([`crate::delivery`]), each with an access token of the installer.
//! The token is limited to the books of the [`AppReach`], which only the installer changes. An
//! integration with a bank connection names a program, and installs no app.
//!
//! Deleting the integration ends its deliveries and the tokens that they have sent.

mod events;
mod reach;
mod refusal;

pub use reach::AppReach;
pub use refusal::{MAX_INTEGRATIONS, Refusal};

use crate::app::{App, AppId, AppRole, Visitor};
use crate::connection::Connection;
use crate::event::Previous;
use crate::id::{ConnectionId, IntegrationId, UserId};
use crate::instant::{Instant, Stamp};
use crate::name::Name;
use crate::property::{Edits, FieldTexts, Properties, previous_values};

/// An app that is installed in a book.
///
/// A book has an app at most once without a connection, and once with each connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integration {
    /// Unique across all books.
    pub id: IntegrationId,
    /// The app. For a bank connection, it need not be registered here.
    pub app: AppId,
    /// Whether it installs that app. A bank connection does not, so a registered app with the same
    /// id gets no access through it.
    pub installs_app: bool,
    /// The bank connection of the installer that it uses.
    pub connection: Option<ConnectionId>,
    /// The name; defaults to that of the app.
    pub name: Name,
    /// The user who installed it. Changes by other users do not change the installer.
    pub installer: UserId,
    /// Custom properties.
    pub properties: Properties,
    /// The books that the app can access.
    pub reach: AppReach,
    /// Whether the app receives the events it caused itself.
    pub own_events: bool,
    /// The times. It has no agent, because `agentId` of an integration is its app.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update. Absent fields keep their value.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The name.
    pub name: Option<String>,
    /// Custom properties.
    pub properties: Edits,
    /// The books that the app can access. Only the installer may change it.
    pub reach: Option<AppReach>,
    /// Whether the app receives the events it caused itself.
    pub own_events: Option<bool>,
}

impl Integration {
    /// Installs an app for the visitor. The default name is that of the app.
    ///
    /// # Errors
    /// [`Refusal::UnknownApp`] and [`Refusal::NotInstallable`]; [`Refusal`] for an invalid name or
    /// invalid properties.
    pub fn install(
        id: IntegrationId,
        app: &App,
        changes: &Changes,
        visitor: &Visitor<'_>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        if app.role(visitor) == AppRole::Stranger {
            return Err(Refusal::UnknownApp(app.id.to_string()));
        }
        if !app.manifest.flags.installable {
            return Err(Refusal::NotInstallable(app.id.to_string()));
        }
        let new = NewIntegration {
            id,
            app: app.id.clone(),
            connection: None,
            default_name: &app.manifest.name,
            installer: visitor.id,
        };
        new.build(changes, now)
    }

    /// Installs a bank connection for its owner. The default name is that of the connection.
    ///
    /// # Errors
    /// [`Refusal`] for an invalid name or invalid properties.
    pub fn install_bank(
        id: IntegrationId,
        app: AppId,
        bank: &Connection,
        changes: &Changes,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let new = NewIntegration {
            id,
            app,
            connection: Some(bank.id),
            default_name: &bank.name,
            installer: bank.owner,
        };
        new.build(changes, now)
    }

    /// Checks that only the installer changes the reach.
    ///
    /// # Errors
    /// [`Refusal::NotInstaller`].
    pub fn check_permitted(&self, changes: &Changes, user: UserId) -> Result<(), Refusal> {
        let is_changed = changes.reach.is_some_and(|reach| reach != self.reach);
        if is_changed && user != self.installer { Err(Refusal::NotInstaller) } else { Ok(()) }
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// # Errors
    /// [`Refusal`] for an invalid name or invalid properties.
    pub fn update(self, changes: &Changes, now: Instant) -> Result<(Self, Previous), Refusal> {
        let name = changes.name.as_deref().map_or_else(|| Ok(self.name.clone()), Name::new)?;
        let properties = self.properties.merge(&changes.properties)?;
        let reach = changes.reach.unwrap_or(self.reach);
        let own_events = changes.own_events.unwrap_or(self.own_events);
        let stamp = self.stamp.clone().touch(now);
        let after = Self { name, properties, reach, own_events, stamp, ..self.clone() };
        let properties = [&self.properties, &after.properties];
        let previous = previous_values([self.texts(), after.texts()], properties);
        Ok((if previous.is_empty() { self } else { after }, previous))
    }

    fn texts(&self) -> FieldTexts<3> {
        [
            ("name", self.name.as_str().to_owned()),
            ("reach", self.reach.as_str().to_owned()),
            ("ownEvents", self.own_events.to_string()),
        ]
    }

    /// Returns the sort key for lists: the name, ignoring case.
    pub fn sort_key(&self) -> (String, IntegrationId) {
        (self.name.as_str().to_lowercase(), self.id)
    }
}

/// The data of a new integration besides its body.
struct NewIntegration<'n> {
    id: IntegrationId,
    app: AppId,
    connection: Option<ConnectionId>,
    default_name: &'n Name,
    installer: UserId,
}

impl NewIntegration<'_> {
    fn build(self, changes: &Changes, now: Instant) -> Result<Integration, Refusal> {
        let Self { id, app, connection, default_name, installer } = self;
        let Changes { name, properties, reach, own_events } = changes;
        let name = name.as_deref().filter(|name| !name.trim().is_empty());
        Ok(Integration {
            id,
            app,
            installs_app: connection.is_none(),
            connection,
            name: name.map_or_else(|| Ok(default_name.clone()), Name::new)?,
            installer,
            properties: Properties::default().merge(properties)?,
            reach: reach.unwrap_or_default(),
            own_events: own_events.unwrap_or(true),
            stamp: Stamp::new(None, now),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app;
    use crate::field::Field;
    use crate::fixture::{edits, email, pairs, visitor};

    const NOW: Instant = Instant::new(5);

    /// Installs for user 1, its owner, or another user.
    fn install(app: &App, user: i64, changes: &Changes) -> Result<Integration, Refusal> {
        let email = email("ada@a.example");
        Integration::install(IntegrationId::new(9), app, changes, &visitor(user, &email), NOW)
    }

    fn app(installable: bool) -> App {
        let (name, installable) = (Some("Tax Bot".to_owned()), Field::Set(installable));
        let changes = app::Changes { name, installable, ..Default::default() };
        let owner = email("ada@a.example");
        App::create(Some("tax-bot"), changes, &visitor(1, &owner), Instant::new(0)).unwrap()
    }

    fn named(name: &str) -> Changes {
        Changes { name: Some(name.to_owned()), ..Changes::default() }
    }

    #[test]
    fn visible_installable_app_can_be_installed() {
        let bot = app(true);
        for (changes, name) in
            [(Changes::default(), "Tax Bot"), (named(" "), "Tax Bot"), (named("VAT"), "VAT")]
        {
            let made = install(&bot, 1, &changes).unwrap();
            assert_eq!(
                (made.name.as_str(), made.installer, made.stamp.agent),
                (name, UserId::new(1), None)
            );
        }
        let unknown = Err(Refusal::UnknownApp("tax-bot".to_owned()));
        assert_eq!(install(&bot, 2, &Changes::default()), unknown);
        let published = App { published: true, ..bot };
        assert!(install(&published, 2, &Changes::default()).is_ok());
        let refused = Err(Refusal::NotInstallable("tax-bot".to_owned()));
        assert_eq!(install(&app(false), 1, &Changes::default()), refused);
    }

    #[test]
    fn only_the_installer_may_change_the_reach() {
        let to = |reach| Changes { reach, ..Changes::default() };
        let made = install(&app(true), 1, &to(None)).unwrap();
        assert_eq!(made.reach, AppReach::Collection);
        for (reach, of_others) in [
            (None, true),
            (Some(AppReach::Book), false),
            (Some(AppReach::Collection), true),
            (Some(AppReach::All), false),
        ] {
            assert_eq!(made.check_permitted(&to(reach), made.installer), Ok(()));
            let other = made.check_permitted(&to(reach), UserId::new(2));
            assert_eq!(other.is_ok(), of_others, "{reach:?}");
            let (after, previous) = made.clone().update(&to(reach), NOW).unwrap();
            assert_eq!(after.reach, reach.unwrap_or_default());
            let before = if of_others { vec![] } else { vec![("reach", "COLLECTION")] };
            assert_eq!(pairs(&previous), before, "{reach:?}");
        }
    }

    #[test]
    fn update_returns_previous_values() {
        let (made, later) = (install(&app(true), 1, &Changes::default()).unwrap(), Instant::new(6));
        let (same, previous) = made.clone().update(&Changes::default(), later).unwrap();
        assert!(same == made && previous.is_empty());
        let changes = Changes {
            properties: edits(&[("rate", Some("10"))]),
            own_events: Some(false),
            ..named("VAT")
        };
        let (changed, previous) = made.clone().update(&changes, later).unwrap();
        assert_eq!(pairs(&previous), [("name", "Tax Bot"), ("ownEvents", "true"), ("rate", "")]);
        assert_eq!((changed.stamp.updated_at, changed.stamp.version), (later, 2));
        assert!(!changed.own_events && changed.properties.get("rate") == Some("10"));
        assert!(made.update(&named(" "), later).is_err());
    }
}
