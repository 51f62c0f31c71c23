//! `make fuzz`: random input for everything that parses text of users. Without coverage
//! guidance, input is generated from corpora by small mutations. Every case has a seed that
//! reproduces it.

mod corpus;
mod exported_books;
mod mutate;
mod statements;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::rng::Rng;
pub use mutate::Sizes;
pub use targets::{Target, all};

/// A failing case.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed that reproduces the case.
    pub seed: u64,
    /// The smallest input found that still fails.
    pub input: String,
    /// The failure.
    pub message: String,
}

/// The progress of a run.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Cases run.
    pub cases: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The slowest case relative to its size, and its time per byte. Reported, never enforced: a
    /// loaded machine must not fail a run.
    pub slowest: (u64, Duration),
}

/// Shorter inputs are not timed: scheduling noise exceeds the time of a parse.
const TIMED_BYTES: usize = 4 * 1024;
/// Attempts to shrink an input.
const MAX_ATTEMPTS: usize = 4_000;

/// The seed of a case of a run.
pub fn case_seed(run: u64, number: u64) -> u64 {
    Rng::new(run ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64()
}

/// The input of a case.
pub fn input(target: &Target, seed: u64, sizes: Sizes) -> String {
    mutate::input(&mut Rng::new(seed), target.corpus, sizes)
}

/// Runs one case.
///
/// # Errors
/// The failure, with its input shrunk.
pub fn case(
    target: &Target,
    seed: u64,
    sizes: Sizes,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let input = input(target, seed, sizes);
    let started = Instant::now();
    let failed = attempt(target, &input);
    let spent = started.elapsed();
    progress.cases += 1;
    progress.bytes += input.len() as u64;
    if input.len() >= TIMED_BYTES {
        let each = spent / u32::try_from(input.len()).unwrap_or(u32::MAX);
        if each > progress.slowest.1 {
            progress.slowest = (seed, each);
        }
    }
    match failed {
        None => Ok(()),
        Some(message) => Err(shrunk(target, Failure { seed, input, message })),
    }
}

/// Runs a target on an input; returns the failure.
fn attempt(target: &Target, input: &str) -> Option<String> {
    let panic = match catch_unwind(AssertUnwindSafe(|| (target.check)(input))) {
        Ok(outcome) => return outcome.err(),
        Err(panic) => panic,
    };
    Some(format!("panicked: {}", crate::panic_text(panic.as_ref())))
}

/// Removes parts of the input, long ones first, while it still fails.
fn shrunk(target: &Target, mut failure: Failure) -> Failure {
    let mut attempts = 0;
    let mut length = failure.input.chars().count();
    while length > 0 && attempts < MAX_ATTEMPTS {
        let mut start = 0;
        while start < failure.input.chars().count() && attempts < MAX_ATTEMPTS {
            let kept = failure
                .input
                .chars()
                .enumerate()
                .filter(|(at, _)| !(start..start + length).contains(at));
            let smaller: String = kept.map(|(_, c)| c).collect();
            attempts += 1;
            match attempt(target, &smaller) {
                Some(message) => failure = Failure { input: smaller, message, ..failure },
                None => start += length,
            }
        }
        length /= 2;
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The short form of `make fuzz`, with a fixed seed.
    #[test]
    fn a_short_run_of_every_target() {
        for target in all() {
            let mut progress = Progress::default();
            for number in 0..400 {
                if let Err(failure) =
                    case(&target, case_seed(20_251_121, number), Sizes::Short, &mut progress)
                {
                    panic!("{}: {failure:?}", target.name);
                }
            }
            assert!(progress.bytes > 4_000, "{}: the input is not empty", target.name);
        }
    }

    #[test]
    fn a_failure_is_found_and_made_small() {
        let check = |input: &str| {
            if input.contains('5') && input.contains("on:") {
                Err("found".to_owned())
            } else {
                Ok(())
            }
        };
        let target = Target { name: "broken", corpus: &["on:2025-01-01", "5", "x y z"], check };
        let mut progress = Progress::default();
        let failure = (0..2_000).find_map(|number| {
            case(&target, case_seed(1, number), Sizes::Short, &mut progress).err()
        });
        let failure = failure.expect("two thousand cases hold one of two words");
        assert!(matches!(failure.input.as_str(), "on:5" | "5on:"), "{failure:?}");
        let again =
            case(&target, failure.seed, Sizes::Short, &mut progress).expect_err("the same case");
        assert_eq!(again.input, failure.input);
    }

    #[test]
    fn a_panic_is_a_failure() {
        let target = Target {
            name: "panics",
            corpus: &["x"],
            check: |input| if input.is_empty() { Ok(()) } else { panic!("a bug") },
        };
        let failure = (0..10)
            .find_map(|number| case(&target, number, Sizes::Short, &mut Progress::default()).err());
        let failure = failure.expect("hardly all empty");
        assert_eq!(
            (failure.input.chars().count(), failure.message.as_str()),
            (1, "panicked: a bug")
        );
    }
}
