//! The options of `dbk import`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use daybook_client::parameters::CreateImport;
use daybook_client::types::{
    BookDecimalSeparator, ImportCommodities, ImportConfirmation, ImportDateOrder, ImportTarget,
    ImportVirtualPostings,
};

use crate::failure::{Failure, Result};
use crate::import_decisions::read_decisions;

/// The options of `dbk import`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ImportCommand>,
    /// File of the bank (CSV, OFX, QFX, QIF, CAMT or MT940), or a journal
    #[arg(required = true)]
    pub(crate) file: Option<PathBuf>,
    /// Account whose statement the file is
    #[arg(short, long)]
    account: Option<String>,
    /// Rules for CSV: a file here, or the id of a file of the book
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<String>,
    /// Order of day and month, where the file does not show it
    #[arg(long)]
    date_order: Option<DateOrder>,
    /// Decimal mark, where the file does not show it
    #[arg(long)]
    decimal_mark: Option<DecimalMark>,
    /// Character encoding, such as windows-1252, where the file does not show it
    #[arg(long)]
    encoding: Option<String>,
    /// Sheet of a workbook, instead of the first one with a known header
    #[arg(long)]
    sheet: Option<String>,
    /// Record a journal in this book, and not in a new one
    #[arg(long)]
    here: bool,
    /// Name of the source of a journal. Each journal of a book needs its own
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Record each commodity of a journal in a new book of its own
    #[arg(long, conflicts_with = "here")]
    all_commodities: bool,
    /// Treatment of the virtual postings of a journal
    #[arg(long)]
    virtual_postings: Option<VirtualPostings>,
    /// Raise the decimal places of the book to those of a journal
    #[arg(long)]
    raise_fraction_digits: bool,
    /// Record what has no other account as drafts
    #[arg(long)]
    drafts: bool,
    /// Record again what was moved to the trash
    #[arg(long)]
    include_trashed: bool,
    /// Decide about a record: RECORD=ACCOUNT, RECORD=skip, RECORD=new, or RECORD.PART=VALUE
    ///
    /// RECORD=ACCOUNT names the other account. RECORD=skip leaves the record out. RECORD=new
    /// records one that is matched, or whose transaction is in the trash. RECORD.match=ID matches
    /// it with a transaction of the book, RECORD.description=TEXT replaces its description, and
    /// RECORD.tags=TAG,TAG adds hashtags. RECORD.account=ACCOUNT names an account called skip or
    /// new. The option is repeatable, also for one record.
    #[arg(short, long = "decide", value_name = "RECORD=DECISION")]
    decisions: Vec<String>,
    /// Accept suggestions of at least this confidence, such as 0.95
    #[arg(long, value_name = "CONFIDENCE")]
    accept_above: Option<String>,
    /// Show the preview, and record nothing. The exit code is 3 if an account is unknown
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show every record of a long preview
    #[arg(long)]
    pub(crate) all: bool,
    /// Record without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// The subcommands of `dbk import`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// List the imports of the book
    Log,
    /// Move what an import has recorded to the trash
    Undo {
        /// Id of the import
        id: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DateOrder {
    /// 31/12
    DayFirst,
    /// 12/31
    MonthFirst,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DecimalMark {
    /// 12.50
    Dot,
    /// 12,50
    Comma,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum VirtualPostings {
    /// A new book of their own
    OwnBook,
    /// With the others
    SameBook,
    /// Left out
    Skip,
}

impl ImportArgs {
    /// Returns the parameters of the request.
    pub(crate) fn parameters(&self, path: &Path, rules: Option<&str>) -> CreateImport {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        CreateImport {
            name: Some(name.unwrap_or_default()),
            account: self.account.clone(),
            rules: rules.map(str::to_owned),
            date_order: self.date_order.map(|order| match order {
                DateOrder::DayFirst => ImportDateOrder::DayFirst,
                DateOrder::MonthFirst => ImportDateOrder::MonthFirst,
            }),
            decimal_mark: self.decimal_mark.map(|mark| match mark {
                DecimalMark::Dot => BookDecimalSeparator::Dot,
                DecimalMark::Comma => BookDecimalSeparator::Comma,
            }),
            encoding: self.encoding.clone(),
            sheet: self.sheet.clone(),
            commodities: self.all_commodities.then_some(ImportCommodities::All),
            target: self.here.then_some(ImportTarget::Here),
            virtual_postings: self.virtual_postings.map(|treatment| match treatment {
                VirtualPostings::OwnBook => ImportVirtualPostings::OwnBook,
                VirtualPostings::SameBook => ImportVirtualPostings::SameBook,
                VirtualPostings::Skip => ImportVirtualPostings::Skip,
            }),
            raise_fraction_digits: self.raise_fraction_digits.then_some(true),
            source: self.source.clone(),
            drafts: self.drafts.then_some(true),
            trashed: self.include_trashed.then_some(true),
        }
    }

    /// Returns the body of the confirmation.
    pub(crate) fn confirmation(&self) -> Result<ImportConfirmation> {
        let accept_above = self.accept_above.as_ref().map(|confidence| {
            serde_json::from_str(confidence).map_err(|_| {
                Failure::usage(format!("invalid --accept-above {confidence:?}: expected 0 to 1"))
            })
        });
        Ok(ImportConfirmation {
            accept_above: accept_above.transpose()?,
            create_accounts: None,
            decisions: Some(read_decisions(&self.decisions)?),
        })
    }
}

/// Returns what helps a failed import (behaviour 15.1).
pub(crate) fn hint(reason: &str) -> &'static str {
    match reason {
        "unknownAccount" => "name an account with --account; dbk accounts lists them",
        "ambiguousDates" => "name the order with --date-order day-first or month-first",
        "ambiguousAmounts" => "name the mark with --decimal-mark dot or comma",
        "invalidEncoding" => "name the characters with --encoding, such as windows-1252",
        "unknownSheet" => "name a sheet of the workbook with --sheet",
        "severalCommodities" => "--all-commodities records each in a new book of its own",
        _ => "dbk import --help",
    }
}
