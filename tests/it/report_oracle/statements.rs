//! Balance sheets, income statements, cash flows and trial balances.

use daybook_tests::encode;
use daybook_tests::hledger::Figures;
use jiff::ToSpan;
use jiff::civil::Date;

use super::shown::{figures, keys};
use super::{Days, Oracle, assert_same, begin, end, previous, sign};

/// All groups, also those with one account.
const TREE: &str = "--tree --no-elide";

/// The parameter `columns` and the option of hledger.
const INTERVALS: [(&str, &str); 3] =
    [("month", "--monthly"), ("quarter", "--quarterly"), ("year", "--period=every12months")];

const WITHOUT_CLOSING: &str = "not:tag:^closing$";
const RED: &str = "tag:^red$";

impl Oracle {
    /// Runs a command, given with its arguments.
    #[track_caller]
    fn hledger(&self, command: &str) -> Figures {
        self.journal.figures(&command.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs a command over the transactions that have a cash account.
    #[track_caller]
    fn hledger_cash(&self, command: &str) -> Figures {
        self.journal.cash_figures(&command.split_whitespace().collect::<Vec<_>>())
    }

    /// The net income of each column.
    #[track_caller]
    fn net(&self, arguments: &str, columns: usize) -> Vec<i128> {
        self.hledger(&format!("incomestatement {arguments}"))
            .remove("Net:")
            .unwrap_or_else(|| vec![0; columns])
    }

    #[track_caller]
    pub(super) fn balance_sheets(&self) {
        let years = self.years();
        for day in [
            previous(years.first),
            self.year(0).last,
            self.year(1).first,
            self.year(1).first.saturating_add(100.days()),
            years.last,
        ] {
            self.balance_sheet_of_day(day, "", "");
        }
        self.balance_sheet_of_day(years.last, &format!("&query={}", encode("#red")), RED);

        for (interval, option) in INTERVALS {
            let what = format!("balance-sheet?period={}&columns={interval}", years.period());
            let sheet = self.hledger(&format!(
                "balancesheetequity {TREE} {option} {} {}",
                begin(years.first),
                end(years.last)
            ));
            let expected = self.with_results_of_columns(sheet, years, interval);
            assert_same(&what, &self.figures(&what), &expected);
        }
        for depth in [1, 2] {
            let last = years.last;
            let what = format!("balance-sheet?period={last}&depth={depth}");
            // In hledger the sections are the first level.
            let sheet = format!("balancesheetequity {TREE} --depth={} {}", depth + 1, end(last));
            let expected = self.with_results_of_day(self.hledger(&sheet), last, "");
            assert_same(&what, &self.figures(&what), &expected);
        }
    }

    #[track_caller]
    fn balance_sheet_of_day(&self, day: Date, parameter: &str, query: &str) {
        let what = format!("balance-sheet?period={day}{parameter}");
        let sheet = self.hledger(&format!("balancesheetequity {TREE} {} {query}", end(day)));
        let expected = self.with_results_of_day(sheet, day, query);
        assert_same(&what, &self.figures(&what), &expected);
    }

    #[track_caller]
    fn with_results_of_day(&self, sheet: Figures, day: Date, query: &str) -> Figures {
        let start = self.year_start(day);
        let earlier = self.net(&format!("{} {query}", end(previous(start))), 1);
        let current = self.net(&format!("{} {} {query}", begin(start), end(day)), 1);
        with_results(sheet, &self.year_label(day), earlier, current)
    }

    /// Adds the results to a sheet with the ends of intervals, of which the first begins a fiscal
    /// year.
    #[track_caller]
    fn with_results_of_columns(&self, sheet: Figures, days: Days, interval: &str) -> Figures {
        let ends = interval_ends(days, interval);
        let months = interval_ends(days, "month");
        let monthly =
            self.net(&format!("--monthly {} {}", begin(days.first), end(days.last)), months.len());
        let before = self.net(&end(previous(days.first)), 1)[0];
        let sum = |is_counted: &dyn Fn(Date) -> bool| -> i128 {
            let months = months.iter().zip(&monthly);
            months.filter(|(month, _)| is_counted(**month)).map(|(_, net)| net).sum()
        };
        let earlier = |day: &Date| before + sum(&|month| month < self.year_start(*day));
        let current = |day: &Date| sum(&|month| month >= self.year_start(*day) && month <= *day);
        let (earlier, current) =
            (ends.iter().map(earlier).collect(), ends.iter().map(current).collect());
        with_results(sheet, "Result of the fiscal year", earlier, current)
    }

    fn year_label(&self, day: Date) -> String {
        let year = self.year_start(day).year();
        match self.month {
            1 => format!("Result of {year}"),
            _ => format!("Result of {year}/{:02}", (year + 1) % 100),
        }
    }

    #[track_caller]
    pub(super) fn income_statements(&self) {
        for number in 0..3 {
            let days = self.year(number);
            let what = format!("income-statement?period=FY{}", days.first.year());
            let report = self.report(&what);
            let shown = with_net(figures(&report, &self.journal));
            assert_same(&what, &shown, &self.income_statement(days, ""));
            let is_inside =
                |day: &&String| **day >= days.first.to_string() && **day <= days.last.to_string();
            let drafts = self.journal.drafts().iter().filter(is_inside).count();
            assert_eq!(report["omittedDrafts"], drafts, "13.4: {what}");
        }
        let (previous_year, year) = (self.year(0), self.year(1));
        let part = Days {
            first: year.first.saturating_add(40.days()),
            last: year.first.saturating_add(200.days()),
        };
        let what = format!("income-statement?period={}", part.period());
        let report = self.report(&what);
        assert_eq!(keys(&report), [part.period(), "yearToDate".to_owned()]);
        let to_date = Days { first: year.first, ..part };
        let expected =
            beside(&[self.income_statement(part, ""), self.income_statement(to_date, "")]);
        assert_same(&what, &with_net(figures(&report, &self.journal)), &expected);

        let years = self.years();
        for (interval, option) in INTERVALS {
            let what = format!("income-statement?period={}&columns={interval}", years.period());
            let expected = self.income_statement(years, &format!("{option} --row-total"));
            assert_same(&what, &with_net(self.figures(&what)), &expected);
        }
        for depth in [1, 2] {
            let what = format!("income-statement?period={}&depth={depth}", years.period());
            let expected = self.income_statement(years, &format!("--depth={}", depth + 1));
            assert_same(&what, &with_net(self.figures(&what)), &expected);
        }
        let tags = encode("#red,#blue");
        let what = format!("income-statement?period={}&columns={tags}", years.period());
        let of_tag = |query| self.income_statement(years, query);
        let expected = beside(&[of_tag(RED), of_tag("tag:^blue$")]);
        assert_same(&what, &with_net(self.figures(&what)), &expected);

        let what = format!(
            "income-statement?period=FY{}&compare=FY{}",
            year.first.year(),
            previous_year.first.year()
        );
        let (current, compared) =
            (self.income_statement(year, ""), self.income_statement(previous_year, ""));
        let mut expected = beside(&[current, compared]);
        expected.values_mut().for_each(|row| row.push(row[0] - row[1]));
        assert_same(&what, &with_net(self.figures(&what)), &expected);
    }

    #[track_caller]
    fn income_statement(&self, days: Days, arguments: &str) -> Figures {
        let [begin, end] = days.options();
        self.hledger(&format!("incomestatement {TREE} {begin} {end} {WITHOUT_CLOSING} {arguments}"))
    }

    /// Compares cash flows.
    ///
    /// `cf` lists the changes of the cash accounts. Their sum is the net change of the report,
    /// which
    /// lists the other accounts. So these come from `balance` without the cash accounts, over the
    /// transactions that `print` finds for cash accounts. A transaction between two cash accounts
    /// has no other account.
    #[track_caller]
    pub(super) fn cash_flows(&self) {
        let years = self.years();
        for days in [self.year(0), self.year(2), Days { last: self.year(1).last, ..years }] {
            let what = format!("cash-flow?period={}", days.period());
            let [begin, end] = days.options();
            let flow = |query: &str| {
                let command = format!("balance {TREE} {begin} {end} not:type:C {query}");
                signed(self.hledger_cash(&command), |_| -1)
            };
            let paid = signed(flow("amt:>0"), |_| -1);
            let mut expected = beside(&[flow("amt:<0"), paid, flow("")]);
            let sum = |column: usize| -> i128 {
                let roots = expected.iter().filter(|(name, _)| !name.contains(':'));
                roots.map(|(_, row)| row[column]).sum()
            };
            let net = total(&self.hledger_cash(&format!("cashflow {begin} {end}")), 1)[0];
            let change = vec![sum(0), sum(1), net];
            let [opening, closing] = [previous(days.first), days.last].map(|day| self.cash(day));
            expected.insert("Opening cash".to_owned(), vec![0, 0, opening]);
            expected.insert("Net change".to_owned(), change);
            expected.insert("Closing cash".to_owned(), vec![0, 0, closing]);
            assert_same(&what, &self.figures(&what), &expected);
        }
        for (interval, option) in INTERVALS {
            let what = format!("cash-flow?period={}&columns={interval}", years.period());
            let [begin, end] = years.options();
            let options = format!("{begin} {end} {option} --row-total");
            let flows = self.hledger_cash(&format!("balance {TREE} not:type:C {options}"));
            let mut expected = signed(flows, |_| -1);
            let ends = interval_ends(years, interval);
            let change = total(&self.hledger_cash(&format!("cashflow {options}")), ends.len() + 1);
            let mut closing = total(
                &self.hledger_cash(&format!("balance --historical type:C {begin} {end} {option}")),
                ends.len(),
            );
            let before = self.cash(previous(years.first));
            let (last, others) = closing.split_last().expect("a column");
            let (last, others) = (*last, others.to_vec());
            let opening = [vec![before], others, vec![before]].concat();
            closing.push(last);
            expected.insert("Opening cash".to_owned(), opening);
            expected.insert("Net change".to_owned(), change);
            expected.insert("Closing cash".to_owned(), closing);
            assert_same(&what, &self.figures(&what), &expected);
        }
    }

    /// The balance of the cash accounts at the end of a day.
    #[track_caller]
    fn cash(&self, day: Date) -> i128 {
        total(&self.hledger_cash(&format!("balance type:C {}", end(day))), 1)[0]
    }

    /// Compares trial balances with `balance`, historical for permanent accounts and since the
    /// beginning of the fiscal year for income and expenses.
    #[track_caller]
    pub(super) fn trial_balances(&self) {
        let year = self.year(1);
        let part = Days {
            first: year.first.saturating_add(33.days()),
            last: year.last.saturating_add(20.days()),
        };
        for days in [year, part] {
            let what = format!("trial-balance?period={}", days.period());
            let mut shown = self.figures(&what);
            for (name, row) in &mut shown {
                let [opening_debit, opening_credit, debit, credit, closing_debit, closing_credit] =
                    row[..]
                else {
                    panic!("{what}: {name} has six amounts: {row:?}")
                };
                if self.journal.names().values().any(|account| account == name) {
                    assert!(opening_debit == 0 || opening_credit == 0, "{what}: {name}: {row:?}");
                    assert!(closing_debit == 0 || closing_credit == 0, "{what}: {name}: {row:?}");
                }
                // Those of groups are not net, but those of hledger are.
                *row = vec![
                    opening_debit - opening_credit,
                    debit,
                    credit,
                    closing_debit - closing_credit,
                ];
            }
            assert_same(&what, &shown, &self.trial_balance(days));
        }
    }

    /// Opening, debits, credits and closing, as debits minus credits.
    #[track_caller]
    fn trial_balance(&self, days: Days) -> Figures {
        let start = self.year_start(days.first);
        let [from, until] = days.options();
        let balance = |arguments: &str| self.hledger(&format!("balance {TREE} {arguments}"));
        let mut opening = balance(&format!("type:ALE {}", end(previous(days.first))));
        if start < days.first {
            let to_date = Days { first: start, last: previous(days.first) };
            opening.extend(balance(&format!("type:RX {}", to_date.options().join(" "))));
        }
        let debits = balance(&format!("{from} {until} amt:>0"));
        let credits = signed(balance(&format!("{from} {until} amt:<0")), |_| -1);
        let mut closing = balance(&format!("--historical type:ALE {from} {until}"));
        closing.extend(balance(&format!("type:RX {} {until}", begin(start))));
        let mut expected = beside(&[opening, debits, credits, closing]);

        let earlier = -self.net(&end(previous(start)), 1)[0];
        let equity = expected.entry("Equity".to_owned()).or_insert_with(|| vec![0; 4]);
        equity[0] += earlier;
        equity[3] += earlier;
        expected.insert("Result of earlier years".to_owned(), vec![earlier, 0, 0, earlier]);
        let mut sum = vec![0; 4];
        for (_, row) in expected.iter().filter(|(name, _)| is_section(name)) {
            sum.iter_mut().zip(row).for_each(|(sum, amount)| *sum += amount);
        }
        assert_eq!((sum[0], sum[3]), (0, 0), "hledger: the whole book sums to zero");
        expected.insert("Total".to_owned(), sum);
        expected
    }

    /// Compares all accounts at the end of each month and in each month.
    ///
    /// With 1,236 accounts `balancesheetequity` of hledger 1.25 takes minutes, and `balance` with
    /// the same types and options takes seconds.
    #[track_caller]
    pub(crate) fn large_statements(&self, first: Date, last: Date) {
        let days = Days { first, last };
        let [begin, end] = days.options();
        let what = format!("balance-sheet?period={}&columns=month", days.period());
        let sheet =
            self.hledger(&format!("balance {TREE} --historical --monthly type:ALE {begin} {end}"));
        let sheet = self.with_results_of_columns(signed(sheet, sign), days, "month");
        assert_same(&what, &self.figures(&what), &sheet);
        let what = format!("income-statement?period={}&columns=month", days.period());
        let expected = self.income_statement(days, "--monthly --row-total");
        assert_same(&what, &with_net(self.figures(&what)), &expected);
    }
}

fn is_section(name: &str) -> bool {
    ["Assets", "Liabilities", "Equity", "Income", "Expenses"].contains(&name)
}

/// Adds the rows that hledger does not have: in equity the results, which are what it calls net
/// assets minus equity (13.7).
#[track_caller]
fn with_results(
    mut sheet: Figures,
    label: &str,
    earlier: Vec<i128>,
    current: Vec<i128>,
) -> Figures {
    sheet.remove("Net:");
    let row = |sheet: &Figures, name: &str| {
        sheet.get(name).cloned().unwrap_or_else(|| vec![0; earlier.len()])
    };
    let add = |left: Vec<i128>, right: &[i128]| -> Vec<i128> {
        left.iter().zip(right).map(|(left, right)| left + right).collect()
    };
    let equity = add(add(row(&sheet, "Equity"), &earlier), &current);
    let sources = add(row(&sheet, "Liabilities"), &equity);
    assert_eq!(row(&sheet, "Assets"), sources, "hledger: assets = liabilities + equity");
    sheet.insert("Equity".to_owned(), equity);
    sheet.insert("Total liabilities and equity".to_owned(), sources);
    sheet.insert("Result of earlier years".to_owned(), earlier);
    sheet.insert(label.to_owned(), current);
    sheet
}

/// Gives the result of an income statement the name that hledger has for it.
#[track_caller]
fn with_net(mut shown: Figures) -> Figures {
    let (label, net) = ["Profit", "Loss", "Result"]
        .into_iter()
        .find_map(|label| Some((label, shown.remove(label)?)))
        .expect("a result");
    let is_profit = net.iter().all(|amount| *amount >= 0) && net.iter().any(|amount| *amount > 0);
    let is_loss = net.iter().all(|amount| *amount <= 0) && net.iter().any(|amount| *amount < 0);
    assert_eq!((label == "Profit", label == "Loss"), (is_profit, is_loss), "{label}: {net:?}");
    shown.insert("Net:".to_owned(), net);
    shown
}

/// Puts figures of one column beside each other.
fn beside(columns: &[Figures]) -> Figures {
    let mut all = Figures::new();
    for (index, column) in columns.iter().enumerate() {
        for (name, row) in column {
            all.entry(name.clone()).or_insert_with(|| vec![0; columns.len()])[index] = row[0];
        }
    }
    all
}

fn signed(mut figures: Figures, sign: impl Fn(&str) -> i128) -> Figures {
    for (name, row) in &mut figures {
        row.iter_mut().for_each(|amount| *amount *= sign(name));
    }
    figures
}

/// The sum of all rows, which must not contain each other.
fn total(figures: &Figures, columns: usize) -> Vec<i128> {
    let mut sum = vec![0; columns];
    for row in figures.values() {
        assert_eq!(row.len(), columns, "{figures:?}");
        sum.iter_mut().zip(row).for_each(|(sum, amount)| *sum += amount);
    }
    sum
}

/// The last days of the intervals from a first day that begins one.
fn interval_ends(days: Days, interval: &str) -> Vec<Date> {
    let months = match interval {
        "month" => 1,
        "quarter" => 3,
        _ => 12,
    };
    let starts = std::iter::successors(Some(days.first), |first| {
        Some(first.saturating_add(months.months()))
    });
    starts.skip(1).map(previous).take_while(|last| *last <= days.last).collect()
}
