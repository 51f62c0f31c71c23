//! Requests as they are sent: repetitions, pauses, and responses.

use std::sync::PoisonError;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Response};

use crate::call::{Call, Head, OnProgress, Reply};
use crate::client::{Client, Retry};
use crate::error::{ApiError, Error, OAuthError, Result};
use crate::reason::Reason;

/// The first pause before a repetition; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(8);
/// The longest `Retry-After` that is waited for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Tokens that another program has stored may have expired, too.
const MAX_RENEWALS: u32 = 2;

impl Client {
    /// Sends a request and reads the whole response. Repeats it while that can help.
    pub(crate) async fn exchange(&self, call: Call) -> Result<Reply> {
        self.repeat(call, Self::attempt).await
    }

    /// Opens a response that is read as it arrives. Renews the tokens, and repeats nothing else.
    pub(crate) async fn stream(&self, mut call: Call) -> Result<Response> {
        call.is_repeatable = false;
        self.repeat(call, Self::open).await
    }

    async fn repeat<T>(
        &self,
        mut call: Call,
        attempt: impl AsyncFn(&Self, &Call, u32) -> Result<T, Failure>,
    ) -> Result<T> {
        call.complete()?;
        let (mut attempts, mut renewals) = (1, 0);
        loop {
            let failure = match attempt(self, &call, attempts).await {
                Ok(done) => return Ok(done),
                Err(failure) => failure,
            };
            if let Some(token) = &failure.refused_token
                && renewals < MAX_RENEWALS
                && self.renew(token).await?
            {
                renewals += 1;
                continue;
            }
            let Some(pause) = self.pause_before_retry(&call, &failure.error, attempts) else {
                return Err(failure.error);
            };
            if let Some(on_retry) = &self.shared.on_retry {
                let (operation, cause) = (call.name(), failure.error.to_string());
                on_retry(&Retry { operation, attempts, cause, pause });
            }
            tokio::time::sleep(pause).await;
            attempts += 1;
        }
    }

    /// Sends a request once, and reads the whole response.
    pub(crate) async fn attempt(&self, call: &Call, attempts: u32) -> Result<Reply, Failure> {
        let mut response = self.open(call, attempts).await?;
        let head = Head::read(response.status().as_u16(), response.headers(), attempts);
        let total = response.content_length();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(Error::from)? {
            body.extend_from_slice(&chunk);
            if let Some(OnProgress(on_progress)) = &call.on_progress {
                on_progress(u64::try_from(body.len()).unwrap_or(u64::MAX), total);
            }
        }
        Ok(Reply { operation: call.name(), head, body })
    }

    /// Sends a request once. Returns the response when its status is a success.
    async fn open(&self, call: &Call, attempts: u32) -> Result<Response, Failure> {
        let shared = &self.shared;
        let url = call.url(&shared.base)?;
        let mut request = reqwest::Request::new(call.method.clone(), url);
        let headers = request.headers_mut();
        headers.extend(shared.headers.clone());
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        headers.extend(call.headers.clone());
        if call.method == Method::GET {
            let position = shared.log_position.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(position) = position.clone() {
                headers.entry("log-position").or_insert(position);
            }
        }
        let token = match call.is_authorized {
            true => shared.credentials.access_token().await,
            false => None,
        };
        if let Some(token) = &token {
            let value = HeaderValue::from_str(&format!("Bearer {token}"));
            let mut value =
                value.map_err(|_| Error::Invalid("the access token is not usable".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        if let Some(body) = &call.body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(call.media_type));
            *request.body_mut() = Some(body.clone().into());
        }
        let response = shared.http.execute(request).await.map_err(Error::from)?;
        if let Some(position) = response.headers().get("log-position") {
            *shared.log_position.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(position.clone());
        }
        if response.status().is_success() {
            return Ok(response);
        }
        Err(refuse(response, attempts, token).await)
    }

    /// Returns the pause before the next attempt, or `None` if there is none.
    fn pause_before_retry(&self, call: &Call, error: &Error, attempts: u32) -> Option<Duration> {
        if attempts > self.shared.retries || !call.is_repeatable {
            return None;
        }
        let asked = match error {
            Error::Transport { .. } => None,
            Error::Api(error) => {
                let is_transient = matches!(error.status, 408 | 429 | 502 | 503 | 504);
                if !is_transient || error.reason == Reason::NotOffered {
                    return None;
                }
                error.retry_after
            }
            Error::OAuth(_) | Error::Decode { .. } | Error::Invalid(_) => return None,
        };
        match asked {
            Some(asked) => (asked <= MAX_RETRY_AFTER).then_some(asked.max(FIRST_PAUSE)),
            None => Some(backoff(attempts)),
        }
    }
}

/// A failed attempt.
pub(crate) struct Failure {
    /// Why the attempt failed.
    pub(crate) error: Error,
    /// The access token, if the server did not accept it.
    refused_token: Option<String>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, refused_token: None }
    }
}

async fn refuse(response: Response, attempts: u32, token: Option<String>) -> Failure {
    let status = response.status().as_u16();
    let head = Head::read(status, response.headers(), attempts);
    // A status with a broken body is still a refusal.
    let body = response.bytes().await.unwrap_or_default();
    if let Ok(error) = serde_json::from_slice::<OAuthError>(&body) {
        return Error::OAuth(error).into();
    }
    let mut error = ApiError::read(status, &body);
    error.retry_after = head.retry_after;
    error.request_id = head.request_id;
    error.attempts = attempts;
    let is_refused = error.status == 401 || error.reason == Reason::TokenExpired;
    let refused_token = token.filter(|_| is_refused);
    Failure { error: Error::Api(Box::new(error)), refused_token }
}

/// Returns a pause that doubles with each attempt, of which up to half is random.
pub(crate) fn backoff(attempts: u32) -> Duration {
    let factor = 2_u32.saturating_pow(attempts.saturating_sub(1).min(8));
    let pause = FIRST_PAUSE.saturating_mul(factor).min(MAX_PAUSE);
    let mut random = [0; 2];
    // Without randomness the pause is just the longest.
    let _ = getrandom::fill(&mut random);
    let share = u32::from(u16::from_le_bytes(random));
    pause.saturating_sub(pause.saturating_mul(share) / (2 * 65_536))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_maximum() {
        for (attempts, longest) in [(1, 250), (2, 500), (3, 1_000), (6, 8_000), (100, 8_000)] {
            let pause = backoff(attempts);
            let longest = Duration::from_millis(longest);
            assert!(pause <= longest && pause >= longest / 2, "{attempts}: {pause:?}");
        }
    }
}
