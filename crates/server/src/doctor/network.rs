//! Checks of what the server reaches, and of how clients reach it: the public address with its
//! proxy, the mail server.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::http::header::HttpDate;
use reqwest::redirect::Policy;
use reqwest::tls::TlsInfo;
use reqwest::{Client, RequestBuilder, Response, StatusCode};

use super::certificate::end_of_validity;
use super::check::{Check, Outcome};
use crate::cli::ServeArgs;
use crate::clock;
use crate::serve::is_trial;

/// How long a request to the public address may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The largest body of the API (behaviour 10.8).
const MAX_BODY: usize = 32 * 1024 * 1024;
/// Seconds that a clock may be off.
const MAX_SKEW: i64 = 5;
/// Days for which a certificate must still be valid.
const MIN_DAYS: i64 = 14;
const SECONDS_OF_A_DAY: i64 = 86_400;
/// A client that is built in and has no secret, with any password.
const CLIENT: (&str, &str) = ("daybook-cli", "none");

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// Returns the checks of the network.
pub(super) async fn checks(options: &ServeArgs) -> Vec<Check> {
    let check = |name, section, outcome| Check { name, section, outcome };
    let mut checks = public_address(options).await;
    checks.push(check("mail server", "mail", mail(options).await));
    checks
}

/// Checks the public address: whether it responds, its certificate, its clock and its proxy.
async fn public_address(options: &ServeArgs) -> Vec<Check> {
    let proxy = "behind-a-proxy-with-tls";
    let check = |name, section, outcome| Check { name, section, outcome };
    let Some(url) = options.public_url.as_deref() else {
        let why = if is_trial(options) { "a trial has none" } else { "--public-url is not given" };
        return vec![check("public address", proxy, Outcome::skipped(why))];
    };
    let url = url.trim_end_matches('/');
    let client = match client() {
        Ok(client) => client,
        Err(error) => {
            return vec![check("public address", proxy, Outcome::skipped(error.to_string()))];
        }
    };
    let response = match client.get(format!("{url}/health")).send().await {
        Ok(response) => response,
        Err(error) => return vec![check("public address", proxy, unreachable(url, &error))],
    };
    let skew = skew_of(&response);
    let days = days_left(&response);
    let status = response.status();
    let text = response.text().await.unwrap_or_default();
    let mut checks = vec![
        check("public address", proxy, judge_health(url, status, &text)),
        check("clock", "monitoring", skew.map_or_else(no_date, judge_clock)),
    ];
    if url.starts_with("https:") {
        let outcome = days.map_or_else(no_certificate, judge_certificate);
        checks.push(check("certificate", proxy, outcome));
    }
    let probe = client.post(format!("{url}/auth/token"));
    let probe = probe.basic_auth(CLIENT.0, Some(CLIENT.1)).header("Content-Type", FORM);
    let probe = probe.body("grant_type=none");
    checks.push(check("proxy: Authorization", proxy, authorization(probe).await));
    let large = client.post(format!("{url}/v5/books"));
    let large = large.header("Content-Type", "application/json").body(vec![b' '; MAX_BODY]);
    checks.push(check("proxy: large bodies", proxy, large_body(large).await));
    checks
}

fn client() -> reqwest::Result<Client> {
    // This fails only if a crypto provider is already installed, which is fine.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let client = Client::builder().redirect(Policy::none()).no_proxy().timeout(TIMEOUT);
    client.tls_info(true).build()
}

fn unreachable(url: &str, error: &reqwest::Error) -> Outcome {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    Outcome::fault(
        format!("{url} does not respond: {text}"),
        "Start the server and the proxy; correct --public-url, the name or the certificate",
    )
}

fn judge_health(url: &str, status: StatusCode, text: &str) -> Outcome {
    if status == StatusCode::OK && text.contains("\"ok\"") {
        return Outcome::fine(format!("{url} responds"));
    }
    Outcome::fault(
        format!("{url}/health responds {status}, but not as Daybook does"),
        "Let the proxy pass all paths below --public-url to this server unchanged",
    )
}

/// Returns the seconds by which the clock of the response is ahead of this machine's.
fn skew_of(response: &Response) -> Option<i64> {
    let date: HttpDate = response.headers().get("Date")?.to_str().ok()?.parse().ok()?;
    let since = std::time::SystemTime::from(date).duration_since(UNIX_EPOCH).ok()?;
    Some(i64::try_from(since.as_secs()).ok()?.saturating_sub(clock::now().seconds()))
}

fn no_date() -> Outcome {
    Outcome::skipped("the response has no Date")
}

/// Judges the seconds by which another clock is ahead of this machine's.
pub(super) fn judge_clock(skew: i64) -> Outcome {
    if skew.abs() > MAX_SKEW {
        return Outcome::warning(
            format!("this clock differs from the other one by {} s", skew.abs()),
            "Synchronize the time: timedatectl set-ntp true",
        );
    }
    Outcome::fine(format!("at most {} s apart", skew.abs().saturating_add(1)))
}

fn days_left(response: &Response) -> Option<i64> {
    let info = response.extensions().get::<TlsInfo>()?;
    let end = end_of_validity(info.peer_certificate()?)?;
    Some(end.saturating_sub(clock::now().seconds()).div_euclid(SECONDS_OF_A_DAY))
}

