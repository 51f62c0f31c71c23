//! Warnings of queries (behaviour 1.1.13).

use std::fmt;

use crate::named::named;

/// Limit of warnings. Further ones are only counted.
const MAX_WARNINGS: usize = 200;
/// Maximum length of the text of a term in a warning, in characters.
const MAX_TERM: usize = 100;
/// The end of a truncated term.
const ELLIPSIS: &str = "...";

/// A part of a query that is ignored or only partly understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A term.
    Term {
        /// The text of the term, truncated.
        term: String,
        /// The problem.
        problem: Problem,
    },
    /// The number of further terms.
    More(usize),
}

named! {
    /// The problem of a term, named by its message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[expect(missing_docs, reason = "each variant has its message")]
    pub enum Problem {
        NotADate = "not a date",
        NotANumber = "not a number",
        NotAStatus = "not a status",
        NotAnAccountType = "not an account type",
        NotABoolean = "neither true nor false",
        NotAnAttachment = "neither file, url nor comment",
        NotPostDate = "not postDate",
        NotATag = "not a hashtag",
        Nul = "no text holds the character NUL",
        NotAPeriodicity = "ignored, not a periodicity",
        /// `by:d`, `by:m` or `by:y` in a transaction query.
        OnlyForBalances = "ignored, only balances have a periodicity",
        NotForBalances = "ignored in balances",
        /// NOT precedes `using:postDate`.
        Negated = "ignored, it cannot be negated",
        Empty = "ignored, nothing to look for",
        TooDeep = "ignored, parentheses nest at most 64 deep",
        /// A text resembles an operator or a hashtag.
        ReadAsText = "read as text",
        Quotes = "not clear which quote closes; write \\ before a quote inside",
        UnknownAccount = "no such account",
        UnknownGroup = "no such group",
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Term { term, problem } => write!(f, "{term}: {}", problem.as_str()),
            Self::More(count) => write!(f, "and {count} more"),
        }
    }
}

/// A term with an account or a group, which may be unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedTerm {
    /// The text of the term, truncated.
    term: String,
    /// The id or name.
    name: String,
    /// The problem to report if it does not exist.
    problem: Problem,
    /// The number of warnings before it.
    position: usize,
}

/// Inserts the warnings of unknown accounts and groups in the order of the query (behaviour
/// 1.1.13).
pub(super) fn add_unknown(
    warnings: &mut Vec<Warning>,
    names: &[NamedTerm],
    knows_account: impl Fn(&str) -> bool,
    knows_group: impl Fn(&str) -> bool,
) {
    let is_known = |one: &NamedTerm| {
        let is_group = one.problem == Problem::UnknownGroup;
        if is_group { knows_group(&one.name) } else { knows_account(&one.name) }
    };
    let mut unknown = names.iter().filter(|one| !is_known(one)).peekable();
    let mut all = Warnings::default();
    for (index, warning) in std::mem::take(warnings).into_iter().enumerate() {
        while let Some(one) = unknown.next_if(|one| one.position <= index) {
            all.add(&one.term, one.problem);
        }
        match warning {
            Warning::Term { term, problem } => all.add(&term, problem),
            Warning::More(more) => all.more = all.more.saturating_add(more),
        }
    }
    unknown.for_each(|one| all.add(&one.term, one.problem));
    *warnings = all.finish().0;
}

/// The warnings of a query during parsing.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    warnings: Vec<Warning>,
    more: usize,
    names: Vec<NamedTerm>,
}

impl Warnings {
    pub(super) fn add(&mut self, term: &str, problem: Problem) {
        if self.warnings.len() == MAX_WARNINGS {
            self.more = self.more.saturating_add(1);
            return;
        }
        self.warnings.push(Warning::Term { term: truncate(term), problem });
    }

    /// Adds a term with an account or a group, which may be unknown.
    pub(super) fn add_name(&mut self, term: &str, name: &str, problem: Problem) {
        self.names.push(NamedTerm {
            term: truncate(term),
            name: name.to_owned(),
            problem,
            position: self.warnings.len(),
        });
    }

    /// Returns the warnings, and the terms with names.
    pub(super) fn finish(mut self) -> (Vec<Warning>, Vec<NamedTerm>) {
        self.warnings.extend((self.more > 0).then_some(Warning::More(self.more)));
        (self.warnings, self.names)
    }
}

/// Truncates a long term, unless it is already truncated.
fn truncate(term: &str) -> String {
    match term.char_indices().nth(MAX_TERM) {
        Some((end, _)) if term.get(end..) != Some(ELLIPSIS) => {
            format!("{}{ELLIPSIS}", term.get(..end).unwrap_or_default())
        }
        _ => term.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_limited_and_truncated() {
        let mut warnings = Warnings::default();
        for _ in 0..MAX_WARNINGS + 7 {
            warnings.add(&"é".repeat(MAX_TERM + 1), Problem::ReadAsText);
        }
        let (found, _) = warnings.finish();
        assert_eq!(found.len(), MAX_WARNINGS + 1);
        assert_eq!(found[0].to_string(), format!("{}...: read as text", "é".repeat(MAX_TERM)));
        assert_eq!(found[MAX_WARNINGS].to_string(), "and 7 more");
    }
}
