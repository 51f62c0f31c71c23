//! What is read from a request besides its body: the caller, the path, parameters and cursor; and
//! how its use case is run.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use daybook_domain::idempotency::Claim;
use daybook_domain::version::{Condition, Refusal};
use daybook_service::idempotency::{KeyScope, run_once};
use daybook_service::query::QueryText;
use daybook_service::{self as service, Context, Error};
use daybook_storage::{LogPosition, ShardKey, Submission, Tx};

use crate::api_key::resolve;
use crate::budget::{HeldBody, MemoryOwner, MemoryShare, expect_borrower};
use crate::error::{ApiError, RequestError};
use crate::idempotency::IdempotencyHeader;
use crate::identity::authenticate::authenticate;
use crate::log_position;
use crate::parameters;
use crate::rate::charge::count;
use crate::rate::quota::DeferredCharge;
use crate::reply::{self, ApiResult, Reply};
use crate::request_head::{agent, bearer, cursor, host, if_match};
use crate::response_budget::ResponseBudget;
use crate::routes::Lasting;
use crate::run;
use crate::segments::Segments;
use crate::socket::ConnectionState;
use crate::state::AppState;

/// An authenticated request: its context, path and parameters.
pub(crate) struct ApiRequest {
    pub(crate) cx: Context,
    pub(crate) state: web::Data<AppState>,
    path: Segments,
    /// The parameters that have a value (behaviour 0.9). Of a repeated one the first counts.
    parameters: HashMap<String, String>,
    cursor: Option<String>,
    key: Option<IdempotencyHeader>,
    /// What a request with an idempotency key costs besides, unless it was answered before.
    rest: Option<DeferredCharge>,
    /// `If-Match`, until the handler declares its target.
    if_match: Option<String>,
    host: Option<String>,
    http: HttpRequest,
    /// What a read must see (behaviour 0.42).
    pub(crate) log_position: Option<LogPosition>,
}

impl ApiRequest {
    /// The book's id from the path.
    pub(crate) fn book(&self) -> String {
        self.path.book.clone()
    }

    /// The resource's id or name from the path.
    pub(crate) fn id(&self) -> String {
        self.path.id.clone()
    }

    /// The id of the app from the path.
    pub(crate) fn agent(&self) -> String {
        self.path.agent.clone()
    }

    /// A parameter, if it was given.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// The query, and whether it is strict (behaviour 1.1.14).
    pub(crate) fn query(&self) -> QueryText {
        QueryText {
            text: self.text("query").unwrap_or_default().to_owned(),
            strict: self.flag("strict") == Some(true),
        }
    }

