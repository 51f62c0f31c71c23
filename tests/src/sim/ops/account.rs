//! Operations on accounts.

use std::sync::Arc;

use daybook_service::account;

use super::{DynOperation, Operation, fewer};
use crate::sim::body::{AccountBody, Id, Named};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Write {
    Create(Vec<AccountBody>),
    Update(Vec<AccountBody>),
    Delete(Vec<Named<label::Account>>),
}

#[derive(Clone, Debug)]
struct Accounts {
    book: label::Book,
    write: Write,
}

#[derive(Clone, Debug)]
enum Read {
    All,
    One(Named<label::Account>),
    GroupsOf(Named<label::Account>),
}

#[derive(Clone, Debug)]
struct Reading {
    book: label::Book,
    read: Read,
}

pub fn draw_create(draw: &mut Draw<'_>) -> DynOperation {
    let count = if draw.one_in(2) { 1 } else { draw.count() };
    let items = (0..count).map(|_| draw.new_account()).collect();
    Arc::new(Accounts { book: draw.book, write: Write::Create(items) })
}

pub fn draw_update(draw: &mut Draw<'_>) -> DynOperation {
    let count = if draw.one_in(2) { 1 } else { draw.count() };
    let items = if draw.one_in(12) {
        draw.accounts_swapped()
    } else {
        (0..count).map(|_| draw.changed_account()).collect()
    };
    Arc::new(Accounts { book: draw.book, write: Write::Update(items) })
}

pub fn draw_delete(draw: &mut Draw<'_>) -> DynOperation {
    let unused = draw
        .state()
        .into_iter()
        .flat_map(|book| book.accounts.values())
        .filter(|account| !account.posted);
    let unused: Vec<_> = unused.map(|account| account.label).collect();
    let named = |draw: &mut Draw<'_>| {
        if unused.is_empty() || draw.one_in(5) {
            draw.account_named()
        } else {
            Named::id(draw.pick(&unused))
        }
    };
    let items = if draw.one_in(2) {
        vec![named(draw)]
    } else {
        (0..1 + draw.below(2)).map(|_| named(draw)).collect()
    };
    Arc::new(Accounts { book: draw.book, write: Write::Delete(items) })
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    let mut named = draw.account_named();
    if named.id.is_some() || named.name.is_none() {
        named = Named { id: named.id.or(Some(Id::Unknown)), name: None };
    }
    let read = match draw.below(3) {
        0 => Read::All,
        1 => Read::One(named),
        _ => Read::GroupsOf(named),
    };
    Arc::new(Reading { book: draw.book, read })
}

impl Operation for Accounts {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match &self.write {
            Write::Create(items) => {
                let inputs = service.account_inputs(items);
                let view = service.write(self.book, caller, move |tx, cx, book| {
                    account::create(tx, cx, book, inputs)
                })?;
                for (made, body) in view.accounts.iter().zip(items) {
                    service.labels.accounts.note(made.id.get(), body.label);
                }
                view
            }
            Write::Update(items) => {
                let inputs = service.account_inputs(items);
                service.write(self.book, caller, move |tx, cx, book| {
                    account::update(tx, cx, book, inputs)
                })?
            }
            Write::Delete(items) => {
                let references: Vec<_> =
                    items.iter().map(|named| service.account_ref(named)).collect();
                service.write(self.book, caller, move |tx, cx, book| {
                    account::delete(tx, cx, book, &references)
                })?
            }
        };
        Ok(Answer::Accounts(view.accounts.iter().map(|account| service.account(account)).collect()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let answer = model.write(self.book, caller, may::MANAGE, |tx| match &self.write {
            Write::Create(items) => tx.create_accounts(items),
            Write::Update(items) => tx.update_accounts(items),
            Write::Delete(items) => tx.delete_accounts(items),
        });
        answer.map(Answer::Accounts)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let writes: Vec<Write> = match &self.write {
            Write::Create(items) => fewer(items).into_iter().map(Write::Create).collect(),
            Write::Update(items) => fewer(items).into_iter().map(Write::Update).collect(),
            Write::Delete(items) => fewer(items).into_iter().map(Write::Delete).collect(),
        };
        writes
            .into_iter()
            .map(|write| Arc::new(Accounts { book: self.book, write }) as DynOperation)
            .collect()
    }
}

impl Operation for Reading {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        match &self.read {
            Read::All => {
                let view = service.read(self.book, caller, account::list)?;
                Ok(Answer::Accounts(
                    view.accounts.iter().map(|account| service.account(account)).collect(),
                ))
            }
            Read::One(named) => {
                let text = service.account_text(named);
                let view = service
                    .read(self.book, caller, |tx, cx, book| account::get(tx, cx, book, &text))?;
                Ok(Answer::Accounts(
                    view.accounts.iter().map(|account| service.account(account)).collect(),
                ))
            }
            Read::GroupsOf(named) => {
                let text = service.account_text(named);
                let view = service
                    .read(self.book, caller, |tx, cx, book| account::groups(tx, cx, book, &text))?;
                Ok(Answer::Groups(service.groups(&view)))
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let (book, _) = model.enter(self.book, caller, may::READ)?;
        let find = |named| book.find_account(named).ok_or_else(Refusal::missing);
        Ok(match &self.read {
            Read::All => Answer::Accounts(book.accounts_by_name()),
            Read::One(named) => Answer::Accounts(vec![find(named)?.clone()]),
            Read::GroupsOf(named) => {
                let account = find(named)?;
                let groups = book
                    .groups_in_order()
                    .into_iter()
                    .filter(|group| account.groups.contains(&group.label));
                Answer::Groups(groups.map(|group| book.with_nature(&group)).collect())
            }
        })
    }
}
