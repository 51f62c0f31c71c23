//! `daybook outbox`: the mails to send, and the ended ones (behaviour 7.10).

use clap::{Args, Subcommand};
use daybook_domain::email::Email;
use daybook_domain::mail::Mail;
use daybook_service::{Error, mail};

use crate::clock;
use crate::installation::{DataArgs, open, print};

#[derive(Debug, Args)]
pub(crate) struct OutboxArgs {
    #[command(subcommand)]
    pub(crate) command: OutboxCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OutboxCommand {
    /// List mails: id, state, kind, recipient, time of writing, and attempts; the first 1,000
    List {
        /// Only mails to this address
        #[arg(long, value_name = "EMAIL")]
        to: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Print a mail
    Show(NamedMailArgs),
    /// Send mails that were given up, as if they were new
    Retry(NamedMailsArgs),
    /// Remove a mail from the outbox, so that it is not sent
    Drop(NamedMailArgs),
}

#[derive(Debug, Args)]
pub(crate) struct NamedMailArgs {
    /// The id of the mail
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NamedMailsArgs {
    /// The ids of the mails
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Runs `daybook outbox`.
///
/// # Errors
/// An unknown mail; a database that cannot be opened.
pub(crate) fn run(options: OutboxArgs) -> anyhow::Result<()> {
    match options.command {
        OutboxCommand::List { to, data } => {
            let to = to.map(|email| Email::parse(&email)).transpose()?;
            let mails = open(&data)?.read(|tx| mail::list(tx, to.as_ref()))?;
            print(mails.iter().map(format_row))
        }
        OutboxCommand::Show(NamedMailArgs { id, data }) => {
            print(format_mail(&open(&data)?.read(|tx| mail::get(tx, &id))?))
        }
        OutboxCommand::Retry(NamedMailsArgs { ids, data }) => {
            let (store, now) = (open(&data)?, clock::now());
            let retried = store.write_repeatable(mail::SHARD_KEY, move |tx| {
                ids.iter().map(|id| mail::retry(tx, id, now)).collect::<Result<Vec<_>, Error>>()
            })?;
            print(retried.iter().map(format_row))
        }
        OutboxCommand::Drop(NamedMailArgs { id, data }) => {
            let store = open(&data)?;
            let dropped =
                store.write_repeatable(mail::SHARD_KEY, move |tx| mail::discard(tx, &id))?;
            print([format_row(&dropped)])
        }
    }
}

fn state(mail: &Mail) -> &'static str {
    mail.ended.map_or("waiting", |(_, end)| end.as_str())
}

/// Formats a mail as a line of columns separated by tabs.
fn format_row(mail: &Mail) -> String {
    let (kind, written) = (mail.cause.kind.as_str(), mail.created_at.milliseconds());
    let Mail { id, recipient, attempts, .. } = mail;
    format!("{id}\t{}\t{kind}\t{recipient}\t{written}\t{attempts}", state(mail))
}

/// Formats a mail with its state in the outbox and its text.
fn format_mail(mail: &Mail) -> Vec<String> {
    let mut lines = vec![
        format!("Id: {}", mail.id),
        format!("State: {}", state(mail)),
        format!("Kind: {}", mail.cause.kind.as_str()),
        format!("Attempts: {}", mail.attempts),
    ];
    lines.extend(mail.failure.as_ref().map(|why| format!("Failure: {why}")));
    lines.push(format!("To: {}", mail.recipient));
    lines.push(format!("Subject: {}", mail.content.subject));
    lines.push(String::new());
    lines.push(mail.content.text.trim_end().to_owned());
    lines
}
