//! The authorization endpoint and its consent page.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::grant::Grant;
use daybook_domain::instant::Instant;
use daybook_edge::error::ApiError;
use daybook_edge::form::Form;
use daybook_edge::request_head::host;
use daybook_edge::{parameters, run};
use daybook_service::grant::{self, GrantRequest};
use daybook_storage::Tx;
use daybook_storage::user::User;
use maud::{Markup, html};

use super::authorization_request::{AuthorizationRequest, ClientRequest, Flow};
use super::fields::Fields;
use super::signed_tokens::AuthorizationCode;
use super::tokens;
use crate::security;
use crate::session::login::{redirect_to, render_sign_in_with_freshness, signed_in};
use crate::session::page::{page, page_with_form_target};
use crate::session::return_to::ReturnTo;
use crate::session::same_origin::is_same_origin_form;
use crate::state::Auth;

/// The parameters that the consent page repeats in its form.
const REPEATED_PARAMETERS: [&str; 11] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "nonce",
    "code_challenge",
    "code_challenge_method",
    "response_mode",
    "prompt",
    "max_age",
];

/// GET /auth/authorize: asks the user for consent, unless they consented before.
pub async fn authorize(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    respond(&request, &state, Fields(parameters::pairs(&request)), None).await
}

/// POST /auth/authorize: redirects to GET with the same parameters.
///
/// OpenID Connect Core, 3.1.2.1, requires both methods. A browser does not send the session cookie
/// with a form of another site, but it does with the redirected request.
pub async fn authorize_by_form(state: web::Data<Auth>, form: Form) -> HttpResponse {
    let pairs = form.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let query = parameters::encode(pairs);
    redirect_to(&format!("{}/auth/authorize?{query}", state.edge.site.public_path()))
}

/// POST /auth/consent: applies the decision of the user on the consent page.
pub async fn consent(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !is_same_origin_form(&request, &state) {
        let why = "This form was not sent from a page of this server.";
        return Ok(error_page(StatusCode::FORBIDDEN, why));
    }
    let fields = Fields(form.0);
    if fields.repeated().is_some() {
        return Ok(error_page(StatusCode::BAD_REQUEST, "The form repeats a field."));
    }
    let (decision, rest): (Vec<_>, Vec<_>) =
        fields.0.into_iter().partition(|(name, _)| name == "decision");
    let is_allowed = decision.iter().any(|(_, value)| value == "allow");
    if is_allowed {
        security::note_change(&request, "consentGiven");
    }
    respond(&request, &state, Fields(rest), Some(is_allowed)).await
}

/// Runs the authorization request; `decision` is that of the consent page, if it was shown.
async fn respond(
    request: &HttpRequest,
    state: &Auth,
    fields: Fields,
    decision: Option<bool>,
) -> Result<HttpResponse, ApiError> {
    let base = state.edge.site.base(host(request));
    let client_request = match ClientRequest::read(&fields, &state.clients, &base) {
        Ok(client_request) => client_request,
        Err(why) => return Ok(error_page(StatusCode::BAD_REQUEST, why)),
    };
    let authorization = match AuthorizationRequest::read(&fields, client_request.client) {
        Ok(authorization) => authorization,
        Err((code, description)) => return Ok(client_request.redirect.error(code, &description)),
    };
    let now = (state.edge.clock)();
    let found = signed_in(request, state).await?;
    let is_fresh = |at| decision.is_some() || !authorization.needs_sign_in(at, now);
    let Some((session, user)) = found.filter(|(session, _)| is_fresh(session.signed_in_at)) else {
        if authorization.is_silent() {
            return Ok(client_request.redirect.error("login_required", "no user is signed in"));
        }
        let return_to = ReturnTo::Page(resume_url(&fields));
        let freshness = &authorization.freshness;
        return render_sign_in_with_freshness(request, state, &return_to, freshness);
    };
    let granted = GrantRequest {
        user: user.id,
        signed_in_at: session.signed_in_at,
        client: client_request.client.id.clone(),
        scope: authorization.scope.clone(),
    };
    match decision {
        Some(true) => {
            let ids = Arc::clone(&state.edge.ids);
            let expires_at = grant_expiry(&authorization, now);
            let begin = move |tx: &mut Tx<'_>| grant::begin(tx, &granted, expires_at, &ids, now);
            let grant = run::write(&state.edge, grant::shard_key(user.id), begin).await?;
            issue_code_or_token(state, &client_request, &authorization, &grant, &user, now)
        }
        Some(false) => Ok(client_request.redirect.error("access_denied", "the user denied access")),
        None => {
            if !client_request.ignores_stored_consent && !authorization.requires_consent() {
                let expires_at = grant_expiry(&authorization, now);
                if let Some(grant) = grant_by_consent(state, granted, expires_at, now).await? {
                    return issue_code_or_token(
                        state,
                        &client_request,
                        &authorization,
                        &grant,
                        &user,
                        now,
                    );
                }
            }
            if authorization.is_silent() {
                let description = "the user has not consented";
                return Ok(client_request.redirect.error("consent_required", description));
            }
            Ok(render_consent(state, &fields, &client_request, &authorization, &user))
        }
    }
}

