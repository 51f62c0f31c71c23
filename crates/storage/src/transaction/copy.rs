//! Copying the transactions of a book into another one, inside the database. Only their texts pass
//! through memory, for the trigram index, a chunk of 4,096 at a time (`trigram_index.rs`).
//!
//! `INSERT .. SELECT` counts the new ids out of a block that was reserved before ([`Numbers`]), in
//! the order of the old ones, into a temporary table that the other statements join. Entries and
//! totals are summed from the rows just written. So a copy takes the same few statements however
//! many transactions there are, and some more for each chunk. It occupies its writer all the time,
//! a few seconds for 100,000 transactions; that is why its size is limited (behaviour 6.14).

use daybook_domain::access::Access;
use daybook_domain::id::{AccountId, UserId};
use daybook_domain::instant::Stamp;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::Standing;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use time::Date;

use super::Transactions;
use super::row::standing_to_column;
use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column::day_to_column;
use crate::conn::on_each;
use crate::error::Result;
use crate::sql::{Sql, Value};

/// A block of numbers reserved for new rows: number `n` is
/// `(first + n) / run * stride + offset + (first + n) % run`, so that the database can count them
/// out itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// The place of the first number.
    pub first: i64,
    /// Numbers that follow each other without a gap.
    pub run: i64,
    /// From the beginning of a run to the beginning of the next.
    pub stride: i64,
    /// Where each run begins.
    pub offset: i64,
}

/// What is copied, and whose the copies are.
#[derive(Debug, Clone)]
pub struct Copying {
    /// The accounts of the source, each with its copy.
    pub accounts: Vec<(AccountId, AccountId)>,
    /// Of this day and later ones; of all when there is none.
    pub from: Option<Date>,
    /// One for each transaction.
    pub numbers: Numbers,
    /// Who copies.
    pub user: UserId,
    /// When, and through which app.
    pub stamp: Stamp,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    found: i64,
}

/// Old and new ids, for the time of one copy. Temporary tables have a key and a size that both
/// engines' planners see; of a book that is just being written they expect one row, and read all of
/// it once for each row of the other side (`planner.rs`).
const COPIED: &str = "CREATE TEMPORARY TABLE copied \
     (old_id BIGINT NOT NULL PRIMARY KEY, new_id BIGINT NOT NULL)";
const COPIED_ACCOUNTS: &str = "CREATE TEMPORARY TABLE copied_accounts \
     (old_id BIGINT NOT NULL PRIMARY KEY, new_id BIGINT NOT NULL)";
const COUNT: &str = "SELECT COUNT(*) AS found FROM transactions t WHERE t.book_id = ";

impl Transactions<'_, '_> {
    /// How many transactions [`Transactions::copy`] would copy: those that are not trashed, of this
    /// day and later days.
    pub fn count_copied(self, source: &Access, from: Option<Date>) -> Result<i64> {
        self.counted(within(Sql::new(COUNT), source, from))
    }

    fn counted(self, sql: Sql<'_>) -> Result<i64> {
        let sql = sql.uncached();
        let counts: Vec<Count> = on_each!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(counts.into_iter().map(|count| count.found).sum())
    }

    /// Copies these transactions into a new book whose accounts are there already, and builds
    /// entries, index terms and totals. The numbers are counted out in the order of the old ones,
    /// so that lists keep theirs. Answers how many of the copies are posted.
    pub fn copy(
        self,
        source: &Access,
        target: &AccessTo<Record>,
        copying: &Copying,
    ) -> Result<i64> {
        let number = target.book().id;
        self.tx.flushed()?.execute(&Sql::new(COPIED_ACCOUNTS).uncached())?;
        let mut accounts = Bulk::new("INSERT INTO copied_accounts (old_id, new_id)", 2, "");
        for (old, new) in &copying.accounts {
            accounts.row([Value::Int(old.get()), Value::Int(new.get())]);
        }
        self.tx.flushed()?.write(accounts)?;
        for statement in [Sql::new(COPIED), renumbered(source, copying)] {
            self.tx.flushed()?.execute(&statement.uncached())?;
        }
        let copied = self.tx.flushed()?.execute(&rows(source, target, copying).uncached())?;
        let statements = [
            index_terms(source, target),
            Sql::new("DROP TABLE copied"),
            Sql::new("DROP TABLE copied_accounts"),
            entries(target, true),
            entries(target, false),
        ];
        for statement in statements {
            self.tx.flushed()?.execute(&statement.uncached())?;
        }
        self.tx.balances().sum_up(number)?;
        self.tx.index_copied(number, copied)?;
        self.tx.flushed()?.execute(&posted_on(target).uncached())?;
        let posted = Sql::new(COUNT)
            .int(number.get())
            .push(" AND t.standing > ")
            .int(standing_to_column(Standing::Draft));
        self.counted(posted)
    }
}

