//! The two database engines, and the settings of a test run.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

/// A database engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The embedded one.
    #[default]
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
}

impl Engine {
    /// Both engines.
    pub const ALL: [Engine; 2] = [Engine::Sqlite, Engine::Postgres];

    /// The engines of `DAYBOOK_TEST_ENGINES` (comma-separated); `None` when it is not set.
    pub fn selected() -> Option<Vec<Engine>> {
        let list = setting("DAYBOOK_TEST_ENGINES")?;
        let named = |name: &str| {
            let found = Engine::ALL.into_iter().find(|engine| engine.to_string() == name);
            found.unwrap_or_else(|| {
                panic!("DAYBOOK_TEST_ENGINES: `{name}` is neither sqlite nor postgres")
            })
        };
        Some(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(named).collect())
    }
}

/// The engines of a run, as a command line names them.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Engines {
    /// The embedded one.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
    /// Both, one after the other.
    Both,
}

impl Engines {
    /// The engines in order.
    pub fn list(self) -> Vec<Engine> {
        match self {
            Engines::Sqlite => vec![Engine::Sqlite],
            Engines::Postgres => vec![Engine::Postgres],
            Engines::Both => Engine::ALL.to_vec(),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        })
    }
}

/// An environment variable of the test run, if set and not blank.
#[expect(
    clippy::disallowed_methods,
    reason = "the suite is a program of its own; this is where it reads its settings"
)]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The folder of build results and of the tools that the scripts of `tests/` install.
pub fn target_dir() -> PathBuf {
    setting("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from)
}
