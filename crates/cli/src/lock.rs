//! The days of a book on which nothing can be changed.

use daybook_client::Date;
use daybook_client::parameters::GetBook;
use daybook_client::types::{self, Transaction};

use crate::session::OpenBook;
use crate::transaction::quote;

/// The last day of a book that is closed or locked (behaviour 3.5.1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lock {
    book: String,
    last: Date,
    /// The field of the book that has the day.
    field: &'static str,
    state: &'static str,
}

impl Lock {
    /// Reads the lock of a book; `None` without one, or if the book cannot be read.
    ///
    /// It explains what has happened already, so reading it never fails a command.
    pub(crate) async fn find(book: &OpenBook) -> Option<Self> {
        let stored = book.handle.get_book(&GetBook::default()).await.ok()?;
        Self::of(&stored.value)
    }

    fn of(book: &types::Book) -> Option<Self> {
        let days = [
            (book.closing_date.get(), "closingDate", "closed"),
            (book.lock_date.get(), "lockDate", "locked"),
        ];
        let set = days.into_iter().filter_map(|(day, field, state)| Some((*day?, field, state)));
        let (last, field, state) = set.max_by_key(|(day, ..)| *day)?;
        Some(Self { book: book.id.clone().unwrap_or_default(), last, field, state })
    }

    /// Returns whether the date of a transaction is locked.
    pub(crate) fn holds(&self, transaction: &Transaction) -> bool {
        transaction.date.get().is_some_and(|day| *day <= self.last)
    }

    /// Names the days that cannot be changed.
    pub(crate) fn reason(&self) -> String {
        format!("this book is {} up to {}", self.state, self.last)
    }

    /// Returns how to open the days again.
    pub(crate) fn remedy(&self) -> String {
        let Self { book, field, .. } = self;
        let command = format!("dbk api PUT /v5/books -f id={} -f {field}=DATE", quote(book));
        format!("the OWNER opens days with an earlier DATE: {command}")
    }
}

#[cfg(test)]
mod tests {
    use daybook_client::Nullable;

    use super::*;

    #[test]
    fn lock_is_the_later_date_and_names_its_field() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let lock = |closing: Option<&str>, locked: Option<&str>| {
            Lock::of(&types::Book {
                id: Some("b1".to_owned()),
                closing_date: closing.map(day).into(),
                lock_date: locked.map(day).into(),
                ..types::Book::default()
            })
        };
        assert_eq!(lock(None, None), None);
        let closed = lock(Some("2026-01-31"), Some("2025-12-31")).unwrap();
        assert_eq!(closed.reason(), "this book is closed up to 2026-01-31");
        assert!(closed.remedy().ends_with("-f id=b1 -f closingDate=DATE"), "{}", closed.remedy());
        let locked = lock(Some("2026-01-31"), Some("2026-02-15")).unwrap();
        assert_eq!(locked.reason(), "this book is locked up to 2026-02-15");
        assert!(locked.remedy().ends_with(" -f lockDate=DATE"), "{}", locked.remedy());

        let on = |date: Nullable<Date>| Transaction { date, ..Transaction::default() };
        assert!(closed.holds(&on(day("2026-01-31").into())));
        assert!(!closed.holds(&on(day("2026-02-01").into())));
        assert!(!closed.holds(&on(Nullable::Null)));
    }
}
