//! Merges of two transactions (behaviour 3.11), with their comments (3.14.6).

use daybook_domain::access::Access;
use daybook_domain::comment::Comment;
use daybook_domain::id::{CommentId, TransactionId};
use daybook_domain::purpose::{Record, WriteComments};
use daybook_domain::transaction::{
    Changes, MergePair, Merged, Refusal, Transaction, check_index_terms,
};
use daybook_storage::Tx;

use super::lifecycle::{OnUnknown, load, read_id};
use super::save::WriteSet;
use super::{AccountDetail, View, attach, rules, sides};
use crate::context::Context;
use crate::error::Result;
use crate::{access, batch};

/// mergeTransactions: merges the two named transactions into a new one, which is returned.
///
/// Fields in the items take precedence over what is stored (behaviour 3.11.1, 3.11.9).
///
/// # Errors
/// Refusals of the rule of merges. Nothing is changed then.
pub fn merge(tx: &mut Tx<'_>, cx: &Context, book: &str, items: Vec<Changes>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Post)?;
    batch::check_size("items", items.len())?;
    if items.len() != 2 {
        return Err(Refusal::NotTwo(items.len()).into());
    }
    let ids = batch::each(&items, read_id)?;
    let found = load(tx, &access, &ids, OnUnknown::RefuseMerge)?;
    let given: Vec<Transaction> =
        ids.iter().filter_map(|(_, id)| found.get(&(*id)?).cloned()).collect();
    let pair = MergePair::new(given)?;
    check_index_terms(&items)?;
    let references = items.iter().flat_map(Changes::references);
    let mut accounts = tx.accounts().directory(&access, references, sides(pair.originals()))?;
    let files_by_id = attach::files_by_id(tx, &access, &items, pair.originals())?;
    let rules = rules(cx, &access, &accounts);
    rules.check_mergeable(&pair)?;
    let mut write_set = WriteSet::with_files(files_by_id.clone());
    let pair = if items.iter().any(Changes::has_fields_besides_id) {
        let originals = pair.originals().clone();
        let submitted = batch::each(items.into_iter().zip(&originals), |(item, stored)| {
            let (item, new_files) = attach::resolve(cx, &access, &files_by_id, item, Some(stored))?;
            write_set.add_files(new_files);
            Ok(rules.read_submitted(&item, stored)?)
        })?;
        pair.with_submitted(submitted)?
    } else {
        pair
    };
    let new_ids = [TransactionId::new(cx.mint()), TransactionId::new(cx.mint())];
    let Merged { transaction, originals, difference } =
        rules.merge(&pair, new_ids, cx.agent.as_deref())?;
    write_set.add_created(&rules, &transaction)?;
    for (before, after) in pair.originals().iter().cloned().zip(originals) {
        write_set.add_merged(&rules, before, after);
    }
    if let Some(draft) = difference {
        write_set.add_created(&rules, &draft)?;
    }
    let comments = copy_comments(tx, cx, &access, &pair, &transaction)?;
    write_set.add_comments(cx.user.id, &comments)?;
    tx.comments().insert(&access.with_purpose(WriteComments)?, &comments)?;
    write_set.save(tx, cx, &access, &accounts)?;
    accounts.mark_posted(&transaction.entries().iter().map(|entry| entry.account).collect());
    let previous_accounts = sides(pair.originals());
    let access = access.into_access();
    let transactions = vec![transaction];
    let view = View::with_accounts(tx, cx, access, transactions, accounts, AccountDetail::Full)?;
    Ok(View { previous_accounts, ..view })
}

/// Copies the comments on both originals to the merged transaction, oldest first.
fn copy_comments(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    pair: &MergePair,
    merged: &Transaction,
) -> Result<Vec<Comment>> {
    let mut comments = Vec::new();
    for original in pair.originals().iter().filter(|original| original.comment_count > 0) {
        comments.extend(tx.comments().list(access, original.id)?);
    }
    comments.sort_by_key(|comment| (comment.created_at, comment.id));
    let copy = |comment: &Comment| comment.copied_to(merged.id, CommentId::new(cx.mint()));
    Ok(comments.iter().map(copy).collect())
}
