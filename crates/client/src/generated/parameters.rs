//! Optional parameters of the operations.

use crate::types::{
    BookDecimalSeparator, EventType, ExportFormat, ImportCommodities, ImportDateOrder,
    ImportOutcome, ImportTarget, ImportVirtualPostings, ReportFormat,
};

/// Optional parameters of [`Client::list_books`](crate::Client::list_books).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListBooks {
    /// Plain text that the name, the owner's name, the name of the collection or a property value
    /// contains, ignoring case; or a book id (1.5).
    pub query: Option<String>,
    /// Extension of v5: lists the caller's own deleted books that can be restored (12.12).
    pub deleted: Option<bool>,
}

/// Optional parameters of [`Client::create_new_book`](crate::Client::create_new_book).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateNewBook {
    /// Name of the book, if the body has none.
    pub name: Option<String>,
}

/// Optional parameters of [`Book::get_book`](crate::Book::get_book).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetBook {
    /// Also return accounts and groups.
    pub load_accounts: Option<bool>,
    /// Also return groups.
    pub load_groups: Option<bool>,
}

/// Optional parameters of [`Book::copy_book`](crate::Book::copy_book).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CopyBook {
    /// Whether to copy the transactions too; requires OWNER of the source. False by default.
    pub copy_transactions: Option<bool>,
    /// With `copyTransactions`: copy only transactions of this day (yyyymmdd) and later days.
    pub from_date: Option<i32>,
    /// Extension of v5. With `copyTransactions` and `fromDate`: permanent accounts begin with their
    /// balances of the day before, posted against the account `Opening balances` (6.19). False by
    /// default.
    pub opening_balances: Option<bool>,
    /// Extension of v5. The decimal places of the copy, 0 to 8; those of the source by default
    /// (6.24). A book that is too large for a rescaling (3.12.7) can be copied with more.
    pub fraction_digits: Option<i32>,
}

/// Optional parameters of [`Book::list_transactions`](crate::Book::list_transactions).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListTransactions {
    /// Query language (1). All terms must match. Unreadable terms match nothing, and `warnings`
    /// names them (1.1.9, 1.1.13). More than 200 terms return 400 `queryTooLarge` (1.7.1).
    /// Examples: `account:'Bank' after:2025-01-01`, `amount>=100 #travel`, `remoteId:abc
    /// is:trashed`.
    pub query: Option<String>,
    /// Return 400 `queryNotUnderstood` instead of `warnings` (1.1.14).
    pub strict: Option<bool>,
    /// Transactions per page. Zero or less means the default; more than 1000 means 1000 (2.2).
    pub limit: Option<i32>,
    /// These transactions in this order, trashed ones included; missing ones return 404 with `Ids:
    /// [id1, id2]` in the message (12.4).
    pub ids: Option<Vec<String>>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::create_transaction`](crate::Book::create_transaction).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateTransaction {
    /// IANA zone of short dates in text; dates in yyyy-MM-dd have no zone (3.2.9). An unknown zone
    /// returns 400.
    pub time_zone: Option<String>,
}

/// Optional parameters of
/// [`Book::create_transactions_batch`](crate::Book::create_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateTransactionsBatch {
    /// IANA zone of short dates in text; dates in yyyy-MM-dd have no zone (3.2.9). An unknown zone
    /// returns 400.
    pub time_zone: Option<String>,
}

/// Optional parameters of
/// [`Book::update_transactions_batch`](crate::Book::update_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UpdateTransactionsBatch {
    /// Refuse the batch with 400 if it would skip an item (3.6.7).
    pub all: Option<bool>,
    /// Also update checked transactions, which stay checked. Requires EDITOR.
    pub update_checked: Option<bool>,
}

/// Optional parameters of
/// [`Book::check_transactions_batch`](crate::Book::check_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckTransactionsBatch {
    /// Refuse the batch with 400 if it would skip an item (3.6.7).
    pub all: Option<bool>,
}

/// Optional parameters of [`Book::count_transactions`](crate::Book::count_transactions).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountTransactions {
    /// Query language (1), as in listTransactions. Without a query all transactions are counted,
    /// except trashed ones.
    pub query: Option<String>,
    /// Return 400 `queryNotUnderstood` instead of `warnings` (1.1.14).
    pub strict: Option<bool>,
}

/// Optional parameters of [`Book::post_transactions_batch`](crate::Book::post_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PostTransactionsBatch {
    /// Refuse the batch with 400 if it would skip an item (3.6.7).
    pub all: Option<bool>,
}

/// Optional parameters of [`Book::preview_transaction`](crate::Book::preview_transaction).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewTransaction {
    /// IANA zone of short dates in text; dates in yyyy-MM-dd have no zone (3.2.9). An unknown zone
    /// returns 400.
    pub time_zone: Option<String>,
}

/// Optional parameters of
/// [`Book::trash_transactions_batch`](crate::Book::trash_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrashTransactionsBatch {
    /// Refuse the batch with 400 if it would skip an item (3.6.7).
    pub all: Option<bool>,
    /// Also trash checked transactions. Requires EDITOR.
    pub trash_checked: Option<bool>,
}

/// Optional parameters of
/// [`Book::uncheck_transactions_batch`](crate::Book::uncheck_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UncheckTransactionsBatch {
    /// Refuse the batch with 400 if it would skip an item (3.6.7).
    pub all: Option<bool>,
}

/// Optional parameters of
/// [`Book::untrash_transactions_batch`](crate::Book::untrash_transactions_batch).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UntrashTransactionsBatch {
    /// Refuse the batch with 400 if it would skip an item (3.6.7).
    pub all: Option<bool>,
}

/// Optional parameters of [`Book::list_imports`](crate::Book::list_imports).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListImports {
    /// Imports per page. Zero or less means the default; more than 200 means 200 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::create_import`](crate::Book::create_import).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateImport {
    /// The name of the file, for people; also that of a new book (15.12).
    pub name: Option<String>,
    /// Id or name of the permanent account whose statement the file is. Needed unless the file
    /// names an account of the book (15.2).
    pub account: Option<String>,
    /// Id of a file of the book with rules for CSV. Without it, the file whose property
    /// `import_rules` is the id of the account (15.3).
    pub rules: Option<String>,
    /// The order of day and month, where the file does not show it.
    pub date_order: Option<ImportDateOrder>,
    /// The decimal mark of amounts, where the file does not show it.
    pub decimal_mark: Option<BookDecimalSeparator>,
    /// The character encoding, by a name of the Encoding Standard, where it is not recognized.
    pub encoding: Option<String>,
    /// The name of the sheet of a workbook. Without it, the first sheet.
    pub sheet: Option<String>,
    /// Where the records are recorded: HERE, in this book, or for journals NEW, in a book that the
    /// confirmation creates. By default NEW for journals, else HERE (15.12).
    pub target: Option<ImportTarget>,
    /// ALL records each commodity of a journal in a book of its own; it requires the target NEW.
    /// ONE refuses a journal of several (15.12).
    pub commodities: Option<ImportCommodities>,
    /// For journals, whether virtual postings are recorded in a book of their own, recorded with
    /// the others, or left out. By default OWN_BOOK with the target NEW, else SAME_BOOK. OWN_BOOK
    /// requires the target NEW (15.12).
    pub virtual_postings: Option<ImportVirtualPostings>,
    /// For journals, raise `fractionDigits` of the book to the decimal places of the entries, up to
    /// 8. Without it, entries with more places are refused. In this book the confirmation raises
    /// them, and requires EDITOR (15.12).
    pub raise_fraction_digits: Option<bool>,
    /// For journals, the first part of the remote ids. Keep it for later imports of the same
    /// journal. Without it, the name of the format (15.12).
    pub source: Option<String>,
    /// Record transactions whose other account is unknown as drafts, and not on `Uncategorised
    /// expenses` and `Uncategorised income` (15.5).
    pub drafts: Option<bool>,
    /// Record again what a person has moved to the trash (15.4).
    pub trashed: Option<bool>,
}

