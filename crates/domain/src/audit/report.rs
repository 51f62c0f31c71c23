//! The report: what BOOK_AUDITED tells (behaviour 6.7).

use crate::id::AccountId;
use crate::json::{Json, Object};

use super::finding::Findings;
use super::recount::RecountResult;
use super::trail::Trail;

/// What an audit found, about the book as it stood after one of its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The number of the last event the audit knows of.
    pub sequence: i64,
    /// Every balance, entry and total is what the transactions make it.
    pub balances_match: bool,
    /// Credits and debits are equal, however they are added up.
    pub zero_sum: bool,
    /// Every event is there and as it was recorded.
    pub chain_intact: bool,
    /// How many accounts were looked at.
    pub accounts_checked: i64,
    /// How many transactions were read.
    pub transactions_checked: i64,
    /// How many events were read.
    pub events_checked: i64,
    /// What is wrong.
    pub findings: Findings,
    /// The accounts whose balance is verified now and was not, or the other way round.
    pub changed: Vec<(AccountId, bool)>,
}

impl Report {
    /// Puts both halves of an audit together.
    #[must_use]
    pub fn new(result: RecountResult, trail: Trail<'_>) -> Self {
        let RecountResult {
            balances_match,
            zero_sum,
            accounts_checked,
            transactions_checked,
            mut findings,
            changed,
        } = result;
        let (sequence, events_checked) = (trail.sequence(), trail.checked());
        let found = trail.into_findings();
        let chain_intact = found.count() == 0;
        findings.extend(found);
        Self {
            sequence,
            balances_match,
            zero_sum,
            chain_intact,
            accounts_checked,
            transactions_checked,
            events_checked,
            findings,
            changed,
        }
    }

    /// `data.audit` of the event.
    #[must_use]
    pub fn object(&self) -> Object {
        Object::new()
            .with("sequence", Json::Number(self.sequence))
            .with("balancesMatch", Json::Bool(self.balances_match))
            .with("zeroSum", Json::Bool(self.zero_sum))
            .with("chainIntact", Json::Bool(self.chain_intact))
            .with("accountsChecked", Json::Number(self.accounts_checked))
            .with("transactionsChecked", Json::Number(self.transactions_checked))
            .with("eventsChecked", Json::Number(self.events_checked))
            .with("findingsCount", Json::Number(self.findings.count()))
            .with("findings", self.findings.json())
    }
}
