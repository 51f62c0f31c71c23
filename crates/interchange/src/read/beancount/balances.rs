//! The directives `pad` and `balance`: entries that pads make, and balances that differ.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use time::Date;

use super::raw::{Balance, Ledger, Pad};
use crate::read::amount::SignedAmount;
use crate::read::journal::{Balances, Entry, EntryDetails, Mark, Posting, Quantity, SharedText};
use crate::read::problem::{Kind, Position, Problem};

/// A change of an account, by the order of its day: balances first, then pads and postings.
#[derive(Debug)]
struct Change<'l> {
    date: Date,
    position: Position,
    event: Event<'l>,
}

#[derive(Debug)]
enum Event<'l> {
    Balance(&'l Balance),
    Pad(&'l Pad),
    Posting(&'l Quantity),
}

impl Change<'_> {
    fn order(&self) -> (Date, bool, Position) {
        (self.date, !matches!(self.event, Event::Balance(_)), self.position)
    }
}

/// Changes of accounts by name.
type Changes<'l> = BTreeMap<&'l str, Vec<Change<'l>>>;

/// The most changes that are added up for the balances of a file.
const MAX_VISITED: usize = 100_000_000;

/// Adds the entries that pads make, and a warning for each balance that differs.
pub(crate) fn apply(ledger: &mut Ledger) {
    let mut visited = 0_usize;
    let (paddings, problems) = pad(ledger, &mut visited);
    ledger.journal.entries.extend(paddings);
    ledger.journal.warnings.extend(problems);
    let differences = check(ledger);
    ledger.journal.warnings.extend(differences);
}

fn changes_of(ledger: &Ledger) -> Changes<'_> {
    let mut changes = Changes::new();
    for entry in &ledger.journal.entries {
        for posting in &entry.postings {
            let Some(quantity) = &posting.quantity else { continue };
            let event = Event::Posting(quantity);
            let change = Change { date: entry.date, position: entry.position, event };
            changes.entry(&posting.account).or_default().push(change);
        }
    }
    for balance in &ledger.balances {
        let event = Event::Balance(balance);
        let change = Change { date: balance.date, position: balance.position, event };
        changes.entry(&balance.account).or_default().push(change);
    }
    for pad in &ledger.pads {
        let change = Change { date: pad.date, position: pad.position, event: Event::Pad(pad) };
        changes.entry(&pad.account).or_default().push(change);
    }
    changes
}

/// Returns the changes of an account and of those below it in their order.
///
/// Returns `None` if the balances of a file need too much work.
fn below<'c, 'l>(
    changes: &'c Changes<'l>,
    account: &str,
    visited: &mut usize,
) -> Option<Vec<&'c Change<'l>>> {
    // The names below are those between `account:` and `account;`.
    let (first, last) = (format!("{account}:"), format!("{account};"));
    let own = changes.get(account).into_iter();
    let bounds = (Bound::Included(first.as_str()), Bound::Excluded(last.as_str()));
    let below = changes.range::<str, _>(bounds).map(|(_, changes)| changes);
    let mut found: Vec<&Change<'_>> = own.chain(below).flatten().collect();
    *visited = visited.saturating_add(found.len());
    if *visited > MAX_VISITED {
        return None;
    }
    found.sort_by_key(|change| change.order());
    Some(found)
}

fn pad(ledger: &Ledger, visited: &mut usize) -> (Vec<Entry>, Vec<Problem>) {
    let changes = changes_of(ledger);
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    let is_padded =
        |changes: &[Change<'_>]| changes.iter().any(|change| matches!(change.event, Event::Pad(_)));
    for (account, _) in changes.iter().filter(|(_, changes)| is_padded(changes)) {
        let Some(all) = below(&changes, account, visited) else {
            problems.push(Problem::of_file(Kind::TooMuchWork));
            break;
        };
        let mut sums = Sums::new();
        let mut active: Option<&Pad> = None;
        // The currencies that were asserted since the pad.
        let mut asserted: BTreeSet<&str> = BTreeSet::new();
        for change in all {
            match change.event {
                Event::Posting(quantity) => add(&mut sums, quantity),
                Event::Pad(pad) if pad.account == **account => {
                    (active, asserted) = (Some(pad), BTreeSet::new());
                }
                Event::Pad(_) => {}
                Event::Balance(balance) => {
                    let missing = missing(balance, &sums);
                    if asserted.insert(&balance.quantity.commodity)
                        && let (Some(pad), Some(missing)) = (active, missing)
                    {
                        add(&mut sums, &missing);
                        entries.push(padding(pad, missing));
                    }
                }
            }
        }
    }
    (entries, problems)
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
        details: EntryDetails { tags, ..EntryDetails::default() }.into_box(),
        ..Entry::new(pad.position, pad.date, written)
    }
}

/// Returns a problem for each balance that differs.
fn check(ledger: &Ledger) -> Vec<Problem> {
    let changes = changes_of(ledger);
    let mut all: Vec<(&str, &Change<'_>)> = changes
        .iter()
        .flat_map(|(account, changes)| changes.iter().map(|change| (*account, change)))
        .collect();
    all.sort_by_key(|(_, change)| change.order());
    let mut balances = Balances::default();
    let mut problems = Vec::new();
    for (account, change) in all {
        let balance = match change.event {
            Event::Posting(quantity) => {
                // A sum that is too large is refused with its entry.
                let _is_counted = balances.add_quantity(account, quantity);
                continue;
            }
            Event::Pad(_) => continue,
            Event::Balance(balance) => balance,
        };
        let expected = balance.quantity.amount;
        let found = balances.of(account, &balance.quantity.commodity, true);
        let kind = match found {
            Some(found) => {
                let difference = expected.checked_sub(found);
                if difference.is_some_and(|difference| !exceeds(difference, balance.tolerance)) {
                    continue;
                }
                Kind::AssertionFailed { expected, found }
            }
            None => Kind::TooMuchWork,
        };
        problems.push(Problem::at(balance.position, kind));
    }
    problems
}
