//! What an engine would do for the statements of the repositories, a line for each step. They are
//! the very statements that are sent, so that `tests/it/plans.rs` and `balance_plans.rs` see
//! which index each of them reads. Nothing else asks.

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::balance::Segment;
use daybook_domain::email::Email;
use daybook_domain::id::{AccountId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Span, Transaction};

use crate::balance::TotalsQuery;
use crate::delivery::in_flight::InFlight;
use crate::delivery::lease::due;
use crate::delivery::log::{AttemptPlace, of_app};
use crate::delivery::pause::overdue;
use crate::error::Result;
use crate::page::PageKey;
use crate::sql::Sql;
use crate::transaction::{self, Search};
use crate::tx::Tx;
use crate::user::User;
use crate::{audit, book, collaborator, collection, event};

/// The plans of statements.
#[doc(hidden)]
pub struct Plans<'t, 'a> {
    tx: &'t mut Tx<'a>,
}

impl<'a> Tx<'a> {
    /// For tests: what the engine would do.
    #[doc(hidden)]
    pub fn plans(&mut self) -> Plans<'_, 'a> {
        Plans { tx: self }
    }
}

impl Plans<'_, '_> {
    /// Of [`book::Books::of_user`].
    pub fn books_of_user(self, email: &Email) -> Result<Vec<String>> {
        self.explain(book::of_user(email))
    }

    /// Of [`book::Books::of_collections`].
    pub fn books_of_collections(self, owner: UserId, email: &Email) -> Result<Vec<String>> {
        self.explain(book::of_collections(owner, None, email))
    }

    /// Of [`book::Books::due`].
    pub fn due_books(self, now: Instant) -> Result<Vec<String>> {
        self.explain(book::due(now))
    }

    /// Of [`collaborator::Collaborators::is_pending`].
    pub fn pending(self, email: &Email) -> Result<Vec<String>> {
        self.explain(collaborator::pending(email))
    }

    /// Of [`collection::Collections::around_books`].
    pub fn collections_around_books(self, reader: &User) -> Result<Vec<String>> {
        self.explain(collection::around_books(reader))
    }

    /// Of [`event::Events::list`].
    pub fn events(
        self,
        access: &Access,
        filter: &event::EventFilter,
        limit: i64,
    ) -> Result<Vec<String>> {
        let page = self.tx.event_page(access, filter, limit)?;
        self.explain(page.sql)
    }

    /// The same of the block with an event about a resource, which is looked up before.
    pub fn event_block(self, access: &Access, resource: i64) -> Result<Vec<String>> {
        let block = self.tx.block_about(access.book().id, resource);
        self.explain(block)
    }

    /// Of [`crate::delivery::Deliveries::take`].
    pub fn due_deliveries(self, now: Instant, occupied: &InFlight) -> Result<Vec<String>> {
        self.explain(due(now, occupied))
    }

    /// Of [`crate::delivery::Deliveries::paused_before`].
    pub fn overdue_deliveries(self, before: Instant, limit: i64) -> Result<Vec<String>> {
        self.explain(overdue(before, None, limit))
    }

    /// Of [`crate::delivery::log::DeliveryLog::list_of_app`].
    pub fn attempts_of_app(
        self,
        access: &Access,
        app: &AppId,
        bounds: (Option<AttemptPlace>, i64),
    ) -> Result<Vec<String>> {
        self.explain(of_app(access.book().id, app, bounds))
    }

    /// Of a statement of [`crate::balance::Balances::read`].
    pub fn totals(
        self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'_>,
    ) -> Result<Vec<String>> {
        let totals = self.tx.totals_statement(access, segment, query)?;
        self.explain(totals)
    }

    /// Of [`transaction::Transactions::count`].
    pub fn count(self, access: &Access, search: &Search<'_>) -> Result<Vec<String>> {
        let plan = transaction::count_plan(search);
        let mut steps = Vec::new();
        for sql in transaction::count_statements(self.tx, access, search, plan.as_ref())? {
            steps.extend(self.tx.flushed()?.explain(sql)?);
        }
        Ok(steps)
    }

    /// Of [`transaction::Transactions::search`].
    pub fn search(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
        limit: i64,
    ) -> Result<Vec<String>> {
        let first = transaction::first_statement(self.tx, access.book(), search, after, limit)?;
        self.explain(first)
    }

    /// Of [`transaction::Transactions::by_ids`].
    pub fn by_ids(self, access: &Access, ids: &[TransactionId]) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::with_ids(lookup, access.book().id.get(), ids))
    }

    /// Of [`transaction::Transactions::by_remote_ids`].
    pub fn by_remote_ids(self, access: &Access, remote_ids: &[&str]) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::with_remote_ids(lookup, access.book().id.get(), remote_ids))
    }

    /// Of [`transaction::Transactions::drafts_of_accounts`].
    pub fn drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
    ) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::of_accounts(lookup, access.book().id.get(), accounts))
    }

    /// Of [`transaction::Transactions::count_drafts_of_accounts`].
    pub fn count_drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
    ) -> Result<Vec<String>> {
        let sides = transaction::sides_of_accounts(access.book().id.get(), accounts);
        self.explain(transaction::counted_up_to(sides, 1_000))
    }

    /// Of [`crate::audit::Audits::entry_days`].
    pub fn entry_days(self, access: &Access, accounts: &[AccountId]) -> Result<Vec<String>> {
        self.explain(audit::entry_days(access.book().id.get(), accounts))
    }

    /// Of [`crate::audit::Audits::records`]: the terms that it looks for, with days and
    /// transactions.
    pub fn terms_found(self, access: &Access, terms: &[(String, i32, i64)]) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(audit::terms_found(lookup, access.book().id.get(), terms))
    }

    /// Of [`transaction::Transactions::counts`].
    pub fn counts(self, access: &Access, span: &Span) -> Result<Vec<String>> {
        match span.whole_months() {
            Some(months) => self.explain(transaction::counts_by_month(access, &months)),
            None => self.explain(transaction::counts_by_day(access, span)),
        }
    }

    /// Of [`transaction::Transactions::moved`].
    pub fn moved(
        self,
        access: &Access,
        account: AccountId,
        rows: &[&Transaction],
    ) -> Result<Vec<String>> {
        self.explain(transaction::running_sums(access, account, rows))
    }

    fn explain(self, sql: Sql<'_>) -> Result<Vec<String>> {
        Ok(self.tx.flushed()?.explain(sql)?)
    }
}
