//! Requests as they are sent: repetitions, pauses, and responses.

use std::io::{self, Write};
use std::pin::pin;
use std::sync::PoisonError;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Response};

use crate::call::{Body, Call, Head, OnProgress, Reply};
use crate::client::{Client, Retry};
use crate::error::{ApiError, Error, OAuthError, Result};
use crate::reason::Reason;
use crate::upload::{Progress, Upload};

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
        let operation = call.name();
        let (head, body) = self.download(call, || Ok(Vec::new())).await?;
        Ok(Reply { operation, head, body })
    }

    /// Sends a request, and writes the response as it arrives. Each attempt whose status is a
    /// success opens the destination anew.
    pub(crate) async fn download<W: Write>(
        &self,
        call: Call,
        mut open: impl FnMut() -> io::Result<W>,
    ) -> Result<(Head, W)> {
        let mut attempts = Attempts::new(self, call)?;
        loop {
            match self.receive(&attempts.call, attempts.count, &mut open).await {
                Ok(done) => return Ok(done),
                Err(failure) => attempts.prepare_next(failure).await?,
            }
        }
    }

    /// Opens a response that is read as it arrives. Renews the tokens, and repeats nothing else.
    pub(crate) async fn stream(&self, mut call: Call) -> Result<Response> {
        call.is_repeatable = false;
        let mut attempts = Attempts::new(self, call)?;
        loop {
            match self.open(&attempts.call, attempts.count).await {
                Ok(response) => return Ok(response),
                Err(failure) => attempts.prepare_next(failure).await?,
            }
        }
    }

    /// Sends a request once, and reads the whole response.
    pub(crate) async fn attempt(&self, call: &Call, attempts: u32) -> Result<Reply, Failure> {
        let (head, body) = self.receive(call, attempts, || Ok(Vec::new())).await?;
        Ok(Reply { operation: call.name(), head, body })
    }

    /// Sends a request once, and writes the response as it arrives.
    async fn receive<W: Write>(
        &self,
        call: &Call,
        attempts: u32,
        open: impl FnOnce() -> io::Result<W>,
    ) -> Result<(Head, W), Failure> {
        let mut response = self.open(call, attempts).await?;
        let head = Head::read(response.status().as_u16(), response.headers(), attempts);
        let total = response.content_length();
        let mut out = open().map_err(Error::File)?;
        let mut received: u64 = 0;
        while let Some(chunk) = self.wait(response.chunk()).await? {
            out.write_all(&chunk).map_err(Error::File)?;
            let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            received = received.saturating_add(length);
            if let Some(OnProgress(on_progress)) = &call.on_progress {
                on_progress(received, total);
            }
        }
        Ok((head, out))
    }

    /// Waits for a part of a response, for the read timeout.
    async fn wait<T>(&self, part: impl Future<Output = reqwest::Result<T>>) -> Result<T> {
        let done = tokio::time::timeout(self.shared.read_timeout, part).await;
        done.map_err(|_| timed_out())?.map_err(Error::from)
    }

    /// Sends the headers and the body of a request, and waits for the headers of the response.
    ///
    /// While a file is sent, the read timeout begins again with each part.
    async fn send(
        &self,
        request: reqwest::Request,
        progress: Option<&Progress>,
    ) -> Result<Response> {
        let sent = || progress.map_or(0, Progress::sent);
        let response = self.shared.http.execute(request);
        while_sending(self.shared.read_timeout, sent, response).await?.map_err(|error| {
            let fault = progress.and_then(Progress::take_fault);
            fault.map_or_else(|| error.into(), Error::File)
        })
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
        let mut progress = None;
        if let Some(body) = &call.body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(call.media_type));
            *request.body_mut() = Some(match body {
                Body::Bytes(bytes) => bytes.clone().into(),
                Body::File(path) => {
                    let upload = Upload::open(path).await.map_err(Error::File)?;
                    progress = Some(upload.progress());
                    reqwest::Body::wrap(upload)
                }
            });
        }
        let response = self.send(request, progress.as_deref()).await?;
        if let Some(position) = response.headers().get("log-position") {
            *shared.log_position.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(position.clone());
        }
        if response.status().is_success() {
            return Ok(response);
        }
        Err(self.refuse(response, attempts, token).await)
    }

    /// Reads why the server refused a request.
    async fn refuse(&self, response: Response, attempts: u32, token: Option<String>) -> Failure {
        let status = response.status().as_u16();
        let head = Head::read(status, response.headers(), attempts);
        // A status with a broken body is still a refusal.
        let body = self.wait(response.bytes()).await.unwrap_or_default();
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
            Error::OAuth(_) | Error::Decode { .. } | Error::File(_) | Error::Invalid(_) => {
                return None;
            }
        };
        match asked {
            Some(asked) => (asked <= MAX_RETRY_AFTER).then_some(asked.max(FIRST_PAUSE)),
            None => Some(backoff(attempts)),
        }
    }
}

/// The attempts of a request.
struct Attempts<'c> {
    client: &'c Client,
    call: Call,
    /// The number of the current one.
    count: u32,
    renewals: u32,
}

impl<'c> Attempts<'c> {
    fn new(client: &'c Client, mut call: Call) -> Result<Self> {
        call.complete()?;
        Ok(Self { client, call, count: 1, renewals: 0 })
    }

