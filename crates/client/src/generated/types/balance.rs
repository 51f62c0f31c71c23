//! Shapes of the contract: balance.

use serde::{Deserialize, Serialize};

use super::transaction::Periodicity;
use crate::amount::Amount;
use crate::properties::Properties;

/// Balances of one account.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountBalances {
    /// Whether the account is archived.
    pub archived: bool,
    /// One entry for each slice, contiguous, oldest first (5.7).
    pub balances: Vec<Balance>,
    /// Whether the account has credit nature; clients flip the sign of other accounts for display
    /// (5.4).
    pub credit: bool,
    /// Credits minus debits up to the end: from the beginning for permanent accounts, from the
    /// start of the range for others (5.5). Raw sign (5.4).
    pub cumulative_balance: Amount,
    /// Credits over the same span, never negative.
    pub cumulative_credit: Amount,
    /// Debits over the same span, never negative.
    pub cumulative_debit: Amount,
    /// Whether there is no movement up to the end of the range (5.7).
    pub empty: bool,
    /// The name.
    pub name: String,
    /// The normalized name (4.3).
    pub normalized_name: String,
    /// Credits minus debits within the range or slice (5.5).
    pub period_balance: Amount,
    /// Credits within the range or slice, never negative.
    pub period_credit: Amount,
    /// Debits within the range or slice, never negative.
    pub period_debit: Amount,
    /// Whether the account is permanent.
    pub permanent: bool,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Present if `balances` omits slices (5.18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// One slice of a series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Balance {
    /// Credits minus debits up to the end: from the beginning for permanent accounts, from the
    /// start of the range for others (5.5). Raw sign (5.4).
    pub cumulative_balance: Amount,
    /// Credits over the same span, never negative.
    pub cumulative_credit: Amount,
    /// Debits over the same span, never negative.
    pub cumulative_debit: Amount,
    /// Day, 0 in monthly and yearly slices.
    pub day: i32,
    /// year \* 10000 + month \* 100 + day: 20130600 is June 2013 (5.6).
    pub fuzzy_date: i32,
    /// Month, 0 in yearly slices.
    pub month: i32,
    /// Credits minus debits within the range or slice (5.5).
    pub period_balance: Amount,
    /// Credits within the range or slice, never negative.
    pub period_credit: Amount,
    /// Debits within the range or slice, never negative.
    pub period_debit: Amount,
    /// Year.
    pub year: i32,
}

/// Balances of the accounts or groups of a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Balances {
    /// One for each account of the query; for the whole book, the accounts in no group (5.1, 5.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_balances: Option<Vec<AccountBalances>>,
    /// Never sent (5.10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balances_url: Option<String>,
    /// One tree for each group of the query; for the whole book, all root groups (5.1 to 5.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_balances: Option<Vec<GroupBalances>>,
    /// The same range, shifted forward (5.9).
    pub next_range: String,
    /// Length of the slices: `by:` of the query, else the finest granularity of its dates, else
    /// MONTHLY (5.8).
    pub periodicity: Periodicity,
    /// The same range, shifted back (5.9).
    pub previous_range: String,
    /// The date and `by:` terms of the query, each after one space (5.9).
    pub range: String,
    /// First day of the range in the book's pattern; empty if that side is open.
    pub range_begin_label: String,
    /// Last day of the range in the book's pattern; empty if that side is open.
    pub range_end_label: String,
    /// Present if the series of a container omits slices (5.18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// Texts that name unreadable or ignored terms, and terms read as text, such as `on:2013-02-30:
    /// not a date`; absent without such terms (1.1.13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Balances of one group and everything below it; sums over the distinct accounts (5.13).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupBalances {
    /// The direct accounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_balances: Option<Vec<AccountBalances>>,
    /// One entry for each slice, contiguous, oldest first (5.7).
    pub balances: Vec<Balance>,
    /// Credit nature of the group; false if mixed.
    pub credit: bool,
    /// Credits minus debits up to the end: from the beginning for permanent accounts, from the
    /// start of the range for others (5.5). Raw sign (5.4).
    pub cumulative_balance: Amount,
    /// Credits over the same span, never negative.
    pub cumulative_credit: Amount,
    /// Debits over the same span, never negative.
    pub cumulative_debit: Amount,
    /// The child groups (recursive).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_balances: Option<Vec<GroupBalances>>,
    /// The name.
    pub name: String,
    /// The normalized name (4.3).
    pub normalized_name: String,
    /// Credits minus debits within the range or slice (5.5).
    pub period_balance: Amount,
    /// Credits within the range or slice, never negative.
    pub period_credit: Amount,
    /// Debits within the range or slice, never negative.
    pub period_debit: Amount,
    /// Whether the accounts below are permanent.
    pub permanent: bool,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Present if `balances` omits slices (5.18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}
