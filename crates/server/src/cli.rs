//! The command line.
//!
//! Every option of `serve` can also be given as an environment variable. In all modules with
//! options, their doc comments are the texts of `--help`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use daybook_auth::session::WebOrigin;
use daybook_domain::email::Email;

use crate::address::{path_prefix, public_url};
use crate::admission::AdmissionArgs;
use crate::api_key::KeyArgs;
use crate::backup::{BackupArgs, RestoreArgs};
use crate::checkpoint::{CheckpointArgs, CheckpointCommandArgs};
use crate::compat::CompatArgs;
use crate::coordinator::CoordinatorArgs;
use crate::files::FileStoreArgs;
use crate::health::HealthArgs;
use crate::installation::DataArgs;
use crate::limit::LimitArgs;
use crate::log::LogArgs;
use crate::mail::MailArgs;
use crate::manual::{CompletionArgs, ManualArgs};
use crate::metrics::MetricsArgs;
use crate::migrate::MigrateArgs;
use crate::outbox::OutboxArgs;
use crate::rate::RateArgs;
use crate::relocation::MoveArgs;
use crate::replicas::ReplicaArgs;
use crate::user::UserArgs;
use crate::verify::VerifyArgs;
use crate::webhook::{WebhookArgs, WebhooksArgs};

/// Serves the books of an installation, and administers it.
#[derive(Debug, Parser)]
#[command(name = "daybook", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the API until SIGTERM or Ctrl-C
    Serve(Box<ServeArgs>),
    /// Bring the schema of the database up to date; with --distribute, place it on several machines
    Migrate(MigrateArgs),
    /// Print an access token for a user of this installation; list and revoke tokens
    Token(Box<TokenArgs>),
    /// Print a link that signs a user in with their browser, once
    Login(LoginArgs),
    /// List and show users and what they store, disable, rename and delete them
    User(UserArgs),
    /// Transfer a book to another owner, list deleted books and restore them
    Book(BookArgs),
    /// List the keys that sign tokens for other apps, and rotate them
    Keys(KeysArgs),
    /// List the mails in the outbox, show, retry and drop them
    Outbox(OutboxArgs),
    /// List paused apps, pause and resume them
    Webhooks(WebhooksArgs),
    /// Print an API key for an app of a user; list and revoke API keys
    Key(KeyArgs),
    /// Write a checkpoint of the logs of all books now, and print its path
    Checkpoint(CheckpointCommandArgs),
    /// Ask a running server whether it is ready. The status is 0 if it is
    Health(HealthArgs),
    /// Check an installation and say what to do, without changing anything; also beside a running
    /// server. The status is 0 without findings, else 3
    Doctor(Box<DoctorArgs>),
    /// Make, list, check and remove backups
    Backup(BackupArgs),
    /// Restore a backup into an empty directory and an empty database
    Restore(Box<RestoreArgs>),
    /// Copy a stopped installation into an empty database of either engine; audit and compare both
    Move(MoveArgs),
    /// Compare the database and the files with the checkpoints, and change nothing. The status is 0
    /// if everything agrees, 1 if something differs, and 2 if the comparison failed
    Verify(VerifyArgs),
    /// Print the completions of a shell
    Completion(CompletionArgs),
    /// Write the manual pages
    #[command(hide = true)]
    Manual(ManualArgs),
}

