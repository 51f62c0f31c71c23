//! The heading of a report, and the scope that its query names.

use super::figures::BookChart;
use super::period::{Period, day_words};
use super::request::Request;
use super::table::{Heading, ReportKind};
use crate::account::{Account, AccountRef, Directory};
use crate::balance::BalanceScope;
use crate::event::Head;
use crate::instant::Instant;
use crate::query;

/// The facts of a heading beside the book and the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The number of drafts that match [`Request::omitted_drafts`].
    pub omitted_drafts: u64,
    /// The last event that the report includes.
    pub head: Head,
    /// The time of the computation.
    pub computed_at: Instant,
}

impl Request {
    /// Finds the accounts and groups of the query.
    ///
    /// # Errors
    /// [`query::Refusal::NotUnderstood`] if one does not exist (behaviour 1.1.14).
    pub fn scope(&self, chart: &BookChart<'_>) -> Result<BalanceScope, query::Refusal> {
        let Some(query) = self.query.as_ref().filter(|query| query.is_filtered()) else {
            return Ok(BalanceScope::Book);
        };
        let directory = Directory::new(chart.accounts.to_vec());
        let find = |text: &String| directory.find(&AccountRef::id_or_name(text));
        let mut checked = query.clone();
        checked.warn_of_unknown(
            |account| directory.find(&AccountRef::id_or_name(account)).is_some(),
            |group| chart.forest.find(group).is_some(),
        );
        checked.check_understood()?;
        let groups = query.groups.iter().filter_map(|text| chart.forest.find(text));
        Ok(BalanceScope::Named {
            accounts: query.accounts.iter().filter_map(find).map(|account| account.id).collect(),
            groups: groups.map(|group| group.id).collect(),
        })
    }

    /// Creates the heading of the report.
    pub fn heading(&self, chart: &BookChart<'_>, scope: &BalanceScope, facts: Facts) -> Heading {
        let book = chart.book;
        let Period { first, last } = self.period;
        let is_of_day = self.kind == ReportKind::BalanceSheet;
        Heading {
            kind: self.kind,
            title: title(self.kind).to_owned(),
            book: book.key.clone(),
            book_name: book.settings.name.as_str().to_owned(),
            currency: book.settings.currency().map(str::to_owned),
            scale: book.scale,
            fraction_digits: book.settings.fraction_digits,
            from: (!is_of_day).then_some(first),
            until: last,
            period: if is_of_day { format!("On {}", day_words(last)) } else { self.period.words() },
            omitted_drafts: facts.omitted_drafts,
            filters: self.filters(chart, scope),
            notes: self.closing_note(chart).into_iter().collect(),
            head: facts.head,
            computed_at: facts.computed_at,
        }
    }

    /// Returns the terms of the query with the names of accounts and groups.
    fn filters(&self, chart: &BookChart<'_>, scope: &BalanceScope) -> Vec<String> {
        let mut filters = Vec::new();
        if let BalanceScope::Named { accounts, groups } = scope {
            let named = |account: &&Account| accounts.contains(&account.id);
            let names = chart.accounts.iter().filter(named).map(|account| &account.name);
            filters.extend(names.map(|name| format!("account:'{}'", name.as_str())));
            let names = groups.iter().filter_map(|id| chart.forest.get(*id));
            filters.extend(names.map(|group| format!("group:'{}'", group.name.as_str())));
        }
        filters.extend(self.tags().iter().map(|tag| format!("#{tag}")));
        filters
    }

    /// Returns whether the figures may still change, if the book has a lock or closing date.
    fn closing_note(&self, chart: &BookChart<'_>) -> Option<String> {
        let locked = chart.book.settings.locked_until()?;
        Some(if self.period.last > locked {
            format!("Not closed after {}", day_words(locked))
        } else {
            format!("Closed until {}", day_words(locked))
        })
    }
}

const fn title(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::TrialBalance => "Trial balance",
        ReportKind::BalanceSheet => "Balance sheet",
        ReportKind::IncomeStatement => "Income statement",
        ReportKind::CashFlow => "Cash flow",
        ReportKind::GeneralLedger => "General ledger",
        ReportKind::Journal => "Journal",
        ReportKind::Changes => "Changes",
    }
}
