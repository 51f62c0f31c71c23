//! What getBalances must answer (section 5), computed the slow and plain way: from the list of
//! recorded entries, for every container anew. It shares nothing with the server.

use daybook_tests::decimal::{show, units};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

/// A movement that counts: posted and not trashed (5.12).
pub struct Entry {
    /// Its date.
    pub date: Date,
    /// In units of [`daybook_tests::decimal`].
    pub amount: i128,
    /// The origin side.
    pub credit: &'static str,
    /// The destination side.
    pub debit: &'static str,
    /// Its only hashtag, or "".
    pub tag: &'static str,
}

/// An account of the chart.
pub struct Account {
    /// Capitalized, without spaces: sorting by name is plain then.
    pub name: &'static str,
    /// Its type.
    pub kind: &'static str,
    /// Archived after the entries were recorded.
    pub archived: bool,
    /// Its direct groups.
    pub groups: &'static [&'static str],
}

/// A book: its chart, what happened, and today.
pub struct Book {
    /// All accounts.
    pub accounts: &'static [Account],
    /// Groups with their parents ("" for a root).
    pub groups: &'static [(&'static str, &'static str)],
    /// All entries.
    pub entries: Vec<Entry>,
    /// Today in the book zone.
    pub today: Date,
}

/// The length of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// DAILY.
    Day,
    /// MONTHLY.
    Month,
    /// YEARLY.
    Year,
}

/// What a query asks for besides its containers.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The first day.
    pub from: Option<Date>,
    /// The day after the last.
    pub to: Option<Date>,
    /// The periodicity.
    pub slice: Slice,
    /// Only entries with this hashtag; "" for all.
    pub tag: &'static str,
}

/// Debit and credit.
type Sides = (i128, i128);

/// The figures of an account or a group: totals, and per slice (by its first day) the period and
/// the cumulative sums.
struct Figures {
    cumulative: Sides,
    period: Sides,
    empty: bool,
    series: Vec<(Date, Sides, Sides)>,
}

impl Slice {
    /// The first day of the slice a day is in.
    pub fn start(self, day: Date) -> Date {
        match self {
            Slice::Day => day,
            Slice::Month => day.first_of_month(),
            Slice::Year => date(day.year(), 1, 1),
        }
    }

    fn next(self, start: Date) -> Date {
        match self {
            Slice::Day => start + 1.day(),
            Slice::Month => start + 1.month(),
            Slice::Year => start + 1.year(),
        }
    }

    /// Year, month and day of an entry (5.6).
    fn parts(self, start: Date) -> (i64, i64, i64) {
        let (year, month, day) =
            (i64::from(start.year()), i64::from(start.month()), i64::from(start.day()));
        match self {
            Slice::Day => (year, month, day),
            Slice::Month => (year, month, 0),
            Slice::Year => (year, 0, 0),
        }
    }

    /// As the API names it.
    pub fn name(self) -> &'static str {
        match self {
            Slice::Day => "DAILY",
            Slice::Month => "MONTHLY",
            Slice::Year => "YEARLY",
        }
    }
}

impl Account {
    fn permanent(&self) -> bool {
        matches!(self.kind, "ASSET" | "LIABILITY")
    }

    fn credit(&self) -> bool {
        matches!(self.kind, "LIABILITY" | "INCOMING")
    }
}

fn add(a: Sides, b: Sides) -> Sides {
    (a.0 + b.0, a.1 + b.1)
}

/// The six amounts.
fn amounts(cumulative: Sides, period: Sides) -> Value {
    let text = |amount: i128| show(amount, 2);
    json!({
        "cumulativeBalance": text(cumulative.1 - cumulative.0), "cumulativeCredit": text(cumulative.1),
        "cumulativeDebit": text(cumulative.0),
        "periodBalance": text(period.1 - period.0), "periodCredit": text(period.1), "periodDebit": text(period.0),
    })
}

