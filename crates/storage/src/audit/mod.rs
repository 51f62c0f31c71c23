//! Audits: the requests for them, and the rows that one checks, as they are stored and in bounded
//! portions (behaviour 6.7).
//!
//! Nothing here trusts a row: what this program could not have written must come out as it is, for
//! the audit to find.

mod copied;
mod counted;
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
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};

pub use log_end::LogEnd;
pub(crate) use record::terms_found;

use crate::access::{AccessTo, BookAccess};
use crate::balance::{ENTRY_SUMS, Limbs, each_day};
use crate::conn::on_engine;
use crate::error::Result;
use crate::event;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::tx::Tx;

/// An audit that somebody asked for; only the queue of requests yields one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestedAudit {
    /// Which of the requests for this book: a later one has another number.
    pub request: i64,
    /// Who asked last.
    pub user: UserId,
    /// Through which app.
    pub agent: Option<String>,
    /// How deep in a chain of apps.
    pub depth: i64,
}

#[derive(QueryableByName)]
struct WantedRow {
    #[diesel(sql_type = BigInt)]
    request: i64,
    #[diesel(sql_type = BigInt)]
    user_id: i64,
    #[diesel(sql_type = Nullable<Text>)]
    agent: Option<String>,
    #[diesel(sql_type = BigInt)]
    depth: i64,
}

#[derive(QueryableByName)]
struct WaitingBook {
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = BigInt)]
    user_id: i64,
}

#[derive(QueryableByName)]
struct KeepingRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Bool)]
    balance_verified: bool,
    #[diesel(sql_type = Bool)]
    has_transaction_posted: bool,
}

/// Sums over entries or totals, in limbs.
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

/// The totals of an account's month, with those of its days.
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

#[derive(QueryableByName)]
struct TotalledAccount {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
}

/// Audits.
pub struct Audits<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Audits<'_, '_> {
    /// Requests an audit of the book, through an app or not, so deep in a chain of apps. A book has
    /// one request at most: a later one replaces it, and is as deep as the deeper one, so that no
    /// chain goes on for ever (behaviour 8.11).
    pub fn request(
        self,
        access: &AccessTo<Audit>,
        request: i64,
        (agent, depth): (Option<&str>, i64),
    ) -> Result<()> {
        let row = [
            Value::Int(access.book().id.get()),
            Value::Int(request),
            Value::Int(access.user().get()),
            Value::SomeText(agent.map(Into::into)),
            Value::Int(depth),
        ];
        let insert = Sql::new(
            "INSERT INTO audit_requests (book_id, request, user_id, agent, depth) VALUES ",
        )
        .list(row)
        .push(
            " ON CONFLICT (book_id) DO UPDATE SET \
                     request = excluded.request, \
                     user_id = excluded.user_id, \
                     agent = excluded.agent, \
                     depth = CASE WHEN audit_requests.depth > excluded.depth \
                         THEN audit_requests.depth ELSE excluded.depth END",
        );
        self.tx.flushed()?.execute(&insert)?;
        Ok(())
    }

    /// The books that wait for an audit, each with who asked, in the order of requests.
    pub fn requested_books(self) -> Result<Vec<(BookKey, UserId)>> {
        let sql = Sql::new(
            "SELECT b.public_id, a.user_id \
             FROM audit_requests a JOIN books b ON b.id = a.book_id \
             WHERE b.deleted_at IS NULL \
             ORDER BY a.request",
        );
        let rows: Vec<WaitingBook> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        let waiting = |row: WaitingBook| (BookKey::new(row.public_id), UserId::new(row.user_id));
        Ok(rows.into_iter().map(waiting).collect())
    }

