//! Operations on collections, which belong to a user and not to a book.

use std::sync::Arc;

use daybook_service::collection;

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Collections {
    Create(label::Collection, Option<String>),
    Update(Option<Id<label::Collection>>, Option<String>),
    Delete(Id<label::Collection>),
    Add(Id<label::Collection>, Vec<Option<label::Book>>),
    Remove(Id<label::Collection>, Vec<Option<label::Book>>),
    List,
    Get(Id<label::Collection>),
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(12) {
        0..3 => Collections::Create(draw.label(), name(draw)),
        3 => Collections::Update(
            if draw.unrestricted && draw.one_in(6) { None } else { Some(id(draw)) },
            name(draw),
        ),
        4 => Collections::Delete(id(draw)),
        5..10 => Collections::Add(id(draw), books(draw)),
        _ => Collections::Remove(id(draw), books(draw)),
    })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(if draw.one_in(2) { Collections::List } else { Collections::Get(id(draw)) })
}

fn name(draw: &mut Draw<'_>) -> Option<String> {
    let name = if draw.unrestricted && draw.one_in(3) {
        draw.pick(&[None, Some(" ")])
    } else {
        Some(draw.pick(&["Home", "home", "Work", "Äcker"]))
    };
    name.map(str::to_owned)
}

/// Usually a collection of the caller.
fn id(draw: &mut Draw<'_>) -> Id<label::Collection> {
    let any = draw.one_in(6);
    let own = draw.model.collections.iter().filter(|(_, one)| any || one.owner == draw.caller.who);
    let own: Vec<label::Collection> = own.map(|(label, _)| *label).collect();
    draw.one_of(&own).map_or(Id::Unknown, Id::Of)
}

fn books(draw: &mut Draw<'_>) -> Vec<Option<label::Book>> {
    let all: Vec<label::Book> = draw.model.books.keys().copied().collect();
    let one = |draw: &mut Draw<'_>| match draw.below(8) {
        0 if draw.unrestricted => None,
        1 if draw.unrestricted => Some(label::Book(0)),
        _ if all.is_empty() => Some(label::Book(0)),
        _ => Some(draw.pick(&all)),
    };
    (0..draw.count()).map(|_| one(draw)).collect()
}

impl Operation for Collections {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let keys = |service: &Service, books: &[Option<label::Book>]| -> Vec<Option<String>> {
            books.iter().map(|book| book.map(|book| service.labels.key(book))).collect()
        };
        let books = match self {
            Collections::Create(label, name) => {
                let name = name.clone();
                let view = service
                    .own(caller, move |tx, cx| collection::create(tx, cx, name.as_deref()))?;
                service.labels.note(view.collection.id.get(), *label);
                return answer(vec![service.collection(&view, caller)]);
            }
            Collections::Update(id, name) => {
                let (id, name) = (id.map(|id| service.labels.text(id)), name.clone());
                let view = service.own(caller, move |tx, cx| {
                    collection::update(tx, cx, id.as_deref(), name.as_deref())
                })?;
                return answer(vec![service.collection(&view, caller)]);
            }
            Collections::List => {
                let views = service.read(caller, |tx, cx, _| collection::list(tx, cx))?;
                let shown = |service: &Service, view: &_| service.collection(view, caller);
                return answer(service.all(&views, shown));
            }
            Collections::Get(id) => {
                let id = service.labels.text(*id);
                let view = service.read(caller, |tx, cx, _| collection::get(tx, cx, &id))?;
                return answer(vec![service.collection(&view, caller)]);
            }
            Collections::Delete(id) => {
                let id = service.labels.text(*id);
                service.own(caller, move |tx, cx| collection::delete(tx, cx, &id))?
            }
            Collections::Add(id, books) => {
                let (id, keys) = (service.labels.text(*id), keys(service, books));
                service.own(caller, move |tx, cx| collection::add(tx, cx, &id, keys))?
            }
            Collections::Remove(id, books) => {
                let (id, keys) = (service.labels.text(*id), keys(service, books));
                service.own(caller, move |tx, cx| collection::remove(tx, cx, &id, keys))?
            }
        };
        answer(service.all(&books, |service, summary| service.book_summary(summary, caller)))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        match self {
            Collections::Create(label, name) => {
                answer(vec![model.create_collection(caller, *label, name.as_deref())?])
            }
            Collections::Update(id, name) => {
                answer(vec![model.update_collection(caller, *id, name.as_deref())?])
            }
            Collections::List => answer(model.list_collections(caller)),
            Collections::Get(id) => answer(vec![model.get_collection(caller, *id)?]),
            Collections::Delete(id) => answer(model.delete_collection(caller, *id)?),
            Collections::Add(id, books) => answer(model.add_books(caller, *id, books)?),
            Collections::Remove(id, books) => answer(model.remove_books(caller, *id, books)?),
        }
    }
}
