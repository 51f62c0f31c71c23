//! Tests of filters, evaluated on a transaction in memory.

use rust_decimal::Decimal;
use time::Date;

use super::*;
use crate::account::AccountType;
use crate::name::{fold, normalized};
use crate::query::Status;

struct Lunch {
    posted: bool,
    checked: bool,
    trashed: bool,
    day: Option<Date>,
    amount: Option<Decimal>,
    tags: Vec<String>,
    remote_ids: Vec<String>,
}

impl Default for Lunch {
    fn default() -> Self {
        Self {
            posted: true,
            checked: false,
            trashed: false,
            day: parse_iso("2025-05-20"),
            amount: Some(Decimal::new(1250, 2)),
            tags: vec!["Food".to_owned()],
            remote_ids: vec!["Ab1".to_owned()],
        }
    }
}

/// The accounts, group and texts of every lunch.
const FROM: &str = "cash";
const TO: &str = "eating_out";
const GROUP: &str = "expenses";
const TYPES: [AccountType; 2] = [AccountType::Asset, AccountType::Outgoing];
const DESCRIPTION: &str = "Almoço with Ana #Food";
const PROPERTY: (&str, &str) = ("tax_rate", "full");

impl Lunch {
    fn day(&self, basis: DateBasis) -> Option<Date> {
        self.day.filter(|_| basis == DateBasis::Transaction || self.posted)
    }
}

impl Filter {
    fn matches(&self, subject: &Lunch) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|filter| filter.matches(subject)),
            Self::Any(filters) => filters.iter().any(|filter| filter.matches(subject)),
            Self::Not(filter) => !filter.matches(subject),
            Self::Term(term) => term.matches(subject),
        }
    }
}

impl Term {
    fn matches(&self, subject: &Lunch) -> bool {
        match self {
            Self::Account(account) => [FROM, TO].contains(&normalized(account).as_str()),
            Self::From(account) => normalized(account) == FROM,
            Self::To(account) => normalized(account) == TO,
            Self::Group(group) => normalized(group) == GROUP,
            Self::Dated { basis, from, until } => subject.day(*basis).is_some_and(|day| {
                from.is_none_or(|from| day >= from) && until.is_none_or(|until| day < until)
            }),
            Self::Amount { comparison, value } => {
                subject.amount.is_some_and(|amount| comparison.holds(amount, *value))
            }
            Self::Status(status) => status.matches(subject),
            Self::Tag(tag) => {
                subject.tags.iter().any(|carried| crate::transaction::tags::key(carried) == *tag)
            }
            Self::RemoteId(id) => subject.remote_ids.contains(id),
            Self::HasError(expected) => !*expected,
            Self::Property { key, value } => {
                key == PROPERTY.0 && value.as_ref().is_none_or(|value| value == PROPERTY.1)
            }
            Self::Text(text) => fold(DESCRIPTION).contains(text.as_str()),
            Self::By(user) => user == "ana",
            Self::Agent(agent) => agent == "bot",
            Self::AccountType(kind) => TYPES.contains(kind),
            Self::HasFile => true,
            Self::HasUrl => false,
        }
    }
}

impl Status {
    fn matches(self, subject: &Lunch) -> bool {
        if subject.trashed {
            return self == Self::Trashed;
        }
        match self {
            Self::Draft => !subject.posted,
            Self::Unchecked => subject.posted && !subject.checked,
            Self::Checked => subject.posted && subject.checked,
            Self::Posted => subject.posted,
            Self::Trashed => false,
        }
    }
}

impl Comparison {
    fn holds(self, amount: Decimal, value: Decimal) -> bool {
        match self {
            Self::Eq => amount == value,
            Self::Lt => amount < value,
            Self::Le => amount <= value,
            Self::Gt => amount > value,
            Self::Ge => amount >= value,
        }
    }
}

#[track_caller]
fn check_matches(subject: &Lunch, rows: &[(&str, bool)]) {
    for (text, expected) in rows {
        assert_eq!(query(text).filter().matches(subject), *expected, "{text}");
    }
}

