//! Charges each request to a quota once, before its use case runs (behaviour 10.6, 10.13).

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest};
use daybook_edge::error::RequestError;

use super::quota::{self, Charge, Cost, DeferredCharge, QuotaSubject};
use crate::api_key::cache::ResolvedApiKey;
use crate::identity::Bearer;
use crate::state::Auth;

/// The marker of a request that was counted, with its charge if quotas are configured.
///
/// It is an extension of the request. Actix extracts the request again when the body is malformed,
/// and the marker prevents a second charge.
pub struct CountedRequest(pub Option<Arc<Charge>>);

/// Counts a request for its API key and charges its cost to a quota (behaviour 10.6, 10.13).
///
/// A request with an idempotency key is charged 1, the cost of a replay. The rest is returned, and
/// the caller charges it when the request is not a replay. The charge is left in the extensions of
/// the request for the response headers.
///
/// # Errors
/// 429 when the quota is used up. Nothing is charged then.
pub fn count(
    request: &HttpRequest,
    state: &Auth,
    (caller, app): (&Bearer, Option<ResolvedApiKey>),
    keyed: bool,
) -> Result<Option<DeferredCharge>, RequestError> {
    if state.quotas.is_none() && app.is_none() || request.extensions().contains::<CountedRequest>()
    {
        return Ok(None);
    }
    let user = caller.user.quota_subject();
    let subject = match app {
        Some(app) => QuotaSubject::Key(app.id),
        None if caller.is_console => QuotaSubject::Console(user),
        None => QuotaSubject::User(user),
    };
    let charge = state
        .quotas
        .as_ref()
        .map(|quotas| Arc::new(quotas.charge(subject, app.and_then(|app| app.rate))));
    request.extensions_mut().insert(CountedRequest(charge.clone()));
    let mut deferred = None;
    if let Some(charge) = charge {
        let cost = Cost::tokens(request.app_data());
        let (now, later) = if keyed { quota::split_cost(cost) } else { (cost, None) };
        charge.take(now)?;
        deferred = later.map(|tokens| DeferredCharge::new(charge, tokens));
    }
    if let Some(app) = app {
        state.api_key_calls.add(app.id, (state.edge.clock)());
    }
    Ok(deferred)
}
