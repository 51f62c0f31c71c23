//! Amounts that entries leave out: lots that are reduced, and what balances an entry.

use std::collections::BTreeMap;

use super::lots::{Changes, Held, Key, Lots};
use super::raw::{Ledger, Method, Options, RawCost, RawEntry, RawPosting};
use crate::read::amount::{MAX_DECIMALS, SignedAmount};
use crate::read::journal::{Cost, Entry, Lot, Posting, Quantity};
use crate::read::problem::{Kind, Position, Problem};

/// A posting on the way to its amount.
#[derive(Debug)]
struct Draft {
    posting: Posting,
    units: Option<SignedAmount>,
    /// The decimal places of the units as written.
    decimals: u32,
    currency: Option<String>,
    rate: Rate,
    /// The lot that it makes, if the rate is a cost.
    lot: Option<Lot>,
}

/// The weight of a unit in the balance of an entry.
#[derive(Debug, Clone)]
enum Rate {
    /// Itself.
    One,
    /// An amount of another currency.
    PerUnit(SignedAmount, String),
    /// An amount of another currency for all units.
    Total(SignedAmount, String),
    /// An amount of this currency that the other postings tell.
    Missing(String),
}

impl Draft {
    fn weight_currency(&self) -> Option<&str> {
        match &self.rate {
            Rate::One => self.currency.as_deref(),
            Rate::PerUnit(_, currency) | Rate::Total(_, currency) | Rate::Missing(currency) => {
                Some(currency)
            }
        }
    }

    /// Returns what it weighs; `None` if that is not known or too large.
    fn weight(&self) -> Option<SignedAmount> {
        let units = self.units?;
        match &self.rate {
            Rate::One => Some(units),
            Rate::PerUnit(amount, _) => units.checked_mul(*amount),
            Rate::Total(amount, _) if units.is_negative() => Some(amount.negated()),
            Rate::Total(amount, _) => Some(*amount),
            Rate::Missing(_) => None,
        }
    }

    fn is_incomplete(&self) -> bool {
        self.units.is_none() || matches!(self.rate, Rate::Missing(_))
    }
}

/// Fills in the amounts of an entry, and changes the lots.
pub(crate) fn book(raw: RawEntry, lots: &mut Lots, ledger: &Ledger) -> Result<Entry, Problem> {
    let RawEntry { mut entry, postings } = raw;
    let mut changes = Changes::default();
    let mut drafts = Vec::with_capacity(postings.len());
    for posting in postings {
        let position = posting.posting.position;
        drafts_of(posting, lots, ledger, &mut changes, &mut drafts)
            .map_err(|kind| Problem::at(position, kind))?;
    }
    let tolerances = tolerances(&drafts, &ledger.options);
    interpolate(&mut drafts, &tolerances, entry.position)?;
    for draft in &drafts {
        add_lot(draft, &entry, lots, ledger, &mut changes)
            .map_err(|kind| Problem::at(draft.posting.position, kind))?;
    }
    lots.apply(changes);
    entry.postings = drafts.into_iter().map(finish).collect();
    Ok(entry)
}

/// Makes the drafts of a posting: one, or one for each lot that it reduces.
fn drafts_of(
    raw: RawPosting,
    lots: &mut Lots,
    ledger: &Ledger,
    changes: &mut Changes,
    drafts: &mut Vec<Draft>,
) -> Result<(), Kind> {
    let RawPosting { mut posting, number, currency, cost, price } = raw;
    let decimals = number.map_or(0, |number| number.decimals);
    let units = number.map(|number| number.value);
    let price_rate = price.map(|price| match price.number {
        Some(number) if price.is_total => Rate::Total(number, price.currency),
        Some(number) => Rate::PerUnit(number, price.currency),
        None => Rate::Missing(price.currency),
    });
    let Some(cost) = cost else {
        let rate = price_rate.unwrap_or(Rate::One);
        drafts.push(Draft { posting, units, decimals, currency, rate, lot: None });
        return Ok(());
    };
    if let Some(price) = price_rate.and_then(|rate| cost_of(&rate, None)) {
        posting.price = Some(price);
    }
    if let (Some(units), Some(commodity)) = (units.filter(|units| !units.is_zero()), &currency) {
        let key: Key = (posting.account.to_string(), commodity.clone());
        let method = method(&posting, ledger);
        if let Some(reduced) = lots.reduce(&key, units, &cost, method, changes)? {
            drafts.extend(reduced.into_iter().map(|held| {
                let lot = Lot { date: Some(held.date), label: held.label };
                let rate = Rate::PerUnit(held.per_unit, held.currency);
                let mut posting = posting.clone();
                posting.cost = cost_of(&rate, Some(lot));
                let (units, currency) = (Some(held.units), currency.clone());
                Draft { posting, units, decimals, currency, rate, lot: None }
            }));
            return Ok(());
        }
    }
    let rate = rate_of(&cost, units).ok_or(Kind::MissingAmount)?;
    drafts.push(Draft { posting, units, decimals, currency, rate, lot: Some(cost.lot) });
    Ok(())
}

