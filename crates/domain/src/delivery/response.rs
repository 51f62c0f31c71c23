//! Responses of apps to events (behaviour 8.7).

use super::secret::remove_secrets;
use crate::app::AppId;
use crate::instant::Instant;
use crate::json::{Json, Object};
use crate::named::named;

/// Maximum length of a stored message, in characters.
pub const MAX_MESSAGE: usize = 8_192;

named! {
    /// The severity of a response.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ResponseKind {
        /// The app handled the event.
        Info = "INFO",
        /// The app asks for attention.
        Warning = "WARNING",
        /// The app failed, or the event was not delivered.
        Error = "ERROR",
    }
}

/// The response of an app to an event. A new response replaces the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppResponse {
    /// The app.
    pub app: AppId,
    /// The severity.
    pub kind: ResponseKind,
    /// The message.
    pub message: String,
    /// The time at which it was recorded.
    pub created_at: Instant,
}

/// The severity and message of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseText {
    /// The severity.
    pub kind: ResponseKind,
    /// The message, at most [`MAX_MESSAGE`] characters.
    pub message: String,
}

impl ResponseText {
    /// Creates the ERROR response of an event that was not delivered.
    pub fn error(message: &str) -> Self {
        Self { kind: ResponseKind::Error, message: truncate(message) }
    }

    /// Replaces the message by a shorter notice when the storage quota is used up (behaviour
    /// 10.14).
    #[must_use]
    pub fn with_quota_notice(self) -> Self {
        let message = "not kept: the storage quota is used up".to_owned();
        if message.len() < self.message.len() { Self { message, ..self } } else { self }
    }

    /// Creates the response of `app`.
    pub fn by_app(self, app: AppId, created_at: Instant) -> AppResponse {
        AppResponse { app, kind: self.kind, message: self.message, created_at }
    }
}

/// Reads a response body and removes `secrets` from it.
///
/// `error` has precedence over `warning`, and `warning` over `result`. `false`, blank text and an
/// empty list count as absent. A value that is neither text nor a list of texts is recorded as
/// JSON.
pub fn read_response(body: &Object, secrets: &[String]) -> Option<ResponseText> {
    let read = |key: &str, kind| {
        let message = remove_secrets(&read_message(body.get(key)?)?, secrets);
        Some(ResponseText { kind, message: truncate(&message) })
    };
    read("error", ResponseKind::Error)
        .or_else(|| read("warning", ResponseKind::Warning))
        .or_else(|| read("result", ResponseKind::Info))
}

fn read_message(value: &Json) -> Option<String> {
    let text = match value {
        Json::Bool(false) => return None,
        Json::Bool(true) => "OK".to_owned(),
        Json::Text(text) => text.clone(),
        Json::List(items) => items.iter().map(to_line).collect::<Vec<_>>().join("\n"),
        Json::Number(_) | Json::Object(_) => value.canonical(),
    };
    let text = remove_nul(&text);
    (!text.trim().is_empty()).then_some(text)
}

fn to_line(item: &Json) -> String {
    item.as_text().map_or_else(|| item.canonical(), str::to_owned)
}

/// Removes NUL characters, which databases do not store in a text.
pub(super) fn remove_nul(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').collect()
}

fn truncate(text: &str) -> String {
    remove_nul(text).chars().take(MAX_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(items: &[&str]) -> Json {
        Json::List(items.iter().map(|item| Json::text(*item)).collect())
    }

    #[test]
    fn error_precedes_warning_and_result() {
        use ResponseKind::{Error, Info, Warning};
        let text = Json::text;
        for (result, warning, error, expected) in [
            (None, None, None, None),
            (Some(Json::Bool(false)), None, None, None),
            (Some(Json::Bool(true)), None, None, Some((Info, "OK"))),
            (Some(text("done <b>it</b>")), None, None, Some((Info, "done <b>it</b>"))),
            (Some(text(" ")), None, None, None),
            (Some(list(&[])), None, None, None),
            (Some(list(&["a", "b"])), None, None, Some((Info, "a\nb"))),
            (Some(Json::Number(3)), None, None, Some((Info, "3"))),
            (Some(Json::Object(Object::new())), None, None, Some((Info, "{}"))),
            (Some(Json::List(vec![Json::Number(1), text("x")])), None, None, Some((Info, "1\nx"))),
            (Some(text("r")), Some(text("w")), None, Some((Warning, "w"))),
            (None, Some(list(&["v", "w"])), None, Some((Warning, "v\nw"))),
            (Some(text("r")), Some(text("w")), Some(text("e")), Some((Error, "e"))),
            (None, None, Some(list(&["e", "f"])), Some((Error, "e\nf"))),
            (Some(text("r")), None, Some(Json::Bool(false)), Some((Info, "r"))),
            (None, None, Some(text("a\0b")), Some((Error, "ab"))),
            (None, Some(text("w")), Some(text("\0 \0")), Some((Warning, "w"))),
        ] {
            let mut body = Object::new();
            for (key, value) in [("result", &result), ("warning", &warning), ("error", &error)] {
                body = value.clone().map_or(body.clone(), |value| body.with(key, value));
            }
            let response = read_response(&body, &[]);
            let response =
                response.as_ref().map(|response| (response.kind, response.message.as_str()));
            assert_eq!(response, expected, "8.7: {body:?}");
        }
    }

    #[test]
    fn long_messages_are_truncated() {
        let body = Object::new().with("error", Json::text("é".repeat(MAX_MESSAGE + 1)));
        let message = read_response(&body, &[]).unwrap().message;
        assert_eq!(message.chars().count(), MAX_MESSAGE);
        let error = "x".repeat(MAX_MESSAGE + 1);
        let response =
            ResponseText::error(&error).by_app(AppId::stored("a".to_owned()), Instant::new(1));
        assert_eq!((response.message.len(), response.kind), (MAX_MESSAGE, ResponseKind::Error));
    }

    proptest! {
        #[test]
        fn recorded_messages_are_not_blank(
            result in "\\PC{0,20}",
            warnings in proptest::collection::vec("\\PC{0,5}", 0..4),
        ) {
            let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
            let body = Object::new()
                .with("result", Json::text(result.clone()))
                .with("warning", list(&warnings));
            match read_response(&body, &[]) {
                None => {
                    prop_assert!(result.trim().is_empty());
                    prop_assert!(warnings.iter().all(|warning| warning.trim().is_empty()));
                }
                Some(ResponseText { kind, message }) => {
                    prop_assert!(!message.trim().is_empty());
                    let expected = if kind == ResponseKind::Info {
                        result
                    } else {
                        warnings.join("\n")
                    };
                    prop_assert_eq!(message, expected);
                }
            }
        }
    }
}
