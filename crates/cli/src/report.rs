//! `dbk bal` and the reports.

use std::path::PathBuf;

use clap::Args;
use daybook_client::parameters::{GetBalances, GetReport};
use daybook_client::types::{
    AccountBalances, GroupBalances, Report, ReportColumn, ReportColumnKind, ReportFormat,
    ReportKind, ReportRowKind,
};
use daybook_client::{Amount, Slice};

use crate::failure::{Failure, Result};
use crate::output::Format;
use crate::session::{OpenBook, Session};
use crate::table::{Kind, Look, Table};

/// The options of `dbk bal`.
#[derive(Debug, Args)]
pub(crate) struct BalArgs {
    /// Query, such as `group:Assets` or `on:2026`; by default the balances of today
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// Balances at the end of this day
    #[arg(long, value_name = "DAY", allow_hyphen_values = true)]
    as_of: Option<String>,
    /// A column for each month
    #[arg(short = 'M', long, conflicts_with = "yearly")]
    monthly: bool,
    /// A column for each year
    #[arg(short = 'Y', long)]
    yearly: bool,
    /// Levels of groups to show
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Also accounts without balance
    #[arg(short = 'E', long)]
    empty: bool,
}

/// The options of reports.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Hashtags, `account:` and `group:` terms
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// 2026, 2026-03, 2026-Q2, a day, DAY..DAY or FY2026, the default
    #[arg(short, long)]
    period: Option<String>,
    /// A column for each month
    #[arg(short = 'M', long, conflicts_with_all = ["quarterly", "yearly"])]
    monthly: bool,
    /// A column for each quarter
    #[arg(short = 'Q', long, conflicts_with = "yearly")]
    quarterly: bool,
    /// A column for each year
    #[arg(short = 'Y', long)]
    yearly: bool,
    /// Compare with a period, or with the book of this id
    #[arg(long, value_name = "PERIOD")]
    compare: Option<String>,
    /// Levels of groups to show
    #[arg(long, value_name = "N")]
    depth: Option<String>,
    /// Also accounts without balance and movements
    #[arg(short = 'E', long)]
    empty: bool,
    /// Of `changes`: the event, by number or RFC 3339 time, before the first
    #[arg(long, value_name = "EVENT")]
    after: Option<String>,
    /// Write to a file: .csv, .xlsx, .html or .json
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Shows balances as a tree of groups.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn bal(session: &Session, args: BalArgs) -> Result {
    let book = session.book().await?;
    let asked = crate::query::join(&args.query);
    let has = |keys: &[&str]| {
        let terms = || asked.split_whitespace();
        keys.iter().any(|key| terms().any(|term| term.starts_with(key)))
    };
    let mut query = asked.clone();
    let mut add = |term: &str| {
        query = format!("{query} {term}").trim_start().to_owned();
    };
    let end = match &args.as_of {
        Some(day) => Some(book.read_day(day)?),
        None if has(&["on:", "after:", "before:"]) => None,
        None => Some(book.today()),
    };
    if let Some(end) = end {
        add(&format!("before:{}", day_after(end)?));
    }
    let has_columns = args.monthly || args.yearly || has(&["by:"]);
    if args.monthly {
        add("by:m");
    } else if args.yearly || !has_columns {
        // Without it the response would have a slice for each day.
        add("by:y");
    }
    let request = book.handle.get_balances(&query, &GetBalances::default());
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let balances = request.await?;
    session.output.warn_of_query(&query, &balances.warnings);
    let mut tree = Tree { book: &book, args: &args, lines: Vec::new(), slices: has_columns };
    for group in balances.group_balances.iter().flatten() {
        tree.add_group(group, 0);
    }
    for account in balances.account_balances.iter().flatten() {
        tree.add_account(account, 0);
    }
    session.output.table(&tree.into_table())
}

fn day_after(day: daybook_client::Date) -> Result<String> {
    let day: Result<jiff::civil::Date, _> = day.to_string().parse();
    let next = day.and_then(|day| day.tomorrow());
    next.map(|day| day.strftime("%Y-%m-%d").to_string())
        .map_err(|error| Failure::usage(format!("invalid day: {error}")))
}

