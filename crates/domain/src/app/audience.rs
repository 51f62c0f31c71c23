//! Whom a manifest names: usernames, and `*@domain` for everybody with an address there (behaviour
//! 9.3).

use std::collections::BTreeSet;

use crate::email::Email;

/// The entries of `developers` or `users`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct People(BTreeSet<String>);

impl People {
    /// Reads entries that commas or white space separate. Domains are written in lower case.
    ///
    /// ```
    /// use daybook_domain::app::People;
    /// use daybook_domain::email::Email;
    /// let people = People::read("ada, *@Example.org bob");
    /// let email = |text: &str| Email::parse(text).unwrap();
    /// assert!(people.name("ada", &email("ada@example.com")));
    /// assert!(people.name("eve", &email("eve@example.org")));
    /// assert!(!people.name("eve", &email("eve@sub.example.org")));
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        let entries = text.split(|c: char| c == ',' || c.is_whitespace());
        let written = |entry: &str| {
            if entry.starts_with("*@") { entry.to_lowercase() } else { entry.to_owned() }
        };
        Self(entries.filter(|entry| !entry.is_empty()).map(written).collect())
    }

    /// Whether they name a user, by the username or the domain of the verified address.
    #[must_use]
    pub fn name(&self, username: &str, email: &Email) -> bool {
        Self::entries_of(username, email).iter().any(|entry| self.0.contains(entry))
    }

    /// The entries that name a user.
    #[must_use]
    pub fn entries_of(username: &str, email: &Email) -> [String; 2] {
        [username.to_owned(), format!("*@{}", email.domain())]
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_name_whom_they_say() {
        let people = People::read(" ada,,bob\n*@Example.org\t*@ EVE * @example.net ");
        let named =
            |username: &str, email: &str| people.name(username, &Email::parse(email).unwrap());
        for (username, email, expected) in [
            ("ada", "ada@example.com", true),
            ("bob", "other@example.com", true),
            ("Ada", "ada@example.com", false),
            ("eve", "eve@example.com", false),
            ("anybody", "anybody@example.org", true),
            ("anybody", "anybody@example.net", false),
            ("anybody", "anybody@notexample.org", false),
        ] {
            assert_eq!(named(username, email), expected, "{username} {email}");
        }
        assert!(!People::read("").name("", &Email::parse("a@b.example").unwrap()));
        assert_eq!(People::read("b,a b").iter().collect::<Vec<_>>(), ["a", "b"]);
    }
}
