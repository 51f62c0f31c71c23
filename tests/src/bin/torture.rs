//! `make torture`: kills the server repeatedly while clients write, injects other faults, and
//! verifies the acknowledged writes.

use std::process::ExitCode;

use clap::Parser;
use daybook_tests::rng::Rng;
use daybook_tests::torture::deliveries::{self, Plan};
use daybook_tests::torture::faults::{self, Fault, FaultReport};
use daybook_tests::torture::{CLIENTS, Torture};
use daybook_tests::{Engine, Engines, finish};

/// The number of violations printed per round.
const SHOWN: usize = 20;

/// Kills a Daybook server while clients write and verifies that nothing it acknowledged is lost.
#[derive(Parser)]
struct Arguments {
    /// Kills per engine.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Deliveries amid which a process is killed; none without any.
    #[arg(long, default_value_t = 10_000)]
    deliveries: usize,
    /// How often each of the other faults happens; none without any.
    #[arg(long, default_value_t = 3)]
    faults: usize,
    /// The database engine.
    #[arg(long, value_enum, default_value_t = Engines::Both)]
    engine: Engines,
    /// Repeats the choices of an earlier run.
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let engines = arguments.engine.list();
    let seed = arguments.seed.unwrap_or_else(Rng::seed);
    println!("{CLIENTS} clients write until SIGKILL; --seed {seed}");
    let mut violations = 0;
    if arguments.faults > 0 {
        violations += run_faults(&engines, arguments.faults, seed)?;
    }
    for engine in engines {
        if arguments.rounds > 0 {
            violations += torture(engine, arguments.rounds, seed)?;
        }
        if arguments.deliveries > 0 {
            violations += deliver(engine, arguments.deliveries, &mut Rng::new(seed))?;
        }
    }
    finish();
    if violations == 0 {
        println!("nothing acknowledged was lost");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{violations} violations");
    Ok(ExitCode::FAILURE)
}

fn run_faults(engines: &[Engine], times: usize, seed: u64) -> anyhow::Result<usize> {
    println!("\n{}", FaultReport::heads());
    let mut violations = 0;
    for fault in Fault::ALL {
        for engine in engines.iter().copied().filter(|engine| fault.applies_to(*engine)) {
            let mut report = match faults::run_fault(fault, engine, times, seed) {
                Ok(report) => report,
                Err(error) => {
                    println!("{fault:<20}{engine:<10}NOT DONE: {error:#}");
                    violations += 1;
                    continue;
                }
            };
            println!("{}", report.row(fault, engine));
            if report.back_within > faults::BACK_WITHIN {
                report.violations.push(format!("not back within {:?}", faults::BACK_WITHIN));
            }
            for violation in report.violations.iter().take(SHOWN) {
                println!("    {violation}");
            }
            violations += report.violations.len();
        }
    }
    Ok(violations)
}

fn torture(engine: Engine, rounds: usize, seed: u64) -> anyhow::Result<usize> {
    let mut torture = Torture::start(engine, seed)?;
    let (mut acknowledged, mut in_doubt, mut survived, mut violations) = (0, 0, 0, 0);
    println!(
        "\n{:<10}{:>5}{:>12}{:>14}{:>10}{:>10}{:>13}{:>14}{:>10}",
        "engine",
        "round",
        "killed at",
        "acknowledged",
        "in doubt",
        "survived",
        "ready after",
        "transactions",
        "events"
    );
    for _ in 0..rounds {
        let round = torture.round()?;
        println!(
            "{:<10}{:>5}{:>9} ms{:>14}{:>10}{:>10}{:>10} ms{:>14}{:>10}  {}",
            engine.to_string(),
            round.number,
            round.killed_after.as_millis(),
            round.acknowledged,
            round.in_doubt,
            round.survived,
            round.recovery.as_millis(),
            round.transactions,
            round.events,
            if round.violations.is_empty() { "ok" } else { "WRONG" },
        );
        for violation in round.violations.iter().take(SHOWN) {
            println!("    {violation}");
        }
        if round.violations.len() > SHOWN {
            println!("    ... and {} more", round.violations.len() - SHOWN);
        }
        acknowledged += round.acknowledged;
        in_doubt += round.in_doubt;
        survived += round.survived;
        violations += round.violations.len();
    }
    println!(
        "{engine}: {rounds} kills, {acknowledged} transactions acknowledged, {survived} of \
            {in_doubt} unanswered requests recorded, {violations} violations"
    );
    Ok(violations)
}

/// Events of a book, which are delivered to each of the apps.
const EVENTS: usize = 250;
const APPS: usize = 4;

fn deliver(engine: Engine, deliveries: usize, rng: &mut Rng) -> anyhow::Result<usize> {
    let books = deliveries.div_ceil(EVENTS * APPS);
    // Between a tenth and seven tenths.
    let kill_after = deliveries / 10 + usize::try_from(rng.below(deliveries as u64 * 6 / 10))?;
    let plan = Plan { books, apps: APPS, events: EVENTS, kill_after, hasten: false };
    let delivered = deliveries::run(engine, plan)?;
    println!(
        "{engine}: {} deliveries, killed after {kill_after}: {} arrivals, {} of them once more; \
            what the killed process held came after {:.1} s, the last after {:.1} s; {} violations",
        plan.deliveries(),
        delivered.arrivals,
        delivered.repeated,
        delivered.taken_over.as_secs_f64(),
        delivered.took.as_secs_f64(),
        delivered.violations.len()
    );
    for violation in delivered.violations.iter().take(SHOWN) {
        println!("    {violation}");
    }
    Ok(delivered.violations.len())
}
