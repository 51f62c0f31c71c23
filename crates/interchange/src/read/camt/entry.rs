//! Entries of a statement, and the records that they become.

use time::Date;

use crate::read::amount::SignedAmount;
use crate::read::problem::{Kind, Position, Problem};
use crate::read::record::{Leg, Original, Record, Status};

/// An amount and its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) value: SignedAmount,
    pub(crate) currency: String,
}

/// An entry while it is read.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) position: Position,
    pub(crate) amount: Option<Amount>,
    pub(crate) is_debit: Option<bool>,
    pub(crate) is_reversal: bool,
    pub(crate) status: Status,
    pub(crate) booking_date: Option<Date>,
    pub(crate) value_date: Option<Date>,
    pub(crate) servicer_reference: Option<String>,
    pub(crate) information: Option<String>,
    pub(crate) has_charges: bool,
    pub(crate) original: Option<Amount>,
    pub(crate) rate: Option<String>,
    pub(crate) details: Vec<Detail>,
    /// The first thing that cannot be read.
    pub(crate) problem: Option<Problem>,
}

/// A transaction of an entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detail {
    /// The amount in any currency.
    pub(crate) amount: Option<Amount>,
    /// The amount as it was booked.
    pub(crate) transaction_amount: Option<Amount>,
    /// The amount as it was ordered.
    pub(crate) instructed: Option<Amount>,
    pub(crate) rate: Option<String>,
    pub(crate) is_debit: Option<bool>,
    pub(crate) has_charges: bool,
    pub(crate) end_to_end: Option<String>,
    pub(crate) servicer_reference: Option<String>,
    pub(crate) debtor: Option<String>,
    pub(crate) creditor: Option<String>,
    pub(crate) debtor_account: Option<String>,
    pub(crate) creditor_account: Option<String>,
    pub(crate) remittance: Vec<String>,
    pub(crate) creditor_reference: Option<String>,
    pub(crate) information: Option<String>,
}

impl Entry {
    pub(crate) const fn new(position: Position) -> Self {
        Self {
            position,
            amount: None,
            is_debit: None,
            is_reversal: false,
            status: Status::Booked,
            booking_date: None,
            value_date: None,
            servicer_reference: None,
            information: None,
            has_charges: false,
            original: None,
            rate: None,
            details: Vec::new(),
            problem: None,
        }
    }

    /// Returns the amount with the sign of the standard.
    pub(crate) fn signed(&self) -> Option<SignedAmount> {
        let amount = self.amount.as_ref()?;
        let is_debit = self.is_debit.unwrap_or_default();
        Some(if is_debit { amount.value.negated() } else { amount.value })
    }

    /// Makes the record. `is_flipped` gives reversals the other sign.
    ///
    /// The second value is a warning.
    pub(crate) fn record(&self, is_flipped: bool) -> Result<(Record, Option<Problem>), Problem> {
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        let missing = |kind| Problem::at(self.position, kind);
        let stated = self.amount.as_ref().ok_or_else(|| missing(Kind::MissingAmount))?;
        let signed = self.signed().ok_or_else(|| missing(Kind::MissingAmount))?;
        let amount = if is_flipped && self.is_reversal { signed.negated() } else { signed };
        let mut record = Record::new(self.position, amount);
        record.date = self.booking_date.or(self.value_date);
        record.value_date = self.value_date;
        record.currency = Some(stated.currency.clone());
        record.status = self.status;
        record.source_id.clone_from(&self.servicer_reference);
        if let [detail] = self.details.as_slice() {
            self.add_detail(detail, &mut record);
        } else {
            record.description = self.information.clone().unwrap_or_default();
        }
        if record.original.is_none() {
            record.original = self.original(self.original.as_ref(), self.rate.as_ref());
        }
        let warning = self.add_legs(&mut record);
        if self.is_reversal {
            record.properties.push(("reversal".to_owned(), "yes".to_owned()));
        }
        Ok((record, warning))
    }

