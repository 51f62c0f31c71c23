//! Problems of a rules file.

use std::fmt;

/// A rule that cannot be accepted, or that has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProblem {
    /// The name of the included file; `None` for the rules file itself.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The fault.
    pub kind: RuleKind,
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(out, "{file}, ")?;
        }
        write!(out, "line {}: {}", self.line, self.kind)
    }
}

impl std::error::Error for RuleProblem {}

/// Kinds of problems of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum RuleKind {
    #[error("the rules have more than {0} bytes")]
    TooLarge(usize),
    #[error("the rules have more than {0} matchers")]
    TooManyMatchers(usize),
    #[error("the rules have more than {0} assignments")]
    TooManyAssignments(usize),
    #[error("files are included more than {0} deep")]
    TooDeep(usize),
    #[error("unknown rule \"{0}\"")]
    UnknownRule(String),
    #[error("unknown field \"{0}\"")]
    UnknownField(String),
    #[error("the rule needs a value")]
    MissingValue,
    #[error("invalid number \"{0}\"")]
    InvalidNumber(String),
    #[error("invalid separator \"{0}\": expected one character, TAB or SPACE")]
    InvalidSeparator(String),
    #[error("invalid decimal mark \"{0}\": expected . or ,")]
    InvalidDecimalMark(String),
    #[error("invalid date format: {0} is not known")]
    InvalidDateFormat(String),
    #[error("the fields list needs at least two fields")]
    TooFewFields,
    #[error("invalid regular expression \"{pattern}\": {message}")]
    InvalidPattern { pattern: String, message: String },
    #[error("the \"if\" has no matcher")]
    MissingMatcher,
    #[error("the \"if\" has no assignment")]
    MissingAssignment,
    #[error("the table row has {found} values for {expected} fields")]
    TableRow { found: usize, expected: usize },
    #[error("the rules file \"{0}\" does not exist in this book")]
    UnknownInclude(String),
    #[error("a source with a command is not accepted")]
    Command,
    #[error("the rule has no effect: \"{0}\"")]
    NoEffect(String),
    #[error("an empty value in the table erases what was assigned before")]
    EmptyTableValue,
}
