//! Connections that end. The HTTP server would time only the first head of a connection, and answer
//! it without a body, so the socket below it has timeouts of its own. It closes a connection that
//! has had no running request for a while, sooner once the next head has begun, and one whose
//! client stops taking its answer, or takes it too slowly. A head that does not arrive in time is
//! answered 408 here, because the HTTP server knows no request yet. The socket does not limit how
//! long a request runs: a body has its own time limit, and so has what is read (behaviour 0.32).
//!
//! It also limits reading ahead. The HTTP server queues pipelined requests, and with its buffer
//! full it polls without pause until the client takes its answers. So the socket reads nothing
//! while a request is answered, and never much at a time. It only looks whether the client is
//! still there: a request whose client has left is dropped, and what it reads is stopped.

mod phase;
#[cfg(test)]
mod tests;
mod write_deadline;

use std::cell::Cell;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::error::head_timeout;
use crate::slots::Slot;
use phase::Phase;
use write_deadline::WriteDeadline;

/// How long a client may take to send the head of a request before it is answered 408.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection that is being closed waits for its client to read the answer.
pub(crate) const LINGER: Duration = Duration::from_secs(2);
/// How long a connection without a request is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a client that sends no more is waited for while its request is worked on: some close
/// their side of the connection as soon as they have sent, and still read the answer.
const GONE_TIMEOUT: Duration = Duration::from_secs(1);
/// Bytes read before the HTTP server looks at them; its buffer holds four times as many.
const MAX_AT_ONCE: usize = 32 * 1024;

/// What the socket and the requests on it share.
pub(crate) struct ConnectionState {
    phase: Cell<Phase>,
    /// Whether a request has begun since the last read from the socket: the next one may have been
    /// read with it.
    has_begun: Cell<bool>,
    /// When the connection is closed if no request runs until then.
    deadline: Cell<Instant>,
    /// Whether the answer of the running request has not begun.
    is_awaited: Cell<bool>,
    /// Whether a request has begun since the client last took something, or took nothing.
    has_asked: Cell<bool>,
    /// Wakes the task that reads when the phase has changed.
    waker: Cell<Option<Waker>>,
    slot: Slot,
    /// Whether a request on it has let somebody in.
    is_known: Cell<bool>,
}

impl ConnectionState {
    fn new(slot: Slot) -> Self {
        Self {
            slot,
            is_known: Cell::new(false),
            phase: Cell::new(Phase::Idle),
            has_begun: Cell::new(false),
            deadline: Cell::new(Instant::now() + KEEP_ALIVE),
            is_awaited: Cell::new(false),
            has_asked: Cell::new(false),
            waker: Cell::new(None),
        }
    }

    /// A request begins: its head has been read.
    pub(crate) fn begin(self: &Rc<Self>, has_body: bool) -> Running {
        self.has_begun.set(true);
        self.slot.set_running(true);
        self.is_awaited.set(true);
        self.has_asked.set(true);
        self.phase.set(if has_body { Phase::Receiving } else { Phase::Answering });
        Running { connection: Rc::clone(self), then: KEEP_ALIVE }
    }

    /// The token of the running request lets somebody in (behaviour 0.35).
    pub(crate) fn let_in(&self) {
        if !self.is_known.replace(true) {
            self.slot.is_known();
        }
    }

    /// The body of the running request has been read.
    pub(crate) fn received(&self) {
        self.phase.set(Phase::Answering);
    }
}

/// A running request, until it is dropped.
pub(crate) struct Running {
    connection: Rc<ConnectionState>,
    /// How long the connection is kept afterwards.
    then: Duration,
}

impl Running {
    /// The answer begins.
    pub(crate) fn answer(&self) {
        self.connection.is_awaited.set(false);
    }

    /// Closes the connection after this request.
    pub(crate) fn close(&mut self) {
        self.then = LINGER;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.answer();
        let connection = &self.connection;
        let ends = self.then == LINGER || connection.phase.get() == Phase::Receiving;
        connection.phase.set(if ends { Phase::Ending } else { Phase::Idle });
        connection.slot.set_running(false);
        connection.deadline.set(Instant::now() + self.then);
        if let Some(waker) = connection.waker.take() {
            waker.wake();
        }
    }
}

/// An accepted socket with its timeouts.
pub(crate) struct Socket {
    stream: TcpStream,
    connection: Rc<ConnectionState>,
    /// Ends at the deadline of the connection, or at an earlier one it had before.
    idle: Pin<Box<Sleep>>,
    /// For how long the client may go on taking its answer slowly.
    patience: WriteDeadline,
    /// Ends when that is over; `None` while the client takes what it is given.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Bytes read since the socket last had nothing to read.
    at_once: usize,
    /// Ends a while after the client has closed its side; `None` while it has not.
    gone: Option<Pin<Box<Sleep>>>,
    /// Tells that another connection gets the place of this one; `None` when it has been told.
    given_up: Option<oneshot::Receiver<()>>,
    is_given_up: bool,
}

impl Socket {
    /// # Errors
    /// When the connection is closed already.
    pub(crate) fn new(stream: TcpStream, mut slot: Slot) -> Result<Self> {
        // Else the last piece of an answer waits 40 ms until the client has confirmed the others.
        stream.set_nodelay(true)?;
        let given_up = slot.given_up();
        let connection = Rc::new(ConnectionState::new(slot));
        let idle = Box::pin(sleep_until(connection.deadline.get()));
        Ok(Self {
            stream,
            connection,
            idle,
            patience: WriteDeadline::new(),
            stalled: None,
            at_once: 0,
            gone: None,
            given_up,
            is_given_up: false,
        })
    }