/// Optional parameters of [`Book::list_import_records`](crate::Book::list_import_records).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListImportRecords {
    /// Only the records with this outcome.
    pub outcome: Option<ImportOutcome>,
    /// Records per page. Zero or less means the default; more than 1000 means 1000 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::list_reconciliations`](crate::Book::list_reconciliations).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListReconciliations {
    /// Id or name of an account: only its reconciliations. An unknown account returns 400.
    pub account: Option<String>,
    /// Reconciliations per page. Zero or less means the default; more than 200 means 200 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::get_balances`](crate::Book::get_balances).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetBalances {
    /// Return 400 `queryNotUnderstood` instead of `warnings` (1.1.14).
    pub strict: Option<bool>,
}

/// Optional parameters of [`Book::get_report`](crate::Book::get_report).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetReport {
    /// `2026`, `2026-03`, `2026-Q2`, `2026-03-15`, `2026-01-15..2026-03-31` or `FY2026`, the fiscal
    /// year that begins in 2026 (13.3). Without it, the fiscal year of today. A balance sheet is of
    /// the last day. In `changes` it leaves out transactions with other dates; without it all are
    /// shown.
    pub period: Option<String>,
    /// In `changes`: the number of an event, or an RFC 3339 instant, after which the list begins.
    /// Without it, the event of the last closing (13.13), or the beginning of the book.
    pub after: Option<String>,
    /// A period, or the id of another book, in balance sheets and income statements. Columns with
    /// the comparison, the difference and its percentage follow.
    pub compare: Option<String>,
    /// `month`, `quarter` or `year`, or up to 60 hashtags such as `#a,#b`, in balance sheets,
    /// income statements and cash flows. Not together with `compare`.
    pub columns: Option<String>,
    /// The levels of groups; deeper groups become one line.
    pub depth: Option<String>,
    /// `account:`, `group:` and hashtags, read strictly (1.1.14). A balance sheet and a cash flow
    /// take hashtags alone.
    pub query: Option<String>,
    /// `true` shows accounts without balance and movements, too.
    pub zeros: Option<String>,
    /// The format.
    pub format: Option<ReportFormat>,
    /// CSV with a byte order mark and the decimal separator of the book.
    pub excel: Option<bool>,
}

