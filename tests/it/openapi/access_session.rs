//! A browser and a program call each operation of `openapi/auth.json` as clients do; each response,
//! including refusals, is compared with the document.

use std::collections::BTreeSet;

use daybook_tests::browser::{Browser, form, login_link};
use daybook_tests::{Answer, Client, Server, unique, unique_address};
use serde_json::Value;

use crate::Case;
use crate::grants::{
    APP, APP_URI, ASKED, CLI, SECRET, VERIFIER, asked_with, file_of_clients, post, sent, text,
    with_secret,
};
use daybook_tests::openapi::access::{AccessOperation, operations};

pub fn tests() -> Vec<Case> {
    crate::cases![answers_about_access_are_documented]
}

/// Only a provider or a terminal triggers these; `identity::sign_in` and `first_user` check them.
const ELSEWHERE: [&str; 4] = ["beginSignIn", "finishSignIn", "showFirstUser", "createFirstUser"];
const WEB: &str = "https://app.example.com";
const RETURN: [(&str, &str); 1] = [("returnUrl", "https://app.example.com/books")];

/// A browser and a program whose responses are checked.
struct Callers {
    browser: Browser,
    program: Client,
    operations: Vec<AccessOperation>,
    /// The operations that succeeded.
    done: BTreeSet<&'static str>,
}

impl Callers {
    fn new(server: &Server) -> Callers {
        let program = server.anonymous().header("X-Forwarded-For", &unique_address());
        let browser = Browser::new(server);
        Callers { browser, program, operations: operations(), done: BTreeSet::new() }
    }

    #[track_caller]
    fn find(&self, id: &str, fields: &[(&str, &str)]) -> AccessOperation {
        let found = self.operations.iter().find(|operation| operation.id == id);
        let found = *found.unwrap_or_else(|| panic!("{id} is documented"));
        let names = found.names();
        let unknown: Vec<_> = fields.iter().filter(|(name, _)| !names.contains(name)).collect();
        assert!(unknown.is_empty(), "{id} documents {unknown:?}");
        found
    }

    /// Checks a response against the document.
    #[track_caller]
    fn look_up(&mut self, operation: AccessOperation, answer: Answer, status: u16) -> Answer {
        let id = operation.id;
        assert_eq!(answer.status, status, "{id}: {}", answer.text);
        let faults = operation.faults(&answer);
        assert!(faults.is_empty(), "{id}: {faults:#?}");
        if status < 400 {
            self.done.insert(id);
        }
        answer
    }

    /// A request of the browser: with a query, or with the form of a page of the server.
    #[track_caller]
    fn browse(&mut self, id: &str, fields: &[(&str, &str)], status: u16) -> Answer {
        let origin = self.browser.origin.clone();
        self.browse_from(&origin, id, fields, status)
    }

    /// A request of the browser from a page of this origin.
    #[track_caller]
    fn browse_from(
        &mut self,
        origin: &str,
        id: &str,
        fields: &[(&str, &str)],
        status: u16,
    ) -> Answer {
        let operation = self.find(id, fields);
        let answer = if operation.method == "GET" {
            let query =
                if fields.is_empty() { String::new() } else { format!("?{}", form(fields)) };
            self.browser.get(&format!("{}{query}", operation.path))
        } else {
            self.browser.send("POST", operation.path, Some(origin), &form(fields))
        };
        self.look_up(operation, answer, status)
    }

    /// Repeats a request of the browser with this status until it is limited; the limit regains
    /// requests over time.
    #[track_caller]
    fn browse_until_limited(&mut self, id: &str, status: u16, fields: &[(&str, &str)]) {
        let operation = self.find(id, fields);
        for _ in 0..100 {
            let answer = self.browser.post(operation.path, fields);
            if answer.status == 429 {
                self.look_up(operation, answer, 429);
                return;
            }
            self.look_up(operation, answer, status);
        }
        panic!("{id}: never too often");
    }

    /// A request of the program.
    #[track_caller]
    fn ask(&mut self, id: &str, fields: &[(&str, &str)], status: u16) -> Value {
        let program = self.program.clone();
        self.ask_as(&program, id, fields, status)
    }

    /// A request of another program.
    #[track_caller]
    fn ask_as(
        &mut self,
        program: &Client,
        id: &str,
        fields: &[(&str, &str)],
        status: u16,
    ) -> Value {
        let operation = self.find(id, fields);
        let answer = if operation.method == "GET" {
            program.get(operation.path)
        } else {
            post(program, operation.path, fields)
        };
        self.look_up(operation, answer, status).body
    }
}

