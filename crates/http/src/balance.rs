//! Balances: the handler and the encoder.
//!
//! Groups may nest without limit, so their JSON is written iteratively instead of recursively.
//! Names and properties are serialized, and amounts are appended as text.

use std::collections::HashMap;

use actix_web::web::Bytes;
use daybook_domain::account::Account;
use daybook_domain::amount::push_units;
use daybook_domain::balance::{AccountBalances, Amounts, GroupBalances, Slice};
use daybook_domain::group::Group;
use daybook_domain::id::AccountId;
use daybook_edge::response_budget::{EncodeError, ResponseText};
use daybook_service::Context;
use daybook_service::balance::{self, View};
use serde::Serialize;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire::{PropertiesOut, warnings};

/// The keys of the six amounts of a container or of a slice, each with what precedes it.
///
/// A response has tens of thousands of amounts, so keys and amounts are appended as text. None of
/// them needs escapes.
const AMOUNT_KEYS: [&str; 6] = [
    ",\"cumulativeBalance\":\"",
    "\",\"cumulativeCredit\":\"",
    "\",\"cumulativeDebit\":\"",
    "\",\"periodBalance\":\"",
    "\",\"periodCredit\":\"",
    "\",\"periodDebit\":\"",
];

/// A container, the balances of one account or group, without its amounts and series.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContainerOut<'v> {
    name: &'v str,
    normalized_name: &'v str,
    credit: bool,
    permanent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    empty: Option<bool>,
    #[serde(skip_serializing_if = "PropertiesOut::is_empty")]
    properties: PropertiesOut<'v>,
}

/// The amounts of a container.
struct ContainerAmounts<'v> {
    amounts: Amounts,
    /// One slice for each period of the series (behaviour 5.6).
    series: &'v [Slice],
    /// Whether slices were omitted (behaviour 5.18).
    truncated: bool,
}

/// Capacity for the amounts of a container with one slice, in bytes.
const USUAL_CONTAINER: usize = 512;

/// The fields of a response besides its containers, such as the date ranges (behaviour 5.9).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RangesOut<'v> {
    periodicity: &'static str,
    range: &'v str,
    previous_range: &'v str,
    next_range: &'v str,
    range_begin_label: &'v str,
    range_end_label: &'v str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// Encodes the balances of a book.
struct BalanceWriter<'v> {
    view: &'v View,
    accounts: HashMap<AccountId, &'v Account>,
    scale: u32,
    digits: u32,
}

