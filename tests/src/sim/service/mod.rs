//! The service under test: the real use cases and storage in this process, with a simulated clock.

mod app;
mod delivery;
mod inputs;
mod labels;
mod lists;
mod query_text;
mod translate;

use std::sync::Arc;

use anyhow::Context as _;
use daybook_domain::email::Email;
use daybook_domain::event::EventType;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_service::event::{self, Request};
use daybook_service::{Context, Error, Ids, access_request, book, collaborator, file, user};
use daybook_storage::user::User;
use daybook_storage::{Address, Options, ShardKey, Store, Tx};
use rusqlite::{Connection, OpenFlags};

use super::body::TransactionBody;
use super::facts::Refusal;
use super::label;
use super::model::{self, Caller};
use crate::rng::Rng;
pub use app::sealed;
pub use labels::Labels;

/// A database and its store.
pub struct TestDatabase {
    store: Store,
    /// SQLite drops a database in memory with its last connection, and the store opens and closes
    /// connections.
    _anchor: Option<Connection>,
}

impl TestDatabase {
    /// Creates a SQLite database in memory. The `memdb` VFS shares it by name among the connections
    /// of this process and locks it like a file. The older shared cache locks tables, and refuses a
    /// waiting reader at once.
    pub fn in_memory(name: &str) -> anyhow::Result<TestDatabase> {
        let url = format!("file:/{name}?vfs=memdb");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_URI;
        let anchor = Connection::open_with_flags(&url, flags).context("no database in memory")?;
        let store = TestDatabase::open(Address::Sqlite(url.into()))?;
        Ok(TestDatabase { _anchor: Some(anchor), ..store })
    }

    /// Opens the database of a URL.
    pub fn at(url: &str) -> anyhow::Result<TestDatabase> {
        TestDatabase::open(Address::parse(url)?)
    }

    fn open(address: Address) -> anyhow::Result<TestDatabase> {
        let options = Options { readers: 1, ..Options::new(address) };
        Ok(TestDatabase {
            store: Store::open(&options).context("the store does not open")?,
            _anchor: None,
        })
    }
}

/// The service with its users, and the ids of labelled resources.
pub struct Service {
    database: TestDatabase,
    users: Vec<Arc<User>>,
    ids: Arc<Ids>,
    pub labels: Labels,
}

impl Service {
    /// Creates the service and signs its users in. Different corners of a database have different
    /// user names and almost certainly different ids.
    pub fn new(
        database: TestDatabase,
        corner: u64,
        count: usize,
        now: i64,
    ) -> anyhow::Result<Service> {
        let mut apart = Rng::new(corner);
        let (node, past) =
            (i64::try_from(apart.below(1024))?, i64::try_from(apart.below(1 << 37))?);
        let minted = Arc::new(Ids::new(node));
        let mut users = Vec::new();
        for number in 0..count {
            let (email, minted) =
                (Email::stored(format!("u{number}@sim{corner}.example")), Arc::clone(&minted));
            let sign_in =
                move |tx: &mut Tx<'_>| user::sign_in(tx, &email, &minted, Instant::new(now - past));
            users.push(Arc::new(database.store.write(ShardKey::NO_BOOK, sign_in)?));
        }
        // The time is the same in all corners. In tables without a book, such as mails, two corners
        // would generate the same ids.
        let ids = Arc::new(Ids::new(i64::try_from(corner & 0x3FFF)?));
        Ok(Service { database, users, ids, labels: Labels::default() })
    }

    pub fn users(&self) -> Vec<model::User> {
        self.users
            .iter()
            .map(|user| model::User {
                email: user.email.to_string(),
                username: user.username.clone(),
            })
            .collect()
    }

    /// The number of a user.
    pub fn user(&self, id: UserId) -> usize {
        self.users.iter().position(|user| user.id == id).unwrap_or(usize::MAX)
    }

    /// The number of the user with an address.
    pub fn user_of(&self, email: &str) -> usize {
        self.users.iter().position(|user| user.email.as_str() == email).unwrap_or(usize::MAX)
    }

    fn context(&self, caller: &Caller) -> Context {
        let (user, ids) = (Arc::clone(&self.users[caller.who]), Arc::clone(&self.ids));
        let agent = caller.agent.clone();
        Context { agent, depth: caller.depth, ..Context::new(user, Instant::new(caller.now), ids) }
    }

