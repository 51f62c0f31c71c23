//! The rows of a page. They are made one after another while they are written, and a page ends
//! where it has taken its room, with a cursor (behaviour 0.33, 2.11).

use std::cell::Cell;

use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::response_budget;

/// The rows of a page.
pub(crate) struct PageRows<'r, T> {
    rows: &'r [T],
    written: Cell<usize>,
}

impl<'r, T> PageRows<'r, T> {
    pub(crate) const fn new(rows: &'r [T]) -> Self {
        Self { rows, written: Cell::new(0) }
    }

    /// What is written of them.
    pub(crate) const fn out<F, O>(&'r self, make: F) -> RowsOut<'r, T, F>
    where
        F: Fn(&'r T) -> serde_json::Result<O>,
    {
        RowsOut { page: self, make }
    }

    /// The last row that was written, when others come behind it.
    pub(crate) fn end(&self) -> Option<&'r T> {
        let written = self.written.get();
        let last = self.rows.get(written.checked_sub(1)?)?;
        (written < self.rows.len()).then_some(last)
    }
}

/// Rows as they are written.
pub(crate) struct RowsOut<'r, T, F> {
    page: &'r PageRows<'r, T>,
    make: F,
}

impl<'r, T, F, O> Serialize for RowsOut<'r, T, F>
where
    F: Fn(&'r T) -> serde_json::Result<O>,
    O: Serialize,
{
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let mut list = writer.serialize_seq(None)?;
        for row in self.page.rows {
            if !response_budget::begin_row() {
                break;
            }
            list.serialize_element(&(self.make)(row).map_err(S::Error::custom)?)?;
            self.page.written.set(self.page.written.get().saturating_add(1));
        }
        list.end()
    }
}

/// The cursor of a page: it is known when the rows have been written.
pub(crate) struct CursorOut<'c>(pub(crate) &'c dyn Fn() -> Option<String>);

impl CursorOut<'_> {
    pub(crate) fn is_none(&self) -> bool {
        (self.0)().is_none()
    }
}

impl Serialize for CursorOut<'_> {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        (self.0)().serialize(writer)
    }
}

/// A page of a list.
#[derive(Serialize)]
pub(crate) struct PageOut<'c, R> {
    pub(crate) items: R,
    #[serde(skip_serializing_if = "CursorOut::is_none")]
    pub(crate) cursor: CursorOut<'c>,
}

#[cfg(test)]
mod tests {
    use actix_web::web::Bytes;

    use super::*;
    use crate::wire::ListOut;

    fn page(rows: &[String]) -> (Bytes, Option<String>) {
        let page = PageRows::new(rows);
        let cursor = || page.end().map(|row| row[..1].to_owned());
        let shown = PageOut { items: page.out(Ok), cursor: CursorOut(&cursor) };
        (response_budget::write(&shown).unwrap(), cursor())
    }

    #[test]
    fn rule_2_11_a_page_ends_with_the_row_that_fills_it() {
        let megabyte = 1024 * 1024;
        let rows = ["a", "b", "c"].map(|letter| letter.repeat(5 * megabyte));
        let (text, cursor) = page(&rows);
        assert_eq!((text.len() / megabyte, cursor.as_deref()), (10, Some("b")));
        assert!(text.ends_with(br#""],"cursor":"b"}"#));
        let (rest, cursor) = page(&rows[2..]);
        assert_eq!((rest.len() / megabyte, cursor), (5, None));
        assert!(rest.ends_with(br#"c"]}"#));
    }

    #[test]
    fn rows_are_written_as_lists_are() {
        let rows = ["a".to_owned(), "b".to_owned()];
        let whole = serde_json::to_vec(&ListOut::complete(rows.to_vec())).unwrap();
        assert_eq!(page(&rows), (whole.into(), None));
        assert_eq!(page(&[]), (Bytes::from_static(br#"{"items":[]}"#), None));
    }
}
