//! mergeTransactions (behaviour 3.11).

use daybook_domain::id::TransactionId;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{
    Changes, MergePair, Merged, Refusal, Transaction, check_indexed,
};
use daybook_storage::Tx;

use super::lifecycle::{OnUnknown, load, named_id};
use super::save::WriteSet;
use super::{AccountDetail, View, attach, rules, sides};
use crate::context::Context;
use crate::error::Result;
use crate::{access, batch};

/// Merges the two named transactions into a new one, which is returned. What the items say besides
/// their ids goes before what is stored (behaviour 3.11.1, 3.11.9).
///
/// # Errors
/// What the access step and the rule of merges refuse; nothing is changed then.
pub fn merge(tx: &mut Tx<'_>, cx: &Context, book: &str, items: Vec<Changes>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Post)?;
    batch::check_size("items", items.len())?;
    if items.len() != 2 {
        return Err(Refusal::NotTwo(items.len()).into());
    }
    let ids = batch::each(&items, named_id)?;
    let found = load(tx, &access, &ids, OnUnknown::RefuseMerge)?;
    let given: Vec<Transaction> =
        ids.iter().filter_map(|(_, id)| found.get(&(*id)?).cloned()).collect();
    let pair = MergePair::new(given)?;
    check_indexed(&items)?;
    let references = items.iter().flat_map(Changes::references);
    let mut accounts = tx.accounts().directory(&access, references, sides(pair.given()))?;
    let files_by_id = attach::files_by_id(tx, &access, &items, pair.given())?;
    let rules = rules(cx, &access, &accounts);
    rules.check_mergeable(&pair)?;
    let mut write_set = WriteSet::with_files(files_by_id.clone());
    let pair = if items.iter().any(Changes::says_more_than_its_id) {
        let originals = pair.given().clone();
        let submitted = batch::each(items.into_iter().zip(&originals), |(item, stored)| {
            let (item, new_files) = attach::resolve(cx, &access, &files_by_id, item, Some(stored))?;
            write_set.attached(new_files);
            Ok(rules.submitted(&item, stored)?)
        })?;
        pair.submitting(submitted)?
    } else {
        pair
    };
    let new = [TransactionId::new(cx.mint()), TransactionId::new(cx.mint())];
    let Merged { transaction, originals, difference } =
        rules.merge(&pair, new, cx.agent.as_deref())?;
    write_set.created(&rules, &transaction)?;
    for (before, after) in pair.given().iter().cloned().zip(originals) {
        write_set.merged_away(&rules, before, after);
    }
    if let Some(draft) = difference {
        write_set.created(&rules, &draft)?;
    }
    write_set.save(tx, cx, &access, &accounts)?;
    accounts.note_posted(&transaction.entries().iter().map(|entry| entry.account).collect());
    let left = sides(pair.given());
    let view = View::with_accounts(
        tx,
        cx,
        access.into_access(),
        (vec![transaction], accounts),
        AccountDetail::Full,
    )?;
    Ok(View { left, ..view })
}
