//! Operations on accounts and groups.

use std::sync::Arc;

use daybook_service::{account, group};

use super::{DynOperation, Operation, fewer, variants};
use crate::sim::body::{AccountBody, GroupBody, Named};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Chart {
    CreateAccounts(Vec<AccountBody>),
    UpdateAccounts(Vec<AccountBody>),
    DeleteAccounts(Vec<Named<label::Account>>),
    ListAccounts,
    GetAccount(Named<label::Account>),
    AccountsOfGroup(Named<label::Group>),
    CreateGroups(Vec<GroupBody>),
    UpdateGroups(Vec<GroupBody>),
    DeleteGroups(Vec<Named<label::Group>>),
    ListGroups,
    GetGroup(Named<label::Group>),
    GroupsOfAccount(Named<label::Account>),
}

/// One item in half of the requests, else a batch.
fn count(draw: &mut Draw<'_>) -> usize {
    if draw.one_in(2) { 1 } else { draw.count() }
}

pub fn draw_create_accounts(draw: &mut Draw<'_>) -> DynOperation {
    let items = (0..count(draw)).map(|_| draw.new_account()).collect();
    Arc::new(Chart::CreateAccounts(items))
}

pub fn draw_create_groups(draw: &mut Draw<'_>) -> DynOperation {
    let items = (0..count(draw)).map(|_| draw.new_group()).collect();
    Arc::new(Chart::CreateGroups(items))
}

pub fn draw_update_accounts(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Chart::UpdateAccounts(if draw.one_in(12) {
        draw.accounts_swapped()
    } else {
        (0..count(draw)).map(|_| draw.changed_account()).collect()
    }))
}

pub fn draw_update_groups(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Chart::UpdateGroups(if draw.one_in(12) {
        draw.groups_swapped()
    } else {
        (0..count(draw)).map(|_| draw.changed_group()).collect()
    }))
}

pub fn draw_delete_accounts(draw: &mut Draw<'_>) -> DynOperation {
    let all = draw.state().into_iter().flat_map(|book| book.accounts.values());
    let unused: Vec<_> = all.filter(|one| !one.posted).map(|one| one.label).collect();
    let named = |draw: &mut Draw<'_>| match draw.one_of(&unused) {
        Some(label) if !draw.one_in(5) => Named::id(label),
        _ => draw.account_named(),
    };
    let count = 1 + draw.below(2) * draw.below(2);
    Arc::new(Chart::DeleteAccounts((0..count).map(|_| named(draw)).collect()))
}

pub fn draw_delete_groups(draw: &mut Draw<'_>) -> DynOperation {
    let count = 1 + draw.below(2) * draw.below(2);
    Arc::new(Chart::DeleteGroups((0..count).map(|_| draw.group_named()).collect()))
}

pub fn draw_read_accounts(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(3) {
        0 => Chart::ListAccounts,
        1 => Chart::GetAccount(draw.account_named().single()),
        _ => Chart::GroupsOfAccount(draw.account_named().single()),
    })
}

pub fn draw_read_groups(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(3) {
        0 => Chart::ListGroups,
        1 => Chart::GetGroup(draw.group_named().single()),
        _ => Chart::AccountsOfGroup(draw.group_named().single()),
    })
}

