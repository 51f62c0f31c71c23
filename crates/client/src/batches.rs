//! Batches of a book.

use crate::batch::{Batch, Size};
use crate::book::Book;
use crate::error::Result;
use crate::parameters::{
    CheckTransactionsBatch, CreateTransactionsBatch, PostTransactionsBatch, TrashTransactionsBatch,
    UncheckTransactionsBatch, UntrashTransactionsBatch, UpdateTransactionsBatch,
};
use crate::request::Request;
use crate::types::{Account, AccountList, Group, GroupList, Transaction, TransactionList};

/// The outcome of a request of ids.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// # let book = client.book(&example.book);
/// use daybook_client::types::Transaction;
///
/// let draft = Transaction { description: "Lunch".into(), ..Transaction::default() };
/// let draft = book.create_transaction(&draft, &Default::default()).await?;
/// let id = draft.transaction.id.clone().expect("a transaction has an id");
/// let outcomes = book.check_transactions([id])?.all().await?;
/// assert_eq!((outcomes[0].items, outcomes[0].skipped), (1, 1));
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Number of ids.
    pub items: usize,
    /// Number of ids that were left as they are (3.6.4).
    pub skipped: u64,
}

/// Returns the size of a transaction, with its remote ids, hashtags, files and properties (10.10).
fn size_of_transaction(transaction: &Transaction) -> Result<Size> {
    let lists = transaction.remote_ids.as_ref().map_or(0, Vec::len)
        + transaction.files.as_ref().map_or(0, Vec::len);
    let properties = transaction.properties.as_ref().map_or(0, std::collections::BTreeMap::len);
    let description = transaction.description.get().map_or("", String::as_str);
    let tags = description.matches('#').count();
    Size::of(transaction, lists + 2 * properties + tags)
}

/// Returns the size of an account, with its groups, of which a request has 30,000 (10.16).
fn size_of_account(account: &Account) -> Result<Size> {
    let properties = account.properties.as_ref().map_or(0, std::collections::BTreeMap::len);
    let groups = account.groups.as_ref().map_or(0, Vec::len);
    Size::of(account, 3 * groups + 2 * properties)
}

fn size_of_group(group: &Group) -> Result<Size> {
    let properties = group.properties.as_ref().map_or(0, std::collections::BTreeMap::len);
    Size::of(group, 2 * properties)
}

fn transaction_list(items: Vec<Transaction>) -> TransactionList {
    TransactionList { items, ..TransactionList::default() }
}

fn of_ids(ids: Vec<String>) -> TransactionList {
    transaction_list(ids.iter().map(|id| Transaction::with_id(id)).collect())
}