    /// Reads in a book; an unknown label has an id that does not exist.
    pub fn read<T>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context, &str) -> Result<T, Error>,
    ) -> Result<T, Refusal> {
        let (cx, key) = (self.context(caller), self.labels.key(caller.book));
        self.database.store.read(|tx| work(tx, &cx, &key)).map_err(refused)
    }

    /// Writes in a book.
    pub fn write<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context, &str) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (cx, key) = (self.context(caller), self.labels.key(caller.book));
        self.database
            .store
            .write(ShardKey::of_book(&key), move |tx| work(tx, &cx, &key))
            .map_err(refused)
    }

    /// Writes without a book.
    pub fn found<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refusal> {
        let cx = self.context(caller);
        self.database.store.write(ShardKey::NO_BOOK, move |tx| work(tx, &cx)).map_err(refused)
    }

    /// Writes user data that does not belong to a book.
    pub fn own<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refusal> {
        let cx = self.context(caller);
        self.database
            .store
            .write(ShardKey::of_user(cx.user.id), move |tx| work(tx, &cx))
            .map_err(refused)
    }

    /// The owner of the caller's book, at the same time.
    fn owner(&self, caller: &Caller) -> Caller {
        let who = self.labels.owners.get(&caller.book).copied().unwrap_or_default();
        Caller { who, ..caller.clone() }
    }

    /// Labels a new book and the collaborator row of its owner.
    pub fn label_new_book(
        &mut self,
        caller: &Caller,
        book: label::Book,
        owner: label::Collaborator,
        view: &book::View,
    ) -> Result<(), Refusal> {
        let made = view.access.book();
        self.labels.keys.insert(book, made.key.as_str().to_owned());
        self.labels.owners.insert(book, caller.who);
        self.labels.note(made.id.get(), book);
        let rows = self.read(&Caller { book, ..caller.clone() }, collaborator::list)?;
        rows.iter().for_each(|row| self.labels.note(row.id.get(), owner));
        Ok(())
    }

    /// Labels transactions that an operation creates and only its events show, in order, read as
    /// the owner.
    pub fn label_new_transactions(
        &mut self,
        caller: &Caller,
        labels: &[label::Transaction],
    ) -> Result<(), Refusal> {
        let owner = self.owner(caller);
        let request = Request {
            kind: Some(EventType::TransactionCreated.as_str().to_owned()),
            limit: Some(labels.len()),
            ..Request::default()
        };
        let page = self.read(&owner, |tx, cx, key| event::list(tx, cx, key, &request))?;
        let mut numbers: Vec<i64> = page.events.iter().map(|read| read.event.resource).collect();
        numbers.retain(|number| self.labels.is_new::<label::Transaction>(*number));
        numbers
            .iter()
            .rev()
            .zip(labels)
            .for_each(|(number, label)| self.labels.note(*number, *label));
        Ok(())
    }

    /// Labels the files that bodies contained, by the names of their bytes, read as the owner.
    pub fn label_new_files(
        &mut self,
        caller: &Caller,
        bodies: &[TransactionBody],
    ) -> Result<(), Refusal> {
        let brought = bodies
            .iter()
            .flat_map(|body| body.files.iter().flatten())
            .filter(|entry| entry.content.is_some());
        let brought: Vec<label::File> = brought.map(|entry| entry.label).collect();
        if brought.is_empty() {
            return Ok(());
        }
        let owner = self.owner(caller);
        let newest =
            self.read(&owner, |tx, cx, key| file::list(tx, cx, key, Some(brought.len()), None))?;
        for file in &newest.files {
            let made = brought.iter().find(|label| inputs::blob(**label) == file.content.blob);
            made.into_iter().for_each(|label| self.labels.note(file.id.get(), *label));
        }
        Ok(())
    }

    /// Labels the caller's new access request, read as the owner, because the caller cannot see it.
    pub fn label_access_request(&mut self, caller: &Caller, label: label::AccessRequest) {
        let owner = self.owner(caller);
        let asking = self.users[caller.who].id;
        let open = self.read(&owner, access_request::list).unwrap_or_default();
        let own = open.iter().find(|one| one.user == asking);
        own.into_iter().for_each(|one| self.labels.note(one.id.get(), label));
    }

    /// The current month as `yyyymm` in a zone.
    pub fn month(now: i64, zone: &str) -> i32 {
        model::dates::number(model::dates::day(now, zone)) / 100
    }
}

/// Translates a refusal to its reason. Other errors become a failure, which the model never
/// expects.
fn refused(error: Error) -> Refusal {
    let item = if let Error::Item { index, .. } = &error { Some(*index) } else { None };
    match error.reason() {
        Some(reason) => Refusal { reason: reason.as_str().to_owned(), item },
        None => Refusal { reason: format!("failed: {error}"), item },
    }
}
