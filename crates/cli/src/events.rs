//! `dbk events follow`.

use clap::{Args, Subcommand};
use daybook_client::Since;

use crate::failure::{Failure, Result};
use crate::session::Session;
use crate::verify::heading;

/// The options of `dbk events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    #[command(subcommand)]
    command: EventsCommand,
}

#[derive(Debug, Subcommand)]
enum EventsCommand {
    /// Print events as they happen, until Ctrl-C
    Follow(FollowArgs),
}

#[derive(Debug, Args)]
struct FollowArgs {
    /// Begin after the event of this number; 0 begins with the first
    #[arg(long, value_name = "NUMBER")]
    after: Option<i64>,
    /// End after so many events
    #[arg(short = 'n', long, value_name = "COUNT")]
    limit: Option<u64>,
    /// Also send each event to this address, as a POST with the JSON of the event
    #[arg(long, value_name = "URL")]
    forward_to: Option<String>,
}

/// Follows the events of the book.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn run(session: &Session, args: EventsArgs) -> Result {
    let EventsCommand::Follow(args) = args.command;
    let book = session.book().await?;
    let since = args.after.map_or(Since::Now, Since::After);
    let mut follower = book.handle.follow(since);
    follower.connect().await?;
    session.output.say("following; Ctrl-C ends");
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| Failure::new(error.to_string()))?;
    let mut left = args.limit;
    while left != Some(0) {
        let event = follower.next().await?;
        let text = serde_json::to_string(&event);
        let text = text.map_err(|error| Failure::new(error.to_string()))?;
        match session.output.is_json() {
            true => session.output.line(&text)?,
            false => session.output.line(&heading(&event))?,
        }
        if let Some(address) = &args.forward_to {
            let request = http.post(address).header("content-type", "application/json").body(text);
            match request.send().await {
                Ok(response) => session.output.say(&format!("  {}", response.status())),
                Err(error) => eprintln!("  not delivered: {error}"),
            }
        }
        left = left.map(|left| left.saturating_sub(1));
    }
    Ok(())
}
