//! Sums by the account on the other side, for the cash flow (behaviour 13.9).

use std::collections::HashSet;

use daybook_domain::access::Access;
use daybook_domain::balance::{PeriodTotal, Segment};
use daybook_domain::id::AccountId;
use daybook_domain::transaction::Standing;

use super::limbs::ENTRY_SUMS;
use super::totals_query::{bounded, day_value, has_tags, period_of};
use super::{Balances, Row};
use crate::conn::planner::Lookup;
use crate::conn::sql::{MAX_NAMED, Sql, by_position, numbers};
use crate::error::Result;
use crate::rows::transaction::standing_to_column;

impl Balances<'_, '_> {
    /// Calls `visit` with the totals of the accounts on the other side of transactions with
    /// `accounts`, by day or month.
    ///
    /// Transactions between two of `accounts` do not count. With tags, only transactions with all
    /// of these tags count.
    pub fn read_counterparts(
        self,
        access: &Access,
        segments: &[Segment],
        accounts: &[AccountId],
        tags: &[String],
        mut visit: impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let within: HashSet<AccountId> = accounts.iter().copied().collect();
        let tx = self.tx;
        let book = access.book().id.get();
        for segment in segments {
            for chunk in accounts.chunks(MAX_NAMED) {
                let sql = counterparts(tx.lookup(), book, segment, chunk, tags).uncached();
                tx.each_row(by_position::<Row>(&sql), |row: Row| {
                    let total = row.into_total(segment.level)?;
                    if !within.contains(&total.account) {
                        visit(total);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

/// Sums the other sides of the transactions with these accounts in a segment.
pub(crate) fn counterparts<'a>(
    lookup: Lookup,
    book: i64,
    segment: &Segment,
    accounts: &[AccountId],
    tags: &[String],
) -> Sql<'a> {
    let side = |[own, other]: [&'static str; 2], index: &'static str, is_credit: &'static str| {
        let ids = numbers(accounts.iter().map(|id| id.get()));
        // Without statistics, SQLite would read the whole book.
        let by_account = lookup.by_index("transactions t", index);
        let side = Sql::new(
            "SELECT t.{} AS account_id, t.day, {} AS credit, t.amount FROM {} \
             WHERE t.book_id = {} AND t.{} IN {}",
        )
        .bind((Sql::new(other), Sql::new(is_credit), by_account, book, Sql::new(own), ids));
        let days = (segment.from.map(day_value), segment.until.map(day_value));
        let posted = numbers([Standing::Unchecked, Standing::Checked].map(standing_to_column));
        let side = bounded(side, "t.day", days.0, days.1)
            .push(" AND t.standing IN {} AND t.trashed = {}")
            .bind((posted, false));
        match has_tags(book, tags, "t.day", "t.id") {
            Some(tagged) => side.push(" AND {}").bind(tagged),
            None => side,
        }
    };
    Sql::new(
        "SELECT e.account_id, {} AS period, {} FROM ({} UNION ALL {}) e WHERE e.amount <> 0 \
         AND e.account_id IS NOT NULL GROUP BY 1, 2",
    )
    .bind((
        Sql::new(period_of(segment)),
        Sql::new(ENTRY_SUMS),
        // A debit of the account is a credit of the other side.
        side(["debit_account_id", "credit_account_id"], "transactions_debit", "TRUE"),
        side(["credit_account_id", "debit_account_id"], "transactions_credit", "FALSE"),
    ))
}
