//! A bounded run of schemathesis (`make contract` is the long one): whatever is made up from the
//! document, the server answers as the document says.

use std::time::Duration;

use daybook_tests::contract::{Plan, fuzz, missing};
use daybook_tests::{Engine, Server, setting};

use crate::Lone;
use crate::openapi::contract::operations;

pub fn lone() -> Vec<Lone> {
    crate::lone![answers_are_as_documented]
}

/// The same requests on every machine: about a minute of them, two or three where both engines
/// share two busy cores.
const PLAN: Plan = Plan { seed: 5, examples: 6, time: None, limit: Duration::from_secs(420) };

/// 0.18 and 10.1: no failure of the server, no status, type, header or field that the document
/// lacks.
fn answers_are_as_documented(engine: Engine) {
    if let Some(what) = missing() {
        assert!(setting("CI").is_none(), "{what}");
        eprintln!("contract_fuzz is left out: {what}");
        return;
    }
    let server = Server::start(engine);
    let outcome = fuzz(&server, PLAN).expect("schemathesis comes to an end");
    assert!(
        outcome.passed,
        "the server and openapi/openapi.json contradict each other:\n{}",
        outcome.report
    );
    let ids: Vec<&str> = operations().iter().map(|operation| operation.id).collect();
    let never = outcome.never_accepted(ids.into_iter());
    assert!(never.is_empty(), "never accepted, so hardly tested: {never:?}: {:?}", outcome.answers);
    let panics: Vec<String> = server
        .log()
        .lines()
        .filter(|line| line.contains("panicked at"))
        .map(str::to_owned)
        .collect();
    assert!(panics.is_empty(), "the server panicked: {panics:#?}");
}
