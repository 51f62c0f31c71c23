//! Counts and sums of an import, and the check of a statement's balances.

use super::outcome::OutcomeKind;
use super::record::Status;

/// The number of records by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records to be recorded.
    pub new: u32,
    /// Records that the book has already.
    pub existing: u32,
    /// Records that belong to other transactions.
    pub matched: u32,
    /// Records that are left out.
    pub skipped: u32,
    /// Records that cannot be recorded.
    pub refused: u32,
}

impl Counts {
    /// Counts a record.
    pub const fn add(&mut self, kind: OutcomeKind) {
        let count = match kind {
            OutcomeKind::New => &mut self.new,
            OutcomeKind::Existing => &mut self.existing,
            OutcomeKind::Matched => &mut self.matched,
            OutcomeKind::Skipped => &mut self.skipped,
            OutcomeKind::Refused => &mut self.refused,
        };
        *count = count.saturating_add(1);
    }

    /// Returns the number of all records.
    pub const fn total(self) -> u32 {
        self.new
            .saturating_add(self.existing)
            .saturating_add(self.matched)
            .saturating_add(self.skipped)
            .saturating_add(self.refused)
    }
}

/// The sums of money into and out of an account, at the storage scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// The sum of the amounts into the account.
    pub money_in: i128,
    /// The sum of the amounts out of the account, without a sign.
    pub money_out: i128,
}

impl Sums {
    /// Adds an amount; positive into the account.
    pub fn add(&mut self, units: i64) {
        // Sums of 64-bit numbers stay far below 128 bits.
        let magnitude = units.unsigned_abs();
        if units < 0 {
            self.money_out += i128::from(magnitude);
        } else {
            self.money_in += i128::from(magnitude);
        }
    }

    /// Returns the change of the balance.
    pub const fn movement(self) -> i128 {
        self.money_in - self.money_out
    }
}

/// The counts and sums of all records of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// The number of records by outcome.
    pub counts: Counts,
    /// The sums of the booked records with an amount, whatever their outcome.
    pub sums: Sums,
    /// The number of new records that become drafts.
    pub drafts: u32,
    /// The number of records refused because their date is locked.
    pub locked: u32,
}

/// The balances that a statement declares, and its booked records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatementCheck {
    /// The balance before the first record, at the storage scale; positive for money in the
    /// account.
    pub opening: Option<i128>,
    /// The balance after the last record.
    pub closing: Option<i128>,
    /// The sums of the booked records with an amount, whatever their outcome.
    pub sums: Sums,
    /// The number of these records.
    pub count: u32,
}

impl StatementCheck {
    /// Adds a record of the statement. A pending record counts in no balance.
    pub fn add(&mut self, units: i64, status: Status) {
        match status {
            Status::Booked => {
                self.sums.add(units);
                self.count = self.count.saturating_add(1);
            }
            Status::Pending => {}
        }
    }

    /// Returns closing balance - (opening balance + records); zero when the statement is complete.
    ///
    /// `None` when the statement declares only one balance or none.
    pub fn difference(self) -> Option<i128> {
        let (opening, closing) = (self.opening?, self.closing?);
        closing.checked_sub(opening)?.checked_sub(self.sums.movement())
    }
}
