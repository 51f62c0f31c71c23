//! Operations on saved queries.

use std::sync::Arc;

use daybook_domain::saved_query::Changes;
use daybook_service::saved_query;

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::saved_query::SavedQueryBody;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum SavedQueries {
    Create(label::SavedQuery, SavedQueryBody),
    Update(Option<Id<label::SavedQuery>>, SavedQueryBody),
    Delete(Id<label::SavedQuery>),
    List,
    Get(Id<label::SavedQuery>),
}

/// Titles and texts that differ only in case, and invalid ones.
const TITLES: [&str; 6] = ["Month", "month", "", "  ", "Éxpenses", "Food"];
const QUERIES: [&str; 5] = ["on:$m", "ON:$m", " #food ", "account:'Cash'", "is:draft"];

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(5) {
        0..3 => SavedQueries::Create(draw.label(), body(draw)),
        3 => SavedQueries::Update(
            if draw.unrestricted && draw.one_in(6) { None } else { Some(id(draw)) },
            body(draw),
        ),
        _ => SavedQueries::Delete(id(draw)),
    })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(if draw.one_in(3) { SavedQueries::Get(id(draw)) } else { SavedQueries::List })
}

fn body(draw: &mut Draw<'_>) -> SavedQueryBody {
    let title = if draw.one_in(4) { None } else { Some(draw.pick(&TITLES).to_owned()) };
    let query = match draw.below(8) {
        0 => None,
        1 if draw.unrestricted => Some(draw.pick(&["", " ", &"q".repeat(8 * 1024 + 1)]).to_owned()),
        _ => Some(draw.pick(&QUERIES).to_owned()),
    };
    let title = if draw.unrestricted && draw.one_in(8) { Some("t".repeat(256)) } else { title };
    SavedQueryBody { title, query }
}

fn id(draw: &mut Draw<'_>) -> Id<label::SavedQuery> {
    let known: Vec<label::SavedQuery> =
        draw.state().map(|book| book.saved.keys().copied().collect()).unwrap_or_default();
    draw.id_of(&known)
}

impl Operation for SavedQueries {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let changes = |body: &SavedQueryBody| Changes {
            title: body.title.clone(),
            query: body.query.clone(),
        };
        let saved = match self {
            SavedQueries::Create(label, body) => {
                let changes = changes(body);
                let saved = service
                    .write(caller, move |tx, cx, key| saved_query::create(tx, cx, key, changes))?;
                service.labels.note(saved.id.get(), *label);
                saved
            }
            SavedQueries::Update(id, body) => {
                let (id, changes) = (id.map(|id| service.labels.text(id)), changes(body));
                service.write(caller, move |tx, cx, key| {
                    saved_query::update(tx, cx, key, id.as_deref(), changes)
                })?
            }
            SavedQueries::Delete(id) => {
                let id = service.labels.text(*id);
                service.write(caller, move |tx, cx, key| saved_query::delete(tx, cx, key, &id))?
            }
            SavedQueries::List => {
                let all = service.read(caller, saved_query::list)?;
                return answer(service.all(&all, Service::saved_query));
            }
            SavedQueries::Get(id) => {
                let id = service.labels.text(*id);
                service.read(caller, |tx, cx, key| saved_query::get(tx, cx, key, &id))?
            }
        };
        answer(service.saved_query(&saved))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            SavedQueries::Create(label, body) => {
                model.write(caller, may::MANAGE, |tx| tx.create_saved_query(*label, body))?
            }
            SavedQueries::Update(id, body) => {
                model.write(caller, may::MANAGE, |tx| tx.update_saved_query(*id, body))?
            }
            SavedQueries::Delete(id) => {
                model.write(caller, may::MANAGE, |tx| tx.delete_saved_query(*id))?
            }
            SavedQueries::List => {
                return answer(model.enter(caller, may::READ)?.0.saved_in_order());
            }
            SavedQueries::Get(id) => model.enter(caller, may::READ)?.0.saved_query(*id)?,
        })
    }
}
