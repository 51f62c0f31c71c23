//! Operations on connections, which belong to a user and not to a book.

use std::sync::Arc;

use daybook_domain::property::Edits;
use daybook_service::connection;

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::connection::ConnectionInput;
use crate::sim::model::{Caller, Model};
use crate::sim::service::{Service, sealed};

#[derive(Clone, Debug)]
enum Connections {
    Create(ConnectionInput),
    Update(Option<Id<label::Connection>>, Option<String>, Edits),
    Delete(Id<label::Connection>),
    Get(Id<label::Connection>),
    List,
    /// Lists the integrations of a connection.
    Used(Id<label::Connection>),
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(8) {
        0..4 => Connections::Create(ConnectionInput {
            label: draw.label(),
            app: if draw.unrestricted && draw.one_in(8) { None } else { Some(draw.app()) },
            uuid: match draw.below(6) {
                0 | 1 => None,
                2 if draw.unrestricted => Some(draw.pick(&["", " ", &"u".repeat(256)]).to_owned()),
                _ => Some(draw.pick(&["one", "two", " one "]).to_owned()),
            },
            bank: draw.one_in(2),
            name: if draw.unrestricted && draw.one_in(8) { None } else { Some(draw.name()) },
            properties: draw.properties(),
        }),
        4 | 5 => {
            let id = draw.connection();
            let id = (!draw.unrestricted || !draw.one_in(6)).then_some(id);
            let name = draw.one_in(2).then(|| draw.name());
            Connections::Update(id, name, draw.properties())
        }
        _ => Connections::Delete(draw.connection()),
    })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(4) {
        0 => Connections::List,
        1 => Connections::Get(draw.connection()),
        _ => Connections::Used(used(draw)),
    })
}

/// Usually a connection of the caller that has an integration.
fn used(draw: &mut Draw<'_>) -> Id<label::Connection> {
    let all = draw.model.books.values().flat_map(|book| book.integrations.values());
    let own = all.filter(|one| one.installer == draw.caller.who);
    let used: Vec<label::Connection> = own.filter_map(|one| one.connection).collect();
    let used = draw.one_of(&used).filter(|_| !draw.unrestricted);
    used.map_or_else(|| draw.connection(), Id::Of)
}

impl Operation for Connections {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            Connections::Create(input) => {
                let (new, edits) = (service.connecting(input), input.properties.clone());
                let made = service.own(caller, move |tx, cx| {
                    connection::create(tx, cx, &new, &edits, |_, before, edits| {
                        sealed(before, edits)
                    })
                })?;
                service.labels.note(made.connection.id.get(), input.label);
                vec![made]
            }
            Connections::Update(id, name, edits) => {
                let id = id.map(|id| service.labels.text(id));
                let (name, edits) = (name.clone(), edits.clone());
                vec![service.own(caller, move |tx, cx| {
                    let (id, name) = (id.as_deref(), name.as_deref());
                    connection::update(tx, cx, id, name, &edits, |_, before, edits| {
                        sealed(before, edits)
                    })
                })?]
            }
            Connections::Delete(id) => vec![service.disconnect(caller, *id)?],
            Connections::Get(id) => {
                let id = service.labels.text(*id);
                vec![service.read(caller, |tx, cx, _| connection::get(tx, cx, &id))?]
            }
            Connections::List => service.read(caller, |tx, cx, _| connection::list(tx, cx))?,
            Connections::Used(id) => {
                let id = service.labels.text(*id);
                let all =
                    service.read(caller, |tx, cx, _| connection::integrations(tx, cx, &id))?;
                return answer(service.all(&all, Service::integration));
            }
        };
        answer(service.all(&found, Service::connection))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Connections::Create(input) => vec![model.connect(caller, input)?],
            Connections::Update(id, name, edits) => {
                vec![model.update_connection(caller, *id, name.as_deref(), edits)?]
            }
            Connections::Delete(id) => vec![model.delete_connection(caller, *id)?],
            Connections::Get(id) => vec![model.own_connection(caller, *id)?],
            Connections::List => model.list_connections(caller),
            Connections::Used(id) => return answer(model.connected(caller, *id)?),
        })
    }
}
