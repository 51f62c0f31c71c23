//! What an operator does on the server's machine, beside a running server or without one: the
//! commands `token`, `login` and `book`. They change the database; a server that runs notices
//! within 5 seconds (behaviour 11.8).

use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::sync::Arc;

use anyhow::Context;
use daybook_domain::book::Book;
use daybook_domain::email::Email;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, TokenRequest, TokenScope};
use daybook_http::LoginSecret;
use daybook_service::{Error, Ids, book, session, token, user};
use daybook_storage::access::BookAccess;
use daybook_storage::user::User;
use daybook_storage::{Address, Options, ShardKey, Store, Tx};

use crate::cli::{BookArgs, BookCommand, DataArgs, LoginArgs, TokenArgs, TokenCommand};
use crate::log::note_command;
use crate::{clock, key, private};

/// How often a new user is tried again when another process makes users of the same name.
const MAX_COLLISIONS: u32 = 20;

/// `daybook token`.
///
/// # Errors
/// What is refused; a database that cannot be opened.
pub(crate) fn token(options: TokenArgs) -> anyhow::Result<()> {
    match options.command {
        None => issue(options),
        Some(TokenCommand::List { email, data }) => {
            let (store, now) = (open(&data)?, clock::now());
            let user = named(&store, &email)?;
            let tokens = store.read(|tx| token::of_user(tx, &user, now))?;
            print(tokens.iter().map(|token| described(token, now)))
        }
        Some(TokenCommand::Revoke { id, data }) => {
            let store = open(&data)?;
            let now = clock::now();
            let revoked = store
                .write_repeatable(ShardKey::NO_BOOK, move |tx| token::revoke_any(tx, &id, now))?;
            note_command(&data, "token revoke", Some(revoked.user));
            print([described(&revoked, now)])
        }
    }
}

/// `daybook login`: prints a link that signs somebody in (behaviour 11.14).
///
/// # Errors
/// What is refused; a database that cannot be opened.
pub(crate) fn login(options: &LoginArgs) -> anyhow::Result<()> {
    let (email, now) = (Email::parse(&options.email)?, clock::now());
    let store = open(&options.data)?;
    let known = store.read(|tx| user::find(tx, &email))?;
    let secret = LoginSecret::random()?;
    let digest = secret.digest();
    let lane = ShardKey::of_newcomer(&email);
    let ids = Arc::new(Ids::new(store.start()));
    again_on_collision(|| {
        let (email, ids) = (email.clone(), Arc::clone(&ids));
        store.write_repeatable(lane, move |tx| {
            // The operator admits whom they make a link for.
            user::sign_in(tx, &email, &ids, now)?;
            session::make_link(tx, digest, email, now)
        })
    })?;
    note_command(&options.data, "login", known.map(|user| user.id));
    print([secret.link(&options.public_url)])
}

/// `daybook book`.
///
/// # Errors
/// What is refused; a database that cannot be opened.
pub(crate) fn book(options: BookArgs) -> anyhow::Result<()> {
    match options.command {
        BookCommand::ListDeleted { data } => {
            print(open(&data)?.read(book::deleted)?.iter().map(deleted))
        }
        BookCommand::Transfer { book, to, data } => {
            change_book((&data, "book transfer"), book, move |tx, book, ids| {
                book::transfer_by_operator(tx, book, &to, ids, clock::now())
            })
        }
        BookCommand::Restore { book, data } => {
            change_book((&data, "book restore"), book, |tx, book, ids| {
                book::restore_by_operator(tx, book, ids, clock::now())
            })
        }
    }
}

/// A book after a change.
type ChangedBook = Result<book::View, Error>;

