//! The reads of a report: the days between which it needs sums, and the sets of hashtags.

use time::Date;

use super::period::Period;
use super::request::{Columns, Comparison, Request};
use super::sums::{Cuts, PeriodSums};
use super::table::ReportKind;
use crate::balance::Segment;

/// The hashtag of closing entries, which income statements leave out.
const CLOSING: &str = "closing";

/// The totals that the caller reads for a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(super) cuts: Cuts,
    pub(super) reads: Vec<Read>,
    pub(super) slices: Vec<Slice>,
}

/// A read of all segments of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The totals that are read.
    pub source: Source,
    /// The hashtags that all counted transactions have, in lower case without `#`.
    pub tags: Vec<String>,
}

/// The totals of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The totals of the accounts of the book.
    Book,
    /// The totals of all accounts of the book to compare with.
    ComparedBook,
    /// The totals of the accounts that are not cash accounts, over the transactions that have a
    /// cash account on the other side. The folded segments are not needed.
    CashCounterparts,
}

/// The part of the transactions that a column of amounts sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) key: String,
    pub(super) label: String,
    pub(super) period: Period,
    pub(super) source: Source,
    /// The index of the read.
    pub(super) read: usize,
    /// The index of the read that is subtracted: that of closing entries.
    pub(super) without: Option<usize>,
    /// The index of the read of the counterparts of cash accounts.
    pub(super) counterparts: Option<usize>,
}

impl Plan {
    /// Returns the disjoint segments of each read.
    ///
    /// Storage may sum the days of a segment that are in one month. No segment of days divides at a
    /// day that the report needs.
    pub fn segments(&self) -> Vec<Segment> {
        self.cuts.segments()
    }

    /// Returns the first and last days of the intervals after the opening.
    ///
    /// A read of [`Source::CashCounterparts`] may give one total for each account and interval,
    /// with
    /// any day of the interval.
    pub fn intervals(&self) -> Vec<(Date, Date)> {
        self.cuts.intervals()
    }

    /// Returns the reads. [`PeriodSums::add`] takes their indexes.
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// Returns the sums before anything is read.
    pub fn start(&self) -> PeriodSums {
        PeriodSums::new(self.cuts.clone(), self.reads.len())
    }
}

/// The key and the label of a column.
struct Names {
    key: String,
    label: String,
}

impl Names {
    fn new(key: &str, label: &str) -> Self {
        Self { key: key.to_owned(), label: label.to_owned() }
    }
}

impl Request {
    /// Plans what to read.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan { cuts: Cuts::new(Vec::new()), reads: Vec::new(), slices: Vec::new() };
        let tags = self.tags();
        match &self.columns {
            Some(Columns::Periods(periods)) => {
                for period in periods {
                    self.add_slice(&mut plan, self.names(*period), *period, Source::Book, tags);
                }
                // A balance at the end of the last column is not a sum of columns.
                if self.kind != ReportKind::BalanceSheet && periods.len() > 1 {
                    let names = Names::new("total", "Total");
                    self.add_slice(&mut plan, names, self.period, Source::Book, tags);
                }
            }
            Some(Columns::Tags(columns)) => {
                for tag in columns {
                    let name = format!("#{tag}");
                    let names = Names::new(&name, &name);
                    let tags = with_tag(tags, tag);
                    self.add_slice(&mut plan, names, self.period, Source::Book, &tags);
                }
            }
            None => {
                let names = self.names(self.period);
                self.add_slice(&mut plan, names, self.period, Source::Book, tags);
                self.add_compared(&mut plan);
                self.add_year_to_date(&mut plan);
            }
        }
        let days = plan.slices.iter().flat_map(|slice| self.cut_days(slice.period)).collect();
        plan.cuts = Cuts::new(days);
        plan
    }

    fn add_slice(
        &self,
        plan: &mut Plan,
        names: Names,
        period: Period,
        source: Source,
        tags: &[String],
    ) {
        let Names { key, label } = names;
        let read = plan.read(source, tags);
        let without = (self.kind == ReportKind::IncomeStatement)
            .then(|| plan.read(source, &with_tag(tags, CLOSING)));
        let counterparts =
            (self.kind == ReportKind::CashFlow).then(|| plan.read(Source::CashCounterparts, tags));
        plan.slices.push(Slice { key, label, period, source, read, without, counterparts });
    }

    fn add_compared(&self, plan: &mut Plan) {
        let (source, period) = match &self.compare {
            Some(Comparison::Period(period)) => (Source::Book, *period),
            Some(Comparison::Book(_)) => (Source::ComparedBook, self.period),
            None => return,
        };
        let names = Names { key: "comparison".to_owned(), ..self.names(period) };
        self.add_slice(plan, names, period, source, self.tags());
    }

    /// Adds the fiscal year to the end of the period, if it begins before the period, and the same
    /// of the period to compare with.
    fn add_year_to_date(&self, plan: &mut Plan) {
        let year_to_date = |period: Period| {
            let year = Period::fiscal_year(period.last, self.start);
            (year.first < period.first).then_some(Period { last: period.last, ..year })
        };
        if self.kind != ReportKind::IncomeStatement {
            return;
        }
        let Some(own) = year_to_date(self.period) else { return };
        let names = Names::new("yearToDate", "Year to date");
        self.add_slice(plan, names, own, Source::Book, self.tags());
        let compared = match &self.compare {
            Some(Comparison::Period(period)) => *period,
            Some(Comparison::Book(_)) | None => return,
        };
        if let Some(period) = year_to_date(compared) {
            let label = format!("Year to date, {}", compared.label(self.start));
            let names = Names { label, ..self.names(period) };
            self.add_slice(plan, names, period, Source::Book, self.tags());
        }
    }

    /// Returns the names of the column of a period. A balance sheet is of the last day.
    fn names(&self, period: Period) -> Names {
        if self.kind == ReportKind::BalanceSheet {
            let day = Period::day(period.last);
            Names { key: day.key(self.start), label: day.words() }
        } else {
            Names { key: period.key(self.start), label: period.label(self.start) }
        }
    }

    /// Returns the days after which the report needs sums of a period.
    fn cut_days(&self, period: Period) -> Vec<Date> {
        let before = |day: Date| day.previous_day();
        let year_of = |day| before(Period::fiscal_year(day, self.start).first);
        let (opening, last) = (before(period.first), Some(period.last));
        let days = match self.kind {
            ReportKind::TrialBalance => [year_of(period.first), opening, last],
            ReportKind::BalanceSheet => [year_of(period.last), None, last],
            ReportKind::IncomeStatement
            | ReportKind::CashFlow
            | ReportKind::GeneralLedger
            | ReportKind::Journal
            | ReportKind::Changes => [opening, None, last],
        };
        days.into_iter().flatten().collect()
    }
}

impl Plan {
    /// Returns the index of a read, which is added if it is new.
    fn read(&mut self, source: Source, tags: &[String]) -> usize {
        let read = Read { source, tags: tags.to_vec() };
        if let Some(index) = self.reads.iter().position(|other| *other == read) {
            return index;
        }
        self.reads.push(read);
        self.reads.len().saturating_sub(1)
    }
}

fn with_tag(tags: &[String], tag: &str) -> Vec<String> {
    let mut tags = tags.to_vec();
    if !tags.iter().any(|other| other == tag) {
        tags.push(tag.to_owned());
    }
    tags
}
