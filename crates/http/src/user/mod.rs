//! The authenticated user (behaviour 9.11).

mod billing;
mod consent;
mod session;

use daybook_domain::storage_quota::StorageQuotas;
use daybook_service::storage_quota;
use daybook_service::user::{self, View};
use daybook_storage::user::User;
use serde::Serialize;
use sha2::{Digest, Sha256};

pub(crate) use billing::{
    get_billing, get_billing_checkout, get_billing_portal, list_billing_counts,
};
pub(crate) use consent::{list_consents, withdraw_consent};
pub(crate) use session::{end_session, list_sessions};

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;

/// The only plan (behaviour 9.11).
const PLAN: &str = "FREE";

/// The user. The billing fields are constant, because Daybook is free.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserOut {
    id: String,
    username: String,
    name: String,
    full_name: String,
    given_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    family_name: Option<String>,
    email: String,
    avatar_url: String,
    /// SHA-256 of the e-mail address, for avatar services.
    hash: String,
    /// The domain of the user's organization, from the identity provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    hosted_domain: Option<String>,
    plan: &'static str,
    /// The period in which postings are counted (behaviour 12.3).
    plan_cycle: &'static str,
    free: bool,
    billing_enabled: bool,
    bank_connections: bool,
    plan_overdue: bool,
    started_trial: bool,
    days_left_in_trial: i32,
    total_transactions_this_month: i64,
    total_transactions_this_year: i64,
    storage: StorageOut,
}

/// The storage usage of the user's books and its limits, if there are any (behaviour 10.14).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StorageOut {
    transactions: i64,
    bytes: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_transactions: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_transactions_of_book: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_bytes_of_book: Option<i64>,
}

impl From<&storage_quota::View> for StorageOut {
    fn from(view: &storage_quota::View) -> Self {
        let storage_quota::View { stored, quotas: StorageQuotas { book, user } } = view;
        Self {
            transactions: stored.transactions,
            bytes: stored.bytes,
            max_transactions: user.transactions,
            max_bytes: user.bytes,
            max_transactions_of_book: book.transactions,
            max_bytes_of_book: book.bytes,
        }
    }
}

/// GET user.
pub(crate) async fn get_user(request: ApiRequest) -> ApiResult {
    request.read(user::get, |view, _| reply::ok(&UserOut::from(view))).await
}

impl From<&View> for UserOut {
    fn from(view: &View) -> Self {
        let View { user, posted_this_month, posted_this_year, bank_connections, storage } = view;
        let User {
            id,
            email,
            username,
            created_at: _,
            disabled_at: _,
            is_administrator: _,
            profile,
        } = user;
        let full_name = profile.full_name().unwrap_or_else(|| username.clone());
        Self {
            id: id.to_string(),
            username: username.clone(),
            name: full_name.clone(),
            full_name,
            given_name: profile.given_name.clone().unwrap_or_else(|| username.clone()),
            family_name: profile.family_name.clone(),
            email: email.to_string(),
            avatar_url: profile.picture.clone().unwrap_or_default(),
            hash: format!("{:x}", Sha256::digest(email.as_str())),
            hosted_domain: profile.hosted_domain.clone(),
            plan: PLAN,
            plan_cycle: "MONTHLY",
            free: true,
            billing_enabled: false,
            bank_connections: *bank_connections,
            plan_overdue: false,
            started_trial: false,
            days_left_in_trial: 0,
            total_transactions_this_month: *posted_this_month,
            total_transactions_this_year: *posted_this_year,
            storage: StorageOut::from(storage),
        }
    }
}
