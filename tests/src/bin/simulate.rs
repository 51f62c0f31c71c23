//! `make simulate`: two million random operations on the service and its model.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use clap::Parser;
use daybook_tests::rng::Rng;
use daybook_tests::sim::{Counts, WorldDatabase, run};
use indicatif::{ProgressBar, ProgressStyle};

/// Runs random operations on the service beside a plain model of it and stops at the first
/// difference.
#[derive(Parser)]
struct Arguments {
    /// Operations in all.
    #[arg(long, default_value_t = 2_000_000)]
    operations: u64,
    /// Repeats the worlds of an earlier run, or begins with the one of a failure.
    #[arg(long)]
    seed: Option<u64>,
    /// Worlds at the same time.
    #[arg(long)]
    jobs: Option<usize>,
    /// The database of the worlds, instead of memory.
    #[arg(long)]
    database_url: Option<String>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(|| Rng::seed() >> 16);
    let jobs =
        arguments.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let database = arguments.database_url.map_or(WorldDatabase::Memory, WorldDatabase::Database);
    println!("{} operations in {jobs} worlds at a time; --seed {seed}", arguments.operations);
    // Failures report panics themselves.
    std::panic::set_hook(Box::new(|_| {}));

    let style = ProgressStyle::with_template(
        "{wide_bar} {human_pos}/{human_len} operations, {per_sec}, {eta} left",
    )?;
    let progress = ProgressBar::new(arguments.operations).with_style(style);
    let (next, stop) = (AtomicU64::new(seed), AtomicBool::new(false));
    let (all, failures) = (Mutex::new(Counts::new()), Mutex::new(Vec::new()));
    let work = || -> anyhow::Result<()> {
        let mut counts = Counts::new();
        while !stop.load(Ordering::Relaxed) && progress.position() < arguments.operations {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let shrinking =
                || eprintln!("the world of --seed {seed} fails; looking for a shorter trace");
            match run(&database, seed, &mut counts, &shrinking)? {
                Ok(steps) => progress.inc(u64::try_from(steps)?),
                Err(failure) => {
                    stop.store(true, Ordering::Relaxed);
                    failures.lock().expect("no thread panics holding it").push(failure);
                }
            }
        }
        let mut all = all.lock().expect("no thread panics holding it");
        for (name, (drawn, accepted)) in counts {
            let count = all.entry(name).or_default();
            *count = (count.0 + drawn, count.1 + accepted);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a world's panics are caught"))
    })?;
    progress.finish();

    println!("\n{:<50}{:>12}{:>12}", "operation", "drawn", "accepted");
    for (name, (drawn, accepted)) in all.into_inner().expect("all threads ended well") {
        println!("{name:<50}{drawn:>12}{accepted:>12}");
    }
    let failures = failures.into_inner().expect("all threads ended well");
    for failure in &failures {
        println!("\n{failure}");
    }
    if failures.is_empty() {
        println!(
            "\nservice and model agree: {} operations in {:?}",
            progress.position(),
            progress.elapsed()
        );
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}
