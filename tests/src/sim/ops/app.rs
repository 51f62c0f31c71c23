//! Operations on apps. They belong to no book.

use std::sync::Arc;

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_service::app;

use super::{Drawn, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Person};
use crate::sim::label;
use crate::sim::model::app::{AppSaying, Visitor};
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;
use crate::sim::world::USERS;

#[derive(Clone, Debug)]
enum Deed {
    Create(label::App, AppSaying),
    Update(Option<label::App>, AppSaying),
    Get(label::App),
    List,
}

#[derive(Clone, Debug)]
struct Apps {
    deed: Deed,
    /// Whether the configuration names the caller among the administrators.
    is_administrator: bool,
}

pub fn draw_write(draw: &mut Draw<'_>) -> Drawn {
    let deed = if draw.model.apps.len() < 3 || draw.one_in(4) {
        let label = if draw.one_in(8) { draw.app() } else { draw.label() };
        Deed::Create(label, AppSaying { name: Some(draw.name()), ..saying(draw) })
    } else {
        let app = draw.app();
        Deed::Update((!draw.wild || !draw.one_in(6)).then_some(app), saying(draw))
    };
    Arc::new(Apps { deed, is_administrator: draw.one_in(4) })
}

/// One that everybody sees, and that receives everything.
pub fn founding(label: label::App) -> Drawn {
    let events = EventType::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    let saying = AppSaying {
        name: Some("Bot".to_owned()),
        users: Field::Set(vec![Person::Everybody]),
        developers: Field::Keep,
        webhook: Field::Set("https://bot.example/hook".to_owned()),
        webhook_dev: Field::Keep,
        patterns: Field::Keep,
        events: Field::Set(events),
        connectable: Field::Set(true),
        installable: Field::Keep,
        deprecated: Field::Keep,
        published: Field::Keep,
    };
    Arc::new(Apps { deed: Deed::Create(label, saying), is_administrator: false })
}

pub fn draw_read(draw: &mut Draw<'_>) -> Drawn {
    let deed = if draw.one_in(2) { Deed::List } else { Deed::Get(draw.app()) };
    Arc::new(Apps { deed, is_administrator: draw.one_in(6) })
}

fn saying(draw: &mut Draw<'_>) -> AppSaying {
    let webhook = match draw.below(6) {
        0 => Field::Clear,
        1 => Field::Set(String::new()),
        2 if draw.wild => Field::Set("bot".to_owned()),
        _ => Field::Set("https://bot.example/hook".to_owned()),
    };
    AppSaying {
        name: draw.one_in(4).then(|| draw.name()),
        users: maybe(draw, people),
        developers: maybe(draw, people),
        webhook,
        webhook_dev: match draw.below(6) {
            0 | 1 => Field::Set("http://dev.example:3001".to_owned()),
            2 => Field::Clear,
            3 if draw.wild => Field::Set("bot".to_owned()),
            _ => Field::Keep,
        },
        patterns: maybe(draw, patterns),
        events: maybe(draw, events),
        connectable: maybe(draw, |draw| !draw.one_in(4)),
        installable: maybe(draw, |draw| !draw.one_in(6)),
        deprecated: maybe(draw, |draw| draw.one_in(4)),
        published: maybe(draw, |draw| !draw.one_in(4)),
    }
}

fn maybe<T>(draw: &mut Draw<'_>, value: impl FnOnce(&mut Draw<'_>) -> T) -> Field<T> {
    match draw.below(8) {
        0 => Field::Clear,
        1..4 => Field::Keep,
        _ => Field::Set(value(draw)),
    }
}

fn people(draw: &mut Draw<'_>) -> Vec<Person> {
    let one = |draw: &mut Draw<'_>| {
        if draw.one_in(5) { Person::Everybody } else { Person::Of(draw.below(USERS)) }
    };
    (0..draw.below(3)).map(|_| one(draw)).collect()
}

fn patterns(draw: &mut Draw<'_>) -> Vec<String> {
    let all = ["*.pdf", "*.PNG", "scan.*", "n?t*", "readme", "*b*t*", "["];
    (0..draw.below(3)).map(|_| draw.pick(&all).to_owned()).collect()
}

fn events(draw: &mut Draw<'_>) -> Vec<String> {
    if draw.wild && draw.one_in(4) {
        return vec!["BOOK_OPENED".to_owned()];
    }
    if draw.one_in(3) {
        return EventType::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    }
    (0..draw.below(5)).map(|_| draw.pick(EventType::ALL).as_str().to_owned()).collect()
}

impl Operation for Apps {
    fn book(&self) -> label::Book {
        label::Book(0)
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let is_administrator = self.is_administrator;
        let asking = move |cx: &daybook_service::Context| daybook_service::Context {
            is_administrator,
            ..cx.clone()
        };
        let found = match &self.deed {
            Deed::Create(label, saying) => {
                let (id, changes) = (service.app_id(*label), service.app_changes(saying));
                vec![
                    service.own(caller, move |tx, cx| {
                        app::create(tx, &asking(cx), Some(&id), changes)
                    })?,
                ]
            }
            Deed::Update(label, saying) => {
                let id = label.map(|label| service.app_id(label));
                let changes = service.app_changes(saying);
                vec![service.own(caller, move |tx, cx| {
                    app::update(tx, &asking(cx), id.as_deref(), changes)
                })?]
            }
            Deed::Get(label) => {
                let id = service.app_id(*label);
                vec![
                    service
                        .read(self.book(), caller, |tx, cx, _| app::get(tx, &asking(cx), &id))?,
                ]
            }
            Deed::List => {
                service.read(self.book(), caller, |tx, cx, _| app::list(tx, &asking(cx)))?
            }
        };
        Ok(Answer::Apps(service.apps(&found)))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let visitor = Visitor { who: caller.who, is_administrator: self.is_administrator };
        Ok(Answer::Apps(match &self.deed {
            Deed::Create(label, saying) => {
                vec![model.create_app(visitor, *label, saying, caller.now)?]
            }
            Deed::Update(label, saying) => {
                vec![model.update_app(visitor, *label, saying, caller.now)?]
            }
            Deed::Get(label) => vec![model.get_app(visitor, *label)?],
            Deed::List => model.list_apps(visitor),
        }))
    }
}
