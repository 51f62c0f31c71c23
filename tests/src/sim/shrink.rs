//! Shrinking: from a trace that fails to a short one that fails too. Steps are left out in ever
//! smaller chunks, then those that stay ask for less, until nothing can be left out.

use std::time::{Duration, Instant};

use super::Fails;
use super::world::Step;

/// How long a shrinking may take: a trace that is a little too long is better than none.
const SHRINK_TIMEOUT: Duration = Duration::from_secs(60);

pub struct Shrinker<'s> {
    begun: Instant,
    fails: &'s dyn Fn(&[Step]) -> Option<Fails>,
    best: Vec<Step>,
    why: Fails,
}

/// The shortest trace found, and how it fails. `loud` are the places of the steps that changed
/// something.
pub fn shrink(
    trace: Vec<Step>,
    loud: &[usize],
    why: Fails,
    fails: &dyn Fn(&[Step]) -> Option<Fails>,
) -> (Vec<Step>, Fails) {
    let mut shrinker = Shrinker { begun: Instant::now(), fails, best: trace, why };
    shrinker.cut();
    let last = shrinker.best.len().saturating_sub(1);
    let without_quiet = shrinker
        .best
        .iter()
        .enumerate()
        .filter(|(place, _)| *place == last || loud.contains(place));
    shrinker.accept(without_quiet.map(|(_, step)| step.clone()).collect());
    loop {
        let length = shrinker.best.len();
        shrinker.chunks();
        let simplified = shrinker.simplify();
        if !simplified && shrinker.best.len() == length {
            return (shrinker.best, shrinker.why);
        }
    }
}

impl Shrinker<'_> {
    /// Takes a trace if it fails.
    fn accept(&mut self, trace: Vec<Step>) -> bool {
        if self.begun.elapsed() > SHRINK_TIMEOUT {
            return false;
        }
        match (self.fails)(&trace) {
            Some(why) => {
                (self.best, self.why) = (trace, why);
                self.cut();
                true
            }
            None => false,
        }
    }

    /// What comes after the failing step has no part in it.
    fn cut(&mut self) {
        self.best.truncate(self.why.step + 1);
    }

    /// Leaves out chunks, from halves down to single steps.
    fn chunks(&mut self) {
        let mut size = (self.best.len() / 2).max(1);
        loop {
            let mut end = self.best.len();
            while end > 0 {
                let begin = end.saturating_sub(size);
                let mut trace = self.best.clone();
                let waited: i64 = trace.drain(begin..end).map(|step| step.wait).sum();
                // What stays happens when it happened.
                trace.iter_mut().skip(begin).take(1).for_each(|step| step.wait += waited);
                self.accept(trace);
                end = begin.min(self.best.len());
            }
            if size == 1 {
                return;
            }
            size /= 2;
        }
    }

    /// Asks for less, step by step: fewer items, fewer fields, no wait, no agent.
    fn simplify(&mut self) -> bool {
        let (mut simplified, mut place) = (false, 0);
        while place < self.best.len() {
            let step = self.best[place].clone();
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
                trace[place] = step;
                self.accept(trace)
            });
            simplified |= found;
            // A step that became smaller may become smaller still.
            place += usize::from(!found);
        }
        simplified
    }
}
