//! Random requests to all paths below `/auth`: no 5xx, errors in the form of RFC 6749, 5.2, and
//! redirects to registered addresses only.

use daybook_tests::browser::Browser;
use daybook_tests::fuzz::{Sizes, Target, case_seed, input};
use daybook_tests::rng::Rng;
use daybook_tests::{Answer, Client, Server, encode, unique_address};

use daybook_tests::openapi::access;

use super::{
    APP, APP_URI, ASKED, CHALLENGE, CLI, OLD, OLD_URI, SECRET, VERIFIER, WAITING, is_refused,
    person, redeem, text, with_clients, with_secret,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        invalid_forms_are_invalid_requests,
        repeated_decision_is_refused,
        random_requests_get_documented_responses,
    ]
}

const FORM: &str = "application/x-www-form-urlencoded";
/// Endpoints that programs use by POST.
const PROGRAMS: [&str; 4] =
    ["/auth/token", "/auth/device/code", "/auth/revoke", "/auth/introspect"];
const OTHERS: &str = "\
    /auth/openapi.json /auth/authorize /auth/consent /auth/device /auth/userinfo /auth/consents \
    /auth/login /auth/link /auth/provider /auth/callback /auth/mail /auth/refresh /auth/logout \
    /auth/links /auth/first-user \
    /auth/ /auth/token/x /.well-known/openid-configuration \
    /.well-known/oauth-authorization-server/x /.well-known/jwks.json /.well-known/";
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

fn client_with_new_address(server: &Server) -> Client {
    server.anonymous().header("X-Forwarded-For", &unique_address())
}

fn invalid_forms_are_invalid_requests(server: &Server) {
    let (server, good) = (with_clients(server), format!("client_id={CLI}"));
    let client = client_with_new_address(&server);
    let long = format!("{good}&scope={}", "x".repeat(16 * 1024));
    let twice = format!("{good}&{good}");
    for path in PROGRAMS {
        for (kind, body, status) in [
            (Some("application/json"), &b"{\"client_id\": \"daybook-cli\"}"[..], 400),
            (Some("multipart/form-data; boundary=x"), good.as_bytes(), 400),
            (Some("text/plain"), good.as_bytes(), 400),
            (Some("form"), good.as_bytes(), 400),
            (Some(FORM), b"", 400),
            (Some(FORM), b"client_id", 400),
            (Some(FORM), b"client_id=daybook-cli&scope=%ff", 400),
            (Some(FORM), b"client_id=daybook-cli&scope=\xff", 400),
            (Some(FORM), b"client_id=daybook-cli&scope=email%00", 400),
            (None, b"\x1f\x8b\x08\0\0", 400),
            (Some(FORM), twice.as_bytes(), 400),
            (Some(FORM), long.as_bytes(), 413),
        ] {
            is_refused(&client.send_raw("POST", path, kind, body), status, "invalid_request");
        }
    }
    let fields = format!("{good}&grant_type=refresh_token&refresh_token=x");
    for kind in [None, Some(FORM), Some("Application/X-WWW-Form-URLencoded; charset=UTF-8")] {
        let answer = client.send_raw("POST", "/auth/token", kind, fields.as_bytes());
        is_refused(&answer, 400, "invalid_grant");
    }
}

fn repeated_decision_is_refused(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let decisions = [("decision", "deny"), ("decision", "allow")];
    for path in ["/auth/consent", "/auth/device"] {
        let answer = browser.post(path, &[&ASKED[..], &decisions].concat());
        daybook_tests::browser::is_page(&answer, 400);
    }
}

/// Parameter names.
const NAMES: &str = "\
    grant_type client_id client_secret redirect_uri code code_verifier refresh_token device_code \
    user_code token scope state nonce response_type response_mode code_challenge \
    code_challenge_method prompt max_age decision email returnUrl to name";
const VALUES: &[&str] = &[
    CLI,
    APP,
    OLD,
    SECRET,
    WAITING,
    APP_URI,
    OLD_URI,
    VERIFIER,
    CHALLENGE,
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
    "client_credentials",
    "BCDF-GHJK",
    "openid email profile offline_access",
    "email",
    "code",
    "token",
    "query",
    "S256",
    "none",
    "login consent",
    "0",
    "-1",
    "9223372036854775808",
    "allow",
    "deny",
    "guest@example.com",
    "https://evil.example/",
    "//evil.example",
    "/auth/authorize?client_id=daybook-cli",
    "",
];

/// Generates random requests.
struct RequestGenerator {
    rng: Rng,
    /// Valid tokens and codes.
    known: Vec<String>,
    cookie: String,
}

