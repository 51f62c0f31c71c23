//! The `daybook` command.

mod address;
mod admin;
mod admission;
mod api_key;
mod audited;
mod backup;
mod checkpoint;
mod cli;
mod clock;
mod compat;
mod coordinator;
mod disk;
mod doctor;
mod files;
mod first_user;
mod health;
mod installation;
mod key;
mod keys;
mod limit;
mod log;
mod mail;
mod manual;
mod metrics;
mod migrate;
mod outbox;
mod plural;
mod private;
mod progress;
mod rate;
mod registries;
mod relocation;
mod replicas;
mod serve;
mod smtp;
mod storage_quota;
mod systemd;
mod user;
mod verify;
mod webhook;
mod worker;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let is_verify = cli.command.is_verify();
    run(cli).unwrap_or_else(|error| {
        // The log may not have been started.
        let _ = writeln!(std::io::stderr(), "daybook: {error:#}");
        if is_verify { ExitCode::from(verify::UNKNOWN) } else { ExitCode::FAILURE }
    })
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    private::keep_files_private();
    let result = match cli.command {
        Command::Serve(options) => serve::run(&options),
        Command::Migrate(options) => migrate::run(&options),
        Command::Token(options) => admin::token(*options),
        Command::Login(options) => admin::login(&options),
        Command::User(options) => user::run(options),
        Command::Book(options) => admin::book(options),
        Command::Keys(options) => keys::run(options),
        Command::Outbox(options) => outbox::run(options),
        Command::Webhooks(options) => webhook::run(options),
        Command::Key(options) => api_key::run(options),
        Command::Checkpoint(options) => checkpoint::run(&options),
        Command::Health(options) => health::run(&options),
        Command::Manual(options) => manual::pages(&options, Cli::command()),
        Command::Completion(options) => manual::completion(&options, Cli::command()),
        Command::Move(options) => relocation::run(&options),
        Command::Backup(options) => return backup::run(options),
        Command::Restore(options) => backup::restore(&options),
        Command::Verify(options) => return verify::run(&options),
        Command::Doctor(options) => return doctor::run(&options),
    };
    result.map(|()| ExitCode::SUCCESS)
}
