//! Amounts that a journal leaves out, and the balance of each entry.

use std::collections::BTreeMap;

use super::model::{Entry, Posting, PostingKind, Quantity};
use super::shared::SharedText;
use crate::read::amount::SignedAmount;
use crate::read::problem::{Kind, Position, Problem};

/// The balances of accounts by commodity.
#[derive(Debug, Default)]
pub(crate) struct Balances {
    sums: BTreeMap<(SharedText, SharedText), SignedAmount>,
    /// The balances that were added up for assertions.
    visited: usize,
}

/// The most balances that are added up for the assertions of a file.
const MAX_VISITED: usize = 100_000_000;

impl Balances {
    /// Adds a posting; `None` if a sum is too large.
    pub(crate) fn add(&mut self, posting: &Posting) -> Option<()> {
        let quantity = posting.quantity.as_ref()?;
        let key = (posting.account.clone(), quantity.commodity.clone());
        let sum = self.sums.entry(key).or_default();
        *sum = sum.checked_add(quantity.amount)?;
        Some(())
    }

    /// Returns the balance, with that of the accounts below if `is_inclusive`.
    ///
    /// Returns `None` if it is too large, or if the balances of a file need too much work.
    pub(crate) fn of(
        &mut self,
        account: &str,
        commodity: &str,
        is_inclusive: bool,
    ) -> Option<SignedAmount> {
        let (mut sum, mut visited) = (SignedAmount::ZERO, 0);
        for ((_, symbol), amount) in self.range(account, is_inclusive) {
            visited += 1;
            if **symbol == *commodity {
                sum = sum.checked_add(*amount)?;
            }
        }
        self.visited = self.visited.saturating_add(visited);
        (self.visited < MAX_VISITED).then_some(sum)
    }

    /// Returns whether the account has a commodity other than this one.
    pub(crate) fn has_other(&self, account: &str, commodity: &str, is_inclusive: bool) -> bool {
        self.range(account, is_inclusive)
            .any(|((_, symbol), sum)| **symbol != *commodity && !sum.is_zero())
    }

    /// Returns the balances of an account, with the accounts below if `is_inclusive`.
    fn range(
        &self,
        account: &str,
        is_inclusive: bool,
    ) -> impl Iterator<Item = (&(SharedText, SharedText), &SignedAmount)> {
        let key = |name: String| (name.into(), SharedText::default());
        // No name stands between that of an account and itself with a NUL.
        let own = key(account.to_owned())..key(format!("{account}\0"));
        // The names below are those between `account:` and `account;`.
        let below = key(format!("{account}:"))..key(format!("{account};"));
        let below = is_inclusive.then(|| self.sums.range(below));
        self.sums.range(own).chain(below.into_iter().flatten())
    }
}

/// Fills in the amounts of an entry, and adds them to the balances.
pub(crate) fn complete(entry: &mut Entry, balances: &mut Balances) -> Result<(), Problem> {
    assign(entry, balances)?;
    for posting in &mut entry.postings {
        if posting.kind == PostingKind::Virtual && posting.quantity.is_none() {
            let zero = Quantity::new(SignedAmount::ZERO, SharedText::default());
            posting.quantity = Some(zero);
            posting.is_inferred = true;
        }
    }
    infer(entry, PostingKind::Real)?;
    infer(entry, PostingKind::BalancedVirtual)?;
    for posting in &entry.postings {
        let missing = || Problem::at(posting.position, Kind::MissingAmount);
        balances.add(posting).ok_or_else(missing)?;
    }
    Ok(())
}

/// Makes amounts of the balances that postings without an amount state.
fn assign(entry: &mut Entry, balances: &mut Balances) -> Result<(), Problem> {
    let mut own = Balances::default();
    for posting in &mut entry.postings {
        let problem = |kind| Problem::at(posting.position, kind);
        if posting.quantity.is_none()
            && let Some(assertion) = &posting.assertion
        {
            let commodity = &assertion.quantity.commodity;
            if assertion.is_total
                && balances.has_other(&posting.account, commodity, assertion.is_inclusive)
            {
                return Err(problem(Kind::OtherCommodities));
            }
            let balance = |balances: &mut Balances| {
                balances.of(&posting.account, commodity, assertion.is_inclusive)
            };
            let amount = balance(balances)
                .and_then(|before| before.checked_add(balance(&mut own)?))
                .and_then(|before| assertion.quantity.amount.checked_sub(before))
                .ok_or_else(|| problem(Kind::MissingAmount))?;
            posting.quantity = Some(Quantity::new(amount, commodity.clone()));
            posting.is_inferred = true;
        }
        if posting.quantity.is_some() {
            own.add(posting).ok_or_else(|| Problem::at(posting.position, Kind::MissingAmount))?;
        }
    }
    Ok(())
}