fn answers_about_access_are_documented(server: &Server) {
    let clients = file_of_clients(server);
    let server = server.beside(&["--clients", &clients, "--web-origins", WEB]);
    let mut callers = Callers::new(&server);
    signing_in(&mut callers, &server);
    let access = tokens(&mut callers, &server);
    token_information(&mut callers, &server, &access);
    devices(&mut callers);
    discovery(&mut callers);
    mails(&mut callers, &server);
    signing_out(&mut callers);
    let all = callers.operations.iter().map(|operation| operation.id);
    let silent: Vec<&str> =
        all.filter(|id| !callers.done.contains(id) && !ELSEWHERE.contains(id)).collect();
    assert!(silent.is_empty(), "operations without a checked response: {silent:?}");
}

fn signing_in(callers: &mut Callers, server: &Server) {
    callers.browse("login", &RETURN, 200);
    callers.browse("login", &[], 400);
    callers.browse_from(WEB, "refresh", &[], 401);
    callers.browse("showLink", &[("code", "x")], 404);
    let code = login_link(server, &format!("{}@example.com", unique("access")));
    callers.browse("showLink", &[("code", &code)], 200);
    callers.browse_from(WEB, "signIn", &[("code", &code)], 403);
    callers.browse("signIn", &[("code", "x")], 404);
    callers.browse("signIn", &[("code", &code)], 303);
    callers.browse("login", &RETURN, 303);
    callers.browse_from(WEB, "refresh", &[], 200);
    callers.browse("refresh", &[], 200);
    callers.browse_from("https://evil.example", "refresh", &[], 403);
    callers.browse("createLink", &[], 200);
    callers.browse_from(WEB, "createLink", &[], 403);
    callers.browse("showFirstUser", &[("code", "x")], 404);
    callers.browse("createFirstUser", &[("code", "x"), ("email", "x@example.com")], 404);
    callers.browse_from(WEB, "createFirstUser", &[("code", "x")], 403);
    callers.browse("beginSignIn", &[("name", "Nobody")], 404);
    callers.browse("beginSignIn", &[("name", "Nobody"), ("max_age", "x")], 400);
    callers.browse("finishSignIn", &[("code", "x"), ("state", "y")], 400);
    let operation = callers.find("signIn", &[]);
    for (kind, body, status) in [
        (Some("application/json"), "{}", 415),
        (None, "a=%ff", 400),
        (None, &"x".repeat(20_000), 413),
    ] {
        let answer = callers.program.send_raw("POST", operation.path, kind, body.as_bytes());
        callers.look_up(operation, answer, status);
    }
}

/// A code, its tokens, and their life cycle; returns an access token.
fn tokens(callers: &mut Callers, server: &Server) -> String {
    let of_app = [("client_id", APP), ("redirect_uri", APP_URI), ("nonce", "n")];
    let request = asked_with(&[&of_app[..], &[("prompt", "consent")]].concat());
    callers.browse("authorizeByForm", &request, 303);
    callers.browse("authorize", &request, 200);
    callers.browse("authorize", &[("client_id", "nobody")], 400);
    let decided = [&request[..], &[("decision", "allow")]].concat();
    callers.browse_from(WEB, "consent", &decided, 403);
    callers.browse("consent", &[&decided[..], &decided].concat(), 400);
    callers.browse("consent", &[&request[..], &[("decision", "deny")]].concat(), 303);
    let answer = callers.browse("consent", &decided, 303);
    let code = sent(&answer, "code").expect("a code");
    callers.browse("authorize", &asked_with(&[("response_type", "x")]), 303);
    let app = with_secret(server, APP, SECRET);
    let redeemed = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", APP_URI),
        ("code_verifier", VERIFIER),
    ];
    callers.ask_as(&with_secret(server, APP, "wrong"), "token", &redeemed, 401);
    callers.ask("token", &redeemed, 400);
    let tokens = callers.ask_as(&app, "token", &redeemed, 200);
    let refresh = text(&tokens, "refresh_token");
    let refreshed = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
    let tokens = callers.ask_as(&app, "token", &refreshed, 200);
    let refresh = text(&tokens, "refresh_token").to_owned();
    for (token, active) in [(&*refresh, true), (text(&tokens, "access_token"), true), ("x", false)]
    {
        let told = callers.ask_as(&app, "introspect", &[("token", token)], 200);
        assert_eq!(told["active"], active);
    }
    callers.ask("introspect", &[("token", &refresh), ("client_id", CLI)], 401);
    callers.ask_as(&app, "introspect", &[], 400);
    callers.ask("revoke", &[("token", &refresh), ("client_id", CLI)], 400);
    callers.ask_as(&app, "revoke", &[("token", &refresh)], 200);
    let answer = callers.browse("consent", &decided, 303);
    let code = sent(&answer, "code").expect("a code");
    let redeemed =
        redeemed.map(|(name, value)| (name, if name == "code" { &*code } else { value }));
    let tokens = callers.ask_as(&app, "token", &redeemed, 200);
    text(&tokens, "access_token").to_owned()
}

