//! Operations on integrations.

use std::sync::Arc;

use daybook_domain::integration::{AppReach, Changes};
use daybook_domain::property::Edits;
use daybook_service::integration;

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::integration::IntegrationInput;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

/// Which books the app reaches, and whether it receives its own events.
type Reach = (Option<AppReach>, Option<bool>);

#[derive(Clone, Debug)]
enum Call {
    Install(IntegrationInput),
    Update(Option<Id<label::Integration>>, Option<String>, Edits, Reach),
    Uninstall(Id<label::Integration>),
    List,
    ListApps,
}

#[derive(Clone, Debug)]
struct Integrations {
    book: label::Book,
    call: Call,
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    let name = match draw.below(3) {
        0 => Some(draw.name()),
        1 if draw.one_in(3) => Some(" ".to_owned()),
        _ => None,
    };
    let call = match draw.below(8) {
        0..5 => Call::Install(installing(draw, name)),
        5 | 6 => {
            let id = id(draw);
            let id = (!draw.unrestricted || !draw.one_in(6)).then_some(id);
            Call::Update(id, name, draw.properties(), reach(draw))
        }
        _ => Call::Uninstall(id(draw)),
    };
    Arc::new(Integrations { book: draw.book, call })
}

/// Installs an app when its book is created.
pub fn install_initial_app(
    book: label::Book,
    label: label::Integration,
    app: Option<label::App>,
) -> DynOperation {
    let properties = Edits::new();
    let (connection, name, reach, own_events) = (None, None, None, None);
    let input = IntegrationInput { label, app, connection, name, properties, reach, own_events };
    Arc::new(Integrations { book, call: Call::Install(input) })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    let call = if draw.one_in(2) { Call::List } else { Call::ListApps };
    Arc::new(Integrations { book: draw.book, call })
}

fn installing(draw: &mut Draw<'_>, name: Option<String>) -> IntegrationInput {
    let connection = draw.one_in(2).then(|| draw.connection()).filter(|id| {
        // Only unrestricted draws use an unknown connection.
        *id != Id::Unknown || draw.unrestricted
    });
    let app = if connection.is_some() && draw.one_in(2) { None } else { Some(draw.app()) };
    let app = app.filter(|_| !draw.unrestricted || !draw.one_in(8));
    let (label, properties, (reach, own_events)) = (draw.label(), draw.properties(), reach(draw));
    IntegrationInput { label, app, connection, name, properties, reach, own_events }
}

fn reach(draw: &mut Draw<'_>) -> Reach {
    let reach = draw.one_in(4).then(|| draw.pick(&AppReach::ALL));
    (reach, draw.one_in(3).then(|| draw.one_in(2)))
}

fn id(draw: &mut Draw<'_>) -> Id<label::Integration> {
    let known: Vec<label::Integration> =
        draw.state().map(|book| book.integrations.keys().copied().collect()).unwrap_or_default();
    if known.is_empty() || draw.unrestricted && draw.one_in(4) {
        Id::Unknown
    } else {
        Id::Of(draw.pick(&known))
    }
}

impl Operation for Integrations {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match &self.call {
            Call::Install(new) => {
                let input = service.installing(new);
                let made = service.write(self.book, caller, move |tx, cx, book| {
                    integration::create(tx, cx, book, &input)
                })?;
                service.labels.integrations.note(made.integration.id.get(), new.label);
                made
            }
            Call::Update(id, name, properties, (reach, own_events)) => {
                let id = id.map(|id| service.integration_id(id));
                let (name, properties) = (name.clone(), properties.clone());
                let (reach, own_events) = (*reach, *own_events);
                let changes = Changes { name, properties, reach, own_events };
                service.write(self.book, caller, move |tx, cx, book| {
                    integration::update(tx, cx, book, id.as_deref(), &changes)
                })?
            }
            Call::Uninstall(id) => {
                let id = service.integration_id(*id);
                service.write(self.book, caller, move |tx, cx, book| {
                    integration::delete(tx, cx, book, &id)
                })?
            }
            Call::List => {
                let all = service.read(self.book, caller, integration::list)?;
                let shown = all.iter().map(|one| service.integration(one));
                return Ok(Answer::Integrations(shown.collect()));
            }
            Call::ListApps => {
                let all = service.read(self.book, caller, integration::list_apps)?;
                return Ok(Answer::Apps(service.apps(&all)));
            }
        };
        Ok(Answer::Integrations(vec![service.integration(&view)]))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = self.book;
        Ok(Answer::Integrations(vec![match &self.call {
            Call::Install(input) => model.install(book, caller, input)?,
            Call::Update(id, name, properties, reach) => {
                let updated = model.write(book, caller, may::MANAGE, |tx| {
                    tx.update_integration(*id, name.as_deref(), properties, reach.0, reach.1)
                })?;
                // 9.4: a bank integration installs no app.
                if updated.installs_app {
                    model.resume_failing(book, updated.app);
                }
                updated
            }
            Call::Uninstall(id) => {
                model.write(book, caller, may::MANAGE, |tx| tx.delete_integration(*id))?
            }
            Call::List => {
                let (found, _) = model.enter(book, caller, may::READ)?;
                return Ok(Answer::Integrations(found.integrations_in_order()));
            }
            Call::ListApps => return model.list_book_apps(book, caller).map(Answer::Apps),
        }]))
    }
}
