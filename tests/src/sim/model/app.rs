//! Apps, from behaviour 9.3.

use daybook_domain::event::EventType;
use daybook_domain::field::Field;

use super::text::checked_title;
use super::{Caller, Model};
use crate::sim::facts::{App, AppView, Person, Refusal, Role};
use crate::sim::label;

/// The fields of an app body.
#[derive(Clone, Debug)]
pub struct AppBody {
    pub name: Option<String>,
    pub users: Field<Vec<Person>>,
    pub developers: Field<Vec<Person>>,
    pub webhook: Field<String>,
    pub webhook_dev: Field<String>,
    pub events: Field<Vec<String>>,
    pub connectable: Field<bool>,
    pub installable: Field<bool>,
    pub deprecated: Field<bool>,
    pub published: Field<bool>,
}

/// The caller, and whether the configuration lists them as an administrator.
#[derive(Clone, Copy, Debug)]
pub struct Visitor {
    pub who: usize,
    pub is_administrator: bool,
}

impl From<&Caller> for Visitor {
    fn from(caller: &Caller) -> Visitor {
        Visitor { who: caller.who, is_administrator: false }
    }
}

impl App {
    pub fn role(&self, visitor: Visitor) -> Role {
        let named = |people: &[Person]| {
            people.contains(&Person::Of(visitor.who)) || people.contains(&Person::AllUsers)
        };
        if self.owner == visitor.who || visitor.is_administrator || named(&self.developers) {
            Role::Developer
        } else if self.published || named(&self.users) {
            Role::User
        } else {
            Role::Unrelated
        }
    }

    /// The webhook address for an event that the first user caused and the second one's
    /// installation receives (8.11).
    pub fn address(&self, users: [usize; 2]) -> Option<&String> {
        let is_developer = |who: &usize| {
            self.role(Visitor { who: *who, is_administrator: false }) == Role::Developer
        };
        let own = self.webhook_dev.as_ref().filter(|_| users.iter().any(is_developer));
        own.or(self.webhook.as_ref())
    }

    fn seen(&self, visitor: Visitor) -> AppView {
        AppView { app: self.clone(), role: self.role(visitor) }
    }
}

impl Model {
    /// Lists apps without deprecated ones, by name.
    pub fn list_apps(&self, visitor: Visitor) -> Vec<AppView> {
        let shown = |app: &&App| app.role(visitor) != Role::Unrelated && !app.deprecated;
        seen(self.apps.values().filter(shown), visitor)
    }

    pub fn get_app(&self, visitor: Visitor, label: label::App) -> Result<AppView, Refusal> {
        Ok(self.visible(visitor, label).ok_or_else(Refusal::missing)?.seen(visitor))
    }

    /// Creates an app owned by the caller. An id is in use even when the caller cannot see its app.
    pub fn create_app(
        &mut self,
        visitor: Visitor,
        label: label::App,
        body: &AppBody,
        now: i64,
    ) -> Result<AppView, Refusal> {
        let new = App {
            label,
            owner: visitor.who,
            name: checked_title(body.name.as_deref())?,
            users: Vec::new(),
            developers: Vec::new(),
            webhook: None,
            webhook_dev: None,
            events: Vec::new(),
            connectable: false,
            installable: true,
            deprecated: false,
            published: false,
            created: now,
            updated: now,
        };
        let made = changed(&new, body, visitor)?;
        if self.apps.contains_key(&label) {
            return Err(Refusal::new("conflict"));
        }
        self.apps.insert(label, made.clone());
        Ok(made.seen(visitor))
    }

    /// Updates an app; allowed to its owner, its developers and administrators.
    pub fn update_app(
        &mut self,
        visitor: Visitor,
        label: Option<label::App>,
        body: &AppBody,
        now: i64,
    ) -> Result<AppView, Refusal> {
        let label = label.ok_or_else(Refusal::bad)?;
        let before = self.visible(visitor, label).ok_or_else(Refusal::missing)?.clone();
        if before.role(visitor) != Role::Developer {
            return Err(Refusal::forbidden());
        }
        let mut after = changed(&before, body, visitor)?;
        if after != before {
            after.updated = now;
        }
        self.apps.insert(label, after.clone());
        Ok(after.seen(visitor))
    }

    /// Finds an app that the visitor can see.
    pub fn visible(&self, visitor: Visitor, label: label::App) -> Option<&App> {
        self.apps.get(&label).filter(|app| app.role(visitor) != Role::Unrelated)
    }
}

/// Sorts apps as a list does: by name, ignoring case, then by id.
pub fn seen<'a>(apps: impl Iterator<Item = &'a App>, visitor: Visitor) -> Vec<AppView> {
    let mut shown: Vec<AppView> = apps.map(|app| app.seen(visitor)).collect();
    shown.sort_by_key(|seen| (seen.app.name.to_lowercase(), seen.app.label));
    shown
}

/// Applies a body: an absent field stays, null clears, and only administrators set `published`.
fn changed(before: &App, body: &AppBody, visitor: Visitor) -> Result<App, Refusal> {
    let mut after = before.clone();
    if let Some(name) = &body.name {
        after.name = checked_title(Some(name))?;
    }
    put(&mut after.users, &body.users, Vec::new());
    put(&mut after.developers, &body.developers, Vec::new());
    for (target, given) in
        [(&mut after.webhook, &body.webhook), (&mut after.webhook_dev, &body.webhook_dev)]
    {
        match given {
            Field::Keep => {}
            Field::Clear => *target = None,
            Field::Set(text) if text.trim().is_empty() => *target = None,
            Field::Set(text) if text.starts_with("http") => *target = Some(text.clone()),
            Field::Set(_) => return Err(Refusal::bad()),
        }
    }
    match &body.events {
        Field::Keep => {}
        Field::Clear => after.events = Vec::new(),
        Field::Set(names) => {
            after.events = Vec::new();
            for name in names {
                let kind = EventType::from_name(name).ok_or_else(Refusal::bad)?;
                if !after.events.contains(&kind) {
                    after.events.push(kind);
                }
            }
        }
    }
    put(&mut after.connectable, &body.connectable, false);
    put(&mut after.installable, &body.installable, true);
    put(&mut after.deprecated, &body.deprecated, false);
    if visitor.is_administrator {
        put(&mut after.published, &body.published, false);
    }
    Ok(after)
}

fn put<T: Clone>(target: &mut T, field: &Field<T>, cleared: T) {
    match field {
        Field::Keep => {}
        Field::Clear => *target = cleared,
        Field::Set(value) => *target = value.clone(),
    }
}
