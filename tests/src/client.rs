//! A client of the API, and its answers.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use ureq::{Agent, http};

/// A caller: an address, a token (or none) and extra headers. Clones share the state.
#[derive(Clone)]
pub struct Client {
    caller: Arc<Caller>,
    headers: Vec<(String, String)>,
}

type Mint = Box<dyn Fn() -> String + Send + Sync>;

struct Caller {
    base: String,
    email: String,
    token: OnceLock<String>,
    /// Issues the token at the first request: most tests use two of the eight callers of their
    /// book.
    mint: Option<Mint>,
}

fn agent() -> &'static Agent {
    static AGENT: OnceLock<Agent> = OnceLock::new();
    AGENT.get_or_init(|| {
        Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(512)
            .max_idle_connections_per_host(128)
            // Shorter than the server's keep-alive, so that no request uses a connection that is
            // being closed.
            .max_idle_age(Duration::from_secs(2))
            .timeout_global(Some(Duration::from_secs(120)))
            .build()
            .new_agent()
    })
}

impl Client {
    pub(crate) fn new(base: &str, email: &str, mint: Option<Mint>) -> Client {
        let caller =
            Caller { base: base.to_owned(), email: email.to_owned(), token: OnceLock::new(), mint };
        Client { caller: Arc::new(caller), headers: Vec::new() }
    }

    /// A caller with this token of the server at this address.
    pub fn at(base: &str, token: &str) -> Client {
        let token = token.to_owned();
        Client::new(base, "", Some(Box::new(move || token.clone())))
    }

    /// The caller's e-mail; empty without a token or with a bare token.
    pub fn email(&self) -> &str {
        &self.caller.email
    }

    /// The caller's access token.
    pub fn token(&self) -> Option<&str> {
        let mint = self.caller.mint.as_ref()?;
        Some(self.caller.token.get_or_init(mint))
    }

    /// The same caller as a client of `daybook-client`.
    #[track_caller]
    pub fn typed(&self) -> daybook_client::Client {
        let token = self.token().expect("a caller with a token");
        let client = daybook_client::Client::builder(&self.caller.base).token(token).build();
        client.expect("a client")
    }

    /// The same caller with one more header.
    pub fn header(&self, name: &str, value: &str) -> Client {
        let mut copy = self.clone();
        copy.headers.push((name.to_owned(), value.to_owned()));
        copy
    }

    /// GET.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.send_raw("GET", path, None, &[])
    }

    /// POST with a JSON body.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, body)
    }

    /// PUT with a JSON body.
    #[track_caller]
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, body)
    }

    /// PATCH with a JSON body.
    #[track_caller]
    pub fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send("PATCH", path, body)
    }

    /// DELETE.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.send_raw("DELETE", path, None, &[])
    }

    /// Any method with a JSON body; `Null` sends none.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        if body.is_null() {
            return self.send_raw(method, path, None, &[]);
        }
        self.send_raw(method, path, Some("application/json"), body.to_string().as_bytes())
    }

    /// Sends exactly these bytes under exactly this content type. The path is not encoded.
    #[track_caller]
    pub fn send_raw(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Answer {
        match self.try_send(method, path, content_type, body) {
            Ok(answer) => answer,
            Err(error) => panic!("{method} {path}: no answer: {error}"),
        }
    }

    /// Sends a request whose connection may fail, because the server is being killed.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Answer, ureq::Error> {
        Answer::read(self.run(method, path, content_type, body)?)
    }

    /// The bytes of a file.
    #[track_caller]
    pub fn download(&self, path: &str) -> Vec<u8> {
        let response = self.run("GET", path, None, &[]).expect("a response");
        assert_eq!(response.status(), 200, "{path}");
        response.into_body().with_config().limit(u64::MAX).read_to_vec().expect("a body")
    }

    fn run(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<http::Response<ureq::Body>, ureq::Error> {
        let mut request =
            http::Request::builder().method(method).uri(format!("{}{path}", self.caller.base));
        if let Some(token) = self.token() {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let has_body = !body.is_empty()
            || content_type.is_some()
            || matches!(method, "POST" | "PUT" | "PATCH");
        if has_body { agent().run(request.body(body)?) } else { agent().run(request.body(())?) }
    }
}

/// The content type of a response without an end.
pub const EVENT_STREAM: &str = "text/event-stream";

/// Reads an event stream to its first blank line.
fn first_block(mut stream: impl Read) -> std::io::Result<Vec<u8>> {
    let (mut block, mut byte) = (Vec::new(), [0]);
    while !block.ends_with(b"\n\n") && stream.read(&mut byte)? == 1 {
        block.extend_from_slice(&byte);
    }
    Ok(block)
}

/// An answer. Of an event stream it has the first block only.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body; `Null` when there is none or it is not JSON.
    pub body: Value,
    /// The body as text.
    pub text: String,
    /// The headers, with names in lower case; the values of repeated ones are joined with `, `.
    pub headers: HashMap<String, String>,
}

