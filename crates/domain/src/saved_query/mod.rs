//! Saved queries: query texts of a book, shared by all its readers (behaviour 9.9).

mod events;

use crate::event::Previous;
use crate::id::SavedQueryId;
use crate::instant::{Instant, Stamp};
use crate::name::MAX_NAME;
use crate::reason::Reason;

/// Maximum length of a query text in bytes, the same as of a property value (behaviour 10.8).
pub const MAX_QUERY: usize = 8 * 1024;

/// Limit of saved queries of a book, because the list is not paginated (behaviour 9.9).
pub const MAX_SAVED: usize = 1_000;

/// Why a request about a saved query was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("query not found: {0}")]
    Unknown(String),
    #[error("the book already has {MAX_SAVED} saved queries: delete one first")]
    TooMany,
    #[error("id is required")]
    IdRequired,
    #[error("query is required and must not be blank")]
    QueryRequired,
    #[error("query has {0} bytes; at most {MAX_QUERY} are allowed")]
    QueryTooLong(usize),
    #[error("title has {0} characters; at most {MAX_NAME} are allowed")]
    TitleTooLong(usize),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::IdRequired
            | Self::TooMany
            | Self::QueryRequired
            | Self::QueryTooLong(_)
            | Self::TitleTooLong(_) => Reason::BadRequest,
        }
    }
}

/// A query text with a title. It is stored unparsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedQuery {
    /// Unique across all books.
    pub id: SavedQueryId,
    /// The title. User interfaces show the query if it is blank.
    pub title: String,
    /// The query text.
    pub query: String,
    /// The creator, the app and the times.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update. Absent fields keep their value.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The title.
    pub title: Option<String>,
    /// The query text.
    pub query: Option<String>,
}

impl SavedQuery {
    /// Creates a saved query.
    ///
    /// # Errors
    /// [`Refusal`] for a missing query, and for texts that are too long.
    pub fn create(id: SavedQueryId, changes: Changes, stamp: Stamp) -> Result<Self, Refusal> {
        let Changes { title, query } = changes;
        Ok(Self {
            id,
            title: check_title(title.unwrap_or_default())?,
            query: check_query(query.unwrap_or_default())?,
            stamp,
        })
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// # Errors
    /// See [`SavedQuery::create`].
    pub fn update(self, changes: Changes, now: Instant) -> Result<(Self, Previous), Refusal> {
        let Changes { title, query } = changes;
        let title = title.map_or_else(|| Ok(self.title.clone()), check_title)?;
        let query = query.map_or_else(|| Ok(self.query.clone()), check_query)?;
        let mut previous = Previous::new();
        if self.title != title {
            previous.insert("title".to_owned(), self.title);
        }
        if self.query != query {
            previous.insert("query".to_owned(), self.query);
        }
        let stamp = if previous.is_empty() { self.stamp } else { self.stamp.touch(now) };
        Ok((Self { id: self.id, title, query, stamp }, previous))
    }

    /// Returns the sort key for lists: the title, ignoring case (behaviour 9.9).
    pub fn sort_key(&self) -> (String, String, SavedQueryId) {
        (self.title.to_lowercase(), self.query.to_lowercase(), self.id)
    }
}

fn check_title(title: String) -> Result<String, Refusal> {
    match title.chars().count() {
        length if length > MAX_NAME => Err(Refusal::TitleTooLong(length)),
        _ => Ok(title),
    }
}

fn check_query(query: String) -> Result<String, Refusal> {
    match query.len() {
        _ if query.trim().is_empty() => Err(Refusal::QueryRequired),
        length if length > MAX_QUERY => Err(Refusal::QueryTooLong(length)),
        _ => Ok(query),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{pairs, stamp};

    fn changes(title: Option<&str>, query: Option<&str>) -> Changes {
        Changes { title: title.map(str::to_owned), query: query.map(str::to_owned) }
    }

    fn saved() -> SavedQuery {
        let changes = changes(Some("Cash"), Some("account:Cash"));
        SavedQuery::create(SavedQueryId::new(7), changes, stamp()).unwrap()
    }

    #[test]
    fn query_is_required_and_lengths_are_limited() {
        let long_title = "é".repeat(MAX_NAME + 1);
        let long_query = "x".repeat(MAX_QUERY + 1);
        for (title, query, expected) in [
            (None, None, Err(Refusal::QueryRequired)),
            (Some("t"), Some(" \t"), Err(Refusal::QueryRequired)),
            (None, Some("q"), Ok(())),
            (Some(" "), Some("q"), Ok(())),
            (Some(&long_title[2..]), Some(&long_query[1..]), Ok(())),
            (Some(long_title.as_str()), Some("q"), Err(Refusal::TitleTooLong(256))),
            (None, Some(long_query.as_str()), Err(Refusal::QueryTooLong(8193))),
        ] {
            let made = SavedQuery::create(SavedQueryId::new(1), changes(title, query), stamp());
            assert_eq!(made.map(drop), expected, "{title:?} {query:?}");
        }
    }

    #[test]
    fn update_returns_previous_values() {
        for (given, title, query, expected) in [
            (changes(None, None), "Cash", "account:Cash", vec![]),
            (changes(Some("Cash"), Some("account:Cash")), "Cash", "account:Cash", vec![]),
            (changes(Some("Till"), None), "Till", "account:Cash", vec![("title", "Cash")]),
            (
                changes(Some(""), Some("account:Till")),
                "",
                "account:Till",
                vec![("query", "account:Cash"), ("title", "Cash")],
            ),
        ] {
            let (after, previous) = saved().update(given, Instant::new(9)).unwrap();
            assert_eq!((after.title.as_str(), after.query.as_str()), (title, query));
            assert_eq!(pairs(&previous), expected);
            assert_eq!(after.stamp.version, if previous.is_empty() { 1 } else { 2 });
        }
        let blank = saved().update(changes(None, Some(" ")), Instant::new(9));
        assert_eq!(blank, Err(Refusal::QueryRequired));
    }
}
