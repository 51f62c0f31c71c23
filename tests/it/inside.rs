//! A store in the test process, for cases that set the time, run thousands of queries, or inspect
//! statements.

use std::sync::Arc;

use daybook_domain::account::{AccountRef, AccountType};
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::group::GroupRef;
use daybook_domain::id::TransactionId;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent, Transaction, Verb};
use daybook_service::transaction::{self, Request, TransactionPage, VerbRequest};
use daybook_service::{Context, Error, Ids, account, book, comment, group, user};
use daybook_storage::{Address, Options, ShardKey, Store, Tx};
use daybook_tests::{Engine, RawSql, Server, unique};

/// A book in the database of a test server.
pub struct Inside {
    pub store: Arc<Store>,
    pub cx: Context,
    pub book: String,
    pub server: Server,
}

impl Inside {
    /// Creates a book with these settings at an instant.
    pub fn new(engine: Engine, now: Instant, settings: daybook_domain::book::Changes) -> Inside {
        let server = Server::start(engine);
        let store = Arc::new(open_store(&server));
        let cx = new_user(&store, 9, now);
        let changes = daybook_domain::book::Changes { name: Some("Inside".to_owned()), ..settings };
        let book = create_book(&store, &cx, book::Input { changes, ..Default::default() });
        Inside { store, cx, book, server }
    }

    /// Runs a use case that writes.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>, &Context, &str) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (cx, book) = (self.cx.clone(), self.book.clone());
        self.store.write(ShardKey::of_book(&self.book), move |tx| work(tx, &cx, &book))
    }

    /// Creates groups with their parents ("" for a root), then accounts with types and groups.
    pub fn chart(&self, groups: &[(&str, &str)], accounts: &[(&str, AccountType, &[&str])]) {
        let named = |name: &str| GroupRef { id: None, name: Some(name.to_owned()) };
        let group = |(name, parent): &(&str, &str)| group::Input {
            changes: daybook_domain::group::Changes {
                name: Some((*name).to_owned()),
                ..Default::default()
            },
            parent: if parent.is_empty() { Field::Keep } else { Field::Set(named(parent)) },
        };
        let groups: Vec<group::Input> = groups.iter().map(group).collect();
        let account = |(name, kind, groups): &(&str, AccountType, &[&str])| account::Input {
            changes: daybook_domain::account::Changes {
                name: Some((*name).to_owned()),
                kind: Some(*kind),
                ..Default::default()
            },
            groups: Field::Set(groups.iter().map(|name| named(name)).collect()),
        };
        let accounts: Vec<account::Input> = accounts.iter().map(account).collect();
        self.write(move |tx, cx, book| {
            group::create(tx, cx, book, groups)?;
            account::create(tx, cx, book, accounts)
        })
        .expect("a chart");
    }

    /// Creates transactions in batches.
    pub fn record(&self, items: Vec<Changes>) -> Vec<TransactionId> {
        let mut made = Vec::with_capacity(items.len());
        for items in items.chunks(1000) {
            let items = items.to_vec();
            let view = self
                .write(move |tx, cx, book| transaction::create(tx, cx, book, items, Intent::Create))
                .expect("a batch");
            made.extend(view.transactions.iter().map(|transaction| transaction.id));
        }
        made
    }

    /// Performs a verb on transactions in batches.
    pub fn perform(&self, verb: Verb, items: &[Changes]) {
        for items in items.chunks(1000) {
            let items = items.to_vec();
            self.write(move |tx, cx, book| {
                transaction::perform(tx, cx, book, VerbRequest::batch(verb, true), items)
            })
            .expect("a batch");
        }
    }

    /// Comments on a transaction; returns the id of the comment.
    pub fn comment(&self, transaction: &str) -> String {
        let of = transaction.to_owned();
        let view = self
            .write(move |tx, cx, book| comment::create(tx, cx, book, &of, Some("Why?")))
            .expect("a comment");
        view.comments.iter().map(|one| one.id.to_string()).collect()
    }

    /// Deletes a comment.
    pub fn delete_comment(&self, transaction: &str, id: &str) {
        let (of, id) = (transaction.to_owned(), id.to_owned());
        self.write(move |tx, cx, book| comment::delete(tx, cx, book, &of, &id)).expect("a comment");
    }

    /// Lists transactions.
    pub fn list(&self, request: &Request) -> TransactionPage {
        self.store.read(|tx| transaction::list(tx, &self.cx, &self.book, request)).expect("a list")
    }

    /// Returns all pages of a query.
    pub fn all(&self, query: &str, limit: usize) -> Vec<Transaction> {
        let mut request =
            Request { query: query.into(), limit: Some(limit), after: None, requested_at: None };
        let mut rows = Vec::new();
        loop {
            let page = self.list(&request);
            rows.extend(page.view.transactions);
            request.after = page.next;
            if request.after.is_none() {
                return rows;
            }
        }
    }

    /// Executes SQL directly on the database.
    pub fn execute(&self, statements: &[&str]) {
        let url = self.server.database_url();
        let text = statements.join("; ");
        match url.strip_prefix("sqlite:") {
            Some(path) => rusqlite::Connection::open(path)
                .expect("the file")
                .execute_batch(&text)
                .expect("statements"),
            None => postgres::Client::connect(url, postgres::NoTls)
                .expect("the database")
                .batch_execute(&text)
                .expect("statements"),
        }
    }

    /// Returns bytes as an SQL literal.
    pub fn literal(&self, bytes: &[u8]) -> String {
        RawSql::open(&self.server).literal(bytes)
    }

    /// Counts transactions.
    pub fn count(&self, query: &str) -> i64 {
        self.store
            .read(|tx| transaction::count(tx, &self.cx, &self.book, &query.into()))
            .expect("a count")
            .total
    }
}

/// Opens a store on the database of a server, like another process.
pub fn open_store(server: &Server) -> Store {
    let address = Address::parse(server.database_url()).expect("a database URL");
    Store::open(&Options::new(address)).expect("the store opens")
}

/// Creates a user; returns the context of its requests at an instant. The node is that of the ids.
pub fn new_user(store: &Store, node: i64, now: Instant) -> Context {
    let ids = Arc::new(Ids::new(node));
    let (email, minted) = (format!("{}@example.com", unique("inside")), Arc::clone(&ids));
    let email = Email::stored(email);
    let user = store.write(ShardKey::NO_BOOK, move |tx| user::sign_in(tx, &email, &minted, now));
    Context::new(Arc::new(user.expect("a user")), now, ids)
}

/// Creates a book; returns its id.
pub fn create_book(store: &Store, cx: &Context, input: book::Input) -> String {
    let cx = cx.clone();
    let view = store.write(ShardKey::NO_BOOK, move |tx| book::create(tx, &cx, input));
    view.expect("a book").access.book().key.as_str().to_owned()
}

/// Returns a side by account name.
pub fn side(name: &str) -> Field<AccountRef> {
    if name.is_empty() {
        Field::Keep
    } else {
        Field::Set(AccountRef { id: None, name: Some(name.to_owned()) })
    }
}

/// Returns changes with only the id, which most verbs read.
pub fn only(id: TransactionId) -> Changes {
    Changes { id: Some(id.to_string()), ..Changes::default() }
}
