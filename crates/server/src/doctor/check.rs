//! The result of a check, and how it is shown.

use serde::Serialize;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All is well.
    Fine(String),
    /// The check does not apply here, or could not be done; the text says why.
    Skipped(String),
    /// The server works, and its operator should act.
    Warning(Finding),
    /// The server does not work, or loses data.
    Fault(Finding),
}

/// A fault and its remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) what: String,
    pub(super) remedy: String,
}

impl Outcome {
    pub(super) fn fine(what: impl Into<String>) -> Self {
        Self::Fine(what.into())
    }

    pub(super) fn skipped(why: impl Into<String>) -> Self {
        Self::Skipped(why.into())
    }

    pub(super) fn warning(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Warning(Finding { what: what.into(), remedy: remedy.into() })
    }

    pub(super) fn fault(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Fault(Finding { what: what.into(), remedy: remedy.into() })
    }

    pub(super) const fn is_finding(&self) -> bool {
        match self {
            Self::Fine(_) | Self::Skipped(_) => false,
            Self::Warning(_) | Self::Fault(_) => true,
        }
    }
}

/// A check with its outcome.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) name: &'static str,
    /// The section of `docs/operations.md` about it.
    pub(super) section: &'static str,
    pub(super) outcome: Outcome,
}

/// A check as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckOut<'c> {
    number: usize,
    name: &'c str,
    state: &'static str,
    text: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'c str>,
    section: String,
}

impl Check {
    /// Returns the shape of the check with a number.
    pub(super) fn numbered(&self, number: usize) -> CheckOut<'_> {
        let (state, text, remedy) = match &self.outcome {
            Outcome::Fine(text) => ("ok", text, None),
            Outcome::Skipped(text) => ("skip", text, None),
            Outcome::Warning(finding) => ("warn", &finding.what, Some(finding.remedy.as_str())),
            Outcome::Fault(finding) => ("fail", &finding.what, Some(finding.remedy.as_str())),
        };
        let section = format!("docs/operations.md#{}", self.section);
        CheckOut { number, name: self.name, state, text, remedy, section }
    }
}

impl CheckOut<'_> {
    /// Formats the check as a line.
    pub(super) fn line(&self) -> String {
        let CheckOut { number, name, state, text, remedy, section } = self;
        let remedy = match remedy {
            Some(remedy) => format!(". {remedy} ({section})"),
            None => String::new(),
        };
        format!("{state:4} {number:2} {name}: {text}{remedy}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_a_finding_has_the_remedy() {
        let outcome = Outcome::warning("no backup", "Run it");
        assert!(outcome.is_finding());
        let check = Check { name: "backup", section: "backup", outcome };
        let expected = "warn  7 backup: no backup. Run it (docs/operations.md#backup)";
        assert_eq!(check.numbered(7).line(), expected);
        let fine = Check { name: "keys", section: "keys", outcome: Outcome::fine("present") };
        assert_eq!(fine.numbered(12).line(), "ok   12 keys: present");
    }
}