impl Book {
    /// The sums of an account over some days.
    fn sides(
        &self,
        account: &Account,
        scope: &Scope,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Sides {
        let mut sides = (0, 0);
        for entry in &self.entries {
            let inside =
                from.is_none_or(|from| entry.date >= from) && to.is_none_or(|to| entry.date < to);
            if inside && (scope.tag.is_empty() || scope.tag == entry.tag) {
                sides.0 += if entry.debit == account.name { entry.amount } else { 0 };
                sides.1 += if entry.credit == account.name { entry.amount } else { 0 };
            }
        }
        sides
    }

    /// The first counted movement up to the end of the range (5.7).
    fn first(&self, account: &Account, scope: &Scope) -> Option<Date> {
        let counts = |entry: &&Entry| {
            (entry.debit == account.name || entry.credit == account.name)
                && (scope.tag.is_empty() || scope.tag == entry.tag)
                && scope.to.is_none_or(|to| entry.date < to)
        };
        self.entries.iter().filter(counts).map(|entry| entry.date).min()
    }

    /// The last day of the series.
    fn last(&self, scope: &Scope) -> Date {
        scope.to.map_or(self.today, |to| to - 1.day())
    }

    fn figures(&self, account: &Account, scope: &Scope) -> Figures {
        let base = if account.permanent() { None } else { scope.from };
        let first = self.first(account, scope);
        let begin = match (first, scope.from) {
            (Some(first), Some(from)) => first.max(from),
            (Some(first), None) => first,
            (None, _) => self.last(scope),
        };
        let mut series = Vec::new();
        let mut start = scope.slice.start(begin);
        while start <= self.last(scope) {
            let end = scope.slice.next(start);
            let from = scope.from.map_or(start, |from| from.max(start));
            let to = scope.to.map_or(end, |to| to.min(end));
            series.push((
                start,
                self.sides(account, scope, Some(from), Some(to)),
                self.sides(account, scope, base, Some(to)),
            ));
            start = end;
        }
        Figures {
            cumulative: self.sides(account, scope, base, scope.to),
            period: self.sides(account, scope, scope.from, scope.to),
            empty: first.is_none(),
            series,
        }
    }

    fn container(&self, scope: &Scope, figures: &Figures) -> Value {
        let mut container = amounts(figures.cumulative, figures.period);
        let slice = |(start, period, cumulative): &(Date, Sides, Sides)| {
            let (year, month, day) = scope.slice.parts(*start);
            let mut slice = amounts(*cumulative, *period);
            slice["year"] = json!(year);
            slice["month"] = json!(month);
            slice["day"] = json!(day);
            slice["fuzzyDate"] = json!(year * 10_000 + month * 100 + day);
            slice
        };
        container["balances"] = figures.series.iter().map(slice).collect();
        container
    }

    /// The container of an account; `None` when it is archived, empty and not asked for by name
    /// (5.11).
    pub fn account(&self, name: &str, scope: &Scope, named: bool) -> Option<Value> {
        let account =
            self.accounts.iter().find(|account| account.name == name).expect("in the chart");
        let figures = self.figures(account, scope);
        if account.archived && figures.empty && !named {
            return None;
        }
        let mut container = self.container(scope, &figures);
        container["name"] = json!(name);
        container["normalizedName"] = json!(name.to_lowercase());
        container["permanent"] = json!(account.permanent());
        container["credit"] = json!(account.credit());
        container["archived"] = json!(account.archived);
        container["empty"] = json!(figures.empty);
        Some(container)
    }

    fn children(&self, group: &str) -> Vec<&'static str> {
        let mut children: Vec<_> = self
            .groups
            .iter()
            .filter(|(_, parent)| *parent == group)
            .map(|(name, _)| *name)
            .collect();
        children.sort_unstable();
        children
    }

    fn direct(&self, group: &str) -> Vec<&Account> {
        let mut accounts: Vec<_> =
            self.accounts.iter().filter(|account| account.groups.contains(&group)).collect();
        accounts.sort_unstable_by_key(|account| account.name);
        accounts
    }

    /// The distinct accounts under a group: in a diamond each counts once (4.13).
    fn below(&self, group: &str) -> Vec<&Account> {
        let mut accounts = self.direct(group);
        for child in self.children(group) {
            accounts.extend(self.below(child));
        }
        accounts.sort_unstable_by_key(|account| account.name);
        accounts.dedup_by_key(|account| account.name);
        accounts
    }

