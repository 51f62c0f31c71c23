//! Targets of assignments.

use super::template::Template;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// The line of the rule.
    pub(crate) line: u32,
    pub(crate) target: Target,
    pub(crate) value: Template,
}

/// The field that an assignment sets. The number of a posting is 0 where the name has none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Date,
    Date2,
    Status,
    Code,
    Description,
    Comment(u8),
    Account(u8),
    Amount(u8),
    AmountIn(u8),
    AmountOut(u8),
    Currency(u8),
    Balance(u8),
    /// The bank's identifier; not of hledger, as are those below.
    Id,
    Payee,
    Counterparty,
    Tag,
    Url,
    /// The other account of a transfer.
    Transfer,
    /// The entry that the record is a part of.
    Part,
    /// Whether the record is to be checked.
    Check,
    Property(String),
}

/// The highest number of a posting.
pub(crate) const MAX_POSTINGS: u8 = 99;

impl Target {
    /// Returns the target with a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "date" => return Some(Self::Date),
            "date2" => return Some(Self::Date2),
            "status" => return Some(Self::Status),
            "code" => return Some(Self::Code),
            "description" => return Some(Self::Description),
            "id" => return Some(Self::Id),
            "payee" => return Some(Self::Payee),
            "counterparty" => return Some(Self::Counterparty),
            "tag" => return Some(Self::Tag),
            "url" => return Some(Self::Url),
            "transfer" => return Some(Self::Transfer),
            "part" => return Some(Self::Part),
            "check" => return Some(Self::Check),
            _ => {}
        }
        let (stem, suffix) = if let Some(stem) = name.strip_suffix("-in") {
            (stem, "-in")
        } else if let Some(stem) = name.strip_suffix("-out") {
            (stem, "-out")
        } else {
            (name.as_str(), "")
        };
        let word = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = posting(stem.strip_prefix(word)?)?;
        Some(match (word, suffix) {
            ("comment", "") => Self::Comment(number),
            ("account", "") if number > 0 => Self::Account(number),
            ("amount", "") => Self::Amount(number),
            ("amount", "-in") => Self::AmountIn(number),
            ("amount", "-out") => Self::AmountOut(number),
            ("currency", "") => Self::Currency(number),
            // `balance` is that of the first posting.
            ("balance", "") => Self::Balance(number.max(1)),
            _ => return None,
        })
    }

    pub(crate) const fn is_date(&self) -> bool {
        matches!(self, Self::Date | Self::Date2)
    }

    pub(crate) const fn is_number(&self) -> bool {
        matches!(self, Self::Amount(_) | Self::AmountIn(_) | Self::AmountOut(_) | Self::Balance(_))
    }
}

fn posting(digits: &str) -> Option<u8> {
    if digits.is_empty() {
        return Some(0);
    }
    let number = digits.parse().ok()?;
    (1..=MAX_POSTINGS).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_the_names_of_hledger() {
        for (name, expected) in [
            ("date", Some(Target::Date)),
            ("amount", Some(Target::Amount(0))),
            ("Amount-In", Some(Target::AmountIn(0))),
            ("amount99-out", Some(Target::AmountOut(99))),
            ("balance", Some(Target::Balance(1))),
            ("balance2", Some(Target::Balance(2))),
            ("comment", Some(Target::Comment(0))),
            ("account1", Some(Target::Account(1))),
            ("account", None),
            ("account0", None),
            ("account100", None),
            ("description1", None),
            ("currency-in", None),
            ("payment", None),
        ] {
            assert_eq!(Target::from_name(name), expected, "{name}");
        }
    }
}