/// Returns the path that resumes the request after sign-in.
///
/// It omits `max_age` and the prompts for a sign-in, because the user has then just signed in.
fn resume_url(fields: &Fields) -> String {
    let prompts = fields.get("prompt").unwrap_or_default().split(' ');
    let prompts = prompts.filter(|prompt| !["login", "select_account"].contains(prompt));
    let prompt = prompts.collect::<Vec<_>>().join(" ");
    let mut pairs = Vec::new();
    for name in REPEATED_PARAMETERS {
        match (name, fields.get(name)) {
            ("max_age", _) | (_, None) => {}
            ("prompt", Some(_)) => pairs.push((name, prompt.as_str())),
            (_, Some(value)) => pairs.push((name, value)),
        }
    }
    format!("/auth/authorize?{}", parameters::encode(pairs.into_iter()))
}

/// Renders the page that asks the user for consent.
fn render_consent(
    state: &Auth,
    fields: &Fields,
    client_request: &ClientRequest<'_>,
    authorization: &AuthorizationRequest,
    user: &User,
) -> HttpResponse {
    let repeated =
        REPEATED_PARAMETERS.into_iter().filter_map(|name| Some((name, fields.get(name)?)));
    let content = html! {
        p { strong { (client_request.client.name) } " asks for access to your books. "
            "You will return to " strong { (client_request.redirect.display_host()) } "." }
        (scope_list(authorization.scope.has("profile")))
        p { "You are signed in as " strong { (user.email) } "." }
        form method="post" action={ (state.edge.site.public_path()) "/auth/consent" } {
            @for (name, value) in repeated { input type="hidden" name=(name) value=(value); }
            button name="decision" value="allow" { "Allow" } " "
            button name="decision" value="deny" { "Deny" }
        }
    };
    let target = client_request.redirect.form_target();
    page_with_form_target(StatusCode::OK, "Allow access?", &content, target.as_deref())
}

/// Renders the list of what the app will be able to do.
pub(super) fn scope_list(profile: bool) -> Markup {
    html! { ul {
        li { "It can read and change all books that you can read and change." }
        li { "It sees your e-mail address" @if profile { ", your name and your picture" } "." }
    } }
}

/// Returns when a new grant expires if its code is not redeemed.
fn grant_expiry(authorization: &AuthorizationRequest, now: Instant) -> Instant {
    match &authorization.flow {
        Flow::Code { .. } => Grant::code_expiry(now),
        Flow::Implicit => Grant::access_token_expiry(now),
    }
}

/// Inserts a grant if a stored consent of the user covers the request.
async fn grant_by_consent(
    state: &Auth,
    granted: GrantRequest,
    expires_at: Instant,
    now: Instant,
) -> Result<Option<Grant>, ApiError> {
    let requested = granted.clone();
    // Read first, so that a request without consent costs no write.
    if !run::read(&state.edge, move |tx| grant::has_consent(tx, &requested)).await? {
        return Ok(None);
    }
    let (shard_key, ids) = (grant::shard_key(granted.user), Arc::clone(&state.edge.ids));
    let begin =
        move |tx: &mut Tx<'_>| grant::begin_with_consent(tx, &granted, expires_at, &ids, now);
    run::write(&state.edge, shard_key, begin).await
}

/// Redirects to the client with an authorization code or an access token.
fn issue_code_or_token(
    state: &Auth,
    client_request: &ClientRequest<'_>,
    authorization: &AuthorizationRequest,
    grant: &Grant,
    user: &User,
    now: Instant,
) -> Result<HttpResponse, ApiError> {
    match &authorization.flow {
        Flow::Code { challenge, nonce } => {
            let uri = &client_request.redirect_uri;
            let code = AuthorizationCode::new(grant, uri, challenge, nonce.as_deref(), now);
            Ok(client_request.redirect.respond(&[("code", &code.sign(state)?)]))
        }
        Flow::Implicit => {
            let token = tokens::access_token(state, grant, user, now)?;
            let seconds = daybook_domain::grant::ACCESS_SECONDS.to_string();
            Ok(client_request.redirect.respond(&[
                ("access_token", &token),
                ("token_type", "Bearer"),
                ("expires_in", &seconds),
                ("scope", &grant.scope.to_string()),
            ]))
        }
    }
}

/// Renders an error page for a request that must not be redirected.
fn error_page(status: StatusCode, why: &str) -> HttpResponse {
    let content = html! {
        p { (why) }
        p { "The operator of this server registers the apps that may request access (--clients)." }
    };
    page(status, "Invalid authorization request", &content)
}
