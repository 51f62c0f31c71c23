//! The report of an audit: `data.audit` of BOOK_AUDITED (behaviour 6.7).

use crate::id::AccountId;
use crate::json::{Json, Object};

use super::chain::ChainCheck;
use super::finding::Findings;
use super::recount::RecountResult;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The number of the last event the audit has read.
    pub sequence: i64,
    /// Whether every balance and total equals the sums of the transactions.
    pub balances_match: bool,
    /// Whether credits and debits are equal, both of the transactions and of the totals.
    pub zero_sum: bool,
    /// Whether every event is present and unchanged.
    pub chain_intact: bool,
    /// The number of accounts.
    pub accounts_checked: i64,
    /// The number of transactions.
    pub transactions_checked: i64,
    /// The number of events.
    pub events_checked: i64,
    /// The findings.
    pub findings: Findings,
    /// The accounts whose `balanceVerified` changes, with the new value.
    pub changed: Vec<(AccountId, bool)>,
}

impl Report {
    /// Joins the recount and the check of the events.
    pub fn new(result: RecountResult, chain: ChainCheck<'_>) -> Self {
        let RecountResult {
            balances_match,
            zero_sum,
            accounts_checked,
            transactions_checked,
            mut findings,
            changed,
        } = result;
        let (sequence, events_checked) = (chain.sequence(), chain.checked());
        let found = chain.into_findings();
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

    /// Builds `data.audit` of the event.
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
