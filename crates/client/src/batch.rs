//! Batches of any length, sent in requests within the limits of the server.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::Serialize;

use crate::error::{Error, Result};

/// The most items of a request (3.6.6).
const MAX_ITEMS: usize = 10_000;
/// The most bytes of a body. The server takes 32 MB, and 8 MB of changed texts (10.15).
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most remote ids, hashtags, files and properties of a request (10.10), with a reserve.
const MAX_PARTS: usize = 90_000;

/// The size of an item as the server counts it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) parts: usize,
}

impl Size {
    /// Measures an item with so many remote ids, hashtags and files, and properties counted twice.
    pub(crate) fn of<T: Serialize>(item: &T, parts: usize) -> Result<Self> {
        let text = serde_json::to_vec(item).map_err(|error| Error::Invalid(error.to_string()))?;
        Ok(Self { bytes: text.len(), parts })
    }
}

type Sending<R> = Pin<Box<dyn Future<Output = Result<Vec<R>>> + Send>>;

/// A batch that is sent request by request.
///
/// Each request is all or nothing on the server, and repeated after a lost response without a
/// second effect. The batch as a whole is not: after a failure the requests before it stay.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// use daybook_client::types::Transaction;
///
/// let drafts = (1..=1_000).map(|number| Transaction {
///     description: format!("draft {number}").into(),
///     ..Transaction::default()
/// });
/// let mut batch = client.book(&example.book).create_transactions(drafts)?;
/// while let Some(created) = batch.next().await {
///     println!("{} of {}: {} more", batch.sent(), batch.total(), created?.len());
/// }
/// assert_eq!(batch.sent(), 1_000);
/// # Ok(()) });
/// ```
#[must_use = "a batch is sent by `next` or `all`"]
pub struct Batch<T, R> {
    requests: std::vec::IntoIter<Vec<T>>,
    send: Box<dyn Fn(Vec<T>) -> Sending<R> + Send + Sync>,
    sent: usize,
    total: usize,
}

impl<T, R> Batch<T, R> {
    /// Divides items into requests.
    pub(crate) fn new<F>(
        items: impl IntoIterator<Item = T>,
        size: impl Fn(&T) -> Result<Size>,
        send: impl Fn(Vec<T>) -> F + Send + Sync + 'static,
    ) -> Result<Self>
    where
        F: Future<Output = Result<Vec<R>>> + Send + 'static,
    {
        let mut requests: Vec<Vec<T>> = Vec::new();
        let (mut filled, mut total) = (Size::default(), 0);
        for item in items {
            let size = size(&item)?;
            total += 1;
            let bytes = filled.bytes.saturating_add(size.bytes);
            let parts = filled.parts.saturating_add(size.parts);
            let fits = bytes <= MAX_BYTES && parts <= MAX_PARTS;
            match requests.last_mut() {
                Some(request) if fits && request.len() < MAX_ITEMS => {
                    request.push(item);
                    filled = Size { bytes, parts };
                }
                _ => {
                    requests.push(vec![item]);
                    filled = size;
                }
            }
        }
        let send = Box::new(move |items| -> Sending<R> { Box::pin(send(items)) });
        Ok(Self { requests: requests.into_iter(), send, sent: 0, total })
    }

    /// Sends the next request. Returns its results, or `None` when all are sent.
    ///
    /// After a failure the next call continues with the items behind the failed request.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let mut batch = client.book(&example.book).check_transactions([])?;
    /// assert!(batch.next().await.is_none());
    /// # Ok(()) });
    /// ```
    pub async fn next(&mut self) -> Option<Result<Vec<R>>> {
        let items = self.requests.next()?;
        let count = items.len();
        let result = (self.send)(items).await;
        if result.is_ok() {
            self.sent = self.sent.saturating_add(count);
        }
        Some(result)
    }

    /// Sends all requests.
    ///
    /// # Errors
    /// The first failure; the requests before it stay done. [`next`](Self::next) says which.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::types::Account;
    ///
    /// let names = ["Bank", "Rent"].map(str::to_owned);
    /// let accounts = names.map(|name| Account { name: Some(name), ..Account::default() });
    /// let created = client.book(&example.book).create_accounts(accounts)?.all().await?;
    /// assert_eq!(created.len(), 2);
    /// # Ok(()) });
    /// ```
    pub async fn all(mut self) -> Result<Vec<R>> {
        let mut results = Vec::new();
        while let Some(part) = self.next().await {
            results.extend(part?);
        }
        Ok(results)
    }

    /// Returns the number of items that are done.
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// assert_eq!(client.book("abc").check_transactions([])?.sent(), 0);
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub const fn sent(&self) -> usize {
        self.sent
    }

    /// Returns the number of items.
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// assert_eq!(client.book("abc").check_transactions(["7".to_owned()])?.total(), 1);
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }
}

impl<T, R> fmt::Debug for Batch<T, R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sent, total) = (self.sent, self.total);
        write!(out, "Batch {{ sent: {sent}, total: {total} }}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(items: Vec<Size>) -> Vec<usize> {
        let size = |item: &Size| Ok(*item);
        let batch: Batch<Size, ()> =
            Batch::new(items, size, |_| std::future::ready(Ok(Vec::new()))).unwrap();
        batch.requests.map(|request| request.len()).collect()
    }

    #[test]
    fn requests_stay_within_the_limits() {
        let small = Size { bytes: 10, parts: 1 };
        assert_eq!(divided(vec![small; 25_000]), [10_000, 10_000, 5_000]);
        let large = Size { bytes: MAX_BYTES / 2, parts: 1 };
        assert_eq!(divided(vec![large; 3]), [2, 1]);
        let many = Size { bytes: 10, parts: MAX_PARTS };
        assert_eq!(divided(vec![many; 2]), [1, 1]);
        // A single item is sent, whatever its size: the server has the last word.
        assert_eq!(divided(vec![Size { bytes: usize::MAX, parts: 0 }; 2]), [1, 1]);
        assert_eq!(divided(Vec::new()), Vec::<usize>::new());
    }
}
