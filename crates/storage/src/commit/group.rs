//! The execution of a group: which jobs run together, how they run, and how they complete.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::commit::fair_queue::{Charge, GROUP_TIME, Scheduled, Tenant};
use crate::commit::job::{Completion, Job};
use crate::commit::mark::CommitMark;
use crate::commit::shard_key::ShardKey;
use crate::commit::tx::background::Flusher;
use crate::commit::tx::{Caches, Tx};
use crate::conn::Conn;
use crate::conn::engine::Engine;
use crate::error::{CommitFailure, Error, Result};
use crate::metric::{COMMIT_DURATION, EVENTS_APPENDED, GROUP_SIZE};

/// Jobs that were taken from the queue together.
pub(crate) type JobGroup = Vec<Scheduled<Box<dyn Job>>>;

/// The jobs of a group after it ran.
#[derive(Default)]
pub(crate) struct RanGroup {
    pub(crate) completions: Vec<(Box<dyn Completion>, Charge)>,
    /// The measured times, also of jobs that were skipped.
    pub(crate) times: Vec<(Charge, Duration)>,
    /// The books that have a chunk for the trigram index, and the tenants who completed it.
    pub(crate) unindexed: Vec<(String, Tenant)>,
    /// The jobs that did not start, because the group's time was over or they have another shard
    /// key.
    pub(crate) left: JobGroup,
}

/// Completes the jobs that ran, and returns those that must run again.
///
/// After a failure that one job has caused, the repeatable jobs of the group run again, each alone.
pub(crate) fn deliver(
    ran: &mut RanGroup,
    committed: &std::result::Result<(), CommitFailure>,
    is_alone: bool,
) -> JobGroup {
    let mut relies_on_group = false;
    let mut retries = JobGroup::new();
    for (completion, charge) in std::mem::take(&mut ran.completions) {
        // A job that ran alone fails with its own rows, even if it ignored the error.
        let has_failed = is_alone && matches!(committed, Err(CommitFailure::Refused(_)));
        relies_on_group |= has_failed || completion.is_accepted();
        let outcome = if relies_on_group { committed.clone() } else { Ok(()) };
        let repeated = match &outcome {
            Err(CommitFailure::Refused(_)) => completion.into_job(),
            Ok(()) | Err(CommitFailure::Undone(_) | CommitFailure::Unknown(_)) => Err(completion),
        };
        match repeated {
            // Its estimate was already replaced with the group.
            Ok(job) => {
                let charge = Charge { estimate: Duration::ZERO, ..charge };
                retries.push(Scheduled { job, charge });
            }
            Err(completion) => completion.deliver(match outcome {
                // Another job may be the cause.
                Err(CommitFailure::Refused(error)) if !is_alone => {
                    Err(CommitFailure::Undone(error.to_string()))
                }
                outcome => outcome,
            }),
        }
    }
    retries
}

/// Splits a group into the jobs that run now and those that wait, because a job whose shard key has
/// failed runs alone.
pub(crate) fn isolate_failing(
    failing: &BTreeSet<ShardKey>,
    group: JobGroup,
) -> (JobGroup, JobGroup) {
    if failing.is_empty() {
        return (group, JobGroup::new());
    }
    let is_failing =
        |scheduled: &Scheduled<Box<dyn Job>>| failing.contains(&scheduled.job.shard_key());
    let first_is_failing = group.first().is_some_and(is_failing);
    let mut is_first = true;
    group.into_iter().partition(|scheduled| {
        let is_first = std::mem::take(&mut is_first);
        if first_is_failing { is_first } else { !is_failing(scheduled) }
    })
}

/// Sorts the jobs of a group by their locks; returns the jobs that run now and those that wait.
///
/// On a distributed engine, jobs of other machines wait.
fn in_lock_order(engine: Engine, mut group: JobGroup) -> (JobGroup, JobGroup) {
    if engine.is_distributed() {
        let book = group
            .first()
            .map(|scheduled| scheduled.job.shard_key())
            .filter(|shard_key| shard_key.is_book());
        let mut is_first = true;
        return group.into_iter().partition(|scheduled| {
            std::mem::take(&mut is_first) || book == Some(scheduled.job.shard_key())
        });
    }
    // Every process locks books in this order, so groups of different processes cannot deadlock.
    group.sort_by_key(|scheduled| scheduled.job.shard_key());
    (group, JobGroup::new())
}

