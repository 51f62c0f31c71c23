//! Version tags of resources and the conditions of `If-Match` (behaviour 0.17).

use crate::reason::Reason;

/// Why a condition was refused or not met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The header is neither `*` nor a list of entity tags.
    #[error("If-Match must be * or a list of entity tags in double quotes")]
    Malformed,
    /// The request does not change exactly one resource.
    #[error(
        "If-Match requires a request that changes exactly one existing book, account, group, \
         transaction or file"
    )]
    NoTarget,
    /// The resource has changed since the caller read it.
    #[error("the resource has changed since that ETag was sent: read it again")]
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

/// The version tag of a resource: its kind, its id and the version of its own data.
///
/// Tags of different resources are never equal, and every process computes the same tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(String);

impl Tag {
    pub(crate) fn new(kind: &str, id: impl std::fmt::Display, version: i64) -> Self {
        Self(format!("{kind}.{id}.{version}"))
    }

    /// Wraps a stored tag.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the tag without quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The condition of an `If-Match` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `*`: the resource exists.
    Any,
    /// The resource has one of these tags. Weak tags are omitted because they never match.
    Listed(Vec<String>),
}

/// Characters between two members of a list.
const GAPS: [char; 3] = [' ', '\t', ','];

impl Condition {
    /// Parses the header. The caller joins several headers with commas.
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
            let (strong, tail) = parse_entity_tag(rest).ok_or(Refusal::Malformed)?;
            tags.extend(strong.map(str::to_owned));
            let tail = tail.trim_start_matches([' ', '\t']);
            if !tail.is_empty() && !tail.starts_with(',') {
                return Err(Refusal::Malformed);
            }
            rest = tail.trim_start_matches(GAPS);
        }
        Ok(Self::Listed(tags))
    }

    /// Returns whether a resource with that tag meets the condition.
    pub fn accepts(&self, tag: &Tag) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(tags) => tags.contains(&tag.0),
        }
    }
}

/// Parses the entity tag at the start of a text. Returns it, or `None` if it is weak, and the rest.
fn parse_entity_tag(text: &str) -> Option<(Option<&str>, &str)> {
    let weak = text.strip_prefix("W/");
    let (tag, tail) = weak.unwrap_or(text).strip_prefix('"')?.split_once('"')?;
    if tag.chars().any(|c| c.is_ascii_control() || c == ' ') {
        return None;
    }
    Some((if weak.is_some() { None } else { Some(tag) }, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(tags: &[&str]) -> Result<Condition, Refusal> {
        Ok(Condition::Listed(tags.iter().map(|tag| (*tag).to_owned()).collect()))
    }

    #[test]
    fn lists_of_tags_are_parsed() {
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
    fn malformed_headers_are_refused() {
        let malformed = r#"| |,|a|"a|a"|'a'|"a" "b"|"a""b"|"a"b|w/"a"|W/a|*, "a"|"a b"|**"#;
        for text in malformed.split('|') {
            assert_eq!(Condition::read(text), Err(Refusal::Malformed), "{text:?}");
        }
    }

    #[test]
    fn condition_accepts_the_listed_tags() {
        let tag = Tag::new("account", 7, 2);
        assert_eq!(tag.as_str(), "account.7.2");
        assert!(Condition::Any.accepts(&tag));
        for (text, accepted) in [
            ("\"account.7.2\"", true),
            ("\"x\", \"account.7.2\"", true),
            ("W/\"account.7.2\"", false),
            ("\"group.7.2\"", false),
            ("\"account.7.1\"", false),
        ] {
            assert_eq!(Condition::read(text).unwrap().accepts(&tag), accepted, "{text}");
        }
    }
}
