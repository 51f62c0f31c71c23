//! The service under test: the real use cases and the real storage, in this process, with a
//! simulated clock.

mod app;
mod delivery;
mod inputs;
mod labels;
mod translate;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use daybook_domain::api_key::KeyDigest;
use daybook_domain::email::Email;
use daybook_domain::event::EventType;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_domain::query::Warning;
use daybook_service::event::{self, Request};
use daybook_service::{Context, Error, Ids, access_request, file, user};
use daybook_storage::user::User;
use daybook_storage::{Address, Options, ShardKey, Store, Tx};
use rusqlite::{Connection, OpenFlags};

use super::body::TransactionBody;
use super::facts::Refused;
use super::label;
use super::model::{self, Caller};
use crate::rng::Dice;
pub use app::sealed;
pub use labels::Labels;

/// A store that lasts as long as this.
pub struct Place {
    store: Store,
    /// SQLite forgets a database in memory when its last connection closes, and the store opens and
    /// closes some.
    _anchor: Option<Connection>,
}

impl Place {
    /// A SQLite database in memory. The `memdb` VFS shares it among the connections of this process
    /// by its name and locks it as a file; the older shared cache locks tables, and a reader that
    /// waits there is refused at once.
    pub fn in_memory(name: &str) -> anyhow::Result<Place> {
        let url = format!("file:/{name}?vfs=memdb");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_URI;
        let anchor = Connection::open_with_flags(&url, flags).context("no database in memory")?;
        let store = Place::open(Address::Sqlite(url.into()))?;
        Ok(Place { _anchor: Some(anchor), ..store })
    }

    /// The database of a URL.
    pub fn at(url: &str) -> anyhow::Result<Place> {
        Place::open(Address::parse(url)?)
    }

    fn open(address: Address) -> anyhow::Result<Place> {
        let options = Options { readers: 1, ..Options::new(address) };
        Ok(Place {
            store: Store::open(&options).context("the store does not open")?,
            _anchor: None,
        })
    }
}

/// The service with some users, and what it called the things that a trace labels.
pub struct Service {
    place: Place,
    users: Vec<Arc<User>>,
    ids: Arc<Ids>,
    pub labels: Labels,
}

impl Service {
    /// Users sign in. Those of different corners of a place have different names, and ids that are
    /// hardly the same.
    pub fn new(place: Place, corner: u64, count: usize, now: i64) -> anyhow::Result<Service> {
        let mut apart = Dice::new(corner);
        let (node, past) =
            (i64::try_from(apart.below(1024))?, i64::try_from(apart.below(1 << 37))?);
        let minted = Arc::new(Ids::new(node));
        let mut users = Vec::new();
        for number in 0..count {
            let (email, minted) =
                (Email::stored(format!("u{number}@sim{corner}.example")), Arc::clone(&minted));
            let sign_in =
                move |tx: &mut Tx<'_>| user::sign_in(tx, &email, &minted, Instant::new(now - past));
            users.push(Arc::new(place.store.write(ShardKey::NO_BOOK, sign_in)?));
        }
        // All corners have the same time: in the tables that no book leads, such as mails, two
        // would make the same ids.
        let ids = Arc::new(Ids::new(i64::try_from(corner & 0x3FFF)?));
        Ok(Service { place, users, ids, labels: Labels::default() })
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

    /// What is kept of the text of an API key; nobody else has it.
    pub fn digest(&self, label: label::ApiKey) -> KeyDigest {
        let own = self.users[0].id.get().to_be_bytes().into_iter().chain(label.0.to_be_bytes());
        let mut digest = KeyDigest::default();
        digest.iter_mut().zip(own).for_each(|(place, byte)| *place = byte);
        digest
    }

    pub fn context(&self, caller: &Caller) -> Context {
        let (user, ids) = (Arc::clone(&self.users[caller.who]), Arc::clone(&self.ids));
        let agent = caller.agent.clone();
        Context { agent, depth: caller.depth, ..Context::new(user, Instant::new(caller.now), ids) }
    }

    /// Reads in a book; an unknown one has a key that nobody has.
    pub fn read<T>(
        &self,
        book: label::Book,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context, &str) -> Result<T, Error>,
    ) -> Result<T, Refused> {
        let (cx, key) = (self.context(caller), self.labels.key(book));
        self.place.store.read(|tx| work(tx, &cx, &key)).map_err(refused)
    }

