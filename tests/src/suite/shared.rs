//! The servers that cases share: two for each engine, started by the first case that needs them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::{Engine, Server, panic_text};

/// Shared servers by engine and by number (see `Suite::second_server`).
#[derive(Default)]
pub(super) struct SharedServers([[OnceLock<Result<Server, String>>; 2]; 2]);

impl SharedServers {
    /// The first or the second server of an engine. A failed start is kept, so that the other
    /// cases do not wait for it again.
    pub(super) fn get(&self, engine: Engine, second: bool) -> &Server {
        let [sqlite, postgres] = &self.0;
        let servers = match engine {
            Engine::Sqlite => sqlite,
            Engine::Postgres => postgres,
        };
        let started = servers[usize::from(second)].get_or_init(|| {
            let server = catch_unwind(AssertUnwindSafe(|| Server::start(engine)));
            server.map_err(|panic| panic_text(panic.as_ref()))
        });
        match started {
            Ok(server) => server,
            Err(cause) => panic!("the shared {engine} server does not start: {cause}"),
        }
    }

    /// The panics that the servers logged. A panic in a request also fails its case by a 500; one
    /// in a worker shows only here.
    pub(super) fn panics(&self) -> Vec<String> {
        self.logged(&["panicked at"])
    }

    /// The logged causes of responses with 500 and 503, which the responses do not tell.
    pub(super) fn failed_requests(&self) -> Vec<String> {
        self.logged(&["request failed", "request shed"])
    }

    /// The logged lines that contain one of these texts.
    fn logged(&self, texts: &[&str]) -> Vec<String> {
        let started = self.0.iter().flatten().filter_map(|server| server.get()?.as_ref().ok());
        let logged = started.flat_map(|server| {
            let log = server.log();
            let lines = log.lines().filter(|line| texts.iter().any(|text| line.contains(text)));
            lines.map(str::to_owned).collect::<Vec<_>>()
        });
        logged.collect()
    }
}
