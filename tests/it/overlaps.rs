//! Overlapping units of work of two processes: uncommitted changes of one are invisible to the
//! other. Nothing is stored for a user who is being deleted (7.11), no update is lost, and no
//! withdrawn consent returns (11.16).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use daybook_domain::api_key::{ApiKeyUsage, KeyRequest};
use daybook_domain::app::{AppText, Changes};
use daybook_domain::connection::NewConnection;
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::grant::GrantScope;
use daybook_domain::id::{BookKey, ConnectionId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Permission;
use daybook_domain::property::Edits;
use daybook_domain::token::TokenRequest;
use daybook_domain::user::{Admission, Profile};
use daybook_service::grant::{self, GrantRequest};
use daybook_service::user::VerifiedUser;
use daybook_service::{
    Context, Error, Ids, access_request, api_key, app, book, collaborator, collection, connection,
    integration, mail, session, storage_quota, token, user,
};
use daybook_storage::{ShardKey, Store, Tx};
use daybook_tests::{Engine, RawSql, Server, pause, unique};

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::open_store;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        changes_of_an_app_add_up,
        changes_of_an_allowance_add_up,
        a_withdrawn_consent_stays_withdrawn,
        concurrently_deleted_user_leaves_no_rows,
        calls_of_a_deleted_key_are_not_counted,
        a_deleted_user_stays_deleted,
        mails_go_to_the_current_address,
        commands_find_the_current_owner,
        removed_collaborator_is_deleted,
        no_integration_outlives_its_connection,
        copy_under_removal_is_not_published,
    ]
}

const NOW: Instant = Instant::new(1_763_000_000_000);
/// The length of a unit of work on SQLite, which has one writer and no view of waiting ones.
const HELD: Duration = Duration::from_millis(50);
const CLIENT: &str = "client";

/// Two stores on the database of a server, like two processes.
pub fn two_stores(server: &Server) -> [Store; 2] {
    [open_store(server), open_store(server)]
}

/// Two processes on one database.
struct Fixture {
    stores: [Store; 2],
    ids: Arc<Ids>,
    server: Server,
}

impl Fixture {
    fn new(engine: Engine) -> Self {
        let server = Server::start(engine);
        Self { stores: two_stores(&server), ids: Arc::new(Ids::new(7)), server }
    }

    /// Creates a user.
    fn person(&self) -> Context {
        let (email, ids) = (address(), Arc::clone(&self.ids));
        let user = self.done(move |tx| user::sign_in(tx, &email, &ids, NOW));
        Context::new(Arc::new(user), NOW, Arc::clone(&self.ids))
    }

    fn book(&self, owner: &Context) -> String {
        let changes = daybook_domain::book::Changes {
            name: Some("Overlapped".to_owned()),
            ..Default::default()
        };
        let (cx, input) = (owner.clone(), book::Input { changes, ..Default::default() });
        let made = self.done(move |tx| book::create(tx, &cx, input));
        made.access.book().key.as_str().to_owned()
    }

    fn share(&self, owner: &Context, book: &str, with: &Context) {
        let (cx, book, email) = (owner.clone(), book.to_owned(), with.user.email.to_string());
        self.done(move |tx| {
            let (email, permission) = (Some(email.as_str()), Some(Permission::Editor));
            let input = collaborator::Input { email, permission, ..Default::default() };
            collaborator::add(tx, &cx, &book, input)
        });
    }

    fn app(&self, owner: &Context) -> String {
        let (cx, id) = (owner.clone(), unique("app").to_lowercase());
        let changes = Changes {
            name: Some("App".to_owned()),
            connectable: Field::Set(true),
            installable: Field::Set(true),
            ..Default::default()
        };
        self.done(move |tx| app::create(tx, &cx, Some(&id), changes)).app.id.to_string()
    }

