//! Batches: limits of their size, and refusals with the index of the item they are about.

use std::collections::HashSet;
use std::hash::Hash;

use daybook_domain::Refusal;
use daybook_domain::chart::MAX_CHART;
use daybook_domain::transaction::MAX_WRITTEN;

use crate::error::{Error, Result};

/// The most items in a batch. Clients never have to split their input (behaviour 3.6.6).
pub const MAX_ITEMS: usize = 10_000;

/// The most ids in a list of resources to load (behaviour 12.4, 12.11), and the most groups or
/// accounts embedded in a new book (behaviour 10.9).
pub const MAX_IDS: usize = 1_000;

/// Refuses a list of more than [`MAX_ITEMS`] entries. The message contains `name`.
///
/// # Errors
/// [`Error::BadRequest`].
pub fn check_size(name: &str, count: usize) -> Result<()> {
    check_within(name, count, MAX_ITEMS)
}

/// Refuses a list of more than [`MAX_IDS`] entries. The message contains `name`.
///
/// # Errors
/// [`Error::BadRequest`].
pub fn check_id_count(name: &str, count: usize) -> Result<()> {
    check_within(name, count, MAX_IDS)
}

fn check_within(name: &str, count: usize, max: usize) -> Result<()> {
    if count > max {
        Err(Error::BadRequest(format!("{name} has {count} entries; at most {max} are allowed")))
    } else {
        Ok(())
    }
}

/// The bytes of resources that a request may still name or write.
///
/// A resource counts each time it is named, because each mention costs work.
#[derive(Debug)]
pub(crate) struct BytesLeft {
    left: usize,
    max: usize,
}

impl BytesLeft {
    /// The budget for accounts or groups that a request names.
    ///
    /// It always suffices to name each one of a book once (behaviour 4.22, 10.16).
    pub(crate) fn for_named_chart() -> Self {
        Self::new(usize::try_from(MAX_CHART).unwrap_or(usize::MAX))
    }

    /// The budget for events that a request writes (behaviour 10.15, 10.16).
    pub(crate) const fn for_written_events() -> Self {
        Self::new(MAX_WRITTEN)
    }

    const fn new(max: usize) -> Self {
        Self { left: max, max }
    }

    /// Subtracts `bytes` from the budget.
    ///
    /// # Errors
    /// [`Error::BadRequest`] when fewer are left.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<()> {
        let max = self.max;
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            Error::BadRequest(format!(
                "the items name or change more than {max} bytes together: send fewer items at once"
            ))
        })?;
        Ok(())
    }
}

/// The most memberships of accounts in groups that one request may write (behaviour 10.16).
const MAX_MEMBERSHIPS: usize = 30_000;

/// The memberships of accounts in groups that a request may still write.
#[derive(Debug)]
pub(crate) struct MembershipsLeft(usize);

impl MembershipsLeft {
    /// Creates the budget of a request.
    pub(crate) const fn new() -> Self {
        Self(MAX_MEMBERSHIPS)
    }

    /// Subtracts the memberships of one account from the budget.
    ///
    /// # Errors
    /// [`Error::BadRequest`] when fewer are left.
    pub(crate) fn take(&mut self, written: usize) -> Result<()> {
        self.0 = self.0.checked_sub(written).ok_or_else(|| {
            Error::BadRequest(format!(
                "the items put accounts into groups more than {MAX_MEMBERSHIPS} times: send fewer \
                 items at once"
            ))
        })?;
        Ok(())
    }
}

/// The most refused items in an error.
const MAX_REFUSED: usize = 100;

/// The refusals of a batch, in the order of its items (behaviour 3.6.5).
#[derive(Debug, Default)]
pub struct Refused(Vec<(usize, Refusal)>);

impl Refused {
    /// Notes the error of an item, so the items after it are checked too.
    ///
    /// # Errors
    /// `error`, if it is not a refusal and no item was refused before; all refusals once there are
    /// [`MAX_REFUSED`] of them.
    pub fn note(&mut self, index: usize, error: Error) -> Result<()> {
        match error {
            Error::Refused(refusal) => self.0.push((index, refusal)),
            other @ (Error::Item { .. }
            | Error::BadRequest(_)
            | Error::NotFound(_)
            | Error::ConcurrentChange(_)
            | Error::Storage(_)) => {
                self.check()?;
                return Err(other);
            }
        }
        if self.0.len() < MAX_REFUSED { Ok(()) } else { self.check() }
    }

    /// Refuses the batch if an item was refused.
    ///
    /// # Errors
    /// [`Error::Item`].
    pub fn check(&mut self) -> Result<()> {
        let mut refused = std::mem::take(&mut self.0).into_iter();
        let Some((index, refusal)) = refused.next() else { return Ok(()) };
        Err(Error::Item { index, refusal, others: refused.collect() })
    }
}

/// Runs `work` on each item in order.
///
/// A refusal fails the whole batch. The error names all refused items, up to 100 (behaviour 3.6.5).
///
/// # Errors
/// Refusals become [`Error::Item`]. A request for a single item removes the index with
/// [`Error::without_index`].
pub fn each<I: IntoIterator, T>(
    items: I,
    mut work: impl FnMut(I::Item) -> Result<T>,
) -> Result<Vec<T>> {
    let (mut done, mut refused) = (Vec::new(), Refused::default());
    for (index, item) in items.into_iter().enumerate() {
        match work(item) {
            Ok(result) => done.push(result),
            Err(error) => refused.note(index, error)?,
        }
    }
    refused.check()?;
    Ok(done)
}

/// Adds the index of an item to its refusal.
#[must_use]
pub fn with_index(index: usize, error: Error) -> Error {
    match error {
        Error::Refused(refusal) => Error::Item { index, refusal, others: Vec::new() },
        other @ (Error::Item { .. }
        | Error::BadRequest(_)
        | Error::NotFound(_)
        | Error::ConcurrentChange(_)
        | Error::Storage(_)) => other,
    }
}

/// Keeps the last state of each item that a batch changed several times.
///
/// A statement may write a row only once.
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
        each(0..count, work).expect_err("every item is refused")
    }

    #[test]
    fn every_refused_item_is_named() {
        let odd = |number: usize| match number % 2 {
            0 => Ok(number),
            _ => Err(daybook_domain::transaction::Refusal::IdRequired.into()),
        };
        let error = each(0..4, odd).expect_err("two items are refused");
        assert_eq!(error.to_string(), "item 1: id is required; item 3: id is required", "3.6.5");
        let Error::Item { others, .. } = refuse(150) else { panic!("not an item error") };
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
