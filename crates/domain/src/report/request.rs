//! The parameters of a report.

use time::Date;

use super::period::{Interval, Period};
use super::refusal::{MAX_COLUMNS, Refusal};
use super::table::ReportKind;
use crate::book::{Settings, StartMonth};
use crate::id::BookKey;
use crate::query::{BalanceQuery, DateBasis, Filter, ParseContext, Status, Term};
use crate::transaction::tags;

/// The texts of the parameters of a report. Blank ones count as absent.
#[derive(Debug, Clone, Default)]
pub struct Parameters<'a> {
    /// The period, see [`Period::parse`]; by default the fiscal year of today.
    pub period: Option<&'a str>,
    /// The number of an event or an instant after which changes are listed.
    pub after: Option<&'a str>,
    /// A period, or the id of a book, to compare with.
    pub compare: Option<&'a str>,
    /// `month`, `quarter`, `year`, or hashtags such as `#a,#b`.
    pub columns: Option<&'a str>,
    /// The depth below which groups are one line; 1 for the top groups.
    pub depth: Option<&'a str>,
    /// `true` to show accounts without amounts.
    pub zeros: Option<&'a str>,
    /// The accounts, groups and hashtags to which the report is limited.
    pub query: Option<&'a str>,
}

/// A valid request for a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub(super) kind: ReportKind,
    pub(super) period: Period,
    /// Whether the request names the period.
    pub(super) is_period_given: bool,
    pub(super) after: Option<String>,
    pub(super) columns: Option<Columns>,
    pub(super) compare: Option<Comparison>,
    pub(super) depth: Option<usize>,
    pub(super) zeros: bool,
    pub(super) query: Option<BalanceQuery>,
    /// The first month of the fiscal year.
    pub(super) start: StartMonth,
}

/// The division of a report into columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Columns {
    /// The period, into shorter ones.
    Periods(Vec<Period>),
    /// The transactions, by hashtag in lower case without `#`.
    Tags(Vec<String>),
}

/// A period or a book with which a report is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Comparison {
    Period(Period),
    Book(BookKey),
}

/// The parameters that a report has.
struct Support {
    after: bool,
    compare: bool,
    columns: bool,
    depth: bool,
    zeros: bool,
    query: bool,
    /// Whether the query may name accounts and groups.
    accounts: bool,
}

impl Support {
    const fn of(kind: ReportKind) -> Self {
        let none = Self {
            after: false,
            compare: false,
            columns: false,
            depth: false,
            zeros: false,
            query: false,
            accounts: false,
        };
        let query = Self { query: true, accounts: true, ..none };
        match kind {
            ReportKind::TrialBalance => Self { depth: true, zeros: true, ..query },
            ReportKind::IncomeStatement => {
                Self { compare: true, columns: true, depth: true, zeros: true, ..query }
            }
            ReportKind::BalanceSheet => {
                Self { compare: true, columns: true, depth: true, zeros: true, query: true, ..none }
            }
            ReportKind::CashFlow => {
                Self { columns: true, depth: true, zeros: true, query: true, ..none }
            }
            ReportKind::GeneralLedger => Self { zeros: true, ..query },
            ReportKind::Journal => query,
            ReportKind::Changes => Self { after: true, ..none },
        }
    }
}

