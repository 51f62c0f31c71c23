//! getBalances.

use std::sync::Arc;

use daybook_service::balance;

use super::list::UNREADABLE;
use super::{DynOperation, Operation, fewer, variants};
use crate::sim::draw::{Draw, TAGS};
use crate::sim::facts::{Outcome, answer};
use crate::sim::model::balance::Question;
use crate::sim::model::dates::Unit;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

/// Terms that balances ignore (1.4.1, 1.4.2).
const IGNORED: [&str; 7] =
    ["lunch", "amount>5", "is:draft", "Chase:Slate", "using:postDate", "by:q", "after:"];

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let accounts = if draw.one_in(3) {
        (0..1 + draw.below(2)).map(|_| draw.account_named().single()).collect()
    } else {
        Vec::new()
    };
    let groups = if draw.one_in(3) {
        (0..1 + draw.below(2)).map(|_| draw.group_named()).collect()
    } else {
        Vec::new()
    };
    let tags = if draw.one_in(4) { vec![draw.pick(&TAGS).to_owned()] } else { Vec::new() };
    let dates = (0..draw.below(3)).map(|_| draw.date_term()).collect();
    let by = draw.pick(&[None, None, Some(Unit::Month), Some(Unit::Year), Some(Unit::Day)]);
    let ignored = if draw.one_in(6) { Some(draw.pick(&IGNORED)) } else { None };
    let unreadable = if draw.one_in(10) { Some(draw.pick(&UNREADABLE)) } else { None };
    Arc::new(Question { accounts, groups, tags, dates, by, ignored, unreadable })
}

impl Operation for Question {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let request = service.question_text(self).into();
        let view = service.read(caller, |tx, cx, key| balance::get(tx, cx, key, &request))?;
        answer(service.containers(&view))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.balances(caller, self)?)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let accounts = fewer(&self.accounts);
        let accounts = accounts.into_iter().map(|accounts| Question { accounts, ..self.clone() });
        let groups = fewer(&self.groups);
        let groups = groups.into_iter().map(|groups| Question { groups, ..self.clone() });
        variants(accounts.chain(groups))
    }
}