/// Changes a book in one unit of work, and prints what it is then.
fn change_book(
    (data, command): (&DataArgs, &'static str),
    book: String,
    change: impl FnOnce(&mut Tx<'_>, &str, &Arc<Ids>) -> ChangedBook + Clone + Send + 'static,
) -> anyhow::Result<()> {
    let store = open(data)?;
    let ids = Arc::new(Ids::new(store.start()));
    let view =
        store.write_repeatable(ShardKey::of_book(&book), move |tx| change(tx, &book, &ids))?;
    note_command(data, command, Some(view.access.user()));
    let book = view.access.book();
    print([format!("{}\t{}\t{}", book.key, book.owner_name, book.settings.name.as_str())])
}

/// A deleted book in a line, its columns separated by tabs.
fn deleted(found: &BookAccess) -> String {
    let Book { key, owner_name, settings, .. } = &found.book;
    let milliseconds = |at: Instant| at.milliseconds().to_string();
    let deleted_at = found.deletion.map(|deletion| milliseconds(deletion.deleted_at));
    let kept_until = found.deletion.and_then(|deletion| deletion.kept_until).map(milliseconds);
    let (deleted_at, kept_until) =
        (deleted_at.unwrap_or_default(), kept_until.unwrap_or_else(|| "being removed".to_owned()));
    format!("{key}\t{owner_name}\t{deleted_at}\t{kept_until}\t{}", settings.name.as_str())
}

/// Issues a token to each address, and prints them in that order.
fn issue(options: TokenArgs) -> anyhow::Result<()> {
    let TokenArgs { command: _, email: emails, days, name, read_only, book, data } = options;
    let emails = emails.iter().map(|text| Email::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let key = key::load(&data.data_dir)?;
    let store = open(&data)?;
    let ids = Arc::new(Ids::new(store.start()));
    let now = clock::now();
    let books = book.into_iter().map(BookKey::new).collect::<BTreeSet<_>>();
    let books = Some(books).filter(|books| !books.is_empty());
    let request = TokenRequest {
        name,
        days: Some(days.into()),
        scope: TokenScope { read_only, books, ..TokenScope::default() },
    };
    let mut printed = Vec::with_capacity(emails.len());
    for email in emails {
        let issued = again_on_collision(|| {
            let (ids, request, address) = (Arc::clone(&ids), request.clone(), email.clone());
            store.write_repeatable(ShardKey::of_newcomer(&email), move |tx| {
                token::issue_to(tx, &address, request, &ids, now)
            })
        })?;
        note_command(&data, "token", Some(issued.user));
        printed.push(key.sign(issued.id, &email, issued.created_at, issued.expires_at)?);
    }
    print(printed)
}

/// Makes a user by a unit of work, and tries again when a server or another command made the same
/// user, or one of the same name, at the same moment.
pub(crate) fn again_on_collision<T>(make: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    let mut outcome = make();
    for _ in 0..MAX_COLLISIONS {
        if !matches!(outcome, Err(Error::Storage(daybook_storage::Error::UniqueViolation(_)))) {
            break;
        }
        outcome = make();
    }
    outcome
}

/// The database of an installation, opened for one command.
///
/// # Errors
/// A database that cannot be opened.
pub(crate) fn open(data: &DataArgs) -> anyhow::Result<Store> {
    private::own_directory(&data.data_dir)?;
    Store::open(&Options::for_command(address(data)?)).context("the database cannot be opened")
}

/// Where the database of an installation is.
///
/// # Errors
/// An address that cannot be read; a file that others may read.
pub(crate) fn address(data: &DataArgs) -> anyhow::Result<Address> {
    let address = Address::parse(&data.database())?;
    if let Address::Sqlite(path) = &address {
        private::check_database(path)?;
    }
    Ok(address)
}

/// The user with an address.
pub(crate) fn named(store: &Store, address: &str) -> anyhow::Result<User> {
    let address = Email::parse(address)?;
    let found = store.read(|tx| user::find(tx, &address))?;
    Ok(found.ok_or(Error::NotFound("user"))?)
}

/// A token in a line, its columns separated by tabs.
fn described(token: &AccessToken, now: Instant) -> String {
    let AccessToken { id, user: _, name, scope, created_at: _, expires_at, revoked_at } = token;
    let state = match revoked_at {
        Some(_) => "revoked",
        None if token.is_active(now) => "active",
        None => "expired",
    };
    let access = if scope.read_only { "read-only" } else { "full" };
    let books = scope.books.as_ref().map_or_else(
        || "all books".to_owned(),
        |books| books.iter().map(BookKey::as_str).collect::<Vec<_>>().join(","),
    );
    format!("{id}\t{state}\t{}\t{access}\t{books}\t{name}", expires_at.milliseconds())
}

/// Prints lines.
///
/// # Errors
/// When nobody takes them.
pub(crate) fn print(lines: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    for line in lines {
        writeln!(out, "{line}").context("the output could not be written")?;
    }
    Ok(())
}
