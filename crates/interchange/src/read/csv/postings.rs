//! From the postings that rules make to a record with parts.

use crate::read::amount::SignedAmount;
use crate::read::problem::Kind;
use crate::read::record::Leg;

/// An amount with its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) amount: SignedAmount,
    pub(crate) currency: Option<String>,
    /// The cost of the whole amount, with the sign of the amount.
    pub(crate) cost: Option<Box<Money>>,
}

impl Money {
    pub(crate) fn negated(self) -> Self {
        let cost = self.cost.map(|cost| Box::new(cost.negated()));
        Self { amount: self.amount.negated(), cost, ..self }
    }

    /// Returns what balances the amount: its cost if it has one.
    pub(crate) fn weight(&self) -> &Self {
        self.cost.as_deref().unwrap_or(self)
    }
}

/// A posting of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) number: u8,
    pub(crate) account: Option<String>,
    /// `None` if it is what the others leave.
    pub(crate) money: Option<Money>,
    pub(crate) description: Option<String>,
}

/// An entry as its first posting sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) account: Option<String>,
    pub(crate) amount: SignedAmount,
    pub(crate) currency: Option<String>,
    pub(crate) legs: Vec<Leg>,
}

/// Fills in the amount that is missing, and makes the other postings parts of the first.
pub(crate) fn assemble(postings: Vec<Posting>) -> Result<Entry, Kind> {
    if postings.iter().all(|posting| posting.money.is_none()) {
        return Err(Kind::MissingAmount);
    }
    let missing = postings.iter().filter(|posting| posting.money.is_none()).count();
    let is_first = |posting: &Posting| posting.number == 1;
    let has_first = postings.iter().any(is_first);
    if missing + usize::from(!has_first) > 1 {
        return Err(Kind::TwoMissingAmounts);
    }
    let currencies: Vec<&str> = postings
        .iter()
        .filter_map(|posting| posting.money.as_ref())
        .map(|money| money.weight().currency.as_deref().unwrap_or_default())
        .collect();
    let is_mixed = currencies.windows(2).any(|pair| pair.first() != pair.last());
    let sum = postings
        .iter()
        .filter_map(|posting| posting.money.as_ref())
        .try_fold(SignedAmount::ZERO, |sum, money| sum.checked_add(money.weight().amount));
    let sum = sum.ok_or(Kind::MissingAmount)?;
    let is_balanced = missing > 0 || !has_first;
    // An amount cannot be inferred from several currencies.
    if is_mixed && is_balanced {
        return Err(Kind::TwoMissingAmounts);
    }
    let others = postings.len() - usize::from(has_first);
    if !is_mixed && !is_balanced && others > 0 && !sum.is_zero() {
        return Err(Kind::Unbalanced(sum));
    }
    let rest = Money {
        amount: sum.negated(),
        currency: postings
            .iter()
            .find_map(|posting| posting.money.as_ref())
            .and_then(|money| money.weight().currency.clone()),
        cost: None,
    };
    let (first, others): (Vec<Posting>, Vec<Posting>) = postings.into_iter().partition(is_first);
    let first = first.into_iter().next();
    let account = first.as_ref().and_then(|posting| posting.account.clone());
    let own = first.and_then(|posting| posting.money).unwrap_or_else(|| rest.clone());
    let mut legs: Vec<Leg> = others
        .into_iter()
        .map(|posting| {
            let money = posting.money.unwrap_or_else(|| rest.clone());
            Leg {
                account: posting.account,
                is_transfer: false,
                amount: money.amount.negated(),
                currency: (money.currency != own.currency)
                    .then(|| money.currency.unwrap_or_default()),
                description: posting.description,
            }
        })
        .collect();
    // One part without an account says nothing that the record does not.
    if let [only] = legs.as_slice()
        && only.account.is_none()
        && only.description.is_none()
        && only.currency.is_none()
    {
        legs.clear();
    }
    Ok(Entry { account, amount: own.amount, currency: own.currency, legs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(number: u8, account: &str, units: Option<i128>) -> Posting {
        let money = units.map(|units| Money {
            amount: SignedAmount::new(units, 0),
            currency: None,
            cost: None,
        });
        let account = Some(account.to_owned()).filter(|account| !account.is_empty());
        Posting { number, account, money, description: None }
    }

    fn shape(postings: &[Posting]) -> Result<(String, Vec<String>), Kind> {
        let entry = assemble(postings.to_vec())?;
        let legs = entry.legs.iter();
        let legs =
            legs.map(|leg| format!("{} {}", leg.account.as_deref().unwrap_or("?"), leg.amount));
        Ok((entry.amount.to_string(), legs.collect()))
    }

    #[test]
    fn missing_amounts_are_inferred() {
        let (amount, legs) =
            shape(&[posting(1, "a", Some(-10)), posting(2, "b", Some(7)), posting(3, "c", None)])
                .unwrap();
        assert_eq!((amount.as_str(), legs), ("-10", vec!["b -7".to_owned(), "c -3".to_owned()]));
        let (amount, legs) = shape(&[posting(1, "a", None), posting(2, "b", Some(7))]).unwrap();
        assert_eq!((amount.as_str(), legs), ("-7", vec!["b -7".to_owned()]));
        let (amount, legs) = shape(&[posting(1, "a", Some(5)), posting(2, "", Some(-5))]).unwrap();
        assert_eq!((amount.as_str(), legs), ("5", Vec::new()));
        assert_eq!(shape(&[posting(1, "a", Some(5))]).unwrap().1, Vec::<String>::new());
    }

    #[test]
    fn entries_that_do_not_balance_are_refused() {
        let unbalanced = [posting(1, "a", Some(-10)), posting(2, "b", Some(7))];
        assert_eq!(shape(&unbalanced), Err(Kind::Unbalanced(SignedAmount::new(-3, 0))));
        assert_eq!(shape(&[]), Err(Kind::MissingAmount));
        assert_eq!(shape(&[posting(1, "a", None)]), Err(Kind::MissingAmount));
        let two = [posting(1, "a", None), posting(2, "b", None), posting(3, "c", Some(1))];
        assert_eq!(shape(&two), Err(Kind::TwoMissingAmounts));
    }

    #[test]
    fn currencies_are_kept() {
        let euro = |number, units| {
            let mut posting = posting(number, "x", Some(units));
            posting.money = posting.money.map(|money| {
                let currency = if number == 1 { "EUR" } else { "USD" };
                Money { currency: Some(currency.to_owned()), ..money }
            });
            posting
        };
        let entry = assemble(vec![euro(1, -10), euro(2, 11)]).unwrap();
        assert_eq!(entry.currency.as_deref(), Some("EUR"));
        let currencies: Vec<Option<&str>> =
            entry.legs.iter().map(|leg| leg.currency.as_deref()).collect();
        assert_eq!(currencies, [Some("USD")]);
    }
}
