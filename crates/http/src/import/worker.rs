//! The workers that read, record and undo imports (behaviour 15.1, 15.7, 15.9).
//!
//! Everything that is to be done is in the rows of imports. One worker reads files, the other one
//! records and undoes, so that a large import delays no preview. Of several imports each gets a
//! block at a time. A lease keeps two processes from doing the same.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::RefusalKind;
use daybook_domain::import::{Import, State};
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::error::ApiError;
use daybook_edge::run;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_service::import::{self, DueImport};
use daybook_service::{Context, book};

use super::document::{self, OptionsDoc, ResultsDoc, SummaryDoc};
use super::failure::{Fault, FaultReason};
use super::step::{Cache, Step};
use crate::import_queue::is_reading;
use crate::state::AppState;

/// How long after a round the next one starts without a wakeup. Another process may have got the
/// request.
const INTERVAL: Duration = Duration::from_secs(2);

/// Creates the workers.
pub fn workers(state: &Arc<AppState>, stop: &Stop) -> [Worker; 2] {
    let worker = |name, wakeup: &Wakeup, is_of: fn(State) -> bool| {
        let (state, stop) = (Arc::clone(state), stop.clone());
        let round = move || -> RunningRound {
            let round = Round { state: Arc::clone(&state), stop: stop.clone(), name, is_of };
            Box::pin(round.run())
        };
        Worker { name, interval: INTERVAL, wakeup: wakeup.clone(), round: Box::new(round) }
    };
    [
        worker("import reading", &state.imports.reading, is_reading),
        worker("import recording", &state.imports.recording, |state| !is_reading(state)),
    ]
}

/// A round of a worker.
struct Round {
    state: Arc<AppState>,
    stop: Stop,
    name: &'static str,
    is_of: fn(State) -> bool,
}

impl Round {
    async fn run(self) -> anyhow::Result<RoundReport> {
        let mut report = RoundReport::default();
        if self.due().await?.is_empty() {
            return Ok(report);
        }
        let (store, name) = (Arc::clone(&self.state.edge.store), self.name);
        let Some(_lease) = block(move || store.lease(name)).await?? else { return Ok(report) };
        let (mut failed, mut seen) = (HashSet::new(), HashSet::new());
        let mut cache = Cache::default();
        loop {
            let due = self.due().await?;
            let due: Vec<DueImport> =
                due.into_iter().filter(|due| !failed.contains(&due.id)).collect();
            if due.is_empty() || self.stop.is_requested() {
                report.found = seen.len();
                report.left = due.len().saturating_add(failed.len());
                report.done = report.found.saturating_sub(report.left);
                return Ok(report);
            }
            cache.retain_books(|id| due.iter().any(|due| due.id == id));
            for due in due {
                seen.insert(due.id);
                if self.stop.is_requested() {
                    break;
                }
                if let Err(error) = self.step(&due, &mut cache).await {
                    // Another round tries again, unless it was refused for good.
                    tracing::warn!(
                        book = due.book.as_str(),
                        import = %due.id,
                        %error,
                        "import not continued"
                    );
                    failed.insert(due.id);
                }
            }
        }
    }

    async fn due(&self) -> anyhow::Result<Vec<DueImport>> {
        let (store, now) = (Arc::clone(&self.state.edge.store), (self.state.edge.clock)());
        let is_of = self.is_of;
        let due = block(move || store.read(|tx| import::due(tx, now))).await??;
        Ok(due.into_iter().filter(|due| is_of(due.state)).collect())
    }

    /// Does the next step of an import.
    async fn step(&self, due: &DueImport, cache: &mut Cache) -> Result<(), ApiError> {
        let now = (self.state.edge.clock)();
        let ids = Arc::clone(&self.state.edge.ids);
        if !due.state.is_in_progress() {
            let (expired, shard) = (due.clone(), book::shard_key(&due.book));
            return run::write(&self.state.edge, shard, move |tx| {
                import::expire(tx, &ids, now, &expired)
            })
            .await;
        }
        let (found, quotas) = (due.clone(), self.state.storage_quotas);
        let loaded = run::read_for_server(&self.state.edge, move |tx| {
            let Some(import) = import::load(tx, &ids, now, &found)? else { return Ok(None) };
            let results: ResultsDoc = document::read(&import.results).unwrap_or_default();
            let user = match import.state {
                State::Undoing => results.undone_by(import.created_by),
                State::Reading
                | State::Preview
                | State::Recording
                | State::Done
                | State::Undone
                | State::Failed => import.created_by,
            };
            let agent = import.stamp.agent.clone();
            let cx = import::context_of(tx, &ids, now, user, agent);
            Ok(Some((import, cx)))
        })
        .await?;
        let Some((import, cx)) = loaded else { return Ok(()) };
        if import.state != due.state {
            return Ok(());
        }
        let outcome = match cx {
            Ok(cx) => {
                let cx = Context { storage_quotas: Some(quotas), ..cx };
                let book = due.book.as_str();
                let step = Step { state: &self.state, cx, book, stop: &self.stop };
                step.run(import, cache).await
            }
            Err(error) => Err(error.into()),
        };
        match outcome {
            Err(ApiError::Service(error)) if is_final(error.kind()) => {
                let fault = Fault::new(FaultReason::Refused, error.to_string());
                self.fail(due, fault).await
            }
            outcome => outcome,
        }
    }

    /// Ends an import that cannot continue.
    async fn fail(&self, due: &DueImport, fault: Fault) -> Result<(), ApiError> {
        let (now, ids) = ((self.state.edge.clock)(), Arc::clone(&self.state.edge.ids));
        let (failed, shard) = (due.clone(), book::shard_key(&due.book));
        run::write(&self.state.edge, shard, move |tx| {
            let update = |import: Import| {
                let summary: SummaryDoc = document::read(&import.summary).unwrap_or_default();
                let summary = summary.with_fault(fault);
                let failed = Import { summary: document::write(&summary), ..import };
                let failed = failed.enter(State::Failed, now);
                // An undo needs the records, but not the file.
                if failed.has_recorded() { without_source(failed) } else { failed }
            };
            import::fail(tx, &ids, now, &failed, update)
        })
        .await
    }
}

/// Returns an import that keeps no file.
fn without_source(import: Import) -> Import {
    let options: OptionsDoc = document::read(&import.options).unwrap_or_default();
    let is_stored = import.source.is_some();
    let source_bytes = if is_stored { options.source_bytes } else { 0 };
    let blob_bytes = import.blob_bytes.saturating_sub(source_bytes);
    Import { source: None, blob_bytes, ..import }
}

/// Returns whether a refusal stays, however often the step is repeated.
const fn is_final(kind: RefusalKind) -> bool {
    match kind {
        RefusalKind::Invalid
        | RefusalKind::Denied
        | RefusalKind::Missing
        | RefusalKind::Exhausted
        | RefusalKind::Conflicting
        | RefusalKind::Stale
        | RefusalKind::Reused
        | RefusalKind::Unauthenticated => true,
        RefusalKind::Limited | RefusalKind::Internal | RefusalKind::Unconfirmed => false,
    }
}
