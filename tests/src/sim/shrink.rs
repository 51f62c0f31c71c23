//! Shrinking of a failing trace. Steps are removed in ever smaller chunks, then the remaining steps
//! are simplified, until nothing can be removed.

use std::time::{Duration, Instant};

use super::TraceFailure;
use super::world::Step;

/// The time limit. A slightly too long trace is better than none.
const SHRINK_TIMEOUT: Duration = Duration::from_secs(60);

pub struct Shrinker<'s> {
    begun: Instant,
    fails: &'s dyn Fn(&[Step]) -> Option<TraceFailure>,
    best: Vec<Step>,
    why: TraceFailure,
}

/// Returns the shortest failing trace and its failure. `changing` has the indexes of the steps that
/// changed something.
pub fn shrink(
    trace: Vec<Step>,
    changing: &[usize],
    why: TraceFailure,
    fails: &dyn Fn(&[Step]) -> Option<TraceFailure>,
) -> (Vec<Step>, TraceFailure) {
    let mut shrinker = Shrinker { begun: Instant::now(), fails, best: trace, why };
    shrinker.truncate();
    let last = shrinker.best.len().saturating_sub(1);
    let only_changing = shrinker
        .best
        .iter()
        .enumerate()
        .filter(|(index, _)| *index == last || changing.contains(index));
    shrinker.try_trace(only_changing.map(|(_, step)| step.clone()).collect());
    loop {
        let length = shrinker.best.len();
        shrinker.remove_chunks();
        let simplified = shrinker.simplify();
        if !simplified && shrinker.best.len() == length {
            return (shrinker.best, shrinker.why);
        }
    }
}

impl Shrinker<'_> {
    /// Keeps a trace if it fails.
    fn try_trace(&mut self, trace: Vec<Step>) -> bool {
        if self.begun.elapsed() > SHRINK_TIMEOUT {
            return false;
        }
        match (self.fails)(&trace) {
            Some(why) => {
                (self.best, self.why) = (trace, why);
                self.truncate();
                true
            }
            None => false,
        }
    }

    /// Removes the steps after the failing one.
    fn truncate(&mut self) {
        self.best.truncate(self.why.step + 1);
    }

    /// Removes chunks, from halves down to single steps.
    fn remove_chunks(&mut self) {
        let mut size = (self.best.len() / 2).max(1);
        loop {
            let mut end = self.best.len();
            while end > 0 {
                let begin = end.saturating_sub(size);
                let mut trace = self.best.clone();
                let waited: i64 = trace.drain(begin..end).map(|step| step.wait).sum();
                // The next step keeps its time.
                trace.iter_mut().skip(begin).take(1).for_each(|step| step.wait += waited);
                self.try_trace(trace);
                end = begin.min(self.best.len());
            }
            if size == 1 {
                return;
            }
            size /= 2;
        }
    }

    /// Simplifies step by step: fewer items, fewer fields, no wait, no agent.
    fn simplify(&mut self) -> bool {
        let (mut simplified, mut index) = (false, 0);
        while index < self.best.len() {
            let step = self.best[index].clone();
            let mut simpler: Vec<Step> = Vec::new();
            simpler.extend((step.wait != 0).then(|| Step { wait: 0, ..step.clone() }));
            simpler.extend(step.agent.map(|_| Step { agent: None, ..step.clone() }));
            simpler.extend((step.depth != 0).then(|| Step { depth: 0, ..step.clone() }));
            simpler.extend((step.who != 0).then(|| Step { who: 0, ..step.clone() }));
            simpler.extend(
                step.operation
                    .smaller()
                    .into_iter()
                    .map(|operation| Step { operation, ..step.clone() }),
            );
            let found = simpler.into_iter().any(|step| {
                let mut trace = self.best.clone();
                trace[index] = step;
                self.try_trace(trace)
            });
            simplified |= found;
            // A simplified step may be simplified again.
            index += usize::from(!found);
        }
        simplified
    }
}
