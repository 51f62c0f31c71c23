//! Records the items of an import, each as far as it is accepted (behaviour 15.7).

use daybook_domain::RefusalKind;
use daybook_domain::id::TransactionId;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{Changes, Intent, Transaction};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use super::create::{CreatePlan, plan};
use super::create_mode::CreateMode;
use crate::context::Context;
use crate::error::Result;

/// The transactions of a group of items, or why it was refused.
pub(crate) type RecordedGroup = std::result::Result<Vec<TransactionId>, String>;

/// Records groups of items. A group is recorded as a whole or not at all.
///
/// All groups are recorded at once. If one is refused, each is recorded on its own, and refused
/// ones are left out. For an item with a known remote id the existing transaction is returned.
///
/// # Errors
/// Failures, and refusals that are not about the items, such as those of storage quotas.
pub(crate) fn record_each(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    groups: Vec<Vec<Changes>>,
    intent: Intent,
) -> Result<Vec<RecordedGroup>> {
    let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
    let items: Vec<Changes> = groups.iter().flatten().cloned().collect();
    if items.is_empty() {
        return Ok(groups.iter().map(|_| Ok(Vec::new())).collect());
    }
    if let Ok(ids) = record(tx, cx, access, items, intent)? {
        let mut ids = ids.into_iter();
        return Ok(sizes.into_iter().map(|size| Ok(ids.by_ref().take(size).collect())).collect());
    }
    groups.into_iter().map(|group| record(tx, cx, access, group, intent)).collect()
}

/// Records items, or returns why they are refused. Nothing is written then.
///
/// # Errors
/// Those of [`record_each`], after which the unit of work must be rolled back.
fn record(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    items: Vec<Changes>,
    intent: Intent,
) -> Result<RecordedGroup> {
    let mode = CreateMode { quick_entries_are_read: true, ..CreateMode::from(intent) };
    let checked = plan(tx, cx, access, items, mode).and_then(|plan| {
        plan.write_set.check(tx, cx, access, &plan.accounts)?;
        Ok(plan)
    });
    let CreatePlan { transactions, accounts, write_set, .. } = match checked {
        Ok(plan) => plan,
        Err(error) if error.kind() == RefusalKind::Invalid => {
            return Ok(Err(error.without_index().to_string()));
        }
        Err(error) => return Err(error),
    };
    write_set.write(tx, cx, access, &accounts)?;
    Ok(Ok(transactions.iter().map(|transaction: &Transaction| transaction.id).collect()))
}
