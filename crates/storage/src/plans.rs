//! The query plans of the repositories' statements, one line for each step.
//!
//! Only tests use this: `tests/it/plans.rs` and others check which index each statement reads. The
//! statements are exactly those that the repositories send.

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::balance::Segment;
use daybook_domain::email::Email;
use daybook_domain::id::{AccountId, ReconciliationId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Span, Transaction};

use crate::balance::TotalsQuery;
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::delivery::in_flight::InFlight;
use crate::delivery::lease::due;
use crate::delivery::log::{AttemptPlace, of_app};
use crate::delivery::pause::overdue;
use crate::error::Result;
use crate::page::PageKey;
use crate::transaction::{self, Search};
use crate::user::User;
use crate::{audit, balance, book, collaborator, collection, event, reconciliation};

/// The query plans of statements.
#[doc(hidden)]
pub struct Plans<'t, 'a> {
    tx: &'t mut Tx<'a>,
}

impl<'a> Tx<'a> {
    /// Query plans, for tests.
    #[doc(hidden)]
    pub fn plans(&mut self) -> Plans<'_, 'a> {
        Plans { tx: self }
    }
}

impl Plans<'_, '_> {
    /// Returns the plan of [`book::Books::of_user`].
    pub fn books_of_user(self, email: &Email) -> Result<Vec<String>> {
        self.explain(book::of_user(email))
    }

    /// Returns the plan of [`book::Books::of_collections`].
    pub fn books_of_collections(self, owner: UserId, email: &Email) -> Result<Vec<String>> {
        self.explain(book::of_collections(owner, None, email))
    }

    /// Returns the plan of [`book::Books::due`].
    pub fn due_books(self, now: Instant) -> Result<Vec<String>> {
        self.explain(book::due(now))
    }

    /// Returns the plan of [`collaborator::Collaborators::is_pending`].
    pub fn pending(self, email: &Email) -> Result<Vec<String>> {
        self.explain(collaborator::pending(email))
    }

    /// Returns the plan of [`collection::Collections::containing_books`].
    pub fn collections_around_books(self, reader: &User) -> Result<Vec<String>> {
        self.explain(collection::containing_books(reader))
    }

    /// Returns the plan of [`event::Events::list`].
    pub fn events(
        self,
        access: &Access,
        filter: &event::EventFilter,
        limit: i64,
    ) -> Result<Vec<String>> {
        let page = self.tx.event_page(access, filter, limit)?;
        self.explain(page.sql)
    }

    /// Returns the plan of the look-up of a block with an event about a resource.
    pub fn event_block(self, access: &Access, resource: i64) -> Result<Vec<String>> {
        let block = self.tx.block_about(access.book().id, resource);
        self.explain(block)
    }

    /// Returns the plan of [`crate::delivery::Deliveries::take`].
    pub fn due_deliveries(self, now: Instant, in_flight: &InFlight) -> Result<Vec<String>> {
        self.explain(due(now, in_flight))
    }

    /// Returns the plan of [`crate::delivery::Deliveries::paused_before`].
    pub fn overdue_deliveries(self, before: Instant, limit: i64) -> Result<Vec<String>> {
        self.explain(overdue(before, None, limit))
    }

    /// Returns the plan of [`crate::delivery::log::DeliveryLog::list_of_app`].
    pub fn attempts_of_app(
        self,
        access: &Access,
        app: &AppId,
        after: Option<AttemptPlace>,
        limit: i64,
    ) -> Result<Vec<String>> {
        self.explain(of_app(access.book().id, app, after, limit))
    }

    /// Returns the plan of a statement of [`crate::balance::Balances::read`].
    pub fn totals(
        self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'_>,
    ) -> Result<Vec<String>> {
        let totals = self.tx.totals_statement(access, segment, query)?;
        self.explain(totals)
    }

    /// Returns the plan of [`transaction::Transactions::count`].
    pub fn count(self, access: &Access, search: &Search<'_>) -> Result<Vec<String>> {
        let plan = transaction::count_plan(search);
        let mut steps = Vec::new();
        for sql in transaction::count_statements(self.tx, access, search, plan.as_ref())? {
            steps.extend(self.tx.flushed()?.explain(sql)?);
        }
        Ok(steps)
    }

