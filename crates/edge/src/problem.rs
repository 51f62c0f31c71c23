//! The body of an error (behaviour 10.1, 10.3).

use actix_web::http::StatusCode;
use serde::Serialize;

/// The body of an error (behaviour 10.1).
#[derive(Serialize)]
pub(crate) struct ErrorOut {
    error: WireError,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemOut>,
}

#[derive(Serialize)]
struct WireError {
    code: u16,
    message: String,
    errors: Vec<ErrorItem>,
}

#[derive(Serialize)]
struct ErrorItem {
    domain: &'static str,
    reason: &'static str,
    message: String,
}

/// The problem-details fields of 401, 429 and 5xx (behaviour 10.3).
#[derive(Serialize)]
struct ProblemOut {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    instance: &'static str,
    code: String,
}

impl ErrorOut {
    /// Creates the body of an error.
    pub(crate) fn new(status: StatusCode, reason: &'static str, message: String) -> Self {
        let code = status.as_u16();
        let problem = (code == 401 || code == 429 || code >= 500).then(|| ProblemOut {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: code,
            detail: message.clone(),
            instance: "",
            code: code.to_string(),
        });
        let errors = vec![ErrorItem { domain: "global", reason, message: message.clone() }];
        Self { error: WireError { code, message, errors }, problem }
    }

    /// Adds an entry for each refused item of a batch (behaviour 3.6.5).
    pub(crate) fn with_items(self, items: Vec<(&'static str, String)>) -> Self {
        if items.len() < 2 {
            return self;
        }
        let entry = |(reason, message)| ErrorItem { domain: "global", reason, message };
        let errors = items.into_iter().map(entry).collect();
        Self { error: WireError { errors, ..self.error }, ..self }
    }
}