/// The lines of the balances.
struct Tree<'a> {
    book: &'a OpenBook,
    args: &'a BalArgs,
    lines: Vec<Line>,
    slices: bool,
}

/// A line: a group or an account.
struct Line {
    depth: usize,
    name: String,
    look: Look,
    total: Amount,
    slices: Vec<(String, Amount)>,
}

impl Tree<'_> {
    fn add_group(&mut self, group: &GroupBalances, depth: usize) {
        let is_empty = group.cumulative_credit.is_zero() && group.cumulative_debit.is_zero();
        if (is_empty && !self.args.empty) || self.is_below(depth) {
            return;
        }
        self.lines.push(Line {
            depth,
            name: group.name.clone(),
            look: Look::Strong,
            total: group.cumulative(),
            slices: named(group.slices(), group.permanent),
        });
        let below = depth.saturating_add(1);
        group.group_balances.iter().flatten().for_each(|group| self.add_group(group, below));
        group.account_balances.iter().flatten().for_each(|one| self.add_account(one, below));
    }

    fn add_account(&mut self, account: &AccountBalances, depth: usize) {
        let is_empty = account.cumulative().is_zero() && account.period().is_zero();
        if (is_empty && !self.args.empty) || self.is_below(depth) {
            return;
        }
        self.lines.push(Line {
            depth,
            name: account.name.clone(),
            look: Look::Plain,
            total: account.cumulative(),
            slices: named(account.slices(), account.permanent),
        });
    }

    fn is_below(&self, depth: usize) -> bool {
        self.args.depth.is_some_and(|limit| depth >= limit)
    }

    fn into_table(self) -> Table {
        let mut table = Table::new(&[("Account", Kind::Text)]);
        let mut periods: Vec<String> = Vec::new();
        if self.slices {
            periods = self
                .lines
                .iter()
                .flat_map(|line| &line.slices)
                .map(|(key, _)| key.clone())
                .collect();
            periods.sort();
            periods.dedup();
            periods.iter().for_each(|period| table.add_column(period, Kind::Amount));
        } else {
            table.add_column("Balance", Kind::Amount);
        }
        for line in &self.lines {
            let mut cells = vec![format!("{}{}", "  ".repeat(line.depth), line.name)];
            if self.slices {
                cells.extend(periods.iter().map(|period| {
                    let found = line.slices.iter().find(|(key, _)| key == period);
                    self.book.money(found.map(|(_, amount)| *amount).unwrap_or_default())
                }));
            } else {
                cells.push(self.book.money(line.total));
            }
            table.add_looking(line.look, cells);
        }
        table
    }
}

/// Returns the amounts by period.
///
/// They are the balances of permanent accounts, and the movements of others.
fn named(slices: impl Iterator<Item = Slice>, is_permanent: bool) -> Vec<(String, Amount)> {
    let of = |slice: Slice| {
        let key = match (slice.month, slice.day) {
            (Some(month), Some(day)) => format!("{}-{month:02}-{day:02}", slice.year),
            (Some(month), None) => format!("{}-{month:02}", slice.year),
            (None, _) => slice.year.to_string(),
        };
        (key, if is_permanent { slice.cumulative } else { slice.period })
    };
    slices.map(of).collect()
}