impl Operation for Chart {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let accounts = match self {
            Chart::CreateAccounts(items) => {
                let inputs = service.account_inputs(items);
                let view = service
                    .write(caller, move |tx, cx, key| account::create(tx, cx, key, inputs))?;
                for (made, body) in view.accounts.iter().zip(items) {
                    service.labels.note(made.id.get(), body.label);
                }
                view
            }
            Chart::UpdateAccounts(items) => {
                let inputs = service.account_inputs(items);
                service.write(caller, move |tx, cx, key| account::update(tx, cx, key, inputs))?
            }
            Chart::DeleteAccounts(items) => {
                let named: Vec<_> = items.iter().map(|one| service.account_ref(one)).collect();
                service.write(caller, move |tx, cx, key| account::delete(tx, cx, key, &named))?
            }
            Chart::ListAccounts => service.read(caller, account::list)?,
            Chart::GetAccount(named) => {
                let text = service.named_text(named);
                service.read(caller, |tx, cx, key| account::get(tx, cx, key, &text))?
            }
            Chart::AccountsOfGroup(named) => {
                let text = service.named_text(named);
                service.read(caller, |tx, cx, key| account::list_in_group(tx, cx, key, &text))?
            }
            _ => {
                let groups = self.run_on_groups(service, caller)?;
                return answer(service.groups(&groups));
            }
        };
        answer(service.accounts(&accounts))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let written = match self {
            Chart::CreateAccounts(items) => {
                model.write(caller, may::MANAGE, |tx| tx.create_accounts(items)).map(answer)
            }
            Chart::UpdateAccounts(items) => {
                model.write(caller, may::MANAGE, |tx| tx.update_accounts(items)).map(answer)
            }
            Chart::DeleteAccounts(items) => {
                model.write(caller, may::MANAGE, |tx| tx.delete_accounts(items)).map(answer)
            }
            Chart::CreateGroups(items) => {
                model.write(caller, may::MANAGE, |tx| tx.create_groups(items)).map(answer)
            }
            Chart::UpdateGroups(items) => {
                model.write(caller, may::MANAGE, |tx| tx.update_groups(items)).map(answer)
            }
            Chart::DeleteGroups(items) => {
                model.write(caller, may::MANAGE, |tx| tx.delete_groups(items)).map(answer)
            }
            _ => return self.read_model(model, caller),
        };
        written?
    }

    fn smaller(&self) -> Vec<DynOperation> {
        match self {
            Chart::CreateAccounts(items) => {
                variants(fewer(items).into_iter().map(Chart::CreateAccounts))
            }
            Chart::UpdateAccounts(items) => {
                variants(fewer(items).into_iter().map(Chart::UpdateAccounts))
            }
            Chart::CreateGroups(items) => {
                variants(fewer(items).into_iter().map(Chart::CreateGroups))
            }
            Chart::UpdateGroups(items) => {
                variants(fewer(items).into_iter().map(Chart::UpdateGroups))
            }
            _ => Vec::new(),
        }
    }
}

impl Chart {
    fn run_on_groups(
        &self,
        service: &mut Service,
        caller: &Caller,
    ) -> Result<group::View, Refusal> {
        match self {
            Chart::CreateGroups(items) => {
                let inputs = service.group_inputs(items);
                let view =
                    service.write(caller, move |tx, cx, key| group::create(tx, cx, key, inputs))?;
                for (made, body) in view.groups.iter().zip(items) {
                    service.labels.note(made.id.get(), body.label);
                }
                Ok(view)
            }
            Chart::UpdateGroups(items) => {
                let inputs = service.group_inputs(items);
                service.write(caller, move |tx, cx, key| group::update(tx, cx, key, inputs))
            }
            Chart::DeleteGroups(items) => {
                let named: Vec<_> = items.iter().map(|one| service.group_ref(one)).collect();
                service.write(caller, move |tx, cx, key| group::delete(tx, cx, key, &named))
            }
            Chart::GetGroup(named) => {
                let text = service.named_text(named);
                service.read(caller, |tx, cx, key| group::get(tx, cx, key, &text))
            }
            Chart::GroupsOfAccount(named) => {
                let text = service.named_text(named);
                service.read(caller, |tx, cx, key| account::groups(tx, cx, key, &text))
            }
            _ => service.read(caller, group::list),
        }
    }

    fn read_model(&self, model: &Model, caller: &Caller) -> Outcome {
        let (book, _) = model.enter(caller, may::READ)?;
        let account = |named| book.find_account(named).ok_or_else(Refusal::missing);
        let group = |named| book.find_group(named).ok_or_else(Refusal::missing);
        match self {
            Chart::GetAccount(named) => answer(vec![account(named)?.clone()]),
            Chart::AccountsOfGroup(named) => {
                let below = book.below(group(named)?.label);
                let mut accounts = book.accounts_by_name();
                accounts.retain(|account| !account.groups.is_disjoint(&below));
                answer(accounts)
            }
            Chart::GetGroup(named) => answer(vec![book.with_nature(group(named)?)]),
            Chart::GroupsOfAccount(named) => {
                let own = &account(named)?.groups;
                let mut groups = book.groups_in_order();
                groups.retain(|group| own.contains(&group.label));
                answer(groups.iter().map(|group| book.with_nature(group)).collect::<Vec<_>>())
            }
            Chart::ListGroups => {
                let groups = book.groups_in_order();
                answer(groups.iter().map(|group| book.with_nature(group)).collect::<Vec<_>>())
            }
            _ => answer(book.accounts_by_name()),
        }
    }
}