impl BalanceWriter<'_> {
    /// Appends the six amounts to the fields of an object.
    fn push_amounts(&self, amounts: Amounts, text: &mut String) {
        let Amounts { cumulative, period } = amounts;
        let values = [
            cumulative.balance(),
            cumulative.credit,
            cumulative.debit,
            period.balance(),
            period.credit,
            period.debit,
        ];
        for (key, units) in AMOUNT_KEYS.into_iter().zip(values) {
            text.push_str(key);
            push_units(text, units, self.scale, self.digits);
        }
        text.push('"');
    }

    /// Appends one period of a series.
    fn push_slice(&self, slice: &Slice, text: &mut String) {
        let Slice { year, month, day, amounts } = slice;
        let numbers = [
            ("{\"year\":", *year),
            (",\"month\":", (*month).into()),
            (",\"day\":", (*day).into()),
            (",\"fuzzyDate\":", slice.fuzzy_date()),
        ];
        for (key, number) in numbers {
            text.push_str(key);
            push_units(text, number.into(), 0, 0);
        }
        self.push_amounts(*amounts, text);
        text.push('}');
    }

    /// Writes a container. Its object stays open.
    fn container(
        &self,
        container: &ContainerOut<'_>,
        figures: &ContainerAmounts<'_>,
        out: &mut ResponseText,
    ) -> Result<(), EncodeError> {
        let ContainerAmounts { amounts, series, truncated } = figures;
        let fields = serde_json::to_vec(container)?;
        out.push(fields.strip_suffix(b"}").unwrap_or(&fields))?;
        let mut text = String::with_capacity(USUAL_CONTAINER);
        self.push_amounts(*amounts, &mut text);
        text.push_str(",\"balances\":[");
        for (number, slice) in series.iter().enumerate() {
            if number > 0 {
                text.push(',');
            }
            self.push_slice(slice, &mut text);
            out.push(text.as_bytes())?;
            text.clear();
        }
        text.push_str(if *truncated { "],\"truncated\":true" } else { "]" });
        out.push(text.as_bytes())
    }

    fn account(
        &self,
        account: &Account,
        balances: &AccountBalances,
        out: &mut ResponseText,
    ) -> Result<(), EncodeError> {
        let container = ContainerOut {
            name: account.name.as_str(),
            normalized_name: account.name.normalized(),
            credit: account.kind.is_credit(),
            permanent: account.kind.is_permanent(),
            archived: Some(account.archived),
            empty: Some(balances.empty),
            properties: PropertiesOut(&account.properties),
        };
        let AccountBalances { amounts, series, truncated, .. } = balances;
        let (amounts, truncated) = (*amounts, *truncated);
        self.container(&container, &ContainerAmounts { amounts, series, truncated }, out)?;
        out.push(b"}")
    }

    /// Writes a group. Its object stays open.
    fn group(
        &self,
        group: &Group,
        balances: &GroupBalances,
        out: &mut ResponseText,
    ) -> Result<(), EncodeError> {
        let flags = self.view.forest.flags(group.id);
        let container = ContainerOut {
            name: group.name.as_str(),
            normalized_name: group.name.normalized(),
            credit: flags.credit,
            permanent: flags.permanent,
            archived: None,
            empty: None,
            properties: PropertiesOut(&group.properties),
        };
        let GroupBalances { amounts, series, truncated, .. } = balances;
        let (amounts, truncated) = (*amounts, *truncated);
        self.container(&container, &ContainerAmounts { amounts, series, truncated }, out)
    }

    fn accounts(
        &self,
        balances: &[AccountBalances],
        out: &mut ResponseText,
    ) -> Result<(), EncodeError> {
        out.push(b"\"accountBalances\":[")?;
        let mut first = true;
        for balances in balances {
            let Some(account) = self.accounts.get(&balances.account) else { continue };
            if !first {
                out.push(b",")?;
            }
            first = false;
            self.account(account, balances, out)?;
        }
        out.push(b"]")
    }

    /// Writes a list of trees. The object of each group stays open until its children are written.
    fn groups(&self, roots: &[GroupBalances], out: &mut ResponseText) -> Result<(), EncodeError> {
        out.push(b"\"groupBalances\":[")?;
        let mut first = true;
        for root in roots {
            let mut open: usize = 0;
            for (depth, balances) in root.outline() {
                while open > depth {
                    out.push(b"]}")?;
                    open -= 1;
                    first = false;
                }
                if !first {
                    out.push(b",")?;
                }
                let Some(group) = self.view.forest.get(balances.group) else { continue };
                self.group(group, balances, out)?;
                out.push(b",")?;
                self.accounts(&balances.accounts, out)?;
                out.push(b",\"groupBalances\":[")?;
                open += 1;
                first = true;
            }
            for _ in 0..open {
                out.push(b"]}")?;
            }
            first = false;
        }
        out.push(b"]")
    }

    fn encode(&self) -> Result<Bytes, EncodeError> {
        let query = &self.view.query;
        let ranges = RangesOut {
            periodicity: query.periodicity.as_str(),
            range: &query.range,
            previous_range: &query.previous_range,
            next_range: &query.next_range,
            range_begin_label: &query.begin_label,
            range_end_label: &query.end_label,
            warnings: warnings(&query.warnings),
            truncated: self.view.balances.truncated,
        };
        let mut out = ResponseText::empty();
        let ranges = serde_json::to_vec(&ranges)?;
        out.push(ranges.strip_suffix(b"}").unwrap_or(&ranges))?;
        // A list without matches is present and empty (behaviour 5.1): the list of each filter, or
        // both lists without filters.
        let is_unfiltered = !query.is_filtered();
        let accounts = self.view.balances.accounts.as_deref();
        let accounts = accounts.or((is_unfiltered || !query.accounts.is_empty()).then_some(&[]));
        if let Some(accounts) = accounts {
            out.push(b",")?;
            self.accounts(accounts, &mut out)?;
        }
        let groups = self.view.balances.groups.as_deref();
        let groups = groups.or((is_unfiltered || !query.groups.is_empty()).then_some(&[]));
        if let Some(groups) = groups {
            out.push(b",")?;
            self.groups(groups, &mut out)?;
        }
        out.push(b"}")?;
        Ok(out.finish())
    }
}

/// GET balances.
pub(crate) async fn get_balances(request: ApiRequest) -> ApiResult {
    let (book, query) = (request.book(), request.query());
    let encode = |view: &View, _: &Context| {
        let book = view.access.book();
        let writer = BalanceWriter {
            view,
            accounts: view.accounts.iter().map(|account| (account.id, account)).collect(),
            scale: book.scale,
            digits: book.settings.fraction_digits,
        };
        reply::json(writer.encode()).on_too_large("ask for fewer accounts and groups")
    };
    request.read_with_one_statement(move |tx, cx| balance::get(tx, cx, &book, &query), encode).await
}
