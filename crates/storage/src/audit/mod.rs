//! Audits: their requests, and the rows that an audit checks, in bounded portions (behaviour 6.7).
//!
//! The methods do not trust the rows. A row that this program cannot have written must be returned
//! as it is, so the audit finds it. A user requests an audit of a book; a worker leases it, reads
//! the log, the transactions and the totals in portions, and saves the result.

mod copied;
mod counted;
mod findings;
mod log_end;
mod record;
mod row;

use daybook_domain::access::Access;
use daybook_domain::audit::{AccountFlags, AuditedEvent, AuditedTotal};
use daybook_domain::balance::Sums;
use daybook_domain::id::{AccountId, BookKey, UserId};
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::Audit;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary};

pub use findings::AuditFindings;
pub use log_end::LogEnd;
pub(crate) use record::terms_found;

use crate::access::{AccessTo, BookAccess};
use crate::balance::{ENTRY_SUMS, Limbs, each_day};
use crate::commit::tx::Tx;
use crate::conn::sql::{MAX_NAMED, Sql, list};
use crate::error::Result;
use crate::event;

/// A requested audit. Only the queue of requests returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestedAudit {
    /// The number of the request. A later request for the book has another one.
    pub request: i64,
    /// The user of the last request.
    pub user: UserId,
    /// The app of the last request.
    pub agent: Option<String>,
    /// The depth in a chain of apps.
    pub depth: i64,
}

/// Sums over entries or totals, as limbs.
#[derive(QueryableByName)]
struct SumRow {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    /// A day or a month.
    #[diesel(sql_type = BigInt)]
    period: i64,
    #[diesel(embed)]
    limbs: Limbs,
}

impl SumRow {
    fn total(&self) -> AuditedTotal {
        AuditedTotal {
            account: AccountId::new(self.account_id),
            period: i32::try_from(self.period).unwrap_or(i32::MAX),
            sums: self.limbs.sums(),
        }
    }
}

/// The totals of an account in a month and on its days.
#[derive(QueryableByName)]
struct AuditedMonth {
    #[diesel(embed)]
    month: SumRow,
    #[diesel(sql_type = Binary)]
    days: Vec<u8>,
}

impl AuditedMonth {
    fn days(&self) -> impl Iterator<Item = AuditedTotal> + '_ {
        let SumRow { account_id, period, .. } = self.month;
        each_day(&self.days).map(move |day| {
            let (day, sums) = day.unwrap_or((0, Sums { debit: 1, credit: 0 }));
            let number = period.saturating_mul(100).saturating_add(i64::from(day));
            let period = i32::try_from(number).unwrap_or(i32::MAX);
            AuditedTotal { account: AccountId::new(account_id), period, sums }
        })
    }
}

/// Audits.
pub struct Audits<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Audits<'_, '_> {
    /// Requests an audit of a book, possibly through an app at a depth in a chain of apps.
    ///
    /// A book has at most one request. A later one replaces it and gets the greater depth, so no
    /// chain is endless (behaviour 8.11).
    pub fn request(
        self,
        access: &AccessTo<Audit>,
        request: i64,
        agent: Option<&str>,
        depth: i64,
    ) -> Result<()> {
        let insert = Sql::new(
            "INSERT INTO audit_requests (book_id, request, user_id, agent, depth) \
             VALUES ({}, {}, {}, {}, {}) ON CONFLICT (book_id) DO UPDATE \
             SET request = excluded.request, user_id = excluded.user_id, agent = excluded.agent, \
             depth = CASE WHEN audit_requests.depth > excluded.depth \
             THEN audit_requests.depth ELSE excluded.depth END",
        )
        .bind((access.book().id, request, access.user(), agent, depth));
        self.tx.flushed()?.run(&insert)
    }

    /// Lists the books with a requested audit and the requesting users, in the order of requests.
    pub fn requested_books(self) -> Result<Vec<(BookKey, UserId)>> {
        let sql = Sql::new(
            "SELECT b.public_id, a.user_id \
             FROM audit_requests a JOIN books b ON b.id = a.book_id \
             WHERE b.deleted_at IS NULL \
             ORDER BY a.request",
        );
        let rows: Vec<(String, i64)> = self.tx.flushed()?.rows(&sql)?;
        let convert = |(book, user)| (BookKey::new(book), UserId::new(user));
        Ok(rows.into_iter().map(convert).collect())
    }

    /// Finds the requested audit of a book.
    pub fn requested(self, public_id: &BookKey) -> Result<Option<RequestedAudit>> {
        let Some(number) = self.tx.book_number(public_id.as_str())? else { return Ok(None) };
        let sql = Sql::new(
            "SELECT a.request, a.user_id, a.agent, a.depth FROM audit_requests a \
             JOIN books b ON b.id = a.book_id WHERE a.book_id = {} AND b.public_id = {}",
        )
        .bind((number, public_id.as_str()));
        let rows: Vec<(i64, i64, Option<String>, i64)> = self.tx.flushed()?.rows(&sql)?;
        Ok(rows.into_iter().next().map(|row| {
            let (request, user_id, agent, depth) = row;
            RequestedAudit { request, user: UserId::new(user_id), agent, depth }
        }))
    }

