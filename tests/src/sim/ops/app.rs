//! Operations on apps, which do not belong to a book.

use std::sync::Arc;

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_service::app;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Person, answer};
use crate::sim::label;
use crate::sim::model::app::{AppBody, Visitor};
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;
use crate::sim::world::USERS;

#[derive(Clone, Debug)]
enum Call {
    Create(label::App, AppBody),
    Update(Option<label::App>, AppBody),
    Get(label::App),
    List,
}

#[derive(Clone, Debug)]
struct Apps {
    call: Call,
    /// Whether the configuration lists the caller as an administrator.
    is_administrator: bool,
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    let call = if draw.model.apps.len() < 3 || draw.one_in(4) {
        let label = if draw.one_in(8) { draw.app() } else { draw.label() };
        Call::Create(label, AppBody { name: Some(draw.name()), ..body(draw) })
    } else {
        let app = draw.app();
        Call::Update((!draw.unrestricted || !draw.one_in(6)).then_some(app), body(draw))
    };
    Arc::new(Apps { call, is_administrator: draw.one_in(4) })
}

/// A public app that receives all events.
pub fn initial_app(label: label::App) -> DynOperation {
    let events = EventType::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    let body = AppBody {
        name: Some("Bot".to_owned()),
        users: Field::Set(vec![Person::AllUsers]),
        developers: Field::Keep,
        webhook: Field::Set("https://bot.example/hook".to_owned()),
        webhook_dev: Field::Keep,
        events: Field::Set(events),
        connectable: Field::Set(true),
        installable: Field::Keep,
        deprecated: Field::Keep,
        published: Field::Keep,
    };
    Arc::new(Apps { call: Call::Create(label, body), is_administrator: false })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    let call = if draw.one_in(2) { Call::List } else { Call::Get(draw.app()) };
    Arc::new(Apps { call, is_administrator: draw.one_in(6) })
}

fn body(draw: &mut Draw<'_>) -> AppBody {
    let webhook = match draw.below(6) {
        0 => Field::Clear,
        1 => Field::Set(String::new()),
        2 if draw.unrestricted => Field::Set("bot".to_owned()),
        _ => Field::Set("https://bot.example/hook".to_owned()),
    };
    AppBody {
        name: draw.one_in(4).then(|| draw.name()),
        users: maybe(draw, people),
        developers: maybe(draw, people),
        webhook,
        webhook_dev: match draw.below(6) {
            0 | 1 => Field::Set("http://dev.example:3001".to_owned()),
            2 => Field::Clear,
            3 if draw.unrestricted => Field::Set("bot".to_owned()),
            _ => Field::Keep,
        },
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
        if draw.one_in(5) { Person::AllUsers } else { Person::Of(draw.below(USERS)) }
    };
    (0..draw.below(3)).map(|_| one(draw)).collect()
}

fn events(draw: &mut Draw<'_>) -> Vec<String> {
    if draw.unrestricted && draw.one_in(4) {
        return vec!["BOOK_OPENED".to_owned()];
    }
    if draw.one_in(3) {
        return EventType::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    }
    (0..draw.below(5)).map(|_| draw.pick(EventType::ALL).as_str().to_owned()).collect()
}

impl Operation for Apps {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let is_administrator = self.is_administrator;
        let asking = move |cx: &daybook_service::Context| daybook_service::Context {
            is_administrator,
            ..cx.clone()
        };
        let found =
            match &self.call {
                Call::Create(label, body) => {
                    let (id, changes) = (service.app_id(*label), service.app_changes(body));
                    vec![service.own(caller, move |tx, cx| {
                        app::create(tx, &asking(cx), Some(&id), changes)
                    })?]
                }
                Call::Update(label, body) => {
                    let id = label.map(|label| service.app_id(label));
                    let changes = service.app_changes(body);
                    vec![service.own(caller, move |tx, cx| {
                        app::update(tx, &asking(cx), id.as_deref(), changes)
                    })?]
                }
                Call::Get(label) => {
                    let id = service.app_id(*label);
                    vec![service.read(caller, |tx, cx, _| app::get(tx, &asking(cx), &id))?]
                }
                Call::List => service.read(caller, |tx, cx, _| app::list(tx, &asking(cx)))?,
            };
        answer(service.apps(&found))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let visitor = Visitor { who: caller.who, is_administrator: self.is_administrator };
        answer(match &self.call {
            Call::Create(label, body) => {
                vec![model.create_app(visitor, *label, body, caller.now)?]
            }
            Call::Update(label, body) => {
                vec![model.update_app(visitor, *label, body, caller.now)?]
            }
            Call::Get(label) => vec![model.get_app(visitor, *label)?],
            Call::List => model.list_apps(visitor),
        })
    }
}