    fn done<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.stores[0].write(ShardKey::NO_BOOK, work).expect("nothing is refused")
    }

    fn read<T>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>) -> T {
        self.stores[1].read(work).expect("nothing is refused")
    }

    /// Runs `held` in one process and, before it commits, `other` in the second one, until that is
    /// done or waits. Repeats both when `other` backs off.
    fn overlap<T: Send + 'static, U: Send + 'static>(
        &self,
        held: impl FnOnce(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
        other: impl FnOnce(&mut Tx<'_>) -> Result<U, Error> + Clone + Send + 'static,
    ) -> (T, Result<U, Error>) {
        let ((begun, beginning), (release, released)) = (channel(), channel());
        thread::scope(|scope| {
            let held = scope.spawn(move || {
                self.stores[0].write(ShardKey::NO_BOOK, move |tx| {
                    let done = held(tx)?;
                    begun.send(()).expect("the test still listens");
                    released.recv().expect("the test releases it");
                    Ok::<T, Error>(done)
                })
            });
            beginning.recv().expect("nothing is refused");
            let other = scope.spawn(move || {
                let mut outcome = self.stores[1].write(ShardKey::NO_BOOK, other.clone());
                for _ in 0..20 {
                    let Err(Error::Storage(daybook_storage::Error::Unavailable(_))) = outcome
                    else {
                        break;
                    };
                    outcome = self.stores[1].write(ShardKey::NO_BOOK, other.clone());
                }
                outcome
            });
            let mut database = RawSql::open(&self.server);
            let mut waits = || match self.server.engine() {
                Engine::Sqlite => {
                    pause(HELD);
                    true
                }
                Engine::Postgres => database.waiting() > 0,
            };
            eventually("the other one is done, or waits", || other.is_finished() || waits());
            release.send(()).expect("it waits");
            let held = held.join().expect("no panic").expect("nothing is refused");
            (held, other.join().expect("no panic"))
        })
    }

    /// Deletes a user, overlapping with a unit of work of another process.
    fn delete_beside<U: Send + 'static>(
        &self,
        who: &Context,
        other: impl FnOnce(&mut Tx<'_>) -> Result<U, Error> + Clone + Send + 'static,
    ) -> Result<U, Error> {
        let (email, ids) = (who.user.email.clone(), Arc::clone(&self.ids));
        self.overlap(move |tx| user::delete(tx, &email, &ids, NOW), other).1
    }
}

fn address() -> Email {
    Email::stored(format!("{}@example.com", unique("overlap")))
}

/// Gives a user another address.
fn readdress(
    who: &Context,
) -> (Email, impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + Clone + use<>) {
    let (from, to, ids) = (who.user.email.clone(), address(), Arc::clone(&who.ids));
    let new = to.clone();
    (to, move |tx: &mut Tx<'_>| user::change_address(tx, &from, &new, &ids, NOW).map(drop))
}

fn changes_of_an_app_add_up(engine: Engine) {
    let fixture = Fixture::new(engine);
    let owner = fixture.person();
    let id = fixture.app(&owner);
    let change = |changes: Changes| {
        let (cx, id) = (owner.clone(), id.clone());
        move |tx: &mut Tx<'_>| app::update(tx, &cx, Some(&id), changes).map(drop)
    };
    let named = Changes { name: Some("Renamed".to_owned()), ..Default::default() };
    let texts = BTreeMap::from([(AppText::Description, Some("Described".to_owned()))]);
    let described = Changes { texts, ..Default::default() };
    fixture.overlap(change(named), change(described)).1.expect("it waits");
    let found = fixture.read(|tx| app::get(tx, &owner, &id)).app.manifest;
    assert_eq!(
        (found.name.as_str(), found.text(AppText::Description)),
        ("Renamed", Some("Described"))
    );
}

fn changes_of_an_allowance_add_up(engine: Engine) {
    let fixture = Fixture::new(engine);
    let who = fixture.person();
    let allow = |input: storage_quota::Input| {
        let email = who.user.email.clone();
        move |tx: &mut Tx<'_>| storage_quota::allow(tx, &email, &input).map(drop)
    };
    let bytes = storage_quota::Input { bytes: Field::Set(1_000), ..Default::default() };
    let transactions = storage_quota::Input { transactions: Field::Set(7), ..Default::default() };
    fixture.overlap(allow(bytes), allow(transactions)).1.expect("it waits");
    let found = fixture.read(|tx| user::report(tx, &who.user.email, NOW)).allowance;
    assert_eq!((found.bytes, found.transactions), (Some(1_000), Some(7)));
}

fn a_withdrawn_consent_stays_withdrawn(engine: Engine) {
    let fixture = Fixture::new(engine);
    let (who, ids) = (fixture.person(), Arc::clone(&fixture.ids));
    let user = who.user.id;
    let scope = GrantScope::read(Some("email"), None).expect("a scope");
    let granted = GrantRequest { user, signed_in_at: NOW, client: CLIENT.to_owned(), scope };
    let until = Instant::new(NOW.milliseconds() + 60_000);
    let (agreed, minted) = (granted.clone(), Arc::clone(&ids));
    fixture.done(move |tx| grant::begin(tx, &agreed, until, &minted, NOW));
    let repeated = move |tx: &mut Tx<'_>| grant::begin_with_consent(tx, &granted, until, &ids, NOW);
    let withdraw = move |tx: &mut Tx<'_>| grant::withdraw(tx, user, CLIENT);
    let (given, withdrawn) = fixture.overlap(repeated.clone(), withdraw);
    withdrawn.expect("it waits");
    let given = given.expect("the user had agreed").id;
    assert_eq!(fixture.read(|tx| grant::find(tx, given, NOW)), None, "it ends with the consent");
    // A consent read before the withdrawal is stale.
    assert_eq!(fixture.done(repeated), None);
    assert_eq!(
        fixture.read(|tx| grant::list_consents(tx, user)).len(),
        0,
        "the consent stays withdrawn"
    );
}

/// A process trusts its cached user for seconds after another one has deleted it (11.10).
fn concurrently_deleted_user_leaves_no_rows(engine: Engine) {
    let fixture = Fixture::new(engine);
    let owner = fixture.person();
    let (book, app) = (fixture.book(&owner), fixture.app(&owner));
    type Work = fn(&mut Tx<'_>, &Context, &str, &str) -> Result<(), Error>;
    let works: [(&str, Work); 7] = [
        ("createApiKey", |tx, cx, _, _| {
            api_key::create(tx, cx, |_| [7; 32], KeyRequest::default()).map(drop)
        }),
        ("createToken", |tx, cx, _, _| token::issue(tx, cx, TokenRequest::default()).map(drop)),
        ("createCollection", |tx, cx, _, _| collection::create(tx, cx, Some("Kept")).map(drop)),
        ("createApp", |tx, cx, _, _| {
            let changes = Changes { name: Some("Kept".to_owned()), ..Default::default() };
            app::create(tx, cx, Some("kept-for-nobody"), changes).map(drop)
        }),
        ("createConnection", |tx, cx, _, app| {
            let new = NewConnection {
                app: Some(app.to_owned()),
                name: Some("Kept".to_owned()),
                ..Default::default()
            };
            connection::create(tx, cx, &new, &Edits::new(), |_, _, _| Ok(None)).map(drop)
        }),
        ("requestBookAccess", |tx, cx, book, _| {
            let permission = Some("VIEWER");
            let requested = access_request::Request { permission, ..Default::default() };
            access_request::request(tx, cx, book, requested)
        }),
        ("consent", |tx, cx, _, _| {
            let scope = GrantScope::read(Some("email"), None)?;
            let client = CLIENT.to_owned();
            let granted = GrantRequest { user: cx.user.id, signed_in_at: NOW, client, scope };
            grant::begin(tx, &granted, NOW, &cx.ids, NOW).map(drop)
        }),
    ];
    for (name, work) in works {
        let who = fixture.person();
        let (cx, book, app) = (who.clone(), book.clone(), app.clone());
        let refused = fixture.delete_beside(&who, move |tx| work(tx, &cx, &book, &app));
        let refused = refused.expect_err(name).to_string();
        assert_eq!(refused, "this user is disabled", "{name}");
    }
    assert_eq!(fixture.read(|tx| access_request::list(tx, &owner, &book)).len(), 0);
}

/// 10.13: calls are stored later than they arrive.
fn calls_of_a_deleted_key_are_not_counted(engine: Engine) {
    let fixture = Fixture::new(engine);
    let who = fixture.person();
    let cx = who.clone();
    let create =
        move |tx: &mut Tx<'_>| api_key::create(tx, &cx, |_| [7; 32], KeyRequest::default());
    let key = fixture.done(create).key.id;
    let usage = ApiKeyUsage { day: api_key::day(NOW), calls: 1 };
    let count = move |tx: &mut Tx<'_>| api_key::add_calls(tx, &[(key, usage)], NOW);
    fixture.delete_beside(&who, count).expect("nothing is refused");
    let left = "SELECT COUNT(*) FROM api_key_days";
    assert_eq!(RawSql::open(&fixture.server).count(left), 0);
}

fn a_deleted_user_stays_deleted(engine: Engine) {
    let fixture = Fixture::new(engine);
    let check = |who: &Context| {
        let found = fixture.read(|tx| user::find_by_id(tx, who.user.id)).expect("a row");
        assert!(found.disabled_at.is_some(), "{found:?}");
        assert_eq!(found.profile, Profile::default());
    };
    let who = fixture.person();
    let email = who.user.email.clone();
    let enable = move |tx: &mut Tx<'_>| user::set_disabled(tx, &email, false, NOW);
    let refused = fixture.delete_beside(&who, enable).expect_err("no user has the address");
    assert!(refused.to_string().contains("user not found"), "{refused}");
    check(&who);

    let who = fixture.person();
    let (email, ids) = (who.user.email.clone(), Arc::clone(&fixture.ids));
    let profile = Profile { name: Some("Petra".to_owned()), ..Default::default() };
    let verified = VerifiedUser { email, profile };
    let sign_in = move |tx: &mut Tx<'_>| {
        user::sign_in_verified(tx, &verified, &Admission::default(), &ids, NOW)
    };
    let refused = fixture.delete_beside(&who, sign_in).expect_err("a stranger is not admitted");
    assert!(refused.to_string().contains("not admitted"), "{refused}");
    check(&who);

    // A link mailed meanwhile would create a new user of the address, admitted or not.
    let who = fixture.person();
    let (email, ids) = (who.user.email.clone(), Arc::clone(&fixture.ids));
    let (digest, admission) = ([8; 32], Admission::default());
    let mailed = move |tx: &mut Tx<'_>| {
        let link = session::NewLink { email: &email, digest, url: "link" };
        session::mail_link(tx, link, true, &admission, &ids, NOW)
    };
    fixture.delete_beside(&who, mailed).expect("the response does not depend on the user");
    let unusable = fixture.stores[1].read(|tx| session::find_link(tx, &digest, NOW));
    assert!(unusable.is_err(), "{unusable:?}");
}

fn mails_go_to_the_current_address(engine: Engine) {
    let fixture = Fixture::new(engine);
    let (owner, guest) = (fixture.person(), fixture.person());
    let book = fixture.book(&owner);
    let (to, readdress) = readdress(&owner);
    let ask = move |tx: &mut Tx<'_>| {
        let requested =
            access_request::Request { permission: Some("VIEWER"), ..Default::default() };
        access_request::request(tx, &guest, &book, requested)
    };
    fixture.overlap(ask, readdress).1.expect("it waits");
    let mails = |to: Email| fixture.read(move |tx| mail::list(tx, Some(&to))).len();
    assert_eq!([mails(owner.user.email.clone()), mails(to)], [0, 1]);
}

