//! `dbk export`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use daybook_client::parameters::ExportBook;
use daybook_client::types;

use crate::failure::{Failure, Result};
use crate::output::counted;
use crate::session::Session;

/// The options of `dbk export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Format of the file
    #[arg(value_name = "FORMAT")]
    kind: ExportFormat,
    /// Query; by default the whole book
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// Write to a file; by default the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// CSV with a byte order mark and the separators of the book
    #[arg(long)]
    excel: bool,
}

/// A format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// One JSON object a line, with everything that a copy needs
    Jsonl,
    /// A journal of hledger
    Hledger,
    /// A ledger of Beancount
    Beancount,
    /// Comma-separated values
    Csv,
    /// A workbook
    Xlsx,
    /// The book and the bytes of its files
    Zip,
}

/// Exports the book in use.
///
/// # Errors
/// When the server refuses, or the file cannot be written.
pub(crate) async fn run(session: &Session, args: ExportArgs) -> Result {
    let book = session.book().await?;
    let is_binary = matches!(args.kind, ExportFormat::Xlsx | ExportFormat::Zip);
    if is_binary && args.output.is_none() {
        return Err(Failure::usage("a binary file needs --output FILE"));
    }
    let format = args.kind.to_possible_value();
    let query = crate::query::join(&args.query);
    let parameters = ExportBook {
        format: format.map(|format| types::ExportFormat::from(format.get_name())),
        query: Some(query).filter(|query| !query.is_empty()),
        excel: args.excel.then_some(true),
    };
    let progress = Mutex::new(session.output.progress("received"));
    let show = move |received, total| {
        progress.lock().unwrap_or_else(PoisonError::into_inner).set_bytes(received, total);
    };
    let bytes = book.handle.export_book(&parameters).on_progress(show).await?;
    let Some(file) = args.output else { return session.output.bytes(&bytes) };
    std::fs::write(&file, &bytes).map_err(|error| Failure::io(file.display(), &error))?;
    let size = counted(bytes.len(), "byte");
    session.output.say(&format!("wrote {} ({size})", file.display()));
    Ok(())
}
