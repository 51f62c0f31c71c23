//! Balances: the model's containers as the API shows them.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::Oracle;
use crate::decimal;
use crate::sim::body::Named;
use crate::sim::facts::{Container, Empty, Of, Sides};
use crate::sim::model::balance::Question;
use crate::sim::model::dates::{DateOperator, Literal, Unit};
use crate::sim::model::group::{is_credit, is_permanent};
use crate::sim::model::text::normalized;

/// A query of getBalances; without an account and a group, of the whole book.
#[derive(Clone, Copy, Debug)]
pub struct BalanceQuestion<'q> {
    /// The only account.
    pub account: Option<&'q str>,
    /// The only group.
    pub group: Option<&'q str>,
    /// The first day.
    pub from: Option<Date>,
    /// The day after the last.
    pub until: Option<Date>,
    /// The length of a slice.
    pub by: Unit,
    /// Only postings with this hashtag; "" for all.
    pub tag: &'q str,
}

impl Oracle {
    /// The answer of getBalances.
    pub fn balances(&self, question: &BalanceQuestion<'_>) -> Value {
        let bound = |operator, date: Option<Date>| date.map(|date| (operator, Literal::Day(date)));
        let bounds = [
            bound(DateOperator::After, question.from),
            bound(DateOperator::Before, question.until),
        ];
        let model_question = Question {
            accounts: question.account.map(Named::name).into_iter().collect(),
            groups: question.group.map(Named::name).into_iter().collect(),
            tags: (!question.tag.is_empty()).then(|| question.tag.to_owned()).into_iter().collect(),
            dates: bounds.into_iter().flatten().collect(),
            by: Some(question.by),
            ..Question::default()
        };
        let containers = self.book.balances(self.today, &model_question);
        let mut answer = json!({"periodicity": match question.by {
            Unit::Day => "DAILY",
            Unit::Month => "MONTHLY",
            Unit::Year => "YEARLY",
        }});
        if question.group.is_none() {
            answer["accountBalances"] = json!([]);
        }
        if question.account.is_none() {
            answer["groupBalances"] = json!([]);
        }
        self.fill(&mut answer, &containers, 0, question.by);
        answer
    }

    /// Adds the containers of this depth, with their nested ones, to the lists of their parent.
    fn fill(&self, parent: &mut Value, containers: &[Container], depth: usize, by: Unit) {
        let mut rest = containers;
        while let Some((first, behind)) = rest.split_first() {
            let inside = behind.iter().take_while(|container| container.depth > depth).count();
            let (mut shown, list) = self.container(first, by);
            if list == "groupBalances" {
                shown["accountBalances"] = json!([]);
                shown["groupBalances"] = json!([]);
            }
            self.fill(&mut shown, &behind[..inside], depth + 1, by);
            parent[list].as_array_mut().expect("a list of the request").push(shown);
            rest = &behind[inside..];
        }
    }

    /// Formats a container; the second value is the list of its parent.
    fn container(&self, container: &Container, by: Unit) -> (Value, &'static str) {
        let mut shown = amounts(container.cumulative, container.period);
        let slice = |(fuzzy, period, cumulative): &(i32, Sides, Sides)| {
            let mut slice = amounts(*cumulative, *period);
            slice["year"] = json!(fuzzy / 10_000);
            slice["month"] = json!(if by == Unit::Year { 0 } else { fuzzy / 100 % 100 });
            slice["day"] = json!(if by == Unit::Day { fuzzy % 100 } else { 0 });
            slice["fuzzyDate"] = json!(fuzzy);
            slice
        };
        shown["balances"] = container.series.iter().map(slice).collect();
        let (name, list) = match container.of {
            Of::Account(label, Empty(empty)) => {
                let account = &self.book.accounts[&label];
                shown["permanent"] = json!(is_permanent(account.kind));
                shown["credit"] = json!(is_credit(account.kind));
                shown["archived"] = json!(account.archived);
                shown["empty"] = json!(empty);
                (&account.name, "accountBalances")
            }
            Of::Group(label, nature) => {
                shown["permanent"] = json!(nature.permanent);
                shown["credit"] = json!(nature.credit);
                (&self.book.groups[&label].name, "groupBalances")
            }
        };
        shown["name"] = json!(name);
        shown["normalizedName"] = json!(normalized(name));
        (shown, list)
    }
}

/// The six amounts.
fn amounts((debits, credits): Sides, (period_debit, period_credit): Sides) -> Value {
    let text = |amount: i128| decimal::show(amount, 2);
    json!({
        "cumulativeBalance": text(credits - debits),
        "cumulativeCredit": text(credits),
        "cumulativeDebit": text(debits),
        "periodBalance": text(period_credit - period_debit),
        "periodCredit": text(period_credit),
        "periodDebit": text(period_debit),
    })
}