/// The outcome of a commit: whether it has begun another database transaction ([`Tx::finish`]).
type CommitResult = std::result::Result<bool, CommitFailure>;

pub(crate) struct GroupOutcome {
    /// The connection, unless a flush has lost it.
    pub(crate) conn: Option<Box<Conn>>,
    pub(crate) ran: RanGroup,
    pub(crate) committed: CommitResult,
    /// Whether the commit mark is used up.
    pub(crate) is_marked: bool,
    /// Whether deliveries have become due.
    pub(crate) has_due_deliveries: bool,
}

/// Runs the jobs one after another, until the group's time is over, and commits once.
pub(crate) fn run_group(
    conn: Box<Conn>,
    flusher: &Flusher,
    mark: Option<CommitMark>,
    caches: Caches,
    group: JobGroup,
    may_chain: impl FnOnce() -> bool,
) -> GroupOutcome {
    let (group, left) = in_lock_order(conn.engine(), group);
    let mut ran = RanGroup { left, ..RanGroup::default() };
    let mut tx = Tx::of_group(conn, flusher, caches, group.len() > 1, mark);
    let ended = match run_units(&mut tx, group, &mut ran) {
        Ok(()) => commit(&mut tx, &ran, may_chain),
        Err(error) => Err(error.into()),
    };
    let committed = ended.map_err(|failure| match failure {
        CommitFailure::Unknown(why) => CommitFailure::Unknown(why),
        failure @ (CommitFailure::Undone(_) | CommitFailure::Refused(_)) => tx.undo_group(failure),
    });
    let (is_marked, has_due_deliveries) = (tx.is_marked(), tx.has_due_deliveries());
    GroupOutcome { ran, committed, is_marked, has_due_deliveries, conn: tx.into_conn() }
}

/// Commits a group and counts it.
fn commit(tx: &mut Tx<'_>, ran: &RanGroup, may_chain: impl FnOnce() -> bool) -> CommitResult {
    let start = Instant::now();
    let committed = tx.finish(may_chain)?;
    COMMIT_DURATION.observe_duration(start.elapsed());
    GROUP_SIZE.observe(u64::try_from(ran.completions.len()).unwrap_or(u64::MAX));
    EVENTS_APPENDED.add(tx.event_count());
    Ok(committed)
}

/// Runs the units of work of a group. After an error the group must not be committed.
fn run_units(tx: &mut Tx<'_>, group: JobGroup, ran: &mut RanGroup) -> Result<()> {
    let mut failure = tx.begin().err();
    let group_start = Instant::now();
    for scheduled in group {
        if failure.is_none() && !ran.times.is_empty() && group_start.elapsed() >= GROUP_TIME {
            ran.left.push(scheduled);
            continue;
        }
        let Scheduled { job, charge } = scheduled;
        if !job.is_wanted() {
            ran.times.push((charge, Duration::ZERO));
            job.refuse(Error::Unavailable("the caller has gone".to_owned()));
            continue;
        }
        let start = Instant::now();
        failure = failure.or_else(|| tx.begin_unit().err());
        if let Some(error) = failure.as_ref() {
            // After a permanent failure another job is the cause, and this one runs later.
            if tx.has_permanent_failure() {
                ran.left.push(Scheduled { job, charge });
            } else {
                job.refuse(Error::Unavailable(error.to_string()));
            }
            continue;
        }
        let shard_key = job.shard_key();
        let completion = job.run(tx);
        // Only books of this writer: the index is written under the shard key of the book.
        let mut unindexed = std::mem::take(&mut tx.unindexed);
        unindexed.retain(|book| completion.is_accepted() && ShardKey::of_book(book) == shard_key);
        ran.unindexed.extend(unindexed.into_iter().map(|book| (book, charge.tenant)));
        let closed = if completion.is_accepted() { tx.keep_unit() } else { tx.undo_unit() };
        failure = closed.err();
        ran.completions.push((completion, charge));
        // The time of flushing earlier rows is shared by the group, as the commit is.
        ran.times.push((charge, start.elapsed().saturating_sub(tx.take_flush_wait())));
    }
    failure.map_or(Ok(()), Err)
}
