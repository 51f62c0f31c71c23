//! Client connections below the HTTP server.
//!
//! [`Socket`] wraps the stream of a connection and limits what a client can hold. It closes a
//! connection that has had no request for 75 seconds, or 10 seconds after the first byte of a
//! request head that stays incomplete. It fails the write of a response if the client takes less
//! than 64 KB of it in 30 seconds (behaviour 0.20). The limits of request bodies and of reads are
//! elsewhere (behaviour 0.19, 0.32).
//!
//! While a request is processed the socket reads nothing: the HTTP server would queue pipelined
//! requests and then poll without pause. It only checks whether the client has closed its side.
//! Some clients do so as soon as they have sent, so the request is dropped one second later. An
//! event stream (behaviour 8.23) counts as a request that is processed.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::slots::Slot;

/// How long a connection without a request is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request is processed after its client has closed its side.
const CLOSED_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a client may take for `MIN_TAKEN` bytes of a response.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
const MIN_TAKEN: usize = 64 * 1024;
/// Bytes read before the HTTP server looks at them. Its buffer holds four times as many.
const MAX_READ_AHEAD: usize = 32 * 1024;

/// The state of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No request runs.
    Idle,
    /// A request runs whose body may still arrive.
    Receiving,
    /// A request runs that has arrived completely.
    Processing,
    /// The response of a request is being sent.
    Responding,
}

/// State that the socket shares with the requests on it.
pub(crate) struct ConnectionState {
    phase: Cell<Phase>,
    /// Whether a request has begun since the last read.
    has_begun: Cell<bool>,
    /// Whether a request has begun since the client last kept a response waiting.
    has_response: Cell<bool>,
    /// When the connection is closed unless a request begins.
    deadline: Cell<Instant>,
    /// Wakes the task of the connection when the phase changes.
    waker: Cell<Option<Waker>>,
}

impl ConnectionState {
    /// Begins a request whose head has been read.
    pub(crate) fn begin(self: &Rc<Self>, has_body: bool) -> RunningRequest {
        self.has_begun.set(true);
        self.has_response.set(true);
        self.phase.set(if has_body { Phase::Receiving } else { Phase::Processing });
        RunningRequest(Rc::clone(self))
    }

    /// Records that the body of the running request has been received, so the socket stops reading.
    pub(crate) fn received(&self) {
        self.phase.set(Phase::Processing);
    }
}

/// A running request, until it is dropped.
pub(crate) struct RunningRequest(Rc<ConnectionState>);

impl RunningRequest {
    /// Begins the response.
    pub(crate) fn respond(&self) {
        self.0.phase.set(Phase::Responding);
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.phase.set(Phase::Idle);
        self.0.deadline.set(Instant::now() + KEEP_ALIVE);
        if let Some(waker) = self.0.waker.take() {
            waker.wake();
        }
    }
}

/// The stream of a connection with its timeouts.
pub(crate) struct Socket {
    stream: TcpStream,
    connection: Rc<ConnectionState>,
    /// Ends at the deadline of the connection, or at an earlier one.
    idle: Pin<Box<Sleep>>,
    /// Ends a while after the client has closed its side; `None` until it has.
    closed: Option<Pin<Box<Sleep>>>,
    /// Set while the client keeps the response waiting.
    stall: Option<Stall>,
    /// Bytes read since the stream last had none.
    read_ahead: usize,
    /// Returned with the connection.
    _slot: Slot,
}

/// A client that keeps a response waiting.
struct Stall {
    ends: Pin<Box<Sleep>>,
    taken: usize,
    /// Whether bytes wait for the client now.
    waits: bool,
}

impl Socket {
    /// Wraps an accepted stream.
    ///
    /// # Errors
    /// When the connection is closed already.
    pub(crate) fn new(stream: TcpStream, slot: Slot) -> Result<Self> {
        // Else the last piece of a response waits 40 ms until the client has confirmed the others.
        stream.set_nodelay(true)?;
        let deadline = Instant::now() + KEEP_ALIVE;
        let connection = ConnectionState {
            phase: Cell::new(Phase::Idle),
            has_begun: Cell::new(false),
            has_response: Cell::new(false),
            deadline: Cell::new(deadline),
            waker: Cell::new(None),
        };
        Ok(Self {
            stream,
            connection: Rc::new(connection),
            idle: Box::pin(sleep_until(deadline)),
            closed: None,
            stall: None,
            read_ahead: 0,
            _slot: slot,
        })
    }

