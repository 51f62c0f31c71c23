//! Matchers: regular expressions for a record or one of its columns.

use regex::{Regex, RegexBuilder};

use super::problem::RuleKind;
use super::search::Found;
use super::template::{column, is_name};
use crate::read::problem::excerpt;

/// The most bytes of a pattern.
const MAX_PATTERN_BYTES: usize = 2_000;

/// The most bytes of a compiled pattern, which bounds the time of a match.
const MAX_COMPILED_BYTES: usize = 256 * 1024;

/// The most bytes that matching one pattern may cache.
const MAX_CACHE_BYTES: usize = 128 * 1024;

/// The most match groups of a pattern that can be referred to.
const MAX_GROUPS: usize = 20;

/// The most bytes of a match group; what is longer is cut off.
const MAX_GROUP_BYTES: usize = 4 * 1024;

/// The most nested groups of a pattern.
const MAX_NESTED_GROUPS: u32 = 32;

/// A condition on a record.
#[derive(Debug, Clone)]
pub(crate) struct Matcher {
    /// The column, or the whole record.
    column: Option<usize>,
    /// `None` for a column that no record has, which matches nothing.
    regex: Option<Regex>,
    is_negated: bool,
    /// The index of the pattern among those that are searched for together.
    index: Option<usize>,
}

impl Matcher {
    /// Parses `[!] [%column] pattern`.
    pub(crate) fn parse(text: &str, names: &[String]) -> Result<Self, RuleKind> {
        let text = text.trim();
        let (is_negated, text) =
            text.strip_prefix('!').map_or((false, text), |rest| (true, rest.trim_start()));
        let (column, pattern) = split_column(text, names);
        if pattern.is_empty() {
            return Err(RuleKind::MissingMatcher);
        }
        match column {
            Some(None) => Ok(Self { column: None, regex: None, is_negated, index: None }),
            column => {
                let regex = Some(compile(pattern)?);
                Ok(Self { column: column.flatten(), regex, is_negated, index: None })
            }
        }
    }

    /// Returns whether it matches; appends the match groups of one that is not negated.
    pub(crate) fn matches<'a>(
        &self,
        record: &str,
        cell: impl Fn(usize) -> &'a str,
        found: &Found,
        groups: &mut Vec<String>,
    ) -> bool {
        let Some(regex) = &self.regex else { return self.is_negated };
        let text = || self.column.map_or(record, |column| cell(column).trim());
        let is_match = found.get(self.column, self.index).unwrap_or_else(|| regex.is_match(text()));
        if !is_match || !self.has_groups() {
            return is_match != self.is_negated;
        }
        let Some(captures) = regex.captures(text()) else { return false };
        let captured = captures.iter().skip(1).take(MAX_GROUPS);
        groups.extend(captured.map(|group| {
            let group = group.map_or("", |group| group.as_str());
            let end = group.floor_char_boundary(MAX_GROUP_BYTES);
            group.get(..end).unwrap_or_default().to_owned()
        }));
        true
    }

    /// Returns whether it has match groups.
    pub(crate) fn has_groups(&self) -> bool {
        !self.is_negated && self.regex.as_ref().is_some_and(|regex| regex.captures_len() > 1)
    }

    /// Returns the column, if the matcher is of one.
    pub(crate) const fn column(&self) -> Option<usize> {
        self.column
    }

    pub(crate) const fn set_index(&mut self, index: usize) {
        self.index = Some(index);
    }

    pub(crate) fn pattern(&self) -> &str {
        self.regex.as_ref().map_or("", Regex::as_str)
    }
}

/// Splits `%column` off: `Some(None)` is a column that the file does not have.
fn split_column<'a>(text: &'a str, names: &[String]) -> (Option<Option<usize>>, &'a str) {
    let Some(after) = text.strip_prefix('%') else { return (None, text) };
    let pattern = after.trim_start_matches(is_name);
    let name = after.strip_suffix(pattern).unwrap_or_default();
    if name.is_empty() || !pattern.starts_with([' ', '\t']) {
        return (None, text);
    }
    (Some(column(name, names)), pattern.trim_start())
}

