//! Transactions of two accounts from an entry of any number of postings.
//!
//! In each commodity the postings that credit an account are matched with those that debit one, the
//! first with the first, in the order of the file. So an entry becomes at most one transaction less
//! than it has postings, and where one side is a single posting, each transaction is one posting of
//! the other side. All balances stay exact without a clearing account, but for three cases:
//!
//! - A posting with a day of its own is matched last. It moves to [`Side::InTransit`] on its own
//!   day and from there on the day of the entry.
//! - A posting that is matched with one of the same account goes over [`Side::InTransit`], because
//!   a transaction has two different accounts.
//! - What does not sum to zero in a commodity goes to [`Side::Conversions`].

use time::Date;

use super::model::{Entry, Posting, PostingKind};
use super::shared::SharedText;
use crate::read::amount::SignedAmount;

/// A side of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// An account of the journal.
    Account(SharedText),
    /// The account of amounts between two days.
    InTransit,
    /// The account of amounts that were converted from or to another commodity.
    Conversions,
    /// The account that balances virtual postings.
    Virtual,
}

/// A transaction of two accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// The day.
    pub date: Date,
    /// The commodity; empty for amounts without one.
    pub commodity: SharedText,
    /// The amount; always above zero.
    pub amount: SignedAmount,
    /// The account that it goes out of.
    pub credit: Side,
    /// The account that it goes into.
    pub debit: Side,
    /// The indices of the postings on the credit and the debit side.
    pub postings: (Option<usize>, Option<usize>),
}

/// The unmatched remainder of a posting.
#[derive(Debug, Clone)]
struct Open {
    index: usize,
    side: Side,
    rest: SignedAmount,
}

/// Makes the transactions of an entry.
///
/// Postings of zero make none. `None` means that an amount is too large.
#[must_use]
pub fn legs(entry: &Entry) -> Option<Vec<Leg>> {
    let mut legs = Vec::new();
    let mut commodities: Vec<&SharedText> = Vec::new();
    for quantity in entry.postings.iter().filter_map(|posting| posting.quantity.as_ref()) {
        if !commodities.contains(&&quantity.commodity) {
            commodities.push(&quantity.commodity);
        }
    }
    for commodity in commodities {
        for kind in [PostingKind::Real, PostingKind::BalancedVirtual] {
            match_postings(entry, commodity, kind, &mut legs)?;
        }
        add_virtual(entry, commodity, &mut legs);
    }
    Some(legs)
}

/// Returns the postings of a kind in a commodity with their amounts.
fn of_kind<'a>(
    entry: &'a Entry,
    commodity: &'a SharedText,
    kind: PostingKind,
) -> impl Iterator<Item = (usize, &'a Posting, SignedAmount)> {
    let postings = entry.postings.iter().enumerate();
    postings.filter(move |(_, posting)| posting.kind == kind).filter_map(move |(index, posting)| {
        let quantity = posting.quantity.as_ref()?;
        let amount = quantity.amount;
        (quantity.commodity == *commodity && !amount.is_zero()).then_some((index, posting, amount))
    })
}

fn match_postings(
    entry: &Entry,
    commodity: &SharedText,
    kind: PostingKind,
    legs: &mut Vec<Leg>,
) -> Option<()> {
    let (mut credits, mut debits, mut dated) = (Vec::new(), Vec::new(), Vec::new());
    for (index, posting, amount) in of_kind(entry, commodity, kind) {
        let has_own_day = posting.date.is_some_and(|date| date != entry.date);
        let account = Side::Account(posting.account.clone());
        let open = Open {
            index,
            side: if has_own_day { Side::InTransit } else { account },
            rest: amount.absolute(),
        };
        if has_own_day {
            dated.push((open, amount.is_negative()));
            legs.extend(own_day(entry, index, posting, amount));
        } else if amount.is_negative() {
            credits.push(open);
        } else {
            debits.push(open);
        }
    }
    for (open, is_credit) in dated {
        if is_credit { credits.push(open) } else { debits.push(open) }
    }
    let (mut credits, mut debits) = (credits.into_iter(), debits.into_iter());
    let (mut credit, mut debit) = (credits.next(), debits.next());
    loop {
        let amount = match (&credit, &debit) {
            (None, None) => return Some(()),
            (Some(open), None) | (None, Some(open)) => open.rest,
            (Some(credit), Some(debit)) => smaller(credit.rest, debit.rest)?,
        };
        let side =
            |open: &Option<Open>| open.as_ref().map_or(Side::Conversions, |open| open.side.clone());
        let index = |open: &Option<Open>| open.as_ref().map(|open| open.index);
        push(
            legs,
            Leg {
                date: entry.date,
                commodity: commodity.clone(),
                amount,
                credit: side(&credit),
                debit: side(&debit),
                postings: (index(&credit), index(&debit)),
            },
        );
        credit = left(credit, amount)?.or_else(|| credits.next());
        debit = left(debit, amount)?.or_else(|| debits.next());
    }
}

/// Returns what an amount leaves of a posting, if anything; `None` if the numbers are too large.
fn left(open: Option<Open>, amount: SignedAmount) -> Option<Option<Open>> {
    let Some(open) = open else { return Some(None) };
    let rest = open.rest.checked_sub(amount)?;
    Some(if rest.is_zero() { None } else { Some(Open { rest, ..open }) })
}

fn smaller(one: SignedAmount, other: SignedAmount) -> Option<SignedAmount> {
    let difference = one.checked_sub(other)?;
    Some(if difference.is_negative() { one } else { other })
}

/// Adds a transaction; one of equal accounts goes over another account.
fn push(legs: &mut Vec<Leg>, leg: Leg) {
    match (&leg.credit, &leg.debit) {
        (Side::Account(credit), Side::Account(debit)) if credit == debit => {
            let (from, to) = leg.postings;
            let out = Leg { debit: Side::InTransit, postings: (from, None), ..leg.clone() };
            legs.push(out);
            legs.push(Leg { credit: Side::InTransit, postings: (None, to), ..leg });
        }
        // Two postings with days of their own, whose movements meet in the account already.
        (Side::InTransit, Side::InTransit) => {}
        _ => legs.push(leg),
    }
}

/// Returns the movement of a posting on a day of its own.
fn own_day(entry: &Entry, index: usize, posting: &Posting, amount: SignedAmount) -> Option<Leg> {
    let quantity = posting.quantity.as_ref()?;
    let account = Side::Account(posting.account.clone());
    let is_credit = amount.is_negative();
    let (credit, debit) =
        if is_credit { (account, Side::InTransit) } else { (Side::InTransit, account) };
    Some(Leg {
        date: posting.date.unwrap_or(entry.date),
        commodity: quantity.commodity.clone(),
        amount: amount.absolute(),
        credit,
        debit,
        postings: if is_credit { (Some(index), None) } else { (None, Some(index)) },
    })
}

/// Adds the virtual postings, which no other posting balances.
fn add_virtual(entry: &Entry, commodity: &SharedText, legs: &mut Vec<Leg>) {
    for (index, posting, amount) in of_kind(entry, commodity, PostingKind::Virtual) {
        let account = Side::Account(posting.account.clone());
        let is_credit = amount.is_negative();
        let (credit, debit) =
            if is_credit { (account, Side::Virtual) } else { (Side::Virtual, account) };
        legs.push(Leg {
            date: posting.date.unwrap_or(entry.date),
            commodity: commodity.clone(),
            amount: amount.absolute(),
            credit,
            debit,
            postings: if is_credit { (Some(index), None) } else { (None, Some(index)) },
        });
    }
}
