//! Formats query trees as texts in the language of behaviour 1.

use super::Service;
use crate::decimal;
use crate::sim::model::balance::Question;
use crate::sim::model::dates::Unit;
use crate::sim::model::query::{Clause, Query, Term};

impl Service {
    pub fn query_text(&self, query: &Query) -> String {
        let posting = query.by_posting.then(|| "using:postDate".to_owned());
        posting
            .into_iter()
            .chain(query.clauses.iter().map(|clause| self.clause_text(clause)))
            .chain(query.ignored.map(str::to_owned))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn clause_text(&self, clause: &Clause) -> String {
        match clause {
            Clause::Term(term) => self.term_text(term),
            // Both notations of NOT.
            Clause::Not(inner) if matches!(**inner, Clause::Any(_)) => {
                format!("NOT {}", self.clause_text(inner))
            }
            Clause::Not(inner) => format!("-{}", self.clause_text(inner)),
            Clause::All(inner) => self.joined(inner, " "),
            Clause::Any(inner) => self.joined(inner, " OR "),
        }
    }

    fn joined(&self, inner: &[Clause], between: &str) -> String {
        let inner: Vec<String> = inner.iter().map(|clause| self.clause_text(clause)).collect();
        format!("({})", inner.join(between))
    }

    fn term_text(&self, term: &Term) -> String {
        match term {
            Term::Account(named) => format!("account:{}", quoted(&self.named_text(named))),
            Term::From(named) => format!("from:{}", quoted(&self.named_text(named))),
            Term::To(named) => format!("to:{}", quoted(&self.named_text(named))),
            Term::Group(named) => format!("group:{}", quoted(&self.named_text(named))),
            Term::Date(operator, literal) => format!("{}{}", operator.text(), literal.text()),
            Term::Amount(comparison, units) => {
                format!("amount{comparison}{}", decimal::show(*units, 0))
            }
            Term::Is(state) => format!("is:{state}"),
            Term::Tag(tag) => format!("#{tag}"),
            Term::RemoteId(id) => format!("remoteId:{}", quoted(&self.remote_id(id))),
            Term::Property(key, Some(value)) => format!("{key}:{}", quoted(value)),
            Term::Property(key, None) => format!("{key}:*"),
            Term::Text(text) if text.contains(' ') => quoted(text),
            Term::Text(text) => text.clone(),
            Term::By(who) => format!(
                "user:{}",
                self.users.get(*who).map_or("nobody", |user| user.email.as_str())
            ),
            Term::Agent(agent) => format!("agent:{agent}"),
            Term::Kind(kind) => format!("type:{}", kind.as_str()),
            Term::HasFile => "has:file".to_owned(),
            Term::HasUrl => "has:url".to_owned(),
            Term::HasComment => "has:comment".to_owned(),
            Term::Error(wanted) => format!("error:{wanted}"),
            Term::Unreadable(text) => (*text).to_owned(),
        }
    }

    pub fn question_text(&self, question: &Question) -> String {
        let accounts = question
            .accounts
            .iter()
            .map(|named| format!("account:{}", quoted(&self.named_text(named))));
        let groups = question
            .groups
            .iter()
            .map(|named| format!("group:{}", quoted(&self.named_text(named))));
        let tags = question.tags.iter().map(|tag| format!("#{tag}"));
        let dates = question
            .dates
            .iter()
            .map(|(operator, literal)| format!("{}{}", operator.text(), literal.text()));
        let by = question.by.map(|unit| {
            let letter = match unit {
                Unit::Day => "d",
                Unit::Month => "m",
                Unit::Year => "y",
            };
            format!("by:{letter}")
        });
        let flaws = question.ignored.into_iter().chain(question.unreadable).map(str::to_owned);
        let mut words: Vec<String> =
            accounts.chain(groups).chain(tags).chain(dates).chain(by).chain(flaws).collect();
        if words.is_empty() {
            // A neutral term, because a blank query is refused (5.1).
            words.push("by:m".to_owned());
        }
        words.join(" ")
    }
}

fn quoted(text: &str) -> String {
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}