    /// The container of a group with everything under it.
    pub fn group(&self, name: &str, scope: &Scope) -> Value {
        let accounts = self.below(name);
        let all: Vec<Figures> =
            accounts.iter().map(|account| self.figures(account, scope)).collect();
        // An empty account has one entry, on the last slice: it never starts the series of others
        // (5.7).
        let mut sum =
            Figures { cumulative: (0, 0), period: (0, 0), empty: false, series: Vec::new() };
        let longest = all.iter().map(|figures| figures.series.len()).max().unwrap_or(0);
        for place in 0..longest {
            let mut slice: Option<(Date, Sides, Sides)> = None;
            for figures in &all {
                // All series end together, so they are added from the end.
                if let Some(found) = (figures.series.len() + place)
                    .checked_sub(longest)
                    .and_then(|place| figures.series.get(place))
                {
                    let (start, period, cumulative) = slice.unwrap_or((found.0, (0, 0), (0, 0)));
                    slice = Some((start, add(period, found.1), add(cumulative, found.2)));
                }
            }
            sum.series.extend(slice);
        }
        for figures in &all {
            sum.cumulative = add(sum.cumulative, figures.cumulative);
            sum.period = add(sum.period, figures.period);
        }
        let mut container = self.container(scope, &sum);
        container["name"] = json!(name);
        container["normalizedName"] = json!(name.to_lowercase());
        container["permanent"] = json!(accounts.iter().all(|account| account.permanent()));
        container["credit"] = json!(accounts.iter().all(|account| account.credit()));
        container["accountBalances"] = self
            .direct(name)
            .iter()
            .filter_map(|account| self.account(account.name, scope, false))
            .collect();
        container["groupBalances"] =
            self.children(name).iter().map(|child| self.group(child, scope)).collect();
        container
    }

    /// The answer for the whole book (5.1).
    pub fn whole(&self, scope: &Scope) -> Value {
        let mut loose: Vec<_> = self
            .accounts
            .iter()
            .filter(|account| account.groups.is_empty())
            .map(|account| account.name)
            .collect();
        loose.sort_unstable();
        json!({
            "accountBalances": loose.iter().filter_map(|name| self.account(name, scope, false)).collect::<Vec<_>>(),
            "groupBalances": self.children("").iter().map(|name| self.group(name, scope)).collect::<Vec<_>>(),
        })
    }
}

/// Where an answer differs from what was computed: every computed field counts, in lists the order
/// too; an absent list is empty.
pub fn differences(place: &str, wanted: &Value, found: &Value, lines: &mut Vec<String>) {
    match (wanted, found) {
        (Value::Object(fields), _) => {
            for (key, value) in fields {
                differences(&format!("{place}.{key}"), value, &found[key], lines);
            }
        }
        (Value::Array(wanted), Value::Null) if wanted.is_empty() => {}
        (Value::Array(wanted), Value::Array(found)) => {
            let names = |list: &[Value]| {
                list.iter()
                    .map(|item| {
                        item["name"]
                            .as_str()
                            .map_or_else(|| item["fuzzyDate"].to_string(), str::to_owned)
                    })
                    .collect::<Vec<_>>()
            };
            if names(wanted) != names(found) {
                lines.push(format!(
                    "{place}: found {:?}, expected {:?}",
                    names(found),
                    names(wanted)
                ));
                return;
            }
            for (wanted, found) in wanted.iter().zip(found) {
                let name = wanted["name"]
                    .as_str()
                    .map_or_else(|| wanted["fuzzyDate"].to_string(), str::to_owned);
                differences(&format!("{place}[{name}]"), wanted, found, lines);
            }
        }
        _ if wanted != found => lines.push(format!("{place}: found {found}, expected {wanted}")),
        _ => {}
    }
}

/// An entry.
pub fn entry(
    day: &str,
    amount: &str,
    sides: (&'static str, &'static str),
    tag: &'static str,
) -> Entry {
    Entry {
        date: day.parse().expect("a date"),
        amount: units(amount),
        credit: sides.0,
        debit: sides.1,
        tag,
    }
}