    /// Returns the plan of [`transaction::Transactions::search`].
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

    /// Returns the plan of [`transaction::Transactions::scan`].
    pub fn scan(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
    ) -> Result<Vec<String>> {
        let page = transaction::scan(self.tx, access, search, after);
        self.explain(page)
    }

    /// Returns the plan of [`transaction::Transactions::by_ids`].
    pub fn by_ids(self, access: &Access, ids: &[TransactionId]) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::with_ids(lookup, access.book().id.get(), ids))
    }

    /// Returns the plan of [`transaction::Transactions::by_remote_ids`].
    pub fn by_remote_ids(self, access: &Access, remote_ids: &[&str]) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::with_remote_ids(
            lookup,
            access.book().id.get(),
            remote_ids,
            Some(false),
        ))
    }

    /// Returns the plan of [`transaction::Transactions::drafts_of_accounts`].
    pub fn drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
    ) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::of_accounts(lookup, access.book().id.get(), accounts))
    }

    /// Returns the plan of [`transaction::Transactions::count_drafts_of_accounts`].
    pub fn count_drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
    ) -> Result<Vec<String>> {
        let sides = transaction::sides_of_accounts(access.book().id.get(), accounts);
        self.explain(transaction::counted_up_to(sides, 1_000))
    }

    /// Returns the plan of [`crate::audit::Audits::entry_days`].
    pub fn entry_days(self, access: &Access, accounts: &[AccountId]) -> Result<Vec<String>> {
        self.explain(audit::entry_days(access.book().id.get(), accounts))
    }

    /// Returns the plan of [`crate::audit::Audits::records`] that counts index terms.
    pub fn terms_found(self, access: &Access, terms: &[(String, i32, i64)]) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(audit::terms_found(lookup, access.book().id.get(), terms))
    }

    /// Returns the plan of [`transaction::Transactions::counts`].
    pub fn counts(self, access: &Access, span: &Span) -> Result<Vec<String>> {
        match span.whole_months() {
            Some(months) => self.explain(transaction::counts_by_month(access, &months)),
            None => self.explain(transaction::counts_by_day(access, span)),
        }
    }

    /// Returns the plan of [`transaction::Transactions::sums_within_day`].
    pub fn sums_within_day(
        self,
        access: &Access,
        account: AccountId,
        rows: &[&Transaction],
    ) -> Result<Vec<String>> {
        self.explain(transaction::running_sums(access, account, rows))
    }

    /// Returns the plan of [`transaction::Transactions::journal_page`].
    pub fn journal(
        self,
        access: &Access,
        period: &transaction::Period<'_>,
        after: Option<PageKey>,
    ) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::journal(lookup, access, period, after))
    }

    /// Returns the plan of [`transaction::Transactions::ledger_page`].
    pub fn ledger(
        self,
        access: &Access,
        account: AccountId,
        period: &transaction::Period<'_>,
        after: Option<PageKey>,
    ) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(transaction::ledger(lookup, access, account, period, after))
    }

    /// Returns the plan of [`crate::balance::Balances::read_counterparts`].
    pub fn counterparts(
        self,
        access: &Access,
        segment: &Segment,
        accounts: &[AccountId],
        tags: &[String],
    ) -> Result<Vec<String>> {
        let (lookup, book) = (self.tx.lookup(), access.book().id.get());
        self.explain(balance::counterparts(lookup, book, segment, accounts, tags))
    }

    /// Returns the plan of [`reconciliation::Reconciliations::changes`].
    pub fn reconciliation_changes(
        self,
        access: &Access,
        id: ReconciliationId,
    ) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        self.explain(reconciliation::changes(lookup, access, id))
    }

    /// Returns the plans of [`reconciliation::Reconciliations::sums`].
    pub fn reconciliation_sums(
        self,
        access: &Access,
        ids: &[ReconciliationId],
    ) -> Result<Vec<String>> {
        let lookup = self.tx.lookup();
        let mut steps =
            self.tx.flushed()?.explain(reconciliation::openings(lookup, access, ids))?;
        steps.extend(self.explain(reconciliation::movements(lookup, access, ids))?);
        Ok(steps)
    }

    fn explain(self, sql: Sql<'_>) -> Result<Vec<String>> {
        Ok(self.tx.flushed()?.explain(sql)?)
    }
}
