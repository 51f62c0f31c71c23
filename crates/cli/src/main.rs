//! `dbk`, the command line of Daybook for people.

mod books;
mod cli;
mod clock;
mod config;
mod demo;
mod edit;
mod entry;
mod events;
mod export;
mod failure;
mod hint;
mod import;
mod import_decisions;
mod import_options;
mod import_rules;
mod lock;
mod manual;
mod new_file;
mod output;
mod progress;
mod query;
mod raw;
mod reconcile;
mod report;
mod rows;
mod session;
mod sign_in;
mod state;
mod table;
mod transaction;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use daybook_client::types::ReportKind;

use crate::cli::{Cli, Command};
use crate::failure::{Failure, Result};
use crate::session::{Globals, Session};
use crate::state::Change;

fn main() -> ExitCode {
    let Cli { globals, command } = Cli::parse();
    let done = if let Command::Completion(args) = &command {
        manual::completion(args, &mut Cli::command())
    } else if let Command::Manual(args) = &command {
        manual::pages(args, Cli::command())
    } else {
        start(globals, command)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                // One write: what a terminal echoes meanwhile is not written into the line.
                let line = format!("error: {}\n", failure.message);
                eprint!("{line}");
            }
            if let Some(hint) = &failure.hint {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Opens a session, and runs a command in it.
fn start(globals: Globals, command: Command) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::io("the runtime cannot start", &error))?;
    let session = Session::open(globals)?;
    // The users of `dbk api` know the fields of the API.
    let has_fields = matches!(command, Command::Api(_));
    runtime.block_on(async {
        match run(&session, command).await {
            Ok(()) => Ok(()),
            Err(failure) if has_fields => Err(failure),
            Err(failure) => Err(hint::explain(&session, failure.in_words()).await),
        }
    })
}

/// Runs a command.
async fn run(session: &Session, command: Command) -> Result {
    match command {
        Command::Login(args) => sign_in::login(session, args).await,
        Command::Logout => sign_in::logout(session).await,
        Command::Whoami => sign_in::whoami(session).await,
        Command::Books(args) => books::run(session, args).await,
        Command::Add(args) => entry::add(session, args).await,
        Command::List(args) => rows::list(session, args).await,
        Command::Show(args) => rows::show(session, &args.id).await,
        Command::Edit(args) => edit::edit(session, args).await,
        Command::Dup(args) => edit::dup(session, args).await,
        Command::Post(args) => state::apply(session, Change::Post, args).await,
        Command::Check(args) => state::apply(session, Change::Check, args).await,
        Command::Uncheck(args) => state::apply(session, Change::Uncheck, args).await,
        Command::Trash(args) => state::apply(session, Change::Trash, args).await,
        Command::Untrash(args) => state::apply(session, Change::Untrash, args).await,
        Command::Bal(args) => report::bal(session, args).await,
        Command::Reg(args) => rows::reg(session, args).await,
        Command::Tb(args) => report::run(session, ReportKind::TrialBalance, args).await,
        Command::Bs(args) => report::run(session, ReportKind::BalanceSheet, args).await,
        Command::Is(args) => report::run(session, ReportKind::IncomeStatement, args).await,
        Command::Cf(args) => report::run(session, ReportKind::CashFlow, args).await,
        Command::Gl(args) => report::run(session, ReportKind::GeneralLedger, args).await,
        Command::Changes(args) => report::run(session, ReportKind::Changes, args).await,
        Command::Drafts => rows::drafts(session).await,
        Command::Accounts => rows::accounts(session).await,
        Command::History(args) => verify::history(session, &args.id).await,
        Command::Reconcile(args) => reconcile::run(session, args).await,
        Command::Import(args) => import::run(session, args).await,
        Command::Export(args) => export::run(session, args).await,
        Command::Verify => verify::run(session).await,
        Command::Events(args) => events::run(session, args).await,
        Command::Api(args) => raw::run(session, args).await,
        Command::Demo(args) => demo::run(session, args).await,
        // These need no session.
        Command::Completion(_) | Command::Manual(_) => Ok(()),
    }
}
