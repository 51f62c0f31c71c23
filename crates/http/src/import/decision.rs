//! The decisions of a confirmation: the body, its stored form and its check.

use std::collections::HashSet;

use daybook_domain::id::TransactionId;
use daybook_domain::import::{
    Choice, Confidence, Decision, Decisions, Other, OutcomeKind, Refusal,
};
use daybook_edge::error::{ApiError, RequestError};
use serde::{Deserialize, Serialize};

use super::chart::Names;
use crate::wire::{TextOrNumber, list, objects_only};

/// The most decisions, and the most accounts to create (behaviour 15.8).
const MAX_DECISIONS: usize = 10_000;

/// The most tags of a decision.
const MAX_TAGS: usize = 100;

/// The body of confirmImport.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct ConfirmationIn {
    #[serde(default, deserialize_with = "list")]
    decisions: Option<Vec<DecisionIn>>,
    #[serde(default)]
    accept_above: Option<TextOrNumber>,
    #[serde(default, deserialize_with = "list")]
    create_accounts: Option<Vec<String>>,
}

objects_only!(ConfirmationIn);

/// A decision about a record.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
struct DecisionIn {
    record: u32,
    #[serde(default)]
    outcome: Option<String>,
    #[serde(default)]
    account: Option<String>,
    #[serde(default)]
    r#match: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, deserialize_with = "list")]
    tags: Option<Vec<String>>,
}

objects_only!(DecisionIn);

/// The stored decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DecisionsDoc {
    decisions: Vec<DecisionDoc>,
    /// In ten-thousandths.
    accept_above: Option<u16>,
    create_accounts: Option<Vec<String>>,
}

/// A stored decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct DecisionDoc {
    record: u32,
    outcome: Option<String>,
    account: Option<String>,
    matched: Option<String>,
    description: Option<String>,
    tags: Vec<String>,
}

impl TryFrom<ConfirmationIn> for DecisionsDoc {
    type Error = ApiError;

    fn try_from(body: ConfirmationIn) -> Result<Self, ApiError> {
        let ConfirmationIn { decisions, accept_above, create_accounts } = body;
        let decisions = decisions.unwrap_or_default();
        check_size("decisions", decisions.len())?;
        check_size("createAccounts", create_accounts.as_ref().map_or(0, Vec::len))?;
        let accept_above = match accept_above {
            None => None,
            Some(TextOrNumber(text)) => Some(ten_thousandths(&text).ok_or_else(|| {
                RequestError::InvalidFormat("acceptAbove: expected a number from 0 to 1".to_owned())
            })?),
        };
        let decisions = decisions.into_iter().map(DecisionDoc::try_from);
        let decisions = decisions.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { decisions, accept_above, create_accounts })
    }
}

fn check_size(name: &str, count: usize) -> Result<(), RequestError> {
    if count > MAX_DECISIONS {
        let why = format!("{name} has {count} entries; at most {MAX_DECISIONS} are allowed");
        return Err(RequestError::InvalidFormat(why));
    }
    Ok(())
}

impl TryFrom<DecisionIn> for DecisionDoc {
    type Error = RequestError;

    fn try_from(body: DecisionIn) -> Result<Self, RequestError> {
        let DecisionIn { record, outcome, account, r#match, description, tags } = body;
        let tags = tags.unwrap_or_default();
        if tags.len() > MAX_TAGS {
            let why = format!("tags of record {record}: at most {MAX_TAGS} are allowed");
            return Err(RequestError::InvalidFormat(why));
        }
        if let Some(name) = &outcome
            && OutcomeKind::from_name(name).is_none()
        {
            let shown: String = name.chars().take(40).collect();
            let why = format!("outcome of record {record}: unknown value \"{shown}\"");
            return Err(RequestError::InvalidFormat(why));
        }
        Ok(Self { record, outcome, account, matched: r#match, description, tags })
    }
}

impl DecisionsDoc {
    /// Returns the numbers of the records.
    pub(super) fn records(&self) -> HashSet<u32> {
        self.decisions.iter().map(|decision| decision.record).collect()
    }

    /// Returns whether only some accounts may be created.
    pub(super) const fn restricts_accounts(&self) -> bool {
        self.create_accounts.is_some()
    }

    /// Returns the decisions, and the names of accounts that may be created.
    ///
    /// # Errors
    /// Refusals of the decisions; the name of an unknown account.
    pub(super) fn read(
        &self,
        names: &Names<'_>,
        new_accounts: &HashSet<&str>,
        total: u32,
    ) -> Result<(Decisions, Option<HashSet<String>>), Refusal> {
        let decisions = self.decisions.iter().map(|decision| -> Result<Decision, Refusal> {
            let account = decision.account.as_deref().map(|text| match names.find(text) {
                Some(known) => Ok(Other::Account(known.id)),
                None if new_accounts.contains(text) => Ok(Other::Named(text.to_owned())),
                None => {
                    Err(Refusal::UnknownAccount(decision.record, text.chars().take(60).collect()))
                }
            });
            let matched = decision.matched.as_deref().map(|text| {
                text.parse::<TransactionId>().map(Choice::Transaction).map_err(|_| {
                    Refusal::UnknownMatch(decision.record, text.chars().take(60).collect())
                })
            });
            Ok(Decision {
                record: decision.record,
                outcome: decision.outcome.as_deref().and_then(OutcomeKind::from_name),
                account: account.transpose()?,
                matched: matched.transpose()?,
                description: decision.description.clone(),
                tags: decision.tags.clone(),
            })
        });
        let decisions = decisions.collect::<Result<Vec<_>, Refusal>>()?;
        let accept_above = self.accept_above.map(Confidence::from_ten_thousandths);
        let decisions = Decisions::new(decisions, total, accept_above)?;
        let allowed = self.create_accounts.as_ref().map(|names| names.iter().cloned().collect());
        Ok((decisions, allowed))
    }
}

/// Reads a number from 0 to 1 in ten-thousandths.
fn ten_thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let digits: String = fraction.chars().chain("0000".chars()).take(4).collect();
    let whole: u16 = whole.parse().ok()?;
    let share = whole.checked_mul(10_000)?.checked_add(digits.parse().ok()?)?;
    (share <= 10_000).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_exactly() {
        for (text, share) in [
            ("0", Some(0)),
            ("1", Some(10_000)),
            ("0.95", Some(9_500)),
            ("1.0", Some(10_000)),
            ("0.99999", Some(9_999)),
            ("1.5", None),
            ("-1", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(ten_thousandths(text), share, "{text}");
        }
    }
}
