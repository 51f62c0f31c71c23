//! Operations on groups.

use std::sync::Arc;

use daybook_service::{account, group};

use super::{DynOperation, Operation, fewer};
use crate::sim::body::{GroupBody, Id, Named};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Write {
    Create(Vec<GroupBody>),
    Update(Vec<GroupBody>),
    Delete(Vec<Named<label::Group>>),
}

#[derive(Clone, Debug)]
struct Groups {
    book: label::Book,
    write: Write,
}

#[derive(Clone, Debug)]
enum Read {
    All,
    One(Named<label::Group>),
    AccountsOf(Named<label::Group>),
}

#[derive(Clone, Debug)]
struct Reading {
    book: label::Book,
    read: Read,
}

pub fn draw_create(draw: &mut Draw<'_>) -> DynOperation {
    let count = if draw.one_in(2) { 1 } else { draw.count() };
    let items = (0..count).map(|_| draw.new_group()).collect();
    Arc::new(Groups { book: draw.book, write: Write::Create(items) })
}

pub fn draw_update(draw: &mut Draw<'_>) -> DynOperation {
    let count = if draw.one_in(2) { 1 } else { draw.count() };
    let items = if draw.one_in(12) {
        draw.groups_swapped()
    } else {
        (0..count).map(|_| draw.changed_group()).collect()
    };
    Arc::new(Groups { book: draw.book, write: Write::Update(items) })
}

pub fn draw_delete(draw: &mut Draw<'_>) -> DynOperation {
    let items = if draw.one_in(2) {
        vec![draw.group_named()]
    } else {
        (0..1 + draw.below(2)).map(|_| draw.group_named()).collect()
    };
    Arc::new(Groups { book: draw.book, write: Write::Delete(items) })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    let mut named = draw.group_named();
    if named.name.is_none() {
        named = Named { id: named.id.or(Some(Id::Unknown)), name: None };
    }
    let read = match draw.below(3) {
        0 => Read::All,
        1 => Read::One(named),
        _ => Read::AccountsOf(named),
    };
    Arc::new(Reading { book: draw.book, read })
}

impl Operation for Groups {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match &self.write {
            Write::Create(items) => {
                let inputs = service.group_inputs(items);
                let view = service.write(self.book, caller, move |tx, cx, book| {
                    group::create(tx, cx, book, inputs)
                })?;
                for (made, body) in view.groups.iter().zip(items) {
                    service.labels.groups.note(made.id.get(), body.label);
                }
                view
            }
            Write::Update(items) => {
                let inputs = service.group_inputs(items);
                service.write(self.book, caller, move |tx, cx, book| {
                    group::update(tx, cx, book, inputs)
                })?
            }
            Write::Delete(items) => {
                let references: Vec<_> =
                    items.iter().map(|named| service.group_ref(named)).collect();
                service.write(self.book, caller, move |tx, cx, book| {
                    group::delete(tx, cx, book, &references)
                })?
            }
        };
        Ok(Answer::Groups(service.groups(&view)))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let answer = model.write(self.book, caller, may::MANAGE, |tx| {
            let labels = match &self.write {
                Write::Create(items) => tx.create_groups(items)?,
                Write::Update(items) => tx.update_groups(items)?,
                Write::Delete(items) => return tx.delete_groups(items),
            };
            let shown = |tx: &Tx, label| tx.book.with_nature(&tx.book.groups[&label]);
            Ok(labels.into_iter().map(|label| shown(tx, label)).collect())
        });
        answer.map(Answer::Groups)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let writes: Vec<Write> = match &self.write {
            Write::Create(items) => fewer(items).into_iter().map(Write::Create).collect(),
            Write::Update(items) => fewer(items).into_iter().map(Write::Update).collect(),
            Write::Delete(items) => fewer(items).into_iter().map(Write::Delete).collect(),
        };
        writes
            .into_iter()
            .map(|write| Arc::new(Groups { book: self.book, write }) as DynOperation)
            .collect()
    }
}

impl Operation for Reading {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        match &self.read {
            Read::All => service
                .read(self.book, caller, group::list)
                .map(|view| Answer::Groups(service.groups(&view))),
            Read::One(named) => {
                let text = service.group_text(named);
                let view = service
                    .read(self.book, caller, |tx, cx, book| group::get(tx, cx, book, &text))?;
                Ok(Answer::Groups(service.groups(&view)))
            }
            Read::AccountsOf(named) => {
                let text = service.group_text(named);
                let view = service.read(self.book, caller, |tx, cx, book| {
                    account::list_in_group(tx, cx, book, &text)
                })?;
                Ok(Answer::Accounts(
                    view.accounts.iter().map(|account| service.account(account)).collect(),
                ))
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let (book, _) = model.enter(self.book, caller, may::READ)?;
        let find = |named| book.find_group(named).ok_or_else(Refusal::missing);
        Ok(match &self.read {
            Read::All => Answer::Groups(
                book.groups_in_order().iter().map(|group| book.with_nature(group)).collect(),
            ),
            Read::One(named) => Answer::Groups(vec![book.with_nature(find(named)?)]),
            Read::AccountsOf(named) => {
                let below = book.below(find(named)?.label);
                let accounts = book
                    .accounts_by_name()
                    .into_iter()
                    .filter(|account| !account.groups.is_disjoint(&below));
                Answer::Accounts(accounts.collect())
            }
        })
    }
}
