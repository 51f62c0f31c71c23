//! Apps, from behaviour 9.3.

use daybook_domain::event::EventType;
use daybook_domain::field::Field;

use super::text::checked_name;
use super::{Caller, Model};
use crate::sim::facts::{App, AppSeen, Person, Refused, Role};
use crate::sim::label;

/// What a body says of an app.
#[derive(Clone, Debug)]
pub struct AppSaying {
    pub name: Option<String>,
    pub users: Field<Vec<Person>>,
    pub developers: Field<Vec<Person>>,
    pub webhook: Field<String>,
    pub events: Field<Vec<String>>,
    pub connectable: Field<bool>,
    pub installable: Field<bool>,
    pub deprecated: Field<bool>,
    pub published: Field<bool>,
}

/// Who asks about an app, and whether the configuration names them among the administrators.
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
            people.contains(&Person::Of(visitor.who)) || people.contains(&Person::Everybody)
        };
        if self.owner == visitor.who || visitor.is_administrator || named(&self.developers) {
            Role::Developer
        } else if self.published || named(&self.users) {
            Role::User
        } else {
            Role::Stranger
        }
    }

    fn seen(&self, visitor: Visitor) -> AppSeen {
        AppSeen { app: self.clone(), role: self.role(visitor) }
    }
}

impl Model {
    /// Without deprecated ones, by name.
    pub fn list_apps(&self, visitor: Visitor) -> Vec<AppSeen> {
        let shown = |app: &&App| app.role(visitor) != Role::Stranger && !app.deprecated;
        seen(self.apps.values().filter(shown), visitor)
    }

    pub fn get_app(&self, visitor: Visitor, label: label::App) -> Result<AppSeen, Refused> {
        Ok(self.visible(visitor, label).ok_or_else(Refused::missing)?.seen(visitor))
    }

    /// The caller becomes its owner; an id is taken also when its app is not seen.
    pub fn create_app(
        &mut self,
        visitor: Visitor,
        label: label::App,
        saying: &AppSaying,
        now: i64,
    ) -> Result<AppSeen, Refused> {
        let new = App {
            label,
            owner: visitor.who,
            name: checked_name(saying.name.as_deref())?,
            users: Vec::new(),
            developers: Vec::new(),
            webhook: None,
            events: Vec::new(),
            connectable: false,
            installable: true,
            deprecated: false,
            published: false,
            created: now,
            updated: now,
        };
        let made = changed(&new, saying, visitor)?;
        if self.apps.contains_key(&label) {
            return Err(Refused::new("conflict"));
        }
        self.apps.insert(label, made.clone());
        Ok(made.seen(visitor))
    }

    /// For its owner, its developers and administrators.
    pub fn update_app(
        &mut self,
        visitor: Visitor,
        label: Option<label::App>,
        saying: &AppSaying,
        now: i64,
    ) -> Result<AppSeen, Refused> {
        let label = label.ok_or_else(Refused::bad)?;
        let before = self.visible(visitor, label).ok_or_else(Refused::missing)?.clone();
        if before.role(visitor) != Role::Developer {
            return Err(Refused::forbidden());
        }
        let mut after = changed(&before, saying, visitor)?;
        if after != before {
            after.updated = now;
        }
        self.apps.insert(label, after.clone());
        Ok(after.seen(visitor))
    }

    /// An app that somebody sees.
    pub fn visible(&self, visitor: Visitor, label: label::App) -> Option<&App> {
        self.apps.get(&label).filter(|app| app.role(visitor) != Role::Stranger)
    }
}

/// As a list shows them: by name, ignoring case, then by id.
pub fn seen<'a>(apps: impl Iterator<Item = &'a App>, visitor: Visitor) -> Vec<AppSeen> {
    let mut shown: Vec<AppSeen> = apps.map(|app| app.seen(visitor)).collect();
    shown.sort_by_key(|seen| (seen.app.name.to_lowercase(), seen.app.label));
    shown
}

/// An absent field stays, null clears; `published` is for administrators.
fn changed(before: &App, saying: &AppSaying, visitor: Visitor) -> Result<App, Refused> {
    let mut after = before.clone();
    if let Some(name) = &saying.name {
        after.name = checked_name(Some(name))?;
    }
    put(&mut after.users, &saying.users, Vec::new());
    put(&mut after.developers, &saying.developers, Vec::new());
    match &saying.webhook {
        Field::Keep => {}
        Field::Clear => after.webhook = None,
        Field::Set(text) if text.trim().is_empty() => after.webhook = None,
        Field::Set(text) if text.starts_with("http") => after.webhook = Some(text.clone()),
        Field::Set(_) => return Err(Refused::bad()),
    }
    match &saying.events {
        Field::Keep => {}
        Field::Clear => after.events = Vec::new(),
        Field::Set(names) => {
            after.events = Vec::new();
            for name in names {
                let kind = EventType::from_name(name).ok_or_else(Refused::bad)?;
                if !after.events.contains(&kind) {
                    after.events.push(kind);
                }
            }
        }
    }
    put(&mut after.connectable, &saying.connectable, false);
    put(&mut after.installable, &saying.installable, true);
    put(&mut after.deprecated, &saying.deprecated, false);
    if visitor.is_administrator {
        put(&mut after.published, &saying.published, false);
    }
    Ok(after)
}

fn put<T: Clone>(place: &mut T, field: &Field<T>, cleared: T) {
    match field {
        Field::Keep => {}
        Field::Clear => *place = cleared,
        Field::Set(value) => *place = value.clone(),
    }
}
