//! Cases whose point is how long something takes, or how much goes on meanwhile. Beside others they
//! would fail by chance, so each runs when all others are done, and alone.

use libtest_mimic::{Arguments, Conclusion, Trial};

/// `module::case`, for every engine.
const QUIET: [&str; 10] = [
    "identity::rule_11_13_slow_providers_delay_nobody_else",
    "large_batches::chart",
    "large_batches::transactions",
    "read_limits::rule_0_32_a_read_ends_at_its_deadline",
    "read_limits::rule_0_32_a_read_ends_when_its_client_has_left",
    "read_limits::rule_0_32_slow_reads_of_one_user_leave_readers_to_others",
    "read_limits::rule_1_7_5_looking_for_a_text_takes_time_by_the_length_of_the_description",
    "sieges::nobody_is_kept_from_their_work",
    "writer_shares::requests_take_the_time_of_their_users",
    "writer_shares::what_nobody_waits_for_is_not_begun",
];

/// Runs all cases, those of [`QUIET`] last: what became of both kinds.
pub fn run(arguments: &Arguments, trials: Vec<Trial>) -> Vec<Conclusion> {
    let is = |trial: &Trial, case: &str| {
        trial.name().strip_suffix(case).is_some_and(|engine| engine.ends_with("::"))
    };
    for case in QUIET {
        assert!(trials.iter().any(|trial| is(trial, case)), "no case is called {case}");
    }
    let (mut quiet, others): (Vec<Trial>, Vec<Trial>) =
        trials.into_iter().partition(|trial| QUIET.iter().any(|case| is(trial, case)));
    quiet.retain(|trial| !arguments.is_filtered_out(trial));
    let mut conclusions = vec![libtest_mimic::run(arguments, others)];
    if !quiet.is_empty() {
        let alone = Arguments { test_threads: Some(1), ..arguments.clone() };
        conclusions.push(libtest_mimic::run(&alone, quiet));
    }
    conclusions
}
