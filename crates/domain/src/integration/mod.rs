//! Integrations: apps and bank connections that are installed in a book (behaviour 9.4).

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
use crate::property::{Edits, Properties};

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
        let Changes { name, properties, reach, own_events } = changes;
        let name = name.as_deref().filter(|name| !name.trim().is_empty());
        Ok(Self {
            id,
            app: app.id.clone(),
            installs_app: true,
            connection: None,
            name: name.map_or_else(|| Ok(app.manifest.name.clone()), Name::new)?,
            installer: visitor.id,
            properties: Properties::default().merge(properties)?,
            reach: reach.unwrap_or_default(),
            own_events: own_events.unwrap_or(true),
            stamp: Stamp::new(None, now),
        })
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
        let Changes { name, properties, reach, own_events } = changes;
        let name = name.as_deref().filter(|name| !name.trim().is_empty());
        Ok(Self {
            id,
            app,
            installs_app: false,
            connection: Some(bank.id),
            name: name.map_or_else(|| Ok(bank.name.clone()), Name::new)?,
            installer: bank.owner,
            properties: Properties::default().merge(properties)?,
            reach: reach.unwrap_or_default(),
            own_events: own_events.unwrap_or(true),
            stamp: Stamp::new(None, now),
        })
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
        let mut previous = Previous::new();
        if name != self.name {
            previous.insert("name".to_owned(), self.name.as_str().to_owned());
        }
        let reach = changes.reach.unwrap_or(self.reach);
        if reach != self.reach {
            previous.insert("reach".to_owned(), self.reach.as_str().to_owned());
        }
        let own_events = changes.own_events.unwrap_or(self.own_events);
        if own_events != self.own_events {
            previous.insert("ownEvents".to_owned(), self.own_events.to_string());
        }
        self.properties.note_changes(&properties, &mut previous);
        let stamp = if previous.is_empty() { self.stamp } else { self.stamp.touch(now) };
        Ok((Self { name, properties, reach, own_events, stamp, ..self }, previous))
    }

    /// Returns the sort key for lists: the name, ignoring case.
    #[must_use]
    pub fn sort_key(&self) -> (String, IntegrationId) {
        (self.name.as_str().to_lowercase(), self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app;
    use crate::email::Email;
    use crate::field::Field;

    const NOW: Instant = Instant::new(5);

    fn visitor(number: i64, email: &Email) -> Visitor<'_> {
        Visitor { id: UserId::new(number), username: "ada", email, is_administrator: false }
    }

    fn app(installable: Option<bool>, owner: &Visitor<'_>) -> App {
        let installable = installable.map_or(Field::Keep, Field::Set);
        let name = Some("Tax Bot".to_owned());
        let changes = app::Changes { name, installable, ..Default::default() };
        App::create(Some("tax-bot"), changes, owner, Instant::new(0)).unwrap()
    }

    fn named(name: &str) -> Changes {
        Changes { name: Some(name.to_owned()), ..Changes::default() }
    }

    #[test]
    fn visible_installable_app_can_be_installed() {
        let (ada, eve) =
            (Email::parse("ada@a.example").unwrap(), Email::parse("eve@b.example").unwrap());
        let (owner, stranger) = (visitor(1, &ada), visitor(2, &eve));
        let install = |app: &App, who: &Visitor<'_>, changes: &Changes| {
            Integration::install(IntegrationId::new(9), app, changes, who, NOW)
        };
        let bot = app(None, &owner);
        let made = install(&bot, &owner, &Changes::default()).unwrap();
        assert_eq!(
            (made.name.as_str(), made.installer, made.stamp.agent),
            ("Tax Bot", owner.id, None)
        );
        assert_eq!(install(&bot, &owner, &named(" ")).unwrap().name.as_str(), "Tax Bot");
        assert_eq!(install(&bot, &owner, &named("VAT")).unwrap().name.as_str(), "VAT");
        let unknown = Err(Refusal::UnknownApp("tax-bot".to_owned()));
        assert_eq!(install(&bot, &stranger, &Changes::default()), unknown);
        let published = App { published: true, ..bot };
        assert!(install(&published, &stranger, &Changes::default()).is_ok());
        let refused = Err(Refusal::NotInstallable("tax-bot".to_owned()));
        assert_eq!(install(&app(Some(false), &owner), &owner, &Changes::default()), refused);
    }

    #[test]
    fn only_the_installer_may_change_the_reach() {
        let ada = Email::parse("ada@a.example").unwrap();
        let owner = visitor(1, &ada);
        let to = |reach| Changes { reach, ..Changes::default() };
        let bot = app(None, &owner);
        let install = |reach| {
            Integration::install(IntegrationId::new(9), &bot, &to(reach), &owner, NOW).unwrap()
        };
        let made = install(None);
        assert_eq!(made.reach, AppReach::Collection);
        for (reach, of_others) in [
            (None, true),
            (Some(AppReach::Book), false),
            (Some(AppReach::Collection), true),
            (Some(AppReach::All), false),
        ] {
            assert_eq!(made.check_permitted(&to(reach), owner.id), Ok(()));
            let other = made.check_permitted(&to(reach), UserId::new(2));
            assert_eq!(other.is_ok(), of_others, "{reach:?}");
            let (after, previous) = made.clone().update(&to(reach), NOW).unwrap();
            assert_eq!(after, Integration { stamp: after.stamp.clone(), ..install(reach) });
            let before = (!of_others).then_some("COLLECTION");
            assert_eq!(previous.get("reach").map(String::as_str), before, "{reach:?}");
        }
    }

    #[test]
    fn update_returns_previous_values() {
        let ada = Email::parse("ada@a.example").unwrap();
        let owner = visitor(1, &ada);
        let id = IntegrationId::new(9);
        let made =
            Integration::install(id, &app(None, &owner), &Changes::default(), &owner, NOW).unwrap();
        let later = Instant::new(6);
        let (same, previous) = made.clone().update(&Changes::default(), later).unwrap();
        assert!(same == made && previous.is_empty());
        let rate = |value: Option<&str>| [("rate".to_owned(), value.map(str::to_owned))].into();
        let changes = Changes { properties: rate(Some("10")), ..named("VAT") };
        let (changed, previous) = made.clone().update(&changes, later).unwrap();
        let expected = [("name", "Tax Bot"), ("rate", "")];
        assert!(previous.iter().map(|(k, v)| (k.as_str(), v.as_str())).eq(expected));
        assert_eq!((changed.stamp.updated_at, changed.stamp.version), (later, 2));
        let without = Changes { own_events: Some(false), ..Changes::default() };
        let (quiet, previous) = made.clone().update(&without, later).unwrap();
        assert!(made.own_events && !quiet.own_events);
        assert!(previous.iter().map(|(k, v)| (k.as_str(), v.as_str())).eq([("ownEvents", "true")]));
        assert_eq!(quiet.clone().update(&without, later).unwrap().0, quiet);
        let back = Changes { properties: rate(None), ..named("Tax Bot") };
        let (back, _) = changed.update(&back, later).unwrap();
        assert_eq!((&back.name, &back.properties), (&made.name, &made.properties));
        assert!(made.update(&named(" "), later).is_err());
    }
}
