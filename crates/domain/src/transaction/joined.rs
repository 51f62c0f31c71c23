//! Two descriptions in one (behaviour 3.11.4).

use std::collections::HashSet;

use crate::automaton::{Automaton, Place};

/// The base text and the words of the other that it does not contain, whatever their case
/// (behaviour 3.11.4). One that is blank leaves the other as it is.
///
/// All words are looked for at once: two descriptions of 64 KB would else keep everybody waiting.
pub(super) fn joined(base: &str, other: &str) -> String {
    if base.trim().is_empty() || other.trim().is_empty() {
        return if base.trim().is_empty() { other.to_owned() } else { base.to_owned() };
    }
    let words: Vec<&str> = other
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let symbols =
        |text: &str| text.chars().flat_map(char::to_lowercase).map(u32::from).collect::<Vec<_>>();
    let (automaton, ends) = Automaton::new(words.iter().map(|word| symbols(word)));
    let mut contained = HashSet::new();
    let mut place = Place::START;
    for symbol in symbols(base) {
        place = automaton.step(place, symbol);
        let mut end = automaton.complete(place);
        // What ends at a place that was met before is known already.
        while end != Place::START && contained.insert(end) {
            end = automaton.complete(automaton.shorter(end));
        }
    }
    let missing: Vec<&str> = words
        .iter()
        .zip(&ends)
        .filter(|(_, end)| !contained.contains(end))
        .map(|(word, _)| *word)
        .collect();
    if missing.is_empty() {
        base.to_owned()
    } else {
        format!("{} {}", base.trim_end(), missing.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn descriptions_of_behaviour_3_11_4() {
        for (base, other, expected) in [
            ("Monthly income", "Salary payment", "Monthly income Salary payment"),
            (
                "INT DAS-SIMPLES NACIONA",
                "DAS #impostos Simples Nacional Mensal",
                "INT DAS-SIMPLES NACIONA #impostos Nacional Mensal",
            ),
            ("lunch", "LUNCH", "lunch"),
            ("launch", "lunch", "launch lunch"),
            ("Rental", "rent a-b_C", "Rental b C"),
            ("ÁGUA", "água e Luz", "ÁGUA e Luz"),
            ("base  kept ", "as  it\nwas", "base  kept it was"),
            ("x", " - _ ", "x"),
            ("", "its-own  way", "its-own  way"),
            ("its-own  way", " ", "its-own  way"),
            ("", "", ""),
        ] {
            assert_eq!(joined(base, other), expected, "{base:?} with {other:?}");
        }
    }

    proptest! {
        /// Containment is that of the plain text, word by word.
        #[test]
        fn joined_as_a_naive_search_joins(base in "[abB -]{0,12}", other in "[abA _-]{0,12}") {
            let words = other.split([' ', '-', '_']).filter(|word| !word.is_empty());
            let missing: Vec<&str> = words.filter(|word| !base.to_lowercase().contains(&word.to_lowercase())).collect();
            let expected = match (base.trim().is_empty(), other.trim().is_empty(), missing.is_empty()) {
                (true, false, _) => other.clone(),
                (true, true, _) if base.is_empty() => other.clone(),
                (_, true, _) | (_, _, true) => base.clone(),
                _ => format!("{} {}", base.trim_end(), missing.join(" ")),
            };
            let found = joined(&base, &other);
            prop_assert_eq!(found.trim(), expected.trim());
        }
    }
}
