//! Operations on collections, which belong to a user and not to a book.

use std::sync::Arc;

use daybook_service::collection;

use super::{DynOperation, Operation, fewer};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
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
    if own.is_empty() { Id::Unknown } else { Id::Of(draw.pick(&own)) }
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
    fn book(&self) -> label::Book {
        label::Book(0)
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let keys = |service: &Service, books: &[Option<label::Book>]| -> Vec<Option<String>> {
            books.iter().map(|book| book.map(|book| service.labels.key(book))).collect()
        };
        let books = match self {
            Collections::Create(label, name) => {
                let name = name.clone();
                let view = service
                    .own(caller, move |tx, cx| collection::create(tx, cx, name.as_deref()))?;
                service.labels.collections.note(view.collection.id.get(), *label);
                return Ok(Answer::Collections(vec![service.collection(&view, caller)]));
            }
            Collections::Update(id, name) => {
                let (id, name) = (id.map(|id| service.collection_id(id)), name.clone());
                let view = service.own(caller, move |tx, cx| {
                    collection::update(tx, cx, id.as_deref(), name.as_deref())
                })?;
                return Ok(Answer::Collections(vec![service.collection(&view, caller)]));
            }
            Collections::List => {
                let views =
                    service.read(self.book(), caller, |tx, cx, _| collection::list(tx, cx))?;
                return Ok(Answer::Collections(
                    views.iter().map(|view| service.collection(view, caller)).collect(),
                ));
            }
            Collections::Get(id) => {
                let id = service.collection_id(*id);
                let view =
                    service.read(self.book(), caller, |tx, cx, _| collection::get(tx, cx, &id))?;
                return Ok(Answer::Collections(vec![service.collection(&view, caller)]));
            }
            Collections::Delete(id) => {
                let id = service.collection_id(*id);
                service.own(caller, move |tx, cx| collection::delete(tx, cx, &id))?
            }
            Collections::Add(id, books) => {
                let (id, keys) = (service.collection_id(*id), keys(service, books));
                service.own(caller, move |tx, cx| collection::add(tx, cx, &id, keys))?
            }
            Collections::Remove(id, books) => {
                let (id, keys) = (service.collection_id(*id), keys(service, books));
                service.own(caller, move |tx, cx| collection::remove(tx, cx, &id, keys))?
            }
        };
        let books = books.iter().map(|summary| service.book_summary(summary, caller));
        Ok(Answer::Books(books.collect()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let books = match self {
            Collections::Create(label, name) => {
                return model
                    .create_collection(caller, *label, name.as_deref())
                    .map(|one| Answer::Collections(vec![one]));
            }
            Collections::Update(id, name) => {
                return model
                    .update_collection(caller, *id, name.as_deref())
                    .map(|one| Answer::Collections(vec![one]));
            }
            Collections::List => return Ok(Answer::Collections(model.list_collections(caller))),
            Collections::Get(id) => {
                return model.get_collection(caller, *id).map(|one| Answer::Collections(vec![one]));
            }
            Collections::Delete(id) => model.delete_collection(caller, *id),
            Collections::Add(id, books) => model.add_books(caller, *id, books),
            Collections::Remove(id, books) => model.remove_books(caller, *id, books),
        };
        books.map(Answer::Books)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        match self {
            Collections::Add(id, books) => fewer(books)
                .into_iter()
                .map(|books| Arc::new(Collections::Add(*id, books)) as DynOperation)
                .collect(),
            Collections::Remove(id, books) => fewer(books)
                .into_iter()
                .map(|books| Arc::new(Collections::Remove(*id, books)) as DynOperation)
                .collect(),
            _ => Vec::new(),
        }
    }
}
