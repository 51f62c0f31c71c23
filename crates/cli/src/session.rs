//! The session of a command: the client, the book in use, and the output.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use daybook_client::parameters::ListBooks;
use daybook_client::types::{self, BookDecimalSeparator};
use daybook_client::{Amount, Book, CLI_CLIENT_ID, Client, ClientBuilder, Date, Retry};

use crate::config::{BookChoice, ConfigFile, DEFAULT_SERVER, ServerEntry};
use crate::failure::{CHOOSE_BOOK, Failure, Result};
use crate::output::{Format, Output};

/// The options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of all commands")]
pub(crate) struct Globals {
    /// Address of the server
    #[arg(long, global = true, env = "DBK_SERVER", value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Book, by name or id; by default that of `dbk books use`
    #[arg(short, long, global = true, env = "DBK_BOOK", value_name = "BOOK")]
    pub(crate) book: Option<String>,
    /// Access token of this command
    #[arg(long, global = true, env = "DBK_TOKEN", hide = true, hide_env_values = true)]
    pub(crate) access_token: Option<String>,
    /// Configuration file
    #[arg(long, global = true, env = "DBK_CONFIG", value_name = "FILE", hide = true)]
    pub(crate) config: Option<PathBuf>,
    /// Format of the output; by default `table` on a terminal, else `tsv`
    #[arg(long, global = true, env = "DBK_FORMAT", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// The JSON of the API, as `--format json`
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Comma-separated values, as `--format csv`
    #[arg(long, global = true, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print results and errors alone
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Do not use a pager
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Never ask; take the defaults
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// The day that counts as today
    #[arg(long, global = true, env = "DBK_TODAY", value_name = "DATE", hide = true)]
    pub(crate) today: Option<Date>,
}

impl Globals {
    /// Returns the format that the options name.
    fn chosen_format(&self) -> Option<Format> {
        match (self.json, self.csv) {
            (true, _) => Some(Format::Json),
            (_, true) => Some(Format::Csv),
            _ => self.format,
        }
    }
}

/// A command that runs.
pub(crate) struct Session {
    /// The options of all commands.
    pub(crate) globals: Globals,
    /// The configuration.
    pub(crate) file: ConfigFile,
    /// Address of the server.
    pub(crate) server: String,
    /// Where results go.
    pub(crate) output: Output,
    /// The client, with the caller's token.
    pub(crate) client: Client,
}

impl Session {
    /// Reads the configuration, and makes the client. Nothing is sent.
    ///
    /// # Errors
    /// When the configuration cannot be read, or the address is invalid.
    pub(crate) fn open(globals: Globals) -> Result<Self> {
        let file = ConfigFile::read(globals.config.as_deref())?;
        let named = globals.server.clone().or_else(|| file.config.server.clone());
        let server = named.unwrap_or_else(|| DEFAULT_SERVER.to_owned());
        let server = server.trim_end_matches('/').to_owned();
        let output = Output::new(globals.chosen_format(), globals.quiet, !globals.no_pager);
        let entry = file.config.servers.get(&server);
        let mut builder = client_builder(&server, output);
        if let Some(token) = &globals.access_token {
            builder = builder.token(token);
        } else if let Some(tokens) = entry.and_then(|entry| entry.tokens.clone()) {
            let (changed, name) = (file.clone(), server.clone());
            builder = builder.tokens(CLI_CLIENT_ID, tokens, move |tokens| {
                let tokens = Some(tokens.clone());
                if let Err(failure) = changed.change(&name, |entry| entry.tokens = tokens) {
                    eprintln!("warning: the new tokens were not stored: {}", failure.message);
                }
            });
            // Another command may have renewed them, such as beside `dbk events follow`.
            let (path, name) = (file.path().to_owned(), server.clone());
            builder = builder.stored_tokens(move || {
                let stored = ConfigFile::read(Some(&path)).ok()?;
                stored.config.servers.get(&name)?.tokens.clone()
            });
        } else if let Some(token) = entry.and_then(|entry| entry.token.as_ref()) {
            builder = builder.token(token);
        }
        let client = builder.build()?;
        Ok(Self { globals, file, server, output, client })
    }

    /// Returns what the configuration knows of the server.
    pub(crate) fn entry(&self) -> Option<&ServerEntry> {
        self.file.config.servers.get(&self.server)
    }