impl Parameters<'_> {
    /// Reads the parameters of a report of a book with these settings.
    ///
    /// `today` is the day in the time zone of the book. The names of accounts and groups in the
    /// query are resolved later, by [`Request::scope`].
    ///
    /// # Errors
    /// [`Refusal`] for an invalid value and for a parameter that the report does not have;
    /// [`crate::query::Refusal`] for a query that is not understood (behaviour 1.1.14).
    pub fn read(
        &self,
        kind: ReportKind,
        settings: &Settings,
        today: Date,
    ) -> Result<Request, crate::Refusal> {
        let support = Support::of(kind);
        let start = settings.period_start_month;
        let period = supported(kind, "period", self.period, true)?
            .map(|text| read_period(text, start))
            .transpose()?;
        let is_period_given = period.is_some();
        let default = if kind == ReportKind::Changes {
            Period::day(today)
        } else {
            Period::fiscal_year(today, start)
        };
        let period = period.unwrap_or(default);
        let after = supported(kind, "after", self.after, support.after)?.map(str::to_owned);
        let columns = supported(kind, "columns", self.columns, support.columns)?
            .map(|text| read_columns(text, period, start))
            .transpose()?;
        let compare = supported(kind, "compare", self.compare, support.compare)?
            .map(|text| read_comparison(text, start))
            .transpose()?;
        if columns.is_some() && compare.is_some() {
            return Err(Refusal::CompareWithColumns.into());
        }
        let depth =
            supported(kind, "depth", self.depth, support.depth)?.map(read_depth).transpose()?;
        let zeros =
            supported(kind, "zeros", self.zeros, support.zeros)?.map(read_flag).transpose()?;
        let context = ParseContext {
            today,
            pattern: settings.date_pattern,
            separator: settings.decimal_separator,
        };
        let query = supported(kind, "query", self.query, support.query)?
            .and_then(|text| BalanceQuery::parse(text, &context));
        if let Some(query) = &query {
            check_query(kind, query, support.accounts)?;
        }
        let zeros = zeros.unwrap_or(false);
        Ok(Request {
            kind,
            period,
            is_period_given,
            after,
            columns,
            compare,
            depth,
            zeros,
            query,
            start,
        })
    }
}

impl Request {
    /// Returns the report.
    pub const fn kind(&self) -> ReportKind {
        self.kind
    }

    /// Returns the period. A balance sheet is of its last day.
    pub const fn period(&self) -> Period {
        self.period
    }

    /// Returns the text of the event or instant after which changes are listed.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Returns the book to compare with.
    ///
    /// The caller loads its chart and reads its totals, if the user may read its balances.
    pub const fn compared_book(&self) -> Option<&BookKey> {
        match &self.compare {
            Some(Comparison::Book(book)) => Some(book),
            Some(Comparison::Period(_)) | None => None,
        }
    }

    /// Returns the hashtags that all counted transactions have, in lower case without `#`.
    pub fn tags(&self) -> &[String] {
        self.query.as_ref().map_or(&[], |query| &query.tags)
    }

    /// Returns the filter of the drafts that the report leaves out: those of the period that match
    /// the query.
    ///
    /// A balance sheet sums all days up to its own, so it leaves out earlier drafts, too.
    pub fn omitted_drafts(&self) -> Filter {
        let from = (self.kind != ReportKind::BalanceSheet).then_some(self.period.first);
        let until = self.period.last.next_day();
        let dated = Term::Dated { basis: DateBasis::Transaction, from, until };
        let mut terms = vec![Filter::Term(Term::Status(Status::Draft)), Filter::Term(dated)];
        terms.extend(self.tags().iter().cloned().map(Term::Tag).map(Filter::Term));
        if let Some(query) = self.query.as_ref().filter(|query| query.is_filtered()) {
            let accounts = query.accounts.iter().cloned().map(Term::Account);
            let groups = query.groups.iter().cloned().map(Term::Group);
            terms.push(Filter::Any(accounts.chain(groups).map(Filter::Term).collect()));
        }
        Filter::All(terms)
    }

    /// Returns whether the query names accounts or groups.
    pub fn is_filtered(&self) -> bool {
        self.query.as_ref().is_some_and(BalanceQuery::is_filtered)
    }
}

/// Returns the text of a parameter unless it is blank.
fn supported<'a>(
    kind: ReportKind,
    parameter: &'static str,
    text: Option<&'a str>,
    is_supported: bool,
) -> Result<Option<&'a str>, Refusal> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    if text.is_some() && !is_supported {
        return Err(Refusal::Parameter { report: kind.as_str(), parameter });
    }
    Ok(text)
}

fn read_period(text: &str, start: StartMonth) -> Result<Period, Refusal> {
    Period::parse(text, start).ok_or_else(|| Refusal::Period(excerpt(text)))
}