impl Book {
    /// Creates transactions, in as many requests as needed.
    ///
    /// Those that exist by a remote id are returned as they are (3.7).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::{Amount, Date, types::Transaction};
    ///
    /// let date = Date::new(2026, 1, 5)?;
    /// let lunch = Transaction::between("Cash", "Food", date, Amount::new(1250, 2));
    /// let created = client.book(&example.book).create_transactions([lunch])?.all().await?;
    /// assert_eq!(created[0].posted, Some(true));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn create_transactions(
        &self,
        transactions: impl IntoIterator<Item = Transaction>,
    ) -> Result<Batch<Transaction, Transaction>> {
        let book = self.clone();
        Batch::new(transactions, size_of_transaction, move |items| {
            let parameters = CreateTransactionsBatch::default();
            let request = book.create_transactions_batch(&transaction_list(items), &parameters);
            async move { request.await.map(|list| list.items) }
        })
    }

    /// Updates transactions by id, in as many requests as needed. Checked ones are left (3.6.3).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let mut drafts = book.transactions("is:draft").all().await?;
    /// for draft in &mut drafts {
    ///     draft.description = "Unknown".into();
    /// }
    /// book.update_transactions(drafts)?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn update_transactions(
        &self,
        transactions: impl IntoIterator<Item = Transaction>,
    ) -> Result<Batch<Transaction, Transaction>> {
        let book = self.clone();
        Batch::new(transactions, size_of_transaction, move |items| {
            let parameters = UpdateTransactionsBatch::default();
            let request = book.update_transactions_batch(&transaction_list(items), &parameters);
            async move { request.await.map(|list| list.items) }
        })
    }

    /// Posts drafts by id.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let drafts = book.transactions("is:draft").all().await?;
    /// let ids = drafts.into_iter().filter_map(|draft| draft.id);
    /// for outcome in book.post_transactions(ids)?.all().await? {
    ///     println!("{} of {} are incomplete", outcome.skipped, outcome.items);
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn post_transactions(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<Batch<String, Outcome>> {
        let book = self.clone();
        batch_of_ids(ids, move |list| {
            book.post_transactions_batch(list, &PostTransactionsBatch::default())
        })
    }

    /// Checks posted transactions by id.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let january = book.transactions("account:Cash on:2026-01 is:unchecked").all().await?;
    /// book.check_transactions(january.into_iter().filter_map(|row| row.id))?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn check_transactions(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<Batch<String, Outcome>> {
        let book = self.clone();
        batch_of_ids(ids, move |list| {
            book.check_transactions_batch(list, &CheckTransactionsBatch::default())
        })
    }

    /// Removes the check of transactions by id.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let checked = book.transactions("is:checked").all().await?;
    /// book.uncheck_transactions(checked.into_iter().filter_map(|row| row.id))?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn uncheck_transactions(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<Batch<String, Outcome>> {
        let book = self.clone();
        batch_of_ids(ids, move |list| {
            book.uncheck_transactions_batch(list, &UncheckTransactionsBatch::default())
        })
    }

    /// Moves transactions to the trash, by id. Checked ones are left.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let drafts = book.transactions("is:draft").all().await?;
    /// book.trash_transactions(drafts.into_iter().filter_map(|row| row.id))?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn trash_transactions(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<Batch<String, Outcome>> {
        let book = self.clone();
        batch_of_ids(ids, move |list| {
            book.trash_transactions_batch(list, &TrashTransactionsBatch::default())
        })
    }

    /// Restores transactions from the trash, by id.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let trashed = book.transactions("is:trashed").all().await?;
    /// book.untrash_transactions(trashed.into_iter().filter_map(|row| row.id))?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn untrash_transactions(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<Batch<String, Outcome>> {
        let book = self.clone();
        batch_of_ids(ids, move |list| {
            book.untrash_transactions_batch(list, &UntrashTransactionsBatch::default())
        })
    }

    /// Creates accounts, in as many requests as needed.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::types::{Account, AccountType};
    ///
    /// let rent = Account::named("Rent", AccountType::Outgoing);
    /// client.book(&example.book).create_accounts([rent])?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn create_accounts(
        &self,
        accounts: impl IntoIterator<Item = Account>,
    ) -> Result<Batch<Account, Account>> {
        let book = self.clone();
        Batch::new(accounts, size_of_account, move |items| {
            let request = book.create_accounts_batch(&AccountList { items });
            async move { request.await.map(|list| list.items) }
        })
    }

    /// Creates groups, in as many requests as needed.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::types::Group;
    ///
    /// let groups = ["Assets", "Liabilities"].map(|name| Group {
    ///     name: Some(name.to_owned()),
    ///     ..Group::default()
    /// });
    /// client.book(&example.book).create_groups(groups)?.all().await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if an item is no JSON.
    pub fn create_groups(
        &self,
        groups: impl IntoIterator<Item = Group>,
    ) -> Result<Batch<Group, Group>> {
        let book = self.clone();
        Batch::new(groups, size_of_group, move |items| {
            let request = book.create_groups_batch(&GroupList { items });
            async move { request.await.map(|list| list.items) }
        })
    }
}

/// Divides ids into requests, each with one outcome.
fn batch_of_ids(
    ids: impl IntoIterator<Item = String>,
    request: impl Fn(&TransactionList) -> Request<()> + Send + Sync + 'static,
) -> Result<Batch<String, Outcome>> {
    let size = |id: &String| Ok(Size { bytes: id.len(), parts: 0 });
    Batch::new(ids, size, move |ids| {
        let items = ids.len();
        let request = request(&of_ids(ids));
        async move {
            let response = request.send().await?;
            let skipped = response.head.skipped_items.unwrap_or_default();
            Ok(vec![Outcome { items, skipped }])
        }
    })
}
