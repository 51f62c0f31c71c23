//! Apps, integrations and connections: input of use cases from traces, and facts from their output.

use std::collections::BTreeMap;

use daybook_domain::app::{AppRole, AppText, Changes, Manifest};
use daybook_domain::connection::{ConnectionKind, NewConnection};
use daybook_domain::field::Field;
use daybook_domain::integration::Changes as IntegrationChanges;
use daybook_domain::property::{Edits, Properties};
use daybook_service::{Error, app, connection, integration};

use super::Service;
use super::translate::properties;
use crate::sim::body::Id;
use crate::sim::facts::{self, Person, Refusal, Role};
use crate::sim::label;
use crate::sim::model::Caller;
use crate::sim::model::app::AppBody;
use crate::sim::model::connection::ConnectionInput;
use crate::sim::model::integration::IntegrationInput;

impl Service {
    /// The id of an app. Worlds in one database have different prefixes, and later labels have
    /// later ids.
    pub fn app_id(&self, label: label::App) -> String {
        format!("{}{:010}", self.app_prefix(), label.0)
    }

    fn app_prefix(&self) -> String {
        format!("sim{:x}-", self.users[0].id.get())
    }

    pub fn is_own_app(&self, id: &str) -> bool {
        id.starts_with(&self.app_prefix())
    }

    pub fn app_label(&self, id: &str) -> label::App {
        let number = id.strip_prefix(&self.app_prefix()).and_then(|number| number.parse().ok());
        label::App(number.unwrap_or(u32::MAX))
    }

