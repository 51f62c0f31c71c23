//! Billing counts of a user. A self-hosted server bills nothing but keeps the counts (behaviour
//! 9.8, 9.11).

use daybook_domain::permission::Permission;
use daybook_domain::transaction::TransactionCount;
use daybook_storage::Tx;
use daybook_storage::posted_months::{MONTHS, PostedMonths};

use crate::context::Context;
use crate::error::Result;
use crate::zone;

/// listBillingCounts: transactions posted per month in the books that the caller owns, for the last
/// twelve months, oldest first.
///
/// Each book counts by its own zone. The last month is the latest one that has begun in any of the
/// zones.
///
/// # Errors
/// The access token is limited to books.
pub fn counts(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<TransactionCount>> {
    cx.scope.check_outside_books()?;
    let posted_months = tx.books().posted_months(cx.user.id)?;
    let mut last = zone::month(cx.now, "UTC");
    let mut counted: Vec<PostedMonths> = Vec::new();
    for book in tx.books().of_user(&cx.user.email)? {
        if book.granted == Some(Permission::Owner) {
            last = last.max(zone::month(cx.now, &book.book.settings.time_zone));
            counted.extend(posted_months.get(&book.book.id));
        }
    }
    let count = |month: i32| TransactionCount {
        year: month.div_euclid(100),
        month: u8::try_from(month.rem_euclid(100)).unwrap_or_default(),
        day: 0,
        total: counted.iter().map(|months| months.count_in(month)).sum(),
    };
    let rows: [TransactionCount; MONTHS] = PostedMonths::months(last).map(count);
    Ok(rows.into())
}
