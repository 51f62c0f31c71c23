//! The operator commands `token`, `login` and `book`.
//!
//! They run on the server's machine, with or without a running server. They change the database; a
//! running server notices within 5 seconds (behaviour 11.8).

use std::collections::BTreeSet;
use std::sync::Arc;

use daybook_auth::session::LoginSecret;
use daybook_domain::book::Book;
use daybook_domain::email::Email;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, TokenRequest, TokenScope};
use daybook_service::{Error, Ids, book, session, token, user};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::cli::{BookArgs, BookCommand, LoginArgs, TokenArgs, TokenCommand};
use crate::clock;
use crate::installation::{DataArgs, find_user, open, open_with_key, print, retry_on_collision};
use crate::log::log_command;

/// Runs `daybook token`.
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn token(options: TokenArgs) -> anyhow::Result<()> {
    match options.command {
        None => issue(options),
        Some(TokenCommand::List { email, data }) => {
            let (store, now) = (open(&data)?, clock::now());
            let user = find_user(&store, &email)?;
            let tokens = store.read(|tx| token::of_user(tx, &user, now))?;
            print(tokens.iter().map(|token| format_token(token, now)))
        }
        Some(TokenCommand::Revoke { id, data }) => {
            let store = open(&data)?;
            let now = clock::now();
            let revoked = store
                .write_repeatable(token::SHARD_KEY, move |tx| token::revoke_any(tx, &id, now))?;
            log_command(&data, "token revoke", Some(revoked.user));
            print([format_token(&revoked, now)])
        }
    }
}

/// Runs `daybook login`, which prints a sign-in link (behaviour 11.14).
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn login(options: &LoginArgs) -> anyhow::Result<()> {
    let (email, now) = (Email::parse(&options.email)?, clock::now());
    let store = open(&options.data)?;
    let known = store.read(|tx| user::find(tx, &email))?;
    let secret = LoginSecret::random()?;
    let digest = secret.digest();
    let shard = user::operator_shard_key(&email);
    let ids = Arc::new(Ids::new(store.generation()));
    retry_on_collision(|| {
        let (email, ids) = (email.clone(), Arc::clone(&ids));
        store.write_repeatable(shard, move |tx| {
            // A link of the operator also admits the user.
            user::sign_in(tx, &email, &ids, now)?;
            session::make_link(tx, digest, email, now)
        })
    })?;
    log_command(&options.data, "login", known.map(|user| user.id));
    print([secret.link(&options.public_url)])
}

/// Runs `daybook book`.
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn book(options: BookArgs) -> anyhow::Result<()> {
    match options.command {
        BookCommand::ListDeleted { data } => {
            print(open(&data)?.read(book::list_all_deleted)?.iter().map(format_deleted))
        }
        BookCommand::Transfer { book, to, data } => {
            change_book(&data, "book transfer", book, move |tx, book, ids| {
                book::transfer_by_operator(tx, book, &to, ids, clock::now())
            })
        }
        BookCommand::Restore { book, data } => {
            change_book(&data, "book restore", book, |tx, book, ids| {
                book::restore_by_operator(tx, book, ids, clock::now())
            })
        }
    }
}

/// The result of a change of a book.
type ChangedBook = Result<book::View, Error>;

/// Changes a book in one unit of work, and prints its new state.
fn change_book(
    data: &DataArgs,
    command: &'static str,
    book: String,
    change: impl FnOnce(&mut Tx<'_>, &str, &Arc<Ids>) -> ChangedBook + Clone + Send + 'static,
) -> anyhow::Result<()> {
    let store = open(data)?;
    let ids = Arc::new(Ids::new(store.generation()));
    let shard = book::shard_key(&BookKey::new(book.clone()));
    let view = store.write_repeatable(shard, move |tx| change(tx, &book, &ids))?;
    log_command(data, command, Some(view.access.user()));
    let book = view.access.book();
    print([format!("{}\t{}\t{}", book.key, book.owner_name, book.settings.name.as_str())])
}

/// Formats a deleted book as a line of columns separated by tabs.
fn format_deleted(found: &BookAccess) -> String {
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
    let (store, key) = open_with_key(&data)?;
    let ids = Arc::new(Ids::new(store.generation()));
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
        let issued = retry_on_collision(|| {
            let (ids, request, address) = (Arc::clone(&ids), request.clone(), email.clone());
            store.write_repeatable(user::operator_shard_key(&email), move |tx| {
                token::issue_to(tx, &address, request, &ids, now)
            })
        })?;
        log_command(&data, "token", Some(issued.user));
        printed.push(key.sign(issued.id, &email, issued.created_at, issued.expires_at)?);
    }
    print(printed)
}

/// Formats a token as a line of columns separated by tabs.
fn format_token(token: &AccessToken, now: Instant) -> String {
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
