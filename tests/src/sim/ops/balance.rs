//! getBalances.

use std::sync::Arc;

use daybook_service::balance;

use super::{Drawn, Operation, fewer};
use crate::sim::draw::{Draw, TAGS};
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::balance::Question;
use crate::sim::model::dates::Unit;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Balances {
    book: label::Book,
    question: Question,
}

pub fn draw(draw: &mut Draw<'_>) -> Drawn {
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
    Arc::new(Balances { book: draw.book, question: Question { accounts, groups, tags, dates, by } })
}

impl Operation for Balances {
    fn book(&self) -> label::Book {
        self.book
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let text = service.question_text(&self.question);
        let view =
            service.read(self.book, caller, |tx, cx, book| balance::get(tx, cx, book, &text))?;
        Ok(Answer::Balances(service.containers(&view)))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.balances(self.book, caller, &self.question)
    }

    fn smaller(&self) -> Vec<Drawn> {
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
        for place in 0..question.dates.len() {
            let mut dates = question.dates.clone();
            dates.remove(place);
            smaller.push(Question { dates, ..question.clone() });
        }
        if !question.tags.is_empty() {
            smaller.push(Question { tags: Vec::new(), ..question.clone() });
        }
        smaller
            .into_iter()
            .map(|question| Arc::new(Balances { book: self.book, question }) as Drawn)
            .collect()
    }
}