    /// A boolean parameter. What cannot be read counts as absent (behaviour 0.9).
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.text(name)?.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        }
    }

    /// The parameter `limit`. What cannot be read counts as absent (behaviour 0.9).
    pub(crate) fn limit(&self) -> Option<usize> {
        let text = self.text("limit")?.trim();
        match text.parse::<i128>() {
            Ok(number) if number <= 0 => None,
            Ok(number) => Some(usize::try_from(number).unwrap_or(usize::MAX)),
            Err(_) => None,
        }
    }

    /// The cursor. The header wins over the parameter (behaviour 2.1).
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref().or_else(|| self.text("cursor")).filter(|cursor| !cursor.is_empty())
    }

    /// Declares that the request changes one resource, which the use case compares with `If-Match`
    /// (behaviour 0.17).
    ///
    /// # Errors
    /// 400 for a malformed `If-Match`.
    pub(crate) fn conditional(mut self) -> Result<Self, ApiError> {
        let condition = self.if_match.take().map(|text| Condition::read(&text)).transpose();
        self.cx.condition = condition.map_err(Error::from)?;
        Ok(self)
    }

    /// Refuses `If-Match` on a request that has no single target (behaviour 0.17).
    ///
    /// # Errors
    /// 400.
    pub(crate) fn refuse_condition(&self) -> Result<(), ApiError> {
        if self.if_match.is_some() { Err(Error::from(Refusal::NoTarget).into()) } else { Ok(()) }
    }

    /// The absolute address of this server for links in answers: the configured one, else the one
    /// that the request was sent to.
    pub(crate) fn base(&self) -> String {
        self.state.base(self.host.as_deref())
    }

    /// A share of the memory, booked to the caller and empty at first.
    pub(crate) fn memory(&self) -> MemoryShare {
        self.state.budget.grant(MemoryOwner::User(self.cx.quota_subject()))
    }

    /// Runs a use case that reads, before the one that answers. `If-Match` without a target is
    /// refused first.
    ///
    /// # Errors
    /// What the use case refuses; 400 for `If-Match` without a target.
    pub(crate) async fn on_snapshot<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> daybook_service::Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.refuse_condition()?;
        let cx = self.cx.clone();
        run::read_and(&self.state, cx.quota_subject(), move |tx| work(tx, &cx), |done| done).await
    }

    /// Runs a use case that reads, and answers what `encode` makes of its result.
    ///
    /// # Errors
    /// What the use case refuses.
    pub(crate) async fn read<T: 'static>(
        self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> daybook_service::Result<T> + Send + 'static,
        encode: impl FnOnce(&T, &Context) -> Reply + Send + 'static,
    ) -> ApiResult {
        let user = self.cx.quota_subject();
        let make = run::maker(self.cx.clone(), ResponseBudget::of_read(self.memory()), encode);
        let cx = self.cx;
        run::read_and(&self.state, user, move |tx| work(tx, &cx), make).await
    }

    /// Answers the error of a check that came before the write. A request whose idempotency key was
    /// used before gets the recorded answer instead: what the check looked at may have changed
    /// since (behaviour 0.16).
    ///
    /// # Errors
    /// The error itself, unless an answer is recorded.
    pub(crate) async fn answer_refusal(self, book: &str, error: ApiError) -> ApiResult {
        match error {
            ApiError::Service(error) => {
                self.write(book, move |_, _| Err::<(), _>(error), |(), _| reply::no_content()).await
            }
            ApiError::RequestError(_) => Err(error),
        }
    }

    /// Runs a use case that writes, in the lane of its book, and answers what `encode` makes of its
    /// result. With an idempotency key the answer is encoded and recorded in the same unit of work;
    /// without one, or where it is large, it is encoded outside of the writer (behaviour 0.38).
    ///
    /// # Errors
    /// What the use case refuses; 503 when the queue of the writer is full.
    pub(crate) async fn write<T: Send + 'static>(
        self,
        book: &str,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> ApiResult {
        if !book.is_empty() {
            let (lane, book) = (ShardKey::of_book(book), book.to_owned());
            return self.write_in(lane, KeyScope::Book(book), work, encode).await;
        }
        self.cx.scope.check_outside_books().map_err(Error::from)?;
        let lane = self.key.as_ref().map_or(ShardKey::NO_BOOK, |key| ShardKey::of_key(key.text()));
        self.write_in(lane, KeyScope::Installation, work, encode).await
    }

    /// As [`Self::write`], for what the caller keeps across books, in the lane of the caller.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) async fn write_own<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> ApiResult {
        self.cx.scope.check_outside_books().map_err(Error::from)?;
        let lane = ShardKey::of_user(self.cx.user.id);
        self.write_in(lane, KeyScope::Caller, work, encode).await
    }

    /// As [`Self::write_own`], for connections, which apps reach with tokens that are limited to
    /// books.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) async fn write_connection<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> ApiResult {
        self.cx.scope.check_connections().map_err(Error::from)?;
        let lane = ShardKey::of_user(self.cx.user.id);
        self.write_in(lane, KeyScope::Caller, work, encode).await
    }

    /// Its context and its claim, for a write that is several units of work and keeps the promise
    /// of the key itself.
    ///
    /// # Errors
    /// As [`Self::check_write`].
    pub(crate) fn into_claim(
        self,
    ) -> Result<(Context, web::Data<AppState>, Option<Claim>), ApiError> {
        self.check_write()?;
        let Self { cx, state, key, .. } = self;
        let claim = key.map(|key| key.claim(&cx, &state.path_prefix));
        Ok((cx, state, claim))
    }

    /// What every write asks first, and whatever prepares one: `If-Match` has a target, and the
    /// access token may write (behaviour 0.17, 11.9).
    ///
    /// # Errors
    /// 400 for `If-Match` without a target; 403 for a token that only reads.
    pub(crate) fn check_write(&self) -> Result<(), ApiError> {
        self.refuse_condition()?;
        Ok(self.cx.scope.check_write().map_err(Error::from)?)
    }

    /// Refuses clients and apps to manage access tokens and API keys (behaviour 11.16).
    ///
    /// # Errors
    /// 403.
    pub(crate) fn check_credentials(&self) -> Result<(), ApiError> {
        Ok(self.cx.scope.check_credentials().map_err(Error::from)?)
    }

    async fn write_in<T: Send + 'static>(
        self,
        lane: ShardKey,
        scope: KeyScope,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> ApiResult {
        self.check_write()?;
        let Self { cx, state, key, rest, http, .. } = self;
        let body = HeldBody::of(&http);
        let is_long = body.as_ref().is_some_and(HeldBody::is_long);
        let work = run::holding(body, work);
        let ticket = Submission::for_user(lane, cx.quota_subject());
        let Some(key) = key else {
            let asked = cx.clone();
            let done = run::write(&state, ticket, move |tx| work(tx, &asked)).await?;
            let (user, make) = (cx.quota_subject(), move || encode(&done, &cx));
            return if is_long {
                run::large_answer(&state, user, make).await
            } else {
                run::answer(&state, user, make).await
            };
        };
        let claim = key.claim(&cx, &state.path_prefix);
        let (user, shared) = (cx.quota_subject(), state.clone());
        let whole = move |tx: &mut Tx<'_>| -> Result<_, ApiError> {
            let asked = cx.clone();
            let carry_out = |tx: &mut Tx<'_>| {
                rest.map_or(Ok(()), DeferredCharge::take).map_err(RequestError::from)?;
                let done = work(tx, &asked)?;
                let caller = asked.clone();
                let make = move || encode(&done, &asked);
                let memory = || shared.budget.grant(MemoryOwner::User(user));
                run::answer_to_store(tx, &caller, memory, make)
            };
            run_once(tx, &cx, &scope, &claim, carry_out)
        };
        let outcome = run::write_with_timeout(&state, ticket, whole).await?;
        run::answer_once(&state, user, outcome).await
    }
}