/// Optional parameters of [`Book::get_report_link`](crate::Book::get_report_link).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetReportLink {
    /// `2026`, `2026-03`, `2026-Q2`, `2026-03-15`, `2026-01-15..2026-03-31` or `FY2026`, the fiscal
    /// year that begins in 2026 (13.3). Without it, the fiscal year of today. A balance sheet is of
    /// the last day. In `changes` it leaves out transactions with other dates; without it all are
    /// shown.
    pub period: Option<String>,
    /// In `changes`: the number of an event, or an RFC 3339 instant, after which the list begins.
    /// Without it, the event of the last closing (13.13), or the beginning of the book.
    pub after: Option<String>,
    /// A period, or the id of another book, in balance sheets and income statements. Columns with
    /// the comparison, the difference and its percentage follow.
    pub compare: Option<String>,
    /// `month`, `quarter` or `year`, or up to 60 hashtags such as `#a,#b`, in balance sheets,
    /// income statements and cash flows. Not together with `compare`.
    pub columns: Option<String>,
    /// The levels of groups; deeper groups become one line.
    pub depth: Option<String>,
    /// `account:`, `group:` and hashtags, read strictly (1.1.14). A balance sheet and a cash flow
    /// take hashtags alone.
    pub query: Option<String>,
    /// `true` shows accounts without balance and movements, too.
    pub zeros: Option<String>,
    /// The format.
    pub format: Option<ReportFormat>,
    /// CSV with a byte order mark and the decimal separator of the book.
    pub excel: Option<bool>,
}

/// Optional parameters of [`Book::export_book`](crate::Book::export_book).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExportBook {
    /// The format (docs/export.md).
    pub format: Option<ExportFormat>,
    /// The transactions, as in listTransactions, read strictly (1.1.14). Without it, the whole
    /// book.
    pub query: Option<String>,
    /// CSV with a byte order mark and the decimal separator of the book.
    pub excel: Option<bool>,
}

/// Optional parameters of [`Book::get_export_link`](crate::Book::get_export_link).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetExportLink {
    /// The format (docs/export.md).
    pub format: Option<ExportFormat>,
    /// The transactions, as in listTransactions, read strictly (1.1.14). Without it, the whole
    /// book.
    pub query: Option<String>,
    /// CSV with a byte order mark and the decimal separator of the book.
    pub excel: Option<bool>,
}

/// Optional parameters of [`Book::add_collaborator`](crate::Book::add_collaborator).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddCollaborator {
    /// Text of the invitation: plain text, trimmed, at most 2,000 characters; blank means none. A
    /// new collaborator gets an invitation by mail, an existing one only with a message (7.5).
    pub message: Option<String>,
}

/// Optional parameters of [`Book::request_book_access`](crate::Book::request_book_access).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestBookAccess {
    /// Message to the owner: trimmed, at most 2,000 characters; blank means none.
    pub message: Option<String>,
}

/// Optional parameters of [`Book::list_app_deliveries`](crate::Book::list_app_deliveries).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListAppDeliveries {
    /// Attempts per page. Zero or less means the default; more than 200 means 200 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::list_events`](crate::Book::list_events).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListEvents {
    /// From this instant, inclusive, in RFC 3339; a plain date means midnight in the book's zone
    /// (8.5).
    pub after: Option<String>,
    /// To this instant, exclusive; written like `after`.
    pub before: Option<String>,
    /// true: with an ERROR response of an app; false: without one (8.5).
    pub error: Option<bool>,
    /// The same as `resoureId`.
    pub resource_id: Option<String>,
    /// Only events of this type.
    pub kind: Option<EventType>,
    /// Extension of v5: show each event also as it is hashed, in `canonical` (8.15). Returns 403
    /// for readers of a PUBLIC book who are not collaborators, and for tokens of deliveries. Repeat
    /// it with each cursor.
    pub canonical: Option<bool>,
    /// Events per page. Zero or less means the default; more than 200 means 200 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::replay_events`](crate::Book::replay_events).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayEvents {
    /// true: only to apps with an ERROR response.
    pub errors_only: Option<bool>,
}

/// Optional parameters of [`Book::list_event_deliveries`](crate::Book::list_event_deliveries).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListEventDeliveries {
    /// Attempts per page. Zero or less means the default; more than 200 means 200 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Book::list_files`](crate::Book::list_files).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListFiles {
    /// Files per page. Zero or less means the default; more than 1000 means 1000 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}

/// Optional parameters of [`Client::get_billing_checkout`](crate::Client::get_billing_checkout).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetBillingCheckout {
    /// Ignored.
    pub cycle: Option<String>,
}

/// Optional parameters of [`Client::list_users`](crate::Client::list_users).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListUsers {
    /// Lists only the user with this address.
    pub email: Option<String>,
    /// Users per page. Zero or less means the default; more than 200 means 200 (2.2).
    pub limit: Option<i32>,
    /// `cursor` of the previous page (2.1). An unreadable cursor returns the first page (2.5).
    pub cursor: Option<String>,
}
