//! `make failover`: kills the primary of two PostgreSQL servers repeatedly while clients write, and
//! verifies the acknowledged writes. Needs root, Patroni and etcd.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use daybook_tests::failover::{Failover, Pair, WRITES_WITHIN};
use daybook_tests::finish;
use daybook_tests::rng::Rng;

/// Kills the primary of two PostgreSQL servers under Patroni while clients write to Daybook, and
/// verifies that nothing it acknowledged is lost.
#[derive(Parser)]
struct Arguments {
    /// Kills.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Repeats the choices of an earlier run.
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(Rng::seed);
    println!("the primary is killed, with its Patroni, while clients write; --seed {seed}");
    let outcome = fail_over(arguments.rounds, seed);
    finish();
    let violations = outcome?;
    if violations == 0 {
        println!("nothing acknowledged was lost, and writes went on within {WRITES_WITHIN:?}");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{violations} violations");
    Ok(ExitCode::FAILURE)
}

fn fail_over(rounds: usize, seed: u64) -> anyhow::Result<usize> {
    let mut pair = Pair::start(seed)?;
    println!(
        "\n{:>5}{:>8}{:>14}{:>7}{:>10}{:>6}{:>11}{:>7}{:>13}{:>13}",
        "round",
        "killed",
        "acknowledged",
        "503",
        "in doubt",
        "lost",
        "half seen",
        "audit",
        "new primary",
        "writes after"
    );
    let (mut violations, mut acknowledged, mut slowest) = (0, 0, Duration::ZERO);
    for round in 1..=rounds {
        let Failover { killed, promoted, report } = pair.round()?;
        println!(
            "{round:>5}{killed:>8}{:>14}{:>7}{:>10}{:>6}{:>11}{:>7}{:>11.1} s{:>11.1} s",
            report.acknowledged,
            report.unavailable,
            report.in_doubt,
            report.lost,
            report.half_seen,
            if report.findings == 0 { "clean" } else { "WRONG" },
            promoted.as_secs_f64(),
            report.back_within.as_secs_f64(),
        );
        for violation in report.violations.iter().take(20) {
            println!("    {violation}");
        }
        violations += report.violations.len();
        acknowledged += report.acknowledged;
        slowest = slowest.max(report.back_within);
    }
    let lost = pair.check_earlier_rounds()?;
    lost.iter().for_each(|violation| println!("    {violation}"));
    violations += lost.len();
    println!(
        "{rounds} failovers, {acknowledged} transactions acknowledged, writes went on after \
            {:.1} s at the latest, {violations} violations",
        slowest.as_secs_f64()
    );
    Ok(violations)
}
