//! mergeTransactions (behaviour 3.11).

use daybook_domain::id::TransactionId;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{Changes, MergePair, Merged, Refusal, Transaction};
use daybook_storage::Tx;

use super::lifecycle::{load, named_id};
use super::save::WriteSet;
use super::{AccountDetail, View, attach, rules, sides};
use crate::context::Context;
use crate::error::Result;
use crate::{access, batch};

/// Merges the two named transactions into a new one, which is returned (behaviour 3.11.1).
///
/// # Errors
/// What the access step and the rule of merges refuse; nothing is changed then.
pub fn merge(tx: &mut Tx<'_>, cx: &Context, book: &str, items: &[Changes]) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Post)?;
    batch::check_size("items", items.len())?;
    if items.len() != 2 {
        return Err(Refusal::NotTwo(items.len()).into());
    }
    let ids = batch::each(items, named_id)?;
    let found = load(tx, &access, &ids, true)?;
    let given: Vec<Transaction> =
        ids.iter().filter_map(|(_, id)| found.get(&(*id)?).cloned()).collect();
    let accounts = tx.accounts().by_ids(&access, sides(&given))?;
    let rules = rules(cx, &access, &accounts);
    let new = [TransactionId::new(cx.mint()), TransactionId::new(cx.mint())];
    let pair = MergePair::new(given)?;
    let Merged { transaction, originals, difference } =
        rules.merge(&pair, new, cx.agent.as_deref())?;
    let mut write_set = WriteSet::about(attach::files_by_id(tx, &access, &[], pair.given())?);
    write_set.created(&rules, &transaction);
    for (before, after) in pair.given().iter().cloned().zip(originals) {
        write_set.merged_away(&rules, before, after);
    }
    if let Some(draft) = difference {
        write_set.created(&rules, &draft);
    }
    write_set.save(tx, cx, &access, &accounts)?;
    View::around(tx, cx, access.into_access(), (vec![transaction], accounts), AccountDetail::Full)
}
