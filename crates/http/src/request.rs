//! An authenticated request without its body: the caller, the path, the parameters and the cursor.
//! It also runs the use case of its operation.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use daybook_auth::api_key::resolve_api_key;
use daybook_auth::identity::authenticate;
use daybook_auth::rate::{DeferredCharge, count};
use daybook_domain::id::SessionId;
use daybook_domain::idempotency::Claim;
use daybook_domain::version::{Condition, Refusal};
use daybook_edge::budget::{BodyReservation, Reservation, expect_user};
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::request_head::{agent, bearer, cursor, host, if_match};
use daybook_edge::{parameters, run};
use daybook_service::idempotency::{Once, run_once};
use daybook_service::query::QueryText;
use daybook_service::{self as service, Context, Error, Target};
use daybook_storage::{LogPosition, Tx};
use serde::{Deserialize, Serialize};

use crate::idempotency::IdempotencyHeader;
use crate::log_position;
use crate::reply::{self, ApiResult, Reply};
use crate::respond::{self, WriteWork};
use crate::routes::NotForApps;
use crate::segments::Segments;
use crate::state::AppState;

/// The future response of an operation. It is boxed so that all operations share its code.
pub(crate) type ReplyFuture = Pin<Box<dyn Future<Output = ApiResult>>>;

/// A request that is stored in a link and executed when the link is opened (behaviour 13.14).
#[derive(Serialize, Deserialize)]
pub(crate) struct LinkedRequest {
    token: String,
    book: String,
    id: String,
    parameters: Vec<(String, String)>,
}

/// An authenticated request: its context, path and parameters.
pub(crate) struct ApiRequest {
    pub(crate) cx: Context,
    pub(crate) state: web::Data<AppState>,
    path: Segments,
    /// The parameters that have a value (behaviour 0.9). If one is repeated, its first value
    /// is used.
    parameters: HashMap<String, String>,
    cursor: Option<String>,
    key: Option<IdempotencyHeader>,
    /// The part of the cost that is charged unless an idempotency key replays a stored response.
    deferred_charge: Option<DeferredCharge>,
    /// `If-Match`, until the handler declares its target.
    if_match: Option<String>,
    host: Option<String>,
    http: HttpRequest,
    /// The browser session that issued the access token.
    pub(crate) session: Option<SessionId>,
    /// The writes that a read must see (behaviour 0.42).
    pub(crate) log_position: Option<LogPosition>,
}

impl ApiRequest {
    /// Returns the id of the book from the path.
    pub(crate) fn book(&self) -> String {
        self.path.book.clone()
    }

    /// Returns the id or name of the resource from the path.
    pub(crate) fn id(&self) -> String {
        self.path.id.clone()
    }

    /// Returns the id of the transaction from the path of its comments.
    pub(crate) fn transaction(&self) -> String {
        self.path.transaction.clone()
    }

    /// Returns the id of the comment from the path.
    pub(crate) fn comment(&self) -> String {
        self.path.comment.clone()
    }

    /// Returns the id of the app from the path.
    pub(crate) fn agent(&self) -> String {
        self.path.agent.clone()
    }

    /// Returns a parameter if it has a value.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Returns a parameter with blanks in place of NUL characters, which PostgreSQL cannot store.
    pub(crate) fn text_without_nul(&self, name: &str) -> Option<String> {
        self.text(name).map(|text| text.replace('\0', " "))
    }

    /// Returns the query and whether it is strict (behaviour 1.1.14).
    pub(crate) fn query(&self) -> QueryText {
        QueryText {
            text: self.text("query").unwrap_or_default().to_owned(),
            strict: self.flag("strict") == Some(true),
        }
    }

