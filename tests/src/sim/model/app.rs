//! Apps, from behaviour 9.3.

use daybook_domain::event::EventType;
use daybook_domain::field::Field;

use super::text::checked_title;
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
    pub webhook_dev: Field<String>,
    pub patterns: Field<Vec<String>>,
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

    /// 8.11: where an event goes that one of these users caused or the other one installed the app
    /// for.
    pub fn address(&self, users: [usize; 2]) -> Option<&String> {
        let is_developer = |who: &usize| {
            self.role(Visitor { who: *who, is_administrator: false }) == Role::Developer
        };
        let own = self.webhook_dev.as_ref().filter(|_| users.iter().any(is_developer));
        own.or(self.webhook.as_ref())
    }

    /// 8.11: whether it is for files of that name.
    pub fn handles(&self, name: &str) -> bool {
        let chars = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
        let matches = |pattern: &String| {
            // One that cannot be read is a name.
            if pattern == "[" { pattern == name } else { is_like(&chars(pattern), &chars(name)) }
        };
        self.patterns.is_empty() || self.patterns.iter().any(matches)
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
            name: checked_title(saying.name.as_deref())?,
            users: Vec::new(),
            developers: Vec::new(),
            webhook: None,
            webhook_dev: None,
            patterns: Vec::new(),
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
        after.name = checked_title(Some(name))?;
    }
    put(&mut after.users, &saying.users, Vec::new());
    put(&mut after.developers, &saying.developers, Vec::new());
    for (place, said) in
        [(&mut after.webhook, &saying.webhook), (&mut after.webhook_dev, &saying.webhook_dev)]
    {
        match said {
            Field::Keep => {}
            Field::Clear => *place = None,
            Field::Set(text) if text.trim().is_empty() => *place = None,
            Field::Set(text) if text.starts_with("http") => *place = Some(text.clone()),
            Field::Set(_) => return Err(Refused::bad()),
        }
    }
    put(&mut after.patterns, &saying.patterns, Vec::new());
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

fn is_like(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], _) => name.is_empty(),
        (['*', rest @ ..], _) => {
            is_like(rest, name) || !name.is_empty() && is_like(pattern, &name[1..])
        }
        ([first, rest @ ..], [letter, others @ ..]) => {
            (*first == '?' || first == letter) && is_like(rest, others)
        }
        (_, []) => false,
    }
}
