//! Lists that continue over pages.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use crate::error::Result;

/// One page, and the cursor of the next.
pub(crate) type Page<T> = (Vec<T>, Option<String>);

type Fetching<T> = Pin<Box<dyn Future<Output = Result<Page<T>>> + Send>>;

/// A list that is read page by page as it is consumed.
///
/// It is a [`Stream`], and has [`next`](Self::next) for programs without stream libraries. A
/// failure ends it.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// let mut transactions = client.book(&example.book).transactions("account:Cash");
/// while let Some(transaction) = transactions.next().await {
///     println!("{}", transaction?.description.get().map_or("", String::as_str));
/// }
/// # Ok(()) });
/// ```
#[must_use = "a list is read by `next` or `all`"]
pub struct Pages<T> {
    fetch: Box<dyn Fn(Option<String>) -> Fetching<T> + Send + Sync>,
    ready: VecDeque<T>,
    fetching: Option<Fetching<T>>,
    next: Next,
}

/// Where the list continues.
enum Next {
    First,
    After(String),
    Nowhere,
}

impl<T> Pages<T> {
    pub(crate) fn new<F>(fetch: impl Fn(Option<String>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Page<T>>> + Send + 'static,
    {
        Self {
            fetch: Box::new(move |cursor| Box::pin(fetch(cursor))),
            ready: VecDeque::new(),
            fetching: None,
            next: Next::First,
        }
    }

    /// Returns the next row, or `None` after the last. It may be dropped and called again.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let mut files = client.book(&example.book).files();
    /// assert!(files.next().await.is_none());
    /// # Ok(()) });
    /// ```
    pub async fn next(&mut self) -> Option<Result<T>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Reads the whole list.
    ///
    /// # Errors
    /// The first failure.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let transactions = client.book(&example.book).transactions("is:draft").all().await?;
    /// assert!(transactions.is_empty());
    /// # Ok(()) });
    /// ```
    pub async fn all(mut self) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        while let Some(row) = self.next().await {
            rows.push(row?);
        }
        Ok(rows)
    }

    /// Reads at most so many rows.
    ///
    /// # Errors
    /// The first failure.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let newest = client.book(&example.book).transactions("").take(10).await?;
    /// assert!(newest.len() <= 10);
    /// # Ok(()) });
    /// ```
    pub async fn take(mut self, max: usize) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        while rows.len() < max
            && let Some(row) = self.next().await
        {
            rows.push(row?);
        }
        Ok(rows)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(row)));
            }
            if let Some(fetching) = &mut self.fetching {
                let page = ready!(fetching.as_mut().poll(context));
                self.fetching = None;
                match page {
                    Err(error) => {
                        self.next = Next::Nowhere;
                        return Poll::Ready(Some(Err(error)));
                    }
                    Ok((rows, cursor)) => {
                        // An empty page ends a list (2.3).
                        let cursor = cursor.filter(|cursor| !cursor.is_empty() && !rows.is_empty());
                        self.ready = rows.into();
                        self.next = cursor.map_or(Next::Nowhere, Next::After);
                    }
                }
                continue;
            }
            let cursor = match std::mem::replace(&mut self.next, Next::Nowhere) {
                Next::First => None,
                Next::After(cursor) => Some(cursor),
                Next::Nowhere => return Poll::Ready(None),
            };
            self.fetching = Some((self.fetch)(cursor));
        }
    }
}

impl<T: Unpin> Stream for Pages<T> {
    type Item = Result<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(context)
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pages").field("ready", &self.ready.len()).finish_non_exhaustive()
    }
}
