//! Lots: amounts that accounts hold at a cost.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use time::Date;

use super::raw::{Method, RawCost};
use crate::read::amount::{MAX_DECIMALS, SignedAmount};
use crate::read::problem::Kind;

/// A lot of a commodity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) per_unit: SignedAmount,
    pub(crate) currency: String,
    pub(crate) date: Date,
    pub(crate) label: Option<String>,
    pub(crate) units: SignedAmount,
}

/// An account and a commodity.
pub(crate) type Key = (String, String);

/// The lots of all accounts.
#[derive(Debug, Default)]
pub(crate) struct Lots {
    held: BTreeMap<Key, Vec<Held>>,
    visited: usize,
}

/// The most lots that are looked at for a file.
const MAX_VISITED: usize = 50_000_000;

/// The lots as they become by an entry.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    held: BTreeMap<Key, Vec<Held>>,
}

impl Lots {
    /// Applies the changes of an entry that balances.
    pub(crate) fn apply(&mut self, changes: Changes) {
        self.held.extend(changes.held);
    }

    /// Returns the lots of a key for changes.
    fn of<'c>(&mut self, key: &Key, changes: &'c mut Changes) -> Result<&'c mut Vec<Held>, Kind> {
        let held = changes
            .held
            .entry(key.clone())
            .or_insert_with(|| self.held.get(key).cloned().unwrap_or_default());
        self.visited = self.visited.saturating_add(held.len());
        if self.visited > MAX_VISITED { Err(Kind::TooMuchWork) } else { Ok(held) }
    }

    /// Adds a lot, or to a lot.
    pub(crate) fn add(&mut self, key: &Key, lot: Held, changes: &mut Changes) -> Result<(), Kind> {
        let held = self.of(key, changes)?;
        let is_same = |known: &&mut Held| {
            (known.per_unit, &known.currency, known.date, &known.label)
                == (lot.per_unit, &lot.currency, lot.date, &lot.label)
        };
        match held.iter_mut().find(is_same) {
            Some(known) => {
                let sum = known.units.checked_add(lot.units);
                known.units = sum.ok_or(Kind::MissingAmount)?;
            }
            None => held.push(lot),
        }
        held.retain(|lot| !lot.units.is_zero());
        Ok(())
    }

    /// Takes units out of lots.
    ///
    /// Returns `None` if no lot has the other sign, so that the units make a new one.
    /// The lots that are returned have the units that were taken, with the sign of `units`.
    pub(crate) fn reduce(
        &mut self,
        key: &Key,
        units: SignedAmount,
        cost: &RawCost,
        method: Method,
        changes: &mut Changes,
    ) -> Result<Option<Vec<Held>>, Kind> {
        if method == Method::NoLots {
            return Ok(None);
        }
        let held = self.of(key, changes)?;
        if !held.iter().any(|lot| lot.units.is_negative() != units.is_negative()) {
            return Ok(None);
        }
        let mut order: Vec<(usize, Held)> = held
            .iter()
            .enumerate()
            .filter(|(_, lot)| lot.units.is_negative() != units.is_negative())
            .filter(|(_, lot)| matches(lot, units, cost))
            .map(|(index, lot)| (index, lot.clone()))
            .collect();
        select(&mut order, units.absolute(), method)?;
        let mut rest = units;
        let mut taken = Vec::new();
        for (index, lot) in order {
            let after = lot.units.checked_add(rest).ok_or(Kind::MissingAmount)?;
            let is_enough = after.is_zero() || after.is_negative() == lot.units.is_negative();
            let part = if is_enough { rest } else { lot.units.negated() };
            rest = if is_enough { SignedAmount::ZERO } else { after };
            if let Some(known) = held.get_mut(index) {
                known.units = lot.units.checked_add(part).ok_or(Kind::MissingAmount)?;
            }
            taken.push(Held { units: part, ..lot });
            if rest.is_zero() {
                break;
            }
        }
        held.retain(|lot| !lot.units.is_zero());
        if rest.is_zero() { Ok(Some(taken)) } else { Err(Kind::NoLot) }
    }
}

/// Returns the cost of a unit that is stated, at a number of units.
fn per_unit(cost: &RawCost, units: SignedAmount) -> Option<SignedAmount> {
    match (cost.per_unit, cost.total) {
        (per_unit, None) => per_unit,
        (per_unit, Some(total)) => total
            .checked_div(units.absolute(), MAX_DECIMALS)?
            .checked_add(per_unit.unwrap_or_default()),
    }
}

fn matches(lot: &Held, units: SignedAmount, cost: &RawCost) -> bool {
    let has_number = cost.per_unit.is_some() || cost.total.is_some();
    (!has_number || per_unit(cost, units) == Some(lot.per_unit))
        && cost.currency.as_ref().is_none_or(|currency| *currency == lot.currency)
        && cost.lot.date.is_none_or(|date| date == lot.date)
        && cost.lot.label.as_ref().is_none_or(|label| Some(label) == lot.label.as_ref())
}

/// Brings the lots that match into the order of the method.
fn select(order: &mut Vec<(usize, Held)>, size: SignedAmount, method: Method) -> Result<(), Kind> {
    match method {
        Method::Fifo => order.sort_by_key(|(_, lot)| lot.date),
        Method::Lifo => order.sort_by_key(|(_, lot)| Reverse(lot.date)),
        Method::Hifo => order.sort_by(|(_, one), (_, other)| {
            let difference = one.per_unit.checked_sub(other.per_unit).unwrap_or_default();
            match (difference.is_zero(), difference.is_negative()) {
                (true, _) => Ordering::Equal,
                (false, true) => Ordering::Greater,
                (false, false) => Ordering::Less,
            }
        }),
        Method::Strict | Method::StrictWithSize | Method::NoLots if order.len() > 1 => {
            let sum = order
                .iter()
                .try_fold(SignedAmount::ZERO, |sum, (_, lot)| sum.checked_add(lot.units));
            let exact = order.iter().position(|(_, lot)| lot.units.absolute() == size);
            if sum.map(SignedAmount::absolute) == Some(size) {
                return Ok(());
            }
            match exact.filter(|_| method == Method::StrictWithSize) {
                Some(index) => *order = vec![order.swap_remove(index)],
                None => return Err(Kind::AmbiguousLot),
            }
        }
        Method::Strict | Method::StrictWithSize | Method::NoLots => {}
    }
    Ok(())
}