    /// Returns a boolean parameter. An invalid value counts as absent (behaviour 0.9).
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.text(name)?.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        }
    }

    /// Returns the parameter `limit`. An invalid value counts as absent (behaviour 0.9).
    pub(crate) fn limit(&self) -> Option<usize> {
        let text = self.text("limit")?.trim();
        match text.parse::<i128>() {
            Ok(number) if number <= 0 => None,
            Ok(number) => Some(usize::try_from(number).unwrap_or(usize::MAX)),
            Err(_) => None,
        }
    }

    /// Returns the cursor. The header takes precedence over the parameter (behaviour 2.1).
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref().or_else(|| self.text("cursor")).filter(|cursor| !cursor.is_empty())
    }

    /// Declares that the request changes one resource. Its use case compares the version of the
    /// resource with `If-Match` (behaviour 0.17).
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

    /// Returns the absolute address of this server for links in responses: the configured address,
    /// or the one that the request was sent to.
    pub(crate) fn base(&self) -> String {
        self.state.edge.site.base(self.host.as_deref())
    }

    /// Returns whether the request has an idempotency key.
    pub(crate) const fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Returns an empty memory reservation of the caller.
    pub(crate) fn memory(&self) -> Reservation {
        self.state.edge.budget.reservation(self.cx.quota_subject())
    }

    /// Runs a use case that reads, before the one that makes the response.
    ///
    /// # Errors
    /// The refusal of the use case; 400 for `If-Match` without a target.
    pub(crate) async fn on_snapshot<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.refuse_condition()?;
        let cx = self.cx.clone();
        run::read_as(&self.state.edge, cx.quota_subject(), move |tx| work(tx, &cx)).await
    }

    /// Runs a use case that reads, and encodes its result.
    ///
    /// # Errors
    /// The refusal of the use case.
    pub(crate) fn read<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Send + 'static,
        encode: impl FnOnce(&T, &Context) -> Reply + Send + 'static,
    ) -> ReplyFuture {
        let Self { cx, state, .. } = self;
        let (user, deadline) = (cx.quota_subject(), state.edge.read_deadline);
        let work: respond::ReadWork = Box::new(move |tx| {
            let result = work(tx, &cx)?;
            Ok(Box::new(move || encode(&result, &cx)))
        });
        Box::pin(async move { respond::read_reply(&state.edge, user, deadline, work).await })
    }

    /// Replays the stored response of the idempotency key, or returns `error`.
    ///
    /// A handler calls it when a check before the write has failed. A repeated request gets its
    /// stored response even then, because the checked state may have changed since (behaviour
    /// 0.16).
    ///
    /// # Errors
    /// `error`, unless a response is stored.
    pub(crate) async fn replay_or_refuse(self, error: ApiError) -> ApiResult {
        match error {
            ApiError::Service(error) => {
                self.write_book(move |_, _, _| Err::<(), _>(error), |(), _| reply::no_content())
                    .await
            }
            ApiError::RequestError(_) => Err(error),
        }
    }

    /// Runs a use case that writes to the book in the path, and encodes its result.
    ///
    /// # Errors
    /// Those of [`Self::write`].
    pub(crate) fn write_book<T: Send + 'static, W>(
        self,
        work: W,
        encode: impl FnOnce(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> ReplyFuture
    where
        W: FnOnce(&mut Tx<'_>, &Context, &str) -> service::Result<T> + Clone + Send + 'static,
    {
        let book = self.book();
        self.write(Target::Book(book.clone()), move |tx, cx| work(tx, cx, &book), encode)
    }

    /// Runs a use case that writes to `target`, and encodes its result. With an idempotency key the
    /// response is encoded and stored in the same transaction; without one it is encoded after
    /// the commit (behaviour 0.38).
    ///
    /// # Errors
    /// The refusal of the use case; 503 when the queue of the writer is full.
    pub(crate) fn write<T: Send + 'static>(
        self,
        target: Target,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
        encode: impl FnOnce(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> ReplyFuture {
        Box::pin(self.run_write(target, WriteWork::new(work, encode)))
    }

    async fn run_write(mut self, target: Target, work: WriteWork) -> ApiResult {
        target.check_scope(&self.cx)?;
        self.check_write()?;
        match self.key.take() {
            Some(key) => self.write_with_key(target, key, work).await,
            None => self.write_without_key(&target, work).await,
        }
    }

    async fn write_without_key(self, target: &Target, work: WriteWork) -> ApiResult {
        let Self { cx, state, http, .. } = self;
        let (user, body) = (cx.quota_subject(), BodyReservation::of(&http));
        let submission = target.submission(&cx, None);
        let transaction = move |tx: &mut Tx<'_>| {
            // A queued write keeps its memory until it has run.
            let _body = body;
            work.run(tx, &cx)
        };
        let encode = run::write(&state.edge, submission, transaction).await?;
        respond::encode_write(&state.edge, user, encode).await
    }

    async fn write_with_key(
        self,
        target: Target,
        key: IdempotencyHeader,
        work: WriteWork,
    ) -> ApiResult {
        let Self { cx, state, deferred_charge, http, .. } = self;
        let (user, body, claim) = (
            cx.quota_subject(),
            BodyReservation::of(&http),
            key.claim(&cx, &state.edge.site.path_prefix),
        );
        let submission = target.submission(&cx, Some(&claim.key));
        let budget = state.edge.budget.clone();
        let transaction = move |tx: &mut Tx<'_>| -> Result<Once<Reply>, ApiError> {
            let _body = body;
            run_once(tx, &cx, &target, &claim, |tx| {
                deferred_charge.map_or(Ok(()), DeferredCharge::take).map_err(RequestError::from)?;
                let encode = work.run(tx, &cx)?;
                respond::encode_and_store(tx, &cx, &budget, encode)
            })
        };
        let outcome = run::write_with_timeout(&state.edge, submission, transaction).await?;
        respond::once_reply(&state.edge, user, outcome).await
    }

    /// Returns the context and the claim, for a write of several transactions that handles its
    /// idempotency key itself.
    ///
    /// # Errors
    /// Those of [`Self::check_write`].
    pub(crate) fn into_claim(
        self,
    ) -> Result<(Context, web::Data<AppState>, Option<Claim>), ApiError> {
        self.check_write()?;
        let Self { cx, state, key, .. } = self;
        let claim = key.map(|key| key.claim(&cx, &state.edge.site.path_prefix));
        Ok((cx, state, claim))
    }

    /// Returns this request for a link that will execute it.
    ///
    /// # Errors
    /// 401 without a token, which an authenticated request has.
    pub(crate) fn linked(&self) -> Result<LinkedRequest, RequestError> {
        let token = bearer(&self.http).ok_or(RequestError::LoginRequired)?.to_owned();
        let Segments { book, id, .. } = &self.path;
        let parameters = parameters::pairs(&self.http);
        Ok(LinkedRequest { token, book: book.clone(), id: id.clone(), parameters })
    }

    /// Creates the request that a link contains, with the same checks as without a link.
    ///
    /// # Errors
    /// Those of an authenticated request.
    pub(crate) async fn of_link(http: HttpRequest, link: LinkedRequest) -> Result<Self, ApiError> {
        let LinkedRequest { token, book, id, parameters } = link;
        let path = Segments { book, id, ..Segments::default() };
        Self::authenticate(http, &token, Some((path, parameters))).await
    }

    /// Authenticates a request. `target` replaces its path and parameters.
    async fn authenticate(
        request: HttpRequest,
        token: &str,
        target: Option<(Segments, Vec<(String, String)>)>,
    ) -> Result<Self, ApiError> {
        // The extractor of the body waits for the user, whose memory it reserves.
        let memory_user = expect_user(&request);
        let state = state(&request)?.clone();
        let caller = authenticate(&request, &state.auth, token).await?;
        let (user, scope) = (Arc::clone(&caller.user), caller.scope.clone());
        // The receiver is gone if the operation has no body.
        let _ = memory_user.send(user.quota_subject());
        let (now, ids) = ((state.edge.clock)(), Arc::clone(&state.edge.ids));
        // The token of a delivery names the acting app; the header is ignored.
        let (agent, depth, cause_lease) = match &caller.acting {
            Some(acting) => (Some(acting.agent.to_string()), acting.depth, acting.lease),
            None => (agent(&request, &state.edge.headers)?, 0, None),
        };
        let is_administrator = scope.allows_administration() && state.auth.is_administrator(&user);
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
        let app = resolve_api_key(&request, &state.auth).await?;
        let deferred_charge = count(&request, &state.auth, (&caller, app), key.is_some())?;
        if request.app_data::<NotForApps>().is_some() {
            cx.scope.check_lasting().map_err(Error::from)?;
        }
        let (path, parameters) = match target {
            Some(target) => target,
            None => (Segments::read(&request).await?, parameters::pairs(&request)),
        };
        let cursor = cursor(&request).map(str::to_owned);
        let given = parameters.into_iter().filter(|(_, value)| !value.is_empty());
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
            deferred_charge,
            if_match: if_match(&request),
            host,
            session: caller.session,
            log_position,
            http: request,
        })
    }

    /// Returns the context and the state, for a streamed response.
    pub(crate) fn into_parts(self) -> (Context, web::Data<AppState>) {
        (self.cx, self.state)
    }

    /// Checks that `If-Match` has a target and that the access token may write (behaviour 0.17,
    /// 11.9).
    ///
    /// # Errors
    /// 400 for `If-Match` without a target; 403 for a token that only reads.
    pub(crate) fn check_write(&self) -> Result<(), ApiError> {
        self.refuse_condition()?;
        Ok(self.cx.scope.check_write().map_err(Error::from)?)
    }

    /// Checks that the caller may manage access tokens, API keys, sessions and consents; clients
    /// and apps may not (behaviour 11.16).
    ///
    /// # Errors
    /// 403.
    pub(crate) fn check_credentials(&self) -> Result<(), ApiError> {
        Ok(self.cx.scope.check_credentials().map_err(Error::from)?)
    }
}

impl FromRequest for ApiRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let token = bearer(&request).ok_or(RequestError::LoginRequired)?.to_owned();
            Self::authenticate(request, &token, None).await
        })
    }
}

/// Returns the state of the application.
///
/// # Errors
/// 500 if the server has none.
pub(crate) fn state(request: &HttpRequest) -> Result<&web::Data<AppState>, RequestError> {
    request
        .app_data::<web::Data<AppState>>()
        .ok_or_else(|| RequestError::Failed("no state".to_owned()))
}