    fn can_ask(&self) -> bool {
        !self.globals.no_input && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Returns whether a person is asked to confirm, unless an option has confirmed.
    ///
    /// # Errors
    /// When a person would be asked while results are JSON, which is for programs.
    pub(crate) fn asks_to_confirm(&self, is_confirmed: bool) -> Result<bool> {
        let asks = !is_confirmed && self.can_ask();
        if asks && self.output.is_json() {
            let failure = Failure::usage("no question is asked when results are JSON");
            return Err(failure.with_hint("--yes goes ahead, --dry-run shows what would happen"));
        }
        Ok(asks)
    }

    /// Asks for a line. Returns `None` at the end of the input.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub(crate) fn ask(&self, question: &str) -> Result<Option<String>> {
        eprint!("{question} ");
        // A question that cannot be shown is still answered.
        let _ = std::io::stderr().flush();
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        let read = read.map_err(|error| Failure::io("the answer cannot be read", &error))?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    /// Returns the book in use.
    ///
    /// # Errors
    /// When there is none, or the name is not that of one book.
    pub(crate) async fn book(&self) -> Result<OpenBook> {
        let choice = match &self.globals.book {
            Some(named) => self.find_book(named).await?,
            None => self
                .entry()
                .and_then(|entry| entry.book.clone())
                .ok_or_else(|| Failure::usage("no book is chosen").with_hint(CHOOSE_BOOK))?,
        };
        Ok(OpenBook {
            handle: self.client.book(&choice.id),
            choice,
            shows_comma: self.output.format == Format::Table,
            today: self.globals.today,
        })
    }

    /// Finds a book by its id, its name, or a part of its name that no other book has.
    ///
    /// # Errors
    /// When no book, or more than one, is meant.
    pub(crate) async fn find_book(&self, named: &str) -> Result<BookChoice> {
        let books = self.client.list_books(&ListBooks::default()).await?.items;
        let name = |book: &types::Book| book.name.clone().unwrap_or_default().to_lowercase();
        let wanted = named.to_lowercase();
        let by_id = books.iter().filter(|book| book.id.as_deref() == Some(named));
        let by_name = books.iter().filter(|book| name(book) == wanted);
        let by_part = books.iter().filter(|book| name(book).contains(&wanted));
        for found in [by_id.collect::<Vec<_>>(), by_name.collect(), by_part.collect()] {
            match found.as_slice() {
                [] => {}
                [book] => return Ok(choice(book)),
                [first, second, ..] => {
                    let shown = |book: &types::Book| {
                        let (id, name) = (&book.id, &book.name);
                        format!("{} {}", id.as_deref().unwrap_or(""), name.as_deref().unwrap_or(""))
                    };
                    let message = format!("several books are called {named:?}: ");
                    let message = message + &shown(first) + ", " + &shown(second);
                    return Err(Failure::usage(message).with_hint("name the book by its id"));
                }
            }
        }
        Err(Failure::not_found(format!("no book {named:?}")).with_hint("dbk books"))
    }
}

/// Begins the settings of a client of a server.
pub(crate) fn client_builder(server: &str, output: Output) -> ClientBuilder {
    Client::builder(server)
        .user_agent(concat!("dbk/", env!("CARGO_PKG_VERSION")))
        .agent_id("dbk")
        .on_retry(move |retry: &Retry| output.interrupt(&repetition(retry)))
}

/// Says that a request is repeated.
fn repetition(retry: &Retry) -> String {
    let key = if retry.operation.starts_with("GET ") { "" } else { " with the same key" };
    let pause = retry.pause.as_millis();
    format!("{}: {}\nrepeating{key} in {pause} ms", retry.operation, retry.cause)
}

/// Returns what is kept of a book.
pub(crate) fn choice(book: &types::Book) -> BookChoice {
    BookChoice {
        id: book.id.clone().unwrap_or_default(),
        name: book.name.clone().unwrap_or_default(),
        digits: book.fraction_digits.and_then(|digits| u32::try_from(digits).ok()).unwrap_or(2),
        has_comma: book.decimal_separator == Some(BookDecimalSeparator::Comma),
        zone: book.time_zone.clone().unwrap_or_default(),
    }
}

/// The book of a command.
pub(crate) struct OpenBook {
    /// The handle for requests.
    pub(crate) handle: Book,
    /// Its name and settings.
    pub(crate) choice: BookChoice,
    shows_comma: bool,
    today: Option<Date>,
}

impl OpenBook {
    /// Writes an amount with the decimal places of the book.
    ///
    /// In tables it has the decimal separator of the book.
    pub(crate) fn money(&self, amount: Amount) -> String {
        let text = amount.with_decimals(self.choice.digits).unwrap_or(amount).to_string();
        self.localized(text)
    }

    /// Replaces the decimal point by the separator of the book in tables.
    pub(crate) fn localized(&self, amount: String) -> String {
        if self.shows_comma && self.choice.has_comma { amount.replace('.', ",") } else { amount }
    }

    /// Reads an amount with either separator.
    ///
    /// # Errors
    /// When the text is not an amount.
    pub(crate) fn read_amount(&self, text: &str) -> Result<Amount> {
        let plain = if text.contains('.') { text.to_owned() } else { text.replace(',', ".") };
        plain.parse().map_err(|error| Failure::usage(format!("invalid amount {text:?}: {error}")))
    }

    /// Writes a time in milliseconds to the minute, in the zone of the book.
    pub(crate) fn minute(&self, milliseconds: &str) -> String {
        let time =
            milliseconds.parse().ok().and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
        let zone = jiff::tz::TimeZone::get(&self.choice.zone).unwrap_or(jiff::tz::TimeZone::UTC);
        match time {
            Some(time) => time.to_zoned(zone).strftime("%Y-%m-%d %H:%M").to_string(),
            None => milliseconds.to_owned(),
        }
    }

    /// Returns today's date in the zone of the book.
    pub(crate) fn today(&self) -> Date {
        self.today.unwrap_or_else(|| crate::clock::today_in(&self.choice.zone))
    }

    /// Reads a day: `2026-01-31`, `today`, `yesterday`, or `-3` for three days ago.
    ///
    /// # Errors
    /// When the text is not a day.
    pub(crate) fn read_day(&self, text: &str) -> Result<Date> {
        let ago = match text {
            "today" => Some(0),
            "yesterday" => Some(1),
            _ => text.strip_prefix('-').and_then(|days| days.parse::<i64>().ok()),
        };
        let invalid = || {
            let accepted = "expected yyyy-mm-dd, today, yesterday or -DAYS";
            Failure::usage(format!("invalid day {text:?}: {accepted}"))
        };
        let Some(days) = ago else { return text.parse().map_err(|_| invalid()) };
        self.days_after(days.saturating_neg()).ok_or_else(invalid)
    }

    /// Returns the day some days after today.
    pub(crate) fn days_after(&self, days: i64) -> Option<Date> {
        let today: jiff::civil::Date = self.today().to_string().parse().ok()?;
        let span = jiff::Span::new().try_days(days).ok()?;
        today.checked_add(span).ok()?.to_string().parse().ok()
    }
}