    /// Returns the state of the connection for the requests on it.
    pub(crate) fn connection(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.connection)
    }

    /// Notes that the client has closed its side. A while later it fails, which drops the running
    /// request; without one it returns the end of the stream.
    fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let is_idle = self.connection.phase.get() == Phase::Idle;
        let outcome = || if is_idle { Ok(()) } else { Err(ErrorKind::ConnectionAborted.into()) };
        let closed = self.closed.get_or_insert_with(|| Box::pin(sleep(CLOSED_TIMEOUT)));
        closed.as_mut().poll(cx).map(|()| outcome())
    }

    /// Checks, without reading, whether the client has closed its side. Behind a pipelined request
    /// that does not show.
    fn poll_client(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if self.closed.is_none() {
            let mut byte = [0];
            match self.stream.poll_peek(cx, &mut ReadBuf::new(&mut byte)) {
                Poll::Ready(Ok(0) | Err(_)) => {}
                Poll::Ready(Ok(_)) | Poll::Pending => return Poll::Pending,
            }
        }
        self.poll_closed(cx)
    }

    /// Returns the end of the stream at the deadline of a connection without a request.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if self.connection.phase.get() != Phase::Idle {
            return Poll::Pending;
        }
        let deadline = self.connection.deadline.get();
        if self.idle.deadline() != deadline {
            self.idle.as_mut().reset(deadline);
        }
        self.idle.as_mut().poll(cx).map(Ok)
    }

    /// Passes on the outcome of a write, or an error if the client takes too little.
    fn check_stall(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let Poll::Ready(taken) = &outcome else {
            // Time in which no bytes waited does not count, nor does an earlier response.
            let is_new = self.connection.has_response.take();
            self.stall.take_if(|stall| !stall.waits && (is_new || stall.ends.is_elapsed()));
            let new = || Stall { ends: Box::pin(sleep(STALL_TIMEOUT)), taken: 0, waits: true };
            let stall = self.stall.get_or_insert_with(new);
            stall.waits = true;
            return stall.ends.as_mut().poll(cx).map(|()| {
                Err(Error::new(ErrorKind::TimedOut, "the client takes its response too slowly"))
            });
        };
        if let (Some(stall), Ok(bytes)) = (&mut self.stall, taken) {
            stall.taken = stall.taken.saturating_add(*bytes);
            if stall.taken >= MIN_TAKEN {
                self.stall = None;
            }
        }
        outcome
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        self.connection.waker.set(Some(cx.waker().clone()));
        let has_begun = self.connection.has_begun.take();
        let is_idle = match self.connection.phase.get() {
            Phase::Processing => return self.poll_client(cx),
            Phase::Responding => return Poll::Pending,
            Phase::Idle => true,
            Phase::Receiving => false,
        };
        if self.closed.is_some() {
            return self.poll_closed(cx);
        }
        // A client that sends requests without taking the responses would fill the memory.
        if is_idle && self.stall.as_ref().is_some_and(|stall| stall.waits) {
            return Poll::Pending;
        }
        // The next request may have been read together with one that has ended already.
        if self.read_ahead >= MAX_READ_AHEAD || (is_idle && has_begun) {
            self.read_ahead = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if outcome.is_pending() {
            self.read_ahead = 0;
            return self.poll_idle(cx);
        }
        let read = buffer.filled().len() - before;
        if read == 0 && matches!(outcome, Poll::Ready(Ok(()))) {
            // The HTTP server may not have seen the request that was read before.
            return self.poll_closed(cx);
        }
        self.read_ahead += read;
        if is_idle {
            let deadline = &self.connection.deadline;
            deadline.set(deadline.get().min(Instant::now() + HEAD_TIMEOUT));
        }
        outcome
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_stall(cx, outcome)
    }

    /// The HTTP server flushes when the client has taken all bytes.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if let Some(stall) = self.stall.as_mut().filter(|stall| stall.waits) {
            stall.waits = false;
            // The next request may be read now.
            cx.waker().wake_by_ref();
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use actix_web::rt::System;
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;
    use tokio::task::yield_now;
    use tokio::time::timeout;

    use super::*;
    use crate::slots::Slots;

    const SHORT: Duration = Duration::from_millis(20);

    /// A socket and its client.
    async fn connected() -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, peer) = listener.accept().await.unwrap();
        let slot = Slots::new(8, &[]).take(peer.ip()).unwrap();
        (Socket::new(stream, slot).unwrap(), client)
    }

    /// Lets the client take `bytes` bytes after each wait. Returns the error that ends it, if one
    /// does within 100 ms.
    async fn taking(socket: &mut Socket, bytes: usize) -> Option<Error> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(100) {
            let waits = |cx: &mut Context<'_>| Poll::Ready(socket.check_stall(cx, Poll::Pending));
            if let Poll::Ready(outcome) = poll_fn(waits).await {
                return outcome.err();
            }
            yield_now().await;
            let takes = |cx: &mut Context<'_>| socket.check_stall(cx, Poll::Ready(Ok(bytes)));
            poll_fn(takes).await.unwrap();
        }
        None
    }

    #[test]
    fn rule_0_20_slow_readers_are_closed() {
        System::new().block_on(async {
            let (mut socket, _client) = connected().await;
            let almost_over = || Stall { ends: Box::pin(sleep(SHORT)), taken: 0, waits: true };
            socket.stall = Some(almost_over());
            assert!(taking(&mut socket, MIN_TAKEN).await.is_none(), "it takes enough");
            socket.stall = Some(almost_over());
            let error = taking(&mut socket, 0).await.expect("it takes nothing");
            assert_eq!(error.kind(), ErrorKind::TimedOut);
        });
    }

    /// Returns how many bytes the socket reads within so long; none at the end of its stream.
    async fn read_within(socket: &mut Socket, time: Duration) -> Option<usize> {
        let mut space = [0; 8];
        let mut buffer = ReadBuf::new(&mut space);
        let read = poll_fn(|cx| Pin::new(&mut *socket).poll_read(cx, &mut buffer));
        let read = timeout(time, read).await;
        read.ok().map(|_| buffer.filled().len())
    }

    async fn ends_within(socket: &mut Socket, time: Duration) -> bool {
        read_within(socket, time).await == Some(0)
    }

    #[test]
    fn rule_0_20_no_request_is_read_while_a_response_waits() {
        System::new().block_on(async {
            let (mut socket, mut client) = connected().await;
            let waits = poll_fn(|cx| Poll::Ready(socket.check_stall(cx, Poll::Pending)));
            assert!(waits.await.is_pending());
            drop(socket.connection().begin(false));
            client.write_all(b"GET").await.unwrap();
            assert_eq!(read_within(&mut socket, SHORT).await, None);
            poll_fn(|cx| Pin::new(&mut socket).poll_flush(cx)).await.unwrap();
            assert_eq!(read_within(&mut socket, SHORT).await, Some(3));
        });
    }

    #[test]
    fn rule_0_32_requests_of_closed_clients_end_after_a_second() {
        System::new().block_on(async {
            let (mut socket, client) = connected().await;
            let running = socket.connection().begin(false);
            drop(client);
            assert!(!ends_within(&mut socket, SHORT).await, "the client may still read");
            assert!(ends_within(&mut socket, CLOSED_TIMEOUT * 5).await);
            running.respond();
            assert!(!ends_within(&mut socket, SHORT).await, "a response is not cut off");
            drop(running);
            assert!(ends_within(&mut socket, CLOSED_TIMEOUT).await);
        });
    }

    /// The last piece of a response does not wait until the client has confirmed the others.
    #[test]
    fn responses_are_sent_without_delay() {
        System::new().block_on(async {
            let (socket, client) = connected().await;
            assert!(!client.nodelay().unwrap(), "the default of the system");
            assert!(socket.stream.nodelay().unwrap());
        });
    }
}
