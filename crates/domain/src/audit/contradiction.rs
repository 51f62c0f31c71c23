//! Contradictions within the row of a transaction.

use super::AuditedTransaction;
use crate::id::AccountId;
use crate::transaction::Standing;

impl AuditedTransaction {
    /// Returns whether it counts in balances: posted and not trashed (behaviour 5.12).
    pub(super) const fn counts(&self) -> bool {
        matches!(self.standing, Some(Standing::Unchecked | Standing::Checked)) && !self.trashed
    }
}

/// Describes the contradictions in a row.
pub(super) fn contradictions(
    record: &AuditedTransaction,
    exists: impl Fn(AccountId) -> bool,
) -> Vec<String> {
    let AuditedTransaction { dated, standing, amount, credit, debit, .. } = record;
    let mut found = Vec::new();
    if standing.is_none() {
        found.push("unknown standing".to_owned());
    }
    if amount.is_some_and(|amount| amount <= 0) {
        found.push("amount is not positive".to_owned());
    }
    if credit.is_some() && credit == debit {
        found.push("same account on both sides".to_owned());
    }
    for account in credit.iter().chain(debit).filter(|account| !exists(**account)) {
        found.push(format!("unknown account {account}"));
    }
    let parts = [
        ("date", *dated),
        ("amount", amount.is_some()),
        ("creditAccount", credit.is_some()),
        ("debitAccount", debit.is_some()),
    ];
    if record.counts() {
        let missing = parts.iter().filter(|(_, given)| !given);
        found.extend(missing.map(|(part, _)| format!("posted without {part}")));
    }
    found
}
