//! Operations on saved queries.

use std::sync::Arc;

use daybook_domain::saved_query::Changes;
use daybook_service::saved_query;

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::saved_query::SavedQueryBody;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Write {
    Create(label::SavedQuery, SavedQueryBody),
    Update(Option<Id<label::SavedQuery>>, SavedQueryBody),
    Delete(Id<label::SavedQuery>),
}

#[derive(Clone, Debug)]
struct Writing {
    book: label::Book,
    write: Write,
}

#[derive(Clone, Debug)]
struct Reading {
    book: label::Book,
    /// `None` lists all saved queries.
    one: Option<Id<label::SavedQuery>>,
}

/// Titles and texts that differ only in case, and invalid ones.
const TITLES: [&str; 6] = ["Month", "month", "", "  ", "Éxpenses", "Food"];
const QUERIES: [&str; 5] = ["on:$m", "ON:$m", " #food ", "account:'Cash'", "is:draft"];

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    let write = match draw.below(5) {
        0..3 => Write::Create(draw.label(), body(draw)),
        3 => Write::Update(
            if draw.unrestricted && draw.one_in(6) { None } else { Some(id(draw)) },
            body(draw),
        ),
        _ => Write::Delete(id(draw)),
    };
    Arc::new(Writing { book: draw.book, write })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Reading { book: draw.book, one: draw.one_in(3).then(|| id(draw)) })
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
    if known.is_empty() || draw.unrestricted && draw.one_in(4) {
        Id::Unknown
    } else {
        Id::Of(draw.pick(&known))
    }
}

impl Operation for Writing {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let changes = |body: &SavedQueryBody| Changes {
            title: body.title.clone(),
            query: body.query.clone(),
        };
        let saved = match &self.write {
            Write::Create(label, body) => {
                let changes = changes(body);
                let saved = service.write(self.book, caller, move |tx, cx, book| {
                    saved_query::create(tx, cx, book, changes)
                })?;
                service.labels.saved_queries.note(saved.id.get(), *label);
                saved
            }
            Write::Update(id, body) => {
                let (id, changes) = (id.map(|id| service.saved_query_id(id)), changes(body));
                service.write(self.book, caller, move |tx, cx, book| {
                    saved_query::update(tx, cx, book, id.as_deref(), changes)
                })?
            }
            Write::Delete(id) => {
                let id = service.saved_query_id(*id);
                service.write(self.book, caller, move |tx, cx, book| {
                    saved_query::delete(tx, cx, book, &id)
                })?
            }
        };
        Ok(Answer::SavedQueries(vec![service.saved_query(&saved)]))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let saved =
            model.write(self.book, caller, may::MANAGE, |tx: &mut Tx| match &self.write {
                Write::Create(label, body) => tx.create_saved_query(*label, body),
                Write::Update(id, body) => tx.update_saved_query(*id, body),
                Write::Delete(id) => tx.delete_saved_query(*id),
            })?;
        Ok(Answer::SavedQueries(vec![saved]))
    }
}

impl Operation for Reading {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found =
            match self.one {
                Some(id) => {
                    let id = service.saved_query_id(id);
                    vec![service.read(self.book, caller, |tx, cx, book| {
                        saved_query::get(tx, cx, book, &id)
                    })?]
                }
                None => service.read(self.book, caller, saved_query::list)?,
            };
        Ok(Answer::SavedQueries(found.iter().map(|saved| service.saved_query(saved)).collect()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let (book, _) = model.enter(self.book, caller, may::READ)?;
        Ok(Answer::SavedQueries(match self.one {
            Some(id) => vec![book.saved_query(id)?],
            None => book.saved_in_order(),
        }))
    }
}