/// A user whose address changes at that moment still owns the book.
fn commands_find_the_current_owner(engine: Engine) {
    let fixture = Fixture::new(engine);
    let (owner, heir) = (fixture.person(), fixture.person());
    let book = fixture.book(&owner);
    let (key, ids) = (book.clone(), Arc::clone(&fixture.ids));
    let heirs = heir.user.email.to_string();
    let (_, renamed) = readdress(&owner);
    let (_, transferred) = fixture.overlap(renamed, move |tx| {
        book::transfer_by_operator(tx, &key, &heirs, &ids, NOW).map(drop)
    });
    transferred.expect("the book is there");

    let (cx, key) = (heir.clone(), book.clone());
    fixture.done(move |tx| book::delete(tx, &cx, &key, 30));
    let (key, ids) = (book.clone(), Arc::clone(&fixture.ids));
    let (_, renamed) = readdress(&heir);
    let (_, restored) = fixture
        .overlap(renamed, move |tx| book::restore_by_operator(tx, &key, &ids, NOW).map(drop));
    restored.expect("the book is there");

    // An integration installed by another user is removed in the name of the owner.
    let (owner, guest) = (fixture.person(), fixture.person());
    let book = fixture.book(&owner);
    fixture.share(&owner, &book, &guest);
    let connection = connected(&fixture, &guest, &book);
    let (_, renamed) = readdress(&owner);
    let key = BookKey::new(book.clone());
    let (_, disconnected) =
        fixture.overlap(renamed, move |tx| integration::disconnect(tx, &guest, &key, connection));
    disconnected.expect("the book is there");
}