/// Shows a report, or writes it to a file.
///
/// # Errors
/// When the server refuses, or a control of the report does not hold.
pub(crate) async fn run(session: &Session, report: ReportKind, args: ReportArgs) -> Result {
    let book = session.book().await?;
    let columns = [(args.monthly, "month"), (args.quarterly, "quarter"), (args.yearly, "year")];
    let query = crate::query::join(&args.query);
    let mut parameters = GetReport {
        period: args.period,
        after: args.after,
        compare: args.compare,
        columns: columns.iter().find(|(is, _)| *is).map(|(_, name)| (*name).to_owned()),
        depth: args.depth,
        query: (!query.is_empty()).then_some(query),
        zeros: args.empty.then(|| "true".to_owned()),
        ..GetReport::default()
    };
    if let Some(path) = args.output {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = ReportFormat::from(extension.unwrap_or_default());
        if matches!(format, ReportFormat::Other(_)) {
            let accepted = "expected .csv, .xlsx, .html or .json";
            return Err(Failure::usage(format!("{}: {accepted}", path.display())));
        }
        parameters.format = Some(format);
        let bytes = book.handle.get_report(&report, &parameters).into_bytes().await?;
        std::fs::write(&path, bytes).map_err(|error| Failure::io(path.display(), &error))?;
        session.output.say(&format!("wrote {}", path.display()));
        return Ok(());
    }
    match session.output.format {
        Format::Json => {
            let text = book.handle.get_report(&report, &parameters).into_text().await?;
            session.output.line(text.trim_end())
        }
        Format::Csv => {
            parameters.format = Some(ReportFormat::Csv);
            let text = book.handle.get_report(&report, &parameters).into_text().await?;
            session.output.text(&text)
        }
        Format::Table | Format::Tsv => {
            let report = book.handle.get_report(&report, &parameters).await?;
            show(session, &book, &report)
        }
    }
}

/// Columns that tables leave out, to have space for the texts.
const HIDDEN: [&str; 6] = ["id", "checked", "files", "app", "recordedBy", "recordedAt"];

fn show(session: &Session, book: &OpenBook, report: &Report) -> Result {
    let mut table = Table::new(&[]);
    let is_table = session.output.format == Format::Table;
    let is_shown = |column: &ReportColumn| !is_table || !HIDDEN.contains(&column.key.as_str());
    for column in report.columns.iter().filter(|column| is_shown(column)) {
        let over = column.over.as_ref().map(|over| format!("{over} ")).unwrap_or_default();
        let label = format!("{over}{}", column.label);
        table.add_column(
            if over.is_empty() { label } else { label.to_lowercase() },
            kind_of(&column.kind),
        );
    }
    for row in &report.rows {
        let depth = usize::try_from(row.depth).unwrap_or_default();
        let columns = row.cells.iter().zip(&report.columns);
        let columns = columns.filter(|(_, column)| is_shown(column)).enumerate();
        let cells = columns.map(|(index, (cell, column))| match () {
            () if column.kind == ReportColumnKind::Amount => book.localized(cell.clone()),
            () if column.kind == ReportColumnKind::Instant && is_table => book.minute(cell),
            () if index == 0 => format!("{}{cell}", "  ".repeat(depth)),
            () => cell.clone(),
        });
        let is_plain = matches!(row.kind, ReportRowKind::Line | ReportRowKind::Entry);
        let look = if is_plain { Look::Plain } else { Look::Strong };
        table.add_looking(look, cells.collect());
    }
    session.output.caption(&format!("{} - {}", report.title, report.book.name))?;
    session.output.caption(&format!("{}\n", report.period.text))?;
    session.output.table(&table)?;
    let mut notes = report.notes.clone();
    if report.omitted_drafts > 0 {
        notes.push(format!("drafts not counted: {}", report.omitted_drafts));
    }
    notes.push(format!("as of event {}", report.last_event.sequence));
    session.output.caption(&format!("\n{}", notes.join("; ")))?;
    let broken: Vec<_> = report.controls.iter().filter(|control| !control.holds).collect();
    for control in &broken {
        eprintln!("error: {}: {} and {}", control.label, control.left, control.right);
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::different()),
    }
}

fn kind_of(kind: &ReportColumnKind) -> Kind {
    let is = |kinds: &[ReportColumnKind]| kinds.contains(kind);
    match () {
        () if is(&[
            ReportColumnKind::Amount,
            ReportColumnKind::Percent,
            ReportColumnKind::Number,
        ]) =>
        {
            Kind::Amount
        }
        () if is(&[ReportColumnKind::Date, ReportColumnKind::Instant]) => Kind::Key,
        () => Kind::Text,
    }
}
