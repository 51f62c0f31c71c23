//! Checks and unchecks by reconciliations (behaviour 14.5, 14.6).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::id::TransactionId;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{Changes, Transaction, Verb};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use super::lifecycle::{OnUnknown, load};
use super::save::WriteSet;
use super::{attach, rules, rules_of};
use crate::context::Context;
use crate::error::{Error, Result};

/// Loads the transactions that a reconciliation names.
///
/// # Errors
/// [`daybook_domain::transaction::Refusal::UnknownIds`].
pub(crate) fn load_named(
    tx: &mut Tx<'_>,
    access: &Access,
    ids: &[(String, Option<TransactionId>)],
) -> Result<HashMap<TransactionId, Transaction>> {
    load(tx, access, ids, OnUnknown::ListAll)
}

/// Checks or unchecks transactions, with the events of these verbs.
pub(crate) fn change_checks(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    accounts: &Directory,
    verbs: Vec<(Verb, Transaction)>,
) -> Result<()> {
    let transactions: Vec<Transaction> = verbs.iter().map(|(_, before)| before.clone()).collect();
    let mut write_set = WriteSet::with_files(attach::files_by_id(tx, access, &[], &transactions)?);
    let rules = rules(cx, access, accounts);
    for (verb, before) in verbs {
        let rules = rules_of(rules, &before);
        let unchanged = || Ok::<_, Error>(Changes::default());
        if let Some(edited) = rules.perform(verb, false, &before, unchanged)? {
            write_set.add_performed(&rules, verb, before, edited)?;
        }
    }
    write_set.save(tx, cx, access, accounts)
}
