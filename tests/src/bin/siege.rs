//! `make siege`: attacks a server with the requests of one token and measures the effect on another
//! user.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use daybook_tests::siege::{Bounds, Plan, Size, attack, run, table};
use daybook_tests::{Engines, finish, release};

/// Attacks Daybook's release build as one user and measures the effect on another one.
#[derive(Parser)]
struct Arguments {
    /// Run only these attacks (comma-separated).
    #[arg(long, value_name = "ATTACK", value_delimiter = ',', value_parser = attack::names())]
    only: Vec<String>,
    /// Seconds of each attack.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Connections of the attacker.
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// The database engine.
    #[arg(long, value_enum, default_value_t = Engines::Both)]
    engine: Engines,
}

/// The limits of a siege.
const BOUNDS: Bounds =
    Bounds { p99: Duration::from_millis(500), event: Duration::from_secs(5), resident: 512.0 };
/// How long the victim works without an attack.
const BASELINE: Duration = Duration::from_secs(4);

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    release::prefer(true)?;
    let chosen =
        |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let mut lost = 0;
    for engine in arguments.engine.list() {
        let plan = Plan {
            engine,
            size: Size::Full,
            baseline: BASELINE,
            attack: Duration::from_secs(arguments.seconds),
            connections: arguments.connections,
        };
        let mut sieges = Vec::new();
        for attack in attack::ALL.iter().filter(|attack| chosen(attack.name)) {
            let siege = run(attack, plan)?;
            let violations = siege.violations(BOUNDS);
            let said =
                if violations.is_empty() { "held".to_owned() } else { violations.join("; ") };
            println!("{engine} {}: {said}", attack.name);
            lost += usize::from(!violations.is_empty());
            sieges.push(siege);
        }
        println!("\n{}\n", table(&engine.to_string(), &sieges, BOUNDS));
    }
    finish();
    if lost == 0 {
        println!("every siege was held");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{lost} sieges were not held");
    Ok(ExitCode::FAILURE)
}
