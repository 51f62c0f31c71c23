//! Answers of apps to webhooks (behaviour 8.7).

use std::str::FromStr;

use daybook_domain::delivery::{DeliveryAttempt, ResponseText, read_response};
use daybook_domain::json::{Json, Object};
use daybook_edge::outgoing::Failure;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use serde_json::Value;

/// Classifies the answer of an app, or its absence.
///
/// Readers of the book see the result, so it must not contain `secrets`: the tokens and keys of the
/// request.
pub(crate) fn classify(
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
    match parse_body(answer.body(), secrets) {
        Body::Unreadable => DeliveryAttempt::Failed(format!(
            "status {}, with a body that is not a JSON object",
            status.as_u16()
        )),
        Body::Response(response) => DeliveryAttempt::Answered(response),
    }
}

/// Parses a number of seconds. Dates are not supported (RFC 9110, 10.2.3).
fn seconds(value: &HeaderValue) -> Option<i64> {
    i64::from_str(value.to_str().ok()?.trim()).ok()
}

/// The body of an answer.
enum Body {
    /// The response of the app, if it has something to say.
    Response(Option<ResponseText>),
    /// Not a JSON object.
    Unreadable,
}

fn parse_body(body: &[u8], secrets: &[String]) -> Body {
    if body.trim_ascii().is_empty() {
        return Body::Response(None);
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => {
            let known = fields.into_iter().filter_map(|(key, value)| Some((key, json(value)?)));
            Body::Response(read_response(&known.collect::<Object>(), secrets))
        }
        Ok(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
        )
        | Err(_) => Body::Unreadable,
    }
}

/// Converts a value to the domain's JSON: null is absent, and a fraction is a text.
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
        classify(Ok(answer.body(body.as_bytes().to_vec()).unwrap()), &["s3cret".to_owned()])
    }

    #[test]
    fn answers_are_classified_by_status_and_body() {
        let info = |text: &str| {
            let message = text.to_owned();
            DeliveryAttempt::Answered(Some(ResponseText { kind: ResponseKind::Info, message }))
        };
        let empty = DeliveryAttempt::Answered(None);
        for (status, body, expected) in [
            (200, "", empty.clone()),
            (204, " \n", empty.clone()),
            (200, "{}", empty.clone()),
            (200, r#"{"result":false}"#, empty.clone()),
            (200, r#"{"result":null,"more":1.5}"#, empty),
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
    fn busy_answers_carry_retry_after_in_seconds() {
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
    fn failures_name_their_cause() {
        let unavailable = DeliveryAttempt::Failed("status 503".to_owned());
        assert_eq!(answer(503, Some("5"), ""), unavailable);
        let unreachable = classify(Err(Failure::Address), &[]);
        let expected = DeliveryAttempt::Failed("the address may not be reached".to_owned());
        assert_eq!(unreachable, expected);
    }
}
