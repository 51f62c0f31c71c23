//! What migrations make of rows that older versions wrote.

use std::path::Path;

use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::Changes;
use daybook_tests::{Backdoor, Engine};

use crate::Lone;
use crate::inside::Inside;

pub fn lone() -> Vec<Lone> {
    crate::lone![marks_of_keys_with_a_sign_are_mended]
}

/// The step of that name, as the server runs it.
fn step(engine: Engine, name: &str) -> String {
    let folder = if engine == Engine::Sqlite { "sqlite" } else { "postgresql" };
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../migrations")
        .join(folder)
        .join(name)
        .join("up.sql");
    std::fs::read_to_string(&path).expect("a step of the schema")
}

/// 1.2: step 0009 tore `a=b` at its sign, 0013 mends what became of it, and touches nothing else.
fn marks_of_keys_with_a_sign_are_mended(engine: Engine) {
    let inside = Inside::new(
        engine,
        Instant::new(1_763_000_000_000),
        daybook_domain::book::Changes::default(),
    );
    let item = |properties: &[(&str, &str)]| Changes {
        description: Field::Set("words".to_owned()),
        properties: properties
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned())))
            .collect(),
        ..Changes::default()
    };
    let long = "x".repeat(300);
    inside.record(vec![
        item(&[("a=b", "c=d")]),
        item(&[("a=b", &long), ("other", "v=w")]),
        item(&[("a", "b=c")]),
        item(&[("a", "b=q"), ("a=b", "r")]),
    ]);
    let mut database = Backdoor::open(&inside.server);
    let dump = |database: &mut Backdoor, wanted: &[&str]| {
        for mark in wanted {
            let found = database.execute(&format!(
                "UPDATE marks SET mark = mark WHERE mark = \
                '{mark}'"
            ));
            assert_eq!(found, 1, "{mark}");
        }
        database.execute("UPDATE marks SET mark = mark WHERE substr(mark, 1, 1) = 'p'")
    };
    let right = ["pa=b c=d", "pother v=w", "pa b=c", "pa b=q", "pa=b r"];
    assert_eq!(dump(&mut database, &right), 6, "the long value is the sixth");
    // As 0009 left them.
    database.execute(
        "UPDATE marks SET mark = 'pa b=' || substr(mark, 6) WHERE substr(mark, 1, 5) \
        = 'pa=b '",
    );
    assert_eq!(dump(&mut database, &["pa b=c=d", "pa b=r"]), 6);
    inside.execute(&[&step(engine, "0013_keys")]);
    // What stands beside a key `a` may be its own: it stays, where both are there.
    assert_eq!(dump(&mut database, &right), 8);
    assert_eq!(database.execute("DELETE FROM marks WHERE mark = 'pa b=c=d'"), 0);
    inside.execute(&[&step(engine, "0013_keys")]);
}
