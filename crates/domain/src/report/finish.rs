//! From sums to reports.

use std::collections::BTreeSet;

use super::cash_flow::cash_flow;
use super::figures::{BookChart, Figures, Scales, members};
use super::layout::Layout;
use super::plan::{Plan, Source};
use super::refusal::Refusal;
use super::request::Request;
use super::statement::{balance_sheet, income_statement};
use super::sums::PeriodSums;
use super::table::{Heading, Report, ReportKind};
use super::trial_balance::trial_balance;
use crate::balance::BalanceScope;
use crate::id::AccountId;

/// The data of a report.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The book.
    pub chart: BookChart<'a>,
    /// The book of [`Request::compared_book`].
    pub compared: Option<BookChart<'a>>,
    /// The scope of [`Request::scope`].
    pub scope: &'a BalanceScope,
    /// The sums of all reads of [`Request::plan`].
    pub sums: &'a PeriodSums,
}

impl Request {
    /// Computes the report.
    ///
    /// Returns `None` for the reports with a row for each transaction or event: see
    /// [`super::GeneralLedger`], [`super::Journal`] and [`super::Changes`].
    pub fn finish(&self, mut heading: Heading, inputs: &Inputs<'_>) -> Option<Report> {
        let Inputs { chart, compared, scope, sums } = inputs;
        let layout = Layout::new(chart.forest);
        let scales = Scales::new(chart.book, compared.as_ref());
        let figures = Figures {
            layout: &layout,
            members: members(&layout, chart, scope, compared.as_ref()),
            sums,
            zeros: self.zeros,
            scales,
        };
        heading.scale = scales.scale;
        let mut plan = self.plan();
        if let Some(compared) = compared {
            plan.name_compared(compared.book.settings.name.as_str());
        }
        match self.kind {
            ReportKind::TrialBalance => Some(trial_balance(self, heading, &plan, &figures)),
            ReportKind::BalanceSheet => Some(balance_sheet(self, heading, &plan, &figures)),
            ReportKind::IncomeStatement => Some(income_statement(self, heading, &plan, &figures)),
            ReportKind::CashFlow => Some(cash_flow(self, heading, &plan, &figures)),
            ReportKind::GeneralLedger | ReportKind::Journal | ReportKind::Changes => None,
        }
    }
}

impl Plan {
    /// Names the column of the book to compare with.
    fn name_compared(&mut self, name: &str) {
        for slice in &mut self.slices {
            if slice.source == Source::ComparedBook {
                name.clone_into(&mut slice.label);
            }
        }
    }
}

/// Returns the cash accounts: assets and liabilities in a group marked as cash.
///
/// # Errors
/// [`Refusal::NoCashAccounts`].
pub fn cash_accounts(chart: &BookChart<'_>) -> Result<BTreeSet<AccountId>, Refusal> {
    let layout = Layout::new(chart.forest);
    let accounts = chart.accounts.iter().filter(|account| layout.is_cash(account));
    let ids: BTreeSet<AccountId> = accounts.map(|account| account.id).collect();
    if ids.is_empty() { Err(Refusal::NoCashAccounts) } else { Ok(ids) }
}
