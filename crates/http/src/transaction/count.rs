//! Counts of transactions: handlers and shapes.

use daybook_domain::transaction::TransactionCount;
use daybook_service::transaction::{self, Counts, QueryCount, SpanText};
use serde::Serialize;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire;

/// A number of transactions. The count of a query has no date (behaviour 1.4.3).
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct CountOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    day: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuzzy_date: Option<i32>,
    total: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl From<&QueryCount> for CountOut {
    fn from(count: &QueryCount) -> Self {
        let QueryCount { total, warnings } = count;
        Self { total: *total, warnings: wire::warnings(warnings), ..Self::default() }
    }
}

impl From<&TransactionCount> for CountOut {
    fn from(count: &TransactionCount) -> Self {
        let TransactionCount { year, month, day, total } = *count;
        Self {
            year: Some(year),
            month: Some(month),
            day: Some(day),
            fuzzy_date: Some(count.fuzzy_date()),
            total,
            warnings: Vec::new(),
        }
    }
}

/// The counts of posted and of trashed transactions.
#[derive(Serialize)]
pub(crate) struct CountsOut {
    posted: Vec<CountOut>,
    trashed: Vec<CountOut>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl From<&Counts> for CountsOut {
    fn from(counts: &Counts) -> Self {
        let Counts { posted, trashed, truncated } = counts;
        let [posted, trashed] =
            [posted, trashed].map(|counts| counts.iter().map(CountOut::from).collect());
        Self { posted, trashed, truncated: *truncated }
    }
}

/// GET transactions/count.
pub(crate) async fn count_transactions(request: ApiRequest) -> ApiResult {
    let (book, query) = (request.book(), request.query());
    request
        .read_replicated(
            move |tx, cx| transaction::count(tx, cx, &book, &query),
            |count, _| reply::ok(&CountOut::from(count)),
        )
        .await
}

/// GET transactions/count/posted.
pub(crate) async fn count_transactions_posted(request: ApiRequest) -> ApiResult {
    let text = |name| request.text(name).map(str::to_owned);
    let span =
        SpanText { after: text("after"), before: text("before"), periodicity: text("periodicity") };
    let book = request.book();
    request
        .read_replicated(
            move |tx, cx| transaction::counts(tx, cx, &book, &span),
            |counts, _| reply::ok(&CountsOut::from(counts)),
        )
        .await
}