impl FromRequest for ApiRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        let known = expect_borrower(&request);
        Box::pin(async move {
            let state = state(&request)?.clone();
            let token = bearer(&request).ok_or(RequestError::LoginRequired)?;
            let caller = authenticate(&request, &state, token).await?;
            let (user, scope) = (Arc::clone(&caller.user), caller.scope.clone());
            let _ = known.send(MemoryOwner::User(user.payer()));
            if let Some(connection) = request.conn_data::<Rc<ConnectionState>>() {
                connection.let_in();
            }
            let (now, ids) = ((state.clock)(), Arc::clone(&state.ids));
            // The token of a delivery says which app acts; no header changes that.
            let (agent, depth, cause_lease) = match &caller.acting {
                Some(acting) => (Some(acting.agent.to_string()), acting.depth, acting.lease),
                None => (agent(&request, &state)?, 0, None),
            };
            let is_administrator =
                scope.allows_administration() && state.administrators.contains(&user.email);
            let cx = Context {
                scope,
                is_administrator,
                agent,
                depth,
                cause_lease,
                storage_quotas: Some(state.storage_quotas),
                ..Context::new(user, now, ids)
            };
            let key = IdempotencyHeader::of(&request)?;
            let app = resolve::resolve_api_key(&request, &state).await?;
            let rest = count(&request, &state, (cx.quota_subject(), app), key.is_some())?;
            if request.app_data::<Lasting>().is_some() {
                cx.scope.check_lasting().map_err(Error::from)?;
            }
            let path = Segments::read(&request).await?;
            let cursor = cursor(&request).map(str::to_owned);
            let given =
                parameters::pairs(&request).into_iter().filter(|(_, value)| !value.is_empty());
            let parameters = given.rev().collect();
            let host = host(&request).map(str::to_owned);
            let log_position = log_position::requested(&state, request.headers());
            Ok(Self {
                cx,
                state,
                path,
                parameters,
                cursor,
                key,
                rest,
                if_match: if_match(&request),
                host,
                log_position,
                http: request,
            })
        })
    }
}

/// The state of the application.
///
/// # Errors
/// 500 when the server was wired without it.
pub(crate) fn state(request: &HttpRequest) -> Result<&web::Data<AppState>, RequestError> {
    request
        .app_data::<web::Data<AppState>>()
        .ok_or_else(|| RequestError::Failed("no state".to_owned()))
}