/// A process that has lost its lease must not publish a copy that another one is removing.
fn copy_under_removal_is_not_published(engine: Engine) {
    let fixture = Fixture::new(engine);
    let owner = fixture.person();
    let user = owner.user.id;
    let key = BookKey::new(fixture.book(&owner));
    let found = fixture.read(|tx| Ok(tx.books().load_for_user(key.as_str(), &owner.user.email)?));
    let book = found.expect("a book");
    fixture.done(move |tx| Ok(tx.books().begin_copy(&book, user)?));
    let go_on = || {
        let key = key.clone();
        fixture.done(move |tx| Ok(tx.books().unfinished_copy(&key, user)?)).is_some()
    };
    assert!(go_on(), "it is being made");
    let doomed = key.clone();
    let left = fixture.stores[1].write(ShardKey::NO_BOOK, move |tx| {
        Ok::<_, Error>(tx.books().remove_unfinished(&doomed, 1)?)
    });
    assert!(left.expect("nothing is refused"), "a row was removed, and others are left");
    assert!(!go_on(), "it lacks a row");
}

/// Installs an app in a book by a connection.
fn connected(fixture: &Fixture, cx: &Context, book: &str) -> ConnectionId {
    let (id, install) = install(fixture, cx, book);
    fixture.done(install);
    id
}

