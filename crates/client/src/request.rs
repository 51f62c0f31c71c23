//! Requests that are ready to be sent, and rows with their versions.

use std::fmt::Display;
use std::future::{Future, IntoFuture};
use std::io::{self, Write};
use std::ops::Deref;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::{Body, Call, ETag, Head, OnProgress, Reply};
use crate::client::Client;
use crate::error::{ApiError, Error, Result};
use crate::reason::Reason;
use crate::types::{Transaction, TransactionOperation};

/// A request that is sent by `.await`, [`send`](Self::send) or one of the `into_` functions.
///
/// Writes carry an idempotency key that the client makes, so they are repeated after a lost
/// response without a second effect (0.16).
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// let request = client.book(&example.book).list_accounts();
/// let accounts = request.await?;
/// assert_eq!(accounts.items.len(), 2);
/// # Ok(()) });
/// ```
#[derive(Debug)]
#[must_use = "a request is sent by `.await`"]
pub struct Request<T> {
    client: Client,
    call: Call,
    decode: fn(&Reply) -> Result<T>,
}

/// A response with its headers.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// let response = client.get_user().send().await?;
/// println!("{} calls left", response.head.rate_limit_remaining.unwrap_or(u64::MAX));
/// println!("{}", response.value.username);
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Response<T> {
    /// The data in the headers.
    pub head: Head,
    /// The decoded body.
    pub value: T,
}

impl<T> Request<T> {
    fn new(client: &Client, call: Call, decode: fn(&Reply) -> Result<T>) -> Self {
        Self { client: client.clone(), call, decode }
    }

    /// Adds a query parameter, if there is a value.
    pub(crate) fn parameter<V: Display>(mut self, name: &str, value: Option<V>) -> Self {
        self.call.parameter(name, value);
        self
    }

    /// Sets a header, if there is a value.
    pub(crate) fn maybe_header(mut self, name: &str, value: Option<&str>) -> Self {
        self.call.header(name, value);
        self
    }

    /// Sets a JSON body.
    pub(crate) fn body<B: Serialize + ?Sized>(mut self, body: &B) -> Self {
        self.call.json(body);
        self
    }

    /// Sets the bytes of a file as the body.
    pub(crate) fn file(mut self, file: &[u8]) -> Self {
        self.call.body = Some(Body::Bytes(file.to_vec().into()));
        self
    }

    /// Sets a JSON body, and `If-Match` if the row has a version.
    pub(crate) fn row<B: Serialize>(mut self, row: Row<'_, B>) -> Self {
        self.call.json(row.value);
        self.call.header("if-match", row.etag.map(ETag::as_str));
        self
    }

    /// Says that the request takes an idempotency key.
    pub(crate) fn keyed(mut self) -> Self {
        self.call.takes_key();
        self
    }

    /// Says that the request reads, whatever its method.
    pub(crate) fn read_only(mut self) -> Self {
        self.call.is_repeatable = true;
        self
    }

    /// Uses this idempotency key instead of one that the client makes.
    ///
    /// With a key of their own, programs repeat a write even after a restart.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::types::Group;
    ///
    /// let group = Group { name: Some("Assets".to_owned()), ..Group::default() };
    /// let book = client.book(&example.book);
    /// let first = book.create_group(&group).idempotency_key("setup-1").await?;
    /// let again = book.create_group(&group).idempotency_key("setup-1").await?;
    /// assert_eq!(first.id, again.id);
    /// # Ok(()) });
    /// ```
    pub fn idempotency_key(mut self, key: &str) -> Self {
        self.call.header("idempotency-key", Some(key));
        self
    }

    /// Changes the resource only if it has this version (0.17).
    ///
    /// Rows that were read with their version set it themselves; see [`Versioned`].
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// # let book = client.book(&example.book);
    /// use daybook_client::{ETag, Reason};
    ///
    /// let food = book.get_account("Food").await?;
    /// let id = food.id.as_deref().expect("an account has an id");
    /// let error = book.delete_account(id).if_match(&ETag::from("\"old\"")).await.unwrap_err();
    /// assert_eq!(error.reason(), Some(&Reason::ConditionNotMet));
    /// # Ok(()) });
    /// ```
    pub fn if_match(self, etag: &ETag) -> Self {
        self.header("if-match", etag.as_str())
    }