impl Command {
    /// Returns whether a failure has the status of a comparison that failed.
    pub(crate) const fn is_verify(&self) -> bool {
        if let Self::Backup(options) = self {
            return options.is_verify();
        }
        matches!(self, Self::Verify(_))
    }
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 picks a free one
    #[arg(
        long,
        env = "DAYBOOK_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDR:PORT"
    )]
    pub(crate) listen: SocketAddr,

    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,

    #[command(flatten)]
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) replicas: ReplicaArgs,

    #[command(flatten)]
    pub(crate) coordinator: CoordinatorArgs,

    #[command(flatten)]
    pub(crate) admission: AdmissionArgs,

    /// Addresses of users who may change and publish any app and invite new users, separated by
    /// commas; none by default
    #[arg(
        long,
        env = "DAYBOOK_ADMINISTRATORS",
        value_delimiter = ',',
        value_name = "EMAIL",
        value_parser = Email::parse
    )]
    pub(crate) administrators: Vec<Email>,

    #[command(flatten)]
    pub(crate) compat: CompatArgs,

    /// Path the API is mounted under, for example /books-api; none by default
    #[arg(
        long,
        env = "DAYBOOK_PATH_PREFIX",
        default_value = "",
        hide_default_value = true,
        value_name = "PATH",
        value_parser = path_prefix
    )]
    pub(crate) path_prefix: String,

    /// Do not serve the web console
    #[arg(long, env = "DAYBOOK_NO_CONSOLE")]
    pub(crate) no_console: bool,

    /// URL at which clients reach this server, with the path it is mounted under, for links in
    /// responses and the contract; by default http:// and the Host of each request, which is wrong
    /// behind a proxy that terminates TLS
    #[arg(long, env = "DAYBOOK_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,

    /// Memory in megabytes for request bodies and file contents of all requests together; a request
    /// that needs more than is free gets 503
    #[arg(
        long,
        env = "DAYBOOK_BODIES_MEGABYTES",
        default_value_t = 256,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(64..)
    )]
    pub(crate) bodies_megabytes: u16,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) files: FileStoreArgs,

    /// Seconds that stored bytes without a file are kept before they are removed; must be longer
    /// than any write takes
    #[arg(
        long = "files-orphan-seconds",
        env = "DAYBOOK_FILES_ORPHAN_SECONDS",
        default_value_t = 86_400,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) orphan_seconds: u64,

    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,

    /// Days for which deleted books can be restored before they are removed; with 0 they are
    /// removed at once
    #[arg(
        long,
        env = "DAYBOOK_DELETED_BOOKS_DAYS",
        default_value_t = 30,
        value_name = "DAYS",
        value_parser = clap::value_parser!(u16).range(0..=3650)
    )]
    pub(crate) deleted_books_days: u16,

    /// JSON file with the apps that may ask users for access to their books, besides the built-in
    /// command line
    #[arg(long, env = "DAYBOOK_CLIENTS", value_name = "PATH")]
    pub(crate) clients: Option<PathBuf>,

    /// JSON file with the identity providers whose access tokens are accepted besides this
    /// installation's own, and through which users sign in; none by default
    #[arg(long, env = "DAYBOOK_PROVIDERS", value_name = "PATH")]
    pub(crate) providers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) rates: RateArgs,

    /// Web origins whose apps may sign users in with their browser, separated by commas, for
    /// example https://app.example.com; none by default
    #[arg(long, env = "DAYBOOK_WEB_ORIGINS", value_delimiter = ',', value_name = "ORIGIN")]
    pub(crate) web_origins: Vec<WebOrigin>,

    #[command(flatten)]
    pub(crate) mail: MailArgs,

    #[command(flatten)]
    pub(crate) webhooks: WebhookArgs,

    /// JSON file with the starter books that listTemplates offers, in the format of its response;
    /// none by default
    #[arg(long, env = "DAYBOOK_TEMPLATES", value_name = "PATH")]
    pub(crate) templates: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// Socket of the service manager, which systemd names for units of Type=notify
    #[arg(long, env = "NOTIFY_SOCKET", hide = true)]
    pub(crate) notify_socket: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Also check what takes long: the structure of a SQLite file, and an audit of the last backup
    #[arg(long)]
    pub(crate) full: bool,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TokenCommand>,

    /// The user's e-mail address; given several times, a token is printed for each, one per line
    #[arg(long, required = true)]
    pub(crate) email: Vec<String>,

    /// Days the token stays valid
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub(crate) days: u32,

    /// What the token is for, as its user sees it in their list
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// Make the token read-only
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Limit the token to this book; given several times, to these books
    #[arg(long, value_name = "ID")]
    pub(crate) book: Vec<String>,

    #[command(flatten)]
    pub(crate) data: DataArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// The user's e-mail address
    #[arg(long)]
    pub(crate) email: String,

    /// URL at which clients reach the server, with the path it is mounted under
    #[arg(
        long,
        env = "DAYBOOK_PUBLIC_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL",
        value_parser = public_url
    )]
    pub(crate) public_url: String,

    #[command(flatten)]
    pub(crate) data: DataArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// List the tokens of a user: id, state, expiry, limits and name
    List {
        /// The user's e-mail address
        #[arg(long)]
        email: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Revoke a token: every server refuses it within 5 seconds
    Revoke {
        /// The id of the token
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    pub(crate) command: BookCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BookCommand {
    /// Make a user the owner of a book; the former owner stays as an EDITOR
    Transfer {
        /// The id of the book
        #[arg(long, value_name = "ID")]
        book: String,
        /// The e-mail address of the new owner, who must already be a user
        #[arg(long, value_name = "EMAIL")]
        to: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List deleted books: id, owner, when each was deleted, when it is removed, and name
    ListDeleted {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Restore a deleted book that is not removed yet
    Restore {
        /// The id of the book
        #[arg(value_name = "ID")]
        book: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

/// The keys to rotate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RotatedKeys {
    /// The keys that sign tokens for other apps.
    Signing,
    /// The key that seals the secrets in the database.
    Sealing,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// List the signing keys: algorithm, number, state, when each begins to sign, and id
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Create new keys. New signing keys are published at once and sign after 10 minutes; the old
    /// ones stay published until the tokens they signed have expired. A new sealing key reseals all
    /// secrets in the database
    Rotate {
        /// The keys that sign tokens for other apps, or the key that seals the secrets in the
        /// database
        #[arg(value_enum, default_value_t = RotatedKeys::Signing)]
        what: RotatedKeys,
        /// Remove the old keys at once, because they are compromised or cannot be opened; tokens
        /// that they signed become invalid
        #[arg(long)]
        discard: bool,
        /// Only write the next sealing key into sealing.key, for a rotation on several machines
        #[arg(long)]
        prepare: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}