/// Creates a connection of a user to an app, and the input that installs the app by it.
fn install(
    fixture: &Fixture,
    cx: &Context,
    book: &str,
) -> (ConnectionId, impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + Clone + Send + use<>) {
    let new = NewConnection {
        app: Some(fixture.app(cx)),
        name: Some("Connection".to_owned()),
        ..Default::default()
    };
    let own = cx.clone();
    let made = fixture
        .done(move |tx| connection::create(tx, &own, &new, &Edits::new(), |_, _, _| Ok(None)));
    let id = made.connection.id;
    let (cx, book) = (cx.clone(), book.to_owned());
    let input = integration::Input { connection: Some(id.to_string()), ..Default::default() };
    (id, move |tx: &mut Tx<'_>| integration::create(tx, &cx, &book, &input).map(drop))
}

fn removed_collaborator_is_deleted(engine: Engine) {
    let fixture = Fixture::new(engine);
    let (owner, heir) = (fixture.person(), fixture.person());
    let (book, leaver) = (fixture.book(&owner), fixture.person());
    fixture.share(&owner, &book, &leaver);
    let (email, ids) = (leaver.user.email.clone(), Arc::clone(&fixture.ids));
    let (cx, key, text) = (owner.clone(), book.clone(), email.to_string());
    let take_off = move |tx: &mut Tx<'_>| collaborator::remove(tx, &cx, &key, &text);
    let delete = move |tx: &mut Tx<'_>| user::delete(tx, &email, &ids, NOW);
    fixture.overlap(take_off, delete).1.expect("nothing is owned");

    // Nor is a new address refused because the book has another owner meanwhile.
    let editor = fixture.person();
    fixture.share(&owner, &book, &editor);
    let (to, renamed) = readdress(&editor);
    let (key, text) = (book.clone(), heir.user.email.to_string());
    let transfer = {
        let ids = Arc::clone(&fixture.ids);
        move |tx: &mut Tx<'_>| book::transfer_by_operator(tx, &key, &text, &ids, NOW).map(drop)
    };
    fixture.overlap(transfer, renamed).1.expect("it waits");
    let listed = fixture.read(|tx| collaborator::list(tx, &heir, &book));
    assert!(listed.iter().any(|one| one.email == to), "{listed:?}");
}

fn no_integration_outlives_its_connection(engine: Engine) {
    let fixture = Fixture::new(engine);
    let owner = fixture.person();
    let book = fixture.book(&owner);
    let delete = |id: ConnectionId| {
        let (cx, id) = (owner.clone(), id.to_string());
        move |tx: &mut Tx<'_>| connection::delete(tx, &cx, &id).map(drop)
    };
    let (id, used) = install(&fixture, &owner, &book);
    let overtaken = fixture.overlap(used, delete(id)).1.expect_err("it is used again");
    assert!(matches!(overtaken, Error::ConcurrentChange(_)), "{overtaken}");
    fixture.read(|tx| connection::get(tx, &owner, &id.to_string()));

    // Nor does it depend on earlier statements: here the writer has changed no row.
    let (id, used) = install(&fixture, &owner, &book);
    let user = owner.user.id;
    fixture.done(move |tx| grant::withdraw(tx, user, "nobody"));
    fixture.done(used);
    fixture.read(|tx| connection::get(tx, &owner, &id.to_string()));

    let (id, used) = install(&fixture, &owner, &book);
    let refused = fixture.overlap(delete(id), used).1.expect_err("the connection is deleted");
    assert!(refused.to_string().contains("connection"), "{refused}");
    let installed = fixture.read(|tx| integration::list(tx, &owner, &book));
    assert_eq!(installed.len(), 2, "those of the other connections");
}
