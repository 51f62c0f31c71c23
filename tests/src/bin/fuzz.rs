//! `make fuzz`: random input for everything that parses text of users, for some minutes.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use daybook_tests::fuzz::{Failure, Progress, Sizes, Target, all, case, case_seed, input};
use daybook_tests::rng::Rng;

/// How often a line of progress is printed.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// Fuzzes the parsers of queries, amounts, dates, quick entry, names, canonical JSON and
/// statements.
#[derive(Parser)]
struct Arguments {
    /// Minutes for all targets together.
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// Cases per target instead of minutes: the same cases on every machine.
    #[arg(long)]
    cases: Option<u64>,
    /// Run only this target.
    #[arg(long)]
    target: Option<String>,
    /// Repeats the cases of an earlier run.
    #[arg(long)]
    seed: Option<u64>,
    /// Repeats one case of one target, by the seed a failure or a slow case was printed with.
    #[arg(long, requires = "target")]
    case: Option<u64>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let wanted =
        |target: &Target| arguments.target.as_deref().is_none_or(|name| name == target.name);
    let targets: Vec<Target> = all().into_iter().filter(wanted).collect();
    anyhow::ensure!(
        !targets.is_empty(),
        "unknown target; the targets are {}",
        all().map(|target| target.name).join(", ")
    );
    // Failures report panics with their shrunk input; the panics on the way need no trace.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(seed) = arguments.case {
        let outcomes = targets.iter().map(|target| {
            let mut progress = Progress::default();
            let failure = case(target, seed, Sizes::Long, &mut progress).err();
            println!(
                "{}: {} bytes beginning with {:?}, {:?} a byte",
                target.name,
                progress.bytes,
                beginning(target, seed),
                progress.slowest.1
            );
            (target, failure)
        });
        return Ok(conclude(outcomes));
    }
    let seed = arguments.seed.unwrap_or_else(Rng::seed);
    println!("{} targets; --seed {seed}", targets.len());
    let share = Duration::from_secs_f64(arguments.minutes * 60.0 / targets.len() as f64);
    let outcomes = targets.iter().map(|target| (target, run(target, seed, arguments.cases, share)));
    Ok(conclude(outcomes))
}

fn beginning(target: &Target, seed: u64) -> String {
    input(target, seed, Sizes::Long).chars().take(200).collect()
}

fn conclude<'t>(outcomes: impl Iterator<Item = (&'t Target, Option<Failure>)>) -> ExitCode {
    let mut failures = 0;
    for (target, failure) in outcomes {
        if let Some(Failure { seed, input, message }) = failure {
            failures += 1;
            println!(
                "{}: WRONG: {message}\n    input {input:?}\n    again with --target {} --case \
                    {seed}",
                target.name, target.name
            );
        }
    }
    println!("{failures} failures");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a target until its time is up, its cases are done, or one fails. Another thread reports the
/// progress, so that a hanging case is visible.
fn run(target: &Target, seed: u64, cases: Option<u64>, share: Duration) -> Option<Failure> {
    let state = Mutex::new((Progress::default(), 0));
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        let reporter = scope.spawn(|| {
            let waiting = waiting;
            let mut before = None;
            while waiting.recv_timeout(REPORT_EVERY) == Err(RecvTimeoutError::Timeout) {
                let (progress, running) = state.lock().expect("no panic while it is held").clone();
                let stuck = if before == Some(running) { " and still at it" } else { "" };
                report(target, &progress, &format!("now at case {running}{stuck}"));
                before = Some(running);
            }
        });
        let started = Instant::now();
        let more =
            |number: u64| cases.map_or_else(|| started.elapsed() < share, |cases| number < cases);
        let mut progress = Progress::default();
        let failure = (0..).take_while(|number| more(*number)).find_map(|number| {
            let seed = case_seed(seed, number);
            *state.lock().expect("no panic while it is held") = (progress.clone(), seed);
            case(target, seed, Sizes::Long, &mut progress).err()
        });
        drop(done);
        reporter.join().expect("the reporter only prints");
        report(target, &progress, "done");
        failure
    })
}

fn report(target: &Target, progress: &Progress, state: &str) {
    let Progress { cases, bytes, slowest: (seed, each) } = progress;
    let slowest = if each.is_zero() {
        String::new()
    } else {
        format!("   slowest {each:?} a byte in case {seed}")
    };
    println!("{:<8}{cases:>10} cases{:>8} MB{slowest}   {state}", target.name, bytes / 1_000_000);
}