    /// Writes in a book.
    pub fn write<T: Send + 'static>(
        &self,
        book: label::Book,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context, &str) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refused> {
        let (cx, key) = (self.context(caller), self.labels.key(book));
        self.place
            .store
            .write(ShardKey::of_book(&key), move |tx| work(tx, &cx, &key))
            .map_err(refused)
    }

    /// Writes in no book.
    pub fn found<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refused> {
        let cx = self.context(caller);
        self.place.store.write(ShardKey::NO_BOOK, move |tx| work(tx, &cx)).map_err(refused)
    }

    /// Writes what the caller keeps across books.
    pub fn own<T: Send + 'static>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refused> {
        let cx = self.context(caller);
        self.place
            .store
            .write(ShardKey::of_user(cx.user.id), move |tx| work(tx, &cx))
            .map_err(refused)
    }

    /// Labels transactions that an operation makes and only events show, in their order; the
    /// owner reads them.
    pub fn note_told(
        &mut self,
        book: label::Book,
        caller: &Caller,
        labels: &[label::Transaction],
    ) -> Result<(), Refused> {
        let owner = Caller {
            who: self.labels.owners.get(&book).copied().unwrap_or_default(),
            ..caller.clone()
        };
        let request = Request {
            kind: Some(EventType::TransactionCreated.as_str().to_owned()),
            limit: Some(labels.len()),
            ..Request::default()
        };
        let page = self.read(book, &owner, |tx, cx, key| event::list(tx, cx, key, &request))?;
        let mut numbers: Vec<i64> = page.events.iter().map(|read| read.event.resource).collect();
        numbers.retain(|number| self.labels.transactions.is_new(*number));
        numbers
            .iter()
            .rev()
            .zip(labels)
            .for_each(|(number, label)| self.labels.transactions.note(*number, *label));
        Ok(())
    }

    /// Labels the files that bodies brought along, which no answer distinguishes: by the names of
    /// their bytes. The owner reads them.
    pub fn note_brought(
        &mut self,
        book: label::Book,
        caller: &Caller,
        bodies: &[TransactionBody],
    ) -> Result<(), Refused> {
        let brought = bodies
            .iter()
            .flat_map(|body| body.files.iter().flatten())
            .filter(|entry| entry.content.is_some());
        let brought: Vec<label::File> = brought.map(|entry| entry.label).collect();
        if brought.is_empty() {
            return Ok(());
        }
        let owner = Caller {
            who: self.labels.owners.get(&book).copied().unwrap_or_default(),
            ..caller.clone()
        };
        let newest = self
            .read(book, &owner, |tx, cx, key| file::list(tx, cx, key, Some(brought.len()), None))?;
        for file in &newest.files {
            let made = brought.iter().find(|label| inputs::blob(**label) == file.content.blob);
            made.into_iter().for_each(|label| self.labels.files.note(file.id.get(), *label));
        }
        Ok(())
    }

    /// Labels what the caller just asked for; only who decides about it sees that. The owner reads
    /// it.
    pub fn note_request(
        &mut self,
        book: label::Book,
        caller: &Caller,
        label: label::AccessRequest,
    ) {
        let owner = Caller {
            who: self.labels.owners.get(&book).copied().unwrap_or_default(),
            ..caller.clone()
        };
        let asking = self.users[caller.who].id;
        let open = self.read(book, &owner, access_request::list).unwrap_or_default();
        let asked = open.iter().find(|one| one.user == asking);
        asked.into_iter().for_each(|one| self.labels.access_requests.note(one.id.get(), label));
    }

    /// A month as `yyyymm`, now in a zone.
    pub fn month(now: i64, zone: &str) -> i32 {
        model::dates::number(model::dates::day(now, zone)) / 100
    }
}

/// A refusal by its reason; what is no refusal is a failure, which no model ever expects.
fn refused(error: Error) -> Refused {
    let item = if let Error::Item { index, .. } = &error { Some(*index) } else { None };
    match error.reason() {
        Some(reason) => Refused { reason: reason.as_str().to_owned(), item },
        None => Refused { reason: format!("failed: {error}"), item },
    }
}

/// The texts of warnings, but for those about unknown names: the model has labels in their place.
pub fn warning_texts(warnings: &[Warning]) -> Vec<String> {
    let is_about_names = |warning: &Warning| {
        use daybook_domain::query::Problem::{UnknownAccount, UnknownGroup};
        matches!(warning, Warning::Term { problem: UnknownAccount | UnknownGroup, .. })
    };
    warnings.iter().filter(|one| !is_about_names(one)).map(Warning::to_string).collect()
}

/// The fields of a JSON object as texts.
fn texts(object: Option<&serde_json::Value>) -> BTreeMap<String, String> {
    let fields = object.and_then(serde_json::Value::as_object).into_iter().flatten();
    fields
        .map(|(key, value)| (key.clone(), value.as_str().unwrap_or("no text").to_owned()))
        .collect()
}