impl Answer {
    fn read(response: http::Response<ureq::Body>) -> Result<Answer, ureq::Error> {
        let status = response.status().as_u16();
        let mut headers: HashMap<String, String> = HashMap::new();
        for (name, value) in response.headers() {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            headers
                .entry(name.as_str().to_owned())
                .and_modify(|all| *all = format!("{all}, {value}"))
                .or_insert(value);
        }
        let is_stream = headers.get("content-type").is_some_and(|kind| kind == EVENT_STREAM);
        let mut body = response.into_body();
        let bytes = if is_stream {
            first_block(body.as_reader())?
        } else {
            body.with_config().limit(u64::MAX).read_to_vec()?
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Answer { status, body, text, headers })
    }

    fn is_json(&self) -> bool {
        self.headers.get("content-type").is_some_and(|kind| kind.contains("application/json"))
    }

    /// Asserts 200 with a JSON body, and returns the body (0.6).
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "expected 200, got {}: {}", self.status, self.text);
        assert!(
            self.is_json(),
            "0.6: a body needs the content type application/json: {:?}",
            self.headers
        );
        assert!(!self.body.is_null(), "expected a JSON body, got {:?}", self.text);
        self.body
    }

    /// Asserts 204 without body and content type (0.6).
    #[track_caller]
    pub fn no_content(self) {
        assert_eq!(self.status, 204, "expected 204, got {}: {}", self.status, self.text);
        assert_eq!(self.text, "", "0.6: 204 has no body");
        assert_eq!(self.headers.get("content-type"), None, "0.6: 204 has no content type");
    }

    /// Asserts a refusal in the documented shape (10.1, 10.3); returns its message.
    #[track_caller]
    pub fn refused(self, status: u16, reason: &str) -> String {
        let shown = format!("expected {status} {reason}, got {}: {}", self.status, self.text);
        assert_eq!(self.status, status, "{shown}");
        assert!(self.is_json(), "0.6: {:?}; {shown}", self.headers);
        let error = &self.body["error"];
        assert_eq!(error["code"], status, "10.1: error.code; {shown}");
        let Some(message) = error["message"].as_str().filter(|message| !message.trim().is_empty())
        else {
            panic!("10.1: error.message; {shown}");
        };
        let details =
            error["errors"].as_array().unwrap_or_else(|| panic!("10.1: error.errors; {shown}"));
        assert!(!details.is_empty(), "10.1: error.errors[0]; {shown}");
        assert_eq!(details[0]["domain"], "global", "10.1: domain; {shown}");
        assert_eq!(details[0]["reason"], reason, "10.1: reason; {shown}");
        assert!(details[0]["message"].is_string(), "10.1: errors[0].message; {shown}");
        if matches!(status, 401 | 429 | 500..) {
            assert_eq!(self.body["status"], status, "10.3: status; {shown}");
            for field in ["type", "title", "detail", "instance", "code"] {
                assert!(self.body[field].is_string(), "10.3: {field} is a string; {shown}");
            }
        }
        message.to_owned()
    }
}