fn read_comparison(text: &str, start: StartMonth) -> Result<Comparison, Refusal> {
    if let Some(period) = Period::parse(text, start) {
        return Ok(Comparison::Period(period));
    }
    let book = BookKey::new(text.to_owned());
    if book.is_well_formed() {
        Ok(Comparison::Book(book))
    } else {
        Err(Refusal::Compare(excerpt(text)))
    }
}

fn read_columns(text: &str, period: Period, start: StartMonth) -> Result<Columns, Refusal> {
    let (columns, count) = if let Some(interval) = Interval::from_name(text) {
        let parts: Vec<Period> =
            period.divide(interval, start).take(MAX_COLUMNS.saturating_add(1)).collect();
        let count = parts.len();
        (Columns::Periods(parts), count)
    } else {
        let mut keys: Vec<String> = Vec::new();
        for part in text.split(',') {
            let tag = part.trim().strip_prefix('#');
            let tag = tag.filter(|tag| !tag.is_empty() && tags::leading(tag) == *tag);
            let key = tag.map(tags::key).ok_or_else(|| Refusal::Columns(excerpt(text)))?;
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let count = keys.len();
        (Columns::Tags(keys), count)
    };
    if count > MAX_COLUMNS { Err(Refusal::TooManyColumns) } else { Ok(columns) }
}

fn read_depth(text: &str) -> Result<usize, Refusal> {
    let depth = crate::calendar::parse_digits(text).filter(|depth| *depth >= 1);
    depth.ok_or_else(|| Refusal::Depth(excerpt(text)))
}

fn read_flag(text: &str) -> Result<bool, Refusal> {
    text.parse().map_err(|_| Refusal::Zeros(excerpt(text)))
}

/// Refuses a query with a term that does not select the transactions or accounts of the report.
fn check_query(
    kind: ReportKind,
    query: &BalanceQuery,
    may_name_accounts: bool,
) -> Result<(), crate::Refusal> {
    query.check_size()?;
    query.check_understood()?;
    // A query that is understood has no other terms than accounts, groups, tags, dates and `by:`.
    if query.others > 0 {
        // The text of a range without dates is empty.
        let range = Some(query.range.trim()).filter(|range| !range.is_empty());
        return Err(Refusal::QueryRange(excerpt(range.unwrap_or("by:"))).into());
    }
    if query.is_filtered() && !may_name_accounts {
        return Err(Refusal::AccountsInQuery(kind.as_str()).into());
    }
    Ok(())
}

/// Messages contain at most 60 characters of the input.
fn excerpt(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{book, day};
    use crate::reason::Reason;

    fn read(kind: ReportKind, parameters: &Parameters<'_>) -> Result<Request, crate::Refusal> {
        let settings = crate::book::Changes {
            period_start_month: Some(StartMonth::November),
            ..crate::book::Changes::default()
        };
        parameters.read(kind, &book(settings).settings, day("2026-10-31"))
    }

    /// Returns the message of the refusal, or nothing.
    fn refused(kind: ReportKind, parameters: &Parameters<'_>) -> String {
        read(kind, parameters).err().map(|refusal| refusal.to_string()).unwrap_or_default()
    }

    #[test]
    fn default_period_is_the_fiscal_year_of_today() {
        let blank = Parameters { period: Some(" "), columns: Some(""), ..Parameters::default() };
        for parameters in [Parameters::default(), blank] {
            let request = read(ReportKind::IncomeStatement, &parameters).unwrap();
            assert_eq!(request.period().words(), "1 November 2025 to 31 October 2026");
            assert_eq!((request.columns, request.depth, request.zeros), (None, None, false));
        }
    }

    #[test]
    fn invalid_values_are_refused() {
        let none = Parameters::default;
        for (parameters, message) in [
            (Parameters { period: Some("26"), ..none() }, "invalid period \"26\": expected"),
            (Parameters { compare: Some("k"), ..none() }, "invalid compare \"k\": expected"),
            (Parameters { columns: Some("week"), ..none() }, "invalid columns \"week\": expected"),
            (Parameters { columns: Some("#a,b"), ..none() }, "invalid columns \"#a,b\""),
            (Parameters { columns: Some("#a,#"), ..none() }, "invalid columns \"#a,#\""),
            (Parameters { columns: Some("#a-b"), ..none() }, "invalid columns \"#a-b\""),
            (Parameters { depth: Some("0"), ..none() }, "invalid depth \"0\": expected"),
            (Parameters { depth: Some("+1"), ..none() }, "invalid depth \"+1\": expected"),
            (Parameters { zeros: Some("yes"), ..none() }, "invalid zeros \"yes\": expected"),
            (
                Parameters { compare: Some("2025"), columns: Some("month"), ..none() },
                "compare cannot be used together with columns",
            ),
            (
                Parameters {
                    period: Some("2020-01-01..2026-01-01"),
                    columns: Some("month"),
                    ..none()
                },
                "the report would have more than 60 columns",
            ),
        ] {
            let found = refused(ReportKind::IncomeStatement, &parameters);
            assert!(found.starts_with(message), "{found}");
        }
        let years =
            Parameters { period: Some("2021-01-01..2025-12-31"), columns: Some("month"), ..none() };
        assert_eq!(refused(ReportKind::IncomeStatement, &years), "", "60 months");
    }

    #[test]
    fn parameters_that_a_report_does_not_have_are_refused() {
        use ReportKind::*;
        let none = Parameters::default;
        let all = ReportKind::ALL;
        for (parameters, supported) in [
            (Parameters { period: Some("2026"), ..none() }, &all[..]),
            (Parameters { after: Some("1"), ..none() }, &[Changes]),
            (Parameters { compare: Some("2025"), ..none() }, &[BalanceSheet, IncomeStatement]),
            (
                Parameters { columns: Some("#a"), ..none() },
                &[BalanceSheet, IncomeStatement, CashFlow],
            ),
            (Parameters { depth: Some("2"), ..none() }, &all[..4]),
            (Parameters { zeros: Some("false"), ..none() }, &all[..5]),
            (Parameters { query: Some("#a"), ..none() }, &all[..6]),
            (
                Parameters { query: Some("account:x"), ..none() },
                &[TrialBalance, IncomeStatement, GeneralLedger, Journal],
            ),
        ] {
            for kind in all {
                let is_read = read(kind, &parameters).is_ok();
                assert_eq!(is_read, supported.contains(&kind), "{kind:?} {parameters:?}");
            }
        }
    }

    #[test]
    fn query_takes_accounts_groups_and_hashtags_only() {
        let read = |query| {
            read(ReportKind::Journal, &Parameters { query: Some(query), ..Parameters::default() })
        };
        let request = read("account:Cash group:'Current assets' #VAT").unwrap();
        assert_eq!((request.tags(), request.is_filtered()), (&["vat".to_owned()][..], true));
        assert!(!read("#a #b").unwrap().is_filtered());
        for (query, part) in [
            ("#a after:2025", "not \"after:2025\": use"),
            ("on:$m by:m", "not \"on:$m by:m\": use"),
            ("by:m", "not \"by:\": use"),
            ("lunch", "lunch: ignored in balances"),
            ("-account:Cash", "account:Cash: ignored in balances"),
            ("account:Cash OR #a", "OR: ignored in balances"),
            ("amount>5", "amount>5: ignored in balances"),
            ("#a-b", "#a-b: not a hashtag"),
        ] {
            let refusal = read(query).unwrap_err();
            assert_eq!(refusal.reason(), Reason::QueryNotUnderstood, "{query}");
            assert!(refusal.to_string().contains(part), "{refusal}");
        }
        let accounts = Parameters { query: Some("group:x"), ..Parameters::default() };
        assert_eq!(
            refused(ReportKind::BalanceSheet, &accounts),
            "the query of the report balance-sheet takes hashtags only, because it needs all \
             accounts"
        );
    }

    #[test]
    fn comparison_is_a_period_or_a_book() {
        let compare = |text| {
            let parameters = Parameters { compare: Some(text), ..Parameters::default() };
            read(ReportKind::BalanceSheet, &parameters).unwrap()
        };
        let id = "0192f5c0a1b27c3d8e4f5a6b7c8d9e0f";
        assert_eq!(compare(id).compared_book(), Some(&BookKey::new(id.to_owned())));
        assert_eq!(compare("2025").compared_book(), None);
    }
}
