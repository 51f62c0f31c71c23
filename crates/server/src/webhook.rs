//! The options of webhooks, and `daybook webhooks`: which apps are paused (behaviour 8.19). The doc
//! comments of options are the texts of `--help`.

use std::str::FromStr;

use anyhow::ensure;
use clap::{Args, Subcommand};
use daybook_domain::app::AppId;
use daybook_domain::id::BookKey;
use daybook_http::WebhookTarget;
use daybook_service::delivery::pause::{self, PausedPlace, PausedQueue};
use daybook_storage::{ShardKey, Store};

use crate::admin::{open, print};
use crate::cli::DataArgs;
use crate::clock;

/// Where webhooks may go.
#[derive(Debug, Args)]
pub(crate) struct WebhookArgs {
    /// Hosts, addresses and networks that webhooks may reach besides the public internet, also
    /// without TLS, separated by commas, for example bots.internal or 10.0.0.0/8, or none; by
    /// default none, or loopback for a trial: while the server listens on loopback and has no
    /// --public-url, --providers and --smtp-url
    #[arg(long, env = "DAYBOOK_WEBHOOK_ALLOW", value_delimiter = ',', value_name = "ENTRY")]
    webhook_allow: Option<Vec<WebhookEntry>>,
}

/// An entry of the list, or the word that the list is empty.
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
    /// What webhooks may reach besides the public internet. In a trial that is this machine.
    ///
    /// # Errors
    /// When `none` stands beside other entries.
    pub(crate) fn allowed(&self, is_trial: bool) -> anyhow::Result<Vec<WebhookTarget>> {
        let Some(entries) = &self.webhook_allow else {
            return Ok(if is_trial { WebhookTarget::loopback() } else { Vec::new() });
        };
        let targets: Vec<WebhookTarget> = entries.iter().filter_map(WebhookEntry::target).collect();
        ensure!(
            targets.is_empty() || targets.len() == entries.len(),
            "invalid --webhook-allow: none stands alone"
        );
        Ok(targets)
    }

    /// Whether the operator has said what webhooks may reach.
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
    /// List paused apps: book, app, cause, since when, and how many events wait
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Send an app no more events of a book, until it is resumed: they wait, for 30 days
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
    /// Send paused apps their events again, from where they were paused
    Resume {
        #[command(flatten)]
        which: PausedArgs,
        #[command(flatten)]
        data: DataArgs,
    },
}

/// Which of the paused apps.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct PausedArgs {
    /// The id of the book; without it, in all books
    #[arg(long, value_name = "ID")]
    book: Option<String>,
    /// The id of the app; without it, all apps of the book
    #[arg(long, value_name = "ID")]
    app: Option<String>,
}

/// `daybook webhooks`.
///
/// # Errors
/// What is refused; a database that cannot be opened.
pub(crate) fn run(options: WebhooksArgs) -> anyhow::Result<()> {
    match options.command {
        WebhooksCommand::List { data } => {
            let store = open(&data)?;
            each_portion(&store, (None, None), |paused| print(paused.iter().map(listed)))
        }
        WebhooksCommand::Pause { book, app, data } => {
            let (store, now) = (open(&data)?, clock::now());
            let (key, app) = (BookKey::new(book), AppId::stored(app));
            let (named, paused) = (key.clone(), app.clone());
            store.write_repeatable(ShardKey::of_book(key.as_str()), move |tx| {
                pause::by_operator(tx, named.as_str(), &paused, now)
            })?;
            let named = (Some(key.as_str()), Some(app.as_str()));
            each_portion(&store, named, |paused| print(paused.iter().map(listed)))
        }
        WebhooksCommand::Resume { which, data } => resume(&open(&data)?, &which),
    }
}

fn resume(store: &Store, which: &PausedArgs) -> anyhow::Result<()> {
    each_portion(store, (which.book.as_deref(), which.app.as_deref()), |paused| {
        for queue in paused {
            let resumed = queue.clone();
            store.write_repeatable(ShardKey::of_book(queue.book.as_str()), move |tx| {
                pause::resume_by_operator(tx, &resumed)
            })?;
        }
        print(paused.iter().map(listed))
    })
}

/// Does something with the paused apps, of a book and of an app when they are named: the list of
/// all may be long.
fn each_portion(
    store: &Store,
    (book, app): (Option<&str>, Option<&str>),
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

/// A paused app in a line, its columns separated by tabs.
fn listed(queue: &PausedQueue) -> String {
    let PausedQueue { place: _, book, app, paused_at, cause, waiting } = queue;
    format!("{book}\t{app}\t{}\t{}\t{waiting}", cause.as_str(), paused_at.milliseconds())
}
