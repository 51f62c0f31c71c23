//! Operations on files, whose bytes are named but not stored.

use std::sync::Arc;

use daybook_service::file;

use super::{DynOperation, Operation};
use crate::sim::body::{FileBody, Id};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Write {
    Create(FileBody),
    Update(FileBody),
    Delete(Id<label::File>),
}

#[derive(Clone, Debug)]
struct Writing {
    book: label::Book,
    write: Write,
}

#[derive(Clone, Debug)]
enum Read {
    All(usize),
    One(Id<label::File>),
}

#[derive(Clone, Debug)]
struct Reading {
    book: label::Book,
    read: Read,
}

pub fn draw_create(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Writing { book: draw.book, write: Write::Create(draw.new_file()) })
}

pub fn draw_update(draw: &mut Draw<'_>) -> DynOperation {
    let id = if draw.unrestricted && draw.one_in(8) { None } else { Some(id(draw)) };
    Arc::new(Writing { book: draw.book, write: Write::Update(draw.changed_file(id)) })
}

pub fn draw_delete(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Writing { book: draw.book, write: Write::Delete(id(draw)) })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    let read =
        if draw.one_in(2) { Read::All(draw.pick(&[0, 1, 3, 5000])) } else { Read::One(id(draw)) };
    Arc::new(Reading { book: draw.book, read })
}

fn id(draw: &mut Draw<'_>) -> Id<label::File> {
    draw.file().map_or(Id::Unknown, Id::Of)
}

impl Operation for Writing {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match &self.write {
            Write::Create(body) => {
                let (changes, content) = (
                    service.file_changes(body),
                    service.content(body).expect("a create has content"),
                );
                let view = service.write(self.book, caller, move |tx, cx, book| {
                    file::create(tx, cx, book, changes, content)
                })?;
                service.labels.files.note(view.file.id.get(), body.label);
                view
            }
            Write::Update(body) => {
                let changes = service.file_changes(body);
                service.write(self.book, caller, move |tx, cx, book| {
                    file::update(tx, cx, book, changes, None)
                })?
            }
            Write::Delete(id) => {
                let id = service.file_id(*id);
                service
                    .write(self.book, caller, move |tx, cx, book| file::delete(tx, cx, book, &id))?
            }
        };
        Ok(Answer::Files(vec![vec![service.file(&view.file)]]))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let file =
            model.write(self.book, caller, may::RECORD, |tx: &mut Tx| match &self.write {
                Write::Create(body) => tx.create_file(body),
                Write::Update(body) => tx.update_file(body),
                Write::Delete(id) => tx.delete_file(*id),
            })?;
        Ok(Answer::Files(vec![vec![file]]))
    }
}

impl Operation for Reading {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let limit = match self.read {
            Read::All(limit) => limit,
            Read::One(id) => {
                let id = service.file_id(id);
                let view =
                    service.read(self.book, caller, |tx, cx, book| file::get(tx, cx, book, &id))?;
                return Ok(Answer::Files(vec![vec![service.file(&view.file)]]));
            }
        };
        let (mut pages, mut below) = (Vec::new(), None);
        loop {
            let page = service.read(self.book, caller, |tx, cx, book| {
                file::list(tx, cx, book, Some(limit), below)
            })?;
            pages.push(page.files.iter().map(|file| service.file(file)).collect());
            below = page.next;
            if below.is_none() {
                return Ok(Answer::Files(pages));
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        Ok(Answer::Files(match self.read {
            Read::All(limit) => model.list_files(self.book, caller, limit)?,
            Read::One(id) => vec![vec![model.get_file(self.book, caller, id)?]],
        }))
    }
}