    /// The audit that is requested of a book.
    pub fn requested(self, public_id: &BookKey) -> Result<Option<RequestedAudit>> {
        let Some(number) = self.tx.book_number(public_id.as_str())? else { return Ok(None) };
        let sql = Sql::new(
            "SELECT a.request, a.user_id, a.agent, a.depth \
             FROM audit_requests a \
             JOIN books b ON b.id = a.book_id \
             WHERE a.book_id = ",
        )
        .int(number.get())
        .push(" AND b.public_id = ")
        .text(public_id.as_str());
        let rows: Vec<WantedRow> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.into_iter().next().map(|row| {
            let WantedRow { request, user_id, agent, depth } = row;
            RequestedAudit { request, user: UserId::new(user_id), agent, depth }
        }))
    }

    /// The proof of access for a requested audit; none when the book is gone. The permission was
    /// checked at the request, and a later change of it does not matter (behaviour 6.7): the audit
    /// enters as an editor, the lowest permission that may audit.
    pub fn enter(
        self,
        public_id: &BookKey,
        wanted: &RequestedAudit,
    ) -> Result<Option<AccessTo<Audit>>> {
        let found = self.tx.books().load_for_nobody(public_id.as_str())?;
        let found = found.filter(|found| found.deletion.is_none());
        let as_asked = found.map(|found| BookAccess { granted: Some(Permission::Editor), ..found });
        Ok(as_asked.and_then(|entered| entered.admit_to(wanted.user, Audit).ok()))
    }

    /// Access for a check by the operator, who reads whole books, deleted ones included, unless
    /// they are being removed; `None` for a book that is not there.
    pub fn enter_as_operator(self, public_id: &BookKey) -> Result<Option<Access>> {
        let found = self.tx.books().load_for_nobody(public_id.as_str())?;
        let is_whole = |found: &BookAccess| found.deletion.is_none_or(|deletion| deletion.waits());
        let as_owner = found
            .filter(is_whole)
            .map(|found| BookAccess { granted: Some(Permission::Owner), ..found });
        let operator = UserId::new(0);
        Ok(as_owner.and_then(|entered| entered.admit_even_deleted(operator, Action::ReadBook).ok()))
    }

    /// Removes a request, unless another has taken its place.
    pub fn done(self, access: &AccessTo<Audit>, request: i64) -> Result<()> {
        let sql = Sql::new("DELETE FROM audit_requests WHERE book_id = ")
            .int(access.book().id.get())
            .push(" AND request = ")
            .int(request);
        self.tx.flushed()?.execute(&sql)?;
        Ok(())
    }

    /// Sets `balanceVerified` of these accounts (behaviour 4.11). It is derived
    /// from other rows, so the account's version stays.
    pub fn verify(
        self,
        access: &AccessTo<Audit>,
        accounts: &[AccountId],
        verified: bool,
    ) -> Result<()> {
        if !accounts.is_empty() {
            self.tx.invalidate_chart(access.book().id)?;
        }
        for chunk in accounts.chunks(MAX_NAMED) {
            let sql = Sql::new("UPDATE accounts SET balance_verified = ")
                .flag(verified)
                .push(" WHERE book_id = ");
            let ids = chunk.iter().map(|id| Value::Int(id.get()));
            self.tx.flushed()?.execute(
                &sql.int(access.book().id.get()).push(" AND id IN ").list(ids).uncached(),
            )?;
        }
        Ok(())
    }

    /// What each account's row says that follows from transactions.
    pub fn accounts(self, access: &Access) -> Result<Vec<AccountFlags>> {
        let sql = Sql::new(
            "SELECT id, balance_verified, has_transaction_posted FROM accounts WHERE book_id = ",
        );
        let rows: Vec<KeepingRow> =
            on_engine!(self.tx.flushed()?, c => (&sql.int(access.book().id.get())).load(c))?;
        let kept = |row: KeepingRow| {
            let KeepingRow { id, balance_verified: verified, has_transaction_posted: posted } = row;
            AccountFlags { account: AccountId::new(id), verified, posted }
        };
        Ok(rows.into_iter().map(kept).collect())
    }

    /// The next events behind a number: of up to `limit` rows, and no more once their data takes so
    /// much as that of a page may.
    pub fn events(self, access: &Access, after: i64, limit: i64) -> Result<Vec<AuditedEvent>> {
        event::logged(self.tx, access, after, limit)
    }

    /// The accounts that have totals.
    pub fn totalled(self, access: &Access) -> Result<Vec<AccountId>> {
        let book = access.book().id.get();
        let sql = Sql::new("SELECT DISTINCT account_id FROM month_totals WHERE book_id = ");
        let sql = sql.int(book);
        let rows: Vec<TotalledAccount> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.into_iter().map(|row| AccountId::new(row.account_id)).collect())
    }

    /// What the entries of these accounts sum to on each day.
    pub fn entry_days(self, access: &Access, accounts: &[AccountId]) -> Result<Vec<AuditedTotal>> {
        let sql = entry_days(access.book().id.get(), accounts).uncached();
        let rows: Vec<SumRow> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.iter().map(SumRow::total).collect())
    }

    /// The totals that are kept of these accounts, by day and by month. Days that cannot be read
    /// come out as a day 0 on which something has moved.
    pub fn kept(
        self,
        access: &Access,
        accounts: &[AccountId],
    ) -> Result<(Vec<AuditedTotal>, Vec<AuditedTotal>)> {
        let sql = Sql::new(
            "SELECT account_id, CAST(month AS BIGINT) AS period, \
               debit_high, debit_low, credit_high, credit_low, days \
             FROM month_totals \
             WHERE book_id = ",
        );
        let sql = sql.int(access.book().id.get()).push(" AND account_id");
        let sql = of_accounts(sql, accounts).uncached();
        let rows: Vec<AuditedMonth> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        let days = rows.iter().flat_map(AuditedMonth::days).collect();
        Ok((days, rows.iter().map(|row| row.month.total()).collect()))
    }
}

/// Adds that a column, with which the statement ends, names one of these accounts.
fn of_accounts<'a>(sql: Sql<'a>, accounts: &[AccountId]) -> Sql<'a> {
    sql.push(" IN ").list(accounts.iter().map(|id| Value::Int(id.get())))
}

/// What the entries of these accounts sum to on each day.
pub(crate) fn entry_days<'a>(book: i64, accounts: &[AccountId]) -> Sql<'a> {
    let sums = Sql::new("SELECT e.account_id, CAST(e.day AS BIGINT) AS period, ").push(ENTRY_SUMS);
    let entries = sums.push(" FROM entries e WHERE e.amount <> 0 AND e.book_id = ").int(book);
    of_accounts(entries.push(" AND e.account_id"), accounts).push(" GROUP BY e.account_id, e.day")
}