#[test]
fn terms_match() {
    check_matches(
        &Lunch::default(),
        &[
            ("", true),
            ("account:CASH", true),
            ("account:Bank", false),
            ("account:cash account:'Eating-Out'", true),
            ("from:Cash to:'Eating Out'", true),
            ("to:Cash", false),
            ("group:Expenses", true),
            ("group:Assets", false),
            ("on:2025-05-20", true),
            ("before:2025-05-20", false),
            ("after:2025-05-20", true),
            ("on:$m -on:$d", false),
            ("amount:12.5", true),
            ("amount>12.5", false),
            ("amount>=12.50", true),
            ("amount<13", true),
            ("amount<=12", false),
            ("#food", true),
            ("#foo", false),
            ("remoteId:Ab1", true),
            ("remoteId:ab1", false),
            ("error:true", false),
            ("error:false", true),
            ("tax_rate:full", true),
            ("Tax_Rate:FULL", true),
            ("tax_rate:half", false),
            ("tax_rate:*", true),
            ("other:*", false),
            ("almoco ANA", true),
            ("ana almoço", true),
            ("'with ana'", true),
            ("'ana with'", false),
            ("lmo", true),
            ("dinner", false),
            ("by:ana", true),
            ("user:bob", false),
            ("agent:bot", true),
            ("agent:x", false),
            ("type:asset", true),
            ("type:LIABILITY", false),
            ("has:file", true),
            ("has:url", false),
            ("-#food OR almoco", true),
            ("NOT (almoco OR dinner)", false),
            ("dinner OR lunch OR #food", true),
            ("using:postDate on:2025", true),
            // 1.1.15: an id is text.
            ("0a5b000000000001", false),
            ("-0a5b000000000001", true),
            // 0.23: stored texts contain no NUL.
            ("almo\0co", false),
            ("\0", false),
            ("-\0 almoco", true),
            ("\0 OR almoco", true),
            ("account:Cash\0", false),
            ("#food\0", false),
            ("tax\0_rate:full", false),
        ],
    );
}

/// 1.1.9: invalid values match nothing, negated or not, and alternatives are evaluated.
#[test]
fn invalid_values_match_nothing_even_negated() {
    for bad in [
        "on:2013-02-30",
        "after:$x",
        "before:9999999",
        "is:foo",
        "amount>x",
        "type:WEALTH",
        "error:maybe",
        "has:luck",
        "using:force",
        "on: lunch",
        "on:2025\0",
    ] {
        check_matches(
            &Lunch::default(),
            &[
                (bad, false),
                (&format!("-{bad}"), false),
                (&format!("NOT NOT {bad}"), false),
                (&format!("almoco {bad}"), false),
                (&format!("almoco -{bad}"), false),
                (&format!("almoco OR {bad}"), true),
                (&format!("almoco OR -{bad}"), true),
                (&format!("dinner OR -{bad}"), false),
                (&format!("({bad})"), false),
                (&format!("-({bad})"), false),
                (&format!("-(almoco {bad})"), false),
                // The other side decides.
                (&format!("-(dinner {bad})"), true),
                (&format!("-(dinner OR {bad})"), false),
                (&format!("-(dinner -(almoco OR -{bad}))"), true),
                (&format!("-(almoco (dinner OR {bad}))"), false),
                (&format!("is:unchecked {bad}"), false),
                (&format!("using:postDate almoco -{bad}"), false),
            ],
        );
    }
}

#[test]
fn statuses_match() {
    let expected = |posted, checked, trashed| match (posted, checked, trashed) {
        (_, _, true) => ["trashed"].as_slice(),
        (false, ..) => &["draft"],
        (true, true, _) => &["checked", "posted"],
        (true, false, _) => &["unchecked", "posted"],
    };
    for bits in 0..8 {
        let subject = Lunch {
            posted: bits & 1 > 0,
            checked: bits & 2 > 0,
            trashed: bits & 4 > 0,
            ..Lunch::default()
        };
        let statuses = expected(subject.posted, subject.checked, subject.trashed);
        for status in Status::ALL {
            let text = format!("is:{}", status.as_str());
            check_matches(&subject, &[(text.as_str(), statuses.contains(&status.as_str()))]);
        }
        check_matches(
            &subject,
            &[
                ("", !subject.trashed),
                ("#food OR is:trashed", true),
                ("-is:trashed", !subject.trashed),
            ],
        );
    }
}

#[test]
fn missing_data_matches_negations_only() {
    let blank = Lunch { posted: false, day: None, amount: None, ..Lunch::default() };
    check_matches(
        &blank,
        &[
            ("after:0001", false),
            ("before:9999", false),
            ("on:2025", false),
            ("-on:2025", true),
            ("amount>=0", false),
            ("amount<0", false),
            ("-amount>=0", true),
        ],
    );
    let draft = Lunch { posted: false, ..Lunch::default() };
    check_matches(&draft, &[("on:2025", true), ("using:postDate on:2025", false)]);
}
