//! Lists, counts and balances of a book by query.

use crate::book::Book;
use crate::pages::Pages;
use crate::parameters::{
    CountTransactions, GetBalances, ListEvents, ListFiles, ListReconciliations, ListTransactions,
};
use crate::query::Query;
use crate::request::Request;
use crate::types::{Balances, Count, Event, File, Reconciliation, Transaction};

/// Rows of a page of transactions or files.
const PAGE: i32 = 500;
/// Rows of a page of events or reconciliations.
const SHORT_PAGE: i32 = 200;

impl Book {
    /// Lists the transactions of a query, newest first.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::Query;
    ///
    /// let query = Query::new().account("Cash").on("2026-01");
    /// for transaction in client.book(&example.book).transactions(query).all().await? {
    ///     println!("{:?} {:?}", transaction.date, transaction.amount);
    /// }
    /// # Ok(()) });
    /// ```
    pub fn transactions(&self, query: impl Into<Query>) -> Pages<Transaction> {
        let (book, query) = (self.clone(), String::from(query.into()));
        Pages::new(move |cursor| {
            let parameters = ListTransactions {
                query: Some(query.clone()),
                limit: Some(PAGE),
                cursor,
                ..ListTransactions::default()
            };
            let request = book.list_transactions(&parameters);
            async move { request.await.map(|list| (list.items, list.cursor)) }
        })
    }

    /// Counts the transactions of a query.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let count = client.book(&example.book).count("is:posted").await?;
    /// println!("{} transactions", count.total);
    /// # Ok(()) });
    /// ```
    pub fn count(&self, query: impl Into<Query>) -> Request<Count> {
        let query = Some(String::from(query.into()));
        self.count_transactions(&CountTransactions { query, ..CountTransactions::default() })
    }

    /// Returns the balances of a query, which must not be blank.
    ///
    /// Their amounts are credits minus debits; see
    /// [`AccountBalances::cumulative`](crate::types::AccountBalances::cumulative).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let balances = client.book(&example.book).balances("before:2027").await?;
    /// let cash = balances.account("Cash").expect("an account");
    /// println!("Cash: {}", cash.cumulative());
    /// # Ok(()) });
    /// ```
    pub fn balances(&self, query: impl Into<Query>) -> Request<Balances> {
        self.get_balances(&String::from(query.into()), &GetBalances::default())
    }

    /// Lists the events of the book, newest first.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::{parameters::ListEvents, types::EventType};
    ///
    /// let created = ListEvents {
    ///     kind: Some(EventType::AccountCreated),
    ///     ..ListEvents::default()
    /// };
    /// let events = client.book(&example.book).events(created).all().await?;
    /// assert!(events.iter().all(|event| event.kind == EventType::AccountCreated));
    /// # Ok(()) });
    /// ```
    pub fn events(&self, parameters: ListEvents) -> Pages<Event> {
        let book = self.clone();
        Pages::new(move |cursor| {
            let mut parameters = parameters.clone();
            parameters.limit = parameters.limit.or(Some(SHORT_PAGE));
            parameters.cursor = cursor.or(parameters.cursor);
            let request = book.list_events(&parameters);
            async move { request.await.map(|list| (list.items, list.cursor)) }
        })
    }

    /// Lists the files of the book, newest first, without their contents.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// for file in client.book(&example.book).files().all().await? {
    ///     println!("{:?}: {:?} bytes", file.name, file.size);
    /// }
    /// # Ok(()) });
    /// ```
    pub fn files(&self) -> Pages<File> {
        let book = self.clone();
        Pages::new(move |cursor| {
            let request = book.list_files(&ListFiles { limit: Some(PAGE), cursor });
            async move { request.await.map(|list| (list.items, list.cursor)) }
        })
    }

    /// Lists the reconciliations of the book, or of one account by name or id, newest first.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let statements = client.book(&example.book).reconciliations(Some("Cash")).all().await?;
    /// assert!(statements.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn reconciliations(&self, account: Option<&str>) -> Pages<Reconciliation> {
        let (book, account) = (self.clone(), account.map(str::to_owned));
        Pages::new(move |cursor| {
            let parameters =
                ListReconciliations { account: account.clone(), limit: Some(SHORT_PAGE), cursor };
            let request = book.list_reconciliations(&parameters);
            async move { request.await.map(|list| (list.items, list.cursor)) }
        })
    }
}
