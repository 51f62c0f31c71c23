//! Balances: the handler and the encoder.
//!
//! Groups may nest without limit, so their JSON is written iteratively instead of recursively.

use std::collections::HashMap;

use actix_web::web::Bytes;
use daybook_domain::account::Account;
use daybook_domain::amount::write_units;
use daybook_domain::balance::{AccountBalances, Amounts, GroupBalances, Slice};
use daybook_domain::group::Group;
use daybook_domain::id::AccountId;
use daybook_edge::response_budget::{EncodeError, ResponseText};
use daybook_service::Context;
use daybook_service::balance::{self, View};
use serde::{Serialize, Serializer};

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire::{PropertiesOut, warnings};

/// An amount, which is formatted when it is serialized. A response has tens of thousands.
struct AmountOut {
    units: i128,
    scale: u32,
    digits: u32,
}

impl Serialize for AmountOut {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        writer.serialize_str(&write_units(self.units, self.scale, self.digits))
    }
}

/// The six amounts of a container or of a slice.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AmountsOut {
    cumulative_balance: AmountOut,
    cumulative_credit: AmountOut,
    cumulative_debit: AmountOut,
    period_balance: AmountOut,
    period_credit: AmountOut,
    period_debit: AmountOut,
}

/// One period of a series (behaviour 5.6).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SliceOut {
    year: i32,
    month: u8,
    day: u8,
    fuzzy_date: i32,
    #[serde(flatten)]
    figures: AmountsOut,
}

/// A container: the balances of one account or group.
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
    #[serde(flatten)]
    figures: AmountsOut,
    balances: Vec<SliceOut>,
    /// Whether slices were omitted (behaviour 5.18).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

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

impl<'v> BalanceWriter<'v> {
    fn figures(&self, figures: Amounts) -> AmountsOut {
        let amount = |units| AmountOut { units, scale: self.scale, digits: self.digits };
        let Amounts { cumulative, period } = figures;
        AmountsOut {
            cumulative_balance: amount(cumulative.balance()),
            cumulative_credit: amount(cumulative.credit),
            cumulative_debit: amount(cumulative.debit),
            period_balance: amount(period.balance()),
            period_credit: amount(period.credit),
            period_debit: amount(period.debit),
        }
    }

    fn series(&self, series: &[Slice]) -> Vec<SliceOut> {
        let out = |slice: &Slice| {
            let Slice { year, month, day, amounts } = slice;
            SliceOut {
                year: *year,
                month: *month,
                day: *day,
                fuzzy_date: slice.fuzzy_date(),
                figures: self.figures(*amounts),
            }
        };
        series.iter().map(out).collect()
    }

    fn account(&self, balances: &AccountBalances) -> Option<ContainerOut<'v>> {
        let account = *self.accounts.get(&balances.account)?;
        Some(ContainerOut {
            name: account.name.as_str(),
            normalized_name: account.name.normalized(),
            credit: account.kind.is_credit(),
            permanent: account.kind.is_permanent(),
            archived: Some(account.archived),
            empty: Some(balances.empty),
            properties: PropertiesOut(&account.properties),
            figures: self.figures(balances.amounts),
            balances: self.series(&balances.series),
            truncated: balances.truncated,
        })
    }

    fn group<'g>(&self, group: &'g Group, balances: &GroupBalances) -> ContainerOut<'g> {
        let flags = self.view.forest.flags(group.id);
        ContainerOut {
            name: group.name.as_str(),
            normalized_name: group.name.normalized(),
            credit: flags.credit,
            permanent: flags.permanent,
            archived: None,
            empty: None,
            properties: PropertiesOut(&group.properties),
            figures: self.figures(balances.amounts),
            balances: self.series(&balances.series),
            truncated: balances.truncated,
        }
    }

    fn accounts(
        &self,
        balances: &[AccountBalances],
        out: &mut ResponseText,
    ) -> Result<(), EncodeError> {
        out.push(b"\"accountBalances\":[")?;
        let containers = balances.iter().filter_map(|balances| self.account(balances));
        for (number, container) in containers.enumerate() {
            if number > 0 {
                out.push(b",")?;
            }
            out.json(&container)?;
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
                let own = serde_json::to_vec(&self.group(group, balances))?;
                out.push(own.strip_suffix(b"}").unwrap_or(&own))?;
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