/// Compiles a pattern of POSIX, without regard to case.
fn compile(pattern: &str) -> Result<Regex, RuleKind> {
    let invalid = |message: String| RuleKind::InvalidPattern { pattern: excerpt(pattern), message };
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(invalid(format!("more than {MAX_PATTERN_BYTES} bytes")));
    }
    RegexBuilder::new(&translate(pattern))
        .case_insensitive(true)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_CACHE_BYTES)
        .nest_limit(MAX_NESTED_GROUPS)
        .build()
        .map_err(|error| {
            if matches!(error, regex::Error::CompiledTooBig(_)) {
                return invalid("it is too large".to_owned());
            }
            invalid(excerpt(error.to_string().lines().last().unwrap_or_default()))
        })
}

/// Escapes what the library's syntax has beyond that of POSIX within brackets.
fn translate(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        translated.push(c);
        if c == '\\' {
            translated.extend(rest.next());
        }
        if c != '[' {
            continue;
        }
        translated.extend(rest.next_if_eq(&'^'));
        // A bracket that comes first does not close the set.
        if rest.next_if_eq(&']').is_some() {
            translated.push_str("\\]");
        }
        while let Some(c) = rest.next() {
            match c {
                ']' => {
                    translated.push(c);
                    break;
                }
                '[' if matches!(rest.peek(), Some(':')) => {
                    translated.push(c);
                    for inner in rest.by_ref() {
                        translated.push(inner);
                        if inner == ']' {
                            break;
                        }
                    }
                }
                '[' | '\\' | '&' | '~' => {
                    translated.push('\\');
                    translated.push(c);
                }
                _ => translated.push(c),
            }
        }
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::super::search::{Budget, Patterns, Search};
    use super::*;

    fn matches(matcher: &str, cells: &[&str]) -> bool {
        let names = ["date", "text"].map(str::to_owned);
        let matcher = Matcher::parse(matcher, &names).unwrap();
        let cell = |index: usize| cells.get(index).copied().unwrap_or_default();
        let mut groups = Vec::new();
        let alone = matcher.matches(&cells.join(","), cell, &Found::default(), &mut groups);
        let search =
            Search::new(Patterns::from([(matcher.column(), vec![matcher.pattern().to_owned()])]));
        let found = search.find(&cells.join(","), cell, &mut Budget::new());
        let indexed = Matcher { index: Some(0), ..matcher };
        let together = indexed.matches(&cells.join(","), cell, &found, &mut groups);
        assert_eq!(alone, together);
        alone
    }

    #[test]
    fn matchers_match_records_and_columns() {
        let cells = ["2026-01-02", "Corner SHOP & Co [1]"];
        for (matcher, expected) in [
            ("corner shop", true),
            ("!corner shop", false),
            ("%text ^corner", true),
            ("%2 ^corner", true),
            ("! %text ^2026", true),
            ("%date ^2026-01", true),
            ("^2026.*co", true),
            (r"\bshop\b", true),
            (r"\<shop\>", true),
            (r"\<hop", false),
            ("[[:digit:]]-[0-9]", true),
            ("[&]", true),
            ("[&&]", true),
            ("[[]1[]]", true),
            (r"[\]", false),
            ("%nope x", false),
            ("!%nope x", true),
            ("(corner|edge) (shop|store)", true),
        ] {
            assert_eq!(matches(matcher, &cells), expected, "{matcher}");
        }
        assert!(matches("%x", &["%x"]), "a percent sign without a pattern behind it");
    }

    #[test]
    fn patterns_are_bounded() {
        for pattern in ["(", "a{1000}{1000}{1000}", &"(".repeat(40), &"x".repeat(3_000), "", "!"] {
            assert!(Matcher::parse(pattern, &[]).is_err(), "{pattern}");
        }
    }

    #[test]
    fn groups_are_collected() {
        let matcher = Matcher::parse("(shop) ([0-9]+)?", &[]).unwrap();
        let mut groups = Vec::new();
        assert!(matcher.matches("a shop ", |_| "", &Found::default(), &mut groups));
        assert_eq!(groups, ["shop", ""]);
    }
}
