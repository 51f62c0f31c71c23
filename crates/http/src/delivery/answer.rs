//! The answers of apps (behaviour 8.7).

use std::str::FromStr;

use daybook_domain::delivery::{DeliveryAttempt, ResponseText, read_answer};
use daybook_domain::json::{Json, Object};
use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use serde_json::Value;

use crate::outgoing::Failure;

/// What an answer, or none, makes of a delivery. Of these secrets, which the app was told or has
/// told, nothing stays: readers of the book see what it says.
pub(super) fn read(
    answer: Result<Response<Vec<u8>>, Failure>,
    secrets: &[String],
) -> DeliveryAttempt {
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => return DeliveryAttempt::Failed(failure.to_string()),
    };
    let status = answer.status();
    if status == StatusCode::TOO_MANY_REQUESTS {
        return DeliveryAttempt::Busy(answer.headers().get(RETRY_AFTER).and_then(seconds));
    }
    if !status.is_success() {
        return DeliveryAttempt::Failed(format!("status {}", status.as_u16()));
    }
    match said(answer.body(), secrets) {
        Some(remark) => DeliveryAttempt::Answered(remark),
        None => DeliveryAttempt::Failed(format!(
            "status {}, with a body that is no JSON object",
            status.as_u16()
        )),
    }
}

/// Seconds; a date is not read (RFC 9110, 10.2.3).
fn seconds(value: &HeaderValue) -> Option<i64> {
    i64::from_str(value.to_str().ok()?.trim()).ok()
}

/// What a body says; none where it cannot be read.
#[expect(clippy::option_option, reason = "a body that says nothing is not one that is unreadable")]
fn said(body: &[u8], secrets: &[String]) -> Option<Option<ResponseText>> {
    if body.trim_ascii().is_empty() {
        return Some(None);
    }
    match serde_json::from_slice(body).ok()? {
        Value::Object(fields) => {
            let known = fields.into_iter().filter_map(|(key, value)| Some((key, json(value)?)));
            Some(read_answer(&known.collect::<Object>(), secrets))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            None
        }
    }
}

/// A value as the domain has it: null is none, and a fraction a text.
fn json(value: Value) -> Option<Json> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => Json::Bool(flag),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Json::text(number.to_string()), Json::Number)
        }
        Value::String(text) => Json::Text(text),
        Value::Array(items) => Json::List(items.into_iter().filter_map(json).collect()),
        Value::Object(fields) => {
            let fields = fields.into_iter().filter_map(|(key, value)| Some((key, json(value)?)));
            Json::Object(fields.collect())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use daybook_domain::delivery::ResponseKind;

    fn answer(status: u16, retry_after: Option<&str>, body: &str) -> DeliveryAttempt {
        let mut answer = Response::builder().status(status);
        if let Some(text) = retry_after {
            answer = answer.header(RETRY_AFTER, text);
        }
        read(Ok(answer.body(body.as_bytes().to_vec()).unwrap()), &["s3cret".to_owned()])
    }

    #[test]
    fn what_answers_make_of_a_delivery() {
        let info = |text: &str| {
            let message = text.to_owned();
            DeliveryAttempt::Answered(Some(ResponseText { kind: ResponseKind::Info, message }))
        };
        let silent = DeliveryAttempt::Answered(None);
        for (status, body, expected) in [
            (200, "", silent.clone()),
            (204, " \n", silent.clone()),
            (200, "{}", silent.clone()),
            (200, r#"{"result":false}"#, silent.clone()),
            (200, r#"{"result":null,"more":1.5}"#, silent),
            (200, r#"{"result":true}"#, info("OK")),
            (201, r#"{"result":["a",null,"b",2.5]}"#, info("a\nb\n2.5")),
            (200, r#"{"result":{"a":null,"b":[1]}}"#, info(r#"{"b":[1]}"#)),
            (200, r#"{"result":"token s3\u0063ret"}"#, info("token [removed]")),
        ] {
            assert_eq!(answer(status, None, body), expected, "8.7: {status} {body}");
        }
        for (status, body) in [
            (200, "no"),
            (200, "[]"),
            (200, "\"OK\""),
            (200, "{"),
            (302, ""),
            (500, "{}"),
            (404, ""),
        ] {
            let attempt = answer(status, None, body);
            assert!(matches!(attempt, DeliveryAttempt::Failed(_)), "8.7: {status} {body}");
        }
    }

    #[test]
    fn busy_apps_say_for_how_long() {
        for (text, expected) in [
            (None, None),
            (Some("7"), Some(7)),
            (Some(" 7 "), Some(7)),
            (Some("-1"), Some(-1)),
            (Some("Wed, 21 Oct 2026 07:28:00 GMT"), None),
        ] {
            assert_eq!(answer(429, text, "{}"), DeliveryAttempt::Busy(expected), "8.8: {text:?}");
        }
    }

    #[test]
    fn failures_say_why() {
        let told = DeliveryAttempt::Failed("status 503".to_owned());
        assert_eq!(answer(503, Some("5"), ""), told);
        let none = read(Err(Failure::Address), &[]);
        assert_eq!(none, DeliveryAttempt::Failed("the address may not be reached".to_owned()));
    }
}
