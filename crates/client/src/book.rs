//! A book, by its id.

use std::sync::Arc;

use crate::client::Client;

/// A handle of one book: the operations on it, without another argument for its id.
///
/// Making a handle sends nothing.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// let book = client.book(&example.book);
/// let settings = book.get_book(&Default::default()).await?;
/// println!("{:?} has {:?} decimals", settings.name, settings.fraction_digits);
/// # Ok(()) });
/// ```
#[derive(Debug, Clone)]
pub struct Book {
    client: Client,
    id: Arc<str>,
}

impl Book {
    /// Returns the id of the book.
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// assert_eq!(client.book("abc").id(), "abc");
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the client of the book.
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// assert_eq!(client.book("abc").client().base_url(), "http://127.0.0.1:8080");
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }
}

impl Client {
    /// Returns the handle of the book with this id.
    ///
    /// ```
    /// # let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// let book = client.book("abc");
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub fn book(&self, id: &str) -> Book {
        Book { client: self.clone(), id: id.into() }
    }
}
