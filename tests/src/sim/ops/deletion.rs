//! deleteBook, restoreBook, listBooks of deleted books, and the removal by the worker.

use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_service::book;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::deletion::DAYS;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Copy, Debug)]
enum Call {
    Delete,
    Restore,
    List,
    /// Milliseconds from now.
    Remove(i64),
}

#[derive(Clone, Debug)]
struct Deletion {
    book: label::Book,
    call: Call,
}

pub fn draw_delete(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Deletion { book: draw.book, call: Call::Delete })
}

/// Usually on a deleted book, if there is one.
pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let deleted: Vec<label::Book> = draw.model.deleted.keys().copied().collect();
    let book = if deleted.is_empty() || draw.one_in(8) { draw.book } else { draw.pick(&deleted) };
    // Some removals are immediate, while deliveries are still pending.
    let over = i64::from(DAYS) * 24 * 3_600_000;
    let remove = if draw.one_in(2) { Call::Remove(0) } else { Call::Remove(over) };
    let call = draw.pick(&[Call::Restore, Call::Restore, Call::List, remove]);
    Arc::new(Deletion { book, call })
}

impl Operation for Deletion {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match self.call {
            Call::Delete => {
                service.write(self.book, caller, |tx, cx, book| book::delete(tx, cx, book, DAYS))?
            }
            Call::Restore => service.write(self.book, caller, book::restore)?,
            Call::List => {
                let views =
                    service.read(self.book, caller, |tx, cx, _| book::list_deleted(tx, cx, ""))?;
                let shown = views.iter().map(|view| service.book(view, caller)).collect();
                return Ok(Answer::Books(shown));
            }
            Call::Remove(later) => {
                let then = Caller { now: caller.now + later, ..caller.clone() };
                return remove(service, self.book, &then);
            }
        };
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = match self.call {
            Call::Delete => model.delete_book(self.book, caller)?,
            Call::Restore => model.restore_book(self.book, caller)?,
            Call::List => return Ok(Answer::Books(model.list_deleted_books(caller))),
            Call::Remove(later) => {
                let removed = model.remove_book(self.book, caller.now + later);
                return Ok(Answer::Count(removed, Vec::new()));
            }
        };
        Ok(Answer::Book(Box::new(book)))
    }
}

/// Removes a book as the worker does.
fn remove(service: &Service, book: label::Book, caller: &Caller) -> Outcome {
    let now = Instant::new(caller.now);
    let begun = service.write(book, caller, move |tx, _, key| {
        book::begin_removal(tx, &BookKey::new(key.to_owned()), now)
    })?;
    if begun {
        service.detach_pending_deliveries(book, caller)?;
    }
    while begun
        && service.write(book, caller, |tx, _, key| {
            book::remove_portion(tx, &BookKey::new(key.to_owned()))
        })?
    {}
    Ok(Answer::Count(usize::from(begun), Vec::new()))
}
