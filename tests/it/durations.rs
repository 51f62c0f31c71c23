//! How long the modules take: where to look when the suite has become slow.

use std::collections::HashMap;
use std::fmt::{Display, Formatter, Result};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many modules are shown.
const SHOWN: usize = 12;

/// What the cases of each module took so far, added up: a sum of cases that ran side by side.
#[derive(Default)]
pub struct Durations(Mutex<HashMap<String, Duration>>);

/// A case that runs; it counts when it ends, also by a panic.
struct Running<'a> {
    durations: &'a Durations,
    module: String,
    begun: Instant,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut modules = self.durations.0.lock().expect("no case runs while it is held");
        *modules.entry(std::mem::take(&mut self.module)).or_default() += self.begun.elapsed();
    }
}

impl Durations {
    /// Runs a case.
    pub fn add(&self, module: String, run: impl FnOnce()) {
        let _running = Running { durations: self, module, begun: Instant::now() };
        run();
    }
}

impl Display for Durations {
    /// The modules that took longest; nothing when no case ran.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let modules = self.0.lock().expect("no case runs while it is held");
        let mut longest: Vec<(&String, &Duration)> = modules.iter().collect();
        longest.sort_unstable_by_key(|(_, took)| std::cmp::Reverse(**took));
        for (module, took) in longest.into_iter().take(SHOWN) {
            writeln!(f, "{:8.1} s in {module}", took.as_secs_f64())?;
        }
        Ok(())
    }
}
