//! The wire shapes of imports and their records.

use std::collections::HashMap;

use daybook_domain::amount::write_units;
use daybook_domain::book::Book;
use daybook_domain::calendar::format_iso;
use daybook_domain::id::{AccountId, FileId, TransactionId};
use daybook_domain::import::{Import, Match, MatchTarget, OutcomeKind, State, Suggestion};
use daybook_domain::transaction::Transaction;
use daybook_edge::error::RequestError;
use daybook_service::import::View;
use serde::Serialize;

use super::chart::{Names, account_document};
use super::document::{
    self, AccountDoc, CountsDoc, NewAccountDoc, OptionsDoc, OtherDoc, RecordDoc, ResultsDoc,
    StatementDoc, SummaryDoc, UndoDoc, WarningDoc,
};
use super::failure::FaultReason;
use super::journal_document::{EntryDoc, VirtualPostingsDoc};
use super::refusals::Refusals;
use crate::wire::StampOut;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportOut {
    id: String,
    name: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_reason: Option<FaultReason>,
    options: OptionsOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<AccountDoc>,
    target: &'static str,
    created_by: String,
    #[serde(flatten)]
    stamp: StampOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    statements: Vec<StatementDoc>,
    counts: CountsDoc,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_out: Option<String>,
    accounts_to_create: Vec<NewAccountDoc>,
    warnings: Vec<WarningDoc>,
    warning_count: usize,
    changed_records: Vec<u32>,
    progress: ProgressOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    report_file_id: Option<String>,
    book_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<UndoDoc>,
}

/// The parameters of an import, under the names that they have in the request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OptionsOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_order: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal_mark: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sheet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commodities: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    virtual_postings: Option<VirtualPostingsDoc>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    raise_fraction_digits: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    drafts: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trashed: bool,
}

impl From<OptionsDoc> for OptionsOut {
    fn from(options: OptionsDoc) -> Self {
        let OptionsDoc {
            account,
            rules,
            day_first,
            decimal_comma,
            encoding,
            sheet,
            drafts,
            trashed,
            is_new,
            all_commodities,
            virtual_postings,
            raise_fraction_digits,
            source,
            source_bytes: _,
        } = options;
        let name = |choice: Option<bool>, first, second| {
            choice.map(|is_first| if is_first { first } else { second })
        };
        Self {
            account,
            rules,
            date_order: name(day_first, "DAY_FIRST", "MONTH_FIRST"),
            decimal_mark: name(decimal_comma, "COMMA", "DOT"),
            encoding,
            sheet,
            target: name(is_new, "NEW", "HERE"),
            commodities: all_commodities.then_some("ALL"),
            virtual_postings,
            raise_fraction_digits,
            source,
            drafts,
            trashed,
        }
    }
}

#[derive(Serialize)]
struct ProgressOut {
    done: i64,
    total: i64,
}

