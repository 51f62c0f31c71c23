//! A browser as far as signing in needs one: it keeps the cookies of one server, and tells the
//! origin of the forms that it sends. It follows no redirect and runs no script.

use std::process::Command;

use crate::{Answer, Client, Server, encode, unique_address};

/// The cookies that this server sets.
const COOKIES: [&str; 3] = ["daybook_session", "daybook_return", "daybook_sign_in"];

/// A browser.
pub struct Browser {
    /// The server that it asks.
    pub server: Client,
    /// Its cookies: name and value.
    pub cookies: Vec<(String, String)>,
    /// The origin of the pages of the server.
    pub origin: String,
}

impl Browser {
    /// A browser without cookies.
    pub fn new(server: &Server) -> Self {
        let origin = format!("http://{}", server.address());
        let server = server.anonymous().header("X-Forwarded-For", &unique_address());
        Self { server, cookies: Vec::new(), origin }
    }

    /// A browser in which somebody has signed in.
    #[track_caller]
    pub fn signed_in(server: &Server, email: &str) -> Self {
        let mut browser = Self::new(server);
        let answer = browser.press(&login_link(server, email));
        assert!([200, 303].contains(&answer.status), "{}", answer.text);
        browser
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Opens an address.
    #[track_caller]
    pub fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, None, "")
    }

    /// Sends a form of a page of the server.
    #[track_caller]
    pub fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let origin = self.origin.clone();
        self.send("POST", path, Some(&origin), &form(fields))
    }

    /// Presses the button of a link's page.
    #[track_caller]
    pub fn press(&mut self, code: &str) -> Answer {
        self.post("/auth/link", &[("code", code)])
    }

    /// Sends a request; a page of `origin` has sent it.
    #[track_caller]
    pub fn send(&mut self, method: &str, path: &str, origin: Option<&str>, form: &str) -> Answer {
        let mut client = self.server.clone();
        if !self.cookies.is_empty() {
            let all = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
            client = client.header("Cookie", &all.collect::<Vec<_>>().join("; "));
        }
        if let Some(origin) = origin {
            client = client.header("Origin", origin);
        }
        let kind = (method == "POST").then_some("application/x-www-form-urlencoded");
        let answer = client.send_raw(method, path, kind, form.as_bytes());
        for name in COOKIES {
            let set = answer.headers.get("set-cookie").and_then(|all| value_of(all, name));
            if let Some(value) = set {
                self.cookies.retain(|(known, _)| known != name);
                if !value.is_empty() {
                    self.cookies.push((name.to_owned(), value));
                }
            }
        }
        answer
    }
}

/// Fields as forms encode them.
pub fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn value_of(cookies: &str, name: &str) -> Option<String> {
    let rest = cookies.split_once(&format!("{name}="))?.1;
    Some(rest.split(';').next().unwrap_or_default().to_owned())
}

/// The code of a link that signs somebody in.
#[track_caller]
pub fn login_link(server: &Server, email: &str) -> String {
    let mut command: Command = server.admin(&["login"]);
    let run = command.args(["--email", email]).output().expect("daybook login runs");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "daybook login: {said}");
    let printed = String::from_utf8(run.stdout).expect("UTF-8");
    printed.trim().split_once("/auth/link?code=").expect("a link").1.to_owned()
}

/// Asserts that an answer is a page: without scripts, framed by nobody, kept nowhere, and leading
/// nowhere.
#[track_caller]
pub fn is_page(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert!(answer.text.starts_with("<!DOCTYPE html>"), "{}", answer.text);
    assert!(!answer.text.contains("<script"), "{}", answer.text);
    let policy = &answer.headers["content-security-policy"];
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert_eq!(answer.headers["x-frame-options"], "DENY");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(!answer.headers.contains_key("location"));
}
