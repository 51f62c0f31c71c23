//! `dbk export`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};

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

impl ExportFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Hledger => "hledger",
            Self::Beancount => "beancount",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Zip => "zip",
        }
    }
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
    let mut path = format!("/v5/books/{}/export?format={}", book.choice.id, args.kind.name());
    let query = crate::query::join(&args.query);
    if !query.is_empty() {
        path = format!("{path}&query={}", encode(&query));
    }
    if args.excel {
        path.push_str("&excel=true");
    }
    let progress = Mutex::new(session.output.progress("received"));
    let show = move |received, total| {
        progress.lock().unwrap_or_else(PoisonError::into_inner).set_bytes(received, total);
    };
    let bytes = session.client.raw("GET", &path, None)?.on_progress(show).into_bytes().await?;
    let Some(file) = args.output else { return session.output.bytes(&bytes) };
    std::fs::write(&file, &bytes).map_err(|error| Failure::io(file.display(), &error))?;
    let size = counted(bytes.len(), "byte");
    session.output.say(&format!("wrote {} ({size})", file.display()));
    Ok(())
}

/// Percent-encodes a value of a query string.
pub(crate) fn encode(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}
