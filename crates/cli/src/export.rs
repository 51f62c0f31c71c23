//! `dbk export`.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use daybook_client::parameters::ExportBook;
use daybook_client::{Error, Request, types};

use crate::failure::{Failure, INTERRUPTED, Result};
use crate::new_file::NewFile;
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
    let request = book.handle.export_book(&parameters).on_progress(show);
    match args.output {
        Some(path) => write_file(session, request, &path).await,
        None => print(request).await,
    }
}

/// Writes an export to a file as it arrives. A file at the path stays until it is complete.
async fn write_file(session: &Session, request: Request<Vec<u8>>, path: &Path) -> Result {
    let failure = |error: io::Error| Failure::io(path.display(), &error);
    let response = tokio::select! {
        response = request.write_to(|| NewFile::create(path)) => response,
        // By default the signal ends the process, and the incomplete file would stay.
        Ok(()) = tokio::signal::ctrl_c() => {
            return Err(Failure::new("interrupted").with_code(INTERRUPTED));
        }
    };
    let file = match response {
        Ok(response) => response.value,
        Err(Error::File(error)) => return Err(failure(error)),
        Err(error) => return Err(error.into()),
    };
    let size = counted(file.finish().map_err(failure)?, "byte");
    session.output.say(&format!("wrote {} ({size})", path.display()));
    Ok(())
}

/// Prints an export as it arrives. A reader that has closed the pipe has read enough.
async fn print(request: Request<Vec<u8>>) -> Result {
    let has_begun = Cell::new(false);
    let open = || match has_begun.get() {
        false => Ok(Printed { has_begun: &has_begun }),
        true => Err(io::Error::other("the connection broke, and a part is printed already")),
    };
    let printed = match request.write_to(open).await {
        Ok(mut response) => response.value.flush(),
        Err(Error::File(error)) => Err(error),
        Err(error) => return Err(error.into()),
    };
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let failure = Failure::io("the output cannot be written", &error);
            Err(failure.with_hint("--output FILE writes a file, and can begin again"))
        }
        _ => Ok(()),
    }
}

/// The standard output.
struct Printed<'a> {
    /// Whether something is printed.
    has_begun: &'a Cell<bool>,
}

impl Write for Printed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.has_begun.set(true);
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
