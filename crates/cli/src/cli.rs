//! The command line. Doc comments of commands and options are the texts of `--help`.

use clap::{Parser, Subcommand};

use crate::books::BooksArgs;
use crate::demo::DemoArgs;
use crate::edit::{DupArgs, EditArgs};
use crate::entry::AddArgs;
use crate::events::EventsArgs;
use crate::export::ExportArgs;
use crate::import_options::ImportArgs;
use crate::manual::{CompletionArgs, ManualArgs};
use crate::raw::ApiArgs;
use crate::reconcile::ReconcileArgs;
use crate::report::{BalArgs, ReportArgs};
use crate::rows::{IdArgs, ListArgs, RegArgs};
use crate::session::Globals;
use crate::sign_in::LoginArgs;
use crate::state::StateArgs;

/// Keep books with Daybook from a terminal
///
/// Sign in with `dbk login`, choose a book with `dbk books use`, and record with `dbk add`.
#[derive(Debug, Parser)]
#[command(name = "dbk", version, about, disable_help_subcommand = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 success, 1 failure, 2 usage, 3 differences found, \
    4 not signed in, 5 not found or no access, 6 conflict, 7 server busy, 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sign in, with a code in the browser or with a token
    Login(LoginArgs),
    /// Sign out, and end the grant of this machine
    Logout,
    /// Show who is signed in
    Whoami,
    /// List books, make one, or choose the one to use
    Books(BooksArgs),
    /// Record a transaction from a line of text
    Add(AddArgs),
    /// List transactions
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show a transaction
    Show(IdArgs),
    /// Change a transaction
    Edit(EditArgs),
    /// Post drafts
    Post(StateArgs),
    /// Record a transaction again, today
    Dup(DupArgs),
    /// Mark transactions as checked
    Check(StateArgs),
    /// Remove the mark of checked transactions
    Uncheck(StateArgs),
    /// Move transactions to the trash
    Trash(StateArgs),
    /// Restore transactions from the trash
    Untrash(StateArgs),
    /// Show balances
    Bal(BalArgs),
    /// Show the register of an account, with its running balance
    Reg(RegArgs),
    /// Trial balance
    Tb(ReportArgs),
    /// Balance sheet
    Bs(ReportArgs),
    /// Income statement
    Is(ReportArgs),
    /// Cash flow
    Cf(ReportArgs),
    /// General ledger
    Gl(ReportArgs),
    /// List the changes after an event
    Changes(ReportArgs),
    /// List drafts, what each lacks, and the command that completes it
    Drafts,
    /// List accounts
    Accounts,
    /// Show who changed a transaction, and what
    History(IdArgs),
    /// Compare an account with its bank statement
    Reconcile(ReconcileArgs),
    /// Import a file of a bank
    Import(ImportArgs),
    /// Export the book
    Export(ExportArgs),
    /// Audit the book, and check the chain of its events
    Verify,
    /// Follow the events of the book
    Events(EventsArgs),
    /// Send any request of the API
    Api(ApiArgs),
    /// Make a book with two years of a household, to look at
    Demo(DemoArgs),
    /// Print the completions of a shell
    Completion(CompletionArgs),
    /// Write the manual pages
    #[command(hide = true)]
    Manual(ManualArgs),
}