    /// Adds what the only transaction of the entry says.
    fn add_detail(&self, detail: &Detail, record: &mut Record) {
        let is_outgoing = self.is_debit.unwrap_or_default();
        let (payee, account) = detail.other_party(is_outgoing);
        record.payee = payee.cloned();
        record.counterparty = account.cloned();
        record.reference = detail.reference();
        let id = record.source_id.take().or_else(|| detail.servicer_reference.clone());
        record.source_id = id;
        let text = detail.text();
        let text = text.or_else(|| self.information.clone()).or_else(|| record.payee.clone());
        record.description = text.unwrap_or_default();
        record.memo = self.information.clone().filter(|memo| *memo != record.description);
        let original = detail.instructed.as_ref().or(detail.amount.as_ref());
        let rate = detail.rate.as_ref().or(self.rate.as_ref());
        record.original = self.original(original, rate);
    }

    fn original(&self, amount: Option<&Amount>, rate: Option<&String>) -> Option<Original> {
        let amount = amount?;
        let is_foreign = self.amount.as_ref().is_some_and(|own| own.currency != amount.currency);
        is_foreign.then(|| Original {
            amount: amount.value,
            currency: amount.currency.clone(),
            rate: rate.cloned(),
        })
    }

    /// Makes the transactions of the entry its parts, and what they leave another one.
    fn add_legs(&self, record: &mut Record) -> Option<Problem> {
        let own = self.amount.as_ref()?;
        let amounts: Vec<Option<SignedAmount>> =
            self.details.iter().map(|detail| detail.amount_in(&own.currency)).collect();
        // A transaction without an amount has all of the entry.
        if amounts.iter().all(Option::is_none) {
            return None;
        }
        let is_debit = self.is_debit.unwrap_or_default();
        let is_flipped = record.amount != self.signed()?;
        let mut sum = SignedAmount::ZERO;
        let mut legs = Vec::new();
        for (detail, amount) in self.details.iter().zip(amounts) {
            let Some(amount) = amount else { continue };
            let is_outgoing = detail.is_debit.unwrap_or(is_debit) != is_flipped;
            let amount = if is_outgoing { amount.negated() } else { amount };
            sum = sum.checked_add(amount)?;
            let (payee, _) = detail.other_party(is_debit);
            let description = match (payee, detail.text()) {
                (Some(payee), Some(text)) => Some(format!("{payee}: {text}")),
                (payee, text) => text.or_else(|| payee.cloned()),
            };
            legs.push(Leg { amount, description, ..Leg::default() });
        }
        let rest = record.amount.checked_sub(sum)?;
        let mut warning = None;
        if !rest.is_zero() {
            let has_charges =
                self.has_charges || self.details.iter().any(|detail| detail.has_charges);
            let description = has_charges.then(|| "Charges".to_owned());
            if !has_charges {
                let kind = Kind::SplitMismatch { splits: sum, record: record.amount };
                warning = Some(Problem::at(self.position, kind));
            }
            legs.push(Leg { amount: rest, description, ..Leg::default() });
        }
        if legs.len() > 1 {
            record.legs = legs;
        }
        warning
    }
}

impl Detail {
    fn amount_in(&self, currency: &str) -> Option<SignedAmount> {
        let amounts = [&self.transaction_amount, &self.amount, &self.instructed];
        let found = amounts.into_iter().flatten().find(|amount| amount.currency == currency);
        found.map(|amount| amount.value)
    }

    /// Returns the other party of a payment and its account.
    const fn other_party(&self, is_outgoing: bool) -> (Option<&String>, Option<&String>) {
        if is_outgoing {
            (self.creditor.as_ref(), self.creditor_account.as_ref())
        } else {
            (self.debtor.as_ref(), self.debtor_account.as_ref())
        }
    }

    fn text(&self) -> Option<String> {
        let text = self.remittance.join(" ");
        Some(text).filter(|text| !text.is_empty()).or_else(|| self.information.clone())
    }

    fn reference(&self) -> Option<String> {
        let end_to_end = self.end_to_end.clone().filter(|id| id != "NOTPROVIDED");
        self.creditor_reference.clone().or(end_to_end)
    }
}
