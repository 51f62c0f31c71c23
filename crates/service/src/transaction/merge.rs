//! mergeTransactions (behaviour 3.11).

use daybook_domain::collaborator::Action;
use daybook_domain::event::{EventType, Happening};
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::{Changes, Merged, Pair, Refusal, Transaction};
use daybook_storage::Tx;

use super::lifecycle::{load, named_id};
use super::save::Outcome;
use super::{Detail, View, attach, recorder, sides};
use crate::context::Context;
use crate::error::Result;
use crate::{access, batch};

/// Merges the two transactions the items name into a new one, which is answered (behaviour 3.11.1).
///
/// # Errors
/// What the access step and the rule of merges refuse; nothing is changed then.
pub fn merge(tx: &mut Tx<'_>, cx: &Context, book: &str, items: &[Changes]) -> Result<View> {
    let member = access::enter(tx, cx, book, Action::Post)?;
    batch::check_size("items", items.len())?;
    if items.len() != 2 {
        return Err(Refusal::NotTwo(items.len()).into());
    }
    let ids = batch::each(items, named_id)?;
    let found = load(tx, &member, &ids, true)?;
    let given: Vec<Transaction> =
        ids.iter().filter_map(|(_, id)| found.get(&(*id)?).cloned()).collect();
    let accounts = tx.accounts().by_ids(&member, sides(&given))?;
    let recorder = recorder(cx, &member, &accounts);
    let new = [TransactionId::new(cx.mint()), TransactionId::new(cx.mint())];
    let pair = Pair::new(given)?;
    let Merged { transaction, originals, difference } =
        recorder.merge(&pair, new, cx.agent.as_deref())?;
    let mut outcome = Outcome::about(attach::cabinet(tx, &member, &[], pair.given())?);
    outcome.created(&member, &accounts, &transaction);
    for (before, after) in pair.given().iter().cloned().zip(originals) {
        let shot = outcome.shot(&member, &accounts, &after);
        outcome.tell(Happening::new(EventType::TransactionDeleted, after.id.get(), shot));
        outcome.changed(before, after);
    }
    if let Some(draft) = difference {
        outcome.created(&member, &accounts, &draft);
    }
    outcome.save(tx, cx, &member, &accounts)?;
    View::around(tx, cx, member, (vec![transaction], accounts), Detail::Full)
}
