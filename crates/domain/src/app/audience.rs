//! Lists of users in a manifest: usernames, and `*@domain` for all addresses of a domain (behaviour
//! 9.3).

use std::collections::BTreeSet;

use crate::email::Email;

/// The entries of the manifest fields `developers` or `users`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audience(BTreeSet<String>);

impl Audience {
    /// Parses entries separated by commas or white space. Domains are converted to lower case.
    pub fn read(text: &str) -> Self {
        let entries = text.split(|c: char| c == ',' || c.is_whitespace());
        let normalize = |entry: &str| {
            if entry.starts_with("*@") { entry.to_lowercase() } else { entry.to_owned() }
        };
        Self(entries.filter(|entry| !entry.is_empty()).map(normalize).collect())
    }

    /// Returns whether it includes a user, by username or by the domain of the verified address.
    pub fn includes(&self, username: &str, email: &Email) -> bool {
        Self::entries_for(username, email).iter().any(|entry| self.0.contains(entry))
    }

    /// Returns the possible entries that include a user.
    #[must_use]
    pub fn entries_for(username: &str, email: &Email) -> [String; 2] {
        [username.to_owned(), format!("*@{}", email.domain())]
    }

    /// Iterates over the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audience_includes_usernames_and_domains() {
        let audience = Audience::read(" ada,,bob\n*@Example.org\t*@ EVE * @example.net ");
        let includes = |username: &str, email: &str| {
            audience.includes(username, &Email::parse(email).unwrap())
        };
        for (username, email, expected) in [
            ("ada", "ada@example.com", true),
            ("bob", "other@example.com", true),
            ("Ada", "ada@example.com", false),
            ("eve", "eve@example.com", false),
            ("carol", "carol@example.org", true),
            ("carol", "carol@example.net", false),
            ("carol", "carol@notexample.org", false),
        ] {
            assert_eq!(includes(username, email), expected, "{username} {email}");
        }
        assert!(!Audience::read("").includes("", &Email::parse("a@b.example").unwrap()));
        assert_eq!(Audience::read("b,a b").iter().collect::<Vec<_>>(), ["a", "b"]);
    }
}
