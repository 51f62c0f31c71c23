//! What a user's books would be billed for: nothing, on a self-hosted server; the counts are kept
//! all the same (behaviour 9.8, 9.11).

use std::collections::HashMap;

use daybook_domain::id::BookId;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::transaction::TransactionCount;
use daybook_storage::Tx;
use daybook_storage::posted_months::{MONTHS, PostedMonths};

use crate::context::Context;
use crate::error::Result;
use crate::zone;

/// listBillingCounts: what was posted in the books that the caller owns, in each of the last twelve
/// months of their zones, oldest first. The last month is the latest one that it is in any of them.
///
/// # Errors
/// The access token is limited to books.
pub fn counts(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<TransactionCount>> {
    cx.scope.check_outside_books()?;
    let kept = tx.books().posted_months(cx.user.id)?;
    let owned = tx.books().of_user(&cx.user.email)?.into_iter();
    let owned = owned.filter(|book| book.granted == Some(Permission::Owner));
    let (mut last, mut all) = (zone::month(cx.now, "UTC"), Vec::new());
    for book in owned {
        let current = zone::current(cx.now, &book.book.settings.time_zone);
        last = last.max(current.month);
        all.push(match known(&kept, book.book.id) {
            Some(months) => months,
            None => {
                let access = book.admit(cx.user.id, Action::ReadBook)?;
                tx.books().count_posted(&access, &current)?
            }
        });
    }
    let count = |month: i32| TransactionCount {
        year: month.div_euclid(100),
        month: u8::try_from(month.rem_euclid(100)).unwrap_or_default(),
        day: 0,
        total: all.iter().map(|months| months.posted(month)).sum(),
    };
    let rows: [TransactionCount; MONTHS] = PostedMonths::months(last).map(count);
    Ok(rows.into())
}

fn known(kept: &HashMap<BookId, Option<PostedMonths>>, book: BookId) -> Option<PostedMonths> {
    kept.get(&book).copied().flatten()
}
