//! Shapes of the contract: report.

use serde::{Deserialize, Serialize};

use super::book::LogHead;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// An address that opens without a token for five minutes (13.14).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Time of expiry in milliseconds since the Unix epoch, as a string of digits.
    pub expires_at: Timestamp,
    /// Absolute address.
    pub url: String,
}

/// A report: what it is about, columns, rows, and controls that prove it (13.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// `book`.
    pub book: ReportBook,
    /// `columns`.
    pub columns: Vec<ReportColumn>,
    /// `computedAt`.
    pub computed_at: String,
    /// `controls`.
    pub controls: Vec<ReportControl>,
    /// The terms of the query.
    pub filters: Vec<String>,
    /// The last event that the report includes.
    pub last_event: LogHead,
    /// Such as `Not closed after 30 September 2026`.
    pub notes: Vec<String>,
    /// The number of drafts of the period that are left out.
    pub omitted_drafts: i64,
    /// `period`.
    pub period: ReportPeriod,
    /// The name in the path.
    pub report: String,
    /// `rows`.
    pub rows: Vec<ReportRow>,
    /// `title`.
    pub title: String,
}

/// `ReportBook`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportBook {
    /// The book property `currency`, else `exc_code`, else `commodity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// `fractionDigits`.
    pub fraction_digits: i32,
    /// `id`.
    pub id: String,
    /// `name`.
    pub name: String,
}

/// `ReportColumn`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportColumn {
    /// A stable name, such as `openingDebit` or `2026-03`.
    pub key: String,
    /// `kind`.
    pub kind: ReportColumnKind,
    /// `label`.
    pub label: String,
    /// The label above this column and its neighbours with the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

open_enum! {
    /// `ReportColumnKind`.
    pub enum ReportColumnKind {
        /// `text`.
        Text = "text",
        /// `date`.
        Date = "date",
        /// `instant`.
        Instant = "instant",
        /// `amount`.
        Amount = "amount",
        /// `percent`.
        Percent = "percent",
        /// `number`.
        Number = "number",
    }
}

/// Two amounts or numbers that must be equal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportControl {
    /// `holds`.
    pub holds: bool,
    /// `label`.
    pub label: String,
    /// `left`.
    pub left: String,
    /// `right`.
    pub right: String,
}

open_enum! {
    /// The format.
    pub enum ReportFormat {
        /// `json`.
        Json = "json",
        /// `csv`.
        Csv = "csv",
        /// `xlsx`.
        Xlsx = "xlsx",
        /// `html`.
        Html = "html",
    }
}

open_enum! {
    /// The report.
    pub enum ReportKind {
        /// `trial-balance`.
        TrialBalance = "trial-balance",
        /// `balance-sheet`.
        BalanceSheet = "balance-sheet",
        /// `income-statement`.
        IncomeStatement = "income-statement",
        /// `cash-flow`.
        CashFlow = "cash-flow",
        /// `general-ledger`.
        GeneralLedger = "general-ledger",
        /// `journal`.
        Journal = "journal",
        /// `changes`.
        Changes = "changes",
    }
}

/// `ReportPeriod`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportPeriod {
    /// The first day; absent in a balance sheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The period in words.
    pub text: String,
    /// The last day.
    pub until: String,
}

/// `ReportRow`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportRow {
    /// `accountId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// One for each column; empty ones are blank.
    pub cells: Vec<String>,
    /// The depth below the section, from 0.
    pub depth: i32,
    /// `groupId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
    /// `kind`.
    pub kind: ReportRowKind,
    /// `transactionId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
}

open_enum! {
    /// `ReportRowKind`.
    pub enum ReportRowKind {
        /// `section`.
        Section = "section",
        /// `group`.
        Group = "group",
        /// `line`.
        Line = "line",
        /// `subtotal`.
        Subtotal = "subtotal",
        /// `total`.
        Total = "total",
        /// `result`.
        Result = "result",
        /// `balance`.
        Balance = "balance",
        /// `entry`.
        Entry = "entry",
    }
}
