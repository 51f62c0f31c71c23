//! The directives `pad` and `balance`: entries that pads make, and balances that differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use time::Date;

use super::raw::{Balance, Ledger, Pad};
use crate::read::amount::SignedAmount;
use crate::read::journal::{Balances, Entry, Mark, Posting, Quantity, SharedText};
use crate::read::packed::Packed;
use crate::read::problem::{Kind, Position, Problem};

/// The most bytes of names compared to find padded ancestors.
const MAX_COMPARED: usize = 100_000_000;

/// Adds the entries that pads make, and a warning for each balance that differs.
///
/// The entries of the ledger are in the order of their days, and stay so.
pub(crate) fn apply(ledger: &mut Ledger) -> Result<(), Problem> {
    let paddings = pad(ledger)?;
    if !paddings.is_empty() {
        let mut entries = std::mem::take(&mut ledger.journal.entries);
        for padding in paddings.into_values() {
            entries.push(&padding?)?;
        }
        // The sort is stable: the entries of one pad keep the order of their balances.
        ledger.journal.entries = entries.sorted_by_key(|entry| (entry.date, entry.position))?;
    }
    let differences = check(ledger)?;
    ledger.journal.warnings.extend(differences);
    Ok(())
}

/// A part of a ledger that changes or states balances.
enum Change<'l, 'e> {
    Entry(&'e Entry),
    Balance(&'l Balance),
    Pad(&'l Pad),
}

impl Change<'_, '_> {
    /// Returns the order of a day: balances first, then pads and entries.
    const fn order(&self) -> (Date, bool, Position) {
        match self {
            Self::Entry(entry) => (entry.date, true, entry.position),
            Self::Balance(balance) => (balance.date, false, balance.position),
            Self::Pad(pad) => (pad.date, true, pad.position),
        }
    }
}

/// Calls `visit` with the entries and the directives in their order.
fn walk<'l>(
    ledger: &Ledger,
    mut directives: Vec<Change<'l, 'l>>,
    visit: &mut dyn FnMut(Change<'l, '_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    directives.sort_by_key(Change::order);
    let mut directives = directives.into_iter().peekable();
    for entry in ledger.journal.entries.iter() {
        let entry = entry?;
        let order = Change::Entry(&entry).order();
        while let Some(directive) = directives.next_if(|directive| directive.order() < order) {
            visit(directive)?;
        }
        visit(Change::Entry(&entry))?;
    }
    directives.try_for_each(visit)
}

/// A padded account.
#[derive(Default)]
struct Padded<'l> {
    /// The sums of the account and its descendants.
    sums: Sums,
    active: Option<&'l Pad>,
    /// The currencies that were asserted since the pad.
    asserted: BTreeSet<&'l str>,
}

impl<'l> Padded<'l> {
    /// Returns the entry that a balance needs, if any.
    fn padding(&mut self, balance: &'l Balance) -> Option<Entry> {
        let missing = missing(balance, &self.sums);
        let is_first = self.asserted.insert(&balance.quantity.commodity);
        let (pad, missing) = self.active.zip(missing).filter(|_| is_first)?;
        add(&mut self.sums, &missing);
        Some(padding(pad, missing))
    }
}

/// Finds the padded accounts by their place in a list.
struct PaddedNames<'l> {
    places: BTreeMap<&'l str, usize>,
    /// The places of an account and its ancestors, by the name of the account.
    above: HashMap<SharedText, Rc<[usize]>>,
    /// The bytes of the names that were compared.
    compared: usize,
}

impl PaddedNames<'_> {
    /// Returns the places of an account and its ancestors that are padded.
    fn above(&mut self, account: &str) -> Result<Rc<[usize]>, Problem> {
        if let Some(known) = self.above.get(account) {
            return Ok(Rc::clone(known));
        }
        let ends = account.match_indices(':').map(|(end, _)| end).chain([account.len()]);
        let mut found = Vec::new();
        for name in ends.filter_map(|end| account.get(..end)) {
            self.compared = self.compared.saturating_add(name.len());
            found.extend(self.places.get(name));
        }
        if self.compared > MAX_COMPARED {
            return Err(Problem::of_file(Kind::TooMuchWork));
        }
        let found: Rc<[usize]> = found.into();
        self.above.insert(account.into(), Rc::clone(&found));
        Ok(found)
    }
}