fn method(posting: &Posting, ledger: &Ledger) -> Method {
    ledger.methods.get(posting.account.as_str()).copied().unwrap_or(ledger.options.method)
}

/// Returns the weight of a unit at a stated cost; `None` if it is not known.
fn rate_of(cost: &RawCost, units: Option<SignedAmount>) -> Option<Rate> {
    let currency = cost.currency.clone()?;
    match (cost.per_unit, cost.total) {
        (None, None) => Some(Rate::Missing(currency)),
        (Some(per_unit), None) => Some(Rate::PerUnit(per_unit, currency)),
        (per_unit, Some(total)) => {
            let all = units?.absolute().checked_mul(per_unit.unwrap_or_default())?;
            Some(Rate::Total(all.checked_add(total)?, currency))
        }
    }
}

fn cost_of(rate: &Rate, lot: Option<Lot>) -> Option<Cost> {
    let (amount, currency, is_total) = match rate {
        Rate::PerUnit(amount, currency) => (amount, currency, false),
        Rate::Total(amount, currency) => (amount, currency, true),
        Rate::One | Rate::Missing(_) => return None,
    };
    let quantity = Quantity::new(*amount, currency.as_str().into());
    let lot = lot.filter(|lot| lot.date.is_some() || lot.label.is_some());
    Some(Cost { quantity, is_total, lot })
}

/// The tolerances by currency, which also tell how inferred amounts are rounded.
type Tolerances = BTreeMap<String, SignedAmount>;

fn tolerances(drafts: &[Draft], options: &Options) -> Tolerances {
    let stated = options.tolerances.iter().filter(|(currency, _)| *currency != "*");
    let mut found: Tolerances =
        stated.map(|(currency, tolerance)| (currency.clone(), *tolerance)).collect();
    for draft in drafts {
        let Some(currency) = draft.currency.as_ref().filter(|_| draft.units.is_some()) else {
            continue;
        };
        let Some(tolerance) = options.tolerance(draft.decimals) else { continue };
        let known = found.entry(currency.clone()).or_insert(tolerance);
        if known.checked_sub(tolerance).is_some_and(SignedAmount::is_negative) {
            *known = tolerance;
        }
    }
    if let Some(default) = options.tolerances.get("*") {
        for currency in drafts.iter().filter_map(Draft::weight_currency) {
            found.entry(currency.to_owned()).or_insert(*default);
        }
    }
    found
}

fn round(amount: SignedAmount, currency: &str, tolerances: &Tolerances) -> SignedAmount {
    let tolerance = tolerances.get(currency).filter(|tolerance| !tolerance.is_zero());
    let quantum = tolerance.and_then(|tolerance| tolerance.checked_add(*tolerance));
    quantum.map_or(amount, |quantum| amount.rounded(quantum.decimals()))
}

