//! Operations on files, whose bytes are named but not stored.

use std::sync::Arc;

use daybook_service::file;

use super::{DynOperation, Operation};
use crate::sim::body::{FileBody, Id};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Files {
    Create(FileBody),
    Update(FileBody),
    Delete(Id<label::File>),
    /// By pages of a size.
    List(usize),
    Get(Id<label::File>),
}

pub fn draw_create(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Files::Create(draw.new_file()))
}

pub fn draw_update(draw: &mut Draw<'_>) -> DynOperation {
    let id = if draw.unrestricted && draw.one_in(8) { None } else { Some(id(draw)) };
    Arc::new(Files::Update(draw.changed_file(id)))
}

pub fn draw_delete(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Files::Delete(id(draw)))
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    let limit = draw.pick(&[0, 1, 3, 5000]);
    Arc::new(if draw.one_in(2) { Files::List(limit) } else { Files::Get(id(draw)) })
}

fn id(draw: &mut Draw<'_>) -> Id<label::File> {
    draw.file().map_or(Id::Unknown, Id::Of)
}

impl Operation for Files {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match self {
            Files::Create(body) => {
                let changes = service.file_changes(body);
                let content = service.content(body).expect("a create has content");
                let view = service.write(caller, move |tx, cx, key| {
                    file::create(tx, cx, key, changes, content)
                })?;
                service.labels.note(view.file.id.get(), body.label);
                view
            }
            Files::Update(body) => {
                let changes = service.file_changes(body);
                service
                    .write(caller, move |tx, cx, key| file::update(tx, cx, key, changes, None))?
            }
            Files::Delete(id) => {
                let id = service.labels.text(*id);
                service.write(caller, move |tx, cx, key| file::delete(tx, cx, key, &id))?
            }
            Files::List(limit) => return answer(service.list_files(caller, *limit)?),
            Files::Get(id) => {
                let id = service.labels.text(*id);
                service.read(caller, |tx, cx, key| file::get(tx, cx, key, &id))?
            }
        };
        answer(service.file(&view.file))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Files::Create(body) => model.write(caller, may::RECORD, |tx| tx.create_file(body))?,
            Files::Update(body) => model.write(caller, may::RECORD, |tx| tx.update_file(body))?,
            Files::Delete(id) => model.write(caller, may::RECORD, |tx| tx.delete_file(*id))?,
            Files::List(_) => return answer(model.list_files(caller)?),
            Files::Get(id) => model.get_file(caller, *id)?,
        })
    }
}
