//! Bounded runs of schemathesis (`make contract` is the long one): whatever is made up from a
//! document, the server answers as the document says.

use std::time::Duration;

use daybook_tests::contract::{Issuer, Outcome, Plan, fuzz, missing};
use daybook_tests::{Engine, Server, setting};

use crate::Lone;
use crate::openapi::access;
use crate::openapi::contract::operations;

pub fn lone() -> Vec<Lone> {
    crate::lone![answers_are_as_documented, answers_about_access_are_as_documented]
}

/// The same requests on every machine: about a minute of them, ten times as much where both engines
/// share two busy cores with others.
const PLAN: Plan = Plan { seed: 5, examples: 6, time: None, limit: Duration::from_secs(1_200) };

/// For signing in and tokens: less is made of fewer operations.
const AUTH_PLAN: Plan = Plan { examples: 25, ..PLAN };

/// 0.18 and 10.1: no failure of the server, no status, type, header or field that the document
/// lacks.
fn answers_are_as_documented(engine: Engine) {
    if is_installed() {
        let server = Server::start(engine);
        let outcome = fuzz(&server, PLAN).expect("schemathesis comes to an end");
        let ids = operations().into_iter().map(|operation| operation.id);
        holds(&server, &outcome, ids.collect(), "openapi/openapi.json");
    }
}

/// 11.22: the same for what is asked before there is a token.
fn answers_about_access_are_as_documented(engine: Engine) {
    if is_installed() {
        let issuer = Issuer::start(engine).expect("its clients");
        let outcome = issuer.fuzz(AUTH_PLAN).expect("schemathesis comes to an end");
        let ids = access::operations().into_iter().map(|operation| operation.id);
        // The document itself is what schemathesis asks for first.
        let ids = ids.filter(|id| *id != "authDocument");
        holds(&issuer.server, &outcome, ids.collect(), "openapi/auth.json");
    }
}

fn is_installed() -> bool {
    let Some(what) = missing() else { return true };
    assert!(setting("CI").is_none(), "{what}");
    eprintln!("contract_fuzz is left out: {what}");
    false
}

#[track_caller]
fn holds(server: &Server, outcome: &Outcome, ids: Vec<&str>, document: &str) {
    assert!(outcome.passed, "the server and {document} contradict each other:\n{}", outcome.report);
    let never = outcome.never_accepted(ids.into_iter());
    assert!(never.is_empty(), "never accepted, so hardly tested: {never:?}: {:?}", outcome.answers);
    let log = server.log();
    let panics: Vec<&str> = log.lines().filter(|line| line.contains("panicked at")).collect();
    assert!(panics.is_empty(), "the server panicked: {panics:#?}");
}
