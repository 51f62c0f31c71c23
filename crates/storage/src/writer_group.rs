//! The units of work of a group: which of what was taken run together, how they run, and how they
//! are answered ([`crate::writer`]).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::commit_mark::CommitMark;
use crate::conn::Conn;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::fair_queue::{Charge, GROUP_TIME, Scheduled, Tenant};
use crate::job::{CommitFailure, Completion, Job};
use crate::shard_key::ShardKey;
use crate::tx::background::Flusher;
use crate::tx::{Caches, Tx};

/// Units of work that were taken from the queue together.
pub(crate) type JobGroup = Vec<Scheduled<Box<dyn Job>>>;

/// What became of the units of work of a group.
#[derive(Default)]
pub(crate) struct RanGroup {
    pub(crate) answers: Vec<(Box<dyn Completion>, Charge)>,
    /// What each of them took, and those that were not wanted any more.
    pub(crate) times: Vec<(Charge, Duration)>,
    /// The books of which a chunk of the trigram index waits, and who completed it.
    pub(crate) unindexed: Vec<(String, Tenant)>,
    /// Those that were not begun, because the group's time was over or they have another lane.
    pub(crate) left: JobGroup,
}

/// Answers what ran. After a failure that one unit of work has caused, those that may run again are
/// not answered, but given back.
pub(crate) fn deliver(
    ran: &mut RanGroup,
    committed: &std::result::Result<(), CommitFailure>,
    is_alone: bool,
) -> JobGroup {
    let (mut relies, mut again) = (false, JobGroup::new());
    for (answer, bill) in std::mem::take(&mut ran.answers) {
        // One that is alone fails with its own rows, whatever it has made of that.
        let fails = is_alone && matches!(committed, Err(CommitFailure::Refused(_)));
        relies |= fails || answer.accepted();
        let outcome = if relies { committed.clone() } else { Ok(()) };
        let once = match &outcome {
            Err(CommitFailure::Refused(_)) => answer.into_job(),
            Ok(()) | Err(CommitFailure::Undone(_) | CommitFailure::Unknown(_)) => Err(answer),
        };
        match once {
            // It was charged what was expected of it with the group.
            Ok(job) => {
                again.push(Scheduled { job, bill: Charge { expected: Duration::ZERO, ..bill } });
            }
            Err(answer) => answer.deliver(match outcome {
                // Another one may be the cause.
                Err(CommitFailure::Refused(error)) if !is_alone => {
                    Err(CommitFailure::Undone(error.to_string()))
                }
                outcome => outcome,
            }),
        }
    }
    again
}

/// Those of a group that run now, and those that have to wait: a unit of work of a lane that is
/// failing runs alone.
pub(crate) fn apart(failing: &BTreeSet<ShardKey>, group: JobGroup) -> (JobGroup, JobGroup) {
    if failing.is_empty() {
        return (group, JobGroup::new());
    }
    let is_failing = |taken: &Scheduled<Box<dyn Job>>| failing.contains(&taken.job.lane());
    let first_fails = group.first().is_some_and(is_failing);
    let mut is_first = true;
    group.into_iter().partition(|taken| {
        let is_first = std::mem::take(&mut is_first);
        if first_fails { is_first } else { !is_failing(taken) }
    })
}

/// Those of a group that run now, in the order of their locks, and those that have to wait, because
/// they belong to another machine.
fn in_order(engine: Engine, mut group: JobGroup) -> (JobGroup, JobGroup) {
    if engine.is_distributed() {
        let book = group.first().map(|taken| taken.job.lane()).filter(|lane| lane.is_of_book());
        let mut is_first = true;
        return group
            .into_iter()
            .partition(|taken| std::mem::take(&mut is_first) || book == Some(taken.job.lane()));
    }
    // Every process takes books' locks in the same order, so groups of different processes cannot
    // deadlock.
    group.sort_by_key(|taken| taken.job.lane());
    (group, JobGroup::new())
}

/// Whether the commit has begun another database transaction ([`Tx::finish`]).
type CommitResult = std::result::Result<bool, CommitFailure>;

/// What became of a group.
pub(crate) struct GroupOutcome {
    /// The connection, unless a flush has lost it.
    pub(crate) conn: Option<Box<Conn>>,
    pub(crate) ran: RanGroup,
    pub(crate) committed: CommitResult,
    /// Whether the mark of its commit is used up.
    pub(crate) is_marked: bool,
    /// Whether deliveries have become due.
    pub(crate) delivers: bool,
}

/// Runs the units of work one after another, until the group's time is over, and commits once.
pub(crate) fn run_group(
    (conn, flusher, mark): (Box<Conn>, &Flusher, Option<CommitMark>),
    caches: Caches,
    group: JobGroup,
    chain: impl FnOnce() -> bool,
) -> GroupOutcome {
    let (group, left) = in_order(conn.engine(), group);
    let mut ran = RanGroup { left, ..RanGroup::default() };
    let mut tx = Tx::of_group((conn, flusher), caches, group.len() > 1, mark);
    let ended = match run_units(&mut tx, group, &mut ran) {
        Ok(()) => tx.finish(chain),
        Err(error) => Err(error.into()),
    };
    let committed = ended.map_err(|failure| match failure {
        CommitFailure::Unknown(why) => CommitFailure::Unknown(why),
        failure @ (CommitFailure::Undone(_) | CommitFailure::Refused(_)) => tx.undo_group(failure),
    });
    let (is_marked, delivers) = (tx.is_marked(), tx.delivers());
    GroupOutcome { ran, committed, is_marked, delivers, conn: tx.into_conn() }
}

/// Runs the units of work of a group. After a failure none of the group may be committed.
fn run_units(tx: &mut Tx<'_>, group: JobGroup, ran: &mut RanGroup) -> Result<()> {
    let mut failure = tx.begin().err();
    let begun = Instant::now();
    for taken in group {
        if failure.is_none() && !ran.times.is_empty() && begun.elapsed() >= GROUP_TIME {
            ran.left.push(taken);
            continue;
        }
        let Scheduled { job, bill } = taken;
        if !job.is_wanted() {
            ran.times.push((bill, Duration::ZERO));
            job.refuse(Error::Unavailable("nobody waits for it any more".to_owned()));
            continue;
        }
        let started = Instant::now();
        failure = failure.or_else(|| tx.begin_unit().err());
        if let Some(error) = failure.as_ref() {
            // Nothing is wrong with it when another unit of work cannot be done.
            if tx.has_permanent_failure() {
                ran.left.push(Scheduled { job, bill });
            } else {
                job.refuse(Error::Unavailable(error.to_string()));
            }
            continue;
        }
        let lane = job.lane();
        let answer = job.run(tx);
        // Those of the books that this writer works on.
        let mut unindexed = std::mem::take(&mut tx.unindexed);
        unindexed.retain(|book| answer.accepted() && ShardKey::of_book(book) == lane);
        ran.unindexed.extend(unindexed.into_iter().map(|book| (book, bill.flow)));
        let closed = if answer.accepted() { tx.keep_unit() } else { tx.undo_unit() };
        failure = closed.err();
        ran.answers.push((answer, bill));
        // To flush the rows of others is not its work: it is shared as the commit is.
        ran.times.push((bill, started.elapsed().saturating_sub(tx.take_waited())));
    }
    failure.map_or(Ok(()), Err)
}
