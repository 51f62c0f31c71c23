//! Successful answers.

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ContentType, ETAG, HeaderName};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError};
use daybook_domain::idempotency::{BodyForm, StoredAnswer};
use daybook_domain::version::Tag;
use daybook_domain::view_rights::Shown;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::budget::MemoryShare;
use crate::compression;
use crate::error::{ApiError, RequestError};
use crate::item_notes::ItemNotes;
use crate::kept_body;
use crate::response_budget::{self, EncodeError};
use crate::security::note_change;
use crate::wire::IterOut;

/// Marks an answer that was given before (behaviour 0.16).
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Marks one of them that has only the ids of what was answered (behaviour 0.38).
const IDS_ONLY: HeaderName = HeaderName::from_static("idempotency-answer");

/// Marks the answer of a write that shows less (behaviour 0.33).
const SHORTENED: HeaderName = HeaderName::from_static("answer-shortened");

/// Why a large answer is not given.
const CROWDED: &str = "the memory for answers is in use; try again shortly";

/// What a handler answers.
pub(crate) type ApiResult = Result<Reply, ApiError>;

/// A successful answer, to be sent, or stored under an idempotency key and sent again.
pub(crate) struct Reply {
    status: StatusCode,
    tag: Option<Tag>,
    /// How its body was stored, if it was given before.
    replayed: Option<BodyForm>,
    /// What it says of the items of a batch.
    notes: ItemNotes,
    /// Whether it shows less than what was asked for (behaviour 0.33).
    shortened: bool,
    /// The JSON text, or why it could not be written.
    body: Result<Bytes, EncodeError>,
    /// What it shows besides the book of the request (behaviour 0.27).
    shows: Vec<Shown>,
    /// What it changed of who may do what, for the security log.
    changed: Option<&'static str>,
    /// What a caller may ask for whose answer takes too much room.
    advice: &'static str,
    /// The memory of the text.
    share: Option<MemoryShare>,
}

/// 200 with a body.
pub(crate) fn ok(body: &impl Serialize) -> Reply {
    json(response_budget::write(body))
}

