//! A bounded run of the simulation (`make simulate` is the long one): for random operations the
//! service answers, stores and records the same as its model, a plain reading of the behaviour
//! documentation.

use std::ops::Range;

use daybook_tests::sim::{Counts, WorldDatabase, run};
use daybook_tests::{Engine, Server};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![two_worlds_agree_with_the_model]
}

pub fn nightly() -> Vec<Case> {
    crate::isolated![twenty_worlds_agree_with_the_model]
}

fn two_worlds_agree_with_the_model(engine: Engine) {
    worlds_agree_with_the_model(engine, 0..2);
}

fn twenty_worlds_agree_with_the_model(engine: Engine) {
    worlds_agree_with_the_model(engine, 2..22);
}

/// A world has about 300 operations.
fn worlds_agree_with_the_model(engine: Engine, seeds: Range<u64>) {
    // The database of a server that is stopped; a running one would deliver the events itself.
    let server = (engine == Engine::Postgres).then(|| {
        let mut server = Server::start(engine);
        server.kill();
        server
    });
    let database = server.as_ref().map_or(WorldDatabase::Memory, |server| {
        WorldDatabase::Database(server.database_url().to_owned())
    });
    let mut counts = Counts::new();
    for seed in seeds {
        if let Err(failure) = run(&database, seed, &mut counts, &|| {}).expect("a database") {
            panic!("{failure}");
        }
    }
    // A run in which every operation is refused tests nothing.
    let (drawn, accepted) =
        counts.values().fold((0, 0), |all, count| (all.0 + count.0, all.1 + count.1));
    assert!(accepted * 3 > drawn, "{accepted} of {drawn} operations were accepted: {counts:?}");
}
