//! Joins the descriptions of two merged transactions (behaviour 3.11.4).

use std::collections::{BTreeSet, HashSet};

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;

/// The base text, followed by those words of the other that it does not contain in any case
/// (behaviour 3.11.4). If one is blank, the other is returned unchanged.
pub(super) fn joined(base: &str, other: &str) -> String {
    if base.trim().is_empty() || other.trim().is_empty() {
        return if base.trim().is_empty() { other.to_owned() } else { base.to_owned() };
    }
    let words: Vec<(&str, String)> = other
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
        .filter(|word| !word.is_empty())
        .map(|word| (word, lower_case(word)))
        .collect();
    let distinct: BTreeSet<&str> = words.iter().map(|(_, lower)| lower.as_str()).collect();
    let contained = contained(&lower_case(base), distinct.into_iter().collect());
    let missing: Vec<&str> = words
        .iter()
        .filter(|(_, lower)| !contained.contains(lower.as_str()))
        .map(|(word, _)| *word)
        .collect();
    if missing.is_empty() {
        base.to_owned()
    } else {
        format!("{} {}", base.trim_end(), missing.join(" "))
    }
}

/// Lower case character by character: unlike `str::to_lowercase`, independent of what follows.
fn lower_case(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Those of these distinct words that the text contains. All words are searched for at once,
/// because searching for each would take a second for two descriptions of 64 KB.
fn contained<'w>(text: &str, words: Vec<&'w str>) -> HashSet<&'w str> {
    let mut found = HashSet::new();
    // Neither fails: the words are short and few enough, and the search is not anchored.
    let Ok(automaton) = NFA::new(&words) else { return found };
    let Ok(mut state) = automaton.start_state(Anchored::No) else { return found };
    let mut seen = HashSet::new();
    for byte in text.bytes() {
        state = automaton.next_state(Anchored::No, state, byte);
        if automaton.is_match(state) && seen.insert(state) {
            let ends = 0..automaton.match_len(state);
            let words_here = ends.filter_map(|index| {
                words.get(automaton.match_pattern(state, index).as_usize()).copied()
            });
            found.extend(words_here);
        }
    }
    found
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
            let missing: Vec<&str> =
                words.filter(|word| !base.to_lowercase().contains(&word.to_lowercase())).collect();
            let expected =
                match (base.trim().is_empty(), other.trim().is_empty(), missing.is_empty()) {
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