/// 200 with a list whose items are made while it is written; after a write that takes too much
/// room, with their ids alone.
pub(crate) fn list<'v, T, S: Serialize>(
    rows: &'v [T],
    shown: impl Fn(&'v T) -> S,
    id: impl Fn(&'v T) -> String,
) -> Reply {
    ok(&ItemsOut { items: IterOut(|| rows.iter().map(&shown)) })
        .or_short(|| ItemsOut { items: IterOut(|| rows.iter().map(|row| IdOut { id: id(row) })) })
}

/// A list.
#[derive(Serialize)]
struct ItemsOut<L> {
    items: L,
}

/// What is left of a resource in an answer that was shortened.
#[derive(Serialize)]
pub(crate) struct IdOut {
    pub(crate) id: String,
}

/// 200 with a body that is JSON text already.
pub(crate) fn json(text: Result<Bytes, EncodeError>) -> Reply {
    Reply { status: StatusCode::OK, body: text, ..no_content() }
}

/// 500, for a use case about one resource that answered none: an empty answer would look like
/// success.
pub(crate) fn nothing() -> Reply {
    let fault = "a use case about one resource answered none".to_owned();
    Reply { body: Err(EncodeError::Fault(fault)), ..no_content() }
}

/// The answer of an operation about one resource. With `tolerant` it is 204 instead of 404 when
/// that resource is missing (behaviour 4.4).
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
        shortened: false,
        body: Ok(Bytes::new()),
        shows: Vec::new(),
        advice: "ask for single resources",
        share: None,
        changed: None,
    }
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

    /// What a caller may ask for instead, when the answer takes too much room.
    pub(crate) fn advising(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    /// Shows less, if the answer of a write takes too much room: the write is done.
    pub(crate) fn or_short<S: Serialize>(self, short: impl FnOnce() -> S) -> Self {
        if !self.has_no_room() || !response_budget::shortens() {
            return self;
        }
        Self { body: response_budget::write_short(&short()), shortened: true, ..self }
    }

    /// Whether there was no room for it.
    pub(crate) const fn has_no_room(&self) -> bool {
        matches!(self.body, Err(EncodeError::TooLarge | EncodeError::Crowded))
    }

    /// Holds the memory of its text until it has been sent.
    pub(crate) fn holding(self, share: Option<MemoryShare>) -> Self {
        Self { share, ..self }
    }

    /// Says what became of the items of a batch.
    pub(crate) fn noting(self, notes: ItemNotes) -> Self {
        Self { notes, ..self }
    }

    /// The same answer with another body, made from this one.
    ///
    /// # Errors
    /// What `change` answers; 500 for a body that is not a `T`.
    pub(crate) fn amend<T: DeserializeOwned, R: Serialize>(
        self,
        change: impl FnOnce(T) -> Result<R, ApiError>,
    ) -> ApiResult {
        let text = self.body.map_err(|fault| unanswered(fault, self.advice))?;
        let body = serde_json::from_slice(&text);
        let changed = change(body.map_err(|error| RequestError::Failed(error.to_string()))?)?;
        let body = response_budget::write(&changed);
        Ok(Self { body, ..self })
    }

    /// What is kept of its body under an idempotency key, unless that is too large.
    ///
    /// # Errors
    /// 500 when its JSON could not be written.
    pub(crate) fn kept(&self) -> Result<Option<(BodyForm, Vec<u8>)>, ApiError> {
        let body = self.body.as_ref().map_err(|fault| unanswered(fault.clone(), self.advice))?;
        if self.shortened {
            return Ok(Some(kept_body::keep_ids(body)?));
        }
        Ok(kept_body::keep(body)?)
    }

    /// The form that is stored, with what is kept of its body.
    pub(crate) fn stored(&self, (form, body): (BodyForm, Vec<u8>)) -> StoredAnswer {
        StoredAnswer {
            status: self.status.as_u16(),
            tag: self.tag.as_ref().map(|tag| tag.as_str().to_owned()),
            body,
            form,
            notes: self.notes.stored(),
            shows: self.shows.clone(),
        }
    }

    /// The answer and the form of it that is stored: without its body where that is too large.
    ///
    /// # Errors
    /// As [`Self::kept`].
    pub(crate) fn and_stored(self) -> Result<(Self, StoredAnswer), ApiError> {
        let kept = match self.kept()? {
            Some(kept) => kept,
            None => kept_body::keep_ids(b"{}")?,
        };
        let stored = self.stored(kept);
        Ok((self, stored))
    }

    /// An answer that was given before, in the room of this thread.
    ///
    /// # Errors
    /// 500 for what is no status.
    pub(crate) fn again(answer: StoredAnswer) -> ApiResult {
        let StoredAnswer { status, tag, body, form, notes, shows } = answer;
        let status = StatusCode::from_u16(status)
            .map_err(|error| RequestError::Failed(error.to_string()))?;
        let (body, notes) = (kept_body::restore(form, body), ItemNotes::read(notes.as_deref()));
        let (replayed, tag) = (Some(form), tag.map(Tag::stored));
        Ok(Self { status, tag, replayed, notes, body, shows, ..no_content() })
    }

    /// Whether it shows less than what was asked for.
    pub(crate) const fn is_shortened(&self) -> bool {
        self.shortened
    }
}

/// The error in place of an answer that could not be written.
fn unanswered(fault: EncodeError, advice: &'static str) -> RequestError {
    match fault {
        EncodeError::TooLarge => RequestError::AnswerTooLarge(advice),
        EncodeError::Crowded => RequestError::Crowded(CROWDED),
        EncodeError::Fault(fault) => RequestError::Failed(fault),
    }
}

impl Responder for Reply {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.changed.into_iter().for_each(|what| note_change(request, what));
        let body = match self.body {
            Ok(body) => body,
            Err(fault) => return ApiError::from(unanswered(fault, self.advice)).error_response(),
        };
        if let Some(share) = self.share {
            share.leave_with(request);
        }
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
            response.content_type(ContentType::json());
            compression::with_body(response, request, body)
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
        assert!(nothing().kept().is_err());
    }
}
