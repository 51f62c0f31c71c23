//! Filters applied to a transaction in memory.

use rust_decimal::Decimal;
use time::Date;

use super::*;
use crate::account::AccountType;
use crate::name::normalized;
use crate::query::Subject;

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

impl Subject for Lunch {
    fn is_from(&self, account: &str) -> bool {
        normalized(account) == "cash"
    }
    fn is_to(&self, account: &str) -> bool {
        normalized(account) == "eating_out"
    }
    fn is_in_group(&self, group: &str) -> bool {
        normalized(group) == "expenses"
    }
    fn has_account_type(&self, kind: AccountType) -> bool {
        matches!(kind, AccountType::Asset | AccountType::Outgoing)
    }
    fn day(&self, basis: DateBasis) -> Option<Date> {
        self.day.filter(|_| basis == DateBasis::Transaction || self.posted)
    }
    fn amount(&self) -> Option<Decimal> {
        self.amount
    }
    fn is_posted(&self) -> bool {
        self.posted
    }
    fn is_checked(&self) -> bool {
        self.checked
    }
    fn is_trashed(&self) -> bool {
        self.trashed
    }
    fn description(&self) -> &'static str {
        "Almoço with Ana #Food"
    }
    fn tags(&self) -> &[String] {
        &self.tags
    }
    fn remote_ids(&self) -> &[String] {
        &self.remote_ids
    }
    fn property(&self, key: &str) -> Option<&str> {
        (key == "tax_rate").then_some("Full")
    }
    fn has_error(&self) -> bool {
        false
    }
    fn is_created_by(&self, user: &str) -> bool {
        user == "ana"
    }
    fn agent(&self) -> Option<&str> {
        Some("bot")
    }
    fn has_files(&self) -> bool {
        true
    }
    fn has_urls(&self) -> bool {
        false
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
        ],
    );
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
        for status in crate::query::Status::ALL {
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
fn nothing_known_matches_only_negations() {
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
