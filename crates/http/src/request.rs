//! What is read from a request besides its body: who asks, path, parameters, cursor.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use daybook_service::{Context, Error};
use daybook_storage::user::User;
use daybook_storage::{Lane, Tx};

use crate::error::{ApiError, Transport};
use crate::run;
use crate::state::State;

/// Longest agent id kept, in characters.
const MOST_AGENT: usize = 255;

/// The parameters of paths, decoded after routing (behaviour 0.5).
#[derive(serde::Deserialize)]
struct Segments {
    #[serde(default, rename = "bookId")]
    book: String,
    #[serde(default)]
    id: String,
}

/// An authenticated request: its context, path and parameters.
pub(crate) struct Asked {
    pub(crate) cx: Context,
    pub(crate) state: web::Data<State>,
    path: Segments,
    parameters: HashMap<String, String>,
    cursor: Option<String>,
}

impl Asked {
    /// The book's id from the path.
    pub(crate) fn book(&self) -> String {
        self.path.book.clone()
    }

    /// The resource's id or name from the path.
    pub(crate) fn id(&self) -> String {
        self.path.id.clone()
    }

    /// A parameter that was given.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Query text: never refused, so what a database cannot hold becomes a space (behaviour 1.1.10).
    pub(crate) fn query(&self) -> String {
        self.text("query").unwrap_or_default().replace('\0', " ")
    }

    /// A boolean; what cannot be read counts as absent (behaviour 0.9).
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.text(name).and_then(|text| text.trim().parse().ok())
    }

    /// `limit`; what cannot be read counts as absent (behaviour 0.9).
    pub(crate) fn limit(&self) -> Option<usize> {
        let text = self.text("limit")?.trim();
        match text.parse::<i128>() {
            Ok(number) if number <= 0 => None,
            Ok(number) => Some(usize::try_from(number).unwrap_or(usize::MAX)),
            Err(_) => None,
        }
    }

    /// The cursor: the header wins over the parameter (behaviour 2.1).
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref().or_else(|| self.text("cursor")).filter(|cursor| !cursor.is_empty())
    }

    /// Runs a use case that reads.
    pub(crate) async fn read<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> daybook_service::Result<T> + Send + 'static,
    ) -> Result<(T, Context), ApiError> {
        let cx = self.cx.clone();
        let done = run::read(&self.state, move |tx| work(tx, &cx)).await?;
        Ok((done, self.cx))
    }

    /// Runs a use case that writes, in the lane of its book.
    pub(crate) async fn write<T: Send + 'static>(
        self,
        book: &str,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> daybook_service::Result<T> + Send + 'static,
    ) -> Result<(T, Context), ApiError> {
        let cx = self.cx.clone();
        let lane = if book.is_empty() { Lane::NO_BOOK } else { Lane::of_book(book) };
        let done = run::write(&self.state, lane, move |tx| work(tx, &cx)).await?;
        Ok((done, self.cx))
    }

    /// Runs a use case that writes what the caller keeps across books, in the lane of the caller.
    pub(crate) async fn write_own<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> daybook_service::Result<T> + Send + 'static,
    ) -> Result<(T, Context), ApiError> {
        let cx = self.cx.clone();
        let done = run::write(&self.state, Lane::of_user(cx.user.id), move |tx| work(tx, &cx)).await?;
        Ok((done, self.cx))
    }
}

impl FromRequest for Asked {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let state = request.app_data::<web::Data<State>>().cloned().ok_or_else(|| Transport::Failed("no state".to_owned()))?;
            let email = bearer(&request).and_then(|token| state.tokens.verify(token)).ok_or(Transport::LoginRequired)?;
            let user = user(&state, email).await?;
            let cx = Context { user, agent: agent(&request, &state), now: (state.clock)(), ids: Arc::clone(&state.ids) };
            let path = web::Path::<Segments>::extract(&request).await.map_err(|_| Transport::UnknownRoute)?.into_inner();
            if path.book.contains('\0') || path.id.contains('\0') {
                return Err(Transport::UnknownRoute.into());
            }
            let cursor = header(&request, "cursor").map(str::to_owned);
            Ok(Self { cx, state, path, parameters: parameters(&request), cursor })
        })
    }
}

/// The parameters of the query string; of a repeated one the first counts.
fn parameters(request: &HttpRequest) -> HashMap<String, String> {
    let pairs = web::Query::<Vec<(String, String)>>::from_query(request.query_string()).map(web::Query::into_inner).unwrap_or_default();
    pairs.into_iter().rev().collect()
}

fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, token) = header(request, AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn agent(request: &HttpRequest, state: &State) -> Option<String> {
    let given = state.headers.agent.iter().find_map(|name| header(request, name))?.trim();
    if given.is_empty() { None } else { Some(given.chars().take(MOST_AGENT).collect()) }
}

/// The user with that address, remembered, found or made.
async fn user(state: &web::Data<State>, email: String) -> Result<Arc<User>, ApiError> {
    if let Some(known) = state.known.find(&email) {
        return Ok(known);
    }
    let wanted = email.clone();
    if let Some(found) = run::read(state, move |tx| daybook_service::user::find(tx, &wanted)).await? {
        return Ok(state.known.add(found));
    }
    let sign_in = || {
        let (ids, now, email) = (Arc::clone(&state.ids), (state.clock)(), email.clone());
        run::write(state, Lane::NO_BOOK, move |tx| daybook_service::user::sign_in(tx, &email, &ids, now))
    };
    let made = match sign_in().await {
        // Another process met the same user, or one of the same name, at the same moment.
        Err(ApiError::Service(Error::Storage(daybook_storage::Error::Taken(_)))) => sign_in().await?,
        outcome => outcome?,
    };
    Ok(state.known.add(made))
}
