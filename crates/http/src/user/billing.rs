//! Billing, for compatibility (behaviour 9.11).
//!
//! A self-hosted server has nothing to pay. Checkout and portal redirect back to the client.

use daybook_domain::transaction::TransactionCount;
use daybook_edge::error::ApiError;
use daybook_service::Error;
use daybook_service::transaction::Counts;
use daybook_service::user::{self, View, billing};
use reqwest::Url;
use serde::Serialize;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::transaction::CountsOut;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BillingOut {
    email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hosted_domain: Option<String>,
    plan: &'static str,
    enabled: bool,
    plan_overdue: bool,
    started_trial: bool,
    days_left_in_trial: i32,
    total_transactions_this_month: i64,
    total_transactions_this_year: i64,
}

impl From<&View> for BillingOut {
    fn from(view: &View) -> Self {
        let View { user, posted_this_month, posted_this_year, bank_connections: _, storage: _ } =
            view;
        Self {
            email: user.email.to_string(),
            hosted_domain: user.profile.hosted_domain.clone(),
            plan: super::PLAN,
            enabled: false,
            plan_overdue: false,
            started_trial: false,
            days_left_in_trial: 0,
            total_transactions_this_month: *posted_this_month,
            total_transactions_this_year: *posted_this_year,
        }
    }
}

#[derive(Serialize)]
struct UrlOut {
    url: String,
}

/// GET user/billing.
pub(crate) async fn get_billing(request: ApiRequest) -> ApiResult {
    request.read(user::get, |view, _| reply::ok(&BillingOut::from(view))).await
}

/// GET user/billing/checkout: returns `successUrl`, because there is nothing to pay.
pub(crate) async fn get_billing_checkout(request: ApiRequest) -> ApiResult {
    required_parameter(&request, "plan")?;
    url_parameter(&request, "cancelUrl")?;
    Ok(reply::ok(&UrlOut { url: url_parameter(&request, "successUrl")? }))
}

/// GET user/billing/portal: returns `returnUrl`, because there is nothing to change.
pub(crate) async fn get_billing_portal(request: ApiRequest) -> ApiResult {
    Ok(reply::ok(&UrlOut { url: url_parameter(&request, "returnUrl")? }))
}

/// GET user/billing/counts.
pub(crate) async fn list_billing_counts(request: ApiRequest) -> ApiResult {
    let encode = |posted: &Vec<TransactionCount>, _: &_| {
        let zero = |month: &TransactionCount| TransactionCount { total: 0, ..*month };
        let trashed = posted.iter().map(zero).collect();
        let counts = Counts { posted: posted.clone(), trashed, truncated: false };
        reply::ok(&CountsOut::from(&counts))
    };
    request.read(billing::counts, encode).await
}

fn required_parameter<'r>(request: &'r ApiRequest, name: &str) -> Result<&'r str, ApiError> {
    match request.text(name).map(str::trim) {
        None | Some("") => Err(Error::BadRequest(format!("{name} is required")).into()),
        Some(text) => Ok(text),
    }
}

/// Returns a required parameter that must be a web URL.
fn url_parameter(request: &ApiRequest, name: &str) -> Result<String, ApiError> {
    let text = required_parameter(request, name)?;
    let is_web_url = Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if is_web_url {
        Ok(text.to_owned())
    } else {
        let fault = format!("{name} must be an absolute http or https address");
        Err(Error::BadRequest(fault).into())
    }
}
