//! `make bench`: throughput, latency, memory and disk, compared with the raw limit of the engines.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use daybook_tests::bench::{Settings, run, sections};
use daybook_tests::{Engine, finish, release};

/// Measures Daybook's release build against bare loops on the same engines.
#[derive(Parser)]
struct Arguments {
    /// Shorter rounds and smaller books: to see that it runs, not to quote.
    #[arg(long)]
    quick: bool,
    /// One engine alone.
    #[arg(long, value_enum)]
    engine: Option<Only>,
    /// One section alone.
    #[arg(long, value_name = "NAME", value_parser = sections())]
    only: Option<String>,
    /// Compares this build with another `daybook`, in turn, instead of with the engines; with
    /// `--only read-rates` only in these.
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Only {
    Sqlite,
    Postgres,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    release::prefer(true)?;
    let engines = match arguments.engine {
        Some(Only::Sqlite) => vec![Engine::Sqlite],
        Some(Only::Postgres) => vec![Engine::Postgres],
        None => Engine::ALL.to_vec(),
    };
    let Arguments { quick, only, against, .. } = arguments;
    let done = run(&Settings { engines, quick, only, against });
    finish();
    done
}
