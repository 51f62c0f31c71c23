//! Batches: a refusal carries the index of the item it is about.

use std::collections::HashSet;
use std::hash::Hash;

use daybook_domain::Refusal;
use daybook_domain::account::MAX_CHART;
use daybook_domain::transaction::MAX_WRITTEN;

use crate::error::{Error, Result};

/// Items a batch may have: clients never split what they send (behaviour 3.6.6).
pub const MAX_ITEMS: usize = 10_000;

/// Ids that one request may load (behaviour 12.4, 12.11), and groups or accounts embedded in a new
/// book (behaviour 10.9).
pub const MAX_NAMED: usize = 1_000;

/// Refuses a list that is too long; the message says which list.
///
/// # Errors
/// [`Error::BadRequest`].
pub fn check_size(name: &str, count: usize) -> Result<()> {
    check_within(name, count, MAX_ITEMS)
}

/// As [`check_size`], for lists of at most [`MAX_NAMED`].
///
/// # Errors
/// [`Error::BadRequest`].
pub fn check_named(name: &str, count: usize) -> Result<()> {
    check_within(name, count, MAX_NAMED)
}

fn check_within(name: &str, count: usize, most: usize) -> Result<()> {
    if count > most {
        Err(Error::BadRequest(format!("{name} has {count} entries; at most {most} are allowed")))
    } else {
        Ok(())
    }
}

/// Bytes that a request may still name or write: one thing that is named often is much work, too.
#[derive(Debug)]
pub(crate) struct BytesLeft {
    left: usize,
    most: usize,
}

impl BytesLeft {
    /// Of the accounts or groups that a request names, as often as it names them. Each of a book
    /// once is never too much (behaviour 4.22, 10.16).
    pub(crate) fn of_named() -> Self {
        Self::new(usize::try_from(MAX_CHART).unwrap_or(usize::MAX))
    }

    /// Of the events that a request writes (behaviour 10.15, 10.16).
    pub(crate) const fn of_written() -> Self {
        Self::new(MAX_WRITTEN)
    }

    const fn new(most: usize) -> Self {
        Self { left: most, most }
    }

    /// Takes some of them.
    ///
    /// # Errors
    /// [`Error::BadRequest`] when fewer are left.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<()> {
        let most = self.most;
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let what = "the items name or change more than";
            Error::BadRequest(format!("{what} {most} bytes together: send fewer items at once"))
        })?;
        Ok(())
    }
}

/// The most memberships of accounts in groups that one request may write (behaviour 10.16).
const MAX_MEMBERSHIPS: usize = 30_000;

/// Memberships of accounts in groups that a request may still write.
#[derive(Debug)]
pub(crate) struct MembershipsLeft(usize);

impl MembershipsLeft {
    /// Those of a request that has written none.
    pub(crate) const fn new() -> Self {
        Self(MAX_MEMBERSHIPS)
    }

    /// Takes those of an account.
    ///
    /// # Errors
    /// [`Error::BadRequest`] when fewer are left.
    pub(crate) fn take(&mut self, written: usize) -> Result<()> {
        self.0 = self.0.checked_sub(written).ok_or_else(|| {
            let what = "the items put accounts into groups more than";
            Error::BadRequest(format!("{what} {MAX_MEMBERSHIPS} times: send fewer items at once"))
        })?;
        Ok(())
    }
}

/// The most refused items that an error names.
const MAX_REFUSED: usize = 100;

/// The refusals of a batch, in the order of its items (behaviour 3.6.5).
#[derive(Debug, Default)]
pub struct Refused(Vec<(usize, Refusal)>);

impl Refused {
    /// Notes the error of an item, so that those behind it are looked at, too.
    ///
    /// # Errors
    /// What is no refusal, unless an item was refused before; the refusals when they are enough.
    pub fn note(&mut self, index: usize, error: Error) -> Result<()> {
        match error {
            Error::Refused(refusal) => self.0.push((index, refusal)),
            other @ (Error::Item { .. }
            | Error::BadRequest(_)
            | Error::NotFound(_)
            | Error::Overtaken(_)
            | Error::Storage(_)) => {
                self.check()?;
                return Err(other);
            }
        }
        if self.0.len() < MAX_REFUSED { Ok(()) } else { self.check() }
    }

    /// Refuses the batch when an item was refused.
    ///
    /// # Errors
    /// [`Error::Item`].
    pub fn check(&mut self) -> Result<()> {
        let mut refused = std::mem::take(&mut self.0).into_iter();
        let Some((index, refusal)) = refused.next() else { return Ok(()) };
        Err(Error::Item { index, refusal, others: refused.collect() })
    }
}

/// Runs `work` on each item in order. A refusal fails the whole batch; the error names all refused
/// items, up to 100 (behaviour 3.6.5).
///
/// # Errors
/// Refusals become [`Error::Item`]. A request for a single item removes the index with
/// [`Error::alone`].
pub fn each<I: IntoIterator, T>(
    items: I,
    mut work: impl FnMut(I::Item) -> Result<T>,
) -> Result<Vec<T>> {
    let (mut done, mut refused) = (Vec::new(), Refused::default());
    for (index, item) in items.into_iter().enumerate() {
        match work(item) {
            Ok(one) => done.push(one),
            Err(error) => refused.note(index, error)?,
        }
    }
    refused.check()?;
    Ok(done)
}

/// The error with the index of the item it is about.
#[must_use]
pub fn at(index: usize, error: Error) -> Error {
    match error {
        Error::Refused(refusal) => Error::Item { index, refusal, others: Vec::new() },
        other @ (Error::Item { .. }
        | Error::BadRequest(_)
        | Error::NotFound(_)
        | Error::Overtaken(_)
        | Error::Storage(_)) => other,
    }
}

/// The last state of each item that a batch changed several times: a statement may write a row only
/// once.
#[must_use]
pub fn last_of_each<T, K: Hash + Eq>(states: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut seen = HashSet::new();
    let mut last: Vec<T> =
        states.into_iter().rev().filter(|state| seen.insert(key(state))).collect();
    last.reverse();
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse(count: usize) -> Error {
        let work = |_| Err::<(), _>(daybook_domain::transaction::Refusal::IdRequired.into());
        each(0..count, work).expect_err("each is refused")
    }

    #[test]
    fn every_refused_item_is_named() {
        let odd = |number: usize| match number % 2 {
            0 => Ok(number),
            _ => Err(daybook_domain::transaction::Refusal::IdRequired.into()),
        };
        let error = each(0..4, odd).expect_err("two are refused");
        assert_eq!(error.to_string(), "item 1: id is required; item 3: id is required", "3.6.5");
        let Error::Item { others, .. } = refuse(150) else { panic!("of items") };
        assert_eq!(others.len(), 99, "3.6.5: up to 100");
    }

    #[test]
    fn the_last_state_wins_in_the_order_it_came() {
        assert_eq!(
            last_of_each(vec![(1, 'a'), (2, 'b'), (1, 'c')], |item| item.0),
            [(2, 'b'), (1, 'c')]
        );
    }
}