    /// Sets a header.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let response = client.get_user().header("x-request-id", "example-1").send().await?;
    /// assert_eq!(response.head.request_id.as_deref(), Some("example-1"));
    /// # Ok(()) });
    /// ```
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.call.header(name, Some(value));
        self
    }

    /// Sends the content of a file as the body of the request, instead of the body that it has.
    ///
    /// The file is read while it is sent, and is never in memory as a whole. A repetition reads it
    /// from the beginning. It must be a regular file, because its size is sent first.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::parameters::CreateImport;
    /// use daybook_client::types::ImportState;
    ///
    /// let path = std::env::temp_dir().join(format!("statement-{}.csv", std::process::id()));
    /// std::fs::write(&path, "Date,Description,Amount\n2026-02-03,Shop,-4.50\n").expect("a file");
    ///
    /// let options = CreateImport { account: Some("Cash".to_owned()), ..CreateImport::default() };
    /// let import = client.book(&example.book).create_import(&[], &options).upload(&path).await?;
    /// assert!(matches!(import.state, ImportState::Reading | ImportState::Preview));
    /// # std::fs::remove_file(&path).expect("the file");
    /// # Ok(()) });
    /// ```
    pub fn upload(mut self, path: impl Into<PathBuf>) -> Self {
        self.call.body = Some(Body::File(path.into()));
        self.call.media_type = "application/octet-stream";
        self
    }

    /// Calls a function as the response arrives.
    ///
    /// It gets the number of bytes received, and of all bytes if the server names it. A repetition
    /// of the request begins at the first byte again.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let path = format!("/v5/books/{}/export?format=csv", example.book);
    /// let export = client.raw("GET", &path, None)?.on_progress(|received, total| match total {
    ///     Some(total) => eprintln!("{received} of {total} bytes"),
    ///     None => eprintln!("{received} bytes"),
    /// });
    /// assert!(!export.await?.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn on_progress(
        mut self,
        on_progress: impl Fn(u64, Option<u64>) + Send + Sync + 'static,
    ) -> Self {
        self.call.on_progress = Some(OnProgress(Arc::new(on_progress)));
        self
    }

    /// Sends the request, and returns the value with the headers of the response.
    ///
    /// # Errors
    /// [`Error`].
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let response = client.get_user().send().await?;
    /// assert_eq!(response.head.status, 200);
    /// # Ok(()) });
    /// ```
    pub async fn send(self) -> Result<Response<T>> {
        let reply = self.client.exchange(self.call).await?;
        let value = (self.decode)(&reply)?;
        Ok(Response { head: reply.head, value })
    }

    /// Sends the request, and writes the body of the response as it arrives, with the headers of
    /// the response.
    ///
    /// `open` makes the destination when the server has answered with a success. A repetition
    /// after a broken connection calls it again, and writes the body from the beginning. A
    /// destination that cannot begin again returns an error then. Writes block the calling task.
    ///
    /// # Errors
    /// [`Error`]; [`Error::File`] for those of the destination, which are not repeated.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let path = std::env::temp_dir().join(format!("book-{}.jsonl", std::process::id()));
    /// let export = client.book(&example.book).export_book(&Default::default());
    /// let response = export.write_to(|| std::fs::File::create(&path)).await?;
    /// response.value.sync_all().expect("a written file");
    /// # std::fs::remove_file(&path).expect("the file");
    /// # Ok(()) });
    /// ```
    pub async fn write_to<W: Write>(
        self,
        open: impl FnMut() -> io::Result<W>,
    ) -> Result<Response<W>> {
        let (head, value) = self.client.download(self.call, open).await?;
        Ok(Response { head, value })
    }

    /// Changes the request to one for the text of the response, exactly as the server writes it.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let json = client.book(&example.book).list_accounts().into_text().await?;
    /// assert!(json.starts_with("{\"items\":["));
    /// # Ok(()) });
    /// ```
    pub fn into_text(self) -> Request<String> {
        Request { client: self.client, call: self.call, decode: text }
    }

    /// Changes the request to one for the bytes of the response.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// use daybook_client::parameters::GetReport;
    /// use daybook_client::types::{ReportFormat, ReportKind};
    ///
    /// let xlsx = GetReport { format: Some(ReportFormat::Xlsx), ..GetReport::default() };
    /// let book = client.book(&example.book);
    /// let workbook = book.get_report(&ReportKind::TrialBalance, &xlsx).into_bytes().await?;
    /// assert_eq!(workbook.first_chunk(), Some(b"PK"));
    /// # Ok(()) });
    /// ```
    pub fn into_bytes(self) -> Request<Vec<u8>> {
        Request { client: self.client, call: self.call, decode: bytes }
    }

    /// Changes the request to one for untyped JSON. An empty response is `null`.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let user = client.get_user().into_value().await?;
    /// assert!(user["username"].is_string());
    /// # Ok(()) });
    /// ```
    pub fn into_value(self) -> Request<serde_json::Value> {
        Request { client: self.client, call: self.call, decode: value }
    }
}

impl<T: 'static> IntoFuture for Request<T> {
    type Output = Result<T>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let reply = self.client.exchange(self.call).await?;
            (self.decode)(&reply)
        })
    }
}

impl<T: DeserializeOwned> Request<T> {
    /// A request for JSON of this shape.
    pub(crate) fn json(client: &Client, method: Method, path: &[&str]) -> Self {
        Self::new(client, Call::new(method, path), json)
    }
}

impl<T: DeserializeOwned> Request<Versioned<T>> {
    /// A request for JSON of this shape and its version.
    pub(crate) fn versioned(client: &Client, method: Method, path: &[&str]) -> Self {
        Self::new(client, Call::new(method, path), |reply| {
            Ok(Versioned { value: json(reply)?, etag: reply.head.etag.clone() })
        })
    }
}