fn token_information(callers: &mut Callers, server: &Server, access: &str) {
    let bearer = server.client_with_token(access);
    for id in ["userinfo", "userinfoByPost"] {
        callers.ask_as(&bearer, id, &[], 200);
        callers.ask(id, &[], 401);
    }
    callers.browse("listConsents", &[], 200);
    callers.browse_from(WEB, "withdrawConsent", &[("client_id", APP)], 403);
    callers.browse("withdrawConsent", &[("client_id", APP)], 303);
    callers.ask_as(&bearer, "userinfo", &[], 401);
}

fn devices(callers: &mut Callers) {
    callers.ask("deviceCode", &[("client_id", "nobody")], 401);
    callers.ask("deviceCode", &[("client_id", CLI), ("scope", "x")], 400);
    let codes = callers.ask("deviceCode", &[("client_id", CLI), ("scope", "email")], 200);
    let (code, device) = (text(&codes, "user_code"), text(&codes, "device_code"));
    let polled = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
        ("client_id", CLI),
        ("device_code", device),
    ];
    callers.ask("token", &polled, 400);
    let typed = [("user_code", code)];
    callers.browse("showDevice", &typed, 200);
    callers.browse("decideDevice", &typed, 200);
    callers.browse("decideDevice", &[("user_code", "x")], 404);
    callers.browse_from(WEB, "decideDevice", &typed, 403);
    callers.browse("decideDevice", &[typed, typed].concat(), 400);
    callers.browse("decideDevice", &[("user_code", code), ("decision", "allow")], 200);
    callers.ask("token", &polled, 200);
    callers.browse_until_limited("decideDevice", 404, &[("user_code", "x")]);
}

fn discovery(callers: &mut Callers) {
    for id in ["authDocument", "openidConfiguration", "authorizationServer", "jwks"] {
        callers.ask(id, &[], 200);
    }
    let operation = callers.find("authorizationServerBelow", &[]);
    let answer = callers.program.get("/.well-known/oauth-authorization-server/a/b");
    callers.look_up(operation, answer, 200);
}

fn mails(callers: &mut Callers, server: &Server) {
    let email = format!("{}@example.com", unique("mailed"));
    callers.browse("mailLink", &[("email", &email)], 404);
    let public = "https://books.example.com";
    let mailing = [
        ["--smtp-url", "smtp://127.0.0.1:1"],
        ["--mail-from", "books@example.com"],
        ["--public-url", public],
    ];
    let mailing = server.beside(&mailing.concat());
    let mut others = Callers::new(&mailing);
    others.browse_from(public, "mailLink", &[("email", &email)], 200);
    others.browse_from(public, "mailLink", &[("email", "x")], 400);
    others.browse_from(WEB, "mailLink", &[("email", &email)], 403);
    others.browser.origin = public.to_owned();
    others.browse_until_limited("mailLink", 200, &[("email", &email)]);
    callers.done.extend(others.done);
}

fn signing_out(callers: &mut Callers) {
    callers.browse("logout", &RETURN, 303);
    callers.browse("logout", &[], 200);
    callers.browse_from(WEB, "signOut", &RETURN, 403);
    callers.browse("signOut", &RETURN, 303);
    callers.browse("signOut", &[], 200);
    callers.browse("createLink", &[], 401);
    callers.browse("authorize", &ASKED, 200);
    callers.browse("consent", &ASKED, 200);
    for id in ["listConsents", "withdrawConsent", "showDevice", "decideDevice"] {
        callers.browse(id, &[], 200);
    }
    callers.browse("authorize", &[&ASKED[..], &[("prompt", "none")]].concat(), 303);
}
