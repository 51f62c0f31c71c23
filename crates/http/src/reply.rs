//! Successful answers.

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ContentType, ETAG, HeaderName};
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError};
use daybook_domain::idempotency::{BodyForm, StoredAnswer};
use daybook_domain::rights::Shown;
use daybook_domain::version::Tag;
use daybook_service::idempotency::Once;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, RequestError};
use crate::kept_body;
use crate::security::note_change;

/// Marks an answer that was given before (behaviour 0.16).
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Marks one of them that has only the ids of what was answered (behaviour 0.38).
const IDS_ONLY: HeaderName = HeaderName::from_static("idempotency-answer");

/// How many items of a batch were skipped (behaviour 3.6.4).
const SKIPPED: HeaderName = HeaderName::from_static("skipped-items");

/// What a handler answers.
pub(crate) type ApiResult = Result<Reply, ApiError>;

/// A successful answer, to be sent, or stored under an idempotency key and sent again.
pub(crate) struct Reply {
    status: StatusCode,
    tag: Option<Tag>,
    /// How its body was stored, if it was given before.
    replayed: Option<BodyForm>,
    /// Items of a batch that were skipped; only of a 204.
    skipped: usize,
    /// The JSON text, or why it could not be written.
    body: Result<Vec<u8>, String>,
    /// What it shows besides the book of the request (behaviour 0.27).
    shows: Vec<Shown>,
    /// What it changed of who may do what, for the security log.
    changed: Option<&'static str>,
}

/// 200 with a body.
pub(crate) fn ok(body: &impl Serialize) -> Reply {
    json(serde_json::to_vec(body))
}

/// 200 with a body that is JSON text already.
pub(crate) fn json(text: serde_json::Result<Vec<u8>>) -> Reply {
    Reply {
        status: StatusCode::OK,
        tag: None,
        replayed: None,
        skipped: 0,
        body: text.map_err(|error| error.to_string()),
        shows: Vec::new(),
        changed: None,
    }
}

/// 500, for a use case about one resource that answered none: an empty answer would look like
/// success.
pub(crate) fn nothing() -> Reply {
    Reply { body: Err("a use case about one resource answered none".to_owned()), ..no_content() }
}

/// 204: neither body nor content type (behaviour 0.6).
pub(crate) fn no_content() -> Reply {
    let status = StatusCode::NO_CONTENT;
    let (body, shows) = (Ok(Vec::new()), Vec::new());
    Reply { status, tag: None, replayed: None, skipped: 0, body, shows, changed: None }
}

impl Reply {
    /// Adds the version tag of the one resource it shows (behaviour 0.17).
    pub(crate) fn tagged(self, tag: impl Into<Tag>) -> Self {
        Self { tag: Some(tag.into()), ..self }
    }

    /// Names what it shows besides the book of the request, for who asks again and may have lost
    /// the sight of it (behaviour 0.27).
    pub(crate) fn showing(self, shown: impl Iterator<Item = Shown>) -> Self {
        Self { shows: shown.collect(), ..self }
    }

    /// Says what it changed of who may do what, where the route does not (behaviour 11.24).
    pub(crate) fn changing(self, changed: Option<&'static str>) -> Self {
        Self { changed, ..self }
    }

    /// Whether the answer was given before.
    pub(crate) const fn is_replayed(&self) -> bool {
        self.replayed.is_some()
    }

    /// Says how many items of a batch were skipped; it is not said of none.
    pub(crate) fn skipping(self, skipped: usize) -> Self {
        Self { skipped, ..self }
    }

    /// The same answer with another body, made from this one.
    ///
    /// # Errors
    /// What `change` answers; 500 for a body that is not a `T`.
    pub(crate) fn amend<T: DeserializeOwned, R: Serialize>(
        self,
        change: impl FnOnce(T) -> Result<R, ApiError>,
    ) -> ApiResult {
        let text = self.body.map_err(RequestError::Failed)?;
        let body = serde_json::from_slice(&text);
        let changed = change(body.map_err(|error| RequestError::Failed(error.to_string()))?)?;
        let body = serde_json::to_vec(&changed).map_err(|error| error.to_string());
        Ok(Self { body, ..self })
    }

    /// The form that is stored under an idempotency key. A 204 has no body; what is stored in its
    /// place is the number of skipped items, if there are any.
    ///
    /// # Errors
    /// 500 when its JSON could not be written.
    pub(crate) fn to_answer(&self) -> Result<StoredAnswer, ApiError> {
        let body = self.body.as_ref().map_err(|fault| RequestError::Failed(fault.clone()))?;
        let (form, body) = if self.skipped > 0 {
            (BodyForm::Plain, self.skipped.to_string().into_bytes())
        } else {
            kept_body::keep(body)?
        };
        Ok(StoredAnswer {
            status: self.status.as_u16(),
            tag: self.tag.as_ref().map(|tag| tag.as_str().to_owned()),
            body,
            form,
            shows: self.shows.clone(),
        })
    }
}

impl TryFrom<StoredAnswer> for Reply {
    type Error = ApiError;

    /// An answer that was given before.
    fn try_from(answer: StoredAnswer) -> Result<Self, ApiError> {
        let StoredAnswer { status, tag, body, form, shows } = answer;
        let status = StatusCode::from_u16(status)
            .map_err(|error| RequestError::Failed(error.to_string()))?;
        let body = kept_body::restore(form, body)?;
        let stored = std::str::from_utf8(&body).ok().and_then(|text| text.parse().ok());
        let (skipped, body) = match stored.filter(|_| status == StatusCode::NO_CONTENT) {
            Some(skipped) => (skipped, Vec::new()),
            None => (0, body),
        };
        let replayed = Some(form);
        let (tag, body) = (tag.map(Tag::stored), Ok(body));
        Ok(Self { status, tag, replayed, skipped, body, shows, changed: None })
    }
}

impl TryFrom<Once<Self>> for Reply {
    type Error = ApiError;

    fn try_from(outcome: Once<Self>) -> Result<Self, ApiError> {
        match outcome {
            Once::Done(reply) => Ok(reply),
            Once::Answered(answer) => answer.try_into(),
        }
    }
}

impl Responder for Reply {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.changed.into_iter().for_each(|what| note_change(request, what));
        let body = match self.body {
            Ok(body) => body,
            Err(fault) => return ApiError::from(RequestError::Failed(fault)).error_response(),
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
        if self.skipped > 0 {
            response.insert_header((SKIPPED, self.skipped));
        }
        if self.status == StatusCode::NO_CONTENT {
            response.finish()
        } else {
            response.content_type(ContentType::json()).body(body)
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn nothing_is_no_success() {
        let answered = nothing().respond_to(&TestRequest::default().to_http_request());
        assert_eq!(answered.status(), StatusCode::INTERNAL_SERVER_ERROR);
        // Nor is it kept, so that the unit of work of its idempotency key is undone.
        assert!(nothing().to_answer().is_err());
    }
}
