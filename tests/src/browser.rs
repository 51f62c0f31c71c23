//! A minimal browser for signing in: it keeps the cookies of one server and sends the `Origin` of
//! its forms. It follows no redirects and runs no scripts.

use std::process::Command;

use crate::{Answer, Client, Server, encode, unique_address};

/// The prefix of this server's cookies.
const OURS: &str = "daybook_";
/// The prefix of the cookies of sign-ins through a provider.
const SIGN_IN: &str = "daybook_sign_in_";

/// A browser.
pub struct Browser {
    /// The server of the requests.
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

    /// A browser with a signed-in session.
    #[track_caller]
    pub fn signed_in(server: &Server, email: &str) -> Self {
        let mut browser = Self::new(server);
        let answer = browser.press(&login_link(server, email));
        assert!([200, 303].contains(&answer.status), "{}", answer.text);
        browser
    }

    /// Sends the following requests to another process of the installation.
    pub fn move_to(&mut self, server: &Server) {
        let cookies = std::mem::take(&mut self.cookies);
        *self = Self { cookies, ..Self::new(server) };
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The values of the cookies of pending sign-ins through a provider.
    pub fn sign_ins(&self) -> Vec<&str> {
        let ours = self.cookies.iter().filter(|(name, _)| name.starts_with(SIGN_IN));
        ours.map(|(_, value)| value.as_str()).collect()
    }

    /// Opens an address.
    #[track_caller]
    pub fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, None, "")
    }

    /// Posts a form of a page of the server.
    #[track_caller]
    pub fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let origin = self.origin.clone();
        self.send("POST", path, Some(&origin), &form(fields))
    }

    /// Presses the button on the page of a link.
    #[track_caller]
    pub fn press(&mut self, code: &str) -> Answer {
        self.post("/auth/link", &[("code", code)])
    }

    /// Sends a request as a page of `origin`.
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
        for (name, value) in
            answer.headers.get("set-cookie").map(|all| set(all)).unwrap_or_default()
        {
            self.cookies.retain(|(known, _)| *known != name);
            if !value.is_empty() {
                self.cookies.push((name, value));
            }
        }
        answer
    }
}

/// Encodes fields as a form.
pub fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The cookies that an answer sets, by name and value.
fn set(cookies: &str) -> Vec<(String, String)> {
    let pairs = cookies.split([';', ',']).filter_map(|part| part.trim().split_once('='));
    let ours = pairs.filter(|(name, _)| name.starts_with(OURS));
    ours.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The code of a sign-in link.
#[track_caller]
pub fn login_link(server: &Server, email: &str) -> String {
    let mut command: Command = server.admin(&["login"]);
    let run = command.args(["--email", email]).output().expect("daybook login runs");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "daybook login: {said}");
    let printed = String::from_utf8(run.stdout).expect("UTF-8");
    printed.trim().split_once("/auth/link?code=").expect("a link").1.to_owned()
}

/// Asserts that an answer completes a sign-in that began nowhere else: it leads to the console.
#[track_caller]
pub fn is_let_in(answer: &Answer) {
    let location = answer.headers.get("location").map(String::as_str);
    assert_eq!((answer.status, location), (303, Some("/")), "{}", answer.text);
}

/// Asserts that an answer is a page without scripts, which may not be framed or cached and sends no
/// referrer.
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
