//! Events of a book as they are recorded.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::{Method, Response};

use crate::book::Book;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::event_stream::{Block, Parser};
use crate::exchange::backoff;
use crate::types::Event;

/// The server sends a comment after 15 seconds without an event (8.23).
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(45);
/// The pause before a stream that ended as usual is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// Where a follower begins.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// use daybook_client::{Since, types::EventType};
///
/// let mut events = client.book(&example.book).follow(Since::Beginning);
/// let first = events.next().await?;
/// assert_eq!((first.sequence, first.kind), (1, EventType::BookCreated));
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// With the first event of the book.
    Beginning,
    /// With the first event recorded after the follower has connected.
    Now,
    /// After the event with this `sequence`.
    After(i64),
}

/// A follower of the event log: each event once, in order, over broken connections.
///
/// It reads the event stream (8.23), resumes after the last event, and connects again when the
/// stream ends or is silent for 45 seconds. While the server does not respond it waits up to 8
/// seconds between attempts.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// # let book = client.book(&example.book);
/// use daybook_client::{Since, types::Transaction};
///
/// let mut events = book.follow(Since::Now);
/// events.connect().await?;
/// let draft = Transaction { description: "Lunch".into(), ..Transaction::default() };
/// book.create_transaction(&draft, &Default::default()).await?;
///
/// let event = events.next().await?;
/// println!("{} {} by {}", event.sequence, event.kind, event.user.username);
/// // Store this to go on after a restart, with `Since::After`.
/// assert_eq!(events.position(), Some(event.sequence));
/// # Ok(()) });
/// ```
#[derive(Debug)]
pub struct Follower {
    book: Book,
    position: Option<i64>,
    stream: Option<Stream>,
    ready: VecDeque<Event>,
    /// Failures since the last event.
    failures: u32,
}

#[derive(Debug)]
struct Stream {
    response: Response,
    parser: Parser,
}

impl Book {
    /// Follows the events of the book.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::Since;
    ///
    /// let mut events = client.book(&example.book).follow(Since::After(1));
    /// assert_eq!(events.next().await?.sequence, 2);
    /// # Ok(()) });
    /// ```
    #[must_use]
    pub fn follow(&self, since: Since) -> Follower {
        let position = match since {
            Since::Beginning => Some(0),
            Since::Now => None,
            Since::After(sequence) => Some(sequence),
        };
        Follower { book: self.clone(), position, stream: None, ready: VecDeque::new(), failures: 0 }
    }
}

impl Follower {
    /// Returns the `sequence` of the last event, or that at which the stream began.
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// use daybook_client::Since;
    ///
    /// assert_eq!(client.book("abc").follow(Since::After(7)).position(), Some(7));
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub const fn position(&self) -> Option<i64> {
        self.position
    }

    /// Waits until the stream is open, so that no later event is missed.
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let mut events = client.book(&example.book).follow(daybook_client::Since::Now);
    /// events.connect().await?;
    /// assert!(events.position().is_some());
    /// # Ok(()) });
    /// ```
    pub async fn connect(&mut self) -> Result<()> {
        while self.position.is_none() || self.stream.is_none() {
            self.advance().await?;
        }
        Ok(())
    }

    /// Passes by an event that is too large for a response (`answerTooLarge`).
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// let mut events = client.book("abc").follow(daybook_client::Since::After(7));
    /// events.skip();
    /// assert_eq!(events.position(), Some(8));
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    pub fn skip(&mut self) {
        self.position = self.position.map(|position| position.saturating_add(1));
        self.stream = None;
    }

    /// Waits for the next event. The future may be dropped and called again.
    ///
    /// # Errors
    /// A refusal that waiting does not change: no access, no such book, an event that is too large.
    /// The next call tries again.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::{Reason, Since};
    ///
    /// let error = client.book("unknown").follow(Since::Beginning).next().await.unwrap_err();
    /// assert_eq!(error.reason(), Some(&Reason::NotFound));
    /// # Ok(()) });
    /// ```
    pub async fn next(&mut self) -> Result<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.position = Some(event.sequence);
                return Ok(event);
            }
            self.advance().await?;
        }
    }

    /// Opens the stream, or reads more of it.
    async fn advance(&mut self) -> Result<()> {
        let Some(stream) = &mut self.stream else { return self.open().await };
        match tokio::time::timeout(HEARTBEAT_TIMEOUT, stream.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                let blocks = stream.parser.push(&bytes);
                self.failures = 0;
                self.accept(blocks)
            }
            // The end of the stream, silence, or a broken connection.
            Ok(Ok(None)) => {
                self.stream = None;
                tokio::time::sleep(PAUSE).await;
                Ok(())
            }
            Ok(Err(_)) | Err(_) => {
                self.stream = None;
                self.pause().await;
                Ok(())
            }
        }
    }

    async fn open(&mut self) -> Result<()> {
        let path = ["v5", "books", self.book.id(), "events", "stream"];
        let mut call = Call::new(Method::GET, &path);
        call.header("accept", Some("text/event-stream"));
        // Events that are ready but not returned yet are not requested again.
        let last = self.ready.back().map(|event| event.sequence).or(self.position);
        call.header("last-event-id", last.map(|last| last.to_string()).as_deref());
        match self.book.client().stream(call).await {
            Ok(response) => {
                self.stream = Some(Stream { response, parser: Parser::default() });
                Ok(())
            }
            Err(error) if is_transient(&error) => {
                self.pause().await;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn pause(&mut self) {
        self.failures = self.failures.saturating_add(1);
        tokio::time::sleep(backoff(self.failures)).await;
    }

    fn accept(&mut self, blocks: Vec<Block>) -> Result<()> {
        for block in blocks {
            let Some(data) = block.data else {
                // The first block names the position of a stream from now on.
                let id = block.id.and_then(|id| id.parse().ok());
                self.position = self.position.or(id);
                continue;
            };
            let event = serde_json::from_str(&data).map_err(|source| {
                self.stream = None;
                Error::Decode { operation: "GET events/stream".to_owned(), source }
            })?;
            self.ready.push_back(event);
        }
        Ok(())
    }
}

/// Returns whether a later attempt may succeed.
fn is_transient(error: &Error) -> bool {
    match error {
        Error::Transport { .. } => true,
        Error::Api(error) => matches!(error.status, 408 | 429 | 500 | 502 | 503 | 504),
        Error::OAuth(_) | Error::Decode { .. } | Error::File(_) | Error::Invalid(_) => false,
    }
}