    /// People as a manifest contains them.
    fn people(&self, people: &[Person]) -> String {
        let text = |person: &Person| match person {
            Person::Of(who) => self.users[*who].username.clone(),
            Person::AllUsers => format!("*@{}", self.users[0].email.domain()),
        };
        people.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    pub fn app_changes(&self, body: &AppBody) -> Changes {
        let mut texts = BTreeMap::new();
        let people = |field: &Field<Vec<Person>>| match field {
            Field::Keep => None,
            Field::Clear => Some(None),
            Field::Set(people) => Some(Some(self.people(people))),
        };
        let text = |field: &Field<String>| match field {
            Field::Keep => None,
            Field::Clear => Some(None),
            Field::Set(text) => Some(Some(text.clone())),
        };
        for (name, value) in [
            (AppText::Users, people(&body.users)),
            (AppText::Developers, people(&body.developers)),
            (AppText::WebhookUrl, text(&body.webhook)),
            (AppText::WebhookUrlDev, text(&body.webhook_dev)),
        ] {
            texts.extend(value.map(|value| (name, value)));
        }
        Changes {
            name: body.name.clone(),
            texts,
            connectable: body.connectable.clone(),
            installable: body.installable.clone(),
            deprecated: body.deprecated.clone(),
            published: body.published.clone(),
            events: body.events.clone(),
            ..Changes::default()
        }
    }

    pub fn installing(&self, input: &IntegrationInput) -> integration::Input {
        integration::Input {
            app: input.app.map(|app| self.app_id(app)),
            connection: input.connection.map(|id| self.labels.text(id)),
            changes: IntegrationChanges {
                name: input.name.clone(),
                properties: input.properties.clone(),
                ..IntegrationChanges::default()
            },
        }
    }

    pub fn connecting(&self, input: &ConnectionInput) -> NewConnection {
        NewConnection {
            app: input.app.map(|app| self.app_id(app)),
            uuid: input.uuid.clone(),
            kind: if input.bank { ConnectionKind::Bank } else { ConnectionKind::App },
            name: input.name.clone(),
        }
    }

    /// Deletes a connection as the HTTP layer does, after its integrations in every book.
    pub fn disconnect(
        &self,
        caller: &Caller,
        id: Id<label::Connection>,
    ) -> Result<connection::View, Refusal> {
        let id = self.labels.text(id);
        let (number, books) =
            self.read(caller, |tx, cx, _| connection::list_books_using(tx, cx, &id))?;
        for key in books {
            let caller = Caller { book: self.labels.book_of_key(key.as_str()), ..caller.clone() };
            self.write(&caller, move |tx, cx, _| integration::disconnect(tx, cx, &key, number))?;
        }
        self.own(caller, move |tx, cx| connection::delete(tx, cx, &id))
    }

    /// The apps of this world.
    pub fn apps(&self, views: &[app::View]) -> Vec<facts::AppView> {
        let own = |view: &&app::View| self.is_own_app(view.app.id.as_str());
        views.iter().filter(own).map(|view| self.app(view)).collect()
    }

    fn app(&self, view: &app::View) -> facts::AppView {
        let app = &view.app;
        let people = |text| self.named(&app.manifest, text);
        let Manifest { name, flags, events, .. } = &app.manifest;
        let facts = facts::App {
            label: self.app_label(app.id.as_str()),
            owner: self.user_of(view.owner_email.as_str()),
            name: name.as_str().to_owned(),
            users: people(AppText::Users),
            developers: people(AppText::Developers),
            webhook: app.manifest.text(AppText::WebhookUrl).map(str::to_owned),
            webhook_dev: app.manifest.text(AppText::WebhookUrlDev).map(str::to_owned),
            events: events.clone(),
            connectable: flags.connectable,
            installable: flags.installable,
            deprecated: flags.deprecated,
            published: app.published,
            created: app.created_at.milliseconds(),
            updated: app.updated_at.milliseconds(),
        };
        let role = match view.role {
            AppRole::Stranger => Role::Unrelated,
            AppRole::User => Role::User,
            AppRole::Developer => Role::Developer,
        };
        facts::AppView { app: facts, role }
    }

    /// The users that a text of a manifest names.
    fn named(&self, manifest: &Manifest, text: AppText) -> Vec<Person> {
        let entries = manifest.text(text).unwrap_or_default().split(", ");
        let person = |entry: &str| {
            let who = self.users.iter().position(|user| user.username == entry);
            who.map_or(Person::AllUsers, Person::Of)
        };
        entries.filter(|entry| !entry.is_empty()).map(person).collect()
    }

    pub fn integration(&self, view: &integration::View) -> facts::Integration {
        let one = &view.integration;
        let installer = self.user(one.installer);
        let named = self.users.get(installer).is_some_and(|user| user.username == view.added_by);
        facts::Integration {
            label: self.labels.label(one.id.get()),
            app: self.app_label(one.app.as_str()),
            installs_app: one.installs_app,
            connection: one.connection.map(|id| self.labels.label(id.get())),
            name: one.name.as_str().to_owned(),
            installer: if named { installer } else { usize::MAX },
            properties: properties(&one.properties),
            created: one.stamp.created_at.milliseconds(),
            updated: one.stamp.updated_at.milliseconds(),
        }
    }

    pub fn connection(&self, view: &connection::View) -> facts::Connection {
        let one = &view.connection;
        let given = Some(one.uuid.clone()).filter(|uuid| *uuid != one.id.to_string());
        facts::Connection {
            label: self.labels.label(one.id.get()),
            owner: self.user(one.owner),
            app: self.app_label(one.app.as_str()),
            uuid: given,
            bank: one.kind == ConnectionKind::Bank,
            name: one.name.as_str().to_owned(),
            properties: properties(&opened(one.properties.as_deref())),
            created: one.stamp.created_at.milliseconds(),
            updated: one.stamp.updated_at.milliseconds(),
        }
    }
}

/// Applies edits to sealed properties; here they are unencrypted JSON.
pub fn sealed(before: Option<&[u8]>, edits: &Edits) -> Result<Option<Vec<u8>>, Error> {
    let before = opened(before);
    let after = before.merge(edits).map_err(daybook_domain::Refusal::from)?;
    let map: BTreeMap<&str, &str> = after.iter().collect();
    Ok((!after.is_empty()).then(|| serde_json::to_vec(&map).expect("texts are JSON")))
}

fn opened(sealed: Option<&[u8]>) -> Properties {
    let read = |bytes| serde_json::from_slice(bytes).expect("it was written above");
    Properties::stored(sealed.map(read).unwrap_or_default())
}
