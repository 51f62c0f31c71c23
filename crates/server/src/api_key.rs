//! `daybook key`: API keys by the operator (behaviour 10.13).

use std::sync::Arc;

use clap::{Args, Subcommand};
use daybook_domain::api_key::{ApiKeyUsage, KeyRequest, MAX_RATE, MIN_RATE};
use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_service::api_key::{self, View};
use daybook_service::{Ids, user};

use crate::clock;
use crate::installation::{DataArgs, find_user, open, open_with_key, print, retry_on_collision};
use crate::log::log_command;

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Print a new API key of a user, and create the user if they are new
    Create {
        /// The user's e-mail address
        #[arg(long)]
        email: String,
        /// What the key is for, as its user sees it in their list
        #[arg(long)]
        name: Option<String>,
        /// Calls per minute that the key allows, instead of the usual quota
        #[arg(
            long,
            value_name = "CALLS",
            value_parser = clap::value_parser!(u32).range(i64::from(MIN_RATE)..=i64::from(MAX_RATE))
        )]
        rate: Option<u32>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List API keys: id, state, user, calls per minute, calls today and in 31 days, and name
    List {
        /// The e-mail address of a user; without it, list the keys of all users
        #[arg(long)]
        email: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Revoke an API key: every server refuses it within 5 seconds
    Revoke {
        /// The id of the key
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

/// Runs `daybook key`.
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn run(options: KeyArgs) -> anyhow::Result<()> {
    let now = clock::now();
    match options.command {
        KeyCommand::Create { email, name, rate, data } => {
            create(&data, &Email::parse(&email)?, KeyRequest { name, rate }, now)
        }
        KeyCommand::List { email: Some(email), data } => {
            let store = open(&data)?;
            let user = find_user(&store, &email)?;
            let views = store.read(|tx| api_key::of_user(tx, &user, now))?;
            print(views.iter().map(|view| format_key(&user.email, view, now)))
        }
        KeyCommand::List { email: None, data } => {
            let all = open(&data)?.read(|tx| api_key::list_all(tx, now))?;
            print(all.iter().map(|(email, view)| format_key(email, view, now)))
        }
        KeyCommand::Revoke { id, data } => {
            let (email, view) = open(&data)?.write_repeatable(api_key::SHARD_KEY, move |tx| {
                api_key::revoke_any(tx, &id, now)
            })?;
            log_command(&data, "key revoke", Some(view.key.user));
            print([format_key(&email, &view, now)])
        }
    }
}

fn create(data: &DataArgs, email: &Email, request: KeyRequest, now: Instant) -> anyhow::Result<()> {
    let (store, key) = open_with_key(data)?;
    let key = Arc::new(key);
    let ids = Arc::new(Ids::new(store.generation()));
    let created = retry_on_collision(|| {
        let (key, ids, request, email) =
            (Arc::clone(&key), Arc::clone(&ids), request.clone(), email.clone());
        store.write_repeatable(user::operator_shard_key(&email), move |tx| {
            api_key::create_for(tx, &email, |id| key.api_key(id).digest(), request, &ids, now)
        })
    })?
    .key;
    log_command(data, "key create", Some(created.user));
    print([key.api_key(created.id).as_str().to_owned()])
}

/// Formats a key as a line of columns separated by tabs.
fn format_key(email: &Email, view: &View, now: Instant) -> String {
    let View { key, usage } = view;
    let state = if key.is_active() { "active" } else { "revoked" };
    let rate = key.rate.map_or_else(|| "usual".to_owned(), |rate| rate.to_string());
    let calls = |days: &mut dyn Iterator<Item = &ApiKeyUsage>| {
        days.fold(0_u64, |sum, usage| sum.saturating_add(usage.calls))
    };
    let day = api_key::day(now);
    let today = calls(&mut usage.iter().filter(|usage| usage.day == day));
    let all = calls(&mut usage.iter());
    format!("{}\t{state}\t{email}\t{rate}\t{today}\t{all}\t{}", key.id, key.name)
}
