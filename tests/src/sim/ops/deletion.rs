//! deleteBook, restoreBook, listBooks of deleted books, and the removal by the worker.

use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_service::book;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
use crate::sim::label;
use crate::sim::model::deletion::DAYS;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Copy, Debug)]
enum Deletion {
    Delete,
    Restore,
    List,
    /// Milliseconds from now.
    Remove(i64),
}

pub fn draw_delete(_: &mut Draw<'_>) -> DynOperation {
    Arc::new(Deletion::Delete)
}

/// Usually on a deleted book, if there is one.
pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let deleted: Vec<label::Book> = draw.model.deleted.keys().copied().collect();
    if !draw.one_in(8) {
        draw.book = draw.one_of(&deleted).unwrap_or(draw.book);
    }
    let remove = Deletion::Remove(i64::from(DAYS) * 24 * 3_600_000);
    Arc::new(draw.pick(&[Deletion::Restore, Deletion::Restore, Deletion::List, remove]))
}

impl Operation for Deletion {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match self {
            Deletion::Delete => {
                service.write(caller, |tx, cx, key| book::delete(tx, cx, key, DAYS))?
            }
            Deletion::Restore => service.write(caller, book::restore)?,
            Deletion::List => {
                let views = service.read(caller, |tx, cx, _| book::list_deleted(tx, cx, ""))?;
                return answer(service.all(&views, |service, view| service.book(view, caller)));
            }
            Deletion::Remove(later) => return answer(remove(service, caller, *later)?),
        };
        answer(service.book(&view, caller))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        match self {
            Deletion::Delete => answer(model.delete_book(caller)?),
            Deletion::Restore => answer(model.restore_book(caller)?),
            Deletion::List => answer(model.list_deleted_books(caller)),
            Deletion::Remove(later) => answer(model.remove_book(caller.book, caller.now + later)),
        }
    }
}

/// Removes a book as the worker does; returns whether it was due.
fn remove(service: &Service, caller: &Caller, later: i64) -> Result<bool, Refusal> {
    let now = Instant::new(caller.now + later);
    let begun = service.write(caller, move |tx, _, key| {
        book::begin_removal(tx, &BookKey::new(key.to_owned()), now)
    })?;
    while begun
        && service
            .write(caller, |tx, _, key| book::remove_portion(tx, &BookKey::new(key.to_owned())))?
    {
    }
    Ok(begun)
}
