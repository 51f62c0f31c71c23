//! Joins the descriptions of two merged transactions (behaviour 3.11.4).

use std::collections::{BTreeSet, HashSet};

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use unicode_normalization::char::is_combining_mark;

use super::tags;

/// Appends to the base text those words of the other text that it does not contain, ignoring case
/// (behaviour 3.11.4). If one text is blank, the other is returned unchanged.
pub(super) fn join_descriptions(base: &str, other: &str) -> String {
    if base.trim().is_empty() || other.trim().is_empty() {
        return if base.trim().is_empty() { other.to_owned() } else { base.to_owned() };
    }
    let words: Vec<Word<'_>> = other.split_whitespace().flat_map(words_of).collect();
    let distinct: BTreeSet<&str> =
        words.iter().filter(|word| !word.whole).map(|word| word.lower.as_str()).collect();
    let contained = contained(&lower_case(base), distinct.into_iter().collect());
    let whole = whole_words(base);
    let is_missing = |word: &&Word<'_>| {
        if word.whole {
            !whole.contains(&word.lower)
        } else {
            !contained.contains(word.lower.as_str())
        }
    };
    let missing: Vec<&str> = words.iter().filter(is_missing).map(|word| word.text).collect();
    if missing.is_empty() {
        base.to_owned()
    } else {
        format!("{} {}", base.trim_end(), missing.join(" "))
    }
}

/// A word of the other text.
struct Word<'t> {
    text: &'t str,
    /// The form that is searched for.
    lower: String,
    /// Whether it is not split, and only compared with whole words.
    whole: bool,
}

/// Returns the words of a text without white space: its parts between hyphens and underscores. A
/// text with a hashtag or a digit, such as a document number, is one word.
fn words_of(text: &str) -> Vec<Word<'_>> {
    if text.contains(|c: char| c == '#' || c.is_numeric()) {
        return vec![Word { text, lower: lower_case(bare(text)), whole: true }];
    }
    text.split(['-', '_'])
        .filter(|word| !word.is_empty())
        .map(|word| Word { text: word, lower: lower_case(word), whole: false })
        .collect()
}

/// Returns the whole words of a text: its parts between white space, and its hashtags.
fn whole_words(text: &str) -> HashSet<String> {
    let spaced = text.split_whitespace().map(|word| lower_case(bare(word)));
    spaced.chain(tags::of(text).iter().map(|tag| format!("#{}", lower_case(tag)))).collect()
}

/// Returns a word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| {
        c != '#' && c != '_' && !c.is_alphanumeric() && !is_combining_mark(c)
    })
}

/// Converts to lower case character by character. In contrast, `str::to_lowercase` depends on the
/// characters that follow.
fn lower_case(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Finds which of these distinct words the text contains. All words are searched for at once,
/// because separate searches would take a second for two descriptions of 64 KB.
fn contained<'w>(text: &str, words: Vec<&'w str>) -> HashSet<&'w str> {
    let mut found = HashSet::new();
    // Both succeed: the words are short and few enough, and the search is not anchored.
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
    fn missing_words_are_appended() {
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
            ("Ads", "spent #team_marketing", "Ads spent #team_marketing"),
            ("Ads #team", "#team_marketing #TEAM", "Ads #team #team_marketing"),
            ("Paid", "INV-2024-001", "Paid INV-2024-001"),
            (
                "Paid INV-2024-0012",
                "inv-2024-001, (inv-2024-0012)",
                "Paid INV-2024-0012 inv-2024-001,",
            ),
            ("at #project12", "#project1", "at #project12 #project1"),
            ("at#project1, 2024", "#project1 2024. 20", "at#project1, 2024 20"),
            ("#कर्ज़", "#कर", "#कर्ज़ #कर"),
            ("AB_12-c", "ab_12-c ab_12", "AB_12-c ab_12"),
            ("", "its-own  way", "its-own  way"),
            ("its-own  way", " ", "its-own  way"),
            ("", "", ""),
        ] {
            assert_eq!(join_descriptions(base, other), expected, "{base:?} with {other:?}");
        }
    }

    proptest! {
        #[test]
        fn result_equals_that_of_a_naive_search(
            base in "[abB -]{0,12}",
            other in "[abA _-]{0,12}",
        ) {
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
            let found = join_descriptions(&base, &other);
            prop_assert_eq!(found.trim(), expected.trim());
        }
    }
}
