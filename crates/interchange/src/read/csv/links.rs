//! Records that belong together: the parts of an entry, and the two sides of a transfer.

use std::collections::hash_map;
use std::collections::{BTreeSet, HashMap};

use time::Date;

use super::evaluate::Links;
use super::scan::Place;
use crate::read::amount::SignedAmount;
use crate::read::problem::{Kind, Position, Problem};
use crate::read::record::{Leg, Record};

/// Entries with the same key that may wait for more parts.
const MAX_OPEN: usize = 64;

/// The fields that all parts of an entry share.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    date: Option<Date>,
    account: Option<String>,
    currency: Option<String>,
    /// The name of the entry, or the number of its parts.
    label: String,
}

/// An entry that may have more parts.
#[derive(Debug)]
struct Open {
    /// The place of its first record.
    head: Place,
    payee: Option<String>,
    /// The number of the next part; 0 if parts have none.
    next: u32,
}

/// The entries whose parts are being found.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    open: HashMap<Key, Vec<Open>>,
}

impl Entries {
    /// Returns the place of the first record of the entry that a record belongs to.
    ///
    /// It returns `None` for the first record itself. Numbered parts (`2/3`) belong to the first
    /// entry that waits for this number, preferably to one with the same payee. A part with the
    /// number 0 states the whole.
    pub(crate) fn join(&mut self, record: &Record, part: &str, place: Place) -> Option<Place> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let numbers = part.split_once('/').and_then(|(n, of)| Some((number(n)?, number(of)?)));
        let key = Key {
            date: record.date,
            account: record.account.clone(),
            currency: record.currency.clone(),
            label: numbers.map_or_else(|| part.to_owned(), |(_, of)| format!("/{of}")),
        };
        let mut waiting = match self.open.entry(key) {
            hash_map::Entry::Occupied(waiting) => waiting,
            hash_map::Entry::Vacant(free) => free.insert_entry(Vec::with_capacity(1)),
        };
        let open = waiting.get_mut();
        let (number, of) = numbers.unwrap_or_default();
        let waits = |entry: &Open| entry.next == number;
        let found = open.iter().position(|entry| waits(entry) && entry.payee == record.payee);
        if let Some(index) = found.or_else(|| open.iter().position(waits)) {
            let entry = open.get_mut(index)?;
            let head = entry.head;
            if numbers.is_some() {
                entry.next = number.saturating_add(1);
                if entry.next > of {
                    open.remove(index);
                }
            }
            if open.is_empty() {
                waiting.remove();
            }
            return Some(head);
        }
        if number <= 1 {
            if open.len() >= MAX_OPEN {
                open.remove(0);
            }
            let next = if numbers.is_some() { number + 1 } else { 0 };
            open.push(Open { head: place, payee: record.payee.clone(), next });
        } else if open.is_empty() {
            waiting.remove();
        }
        None
    }
}

/// The accounts that the records of a file are of.
pub(crate) type Accounts = BTreeSet<String>;

/// Returns the other account of a transfer.
///
/// It is one that the file has records of, or that the rules name as the second account.
pub(crate) fn transfer<'a>(
    record: &Record,
    links: &'a Links,
    accounts: &Accounts,
) -> Option<&'a str> {
    let other = links.transfer.as_deref()?;
    let is_second =
        matches!(record.legs.as_slice(), [leg] if leg.account.as_deref() == Some(other));
    let is_own = record.account.as_deref() == Some(other);
    (!is_own && (is_second || accounts.contains(other))).then_some(other)
}

/// Makes the other account of a transfer the one part of a record.
pub(crate) fn mark_transfer(record: &mut Record, other: &str) {
    if record.legs.len() > 1 {
        return;
    }
    let leg = record.legs.pop().unwrap_or_else(|| Leg { amount: record.amount, ..Leg::default() });
    if let Some(category) = leg.account.filter(|account| account != other) {
        record.properties.push(("category".to_owned(), category));
    }
    record.legs.push(Leg { account: Some(other.to_owned()), is_transfer: true, ..leg });
}

/// Joins the parts of an entry to one record. The first may state the whole and have no amount.
///
/// # Errors
/// [`Kind::MissingAmount`] if the sum is too large.
pub(crate) fn join_parts(head: Record, parts: Vec<Record>) -> Result<Record, Problem> {
    if parts.is_empty() {
        return Ok(head);
    }
    let position = head.position;
    let mut whole = Record { amount: SignedAmount::ZERO, legs: Vec::new(), ..head.clone() };
    if !is_whole(&head) {
        whole.memo = None;
    }
    for part in std::iter::once(head).chain(parts) {
        let sum = whole.amount.checked_add(part.amount);
        whole.amount = sum.ok_or_else(|| too_large(position))?;
        whole.is_checked &= part.is_checked;
        let description = part.memo.clone();
        let description = description
            .or_else(|| Some(part.description.clone()))
            .filter(|text| !text.is_empty() && *text != whole.description);
        if is_whole(&part) {
            continue;
        }
        if part.legs.is_empty() {
            whole.legs.push(Leg { amount: part.amount, description, ..Leg::default() });
        } else {
            whole.legs.extend(part.legs.into_iter().map(|leg| Leg {
                description: leg.description.or_else(|| description.clone()),
                ..leg
            }));
        }
        for property in part.properties {
            if !whole.properties.contains(&property) {
                whole.properties.push(property);
            }
        }
    }
    Ok(whole)
}

/// Whether a record only states the whole of an entry.
fn is_whole(record: &Record) -> bool {
    record.amount.is_zero() && record.legs.is_empty()
}

const fn too_large(position: Position) -> Problem {
    Problem::at(position, Kind::MissingAmount)
}
