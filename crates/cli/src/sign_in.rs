//! `dbk login`, `logout` and `whoami`.

use std::io::Read;

use clap::Args;
use daybook_client::CLI_CLIENT_ID;

use crate::failure::{Failure, NOT_SIGNED_IN, Result};
use crate::session::{Session, client_builder};

/// The options of `dbk login`.
#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// Keep this access token instead; `-` reads it from the standard input
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

/// Signs in, and makes the server that of later commands.
///
/// # Errors
/// When the server refuses, or the configuration cannot be written.
pub(crate) async fn login(session: &Session, args: LoginArgs) -> Result {
    let (file, server) = (&session.file, session.server.as_str());
    let client = match args.token {
        Some(token) => {
            let token = if token == "-" { read_token()? } else { token };
            let client = client_builder(server, session.output).token(&token).build()?;
            client.get_user().await?;
            file.change(server, |entry| {
                entry.token = Some(token);
                entry.tokens = None;
            })?;
            client
        }
        None => {
            let anonymous = client_builder(server, session.output).build()?;
            let sign_in = anonymous.start_device_sign_in(CLI_CLIENT_ID, "email").await?;
            let codes = sign_in.codes();
            eprintln!("Open this page and compare the code {}:", codes.user_code);
            eprintln!("  {}", codes.verification_uri_complete);
            let tokens = sign_in.wait().await?;
            let client = client_builder(server, session.output).token(&tokens.access_token);
            file.change(server, |entry| {
                entry.token = None;
                entry.tokens = Some(tokens);
            })?;
            client.build()?
        }
    };
    file.choose(server)?;
    let user = client.get_user().await?;
    let name = user.email.unwrap_or(user.username);
    session.output.say(&format!("signed in to {server} as {name}"));
    session.output.say("next: dbk books");
    Ok(())
}

fn read_token() -> Result<String> {
    let mut token = String::new();
    std::io::stdin()
        .read_to_string(&mut token)
        .map_err(|error| Failure::io("the token cannot be read", &error))?;
    Ok(token.trim().to_owned())
}

/// Ends the grant of a sign-in, and forgets the tokens.
///
/// # Errors
/// When the server refuses, or the configuration cannot be written.
pub(crate) async fn logout(session: &Session) -> Result {
    let server = &session.server;
    let entry = session.entry().filter(|entry| entry.token.is_some() || entry.tokens.is_some());
    let Some(entry) = entry else {
        return Err(Failure::new(format!("not signed in to {server}")).with_code(NOT_SIGNED_IN));
    };
    let revoked = match &entry.tokens {
        Some(tokens) => session.client.revoke_grant(CLI_CLIENT_ID, &tokens.refresh_token).await,
        None => Ok(()),
    };
    session.file.change(server, |entry| {
        entry.token = None;
        entry.tokens = None;
    })?;
    session.output.say(&format!("signed out of {server}"));
    revoked.map_err(|error| {
        Failure::from(error).with_hint("the tokens are forgotten here, but the grant still exists")
    })
}

/// Shows the user, the server and the book in use.
///
/// # Errors
/// When the user is not signed in.
pub(crate) async fn whoami(session: &Session) -> Result {
    let request = session.client.get_user();
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let user = request.await?;
    let name = user.email.unwrap_or(user.username);
    session.output.line(&format!("{name} at {}", session.server))?;
    if let Some(book) = session.entry().and_then(|entry| entry.book.as_ref()) {
        session.output.line(&format!("book: {}", book.name))?;
    }
    session.output.say(&format!("configuration: {}", session.file.path().display()));
    Ok(())
}
