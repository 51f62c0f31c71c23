//! A client sends a browser here, and gets what its user agrees to.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::grant::Grant;
use daybook_domain::instant::Instant;
use daybook_service::grant::{self, Granted};
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};
use maud::{Markup, html};

use super::authorization_request::{AuthorizationRequest, ClientRequest, Flow};
use super::fields::Fields;
use super::signed::AuthorizationCode;
use super::tokens;
use crate::error::ApiError;
use crate::form::Form;
use crate::request_head::host;
use crate::security::note_change;
use crate::session::login::{ask_to_sign_in_anew, signed_in, to};
use crate::session::page::{page, page_to};
use crate::session::return_to::ReturnTo;
use crate::session::same_origin::is_own_form;
use crate::state::AppState;
use crate::{parameters, run};

/// The parameters that the page of consent sends on.
const SENT_ON: [&str; 11] = [
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

/// GET /auth/authorize: asks the user, unless they have agreed before.
pub(crate) async fn authorize(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    answer(&request, &state, Fields(parameters::pairs(&request)), None).await
}

/// POST /auth/authorize: the same, by a form (OpenID Connect Core, 3.1.2.1). A browser sends no
/// cookie with a form of another site, but it does with the address to which it is sent on.
pub(crate) async fn authorize_by_form(state: web::Data<AppState>, form: Form) -> HttpResponse {
    let pairs = form.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    to(&format!("{}/auth/authorize?{}", state.public_path(), parameters::encoded(pairs)))
}

/// POST /auth/consent: what the user has decided on the page that asked.
pub(crate) async fn consent(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !is_own_form(&request, &state) {
        return Ok(nowhere(StatusCode::FORBIDDEN, "No page of this server has sent this form."));
    }
    let fields = Fields(form.0);
    if fields.repeated().is_some() {
        return Ok(nowhere(StatusCode::BAD_REQUEST, "The form says something twice."));
    }
    let (decision, rest): (Vec<_>, Vec<_>) =
        fields.0.into_iter().partition(|(name, _)| name == "decision");
    let allow = decision.iter().any(|(_, value)| value == "allow");
    allow.then_some("consentGiven").into_iter().for_each(|what| note_change(&request, what));
    answer(&request, &state, Fields(rest), Some(allow)).await
}

async fn answer(
    request: &HttpRequest,
    state: &AppState,
    fields: Fields,
    decision: Option<bool>,
) -> Result<HttpResponse, ApiError> {
    let base = state.base(host(request));
    let asker = match ClientRequest::read(&fields, &state.clients, &base) {
        Ok(asker) => asker,
        Err(why) => return Ok(nowhere(StatusCode::BAD_REQUEST, why)),
    };
    let asked = match AuthorizationRequest::read(&fields, asker.client) {
        Ok(asked) => asked,
        Err((code, description)) => return Ok(asker.redirect.error(code, &description)),
    };
    let now = (state.clock)();
    let found = signed_in(request, state).await?;
    let fresh = |at| decision.is_some() || !asked.needs_sign_in(at, now);
    let Some((session, user)) = found.filter(|(session, _)| fresh(session.signed_in_at)) else {
        if asked.is_silent() {
            return Ok(asker.redirect.error("login_required", "nobody is signed in"));
        }
        let back = ReturnTo::Page(again(&fields));
        return ask_to_sign_in_anew(request, state, &back, &asked.freshness);
    };
    let granted = Granted {
        user: user.id,
        signed_in_at: session.signed_in_at,
        client: asker.client.id.clone(),
        scope: asked.scope.clone(),
    };
    match decision {
        Some(true) => {
            let (ids, until) = (Arc::clone(&state.ids), until(&asked, now));
            let lane = ShardKey::of_user(user.id);
            let begin = move |tx: &mut Tx<'_>| grant::begin(tx, &granted, until, (&ids, now));
            let grant = run::write(state, lane, begin).await?;
            give(state, &asker, &asked, (&grant, &user), now)
        }
        Some(false) => Ok(asker.redirect.error("access_denied", "the user has refused")),
        None => {
            if !asker.is_anybody
                && !asked.asks_again()
                && let Some(grant) = given_before(state, granted, until(&asked, now), now).await?
            {
                return give(state, &asker, &asked, (&grant, &user), now);
            }
            if asked.is_silent() {
                return Ok(asker.redirect.error("consent_required", "the user has not agreed"));
            }
            Ok(ask(state, &fields, &asker, &asked, &user))
        }
    }
}

/// The path of the same request, for after signing in: whoever comes back has signed in just now.
fn again(fields: &Fields) -> String {
    let asks = |prompt: &&str| !["login", "select_account"].contains(prompt);
    let prompts = fields.get("prompt").unwrap_or_default().split(' ').filter(asks);
    let prompt = prompts.collect::<Vec<_>>().join(" ");
    let left = SENT_ON.into_iter().filter(|name| *name != "max_age");
    let left = left.filter_map(|name| Some((name, fields.get(name)?)));
    let left = left.map(|(name, value)| (name, if name == "prompt" { &*prompt } else { value }));
    format!("/auth/authorize?{}", parameters::encoded(left))
}

/// The page that asks the user.
fn ask(
    state: &AppState,
    fields: &Fields,
    asker: &ClientRequest<'_>,
    asked: &AuthorizationRequest,
    user: &User,
) -> HttpResponse {
    let sent_on = SENT_ON.into_iter().filter_map(|name| Some((name, fields.get(name)?)));
    let content = html! {
        p { strong { (asker.client.name) } " asks for access to your books. It returns to "
            strong { (asker.redirect.shown()) } "." }
        (wanted(asked.scope.has("profile")))
        p { "You are signed in as " strong { (user.email) } "." }
        form method="post" action={ (state.public_path()) "/auth/consent" } {
            @for (name, value) in sent_on { input type="hidden" name=(name) value=(value); }
            button name="decision" value="allow" { "Allow" } " "
            button name="decision" value="deny" { "Refuse" }
        }
    };
    let target = asker.redirect.form_target();
    page_to(StatusCode::OK, "Allow access?", &content, target.as_deref())
}

/// What an app may do that is allowed to.
pub(super) fn wanted(profile: bool) -> Markup {
    html! { ul {
        li { "It reads and changes all books that you can read and change." }
        li { "It learns your e-mail address" @if profile { ", your name and your picture" } "." }
    } }
}

/// Until when a grant lasts whose code is not redeemed.
fn until(asked: &AuthorizationRequest, now: Instant) -> Instant {
    match &asked.flow {
        Flow::Code { .. } => Grant::code_until(now),
        Flow::Implicit => Grant::access_until(now),
    }
}

/// A grant of what the user has agreed to before, if they have.
async fn given_before(
    state: &AppState,
    granted: Granted,
    until: Instant,
    now: Instant,
) -> Result<Option<Grant>, ApiError> {
    let known = granted.clone();
    // A client that has to ask costs a look, and no write.
    if !run::read(state, move |tx| grant::has_consent(tx, &known)).await? {
        return Ok(None);
    }
    let (lane, ids) = (ShardKey::of_user(granted.user), Arc::clone(&state.ids));
    let begin = move |tx: &mut Tx<'_>| grant::begin_again(tx, &granted, until, (&ids, now));
    run::write(state, lane, begin).await
}

/// Gives the client what its user has agreed to.
fn give(
    state: &AppState,
    asker: &ClientRequest<'_>,
    asked: &AuthorizationRequest,
    (grant, user): (&Grant, &User),
    now: Instant,
) -> Result<HttpResponse, ApiError> {
    match &asked.flow {
        Flow::Code { challenge, nonce } => {
            let bound = (challenge.as_str(), nonce.as_deref());
            let code = AuthorizationCode::new(grant, &asker.redirect_uri, bound, now);
            Ok(asker.redirect.answer(&[("code", &code.sign(state)?)]))
        }
        Flow::Implicit => {
            let token = tokens::access_token(state, grant, user, now)?;
            let seconds = daybook_domain::grant::ACCESS_SECONDS.to_string();
            Ok(asker.redirect.answer(&[
                ("access_token", &token),
                ("token_type", "Bearer"),
                ("expires_in", &seconds),
                ("scope", &grant.scope.to_string()),
            ]))
        }
    }
}

/// A page instead of an answer: nobody is sent to an address that no client has registered.
fn nowhere(status: StatusCode, why: &str) -> HttpResponse {
    let why = html! {
        p { (why) }
        p { "The operator of this server lists the apps that may ask for access (--clients)." }
    };
    page(status, "This app cannot be answered", &why)
}
