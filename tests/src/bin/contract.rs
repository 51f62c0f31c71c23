//! `make contract`: generates requests from the published documents for some minutes and checks
//! every answer.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use daybook_tests::contract::{Issuer, Outcome, Plan, fuzz, missing};
use daybook_tests::rng::Rng;
use daybook_tests::{Engines, Server, finish};

/// Sends a Daybook server the requests that its OpenAPI documents allow, and others, and checks
/// every answer.
#[derive(Parser)]
struct Arguments {
    /// Minutes per engine and document.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Random requests of each operation in one round.
    #[arg(long, default_value_t = 100)]
    examples: u32,
    /// The database engine.
    #[arg(long, value_enum, default_value_t = Engines::Both)]
    engine: Engines,
    /// The document: the operations on books, or signing in and tokens.
    #[arg(long, value_enum, default_value_t = Documents::Both)]
    document: Documents,
    /// Repeats the requests of an earlier run.
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Documents {
    Api,
    Auth,
    Both,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(what) = missing() {
        anyhow::bail!(what);
    }
    let time = Duration::from_secs(arguments.minutes.max(1) * 60);
    // Systematic requests precede the timed part, and shrinking a finding follows it.
    let limit = time * 2 + Duration::from_secs(600);
    // Python's argument parser accepts no larger seed.
    let seed = arguments.seed.unwrap_or_else(|| Rng::seed() >> 32);
    println!("{} minutes an engine and document; --seed {seed}", arguments.minutes);
    let plan = Plan { seed, examples: arguments.examples, time: Some(time), limit };
    let mut failures = 0;
    for engine in arguments.engine.list() {
        let mut outcomes = Vec::new();
        if arguments.document != Documents::Auth {
            outcomes.push(fuzz(&Server::start(engine), plan)?);
        }
        if arguments.document != Documents::Api {
            outcomes.push(Issuer::start(engine)?.fuzz(plan)?);
        }
        for outcome in outcomes {
            println!("\n{engine}\n{}", outcome.report);
            report(&outcome);
            failures += usize::from(!outcome.passed);
        }
    }
    finish();
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(outcome: &Outcome) {
    println!("{:<28}answers by status", "operation");
    for (id, statuses) in &outcome.answers {
        let counts: Vec<String> =
            statuses.iter().map(|(status, count)| format!("{status}: {count}")).collect();
        println!("{id:<28}{}", counts.join("  "));
    }
}
