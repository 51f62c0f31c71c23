//! The time that each module and each case takes.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fmt::{Display, Formatter, Result};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::engine::target_dir;

/// How many modules are printed.
const PRINTED: usize = 20;

/// The time of each case by its name, `engine::module::case`.
#[derive(Default)]
pub(super) struct Durations(Mutex<Vec<(String, Duration)>>);

/// A running case. Its time counts when the case ends, also by a panic.
struct Running<'a> {
    durations: &'a Durations,
    case: String,
    started: Instant,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut cases = self.durations.0.lock().expect("no case runs while it is held");
        cases.push((std::mem::take(&mut self.case), self.started.elapsed()));
    }
}

impl Durations {
    /// Runs a case and takes its time.
    pub(super) fn add(&self, case: String, run: impl FnOnce()) {
        let _running = Running { durations: self, case, started: Instant::now() };
        run();
    }

    /// The cases, the longest first.
    fn cases(&self) -> Vec<(String, Duration)> {
        let mut cases = self.0.lock().expect("no case runs while it is held").clone();
        cases.sort_unstable_by_key(|(_, time)| std::cmp::Reverse(*time));
        cases
    }

    /// The modules with the number of their cases and the time of these, added up over all threads;
    /// the longest first.
    fn modules(&self) -> Vec<(String, usize, Duration)> {
        let mut modules: HashMap<String, (usize, Duration)> = HashMap::new();
        for (case, time) in self.cases() {
            let module = case.rsplit_once("::").map_or("", |(module, _)| module).to_owned();
            let (count, sum) = modules.entry(module).or_default();
            *count += 1;
            *sum += time;
        }
        let mut sorted: Vec<_> =
            modules.into_iter().map(|(module, (count, sum))| (module, count, sum)).collect();
        sorted.sort_unstable_by_key(|(_, _, time)| std::cmp::Reverse(*time));
        sorted
    }

    /// Writes `target/durations/SUITE-modules.tsv` and `SUITE-cases.tsv`, with seconds in the last
    /// column.
    pub(super) fn write(&self, suite: &str) {
        let mut modules = String::from("module\tcases\tseconds\n");
        for (module, count, time) in self.modules() {
            let seconds = time.as_secs_f64();
            writeln!(modules, "{module}\t{count}\t{seconds:.1}").expect("a string grows");
        }
        let mut cases = String::from("case\tseconds\n");
        for (case, time) in self.cases() {
            writeln!(cases, "{case}\t{:.2}", time.as_secs_f64()).expect("a string grows");
        }
        let folder = target_dir().join("durations");
        let written = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join(format!("{suite}-modules.tsv")), modules))
            .and_then(|()| std::fs::write(folder.join(format!("{suite}-cases.tsv")), cases));
        if let Err(error) = written {
            eprintln!("{}: {error}", folder.display());
        }
    }
}

impl Display for Durations {
    /// The longest modules; nothing when no case ran.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (module, _, time) in self.modules().into_iter().take(PRINTED) {
            writeln!(f, "{:8.1} s in {module}", time.as_secs_f64())?;
        }
        Ok(())
    }
}