fn no_certificate() -> Outcome {
    Outcome::skipped("the certificate cannot be read")
}

fn judge_certificate(days: i64) -> Outcome {
    let what = format!("valid for {days} days");
    if days < MIN_DAYS {
        return Outcome::warning(what, "Renew the certificate, and check its automatic renewal");
    }
    Outcome::fine(what)
}

async fn authorization(probe: RequestBuilder) -> Outcome {
    match probe.send().await {
        Ok(response) => {
            let status = response.status();
            judge_authorization(status, &response.text().await.unwrap_or_default())
        }
        Err(error) => Outcome::skipped(format!("no response: {error}")),
    }
}

/// Judges the response to a client that authenticates by the header `Authorization`.
fn judge_authorization(status: StatusCode, text: &str) -> Outcome {
    // The client was recognized, and only its request is wrong.
    if text.contains("unsupported_grant_type") {
        return Outcome::fine("passed");
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Outcome::skipped("the server has refused too many attempts; try again in a minute");
    }
    Outcome::fault(
        format!("the header does not arrive: /auth/token responds {status}"),
        "Let the proxy pass the header Authorization",
    )
}

async fn large_body(request: RequestBuilder) -> Outcome {
    match request.send().await {
        Ok(response) => judge_large_body(response.status()),
        // The server refuses the request before it reads the body.
        Err(error) => Outcome::skipped(format!("no response: {error}")),
    }
}

/// Judges the status of a body of the largest size without a token.
fn judge_large_body(status: StatusCode) -> Outcome {
    match status {
        StatusCode::UNAUTHORIZED => Outcome::fine("32 MB are passed"),
        StatusCode::PAYLOAD_TOO_LARGE => Outcome::warning(
            "a proxy refuses bodies of 32 MB",
            "Raise its limit, in nginx client_max_body_size 33m",
        ),
        other => Outcome::skipped(format!("the response is {other}")),
    }
}

async fn mail(options: &ServeArgs) -> Outcome {
    match options.mail.relay() {
        Ok(None) => Outcome::skipped("--smtp-url is not given: mails stand in the outbox"),
        Ok(Some(relay)) => judge_greeting(relay.greet().await),
        Err(error) => Outcome::fault(format!("{error:#}"), "Correct --smtp-url and --mail-from"),
    }
}

fn judge_greeting(greeting: Result<(), String>) -> Outcome {
    match greeting {
        Ok(()) => Outcome::fine("it accepts this server"),
        Err(why) => {
            Outcome::fault(why, "Correct --smtp-url, or ask the operator of the mail server")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_servers_at_the_public_address_are_faults() {
        let judge = |status, text| judge_health("https://a.example", status, text);
        assert!(matches!(judge(StatusCode::OK, "{\"status\":\"ok\"}"), Outcome::Fine(_)));
        assert!(matches!(judge(StatusCode::OK, "<html>"), Outcome::Fault(_)));
        assert!(matches!(judge(StatusCode::BAD_GATEWAY, "\"ok\""), Outcome::Fault(_)));
    }

    #[test]
    fn wrong_clock_is_a_warning() {
        assert!(matches!(judge_clock(MAX_SKEW + 1), Outcome::Warning(_)));
        assert!(matches!(judge_clock(-MAX_SKEW - 1), Outcome::Warning(_)));
        assert!(matches!(judge_clock(MAX_SKEW), Outcome::Fine(_)));
    }

    #[test]
    fn certificate_near_its_end_is_a_warning() {
        assert!(matches!(judge_certificate(MIN_DAYS - 1), Outcome::Warning(_)));
        assert!(matches!(judge_certificate(-3), Outcome::Warning(_)));
        assert!(matches!(judge_certificate(MIN_DAYS), Outcome::Fine(_)));
    }

    #[test]
    fn dropped_authorization_is_a_fault() {
        let refused = "{\"error\":\"unsupported_grant_type\"}";
        assert!(matches!(judge_authorization(StatusCode::BAD_REQUEST, refused), Outcome::Fine(_)));
        let missing = "{\"error\":\"invalid_request\"}";
        assert!(matches!(judge_authorization(StatusCode::BAD_REQUEST, missing), Outcome::Fault(_)));
        assert!(matches!(judge_authorization(StatusCode::NOT_FOUND, ""), Outcome::Fault(_)));
    }

    #[test]
    fn refused_large_body_is_a_warning() {
        assert!(matches!(judge_large_body(StatusCode::PAYLOAD_TOO_LARGE), Outcome::Warning(_)));
        assert!(matches!(judge_large_body(StatusCode::UNAUTHORIZED), Outcome::Fine(_)));
        assert!(matches!(judge_large_body(StatusCode::BAD_GATEWAY), Outcome::Skipped(_)));
    }

    #[test]
    fn mail_server_that_refuses_is_a_fault() {
        assert!(matches!(judge_greeting(Err("refused".to_owned())), Outcome::Fault(_)));
        assert!(matches!(judge_greeting(Ok(())), Outcome::Fine(_)));
    }
}
