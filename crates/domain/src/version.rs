//! Version tags of resources, and the conditions callers set on them (behaviour 0.17).

use crate::reason::Reason;

/// Why a condition is refused or not met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The header is neither `*` nor a list of entity tags.
    #[error("If-Match must be * or a list of entity tags in double quotes")]
    Malformed,
    /// The request does not change exactly one resource.
    #[error(
        "If-Match needs a request that changes exactly one existing book, account, group, \
            transaction or file"
    )]
    NoTarget,
    /// The resource has changed since the caller read it.
    #[error("the resource has changed since that ETag was given: read it again")]
    Stale,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Malformed | Self::NoTarget => Reason::BadRequest,
            Self::Stale => Reason::ConditionNotMet,
        }
    }
}

/// The version tag of a resource: its kind, its id and how often its own data changed. Tags of two
/// resources are never equal, and a resource has the same tag in every process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(String);

impl Tag {
    pub(crate) fn new(kind: &str, id: impl std::fmt::Display, version: i64) -> Self {
        Self(format!("{kind}.{id}.{version}"))
    }

    /// Wraps a tag that was stored.
    #[must_use]
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The tag, without the quotes of HTTP.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a caller expects of the resource it changes: the meaning of `If-Match`.
///
/// ```
/// use daybook_domain::version::{Condition, Tag};
///
/// let seen = Tag::stored("account.7000000000.3".to_owned());
/// assert!(Condition::read("\"account.7000000000.2\", \"account.7000000000.3\"")?.accepts(&seen));
/// assert!(Condition::read("*")?.accepts(&seen));
/// assert!(!Condition::read("W/\"account.7000000000.3\"")?.accepts(&seen));
/// # Ok::<(), daybook_domain::version::Refusal>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `*`: the resource exists.
    Any,
    /// The resource has one of these tags. Weak tags are left out: they never match.
    Listed(Vec<String>),
}

/// The characters between two members of a list, besides one comma.
const GAPS: [char; 3] = [' ', '\t', ','];

impl Condition {
    /// Reads the header; the caller joins several headers with commas.
    ///
    /// # Errors
    /// [`Refusal::Malformed`].
    pub fn read(text: &str) -> Result<Self, Refusal> {
        if text.trim() == "*" {
            return Ok(Self::Any);
        }
        let mut rest = text.trim_matches(GAPS);
        if rest.is_empty() {
            return Err(Refusal::Malformed);
        }
        let mut tags = Vec::new();
        while !rest.is_empty() {
            let (strong, behind) = entity_tag(rest).ok_or(Refusal::Malformed)?;
            tags.extend(strong.map(str::to_owned));
            let behind = behind.trim_start_matches([' ', '\t']);
            if !behind.is_empty() && !behind.starts_with(',') {
                return Err(Refusal::Malformed);
            }
            rest = behind.trim_start_matches(GAPS);
        }
        Ok(Self::Listed(tags))
    }

    /// Whether a resource with that tag meets the condition.
    #[must_use]
    pub fn accepts(&self, tag: &Tag) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(tags) => tags.contains(&tag.0),
        }
    }
}

/// The entity tag that a text begins with, `None` if it is weak, and the text after it.
fn entity_tag(text: &str) -> Option<(Option<&str>, &str)> {
    let weak = text.strip_prefix("W/");
    let (tag, behind) = weak.unwrap_or(text).strip_prefix('"')?.split_once('"')?;
    let plain = tag.chars().all(|character| !character.is_ascii_control() && character != ' ');
    plain.then_some((if weak.is_some() { None } else { Some(tag) }, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(tags: &[&str]) -> Result<Condition, Refusal> {
        Ok(Condition::Listed(tags.iter().map(|tag| (*tag).to_owned()).collect()))
    }

    #[test]
    fn conditions_are_read() {
        let table = [
            ("*", Ok(Condition::Any)),
            (" * ", Ok(Condition::Any)),
            ("\"a\"", listed(&["a"])),
            ("\"\"", listed(&[""])),
            ("\"a,b\"", listed(&["a,b"])),
            ("\"*\"", listed(&["*"])),
            ("\"a\",\"b\" ,\t\"c\"", listed(&["a", "b", "c"])),
            (", \"a\",, \"b\",", listed(&["a", "b"])),
            ("W/\"a\"", listed(&[])),
            ("W/\"a\", \"b\"", listed(&["b"])),
        ];
        for (text, expected) in table {
            assert_eq!(Condition::read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_text_is_no_condition() {
        let wrong = [
            "",
            " ",
            ",",
            "a",
            "\"a",
            "a\"",
            "'a'",
            "\"a\" \"b\"",
            "\"a\"\"b\"",
            "\"a\"b",
            "w/\"a\"",
            "W/a",
            "*, \"a\"",
            "\"a b\"",
            "**",
        ];
        for text in wrong {
            assert_eq!(Condition::read(text), Err(Refusal::Malformed), "{text:?}");
        }
    }

    #[test]
    fn a_condition_accepts_the_states_it_lists() {
        let tag = Tag::new("account", 7, 2);
        assert_eq!(tag.as_str(), "account.7.2");
        assert!(Condition::Any.accepts(&tag));
        for (text, accepted) in [
            ("\"account.7.2\"", true),
            ("\"x\", \"account.7.2\"", true),
            ("\"group.7.2\"", false),
            ("\"account.7.1\"", false),
        ] {
            assert_eq!(Condition::read(text).unwrap().accepts(&tag), accepted, "{text}");
        }
        assert!(
            !Condition::read("W/\"account.7.2\"").unwrap().accepts(&tag),
            "weak tags never match"
        );
    }
}
