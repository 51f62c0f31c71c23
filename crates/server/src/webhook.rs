//! The options of webhooks, and `daybook webhooks`: paused apps (behaviour 8.19).

use std::str::FromStr;

use anyhow::ensure;
use clap::{Args, Subcommand};
use daybook_domain::app::AppId;
use daybook_domain::id::BookKey;
use daybook_edge::outgoing::allowed::WebhookTarget;
use daybook_service::book;
use daybook_service::delivery::pause::{self, PausedPlace, PausedQueue};
use daybook_storage::Store;

use crate::clock;
use crate::installation::{DataArgs, open, print};

/// The options of webhooks.
#[derive(Debug, Args)]
pub(crate) struct WebhookArgs {
    /// Hosts, addresses and networks that webhooks may reach besides the public internet, also
    /// without TLS, separated by commas, for example bots.internal or 10.0.0.0/8, or none; the
    /// default is none, or loopback in a trial: while the server listens on loopback and has no
    /// --public-url, --providers and --smtp-url
    #[arg(long, env = "DAYBOOK_WEBHOOK_ALLOW", value_delimiter = ',', value_name = "ENTRY")]
    webhook_allow: Option<Vec<WebhookEntry>>,
}

/// An entry of the list, or the word for an empty list.
#[derive(Debug, Clone)]
enum WebhookEntry {
    None,
    Target(WebhookTarget),
}

impl FromStr for WebhookEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("none") {
            return Ok(Self::None);
        }
        text.parse().map(Self::Target)
    }
}

impl WebhookArgs {
    /// Returns the targets that webhooks may reach besides the public internet.
    ///
    /// The default of a trial is this machine.
    ///
    /// # Errors
    /// When `none` is combined with other entries.
    pub(crate) fn allowed(&self, is_trial: bool) -> anyhow::Result<Vec<WebhookTarget>> {
        let Some(entries) = &self.webhook_allow else {
            return Ok(if is_trial { WebhookTarget::loopback() } else { Vec::new() });
        };
        let targets: Vec<WebhookTarget> = entries.iter().filter_map(WebhookEntry::target).collect();
        ensure!(
            targets.is_empty() || targets.len() == entries.len(),
            "invalid --webhook-allow: none cannot be combined with other entries"
        );
        Ok(targets)
    }

    /// Returns whether the operator has set the list.
    pub(crate) const fn is_given(&self) -> bool {
        self.webhook_allow.is_some()
    }
}

impl WebhookEntry {
    fn target(&self) -> Option<WebhookTarget> {
        match self {
            Self::None => None,
            Self::Target(target) => Some(target.clone()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct WebhooksArgs {
    #[command(subcommand)]
    pub(crate) command: WebhooksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    /// List paused apps: book, app, cause, start, and number of pending events
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Pause an app in a book: its events wait for at most 30 days, until it is resumed
    Pause {
        /// The id of the book
        #[arg(long, value_name = "ID")]
        book: String,
        /// The id of the app
        #[arg(long, value_name = "ID")]
        app: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Resume paused apps: they get the events that waited
    Resume {
        #[command(flatten)]
        which: PausedArgs,
        #[command(flatten)]
        data: DataArgs,
    },
}

/// The selection of paused apps.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct PausedArgs {
    /// The id of the book; without it, all books
    #[arg(long, value_name = "ID")]
    book: Option<String>,
    /// The id of the app; without it, all apps of the book
    #[arg(long, value_name = "ID")]
    app: Option<String>,
}

/// Runs `daybook webhooks`.
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn run(options: WebhooksArgs) -> anyhow::Result<()> {
    match options.command {
        WebhooksCommand::List { data } => {
            let store = open(&data)?;
            each_portion(&store, None, None, |paused| print(paused.iter().map(format_row)))
        }
        WebhooksCommand::Pause { book, app, data } => {
            let (store, now) = (open(&data)?, clock::now());
            let (book, app) = (BookKey::new(book), AppId::stored(app));
            let (paused_book, paused_app) = (book.clone(), app.clone());
            store.write_repeatable(book::shard_key(&book), move |tx| {
                pause::pause_by_operator(tx, paused_book.as_str(), &paused_app, now)
            })?;
            let (book, app) = (Some(book.as_str()), Some(app.as_str()));
            each_portion(&store, book, app, |paused| print(paused.iter().map(format_row)))
        }
        WebhooksCommand::Resume { which, data } => resume(&open(&data)?, &which),
    }
}

fn resume(store: &Store, which: &PausedArgs) -> anyhow::Result<()> {
    each_portion(store, which.book.as_deref(), which.app.as_deref(), |paused| {
        for queue in paused {
            let resumed = queue.clone();
            store.write_repeatable(book::shard_key(&queue.book), move |tx| {
                pause::resume_by_operator(tx, &resumed)
            })?;
        }
        print(paused.iter().map(format_row))
    })
}

/// Passes the paused apps to `work` in portions, because there may be many. `book` and `app`
/// filter.
fn each_portion(
    store: &Store,
    book: Option<&str>,
    app: Option<&str>,
    work: impl Fn(&[PausedQueue]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut after: Option<PausedPlace> = None;
    loop {
        let paused = store.read(|tx| pause::list(tx, book, app, after.as_ref()))?;
        let Some(last) = paused.last() else { return Ok(()) };
        after = Some(last.place.clone());
        work(&paused)?;
    }
}

/// Formats a paused app as a line of columns separated by tabs.
fn format_row(queue: &PausedQueue) -> String {
    let PausedQueue { place: _, book, app, paused_at, cause, waiting } = queue;
    format!("{book}\t{app}\t{}\t{}\t{waiting}", cause.as_str(), paused_at.milliseconds())
}
