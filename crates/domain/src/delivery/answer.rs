//! What apps answer to an event, and what that means (behaviour 8.7).

use super::secret::without_secrets;
use crate::app::AppId;
use crate::instant::Instant;
use crate::json::{Json, Object};

/// The most characters of a message that are kept.
pub const MAX_MESSAGE: usize = 8_192;

/// How an app took an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResponseKind {
    /// It did something.
    Info,
    /// It did something, or nothing, and there is something to look at.
    Warning,
    /// It could not do its part.
    Error,
}

impl ResponseKind {
    const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The kind as the API names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        }
    }

    /// Finds the kind with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// What an app has to say about an event. There is one of each app; a new one replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppResponse {
    /// The app.
    pub app: AppId,
    /// How it took the event.
    pub kind: ResponseKind,
    /// What it says.
    pub message: String,
    /// When it said so.
    pub created_at: Instant,
}

/// What is recorded of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseText {
    /// How the app took the event.
    pub kind: ResponseKind,
    /// What it says, at most [`MAX_MESSAGE`] characters of it.
    pub message: String,
}

impl ResponseText {
    /// A remark of the server itself: the event did not reach the app.
    #[must_use]
    pub fn failed(why: &str) -> Self {
        Self { kind: ResponseKind::Error, message: cut(why) }
    }

    /// The same where there is no room for what it says (behaviour 10.14).
    #[must_use]
    pub fn without_message(self) -> Self {
        let message = "not kept: the storage quota is used up".to_owned();
        if message.len() < self.message.len() { Self { message, ..self } } else { self }
    }

    /// The response to an event that records it.
    #[must_use]
    pub fn of(self, app: AppId, created_at: Instant) -> AppResponse {
        AppResponse { app, kind: self.kind, message: self.message, created_at }
    }
}

/// Reads an answer: `error` beats `warning`, which beats `result`. A value that says nothing counts
/// as absent: `false`, blank text, an empty list. One that is neither text nor a list of texts is
/// recorded as it was written.
///
/// ```
/// use daybook_domain::delivery::{ResponseKind, read_answer};
/// use daybook_domain::json::{Json, Object};
/// let answer = Object::new().with("result", Json::Bool(true));
/// let remark = read_answer(&answer, &[]).unwrap();
/// assert_eq!((remark.kind, remark.message.as_str()), (ResponseKind::Info, "OK"));
/// assert_eq!(read_answer(&Object::new(), &[]), None);
/// ```
#[must_use]
pub fn read_answer(answer: &Object, secrets: &[String]) -> Option<ResponseText> {
    let said = |key: &str, kind| {
        let message = without_secrets(&message(answer.get(key)?)?, secrets);
        Some(ResponseText { kind, message: cut(&message) })
    };
    said("error", ResponseKind::Error)
        .or_else(|| said("warning", ResponseKind::Warning))
        .or_else(|| said("result", ResponseKind::Info))
}

fn message(value: &Json) -> Option<String> {
    let text = match value {
        Json::Bool(false) => return None,
        Json::Bool(true) => "OK".to_owned(),
        Json::Text(text) => text.clone(),
        Json::List(items) => items.iter().map(line).collect::<Vec<_>>().join("\n"),
        Json::Number(_) | Json::Object(_) => value.canonical(),
    };
    let text = kept(&text);
    (!text.trim().is_empty()).then_some(text)
}

fn line(item: &Json) -> String {
    item.as_text().map_or_else(|| item.canonical(), str::to_owned)
}

/// No database keeps the character NUL in a text.
fn kept(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').collect()
}

fn cut(text: &str) -> String {
    kept(text).chars().take(MAX_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(items: &[&str]) -> Json {
        Json::List(items.iter().map(|item| Json::text(*item)).collect())
    }

    #[test]
    fn what_answers_mean() {
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
            let mut answer = Object::new();
            for (key, value) in [("result", &result), ("warning", &warning), ("error", &error)] {
                answer = value.clone().map_or(answer.clone(), |value| answer.with(key, value));
            }
            let read = read_answer(&answer, &[]);
            let read = read.as_ref().map(|remark| (remark.kind, remark.message.as_str()));
            assert_eq!(read, expected, "8.7: {answer:?}");
        }
    }

    #[test]
    fn kinds_are_known_by_their_names() {
        for kind in ResponseKind::ALL {
            assert_eq!(ResponseKind::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(ResponseKind::from_name("info"), None);
    }

    #[test]
    fn long_messages_are_cut() {
        let answer = Object::new().with("error", Json::text("é".repeat(MAX_MESSAGE + 1)));
        let kept = read_answer(&answer, &[]).unwrap().message;
        assert_eq!(kept.chars().count(), MAX_MESSAGE);
        let why = "x".repeat(MAX_MESSAGE + 1);
        let response =
            ResponseText::failed(&why).of(AppId::stored("a".to_owned()), Instant::new(1));
        assert_eq!((response.message.len(), response.kind), (MAX_MESSAGE, ResponseKind::Error));
    }

    proptest! {
        #[test]
        fn whatever_is_recorded_says_something(
            result in "\\PC{0,20}",
            warnings in proptest::collection::vec("\\PC{0,5}", 0..4),
        ) {
            let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
            let answer = Object::new()
                .with("result", Json::text(result.clone()))
                .with("warning", list(&warnings));
            match read_answer(&answer, &[]) {
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
