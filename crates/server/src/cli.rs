//! The command line. Every option of `serve` can also be given as an environment variable. The doc
//! comments of options are the texts of `--help`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use daybook_domain::email::Email;
use daybook_http::WebOrigin;

use crate::address::{path_prefix, public_url};
use crate::admission::AdmissionArgs;
use crate::api_key::KeyArgs;
use crate::checkpoint::{CheckpointArgs, CheckpointCommandArgs};
use crate::compat::CompatArgs;
use crate::coordinator::CoordinatorArgs;
use crate::files::FileStoreArgs;
use crate::limit::LimitArgs;
use crate::log::LogArgs;
use crate::mail::MailArgs;
use crate::migrate::MigrateArgs;
use crate::outbox::OutboxArgs;
use crate::rate::RateArgs;
use crate::replicas::ReplicaArgs;
use crate::user::UserArgs;
use crate::verify::VerifyArgs;
use crate::webhook::{WebhookArgs, WebhooksArgs};

/// Daybook: financial books over a REST API.
#[derive(Debug, Parser)]
#[command(version, about)]
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
    /// Print a link that signs somebody in with their browser, once
    Login(LoginArgs),
    /// List and show users and what they store, disable, rename and delete them
    User(UserArgs),
    /// Give a book to another owner, list deleted books and restore them
    Book(BookArgs),
    /// List the keys that tokens for other apps are signed with, and rotate them
    Keys(KeysArgs),
    /// Look at the mails that wait to be sent, and drop them
    Outbox(OutboxArgs),
    /// List apps that are sent no events of a book, pause and resume them
    Webhooks(WebhooksArgs),
    /// Print an API key for an app of a user; list and revoke API keys
    Key(KeyArgs),
    /// Write a checkpoint of the logs of all books now, and print its path
    Checkpoint(CheckpointCommandArgs),
    /// Compare the database and the files with the checkpoints; changes nothing. Status 0 when all
    /// agrees, 1 when something differs, 2 when it cannot be told
    Verify(VerifyArgs),
}

/// Where an installation keeps its data.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// Directory for the key that signs tokens and, by default, the database and files; created
    /// when missing
    #[arg(long, env = "DAYBOOK_DATA_DIR", default_value = "./data", value_name = "DIR")]
    pub(crate) data_dir: PathBuf,

    /// Database: sqlite:PATH or postgres://USER@HOST/NAME; by default SQLite in the data directory
    #[arg(long, env = "DAYBOOK_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
}

impl DataArgs {
    /// The address of the database.
    pub(crate) fn database(&self) -> String {
        self.database_url
            .clone()
            .unwrap_or_else(|| format!("sqlite:{}", self.data_dir.join("daybook.db").display()))
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
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) replicas: ReplicaArgs,

    #[command(flatten)]
    pub(crate) coordinator: CoordinatorArgs,

    #[command(flatten)]
    pub(crate) admission: AdmissionArgs,

    /// Who may change any app, and publish it: addresses, separated by commas; nobody by default
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

    /// Address clients reach this server at, with the path it is mounted under, for links in
    /// answers and the contract; by default http:// and each request's own Host, which is wrong
    /// behind a proxy that does TLS
    #[arg(long, env = "DAYBOOK_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,

    /// Memory in megabytes for request bodies and contents of files, all requests together; a
    /// request that needs more than is left is answered 503
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

    /// Days for which deleted books wait, so that they can be restored, before they are removed;
    /// with 0 they are removed at once
    #[arg(
        long,
        env = "DAYBOOK_DELETED_BOOKS_DAYS",
        default_value_t = 30,
        value_name = "DAYS",
        value_parser = clap::value_parser!(u16).range(0..=3650)
    )]
    pub(crate) deleted_books_days: u16,

    /// JSON file with the apps that may ask users for access to their books, beside the built-in
    /// command line and console
    #[arg(long, env = "DAYBOOK_CLIENTS", value_name = "PATH")]
    pub(crate) clients: Option<PathBuf>,

    /// JSON file with the identity providers whose access tokens are taken besides this
    /// installation's own, and through which people sign in; none by default
    #[arg(long, env = "DAYBOOK_PROVIDERS", value_name = "PATH")]
    pub(crate) providers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) rates: RateArgs,

    /// Web origins whose apps may sign people in with their browser, separated by commas, for
    /// example https://app.example.com; none by default
    #[arg(long, env = "DAYBOOK_WEB_ORIGINS", value_delimiter = ',', value_name = "ORIGIN")]
    pub(crate) web_origins: Vec<WebOrigin>,

    #[command(flatten)]
    pub(crate) mail: MailArgs,

    #[command(flatten)]
    pub(crate) webhooks: WebhookArgs,

    /// JSON file with the starter books that listTemplates offers, in the form of its answer; none
    /// by default
    #[arg(long, env = "DAYBOOK_TEMPLATES", value_name = "PATH")]
    pub(crate) templates: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TokenCommand>,

    /// The user's e-mail address; given several times, a token is printed for each, in a line
    #[arg(long, required = true)]
    pub(crate) email: Vec<String>,

    /// Days the token stays valid
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub(crate) days: u32,

    /// What the token is for, as its user sees it in their list
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// The token only reads
    #[arg(long)]
    pub(crate) read_only: bool,

    /// The token reaches this book only; given several times, these books
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

    /// Address clients reach the server at, with the path it is mounted under
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
    /// List the tokens of a user: id, state, end, limits and name
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
    /// Make a user the owner of a book; who owned it stays as an EDITOR
    Transfer {
        /// The id of the book
        #[arg(long, value_name = "ID")]
        book: String,
        /// The e-mail address of the new owner, who must be a user already
        #[arg(long, value_name = "EMAIL")]
        to: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List deleted books: id, owner, when it was deleted, until when it waits, and name
    ListDeleted {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Bring a deleted book back that still waits
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

/// What a rotation is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RotatedKeys {
    /// What signs for others.
    Signing,
    /// What seals the secrets in the database.
    Sealing,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// List the signing keys: algorithm, number, state, when each begins to sign, and id
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Make new keys. New signing keys are published at once and sign after 10 minutes; the old
    /// ones stay published until what they signed has expired. With a new sealing key everything
    /// that the database keeps secret is sealed anew
    Rotate {
        /// The keys that sign for others, or the key that seals what the database keeps secret
        #[arg(value_enum, default_value_t = RotatedKeys::Signing)]
        what: RotatedKeys,
        /// Remove the old keys at once, because somebody else has them or they do not open; what
        /// they signed is void
        #[arg(long)]
        discard: bool,
        /// Only write the next sealing key into sealing.key, for a rotation over several machines
        #[arg(long)]
        prepare: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}
