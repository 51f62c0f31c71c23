//! `daybook user`: operator commands for users (behaviour 7.11, 10.14, 11.10).

use std::sync::Arc;

use clap::{Args, Subcommand};
use daybook_domain::email::Email;
use daybook_service::storage_quota::{Input, allow};
use daybook_service::user::UserReport;
use daybook_service::{Error, Ids, user};
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::clock;
use crate::installation::{DataArgs, open, print};
use crate::log::log_command;
use crate::storage_quota::{self, AllowanceArgs, StorageOfArgs};

/// How often a change of a user is retried that conflicts with requests.
const MAX_ATTEMPTS: u32 = 20;

#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    #[command(subcommand)]
    pub(crate) command: UserCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// List all users: e-mail address, username, and whether they are disabled
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Disable a user: every server refuses their tokens within 5 seconds
    Disable(NamedUserArgs),
    /// Enable a disabled user again
    Enable(NamedUserArgs),
    /// Show a user with a summary of their data
    Show(NamedUserArgs),
    /// Change the address of a user, by which they sign in from then on
    RenameEmail {
        /// The user's e-mail address
        #[arg(long)]
        email: String,
        /// The new address
        #[arg(long, value_name = "EMAIL")]
        to: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List the storage of users: bytes, transactions, allowance and e-mail address, the most bytes
    /// first; for one user, the storage of each book: bytes, transactions, state, id and name
    Storage(StorageOfArgs),
    /// Allow a user to store more or less than the usual quotas
    Allow {
        #[command(flatten)]
        named: NamedUserArgs,
        #[command(flatten)]
        allowance: AllowanceArgs,
    },
    /// Delete a user who owns no books; what they recorded stays, without their name
    Delete(NamedUserArgs),
}

#[derive(Debug, Args)]
pub(crate) struct NamedUserArgs {
    /// The user's e-mail address
    #[arg(long)]
    pub(crate) email: String,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Runs `daybook user`.
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn run(options: UserArgs) -> anyhow::Result<()> {
    let now = clock::now();
    match options.command {
        UserCommand::List { data } => print(open(&data)?.read(user::list)?.iter().map(format_user)),
        UserCommand::Show(NamedUserArgs { email, data }) => {
            let email = Email::parse(&email)?;
            print(format_report(&open(&data)?.read(|tx| user::report(tx, &email, now))?))
        }
        UserCommand::Disable(named) => change_user(named, "user disable", move |tx, email, _| {
            user::set_disabled(tx, email, true, now)
        }),
        UserCommand::Enable(named) => change_user(named, "user enable", move |tx, email, _| {
            user::set_disabled(tx, email, false, now)
        }),
        UserCommand::RenameEmail { email, to, data } => {
            let to = Email::parse(&to)?;
            change_user(
                NamedUserArgs { email, data },
                "user rename-email",
                move |tx, email, ids| user::change_address(tx, email, &to, ids, now),
            )
        }
        UserCommand::Storage(options) => storage_quota::list(options),
        UserCommand::Allow { named, allowance } => {
            let input = Input::from(allowance);
            change_user(named, "user allow", move |tx, email, _| allow(tx, email, &input))
        }
        UserCommand::Delete(named) => change_user(named, "user delete", move |tx, email, ids| {
            user::delete(tx, email, ids, now)
        }),
    }
}

/// Changes a user in one unit of work, and prints their new state.
///
/// It is retried if requests change the same user, or create one with the same address.
fn change_user(
    named: NamedUserArgs,
    command: &'static str,
    change: impl Fn(&mut Tx<'_>, &Email, &Arc<Ids>) -> Result<User, Error> + Clone + Send + 'static,
) -> anyhow::Result<()> {
    use daybook_storage::Error::{Unavailable, UniqueViolation};
    let (email, store) = (Email::parse(&named.email)?, open(&named.data)?);
    let ids = Arc::new(Ids::new(store.generation()));
    let shard = user::operator_shard_key(&email);
    let mut attempts = 1;
    let changed = loop {
        let (change, email, ids) = (change.clone(), email.clone(), Arc::clone(&ids));
        let outcome = store.write_repeatable(shard, move |tx| change(tx, &email, &ids));
        match outcome {
            Err(Error::Storage(Unavailable(_) | UniqueViolation(_))) if attempts < MAX_ATTEMPTS => {
                attempts += 1;
            }
            outcome => break outcome?,
        }
    };
    log_command(&named.data, command, Some(changed.id));
    print([format_user(&changed)])
}

/// Formats a user with a summary of their data.
fn format_report(report: &UserReport) -> Vec<String> {
    let UserReport { user, owned, shared, deleted, tokens, stored, allowance } = report;
    let state = match user.disabled_at {
        Some(at) => format!("disabled at {}", at.milliseconds()),
        None => "enabled".to_owned(),
    };
    let name = user.profile.full_name().unwrap_or_default();
    vec![
        format!("Id: {}", user.id),
        format!("E-mail: {}", user.email),
        format!("Username: {}", user.username),
        format!("Name: {name}"),
        format!("State: {state}"),
        format!("Since: {}", user.created_at.milliseconds()),
        format!("Books owned: {owned}"),
        format!("Books seen: {shared}"),
        format!("Deleted books that wait: {deleted}"),
        format!("Active tokens: {tokens}"),
        format!("Transactions stored: {}", stored.transactions),
        format!("Bytes stored: {}", stored.bytes),
        format!("Allowance: {}", storage_quota::format_allowance(allowance)),
    ]
}

/// Formats a user as a line of columns separated by tabs.
fn format_user(user: &User) -> String {
    let state = if user.disabled_at.is_some() { "disabled" } else { "enabled" };
    format!("{}\t{}\t{state}", user.email, user.username)
}
