//! What a request costs is taken once, before its use case runs (behaviour 10.6, 10.13).

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest};
use daybook_domain::id::UserId;

use super::quota::{self, Charge, Cost, DeferredCharge, QuotaSubject};
use crate::api_key::cache::ResolvedApiKey;
use crate::error::RequestError;
use crate::state::AppState;

/// A request that was counted, with the account of what it takes of a quota. One whose body cannot
/// be read is looked at again.
pub(crate) struct CountedRequest(pub(crate) Option<Arc<Charge>>);

/// Counts a request for its API key, and takes what it costs of a quota (behaviour 10.6, 10.13).
/// With an idempotency key it is known only later whether the request was answered before, which
/// costs 1; the rest is returned. The account of it is left for the answer.
///
/// # Errors
/// 429 when the quota is used up; nothing is taken.
pub(crate) fn count(
    request: &HttpRequest,
    state: &AppState,
    (user, app): (UserId, Option<ResolvedApiKey>),
    keyed: bool,
) -> Result<Option<DeferredCharge>, RequestError> {
    if state.quotas.is_none() && app.is_none() || request.extensions().contains::<CountedRequest>()
    {
        return Ok(None);
    }
    let payer = app.map_or(QuotaSubject::User(user), |app| QuotaSubject::Key(app.id));
    let charge = state
        .quotas
        .as_ref()
        .map(|quotas| Arc::new(quotas.charge(payer, app.and_then(|app| app.rate))));
    request.extensions_mut().insert(CountedRequest(charge.clone()));
    let mut rest = None;
    if let Some(charge) = charge {
        let cost = Cost::cells(request.app_data());
        let (first, later) = if keyed { quota::in_two(cost) } else { (cost, None) };
        charge.take(first)?;
        rest = later.map(|cells| DeferredCharge::new(charge, cells));
    }
    if let Some(app) = app {
        state.api_key_calls.add(app.id, (state.clock)());
    }
    Ok(rest)
}