/// Makes the entries of the pads.
fn pad(ledger: &Ledger) -> Result<Packed<Entry>, Problem> {
    let mut entries = Packed::default();
    if ledger.pads.is_empty() {
        return Ok(entries);
    }
    let accounts: BTreeSet<&str> = ledger.pads.iter().map(|pad| pad.account.as_str()).collect();
    let mut padded: Vec<Padded<'_>> = accounts.iter().map(|_| Padded::default()).collect();
    let places = accounts.into_iter().enumerate().map(|(place, name)| (name, place)).collect();
    let mut names = PaddedNames { places, above: HashMap::new(), compared: 0 };
    let balances = ledger.balances.iter().map(Change::Balance);
    let directives = balances.chain(ledger.pads.iter().map(Change::Pad)).collect();
    walk(ledger, directives, &mut |change| {
        match change {
            Change::Entry(entry) => {
                for posting in &entry.postings {
                    let Some(quantity) = &posting.quantity else { continue };
                    for place in names.above(&posting.account)?.iter() {
                        let account = padded.get_mut(*place);
                        account.into_iter().for_each(|account| add(&mut account.sums, quantity));
                    }
                }
            }
            Change::Balance(balance) => {
                for place in names.above(&balance.account)?.iter() {
                    let account = padded.get_mut(*place);
                    let made = account.and_then(|account| account.padding(balance));
                    made.map_or(Ok(()), |entry| entries.push(&entry))?;
                }
            }
            Change::Pad(pad) => {
                let place = names.places.get(pad.account.as_str());
                if let Some(account) = place.and_then(|place| padded.get_mut(*place)) {
                    (account.active, account.asserted) = (Some(pad), BTreeSet::new());
                }
            }
        }
        Ok(())
    })?;
    Ok(entries)
}

/// Sums by commodity.
type Sums = BTreeMap<SharedText, SignedAmount>;

fn add(sums: &mut Sums, quantity: &Quantity) {
    let sum = sums.entry(quantity.commodity.clone()).or_default();
    // A sum that is too large is refused with its entry.
    *sum = sum.checked_add(quantity.amount).unwrap_or_default();
}

/// Returns what an account lacks, if that is more than the tolerance.
fn missing(balance: &Balance, sums: &Sums) -> Option<Quantity> {
    let commodity = &balance.quantity.commodity;
    let found = sums.get(commodity).copied().unwrap_or_default();
    let amount = balance.quantity.amount.checked_sub(found)?;
    let is_missing = exceeds(amount, balance.tolerance);
    is_missing.then(|| Quantity::new(amount, commodity.clone()))
}

fn exceeds(difference: SignedAmount, tolerance: SignedAmount) -> bool {
    tolerance.checked_sub(difference.absolute()).is_none_or(SignedAmount::is_negative)
}

/// Makes the entry of a pad.
///
/// Its text is the directive and the commodity, so it has the same identity when the amount
/// changes.
fn padding(pad: &Pad, quantity: Quantity) -> Entry {
    let description = format!("Padding of {}", pad.account);
    let written = format!("{}\n  {}", pad.written, quantity.commodity);
    let opposite = Quantity { amount: quantity.amount.negated(), ..quantity.clone() };
    let posting = |account: &String, quantity| Posting {
        quantity: Some(quantity),
        is_inferred: true,
        ..Posting::new(pad.position, account.as_str().into())
    };
    let tags = vec![("generated".to_owned(), "pad".to_owned())];
    Entry {
        mark: Mark::Cleared,
        description,
        postings: vec![posting(&pad.account, quantity), posting(&pad.source, opposite)],
        tags,
        ..Entry::new(pad.position, pad.date, written)
    }
}

/// Returns a problem for each balance that differs.
fn check(ledger: &Ledger) -> Result<Vec<Problem>, Problem> {
    let mut problems = Vec::new();
    if ledger.balances.is_empty() {
        return Ok(problems);
    }
    let mut balances = Balances::default();
    let stated = ledger.balances.iter().map(Change::Balance).collect();
    walk(ledger, stated, &mut |change| {
        match change {
            Change::Entry(entry) => {
                for posting in &entry.postings {
                    // A sum that is too large is refused with its entry.
                    let _is_counted = balances.add(posting);
                }
            }
            Change::Balance(balance) => problems.extend(difference(balance, &mut balances)),
            Change::Pad(_) => {}
        }
        Ok(())
    })?;
    Ok(problems)
}

/// Returns the problem of a balance that differs.
fn difference(balance: &Balance, balances: &mut Balances) -> Option<Problem> {
    let expected = balance.quantity.amount;
    let kind = match balances.of(&balance.account, &balance.quantity.commodity, true) {
        Some(found) => {
            let difference = expected.checked_sub(found);
            if difference.is_some_and(|difference| !exceeds(difference, balance.tolerance)) {
                return None;
            }
            Kind::AssertionFailed { expected, found }
        }
        None => Kind::TooMuchWork,
    };
    Some(Problem::at(balance.position, kind))
}
