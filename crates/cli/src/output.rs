//! Where results and messages go.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::{Command, Stdio};

use clap::ValueEnum;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::progress::{ERASE, Progress};
use crate::table::Table;

/// The width of a table when nothing says otherwise.
const DEFAULT_WIDTH: usize = 80;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns
    Table,
    /// Columns separated by tabs, without titles
    Tsv,
    /// Comma-separated values
    Csv,
    /// The JSON of the API
    Json,
}

/// Prints results on the standard output, and messages on the standard error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// How results are printed.
    pub(crate) format: Format,
    is_quiet: bool,
    has_color: bool,
    /// Width and height of the terminal, if the standard output is one.
    screen: Option<(usize, usize)>,
    uses_pager: bool,
    /// Whether the standard error is a terminal that shows progress.
    shows_progress: bool,
}

impl Output {
    /// Looks at the terminal and the environment.
    pub(crate) fn new(format: Option<Format>, is_quiet: bool, uses_pager: bool) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let screen = terminal_size::terminal_size_of(std::io::stdout())
            .map(|(width, height)| (usize::from(width.0), usize::from(height.0)));
        let format = format.unwrap_or(if is_terminal { Format::Table } else { Format::Tsv });
        Self {
            format,
            is_quiet,
            has_color: is_terminal && !is_dumb && !is_set("NO_COLOR"),
            screen,
            uses_pager: uses_pager && is_terminal && !is_set("NO_PAGER"),
            shows_progress: !is_quiet && !is_dumb && std::io::stderr().is_terminal(),
        }
    }

    /// Returns whether results are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Returns the width of tables.
    fn width(&self) -> usize {
        let named = std::env::var_os("COLUMNS")
            .and_then(|columns| columns.to_str().and_then(|columns| columns.parse().ok()));
        self.screen.map(|(width, _)| width).or(named).unwrap_or(DEFAULT_WIDTH)
    }

    /// Prints a table.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn table(&self, table: &Table) -> Result {
        match self.format {
            Format::Tsv => self.text(&table.to_tsv()),
            Format::Csv => self.text(&table.to_csv()),
            Format::Table | Format::Json if table.is_empty() => Ok(()),
            Format::Table | Format::Json => self.text(&table.to_text(self.width(), self.has_color)),
        }
    }

    /// Prints a line that belongs to a table, in the format of tables alone.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn caption(&self, text: &str) -> Result {
        if self.format == Format::Table { self.line(text) } else { Ok(()) }
    }

    /// Prints a value as JSON.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn json<T: Serialize>(&self, value: &T) -> Result {
        let text = serde_json::to_string_pretty(value);
        self.line(&text.map_err(|error| Failure::new(error.to_string()))?)
    }

    /// Prints a line.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn line(&self, text: &str) -> Result {
        self.text(&format!("{text}\n"))
    }

    /// Prints a text, with a pager if it is higher than the screen.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn text(&self, text: &str) -> Result {
        let is_high = self.screen.is_some_and(|(_, height)| text.lines().count() >= height);
        if self.uses_pager && is_high && page(text) {
            return Ok(());
        }
        self.bytes(text.as_bytes())
    }

    /// Writes bytes. A reader that has closed the pipe has read enough.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result {
        let mut out = std::io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::io("the output cannot be written", &error))
            }
            _ => Ok(()),
        }
    }

    /// Prints a message for the person, unless `--quiet` was given.
    pub(crate) fn say(&self, message: &str) {
        if !self.is_quiet {
            eprintln!("{message}");
        }
    }

    /// Prints a message like [`say`](Self::say) while progress may be shown.
    pub(crate) fn interrupt(&self, message: &str) {
        let erase = if self.shows_progress { ERASE } else { "" };
        self.say(&format!("{erase}{message}"));
    }

    /// Returns a line for the progress of a command. It shows nothing except on a terminal.
    pub(crate) const fn progress(&self, what: &'static str) -> Progress {
        Progress::new(what, self.shows_progress)
    }

    /// Prints the warnings of a query, with a mark below the term.
    pub(crate) fn warn_of_query(&self, query: &str, warnings: &[String]) {
        for warning in warnings {
            eprintln!("{}", mark(query, warning));
        }
    }
}

/// Writes a count with its noun, such as `1 event` or `2 hashes`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = match (count == N::from(1_u8), noun.ends_with("sh")) {
        (true, _) => "",
        (false, true) => "es",
        (false, false) => "s",
    };
    format!("{count} {noun}{ending}")
}

/// Shows a text in the pager. Returns whether there is one.
fn page(text: &str) -> bool {
    let pager = std::env::var_os("PAGER").filter(|pager| !pager.is_empty());
    let mut command = match pager {
        Some(pager) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(pager);
            shell
        }
        None => Command::new("less"),
    };
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        // The person may leave the pager before the end.
        let _ = input.write_all(text.as_bytes());
    }
    // The shell ends with 127 if it does not find the pager.
    pager.wait().is_ok_and(|status| status.code() != Some(127))
}

/// Marks the term of a warning such as `on:2013-02-30: not a date` in its query.
fn mark(query: &str, warning: &str) -> String {
    let found = warning.match_indices(": ").filter_map(|(end, _)| {
        let (term, problem) = (warning.get(..end)?, warning.get(end.saturating_add(2)..)?);
        Some((query.find(term)?, term, problem))
    });
    let Some((start, term, problem)) = found.last() else { return format!("warning: {warning}") };
    let before = unicode_width::UnicodeWidthStr::width(query.get(..start).unwrap_or_default());
    let carets = unicode_width::UnicodeWidthStr::width(term).max(1);
    format!("warning: {problem}\n  {query}\n  {}{}", " ".repeat(before), "^".repeat(carets))
}

#[cfg(test)]
mod tests {
    use super::{counted, mark};

    #[test]
    fn one_has_no_plural() {
        assert_eq!(counted(1_u64, "transaction"), "1 transaction");
        assert_eq!(counted(0_i64, "record"), "0 records");
        assert_eq!(counted(1_usize, "hash"), "1 hash");
        assert_eq!(counted(2_usize, "hash"), "2 hashes");
    }

    #[test]
    fn term_of_a_warning_is_marked() {
        assert_eq!(
            mark("größer on:2013-02-30", "on:2013-02-30: not a date"),
            "warning: not a date\n  größer on:2013-02-30\n         ^^^^^^^^^^^^^"
        );
        assert_eq!(mark("a", "too deep"), "warning: too deep");
    }
}