/// `INSERT` of the transactions to copy into [`COPIED`], each with its new number.
fn renumbered<'a>(source: &Access, copying: &Copying) -> Sql<'a> {
    let Numbers { first, run, stride, offset } = copying.numbers;
    let chosen = Sql::new("INSERT INTO copied (old_id, new_id) SELECT p.id, p.place / ")
        .int(run)
        .push(" * ")
        .int(stride)
        .push(" + ")
        .int(offset)
        .push(" + p.place % ")
        .int(run)
        .push(" FROM (SELECT t.id, ROW_NUMBER() OVER (ORDER BY t.id) - 1 + ")
        .int(first)
        .push(" AS place FROM transactions t WHERE t.book_id = ");
    within(chosen, source, copying.from).push(") p")
}

/// `INSERT` of the copies.
fn rows<'a>(source: &Access, target: &Access, copying: &'a Copying) -> Sql<'a> {
    let Copying { user, stamp, .. } = copying;
    let (old, new) = (source.book().id.get(), target.book().id.get());
    Sql::new(
        "INSERT INTO transactions \
         (book_id, id, day, dated, standing, trashed, amount, credit_account_id, \
         debit_account_id, description, folded_description, posted_at, properties, urls, \
         remote_ids, created_by, agent, created_at, updated_at, version) \
         SELECT ",
    )
    .int(new)
    .push(
        ", n.new_id, t.day, t.dated, t.standing, t.trashed, t.amount, c.new_id, d.new_id, \
         t.description, t.folded_description, CASE WHEN t.standing > ",
    )
    .int(standing_to_column(Standing::Draft))
    .push(" THEN ")
    .int(stamp.created_at.milliseconds())
    .push(" END, t.properties, t.urls, t.remote_ids, ")
    .int(user.get())
    .push(", ")
    .value(Value::SomeText(stamp.agent.as_deref().map(Into::into)))
    .push(", ")
    .int(stamp.created_at.milliseconds())
    .push(", ")
    .int(stamp.updated_at.milliseconds())
    .push(", ")
    .int(stamp.version)
    .push(
        " FROM copied n \
         JOIN transactions t ON t.id = n.old_id AND t.book_id = ",
    )
    .int(old)
    .push(
        " LEFT JOIN copied_accounts c ON c.old_id = t.credit_account_id \
         LEFT JOIN copied_accounts d ON d.old_id = t.debit_account_id \
         ORDER BY n.new_id",
    )
}

/// `INSERT` of their index terms. The key of [`COPIED`] is asked once for each term; the terms have
/// no index by transaction.
fn index_terms<'a>(source: &Access, target: &Access) -> Sql<'a> {
    // Files stay behind (behaviour 6.6).
    Sql::new("INSERT INTO index_terms (book_id, term, day, transaction_id) SELECT ")
        .int(target.book().id.get())
        .push(
            ", m.term, m.day, n.new_id \
             FROM index_terms m CROSS JOIN copied n \
             WHERE n.old_id = m.transaction_id AND m.book_id = ",
        )
        .int(source.book().id.get())
        .push(" AND SUBSTR(m.term, 1, 1) <> 'f' ORDER BY m.term, m.day, n.new_id")
}

/// `INSERT` of one side's entries, from the copies that were just written.
fn entries<'a>(target: &Access, credit: bool) -> Sql<'a> {
    let (account, amount) = if credit {
        ("t.credit_account_id", "t.amount")
    } else {
        ("t.debit_account_id", "-t.amount")
    };
    Sql::new(
        "INSERT INTO entries (book_id, account_id, day, transaction_id, credit, amount) \
         SELECT t.book_id, ",
    )
    .push(account)
    .push(", t.day, t.id, ")
    .flag(credit)
    .push(", CASE WHEN t.standing > ")
    .int(standing_to_column(Standing::Draft))
    .push(" THEN ")
    .push(amount)
    .push(" ELSE 0 END FROM transactions t WHERE t.book_id = ")
    .int(target.book().id.get())
    .push(" AND ")
    .push(account)
    .push(" IS NOT NULL ORDER BY ")
    .push(account)
    .push(", t.day, t.id")
}

/// Notes which accounts something is posted on (behaviour 4.7): those that have totals. Totals are
/// counted account by account, which no planner turns into a join.
fn posted_on<'a>(target: &Access) -> Sql<'a> {
    let number = target.book().id.get();
    Sql::new("UPDATE accounts SET has_transaction_posted = ")
        .flag(true)
        .push(" WHERE book_id = ")
        .int(number)
        .push(
            " AND (SELECT COUNT(*) FROM month_totals m \
             WHERE m.account_id = accounts.id AND m.book_id = ",
        )
        .int(number)
        .push(") > 0")
}

/// Completes a condition on `t`: the transactions of the source that are copied.
fn within<'a>(sql: Sql<'a>, source: &Access, from: Option<Date>) -> Sql<'a> {
    let sql = sql.int(source.book().id.get()).push(" AND t.trashed = ").flag(false);
    match from {
        Some(day) => sql.push(" AND t.day >= ").int(i64::from(day_to_column(day))),
        None => sql,
    }
}
