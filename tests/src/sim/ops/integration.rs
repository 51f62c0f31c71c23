//! Operations on integrations.

use std::sync::Arc;

use daybook_domain::integration::Changes;
use daybook_domain::property::Edits;
use daybook_service::integration;

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::integration::IntegrationInput;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Integrations {
    Install(IntegrationInput),
    Update(Option<Id<label::Integration>>, Option<String>, Edits),
    Uninstall(Id<label::Integration>),
    List,
    ListApps,
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    let name = match draw.below(3) {
        0 => Some(draw.name()),
        1 if draw.one_in(3) => Some(" ".to_owned()),
        _ => None,
    };
    Arc::new(match draw.below(8) {
        0..5 => Integrations::Install(installing(draw, name)),
        5 | 6 => {
            let id = id(draw);
            let id = (!draw.unrestricted || !draw.one_in(6)).then_some(id);
            Integrations::Update(id, name, draw.properties())
        }
        _ => Integrations::Uninstall(id(draw)),
    })
}

/// Installs an app when its book is created.
pub fn install_initial_app(label: label::Integration, app: Option<label::App>) -> DynOperation {
    let (connection, name, properties) = (None, None, Edits::new());
    Arc::new(Integrations::Install(IntegrationInput { label, app, connection, name, properties }))
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(if draw.one_in(2) { Integrations::List } else { Integrations::ListApps })
}

fn installing(draw: &mut Draw<'_>, name: Option<String>) -> IntegrationInput {
    let connection = draw.one_in(2).then(|| draw.connection()).filter(|id| {
        // Only unrestricted draws use an unknown connection.
        *id != Id::Unknown || draw.unrestricted
    });
    let app = if connection.is_some() && draw.one_in(2) { None } else { Some(draw.app()) };
    let app = app.filter(|_| !draw.unrestricted || !draw.one_in(8));
    IntegrationInput { label: draw.label(), app, connection, name, properties: draw.properties() }
}

fn id(draw: &mut Draw<'_>) -> Id<label::Integration> {
    let known: Vec<label::Integration> =
        draw.state().map(|book| book.integrations.keys().copied().collect()).unwrap_or_default();
    draw.id_of(&known)
}

impl Operation for Integrations {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match self {
            Integrations::Install(new) => {
                let input = service.installing(new);
                let made = service
                    .write(caller, move |tx, cx, key| integration::create(tx, cx, key, &input))?;
                service.labels.note(made.integration.id.get(), new.label);
                made
            }
            Integrations::Update(id, name, properties) => {
                let id = id.map(|id| service.labels.text(id));
                let (name, properties) = (name.clone(), properties.clone());
                let changes = Changes { name, properties, ..Changes::default() };
                service.write(caller, move |tx, cx, key| {
                    integration::update(tx, cx, key, id.as_deref(), &changes)
                })?
            }
            Integrations::Uninstall(id) => {
                let id = service.labels.text(*id);
                service.write(caller, move |tx, cx, key| integration::delete(tx, cx, key, &id))?
            }
            Integrations::List => {
                let all = service.read(caller, integration::list)?;
                return answer(service.all(&all, Service::integration));
            }
            Integrations::ListApps => {
                let all = service.read(caller, integration::list_apps)?;
                return answer(service.apps(&all));
            }
        };
        answer(service.integration(&view))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Integrations::Install(input) => model.install(caller, input)?,
            Integrations::Update(id, name, properties) => {
                model.write(caller, may::MANAGE, |tx| {
                    tx.update_integration(*id, name.as_deref(), properties)
                })?
            }
            Integrations::Uninstall(id) => {
                model.write(caller, may::MANAGE, |tx| tx.delete_integration(*id))?
            }
            Integrations::List => {
                let (found, _) = model.enter(caller, may::READ)?;
                return answer(found.integrations_in_order());
            }
            Integrations::ListApps => return answer(model.list_book_apps(caller)?),
        })
    }
}
