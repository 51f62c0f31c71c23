//! `daybook key`: API keys by the operator (behaviour 10.13). The doc comments of options are the
//! texts of `--help`.

use std::sync::Arc;

use clap::{Args, Subcommand};
use daybook_domain::api_key::{KeyRequest, MAX_RATE, MIN_RATE, Usage};
use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_service::Ids;
use daybook_service::api_key::{self, View};
use daybook_storage::ShardKey;

use crate::admin::{again_on_collision, named, open, print};
use crate::cli::DataArgs;
use crate::log::note_command;
use crate::{clock, key};

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Print a new API key of a user, who is created at the first one
    Create {
        /// The user's e-mail address
        #[arg(long)]
        email: String,
        /// What the key is for, as its user sees it in their list
        #[arg(long)]
        name: Option<String>,
        /// Calls a minute that the key allows, instead of the usual quota
        #[arg(
            long,
            value_name = "CALLS",
            value_parser = clap::value_parser!(u32).range(i64::from(MIN_RATE)..=i64::from(MAX_RATE))
        )]
        rate: Option<u32>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List API keys: id, state, user, calls a minute, calls today and in 31 days, and name
    List {
        /// The e-mail address of a user; without it, the keys of all
        #[arg(long)]
        email: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Revoke an API key: every server counts it as none within 5 seconds
    Revoke {
        /// The id of the key
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

/// `daybook key`.
///
/// # Errors
/// What is refused; a database that cannot be opened.
pub(crate) fn run(options: KeyArgs) -> anyhow::Result<()> {
    let now = clock::now();
    match options.command {
        KeyCommand::Create { email, name, rate, data } => {
            create(&data, &Email::parse(&email)?, KeyRequest { name, rate }, now)
        }
        KeyCommand::List { email: Some(email), data } => {
            let store = open(&data)?;
            let user = named(&store, &email)?;
            let views = store.read(|tx| api_key::of_user(tx, &user, now))?;
            print(views.iter().map(|view| described(&user.email, view, now)))
        }
        KeyCommand::List { email: None, data } => {
            let all = open(&data)?.read(|tx| api_key::of_all(tx, now))?;
            print(all.iter().map(|(email, view)| described(email, view, now)))
        }
        KeyCommand::Revoke { id, data } => {
            let (email, view) = open(&data)?
                .write_repeatable(ShardKey::NO_BOOK, move |tx| api_key::revoke_any(tx, &id, now))?;
            note_command(&data, "key revoke", Some(view.key.user));
            print([described(&email, &view, now)])
        }
    }
}

fn create(data: &DataArgs, email: &Email, request: KeyRequest, now: Instant) -> anyhow::Result<()> {
    let key = Arc::new(key::load(&data.data_dir)?);
    let store = open(data)?;
    let ids = Arc::new(Ids::new(store.start()));
    let created = again_on_collision(|| {
        let (key, ids, request, email) =
            (Arc::clone(&key), Arc::clone(&ids), request.clone(), email.clone());
        store.write_repeatable(ShardKey::of_newcomer(&email.clone()), move |tx| {
            api_key::create_for(tx, &email, |id| key.api_key(id).digest(), request, (&ids, now))
        })
    })?
    .key;
    note_command(data, "key create", Some(created.user));
    print([key.api_key(created.id).as_str().to_owned()])
}

/// A key in a line, its columns separated by tabs.
fn described(email: &Email, view: &View, now: Instant) -> String {
    let View { key, usage } = view;
    let state = if key.is_active() { "active" } else { "revoked" };
    let rate = key.rate.map_or_else(|| "usual".to_owned(), |rate| rate.to_string());
    let calls = |days: &mut dyn Iterator<Item = &Usage>| {
        days.fold(0_u64, |sum, usage| sum.saturating_add(usage.calls))
    };
    let day = api_key::day(now);
    let today = calls(&mut usage.iter().filter(|usage| usage.day == day));
    let all = calls(&mut usage.iter());
    format!("{}\t{state}\t{email}\t{rate}\t{today}\t{all}\t{}", key.id, key.name)
}