/// Fills in what is missing, and checks the balance.
fn interpolate(
    drafts: &mut Vec<Draft>,
    tolerances: &Tolerances,
    position: Position,
) -> Result<(), Problem> {
    let mut sums: BTreeMap<String, SignedAmount> = BTreeMap::new();
    for draft in drafts.iter().filter(|draft| !draft.is_incomplete()) {
        let too_large = || Problem::at(draft.posting.position, Kind::MissingAmount);
        let Some(currency) = draft.weight_currency() else {
            return Err(too_large());
        };
        let sum = sums.entry(currency.to_owned()).or_default();
        *sum = draft.weight().and_then(|weight| sum.checked_add(weight)).ok_or_else(too_large)?;
    }
    let mut filled: Vec<String> = Vec::new();
    let mut open = None;
    for (index, draft) in drafts.iter_mut().enumerate() {
        if !draft.is_incomplete() {
            continue;
        }
        let place = draft.posting.position;
        let problem = |kind| Problem::at(place, kind);
        let Some(currency) = draft.weight_currency().map(str::to_owned) else {
            if open.replace(index).is_some() {
                return Err(problem(Kind::TwoMissingAmounts));
            }
            continue;
        };
        if filled.contains(&currency) {
            return Err(problem(Kind::TwoMissingAmounts));
        }
        let rest = sums.get(&currency).copied().unwrap_or_default().negated();
        fill(draft, rest, tolerances).ok_or_else(|| problem(Kind::MissingAmount))?;
        filled.push(currency);
    }
    if let Some(index) = open {
        let rest =
            sums.iter().filter(|(currency, sum)| !filled.contains(currency) && !sum.is_zero());
        let rest: Vec<(String, SignedAmount)> =
            rest.map(|(currency, sum)| (currency.clone(), sum.negated())).collect();
        expand(drafts, index, rest, tolerances);
        return Ok(());
    }
    for (currency, sum) in &sums {
        let tolerance = tolerances.get(currency).copied().unwrap_or_default();
        let rest = tolerance.checked_sub(sum.absolute());
        if !filled.contains(currency) && rest.is_none_or(SignedAmount::is_negative) {
            return Err(Problem::at(position, Kind::Unbalanced(*sum)));
        }
    }
    Ok(())
}

/// Gives a draft the amount, the cost or the price that makes it weigh `rest`.
fn fill(draft: &mut Draft, rest: SignedAmount, tolerances: &Tolerances) -> Option<()> {
    let units = match (&draft.rate, draft.units) {
        (Rate::Missing(currency), Some(units)) => {
            let is_possible = rest.is_zero() || units.is_negative() == rest.is_negative();
            draft.rate = Rate::Total(rest.absolute(), currency.clone());
            return is_possible.then_some(());
        }
        (Rate::One, None) => rest,
        (Rate::PerUnit(amount, _), None) => rest.checked_div(*amount, MAX_DECIMALS)?,
        _ => return None,
    };
    let currency = draft.currency.as_deref()?;
    draft.units = Some(round(units, currency, tolerances));
    draft.posting.is_inferred = true;
    Some(())
}

/// Puts one posting for each currency in the place of one without any.
fn expand(
    drafts: &mut Vec<Draft>,
    index: usize,
    rest: Vec<(String, SignedAmount)>,
    tolerances: &Tolerances,
) {
    let Some(posting) = drafts.get(index).map(|draft| draft.posting.clone()) else { return };
    let rest = if rest.is_empty() { vec![(String::new(), SignedAmount::ZERO)] } else { rest };
    let expanded = rest.into_iter().map(|(currency, amount)| Draft {
        posting: Posting { is_inferred: true, ..posting.clone() },
        units: Some(round(amount, &currency, tolerances)),
        decimals: 0,
        currency: Some(currency),
        rate: Rate::One,
        lot: None,
    });
    drafts.splice(index..=index, expanded);
}

/// Adds the lot of a posting at a cost.
fn add_lot(
    draft: &Draft,
    entry: &Entry,
    lots: &mut Lots,
    ledger: &Ledger,
    changes: &mut Changes,
) -> Result<(), Kind> {
    let (Some(lot), Some(units), Some(commodity)) = (&draft.lot, draft.units, &draft.currency)
    else {
        return Ok(());
    };
    if units.is_zero() || method(&draft.posting, ledger) == Method::NoLots {
        return Ok(());
    }
    let (per_unit, currency) = match &draft.rate {
        Rate::PerUnit(amount, currency) => (Some(*amount), currency),
        Rate::Total(amount, currency) => {
            (amount.checked_div(units.absolute(), MAX_DECIMALS), currency)
        }
        Rate::One | Rate::Missing(_) => return Ok(()),
    };
    let held = Held {
        per_unit: per_unit.ok_or(Kind::MissingAmount)?,
        currency: currency.clone(),
        date: lot.date.unwrap_or(entry.date),
        label: lot.label.clone(),
        units,
    };
    lots.add(&(draft.posting.account.to_string(), commodity.clone()), held, changes)
}

fn finish(draft: Draft) -> Posting {
    let Draft { mut posting, units, decimals, currency, rate, lot } = draft;
    if posting.cost.is_none()
        && let Some(cost) = cost_of(&rate, lot)
    {
        posting.cost = Some(cost);
    }
    let quantity = Quantity::new(units.unwrap_or_default(), currency.unwrap_or_default().into());
    let decimals = decimals.max(quantity.decimals);
    posting.quantity = Some(Quantity { decimals, ..quantity });
    posting
}
