//! Successful responses.
//!
//! A handler encodes its [`Reply`] once. A read whose response is too large is refused. A write
//! is committed by then, so its response is shortened to the ids of the resources that it shows
//! (behaviour 0.33).

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, Responder, ResponseError};
use daybook_auth::security;
use daybook_domain::chart::Item;
use daybook_domain::idempotency::{BodyForm, StoredResponse};
use daybook_domain::version::Tag;
use daybook_domain::view_rights::Shown;
use daybook_edge::budget::Reservation;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::response_budget::{self, EncodeError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::compression;
use crate::item_notes::ItemNotes;
use crate::stored_body;
use crate::wire::IterOut;

/// Marks a stored response that is sent again (behaviour 0.16).
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Marks a repeated response of which only the ids are stored (behaviour 0.38).
const IDS_ONLY: HeaderName = HeaderName::from_static("idempotency-answer");

/// Marks the response of a write that shows only ids (behaviour 0.33).
const SHORTENED: HeaderName = HeaderName::from_static("answer-shortened");

/// Message of a 503 for lack of memory.
const MEMORY_IN_USE: &str = "the memory for responses is in use; try again shortly";

/// The result of a handler.
pub(crate) type ApiResult = Result<Reply, ApiError>;

/// A successful response, to be sent, or stored under an idempotency key and sent again.
pub(crate) struct Reply {
    status: StatusCode,
    tag: Option<Tag>,
    /// How its body was stored, if it is a stored response that is sent again.
    replayed: Option<BodyForm>,
    /// Notes on the items of a batch.
    notes: ItemNotes,
    /// The JSON text, or why it could not be encoded.
    body: Result<Bytes, EncodeError>,
    /// The JSON text of its ids, if it is the response of a write.
    short: Bytes,
    shortened: bool,
    /// The resources that it shows besides the book of the request (behaviour 0.27).
    shows: Vec<Shown>,
    /// The change of permissions that the write made, for the security log.
    changed: Option<&'static str>,
    /// Advice for the caller when the response is too large.
    advice: &'static str,
    /// The memory of the text.
    memory: Option<Reservation>,
    /// The headers of the body.
    content: Content,
}

/// The headers of a body.
pub(crate) struct Content {
    pub(crate) media_type: &'static str,
    /// The `Content-Disposition`.
    pub(crate) disposition: Option<String>,
    /// The `Content-Security-Policy`.
    pub(crate) policy: Option<String>,
}

impl Content {
    pub(crate) const JSON: Self =
        Self { media_type: "application/json", disposition: None, policy: None };

    /// Adds the headers to a response.
    pub(crate) fn write(&self, response: &mut HttpResponseBuilder) {
        response.insert_header((CONTENT_TYPE, self.media_type));
        if let Some(disposition) = &self.disposition {
            response.insert_header((CONTENT_DISPOSITION, disposition.as_str()));
        }
        if let Some(policy) = &self.policy {
            let policy = policy.as_str();
            response.insert_header((CONTENT_SECURITY_POLICY, policy));
        }
    }
}

/// 200 with a body.
pub(crate) fn ok(body: &impl Serialize) -> Reply {
    json(response_budget::encode(body))
}

/// 200 with a list whose items are made one after another while it is encoded.
pub(crate) fn list<'v, T, S: Serialize>(
    rows: &'v [T],
    shape: impl Fn(&'v T) -> S,
    id: impl Fn(&'v T) -> String,
) -> Reply {
    ok(&ItemsOut { items: IterOut(|| rows.iter().map(&shape)) })
        .or_short(&ItemsOut { items: IterOut(|| rows.iter().map(|row| IdOut { id: id(row) })) })
}

/// 200 with the only account or group of a use case, and its version tag.
pub(crate) fn item<'v, T: Item, S: Serialize>(
    items: &'v [T],
    shape: impl FnOnce(&'v T) -> S,
) -> Reply
where
    Tag: From<&'v T>,
{
    let Some(item) = items.first() else { return nothing() };
    ok(&shape(item)).or_short(&IdOut { id: item.id().to_string() }).with_etag(item)
}

/// A list.
#[derive(Serialize)]
struct ItemsOut<L> {
    items: L,
}

/// A resource in a shortened response.
#[derive(Serialize, Deserialize)]
pub(crate) struct IdOut {
    pub(crate) id: String,
}

/// 200 with JSON text, or an error if it could not be encoded.
pub(crate) fn json(text: Result<Bytes, EncodeError>) -> Reply {
    Reply { status: StatusCode::OK, body: text, ..no_content() }
}

/// 200 with other content than JSON, or an error if it could not be encoded.
pub(crate) fn content(body: Result<Bytes, EncodeError>, content: Content) -> Reply {
    Reply { content, ..json(body) }
}

/// 500, for a use case about one resource that returned none: an empty response would look like
/// success.
pub(crate) fn nothing() -> Reply {
    let fault = "a use case about one resource returned none".to_owned();
    Reply { body: Err(EncodeError::Fault(fault)), ..no_content() }
}

/// Replaces 404 for the one resource of an operation by 204 if `tolerant` (behaviour 4.4).
pub(crate) fn missing_as_no_content(outcome: ApiResult, tolerant: bool) -> ApiResult {
    match outcome {
        Err(error) if tolerant && error.is_missing_resource() => Ok(no_content()),
        outcome => outcome,
    }
}

/// 204: neither body nor content type (behaviour 0.6).
pub(crate) fn no_content() -> Reply {
    Reply {
        status: StatusCode::NO_CONTENT,
        tag: None,
        replayed: None,
        notes: ItemNotes::default(),
        body: Ok(Bytes::new()),
        short: Bytes::from_static(b"{}"),
        shortened: false,
        shows: Vec::new(),
        changed: None,
        advice: "ask for single resources",
        memory: None,
        content: Content::JSON,
    }
}

impl Reply {
    /// Adds the version tag of the one resource it shows (behaviour 0.17).
    pub(crate) fn with_etag(self, tag: impl Into<Tag>) -> Self {
        Self { tag: Some(tag.into()), ..self }
    }

    /// Names the resources that it shows besides the book of the request. A repetition is refused
    /// to callers who no longer see them (behaviour 0.27).
    pub(crate) fn showing(self, shown: impl Iterator<Item = Shown>) -> Self {
        Self { shows: shown.collect(), ..self }
    }

    /// Names the change of permissions, where the route does not (behaviour 11.24).
    pub(crate) fn changing(self, changed: Option<&'static str>) -> Self {
        Self { changed, ..self }
    }

    /// Adds advice for the caller when the response is too large.
    pub(crate) fn on_too_large(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    /// Adds the form to which the response of a write is shortened.
    pub(crate) fn or_short(self, short: &impl Serialize) -> Self {
        match serde_json::to_vec(short) {
            Ok(short) => Self { short: short.into(), ..self },
            Err(error) => Self { body: Err(error.into()), ..self },
        }
    }

    /// Shortens the response of a write if it could not be encoded within its limits.
    pub(crate) fn shortened_if_too_large(self) -> Self {
        match self.body {
            Err(EncodeError::TooLarge | EncodeError::MemoryExhausted) => {
                Self { body: Ok(self.short.clone()), shortened: true, memory: None, ..self }
            }
            Ok(_) | Err(EncodeError::Fault(_)) => self,
        }
    }

    /// Keeps the memory of the text until it has been sent.
    pub(crate) fn with_memory(self, memory: Option<Reservation>) -> Self {
        Self { memory, ..self }
    }

    /// Adds notes on the items of a batch.
    pub(crate) fn noting(self, notes: ItemNotes) -> Self {
        Self { notes, ..self }
    }

    /// Returns the id in the body.
    pub(crate) fn id(&self) -> Option<String> {
        let body = self.body.as_ref().ok()?;
        serde_json::from_slice::<IdOut>(body).ok().map(|out| out.id)
    }

    /// Replaces the body by one that is made from it. A body of ids alone stays.
    ///
    /// # Errors
    /// The error of `change`; 500 for a body that is not a `T`.
    pub(crate) fn amend<T: DeserializeOwned, R: Serialize>(
        self,
        change: impl FnOnce(T) -> Result<R, ApiError>,
    ) -> ApiResult {
        if self.shortened || self.replayed == Some(BodyForm::Ids) {
            return Ok(self);
        }
        let text = self.body.map_err(|fault| encoding_error(fault, self.advice))?;
        let body = serde_json::from_slice(&text);
        let changed = change(body.map_err(|error| RequestError::Failed(error.to_string()))?)?;
        let body = response_budget::encode(&changed);
        Ok(Self { body, ..self })
    }

    /// Returns the response as it is stored under an idempotency key; `None` if its body is too
    /// large for that.
    ///
    /// # Errors
    /// 500 if it could not be encoded.
    pub(crate) fn to_stored(&self) -> Result<Option<StoredResponse>, ApiError> {
        let body =
            self.body.as_ref().map_err(|fault| encoding_error(fault.clone(), self.advice))?;
        if self.shortened {
            return Ok(None);
        }
        Ok(stored_body::encode(body)?.map(|(form, body)| self.stored(form, body)))
    }

    /// Returns the response as it is stored with the ids alone.
    ///
    /// # Errors
    /// 500 if the ids cannot be compressed.
    pub(crate) fn to_stored_ids(&self) -> Result<StoredResponse, ApiError> {
        Ok(self.stored(BodyForm::Ids, stored_body::compress(&self.short)?))
    }

    fn stored(&self, form: BodyForm, body: Vec<u8>) -> StoredResponse {
        StoredResponse {
            status: self.status.as_u16(),
            tag: self.tag.as_ref().map(|tag| tag.as_str().to_owned()),
            body,
            form,
            notes: self.notes.stored(),
            shows: self.shows.clone(),
        }
    }

    /// Restores a stored response.
    ///
    /// # Errors
    /// 500 for an invalid status.
    pub(crate) fn replay(response: StoredResponse) -> ApiResult {
        let StoredResponse { status, tag, body, form, notes, shows } = response;
        let status = StatusCode::from_u16(status)
            .map_err(|error| RequestError::Failed(error.to_string()))?;
        let (body, notes) = (stored_body::restore(form, body), ItemNotes::read(notes.as_deref()));
        let (replayed, tag) = (Some(form), tag.map(Tag::stored));
        Ok(Self { status, tag, replayed, notes, body, shows, ..no_content() })
    }
}

/// Returns the error for a response that could not be encoded.
pub(crate) fn encoding_error(fault: EncodeError, advice: &'static str) -> RequestError {
    match fault {
        EncodeError::TooLarge => RequestError::ResponseTooLarge(advice),
        EncodeError::MemoryExhausted => RequestError::Overloaded(MEMORY_IN_USE),
        EncodeError::Fault(fault) => RequestError::Failed(fault),
    }
}

impl Responder for Reply {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.changed.into_iter().for_each(|what| security::note_change(request, what));
        let body = match self.body {
            Ok(body) => body,
            Err(fault) => {
                return ApiError::from(encoding_error(fault, self.advice)).error_response();
            }
        };
        let mut response = HttpResponse::build(self.status);
        if let Some(tag) = self.tag {
            response.insert_header((ETAG, format!("\"{}\"", tag.as_str())));
        }
        if let Some(form) = self.replayed {
            response.insert_header((REPLAYED, "true"));
            if form == BodyForm::Ids {
                response.insert_header((IDS_ONLY, "ids"));
            }
        }
        self.notes.write(&mut response);
        if self.shortened {
            response.insert_header((SHORTENED, "true"));
        }
        if self.status == StatusCode::NO_CONTENT {
            response.finish()
        } else {
            self.content.write(&mut response);
            compression::with_body(response, request, body, self.memory)
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn missing_result_is_an_error() {
        let response = nothing().respond_to(&TestRequest::default().to_http_request());
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        // Nor is it stored, so that the write of its idempotency key is undone.
        assert!(nothing().to_stored().is_err());
    }
}