    /// Enters a book for a requested audit. Returns nothing if the book is deleted.
    ///
    /// The permission was checked at the request, and a later change has no effect (behaviour 6.7).
    /// The audit therefore enters as an editor, the lowest permission that may audit.
    pub fn enter(
        self,
        public_id: &BookKey,
        requested: &RequestedAudit,
    ) -> Result<Option<AccessTo<Audit>>> {
        let found = self.tx.books().load_without_user(public_id.as_str())?;
        let found = found.filter(|found| found.deletion.is_none());
        let as_editor =
            found.map(|found| BookAccess { granted: Some(Permission::Editor), ..found });
        Ok(as_editor.and_then(|access| access.admit_to(requested.user, Audit).ok()))
    }

    /// Enters a book for a check by the operator, also a deleted one that is not being removed.
    ///
    /// Returns nothing for a missing book.
    pub fn enter_as_operator(self, public_id: &BookKey) -> Result<Option<Access>> {
        let found = self.tx.books().load_without_user(public_id.as_str())?;
        let is_whole =
            |found: &BookAccess| found.deletion.is_none_or(|deletion| deletion.is_restorable());
        let as_owner = found
            .filter(is_whole)
            .map(|found| BookAccess { granted: Some(Permission::Owner), ..found });
        let operator = UserId::new(0);
        Ok(as_owner.and_then(|access| access.admit_even_deleted(operator, Action::ReadBook).ok()))
    }

    /// Deletes a request, unless a later one has replaced it.
    pub fn delete_request(self, access: &AccessTo<Audit>, request: i64) -> Result<()> {
        let sql = Sql::new("DELETE FROM audit_requests WHERE book_id = {} AND request = {}")
            .bind((access.book().id, request));
        self.tx.flushed()?.run(&sql)
    }

    /// Sets `balanceVerified` of accounts (behaviour 4.11). It is derived from other rows, so the
    /// version of the account stays.
    pub fn set_verified(
        self,
        access: &AccessTo<Audit>,
        accounts: &[AccountId],
        verified: bool,
    ) -> Result<()> {
        if !accounts.is_empty() {
            self.tx.invalidate_chart(access.book().id)?;
        }
        for chunk in accounts.chunks(MAX_NAMED) {
            let update =
                "UPDATE accounts SET balance_verified = {} WHERE book_id = {} AND id IN {}";
            let sql = Sql::new(update).bind((verified, access.book().id, list(chunk)));
            self.tx.flushed()?.run(sql.uncached())?;
        }
        Ok(())
    }

    /// Lists the flags of accounts that follow from transactions.
    pub fn accounts(self, access: &Access) -> Result<Vec<AccountFlags>> {
        let sql = Sql::new(
            "SELECT id, balance_verified, has_transaction_posted FROM accounts WHERE book_id = {}",
        )
        .bind(access.book().id);
        let rows: Vec<(i64, bool, bool)> = self.tx.flushed()?.rows(&sql)?;
        let convert =
            |(id, verified, posted)| AccountFlags { account: AccountId::new(id), verified, posted };
        Ok(rows.into_iter().map(convert).collect())
    }

    /// Lists the next events after a number: up to `limit` rows, and up to the text limit of a
    /// page.
    pub fn events(self, access: &Access, after: i64, limit: i64) -> Result<Vec<AuditedEvent>> {
        event::logged(self.tx, access, after, limit)
    }

    /// Lists the accounts that have totals.
    pub fn accounts_with_totals(self, access: &Access) -> Result<Vec<AccountId>> {
        let book = access.book().id.get();
        let sql =
            Sql::new("SELECT DISTINCT account_id FROM month_totals WHERE book_id = {}").bind(book);
        let rows: Vec<i64> = self.tx.flushed()?.rows(&sql)?;
        Ok(rows.into_iter().map(AccountId::new).collect())
    }

    /// Sums the entries of accounts by day.
    pub fn entry_days(self, access: &Access, accounts: &[AccountId]) -> Result<Vec<AuditedTotal>> {
        let sql = entry_days(access.book().id.get(), accounts).uncached();
        let rows: Vec<SumRow> = self.tx.flushed()?.load(&sql)?;
        Ok(rows.iter().map(SumRow::total).collect())
    }

    /// Loads the stored totals of accounts, by day and by month.
    ///
    /// Unreadable days are returned as day 0 with a non-zero sum.
    pub fn stored_totals(
        self,
        access: &Access,
        accounts: &[AccountId],
    ) -> Result<(Vec<AuditedTotal>, Vec<AuditedTotal>)> {
        let sql = Sql::new(
            "SELECT account_id, CAST(month AS BIGINT) AS period, debit_high, debit_low, \
             credit_high, credit_low, days FROM month_totals WHERE book_id = {} AND account_id",
        )
        .bind(access.book().id);
        let sql = of_accounts(sql, accounts).uncached();
        let rows: Vec<AuditedMonth> = self.tx.flushed()?.load(&sql)?;
        let days = rows.iter().flat_map(AuditedMonth::days).collect();
        Ok((days, rows.iter().map(|row| row.month.total()).collect()))
    }
}

/// Adds an account list after a column, with which the statement ends.
fn of_accounts<'a>(sql: Sql<'a>, accounts: &[AccountId]) -> Sql<'a> {
    sql.push(" IN {}").bind(list(accounts))
}

/// Returns the statement of [`Audits::entry_days`].
pub(crate) fn entry_days<'a>(book: i64, accounts: &[AccountId]) -> Sql<'a> {
    let sums = Sql::new("SELECT e.account_id, CAST(e.day AS BIGINT) AS period, ").push(ENTRY_SUMS);
    let entries = sums.push(" FROM entries e WHERE e.amount <> 0 AND e.book_id = {}").bind(book);
    of_accounts(entries.push(" AND e.account_id"), accounts).push(" GROUP BY e.account_id, e.day")
}