    /// Renews the tokens or waits after a failed attempt. Returns its error if a repetition cannot
    /// help.
    async fn prepare_next(&mut self, failure: Failure) -> Result<()> {
        if let Some(token) = &failure.refused_token
            && self.renewals < MAX_RENEWALS
            && self.client.renew(token).await?
        {
            self.renewals += 1;
            return Ok(());
        }
        let pause = self.client.pause_before_retry(&self.call, &failure.error, self.count);
        let Some(pause) = pause else { return Err(failure.error) };
        if let Some(on_retry) = &self.client.shared.on_retry {
            let (operation, cause) = (self.call.name(), failure.error.to_string());
            on_retry(&Retry { operation, attempts: self.count, cause, pause });
        }
        tokio::time::sleep(pause).await;
        self.count += 1;
        Ok(())
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

/// Waits for a response, for the limit. It begins again while the number of bytes sent grows.
async fn while_sending<T>(
    limit: Duration,
    sent: impl Fn() -> u64,
    response: impl Future<Output = T>,
) -> Result<T> {
    let mut response = pin!(response);
    let mut before = sent();
    loop {
        if let Ok(response) = tokio::time::timeout(limit, &mut response).await {
            return Ok(response);
        }
        let now = sent();
        if now == before {
            return Err(timed_out());
        }
        before = now;
    }
}

/// Returns the failure of a server that is silent for the read timeout.
fn timed_out() -> Error {
    Error::Transport { message: "the operation timed out".to_owned(), is_timeout: true }
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
    use std::cell::Cell;
    use std::io::Read;
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// Gives each answer to one connection, after its request. Returns the requests.
    fn server(answers: &'static [&'static str]) -> (Client, Receiver<Vec<u8>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                sender.send(read_request(&mut stream)).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        (Client::builder(format!("http://{address}")).build().unwrap(), requests)
    }

    fn read_request(stream: &mut TcpStream) -> Vec<u8> {
        let (mut request, mut block) = (Vec::new(), [0; 4096]);
        loop {
            let count = stream.read(&mut block).unwrap();
            request.extend_from_slice(&block[..count]);
            let Some(head) = request.windows(4).position(|end| end == b"\r\n\r\n") else {
                continue;
            };
            let text = String::from_utf8_lossy(&request[..head]).to_lowercase();
            let length = text
                .split_once("content-length: ")
                .map_or(0, |(_, rest)| rest.lines().next().unwrap().parse::<usize>().unwrap());
            if request.len() == head + 4 + length {
                return request;
            }
        }
    }

    const BUSY: &str = "HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";
    const TEN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789";
    const PART_OF_TEN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123";

    fn is_send<T: Send>(future: T) -> T {
        future
    }

    #[tokio::test]
    async fn repeated_upload_reads_the_file_again() {
        let path = std::env::temp_dir().join(format!("daybook-upload-{}", std::process::id()));
        let content: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &content).unwrap();
        let (client, requests) = server(&[BUSY, TEN]);
        let request = client.raw("POST", "/x", None).unwrap().upload(&path);
        let response = is_send(request.send()).await.unwrap();
        assert_eq!((response.value.as_str(), response.head.attempts), ("0123456789", 2));
        for request in [requests.recv().unwrap(), requests.recv().unwrap()] {
            assert!(request.ends_with(&content));
        }
        std::fs::remove_file(&path).unwrap();

        let request = client.raw("POST", "/x", None).unwrap().upload(&path);
        let error = request.send().await.unwrap_err();
        assert!(matches!(&error, Error::File(_)), "{error}");
        assert!(error.to_string().starts_with(&format!("{}: ", path.display())), "{error}");
        assert!(requests.try_recv().is_err(), "nothing is sent");
    }

    #[tokio::test]
    async fn repeated_response_is_written_from_the_beginning() {
        let (client, _requests) = server(&[PART_OF_TEN, TEN, BUSY, PART_OF_TEN, TEN]);
        let get = || client.raw("GET", "/x", None).unwrap();
        let mut opened = 0;
        let open = || {
            opened += 1;
            Ok(Vec::new())
        };
        let response = is_send(get().write_to(open)).await.unwrap();
        assert_eq!((response.value.as_slice(), response.head.attempts), (&b"0123456789"[..], 2));
        assert_eq!(opened, 2);

        // A refusal opens nothing, and a destination that cannot begin again ends the repetition.
        let is_open = Cell::new(false);
        let once = || match is_open.replace(true) {
            false => Ok(Vec::new()),
            true => Err(io::Error::other("a part is written")),
        };
        let error = get().write_to(once).await.unwrap_err();
        assert!(matches!(&error, Error::File(_)), "{error}");
        assert_eq!(error.to_string(), "a part is written");
    }

    #[tokio::test]
    async fn upload_is_not_limited_while_it_proceeds() {
        let limit = Duration::from_millis(10);
        let sent = Cell::new(0);
        let more = || sent.replace(sent.get() + 1);
        let response = while_sending(limit, more, tokio::time::sleep(5 * limit)).await;
        assert!(response.is_ok() && sent.get() > 1);

        let none = while_sending(limit, || 7, std::future::pending::<()>()).await;
        assert!(matches!(none, Err(Error::Transport { is_timeout: true, .. })));
    }

    #[test]
    fn pauses_grow_to_a_maximum() {
        for (attempts, longest) in [(1, 250), (2, 500), (3, 1_000), (6, 8_000), (100, 8_000)] {
            let pause = backoff(attempts);
            let longest = Duration::from_millis(longest);
            assert!(pause <= longest && pause >= longest / 2, "{attempts}: {pause:?}");
        }
    }
}