impl RequestGenerator {
    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let at = self.rng.below(u64::try_from(from.len()).expect("a length"));
        from[usize::try_from(at).expect("an index")]
    }

    fn pick_word(&mut self, words: &'static str) -> &'static str {
        self.pick(&words.split(' ').collect::<Vec<_>>())
    }

    fn value(&mut self) -> String {
        match self.rng.below(10) {
            0..=5 => self.pick(VALUES).to_owned(),
            6 | 7 => {
                let at = self.pick(&[0, 1, 2, 3, 4]);
                self.known[at].clone()
            }
            _ => {
                let target = Target { name: "value", corpus: VALUES, check: |_| Ok(()) };
                input(&target, self.rng.next_u64(), Sizes::Short)
            }
        }
    }

    /// Returns the parameters of a valid request with some changes, or random ones.
    fn fields(&mut self) -> String {
        let mut pairs: Vec<(String, String)> = Vec::new();
        if self.chance(50) {
            pairs.extend(ASKED.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        for _ in 0..self.rng.below(6) {
            let pair = (self.pick_word(NAMES).to_owned(), self.value());
            if self.chance(80) {
                pairs.retain(|(known, _)| *known != pair.0);
            }
            pairs.push(pair);
        }
        let text: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let text = text.join("&");
        if self.chance(5) { text.replace('=', "%ff=%") } else { text }
    }

    fn headers(&mut self, client: &Client, base: &str) -> Client {
        let mut client = client.clone();
        let of_token = self.known[0].clone();
        for (name, values) in [
            ("Origin", vec![base, base, base, "null", "https://evil.example", "x"]),
            ("Cookie", vec![&*self.cookie.clone(), "daybook_session=1.x", "=;,", "daybook="]),
            ("Authorization", vec!["Basic", "Basic YTpi", "Bearer x", "Bearer", &of_token]),
            ("Idempotency-Key", vec!["", "a b", "key"]),
            ("If-Match", vec!["x", "\"1\""]),
            ("Accept", vec!["text/html", "*/*", "x"]),
            ("X-Forwarded-For", vec!["10.255.0.1", "x", ","]),
        ] {
            if self.chance(40) {
                client = client.header(name, self.pick(&values));
            }
        }
        client
    }

    fn body(&mut self) -> (Option<&'static str>, Vec<u8>) {
        let kind = if self.chance(80) {
            Some(FORM)
        } else {
            self.pick(&[None, Some("application/json"), Some("text/plain"), Some("x/y; ;=")])
        };
        let mut body = self.fields().into_bytes();
        if self.chance(5) {
            body.extend([0xff, 0, b'&', 0xc3]);
        }
        (kind, body)
    }
}

fn random_requests_get_documented_responses(server: &Server) {
    let server = with_clients(server);
    let mut browser = Browser::signed_in(&server, &person());
    let tokens = redeem(&server, &super::code(&mut browser, &ASKED));
    let begun = super::ask(&server, "/auth/device/code", &[("client_id", CLI)]).ok();
    let known = [
        format!("Bearer {}", text(&tokens, "access_token")),
        text(&tokens, "refresh_token").to_owned(),
        text(&begun, "user_code").to_owned(),
        text(&begun, "device_code").to_owned(),
        super::code(&mut browser, &ASKED),
    ];
    let session = browser.cookie("daybook_session").expect("a session");
    let cookie = format!("daybook_session={session}");
    let app = with_secret(&server, APP, SECRET);
    for number in 0..500 {
        let rng = Rng::new(case_seed(20_261_122, number));
        let mut generator = RequestGenerator { rng, known: known.to_vec(), cookie: cookie.clone() };
        let asks = generator.chance(50);
        let path = if asks { generator.pick(&PROGRAMS) } else { generator.pick_word(OTHERS) };
        let method = if generator.chance(60) { "POST" } else { generator.pick(&METHODS) };
        let client =
            if generator.chance(30) { app.clone() } else { client_with_new_address(&server) };
        let client = generator.headers(&client, server.base());
        let query =
            if generator.chance(30) { format!("?{}", generator.fields()) } else { String::new() };
        let path = format!("{path}{query}");
        let (kind, body) = generator.body();
        let sent = if method == "GET" || method == "HEAD" { &[] } else { &body[..] };
        let answer = client.send_raw(method, &path, kind.filter(|_| !sent.is_empty()), sent);
        let what = format!("{number}: {method} {path} {kind:?} {}", body.escape_ascii());
        is_documented(&answer, method, &path, &what);
    }
    let log = server.log();
    assert!(!log.contains("panicked"), "{log}");
}

#[track_caller]
fn is_documented(answer: &Answer, method: &str, path: &str, what: &str) {
    assert!(answer.status < 500, "{what}: {} {}", answer.status, answer.text);
    if let Some(operation) = access::find(method, path) {
        let faults = operation.faults(answer);
        assert!(faults.is_empty(), "{what}: {faults:#?}");
    }
    let path = path.split('?').next().unwrap_or_default();
    if let Some(to) = answer.headers.get("location") {
        let known = [WAITING, APP_URI, OLD_URI, "/auth/"];
        assert!(known.iter().any(|known| to.starts_with(known)), "{what}: sent to {to}");
    }
    if answer.status < 400 || method == "HEAD" {
        return;
    }
    if PROGRAMS.contains(&path) && method == "POST" {
        let has_text = ["error", "error_description"].map(|name| answer.body[name].is_string());
        assert_eq!(has_text, [true, true], "{what}: {}", answer.text);
        return;
    }
    let is_page = answer.headers["content-type"].starts_with("text/html");
    let is_error = answer.body["error"]["code"] == answer.status;
    assert!(is_page || is_error, "{what}: {} {}", answer.status, answer.text);
}
