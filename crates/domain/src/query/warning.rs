//! What a query said and was not answered (behaviour 1.1.13).

use std::fmt;

/// Most terms that are named; the others are counted.
const MAX_NAMED: usize = 200;
/// Most characters of a term that are shown.
const MAX_SHOWN: usize = 100;
/// Stands for the rest of a longer one.
const CUT: &str = "...";

/// Part of a query that was read as less than it says.
///
/// ```
/// use daybook_domain::amount::DecimalSeparator;
/// use daybook_domain::calendar::{DatePattern, parse_iso};
/// use daybook_domain::query::{ParseContext, Query};
///
/// let today = parse_iso("2025-05-20").unwrap();
/// let reading =
///     ParseContext { today, pattern: DatePattern::DayFirst, separator: DecimalSeparator::Dot };
/// let query = Query::parse("on:2013-02-30 lunch", &reading);
/// assert_eq!(query.warnings()[0].to_string(), "on:2013-02-30: not a date");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A term.
    Term {
        /// As it was written, cut where it is long.
        term: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// So many more terms.
    More(usize),
}

/// Why a term was read as less than it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The value of a date operator is no date, or one beyond the calendar.
    NotADate,
    /// The value of `amount` is no number.
    NotANumber,
    /// The value of `is:` is no status.
    NotAStatus,
    /// The value of `type:` is no type of accounts.
    NotAnAccountType,
    /// The value of `error:` is no boolean.
    NotABoolean,
    /// The value of `has:` is neither file nor url.
    NotAnAttachment,
    /// The value of `using:` is not postDate.
    NotPostDate,
    /// Behind `#` stands what no hashtag can be.
    NotATag,
    /// NUL, which no text holds.
    Nul,
    /// `by:` with a letter that is no periodicity.
    NotAPeriodicity,
    /// `by:d`, `by:m` or `by:y` outside of balances.
    OnlyForBalances,
    /// A term that balances do not have.
    NotForBalances,
    /// `using:postDate` behind NOT.
    Negated,
    /// An operator or quotes with nothing in them.
    Empty,
    /// Parentheses that nest too deep.
    TooDeep,
    /// Text that looks like an operator or a hashtag and is none.
    ReadAsText,
    /// Quotes of which it is not clear which one closes.
    Quotes,
    /// No account has that id or name.
    UnknownAccount,
    /// No group has that id or name.
    UnknownGroup,
}

impl Problem {
    const fn as_str(self) -> &'static str {
        match self {
            Self::NotADate => "not a date",
            Self::NotANumber => "not a number",
            Self::NotAStatus => "not a status",
            Self::NotAnAccountType => "not an account type",
            Self::NotABoolean => "neither true nor false",
            Self::NotAnAttachment => "neither file nor url",
            Self::NotPostDate => "not postDate",
            Self::NotATag => "not a hashtag",
            Self::Nul => "no text holds the character NUL",
            Self::NotAPeriodicity => "ignored, not a periodicity",
            Self::OnlyForBalances => "ignored, only balances have a periodicity",
            Self::NotForBalances => "ignored in balances",
            Self::Negated => "ignored, it cannot be negated",
            Self::Empty => "ignored, nothing to look for",
            Self::TooDeep => "ignored, parentheses nest at most 64 deep",
            Self::ReadAsText => "read as text",
            Self::Quotes => "not clear which quote closes; write \\ before a quote inside",
            Self::UnknownAccount => "no such account",
            Self::UnknownGroup => "no such group",
        }
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

/// A term that names an account or a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedTerm {
    /// As it was written, cut where it is long.
    term: String,
    /// The id or name.
    name: String,
    /// The problem to report when nothing has that name.
    problem: Problem,
    /// How many warnings stand before it.
    place: usize,
}

/// Adds to the warnings of a query, in its order, those of the terms that name what there is not
/// (behaviour 1.1.13).
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
    for (place, warning) in std::mem::take(warnings).into_iter().enumerate() {
        while let Some(one) = unknown.next_if(|one| one.place <= place) {
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

/// The warnings of a query while it is read.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    named: Vec<Warning>,
    more: usize,
    names: Vec<NamedTerm>,
}

impl Warnings {
    pub(super) fn add(&mut self, term: &str, problem: Problem) {
        if self.named.len() == MAX_NAMED {
            self.more = self.more.saturating_add(1);
            return;
        }
        self.named.push(Warning::Term { term: shown(term), problem });
    }

    /// Notes a term that names an account or a group, which may turn out to be unknown.
    pub(super) fn name(&mut self, term: &str, name: &str, problem: Problem) {
        let place = self.named.len();
        self.names.push(NamedTerm { term: shown(term), name: name.to_owned(), problem, place });
    }

    /// The warnings, and the terms with names.
    pub(super) fn finish(mut self) -> (Vec<Warning>, Vec<NamedTerm>) {
        self.named.extend((self.more > 0).then_some(Warning::More(self.more)));
        (self.named, self.names)
    }
}

/// A term, cut where it is long. One that was cut already stays.
fn shown(term: &str) -> String {
    match term.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) if term.get(end..) != Some(CUT) => {
            format!("{}{CUT}", term.get(..end).unwrap_or_default())
        }
        _ => term.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_named_and_short() {
        let mut warnings = Warnings::default();
        for _ in 0..MAX_NAMED + 7 {
            warnings.add(&"é".repeat(MAX_SHOWN + 1), Problem::ReadAsText);
        }
        let (found, _) = warnings.finish();
        assert_eq!(found.len(), MAX_NAMED + 1);
        assert_eq!(found[0].to_string(), format!("{}...: read as text", "é".repeat(MAX_SHOWN)));
        assert_eq!(found[MAX_NAMED].to_string(), "and 7 more");
    }
}