    /// The connection, for the requests on it.
    pub(crate) fn connection(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.connection)
    }

    /// Whether reading has to wait: for the end of the running request, or until the HTTP server
    /// has looked at what was read.
    fn is_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        if self.connection.phase.get() == Phase::Answering {
            self.connection.waker.set(Some(cx.waker().clone()));
            return true;
        }
        let looks = self.connection.has_begun.take() && !self.connection.phase.get().is_running();
        if !looks && self.at_once < MAX_AT_ONCE {
            return false;
        }
        self.at_once = 0;
        cx.waker().wake_by_ref();
        true
    }

    /// Whether another connection gets the place, and no request runs. If not, the task is woken
    /// when it is so.
    fn makes_room(&mut self, cx: &mut Context<'_>) -> bool {
        if let Some(given_up) = &mut self.given_up
            && let Poll::Ready(told) = Pin::new(given_up).poll(cx)
        {
            self.given_up = None;
            self.is_given_up = told.is_ok();
        }
        self.is_given_up && !self.connection.phase.get().is_running()
    }

    /// Notes that the client has closed its side.
    fn note_end(&mut self) {
        self.gone.get_or_insert_with(|| Box::pin(sleep(GONE_TIMEOUT)));
    }

    /// Looks, while nothing is read, whether the client closes its side; not behind what it has
    /// sent ahead.
    fn look_for_end(&mut self, cx: &mut Context<'_>) {
        let mut byte = [0];
        if self.gone.is_none()
            && let Poll::Ready(Ok(0) | Err(_)) =
                self.stream.poll_peek(cx, &mut ReadBuf::new(&mut byte))
        {
            self.note_end();
        }
    }

    /// Fails when the client is gone and its request still worked on: the work is dropped with the
    /// connection (behaviour 0.32).
    fn check_client(&mut self, cx: &mut Context<'_>) -> Result<()> {
        let Some(gone) = self.gone.as_mut().filter(|_| self.connection.is_awaited.get()) else {
            return Ok(());
        };
        if gone.as_mut().poll(cx).is_pending() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::ConnectionAborted, "the client has left"))
    }

    /// Whether a connection without requests has been kept long enough. If not, the task is woken
    /// when it has.
    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        if self.connection.phase.get().is_running() {
            self.connection.waker.set(Some(cx.waker().clone()));
            return false;
        }
        if !self.is_late(cx) {
            return false;
        }
        // What is left of an earlier answer has to come first, and the client does not take it.
        if self.connection.phase.get() != Phase::Head || self.stalled.is_some() {
            return true;
        }
        self.refuse_head();
        self.is_late(cx)
    }

    /// Whether the deadline is over. If not, the task is woken when it is.
    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        let deadline = self.connection.deadline.get();
        if self.idle.deadline() != deadline {
            self.idle.as_mut().reset(deadline);
        }
        self.idle.as_mut().poll(cx).is_ready()
    }

    /// Answers 408 to a head that did not arrive in time (behaviour 0.20), and leaves the client a
    /// moment to read it: a socket that is closed while it is sent to takes the answer back.
    fn refuse_head(&mut self) {
        // A client that left, or whose socket takes nothing, goes without.
        drop(self.stream.try_write(&head_timeout()));
        self.connection.phase.set(Phase::Refused);
        self.connection.deadline.set(Instant::now() + LINGER);
    }

    /// Reads on without passing on what comes. Answers whether the client has left.
    fn read_away(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> bool {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                buffer.set_filled(before);
                // The deadline is looked at between the pieces.
                cx.waker().wake_by_ref();
                self.is_late(cx)
            }
            Poll::Ready(_) => true,
            Poll::Pending => self.is_late(cx),
        }
    }

    /// Passes on the outcome of a write; an error when the client takes too little (0.20).
    fn unless_stalled(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let now = Instant::now();
        if self.connection.has_asked.take() {
            self.patience.renew();
        }
        if let Poll::Ready(taken) = &outcome {
            self.stalled = None;
            self.patience.earn(now, taken.as_ref().map_or(0, |bytes| *bytes));
            return outcome;
        }
        let end = self.patience.wait(now);
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if end > now && stalled.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client takes its answer too slowly")))
    }
}

impl AsyncRead for Socket {
    /// Reads. A connection that is over reads as one whose client has left, so that it ends in good
    /// order.
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        if self.is_ahead(cx) {
            if self.connection.is_awaited.get() {
                self.look_for_end(cx);
            }
            return Poll::Pending;
        }
        if self.makes_room(cx) {
            return Poll::Ready(Ok(()));
        }
        if self.connection.phase.get() == Phase::Refused {
            return if self.read_away(cx, buffer) { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if outcome.is_pending() {
            self.at_once = 0;
            return if self.is_over(cx) { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        let read = buffer.filled().len() - before;
        self.at_once += read;
        if read == 0 {
            self.note_end();
        }
        if read > 0 && !self.connection.phase.get().is_running() {
            // The next head, or the rest of a body that nobody read. Only the first byte starts the
            // clock.
            if self.connection.phase.get() == Phase::Idle {
                self.connection.phase.set(Phase::Head);
            }
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
        self.unless_stalled(cx, outcome)
    }

    /// Flushes. The HTTP server does so each time it has looked at its connection.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if let Err(gone) = self.check_client(cx) {
            return Poll::Ready(Err(gone));
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
