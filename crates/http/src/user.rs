//! The authenticated user on the wire (behaviour 9.11).

use daybook_storage::user::User;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;

/// The user. Daybook is free and bills nobody.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserOut {
    id: String,
    username: String,
    name: String,
    full_name: String,
    given_name: String,
    email: String,
    avatar_url: &'static str,
    /// SHA-256 of the e-mail address, for services that find a picture by it.
    hash: String,
    plan: &'static str,
    /// The period in which postings are counted; nothing is billed for it (behaviour 12.3).
    plan_cycle: &'static str,
    free: bool,
    billing_enabled: bool,
    bank_connections: bool,
    plan_overdue: bool,
    started_trial: bool,
    days_left_in_trial: i32,
    total_transactions_this_month: i64,
    total_transactions_this_year: i64,
}

/// GET user.
pub(crate) async fn get_user(request: ApiRequest) -> ApiResult {
    request
        .read(daybook_service::book::postings_of_owner, |(month, year), cx| {
            reply::ok(&user_out(&cx.user, (*month, *year)))
        })
        .await
}

fn user_out(user: &User, (month, year): (i64, i64)) -> UserOut {
    UserOut {
        id: user.id.to_string(),
        username: user.username.clone(),
        name: user.username.clone(),
        full_name: user.username.clone(),
        given_name: user.username.clone(),
        email: user.email.to_string(),
        avatar_url: "",
        hash: Sha256::digest(user.email.as_str())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        plan: "FREE",
        plan_cycle: "MONTHLY",
        free: true,
        billing_enabled: false,
        bank_connections: false,
        plan_overdue: false,
        started_trial: false,
        days_left_in_trial: 0,
        total_transactions_this_month: month,
        total_transactions_this_year: year,
    }
}
