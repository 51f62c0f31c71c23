//! What a user's books would be billed for: nothing, on a self-hosted server; the counts are kept
//! all the same (behaviour 9.8, 9.11).

use daybook_domain::permission::Permission;
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
    let (mut last, mut all) = (zone::month(cx.now, "UTC"), Vec::<PostedMonths>::new());
    for book in owned {
        last = last.max(zone::month(cx.now, &book.book.settings.time_zone));
        all.extend(kept.get(&book.book.id));
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
