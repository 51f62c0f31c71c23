//! Bounded runs of schemathesis (`make contract` is the long one): responses to generated requests
//! must match the contract.

use std::time::Duration;

use daybook_tests::contract::{Issuer, Outcome, Plan, fuzz, missing};
use daybook_tests::openapi;
use daybook_tests::{Engine, Server};

use crate::Case;
use daybook_tests::openapi::contract::operations;

pub fn tests() -> Vec<Case> {
    let long = Plan { examples: 3, ..SHORT };
    let api = Case::isolated("answers_are_as_documented", move |engine| check_api(engine, long));
    let long = Plan { examples: 25, ..SHORT };
    let auth = Case::isolated("answers_about_access_are_as_documented", move |engine| {
        check_access(engine, long)
    });
    [api, auth].into_iter().map(|case| case.needs(missing)).collect()
}

/// A fixed seed, so that each machine sends the same requests.
const SHORT: Plan = Plan { seed: 5, examples: 1, time: None, limit: Duration::from_secs(1_200) };

/// 0.18, 10.1: no server error, and no status, type, header or field outside the contract.
fn check_api(engine: Engine, plan: Plan) {
    let server = Server::start(engine);
    let outcome = fuzz(&server, plan).expect("schemathesis comes to an end");
    // schemathesis reads answers to their end, which a stream does not have, and its callers are
    // not administrators.
    let ids = operations().into_iter().filter(|operation| {
        !operation.is_stream() && !operation.path.starts_with("/v5/administration/")
    });
    let ids = ids.map(|operation| operation.id);
    check_outcome(&server, &outcome, ids.collect(), "openapi/openapi.json");
}

/// 11.22: the operations below `/auth`.
fn check_access(engine: Engine, plan: Plan) {
    let issuer = Issuer::start(engine).expect("its clients");
    let outcome = issuer.fuzz(plan).expect("schemathesis comes to an end");
    let ids = openapi::access::operations().into_iter().map(|operation| operation.id);
    // schemathesis requests the document itself first.
    let ids = ids.filter(|id| *id != "authDocument");
    check_outcome(&issuer.server, &outcome, ids.collect(), "openapi/auth.json");
}

#[track_caller]
fn check_outcome(server: &Server, outcome: &Outcome, ids: Vec<&str>, document: &str) {
    assert!(outcome.passed, "the server and {document} contradict each other:\n{}", outcome.report);
    let mut never = outcome.never_accepted(ids.into_iter());
    // The server has users.
    never.retain(|id| !["showFirstUser", "createFirstUser"].contains(id));
    assert!(never.is_empty(), "never accepted, so hardly tested: {never:?}: {:?}", outcome.answers);
    let log = server.log();
    let panics: Vec<&str> = log.lines().filter(|line| line.contains("panicked at")).collect();
    assert!(panics.is_empty(), "the server panicked: {panics:#?}");
}
