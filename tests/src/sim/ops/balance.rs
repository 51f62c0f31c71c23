//! getBalances.

use std::sync::Arc;

use daybook_service::balance;

use super::list::UNREADABLE;
use super::{DynOperation, Operation, fewer};
use crate::sim::draw::{Draw, TAGS};
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::balance::Question;
use crate::sim::model::dates::Unit;
use crate::sim::model::query::Flaw;
use crate::sim::model::{Caller, Model};
use crate::sim::service::{Service, warning_texts};

#[derive(Clone, Debug)]
struct Balances {
    book: label::Book,
    question: Question,
}

/// Terms that balances ignore (1.4.1, 1.4.2).
const IGNORED: [Flaw; 7] = [
    Flaw::new("lunch", "ignored in balances"),
    Flaw::new("amount>5", "ignored in balances"),
    Flaw::new("is:draft", "ignored in balances"),
    Flaw::new("Chase:Slate", "ignored in balances"),
    Flaw::new("using:postDate", "ignored in balances"),
    Flaw::new("by:q", "ignored, not a periodicity"),
    Flaw::new("after:", "ignored, nothing to look for"),
];

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let named = |draw: &mut Draw<'_>| {
        let mut named = draw.account_named();
        if named.id.is_some() || named.name.as_deref().is_none_or(|name| name.trim().is_empty()) {
            named = crate::sim::body::Named {
                id: named.id.or(Some(crate::sim::body::Id::Unknown)),
                name: None,
            };
        }
        named
    };
    let accounts = if draw.one_in(3) {
        (0..1 + draw.below(2)).map(|_| named(draw)).collect()
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
    let mut flaws = Vec::new();
    if draw.one_in(6) {
        flaws.push(draw.pick(&IGNORED));
    }
    let unreadable = draw.one_in(10);
    if unreadable {
        flaws.push(draw.pick(&UNREADABLE));
    }
    let question = Question { accounts, groups, tags, dates, by, flaws, unreadable };
    Arc::new(Balances { book: draw.book, question })
}

impl Operation for Balances {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let request = service.question_text(&self.question).into();
        let view =
            service.read(self.book, caller, |tx, cx, book| balance::get(tx, cx, book, &request))?;
        Ok(Answer::Balances(service.containers(&view), warning_texts(&view.query.warnings)))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.balances(self.book, caller, &self.question)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let question = &self.question;
        let mut smaller = Vec::new();
        smaller.extend(
            fewer(&question.accounts)
                .into_iter()
                .map(|accounts| Question { accounts, ..question.clone() }),
        );
        smaller.extend(
            fewer(&question.groups)
                .into_iter()
                .map(|groups| Question { groups, ..question.clone() }),
        );
        for index in 0..question.dates.len() {
            let mut dates = question.dates.clone();
            dates.remove(index);
            smaller.push(Question { dates, ..question.clone() });
        }
        if !question.tags.is_empty() {
            smaller.push(Question { tags: Vec::new(), ..question.clone() });
        }
        smaller
            .into_iter()
            .map(|question| Arc::new(Balances { book: self.book, question }) as DynOperation)
            .collect()
    }
}