impl ImportOut {
    /// # Errors
    /// 500 for documents that this program has not written.
    pub(super) fn new(view: &View, import: &Import) -> Result<Self, RequestError> {
        let summary: SummaryDoc = document::read(&import.summary)?;
        let results: ResultsDoc = document::read(&import.results)?;
        let is_undone = import.state == State::Undone;
        let is_failed = import.state == State::Failed;
        let options: OptionsDoc = document::read(&import.options)?;
        let is_new = match &summary.journal {
            Some(journal) => journal.is_new,
            None => options.is_new == Some(true),
        };
        Ok(Self {
            id: import.id.to_string(),
            name: import.name.clone(),
            state: import.state.as_str(),
            error: summary.error.filter(|_| is_failed),
            error_reason: summary.error_reason.filter(|_| is_failed),
            options: OptionsOut::from(options),
            format: summary.format,
            account: summary.account,
            target: if is_new { "NEW" } else { "HERE" },
            created_by: view.usernames.get(&import.created_by).cloned().unwrap_or_default(),
            stamp: StampOut::from(&import.stamp),
            expires_at: import.expires_at().map(|at| at.milliseconds().to_string()),
            statements: summary.statements,
            counts: summary.counts,
            sum_in: summary.sum_in,
            sum_out: summary.sum_out,
            accounts_to_create: summary.accounts_to_create,
            warnings: summary.warnings,
            warning_count: summary.warning_count,
            changed_records: summary.changed_records,
            progress: ProgressOut { done: import.done, total: import.total },
            report_file_id: import.report.map(|id: FileId| id.to_string()),
            book_ids: results.books.into_iter().map(|book| book.id).collect(),
            undone: results.undone.filter(|_| is_undone),
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordOut {
    record: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<usize>,
    outcome: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<AccountDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<AccountDoc>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    uncategorised: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    draft: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    locked: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    closing: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<SuggestionOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<CandidateOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    legs: Vec<LegOut>,
}

#[derive(Serialize)]
struct SuggestionOut {
    account: AccountDoc,
    confidence: serde_json::Number,
    reason: String,
}

#[derive(Serialize)]
struct CandidateOut {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    amount: String,
    description: String,
    posted: bool,
}

#[derive(Serialize)]
struct LegOut {
    amount: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<AccountDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<AccountDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<AccountDoc>,
}

/// Returns the shape of a transaction of an entry of several.
fn entry_leg(leg: &EntryDoc) -> LegOut {
    let side = |name: &Option<String>| name.as_deref().map(AccountDoc::named);
    LegOut {
        amount: leg.amount.clone().unwrap_or_default(),
        account: None,
        description: Some(leg.description.clone()),
        date: leg.date().map(format_iso),
        from: side(&leg.credit),
        to: side(&leg.debit),
    }
}

/// The resources with which records are shown.
pub(super) struct Shown<'s> {
    pub(super) book: &'s Book,
    pub(super) names: &'s Names<'s>,
    /// The candidates, as far as the caller sees them.
    pub(super) transactions: &'s HashMap<TransactionId, Transaction>,
    /// The recorded transactions by remote id.
    pub(super) recorded: &'s HashMap<String, TransactionId>,
    /// The records that were refused while they were recorded.
    pub(super) refused: &'s Refusals,
}

impl Shown<'_> {
    /// Returns the shape of a record.
    pub(super) fn record(&self, record: &RecordDoc) -> RecordOut {
        let late = self.refused.reason(record.number);
        let outcome =
            if late.is_some() { OutcomeKind::Refused.as_str() } else { record.outcome.as_str() };
        let recorded = self.recorded.get(&record.remote_id).copied();
        let named = (record.transaction != 0).then(|| TransactionId::new(record.transaction));
        let transaction = named.or(recorded);
        RecordOut {
            record: record.number,
            line: Some(record.line).filter(|line| *line > 0),
            column: Some(record.column).filter(|column| *column > 0),
            statement: record.statement,
            outcome: outcome.to_owned(),
            reason: late.unwrap_or(&record.reason).to_owned(),
            date: record.date().map(format_iso),
            amount: record.amount.clone(),
            description: record.description.clone(),
            from: record.from.clone(),
            to: record.to.clone(),
            uncategorised: record.uncategorised,
            draft: record.draft,
            locked: record.locked,
            closing: record.closing,
            rule: record.rule,
            transaction_id: transaction.map(|id| id.to_string()),
            suggestion: record.suggestion.as_ref().and_then(|found| self.suggestion(found)),
            candidates: record.candidates.iter().filter_map(|one| self.candidate(one)).collect(),
            legs: if record.entry.len() > 1 {
                record.entry.iter().map(entry_leg).collect()
            } else {
                record.legs.iter().map(|leg| self.leg(leg)).collect()
            },
        }
    }

    fn suggestion(&self, found: &document::SuggestionDoc) -> Option<SuggestionOut> {
        let suggestion = Suggestion::from(found);
        let account = self.names.get(suggestion.account)?;
        let share = suggestion.confidence().ten_thousandths();
        let confidence = write_units(i128::from(share), 4, 0);
        Some(SuggestionOut {
            account: account_document(account),
            confidence: serde_json::from_str(&confidence).ok()?,
            reason: suggestion.to_string(),
        })
    }

    fn candidate(&self, found: &document::MatchDoc) -> Option<CandidateOut> {
        let MatchTarget::Transaction(id) = Match::from(found).target else { return None };
        let transaction = self.transactions.get(&id)?;
        let digits = self.book.settings.fraction_digits;
        Some(CandidateOut {
            id: id.to_string(),
            date: transaction.date.map(format_iso),
            amount: daybook_domain::amount::write(transaction.amount?.value(), digits),
            description: transaction.description.clone(),
            posted: transaction.is_posted(),
        })
    }

    fn leg(&self, leg: &document::LegDoc) -> LegOut {
        let Book { scale, settings, .. } = self.book;
        let account = leg.other.as_ref().map(|other| match other {
            OtherDoc::Account(id) => {
                let known = self.names.get(AccountId::new(*id));
                known.map_or_else(
                    || AccountDoc { id: Some(id.to_string()), name: String::new() },
                    account_document,
                )
            }
            OtherDoc::Named(name) => AccountDoc { id: None, name: name.clone() },
        });
        LegOut {
            amount: write_units(i128::from(leg.units), *scale, settings.fraction_digits),
            account,
            description: leg.description.clone(),
            date: None,
            from: None,
            to: None,
        }
    }
}
