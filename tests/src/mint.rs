//! Issues access tokens in this process, as `daybook token` does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use daybook_auth::identity::LocalKey;
use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, TokenRequest, TokenScope};
use daybook_service::{Error, Ids, token};
use daybook_storage::{Address, Options, ShardKey, Store};

/// The validity in days: the default of `daybook token`.
const DAYS: i64 = 30;

/// The retries when another process creates a user of the same name.
const MAX_COLLISIONS: u32 = 20;

/// Issues tokens for the server with this database and data directory.
pub(crate) struct Mint {
    database_url: String,
    data_dir: PathBuf,
    /// Opened by the first token and closed with the server, which may hand the database over.
    open: Mutex<Option<Arc<OpenMint>>>,
}

struct OpenMint {
    store: Store,
    ids: Arc<Ids>,
    key: LocalKey,
}

impl Mint {
    pub(crate) fn new(database_url: &str, data_dir: &Path) -> Mint {
        let (database_url, data_dir) = (database_url.to_owned(), data_dir.to_owned());
        Mint { database_url, data_dir, open: Mutex::default() }
    }

    /// Issues tokens for these addresses and creates missing users, in one unit of work.
    ///
    /// # Panics
    /// When the database or `token.key` cannot be read, or an address is refused.
    #[track_caller]
    pub(crate) fn tokens(&self, emails: &[String]) -> Vec<String> {
        let OpenMint { store, ids, key } = &*self.opened();
        let parsed =
            |email: &String| Email::parse(email).unwrap_or_else(|error| panic!("{email}: {error}"));
        let emails: Vec<Email> = emails.iter().map(parsed).collect();
        let now = Instant::new(crate::now_milliseconds());
        let issue = || {
            let (ids, emails) = (Arc::clone(ids), emails.clone());
            let lane = emails.first().map_or(ShardKey::NO_BOOK, ShardKey::of_new_user);
            store.write(lane, move |tx| {
                let issue = |email| token::issue_to(tx, email, request(), &ids, now);
                emails.iter().map(issue).collect::<Result<Vec<_>, _>>()
            })
        };
        let mut issued = issue();
        for _ in 0..MAX_COLLISIONS {
            let Err(Error::Storage(daybook_storage::Error::UniqueViolation(_))) = issued else {
                break;
            };
            issued = issue();
        }
        let issued = issued.unwrap_or_else(|error| panic!("tokens for {emails:?}: {error}"));
        let sign = |(email, token): (&Email, AccessToken)| {
            key.sign(token.id, email, token.created_at, token.expires_at).expect("a signature")
        };
        emails.iter().zip(issued).map(sign).collect()
    }

    /// Closes the database.
    pub(crate) fn close(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(open);
    }

    #[track_caller]
    fn opened(&self) -> Arc<OpenMint> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = open.get_or_insert_with(|| {
            let secret = std::fs::read(self.data_dir.join("token.key")).expect("token.key");
            let address = Address::parse(&self.database_url).expect("the address of a database");
            let store = Store::open(&Options::for_command(address)).expect("the database opens");
            let ids = Arc::new(Ids::new(store.generation()));
            Arc::new(OpenMint { store, ids, key: LocalKey::new(&secret) })
        });
        Arc::clone(opened)
    }
}

fn request() -> TokenRequest {
    let scope = TokenScope::default();
    TokenRequest { name: None, days: Some(DAYS), scope }
}
