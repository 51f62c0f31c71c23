//! `dbk books`.

use clap::{Args, Subcommand};
use daybook_client::parameters::ListBooks;
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::session::Session;
use crate::table::{Kind, Table};

/// The options of `dbk books`.
#[derive(Debug, Args)]
pub(crate) struct BooksArgs {
    #[command(subcommand)]
    command: Option<BooksCommand>,
}

#[derive(Debug, Subcommand)]
enum BooksCommand {
    /// List books; the same as without a command
    List,
    /// Choose the book of later commands
    Use {
        /// Name, id, or a part of the name that no other book has
        book: String,
    },
    /// Make a book and use it
    New {
        /// Name of the book
        name: String,
        /// Name of a starter chart of accounts; `dbk books templates` lists them
        #[arg(long)]
        template: Option<String>,
    },
    /// List the starter charts of accounts
    Templates,
}

/// Runs `dbk books`.
///
/// # Errors
/// When the server refuses, or no book has the name.
pub(crate) async fn run(session: &Session, args: BooksArgs) -> Result {
    match args.command {
        None | Some(BooksCommand::List) => list(session).await,
        Some(BooksCommand::Use { book }) => choose(session, &book).await,
        Some(BooksCommand::New { name, template }) => new(session, &name, template).await,
        Some(BooksCommand::Templates) => templates(session).await,
    }
}

async fn list(session: &Session) -> Result {
    let request = session.client.list_books(&ListBooks::default());
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let used = session.entry().and_then(|entry| entry.book.as_ref()).map(|book| book.id.as_str());
    let mut table = Table::new(&[
        ("", Kind::Key),
        ("Book", Kind::Text),
        ("Id", Kind::Key),
        ("Permission", Kind::Key),
        ("Transactions", Kind::Amount),
    ]);
    for book in request.await?.items {
        let id = book.id.unwrap_or_default();
        table.add(vec![
            (if used == Some(id.as_str()) { "*" } else { "" }).to_owned(),
            book.name.unwrap_or_default(),
            id,
            book.permission.map(|permission| permission.to_string()).unwrap_or_default(),
            book.total_transactions.unwrap_or_default().to_string(),
        ]);
    }
    if table.is_empty() {
        session.output.say("no books yet: dbk books new NAME, or dbk demo");
    }
    session.output.table(&table)
}

async fn choose(session: &Session, named: &str) -> Result {
    let choice = session.find_book(named).await?;
    let name = choice.name.clone();
    session.file.change(&session.server, |entry| entry.book = Some(choice))?;
    session.output.say(&format!("using book {name}"));
    Ok(())
}

async fn new(session: &Session, name: &str, template: Option<String>) -> Result {
    let mut body = match template {
        Some(template) => find_template(session, &template).await?,
        None => json!({}),
    };
    if let Some(fields) = body.as_object_mut() {
        fields.insert("name".to_owned(), json!(name));
    }
    let body = body.to_string().into_bytes();
    let text = session.client.raw("POST", "/v5/books", Some(&body))?.await?;
    let book: daybook_client::types::Book = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("unexpected response: {error}")))?;
    let choice = crate::session::choice(&book);
    session.output.say(&format!("made book {name} and using it"));
    session.output.say(&format!("undo: dbk api DELETE /v5/books/{}", choice.id));
    session.file.change(&session.server, |entry| entry.book = Some(choice))?;
    if session.output.is_json() { session.output.line(text.trim_end()) } else { Ok(()) }
}

async fn find_template(session: &Session, named: &str) -> Result<Value> {
    let wanted = named.to_lowercase();
    let templates = session.client.list_templates().await?.items;
    let name = |template: &daybook_client::types::Template| {
        template.name.clone().unwrap_or_default().to_lowercase()
    };
    let found = templates.iter().find(|template| name(template) == wanted);
    let found =
        found.or_else(|| templates.iter().find(|template| name(template).contains(&wanted)));
    let book = found.and_then(|template| template.book.clone());
    book.ok_or_else(|| {
        Failure::not_found(format!("no template {named:?}")).with_hint("dbk books templates")
    })
}

async fn templates(session: &Session) -> Result {
    let request = session.client.list_templates();
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let mut table = Table::new(&[("Template", Kind::Key), ("Description", Kind::Text)]);
    for template in request.await?.items {
        let description = template.description.unwrap_or_default();
        table.add(vec![template.name.unwrap_or_default(), description]);
    }
    session.output.table(&table)
}
