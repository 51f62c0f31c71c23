//! The consents of the user to OAuth clients (behaviour 11.29).

use daybook_domain::grant::Consent;
use daybook_service::{Context, grant};
use daybook_storage::Tx;
use serde::Serialize;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::state::AppState;
use crate::wire::ListOut;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConsentOut<'c> {
    /// The id of the client.
    id: &'c str,
    /// The name of the client.
    name: &'c str,
    scopes: &'c [String],
    created_at: String,
}

impl<'c> ConsentOut<'c> {
    fn new(consent: &'c Consent, state: &'c AppState) -> Self {
        let Consent { user: _, client, scope, created_at } = consent;
        Self {
            id: client,
            name: state.auth.clients.name(client),
            scopes: scope.scopes(),
            created_at: created_at.milliseconds().to_string(),
        }
    }
}

/// GET user/consents.
pub(crate) async fn list_consents(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let state = request.state.clone();
    let encode = move |consents: &Vec<Consent>, _: &Context| {
        let consents = consents.iter().map(|one| ConsentOut::new(one, &state)).collect();
        reply::ok(&ListOut::complete(consents))
    };
    request.read(grant::list_own_consents, encode).await
}

/// DELETE user/consents/{id}.
pub(crate) async fn withdraw_consent(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let (id, state) = (request.id(), request.state.clone());
    let withdraw = move |tx: &mut Tx<'_>, cx: &Context| grant::withdraw_own(tx, cx, &id);
    let clients = state.clone();
    let encode = move |one: &Consent, _: &Context| reply::ok(&ConsentOut::new(one, &clients));
    let reply = request.write(grant::TARGET, withdraw, encode).await?;
    state.auth.identity.clear_bearers();
    Ok(reply)
}