/// The sum of a commodity and the most decimal places that its amounts have.
#[derive(Debug, Default)]
struct Sum {
    amount: SignedAmount,
    decimals: u32,
}

impl Sum {
    /// Whether it is zero at the precision of the amounts.
    fn is_zero(&self) -> bool {
        let doubled = self.amount.absolute().checked_add(self.amount.absolute());
        let unit = SignedAmount::new(1, self.decimals);
        let rest = doubled.and_then(|doubled| unit.checked_sub(doubled));
        self.amount.is_zero() || rest.is_some_and(|rest| !rest.is_negative())
    }
}

/// Infers the missing amount of the postings of a kind, and checks that they sum to zero.
fn infer(entry: &mut Entry, kind: PostingKind) -> Result<(), Problem> {
    let of_kind = || entry.postings.iter().filter(|posting| posting.kind == kind);
    let mut missing = of_kind().filter(|posting| posting.quantity.is_none());
    let first = missing.next().map(|posting| posting.position);
    if let Some(second) = missing.next() {
        return Err(Problem::at(second.position, Kind::TwoMissingAmounts));
    }
    let sums = sums(of_kind()).ok_or_else(|| Problem::at(entry.position, Kind::MissingAmount))?;
    let rest: Vec<Quantity> = sums
        .iter()
        .filter(|(_, sum)| if first.is_some() { !sum.amount.is_zero() } else { !sum.is_zero() })
        .map(|(commodity, sum)| Quantity::new(sum.amount.negated(), commodity.clone()))
        .collect();
    match first {
        Some(position) => {
            fill(entry, position, rest);
            Ok(())
        }
        None => check(entry.position, &rest, of_kind().any(|posting| posting.cost.is_some())),
    }
}

/// Sums the postings by commodity, those with a cost at their cost.
fn sums<'a>(postings: impl Iterator<Item = &'a Posting>) -> Option<BTreeMap<SharedText, Sum>> {
    let mut sums: BTreeMap<SharedText, Sum> = BTreeMap::new();
    for posting in postings {
        let Some(quantity) = &posting.quantity else { continue };
        let (amount, commodity) = match &posting.cost {
            None => (quantity.amount, &quantity.commodity),
            Some(cost) if cost.is_total => {
                let total = cost.quantity.amount;
                let is_negative = quantity.amount.is_negative();
                (if is_negative { total.negated() } else { total }, &cost.quantity.commodity)
            }
            Some(cost) => {
                (quantity.amount.checked_mul(cost.quantity.amount)?, &cost.quantity.commodity)
            }
        };
        let sum = sums.entry(commodity.clone()).or_default();
        sum.amount = sum.amount.checked_add(amount)?;
        if posting.cost.is_none() {
            sum.decimals = sum.decimals.max(quantity.decimals);
        }
    }
    Some(sums)
}

/// Gives the posting without an amount what the others leave, one posting for each commodity.
fn fill(entry: &mut Entry, position: Position, rest: Vec<Quantity>) {
    let is_missing = |posting: &Posting| posting.position == position && posting.quantity.is_none();
    let Some(index) = entry.postings.iter().position(is_missing) else { return };
    let Some(posting) = entry.postings.get(index).cloned() else { return };
    let zero = Quantity::new(SignedAmount::ZERO, SharedText::default());
    let rest = if rest.is_empty() { vec![zero] } else { rest };
    let filled = rest.into_iter().map(|quantity| Posting {
        quantity: Some(quantity),
        is_inferred: true,
        ..posting.clone()
    });
    entry.postings.splice(index..=index, filled);
}

/// Accepts two commodities without costs, whose sums are the cost of each other.
fn check(position: Position, rest: &[Quantity], has_costs: bool) -> Result<(), Problem> {
    match rest {
        [] => Ok(()),
        [one, other] if !has_costs && one.amount.is_negative() != other.amount.is_negative() => {
            Ok(())
        }
        [one, ..] => Err(Problem::at(position, Kind::Unbalanced(one.amount.negated()))),
    }
}
