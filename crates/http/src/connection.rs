//! Connections that nobody can hold for ever. The HTTP server times the first head of a connection and nothing after it, so the
//! socket below it has clocks of its own: a connection without a running request is given up after a while, sooner once the next
//! head has begun, and so is one whose client takes nothing of its answer. How long a request runs is not their business: a body
//! has its own time, and a use case takes as long as it takes.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::rt::net::TcpStream;
use actix_web::web::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// How long a client may take to send the head of a request before it is cut off.
pub(crate) const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection that is being closed waits for its client to read the answer.
pub(crate) const LINGER: Duration = Duration::from_secs(2);
/// How long a connection without a request is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a client may take nothing of an answer.
const STALL_PATIENCE: Duration = Duration::from_secs(30);

/// What the socket and the requests on it know of each other.
pub(crate) struct Connection {
    /// Requests between their head and the end of their answer: the next may begin before the last one has been sent.
    running: Cell<usize>,
    /// When the connection is given up, as long as no request runs.
    deadline: Cell<Instant>,
    /// Who looks at the deadline again once the last request has ended.
    waker: Cell<Option<Waker>>,
}

impl Connection {
    fn new() -> Self {
        Self { running: Cell::new(0), deadline: Cell::new(Instant::now() + KEEP_ALIVE), waker: Cell::new(None) }
    }

    /// A request begins: its head has been read.
    pub(crate) fn begin(self: &Rc<Self>) -> Running {
        self.running.set(self.running.get().saturating_add(1));
        Running { connection: Rc::clone(self), then: KEEP_ALIVE }
    }

    fn is_idle(&self) -> bool {
        self.running.get() == 0
    }
}

/// A request that runs, until it is dropped.
pub(crate) struct Running {
    connection: Rc<Connection>,
    /// How long the connection is kept afterwards.
    then: Duration,
}

impl Running {
    /// It is the connection's last.
    pub(crate) fn close(&mut self) {
        self.then = LINGER;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let connection = &self.connection;
        connection.running.set(connection.running.get().saturating_sub(1));
        connection.deadline.set(Instant::now() + self.then);
        if let Some(waker) = connection.waker.take() {
            waker.wake();
        }
    }
}

/// An answer's body, with what must last until it has been handed to the socket.
pub(crate) struct Answer<K> {
    body: BoxBody,
    /// Dropped with the body.
    _kept: K,
}

impl<K> Answer<K> {
    pub(crate) fn new(body: BoxBody, kept: K) -> Self {
        Self { body, _kept: kept }
    }
}

impl<K: Unpin> MessageBody for Answer<K> {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<std::result::Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}

/// An accepted socket with its clocks.
pub(crate) struct Socket {
    stream: TcpStream,
    connection: Rc<Connection>,
    /// Rings at the connection's deadline, or at one it had before.
    idle: Pin<Box<Sleep>>,
    /// Rings when the client has taken nothing for too long; none while it takes what it is given.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream) -> Self {
        let connection = Rc::new(Connection::new());
        let idle = Box::pin(sleep_until(connection.deadline.get()));
        Self { stream, connection, idle, stalled: None }
    }

    /// The connection, for the requests on it.
    pub(crate) fn connection(&self) -> Rc<Connection> {
        Rc::clone(&self.connection)
    }

    /// Whether a connection without requests has been kept long enough. Else somebody will look again in time.
    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.connection.is_idle() {
            self.connection.waker.set(Some(cx.waker().clone()));
            return false;
        }
        let deadline = self.connection.deadline.get();
        if self.idle.deadline() != deadline {
            self.idle.as_mut().reset(deadline);
        }
        self.idle.as_mut().poll(cx).is_ready()
    }

    /// Passes on how far writing came, unless it has stood still for too long.
    fn unless_stalled<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<Result<T>>) -> Poll<Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL_PATIENCE)));
        stalled.as_mut().poll(cx).map(|()| Err(Error::new(ErrorKind::TimedOut, "the client takes nothing of its answer")))
    }
}

impl AsyncRead for Socket {
    /// Reads. A connection that is over reads as one whose client has left: it ends in good order.
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if outcome.is_pending() {
            return if self.is_over(cx) { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        if buffer.filled().len() > before && self.connection.is_idle() {
            // The next head, or what is left of a body nobody wanted. Only the first byte starts the clock.
            let deadline = &self.connection.deadline;
            deadline.set(deadline.get().min(Instant::now() + HEAD_PATIENCE));
        }
        outcome
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.unless_stalled(cx, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
