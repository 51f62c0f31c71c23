//! Cases that run alone, after all others.

use libtest_mimic::{Arguments, Conclusion, Trial};

/// Runs the other cases first and those named by `serial` (`module::case`, on each engine) at the
/// end on one thread. Returns the conclusions of both parts.
pub(super) fn run(arguments: &Arguments, trials: Vec<Trial>, serial: &[&str]) -> Vec<Conclusion> {
    let is = |trial: &Trial, case: &str| {
        trial.name().split_once("::").is_some_and(|(_, name)| name == case)
    };
    for case in serial {
        assert!(trials.iter().any(|trial| is(trial, case)), "no case is called {case}");
    }
    let (mut alone, others): (Vec<Trial>, Vec<Trial>) =
        trials.into_iter().partition(|trial| serial.iter().any(|case| is(trial, case)));
    alone.retain(|trial| !arguments.is_filtered_out(trial));
    let mut conclusions = vec![libtest_mimic::run(arguments, others)];
    if !alone.is_empty() {
        let arguments = Arguments { test_threads: Some(1), ..arguments.clone() };
        conclusions.push(libtest_mimic::run(&arguments, alone));
    }
    conclusions
}