impl Request<Vec<u8>> {
    /// A request whose response is a file.
    pub(crate) fn bytes(client: &Client, method: Method, path: &[&str]) -> Self {
        Self::new(client, Call::new(method, path), bytes)
    }
}

impl Request<()> {
    /// A request whose response has no body.
    pub(crate) fn empty(client: &Client, method: Method, path: &[&str]) -> Self {
        Self::new(client, Call::new(method, path), |_| Ok(()))
    }
}

/// Decodes JSON. Some servers answer 204 for a missing resource (4.4), which is 404 here.
fn json<T: DeserializeOwned>(reply: &Reply) -> Result<T> {
    if reply.head.status == 204 {
        let mut error = ApiError::read(404, &[]);
        error.reason = Reason::NotFound;
        error.message = "not found".to_owned();
        error.request_id.clone_from(&reply.head.request_id);
        return Err(Error::Api(Box::new(error)));
    }
    serde_json::from_slice(&reply.body)
        .map_err(|source| Error::Decode { operation: reply.operation.clone(), source })
}

fn value(reply: &Reply) -> Result<serde_json::Value> {
    if reply.body.is_empty() { Ok(serde_json::Value::Null) } else { json(reply) }
}

fn text(reply: &Reply) -> Result<String> {
    Ok(String::from_utf8_lossy(&reply.body).into_owned())
}

fn bytes(reply: &Reply) -> Result<Vec<u8>> {
    Ok(reply.body.clone())
}

impl Client {
    /// Begins a request of any path, for operations that this version does not know.
    ///
    /// `path` is below the address of the server and may have a query; it is sent as it is. Writes
    /// get an idempotency key, except `POST` of a preview, which ignores it.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let user = client.raw("GET", "/v5/user", None)?.await?;
    /// println!("{user}");
    ///
    /// let group = serde_json::json!({"name": "Assets"}).to_string();
    /// let path = format!("/v5/books/{}/groups", example.book);
    /// let response = client.raw("POST", &path, Some(group.as_bytes()))?.send().await?;
    /// assert_eq!(response.head.status, 200);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`] if the method is not one of HTTP.
    pub fn raw(&self, method: &str, path: &str, body: Option<&[u8]>) -> Result<Request<String>> {
        let invalid = || Error::Invalid(format!("invalid method {method:?}"));
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| invalid())?;
        let is_write = matches!(method, Method::POST | Method::PUT | Method::PATCH)
            || method == Method::DELETE;
        let mut call = Call::raw(method, path);
        call.body = body.map(|body| Body::Bytes(body.to_vec().into()));
        if is_write {
            call.takes_key();
        }
        Ok(Request::new(self, call, text))
    }
}

/// A value with the version that the server returned with it.
///
/// Updates that take a `Versioned` row set `If-Match`: when another caller has changed the resource
/// meanwhile, they fail with [`Reason::ConditionNotMet`] instead of overwriting the change. Pass
/// `&row.value` to overwrite.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// # let book = client.book(&example.book);
/// use daybook_client::Reason;
///
/// let mut mine = book.get_account("Food").await?;
/// let mut theirs = book.get_account("Food").await?;
/// theirs.value.name = Some("Groceries".to_owned());
/// book.update_account(&theirs).await?;
///
/// mine.value.archived = Some(true);
/// let error = book.update_account(&mine).await.unwrap_err();
/// assert_eq!(error.reason(), Some(&Reason::ConditionNotMet));
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Versioned<T> {
    /// The value.
    pub value: T,
    /// The version; absent if the server did not send one.
    pub etag: Option<ETag>,
}

impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A row to write, perhaps with the version that it must have.
///
/// Functions take `impl Into<Row<T>>`: a `&T` writes in any case, a `&Versioned<T>` only over the
/// version that was read.
///
/// ```
/// use daybook_client::{ETag, Row, Versioned, types::Account};
///
/// let account = Versioned { value: Account::default(), etag: Some(ETag::from("\"7\"")) };
/// let careful: Row<Account> = (&account).into();
/// let careless: Row<Account> = (&account.value).into();
/// assert!(careful.etag.is_some() && careless.etag.is_none());
/// ```
#[derive(Debug)]
pub struct Row<'a, T> {
    /// The row.
    pub value: &'a T,
    /// The version that it must have.
    pub etag: Option<&'a ETag>,
}

impl<'a, T> From<&'a T> for Row<'a, T> {
    fn from(value: &'a T) -> Self {
        Self { value, etag: None }
    }
}

impl<'a, T> From<&'a Versioned<T>> for Row<'a, T> {
    fn from(row: &'a Versioned<T>) -> Self {
        Self { value: &row.value, etag: row.etag.as_ref() }
    }
}

impl<'a> From<&'a Versioned<TransactionOperation>> for Row<'a, Transaction> {
    fn from(row: &'a Versioned<TransactionOperation>) -> Self {
        Self { value: &row.value.transaction, etag: row.etag.as_ref() }
    }
}
