//! The auditor: a thread that makes the audits that wait, one after another (behaviour 6.7).
//!
//! What waits stands in the database, one audit a book, so the queue is bounded, survives the
//! process, and whoever starts next goes on with it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_http::Bell;
use daybook_service::{Context, Error, Ids, audit, user};
use daybook_storage::{Lane, Store};

/// How long after the last look another is taken although nobody rang: an audit may have failed, or
/// another process may have gone before it made one.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// The thread, stopped and waited for when dropped.
pub(crate) struct Auditor {
    stop: Stop,
    bell: Bell,
    thread: Option<JoinHandle<()>>,
}

/// Asks the auditor to give up what it does; it is there when the process starts anew.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Auditor {
    /// Starts with what waits already.
    pub(crate) fn start(
        store: Arc<Store>,
        ids: Arc<Ids>,
        clock: fn() -> Instant,
    ) -> std::io::Result<Self> {
        let (bell, heard) = Bell::new();
        let stop = Stop::default();
        let desk = WriterLoop { store, ids, clock, stop: stop.clone() };
        let thread = std::thread::Builder::new()
            .name("auditor".to_owned())
            .spawn(move || desk.serve(&heard))?;
        Ok(Self { stop, bell, thread: Some(thread) })
    }

    /// What to ring when somebody asked for an audit.
    pub(crate) fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// What makes it give up.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

impl Drop for Auditor {
    fn drop(&mut self) {
        self.stop.ask();
        self.bell.ring();
        if let Some(thread) = self.thread.take() {
            // It catches the panics of audits; there is nobody left to tell of another.
            let _ = thread.join();
        }
    }
}

struct WriterLoop {
    store: Arc<Store>,
    ids: Arc<Ids>,
    clock: fn() -> Instant,
    stop: Stop,
}

impl WriterLoop {
    fn serve(&self, heard: &Receiver<()>) {
        while !self.stop.asked() {
            self.round();
            if matches!(heard.recv_timeout(POLL_INTERVAL), Err(RecvTimeoutError::Disconnected)) {
                return;
            }
        }
    }

    /// Makes every audit that waits.
    fn round(&self) {
        let waiting = match self.store.read(audit::waiting) {
            Ok(waiting) => waiting,
            Err(error) => return tracing::error!(%error, "the audits that wait cannot be read"),
        };
        for key in waiting {
            if self.stop.asked() {
                return;
            }
            // A panic is a bug, but not one that other books should pay for.
            match catch_unwind(AssertUnwindSafe(|| self.audit(&key))) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::error!(book = key.as_str(), %error, "an audit failed; it is tried \
                        again")
                }
                Err(_) => {
                    tracing::error!(book = key.as_str(), "an audit panicked; it is tried again")
                }
            }
        }
    }

    fn audit(&self, key: &BookKey) -> Result<(), Error> {
        let Some(made) = self.store.read(|tx| audit::make(tx, key, &|| self.stop.asked()))? else {
            return Ok(());
        };
        let (sequence, findings) = (made.report.sequence, made.report.findings.count());
        let (ids, now, book) = (Arc::clone(&self.ids), (self.clock)(), key.clone());
        self.store.write(Lane::of_book(key.as_str()), move |tx| {
            let Some(user) = user::find(tx, &made.wanted.email)? else { return Ok(()) };
            let cx = Context {
                user: Arc::new(user),
                agent: made.wanted.agent.clone(),
                now,
                ids,
                condition: None,
            };
            audit::conclude(tx, &cx, &book, &made)
        })?;
        tracing::info!(book = key.as_str(), sequence, findings, "audited");
        Ok(())
    }
}
