//! The commodities, decimal places and accounts of a journal.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use daybook_domain::amount::MAX_FRACTION_DIGITS;

use super::identity::MAX_SOURCE;
use super::model::{Options, VirtualPostings};
use crate::read::journal::{Entry, Journal, Leg, PostingKind, SharedText, legs};
use crate::read::limits::MAX_WARNINGS;
use crate::read::problem::{Kind, Position, Problem};

/// A commodity, and whether the book has virtual postings only.
pub(crate) type BookKey = (String, bool);

/// The most books of a journal.
const MAX_BOOKS: usize = 1_000;

/// The needs of a journal.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The books in their order.
    pub(crate) books: Vec<BookKey>,
    /// Their decimal places.
    pub(crate) digits: BTreeMap<String, u32>,
    /// The accounts with postings in the order of the file.
    pub(crate) posted: Vec<SharedText>,
}

/// Finds the books and accounts of a journal.
pub(crate) fn survey(journal: &Journal, options: &Options<'_>) -> Result<Survey, Vec<Problem>> {
    let characters = options.source.chars().count();
    let is_trimmed = options.source.trim() == options.source;
    if !is_trimmed || characters == 0 || characters > MAX_SOURCE {
        return Err(vec![Problem::of_file(Kind::InvalidSource(MAX_SOURCE))]);
    }
    let mut books: Vec<BookKey> =
        options.commodity.map(|commodity| (commodity.to_owned(), false)).into_iter().collect();
    let mut known: BTreeSet<BookKey> = books.iter().cloned().collect();
    let mut places = Places::default();
    let (mut posted, mut seen) = (Vec::new(), HashSet::new());
    let mut others: Vec<Problem> = Vec::new();
    for entry in journal.entries.iter() {
        let entry = &entry.map_err(|problem| vec![problem])?;
        for account in entry.postings.iter().map(|posting| &posting.account) {
            if !seen.contains(account) {
                seen.insert(account.clone());
                posted.push(account.clone());
            }
        }
        let Some(legs) = legs(entry) else { continue };
        let legs: Vec<Leg> = legs.into_iter().filter(|leg| is_kept(entry, leg, options)).collect();
        for leg in &legs {
            let key = (leg.commodity.to_string(), is_virtual(entry, leg, options));
            if !options.book_per_commodity {
                // The book of virtual postings may have a commodity of its own.
                let own = books.iter().find(|(_, is_virtual)| *is_virtual == key.1);
                if let Some((expected, _)) = own.filter(|(expected, _)| *expected != key.0) {
                    let (expected, found) = (expected.clone(), key.0.clone());
                    let kind = Kind::OtherCommodity { found, expected };
                    others.push(Problem::at(position(entry, leg), kind));
                    if others.len() >= MAX_WARNINGS {
                        return Err(others);
                    }
                    continue;
                }
            }
            if known.insert(key.clone()) {
                books.push(key);
            }
            if books.len() > MAX_BOOKS {
                let kind = Kind::TooManyCommodities(MAX_BOOKS);
                return Err(vec![Problem::at(position(entry, leg), kind)]);
            }
        }
        places.add(entry, &legs);
    }
    if !others.is_empty() {
        others.dedup();
        return Err(others);
    }
    if books.is_empty() {
        let commodity = journal.commodities.first();
        let symbol = commodity.map(|commodity| commodity.symbol.clone());
        books.push((symbol.unwrap_or_default(), false));
    }
    // Virtual books come last, so that the first one is of real postings where there are any.
    books.sort_by_key(|(_, is_virtual)| *is_virtual);
    let digits = digits(journal, options, &books, &places);
    Ok(Survey { books, digits, posted })
}

/// The most decimal places of each commodity, up to those that a book may have.
#[derive(Debug, Default)]
struct Places {
    by_commodity: BTreeMap<SharedText, u32>,
}

impl Places {
    fn add(&mut self, entry: &Entry, legs: &[Leg]) {
        let written = entry.postings.iter().filter_map(|posting| {
            let quantity = posting.quantity.as_ref().filter(|_| !posting.is_inferred)?;
            Some((&quantity.commodity, quantity.decimals))
        });
        let exact = legs.iter().map(|leg| (&leg.commodity, leg.amount.decimals()));
        for (commodity, decimals) in written.chain(exact) {
            if decimals <= MAX_FRACTION_DIGITS {
                let most = self.by_commodity.entry(commodity.clone()).or_default();
                *most = (*most).max(decimals);
            }
        }
    }
}

fn digits(
    journal: &Journal,
    options: &Options<'_>,
    books: &[BookKey],
    places: &Places,
) -> BTreeMap<String, u32> {
    let first = books.first().map(|(commodity, _)| commodity);
    let of = |commodity: &String| {
        let declared = journal.commodities.iter().rfind(|known| known.symbol == *commodity);
        let declared = declared.map(|known| known.decimals.min(MAX_FRACTION_DIGITS));
        let stated = options.fraction_digits.filter(|_| first == Some(commodity));
        let needed = places.by_commodity.get(commodity.as_str()).copied().unwrap_or_default();
        match stated.or(declared) {
            Some(digits) if options.raise_fraction_digits => digits.max(needed),
            Some(digits) => digits,
            None => needed,
        }
    };
    books.iter().map(|(commodity, _)| (commodity.clone(), of(commodity))).collect()
}

/// Checks that books with these decimal places can record an entry.
pub(crate) fn check_amounts(
    entry: &Entry,
    legs: &[Leg],
    digits: &BTreeMap<String, u32>,
) -> Result<(), Problem> {
    legs.iter().try_for_each(|leg| {
        let allowed = digits.get(leg.commodity.as_str()).copied().unwrap_or_default();
        let found = leg.amount.decimals();
        let units = leg.amount.units(allowed);
        let kind = if found > allowed {
            Kind::TooManyDecimals { found, allowed }
        } else if units.is_none_or(|units| i64::try_from(units).is_err()) {
            Kind::AmountTooLarge
        } else {
            return Ok(());
        };
        Err(Problem::at(position(entry, leg), kind))
    })
}

/// Returns the place of the posting that a leg is from.
fn position(entry: &Entry, leg: &Leg) -> Position {
    let (credit, debit) = leg.postings;
    let posting = [credit, debit]
        .into_iter()
        .flatten()
        .filter_map(|index| entry.postings.get(index))
        // Of the postings on both sides, the one whose amount it is.
        .max_by_key(|posting| {
            posting.quantity.as_ref().is_some_and(|own| own.amount.absolute() == leg.amount)
        });
    posting.map_or(entry.position, |posting| posting.position)
}

/// Returns whether a leg is of virtual postings.
pub(crate) fn has_virtual_posting(entry: &Entry, leg: &Leg) -> bool {
    let (credit, debit) = leg.postings;
    let mut postings = [credit, debit].into_iter().flatten();
    postings.any(|index| {
        entry.postings.get(index).is_some_and(|posting| posting.kind != PostingKind::Real)
    })
}

/// Returns whether a leg belongs to a book of virtual postings.
pub(crate) fn is_virtual(entry: &Entry, leg: &Leg, options: &Options<'_>) -> bool {
    options.virtual_postings == VirtualPostings::OwnBook && has_virtual_posting(entry, leg)
}

/// Returns whether a leg is recorded.
pub(crate) fn is_kept(entry: &Entry, leg: &Leg, options: &Options<'_>) -> bool {
    options.virtual_postings != VirtualPostings::LeaveOut || !has_virtual_posting(entry, leg)
}
