//! From a row and the rules to a record.

use std::collections::BTreeMap;

use daybook_domain::amount::DecimalSeparator;
use time::{Date, Duration};

use super::postings::{Money, Posting, assemble};
use super::scan::Row;
use crate::read::day::{Day, DayOrder};
use crate::read::limits::MAX_FIELD_BYTES;
use crate::read::numeral::Number;
use crate::read::problem::{Kind, Position, Problem, excerpt};
use crate::read::record::{Record, Status};
use crate::read::rules::{Assignment, Block, Budget, Control, Found, Rules, Target};
use crate::read::text::{collapse, non_empty};

/// Applies rules to rows.
pub(crate) struct Evaluator<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) order: DayOrder,
    /// The decimal mark; without one, each amount is read on its own.
    pub(crate) mark: Option<DecimalSeparator>,
    /// Whether the rules come from the header, and not from a person.
    pub(crate) is_proposed: bool,
    /// Whether the rows are those of a table, whose days and numbers have types.
    is_table: bool,
    budget: Budget,
    /// The highest number of a posting in the rules.
    postings: u8,
}

/// The result of applying the rules to a row.
pub(crate) enum Outcome {
    Record(Box<Record>, Links),
    /// A `skip` or `end` of the block on this line.
    Control(Control, u32),
}

/// The links by rules from a record to other records.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// The other account, if the file has it.
    pub(crate) transfer: Option<String>,
    /// The entry that the record is a part of.
    pub(crate) part: Option<String>,
}

/// The assignments that apply to a row: of each target the last one.
struct Values<'a> {
    row: &'a Row<'a>,
    last: BTreeMap<&'a Target, (&'a Assignment, &'a [String])>,
}

impl Values<'_> {
    fn get(&self, target: &Target) -> Option<String> {
        let (assignment, groups) = self.last.get(target)?;
        Some(assignment.value.fill(|index| self.row.cell(index), groups))
    }

    /// Returns the value with single blanks, unless it is empty.
    fn text(&self, target: &Target) -> Option<String> {
        self.get(target).map(|value| collapse(&value)).filter(|value| !value.is_empty())
    }

    /// Returns the place of the first column that the value refers to.
    fn position(&self, target: &Target) -> Position {
        let found = self.last.get(target);
        let column = found.and_then(|(assignment, _)| assignment.value.columns().next());
        self.row.position(column.unwrap_or(usize::MAX))
    }

    fn problem(&self, target: &Target, kind: Kind) -> Problem {
        Problem::at(self.position(target), kind)
    }

    /// Returns the line of the rule that names the other account, or else the own one.
    fn account_rule(&self) -> Option<u32> {
        let mut own = None;
        for (target, (assignment, _)) in &self.last {
            let Target::Account(number) = target else { continue };
            if self.text(target).is_some() {
                if *number > 1 {
                    return Some(assignment.line);
                }
                own = Some(assignment.line);
            }
        }
        own
    }
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        rules: &'a Rules,
        order: DayOrder,
        mark: Option<DecimalSeparator>,
        is_proposed: bool,
        is_table: bool,
    ) -> Self {
        let number = |target: &Target| match target {
            Target::Account(number)
            | Target::Amount(number)
            | Target::AmountIn(number)
            | Target::AmountOut(number) => *number,
            Target::Date
            | Target::Date2
            | Target::Status
            | Target::Code
            | Target::Description
            | Target::Comment(_)
            | Target::Currency(_)
            | Target::Balance(_)
            | Target::Id
            | Target::Payee
            | Target::Counterparty
            | Target::Tag
            | Target::Url
            | Target::Transfer
            | Target::Part
            | Target::Check
            | Target::Property(_) => 0,
        };
        let numbers = rules.all_assignments().map(|assignment| number(&assignment.target));
        let postings = numbers.max().unwrap_or_default().max(2);
        Self { rules, order, mark, is_proposed, is_table, budget: Budget::new(), postings }
    }

    /// Returns an evaluator for another scan.
    ///
    /// The budget of matchers was enough for one scan, so it is for the next.
    pub(crate) fn renewed(&self) -> Self {
        Self { budget: Budget::new(), ..*self }
    }

    /// Applies the rules to a row.
    pub(crate) fn evaluate(&mut self, row: &Row<'_>) -> Result<Outcome, Problem> {
        let joined = if self.rules.blocks.is_empty() && self.rules.requirements.is_empty() {
            String::new()
        } else {
            row.joined()
        };
        let cell = |index: usize| row.cell(index);
        let found = self.rules.search.find(&joined, cell, &mut self.budget);
        let mut active: Vec<(&Block, Vec<String>)> = Vec::new();
        for block in &self.rules.blocks {
            let Some(groups) = block.matches(&joined, &cell, &found) else { continue };
            if let Some(control) = block.control {
                return Ok(Outcome::Control(control, block.line));
            }
            self.budget.charge(block.assignments.len());
            active.push((block, groups));
        }
        self.check_requirements(row, &joined, &found)?;
        self.budget.charge(self.rules.assignments.len());
        if self.budget.is_spent() {
            return Err(Problem::at(row.position(0), Kind::TooMuchWork));
        }
        let mut last: BTreeMap<&Target, (&Assignment, &[String])> = BTreeMap::new();
        let mut several = Vec::new();
        let top = self.rules.assignments.iter().map(|each| (each, [].as_slice()));
        let conditional = active.iter().flat_map(|(block, groups)| {
            block.assignments.iter().map(move |each| (each, groups.as_slice()))
        });
        for (assignment, groups) in top.chain(conditional) {
            if assignment.target == Target::Tag {
                several.push(assignment.value.fill(|index| row.cell(index), groups));
            }
            last.insert(&assignment.target, (assignment, groups));
        }
        let values = Values { row, last };
        let mut record = self.record(&values)?;
        record.properties.extend(several.into_iter().filter_map(|tag| property("tag", &tag)));
        let lengths = record.properties.iter().map(|(key, value)| key.len() + value.len());
        if lengths.sum::<usize>() > MAX_FIELD_BYTES {
            return Err(Problem::at(row.position(0), Kind::FieldTooLong(MAX_FIELD_BYTES)));
        }
        let links = Links {
            transfer: values.text(&Target::Transfer).filter(|_| !record.amount.is_zero()),
            part: values.text(&Target::Part),
        };
        Ok(Outcome::Record(Box::new(record), links))
    }

    /// Returns whether the matchers have read more than they may.
    pub(crate) const fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    fn check_requirements(
        &self,
        row: &Row<'_>,
        joined: &str,
        found: &Found,
    ) -> Result<(), Problem> {
        for matcher in &self.rules.requirements {
            let cell = |index: usize| row.cell(index);
            if !matcher.matches(joined, cell, found, &mut Vec::new()) {
                let column = matcher.column();
                let value = excerpt(column.map_or(joined, |column| row.cell(column)));
                let pattern = excerpt(matcher.pattern());
                let position = row.position(column.unwrap_or_default());
                return Err(Problem::at(position, Kind::RequirementFailed { value, pattern }));
            }
        }
        Ok(())
    }

    fn record(&self, values: &Values<'_>) -> Result<Record, Problem> {
        let date = self.date(values, &Target::Date)?;
        let date2 = match self.date(values, &Target::Date2) {
            // A column that only seems to have dates.
            Err(_) if self.is_proposed => None,
            date2 => date2?,
        };
        let mut postings = Vec::new();
        for number in 1..=self.postings {
            postings.extend(self.posting(values, number)?);
        }
        let place = values.row.position(usize::MAX);
        let entry = assemble(postings).map_err(|kind| {
            let target = [Target::Amount(0), Target::Amount(1), Target::AmountIn(0)]
                .into_iter()
                .find(|target| values.last.contains_key(target));
            Problem::at(target.map_or(place, |target| values.position(&target)), kind)
        })?;
        let mut record = Record::new(place, entry.amount);
        record.date = Some(date.ok_or_else(|| Problem::at(place, Kind::MissingDate))?);
        record.value_date = date2;
        record.currency = entry.currency;
        record.account = entry.account;
        record.legs = entry.legs;
        record.rule = values.account_rule().filter(|_| !self.is_proposed);
        record.status = match values.get(&Target::Status).as_deref() {
            None | Some("" | "*") => Status::Booked,
            Some("!") => Status::Pending,
            Some(other) => {
                let kind = Kind::InvalidStatus(excerpt(other));
                return Err(values.problem(&Target::Status, kind));
            }
        };
        record.description = values.text(&Target::Description).unwrap_or_default();
        let payee = record.description.split_once('|').and_then(|(payee, _)| non_empty(payee));
        record.payee = values.text(&Target::Payee).or_else(|| payee.map(str::to_owned));
        let comments = [Target::Comment(0), Target::Comment(1)];
        let comments: Vec<String> =
            comments.iter().filter_map(|target| values.text(target)).collect();
        record.memo = Some(comments.join("; ")).filter(|memo| !memo.is_empty());
        record.is_checked = values.text(&Target::Check).is_some_and(|value| {
            !["no", "false", "0"].contains(&value.to_ascii_lowercase().as_str())
        });
        record.reference = values.text(&Target::Code);
        record.source_id = values.text(&Target::Id);
        record.counterparty = values.text(&Target::Counterparty);
        record.balance = self.money(values, &Target::Balance(1))?.map(|money| money.amount);
        record.properties.extend(values.text(&Target::Url).and_then(|url| property("url", &url)));
        for target in values.last.keys() {
            if let Target::Property(key) = target {
                let value = values.text(target).unwrap_or_default();
                record.properties.extend(property(key, &value));
            }
        }
        Ok(record)
    }

    fn date(&self, values: &Values<'_>, target: &Target) -> Result<Option<Date>, Problem> {
        let Some(text) = values.get(target).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let date = match &self.rules.date_format {
            Some(format) => format.read(&text).or_else(|| {
                // The format is that of the bank's CSV file, and the cell has a day.
                let day = Day::scan(&text).filter(|_| self.is_table)?;
                matches!(day, Day::Certain(_)).then(|| day.value(self.order)).flatten()
            }),
            None => Day::scan(&text)
                .and_then(|day| day.value(self.order))
                .or_else(|| serial(&text).filter(|_| self.is_proposed)),
        };
        let invalid = || values.problem(target, Kind::InvalidDate(excerpt(&text)));
        date.ok_or_else(invalid).map(Some)
    }

    /// Returns a posting, if the rules make one with this number.
    fn posting(&self, values: &Values<'_>, number: u8) -> Result<Option<Posting>, Problem> {
        let account = values.get(&Target::Account(number));
        let money = self.posting_amount(values, number)?;
        let is_dropped = number == 2 && account.as_deref() == Some("");
        let account = account.filter(|account| !account.is_empty());
        if account.as_deref().is_some_and(|account| account.starts_with(['(', '['])) {
            return Err(values.problem(&Target::Account(number), Kind::VirtualPosting));
        }
        if is_dropped || (money.is_none() && account.is_none()) {
            return Ok(None);
        }
        let description = values.text(&Target::Comment(number)).filter(|_| number > 1);
        Ok(Some(Posting { number, account, money, description }))
    }

    /// Returns the amount of a posting: of its own assignments, else of those without a number.
    fn posting_amount(&self, values: &Values<'_>, number: u8) -> Result<Option<Money>, Problem> {
        let currency = |money: Money| {
            let stated = values
                .text(&Target::Currency(number))
                .or_else(|| values.text(&Target::Currency(0)));
            Money { currency: stated.or(money.currency), ..money }
        };
        let own = self.single_amount(values, number)?;
        if own.is_some() || number > 2 {
            return Ok(own.map(currency));
        }
        let shared = self.single_amount(values, 0)?.map(currency);
        Ok(shared.map(|money| if number == 2 { money.weight().clone().negated() } else { money }))
    }

    /// Returns the one amount of `amountN`, `amountN-in` and `amountN-out` that is not zero.
    fn single_amount(&self, values: &Values<'_>, number: u8) -> Result<Option<Money>, Problem> {
        let mut found: Option<Money> = None;
        let targets = [Target::Amount(number), Target::AmountIn(number), Target::AmountOut(number)];
        for target in &targets {
            let Some(mut money) = self.money(values, target)? else { continue };
            if matches!(target, Target::AmountOut(_)) {
                // Some banks write amounts out with a sign, some without.
                let is_signed = self.is_proposed && money.amount.is_negative();
                money = if is_signed { money } else { money.negated() };
            }
            match &found {
                Some(other) if !other.amount.is_zero() && !money.amount.is_zero() => {
                    return Err(values.problem(target, Kind::TwoAmounts));
                }
                Some(other) if !other.amount.is_zero() => {}
                Some(_) | None => found = Some(money),
            }
        }
        Ok(found)
    }

    fn money(&self, values: &Values<'_>, target: &Target) -> Result<Option<Money>, Problem> {
        let Some(text) = values.get(target) else { return Ok(None) };
        // A sign without a number is the sign of an empty column.
        if text.trim_matches(['-', '+', '(', ')', ' ']).is_empty() {
            return Ok(None);
        }
        if text.contains('{') {
            return Err(values.problem(target, Kind::LotPrice));
        }
        let invalid = || values.problem(target, Kind::InvalidAmount(excerpt(&text)));
        let parse = |text: &str| {
            let number = Number::scan(text).ok_or_else(invalid)?;
            let amount = self.mark.map_or_else(|| number.value_alone(), |mark| number.value(mark));
            // Cells with numbers have a decimal point, whatever the mark of texts is.
            let amount = amount.or_else(|| number.value_alone().filter(|_| self.is_table));
            let amount = amount.ok_or_else(invalid)?;
            Ok(Money { amount, currency: number.currency, cost: None })
        };
        let Some((amount, cost)) = text.split_once('@') else { return parse(&text).map(Some) };
        let total = cost.strip_prefix('@');
        let (mut money, mut cost) = (parse(amount)?, parse(total.unwrap_or(cost))?);
        cost.amount = if total.is_none() {
            cost.amount.absolute().checked_mul(money.amount).ok_or_else(invalid)?
        } else if money.amount.is_negative() {
            cost.amount.absolute().negated()
        } else {
            cost.amount.absolute()
        };
        money.cost = Some(Box::new(cost));
        Ok(Some(money))
    }
}

fn property(key: &str, value: &str) -> Option<(String, String)> {
    non_empty(value).map(|value| (key.to_owned(), value.to_owned()))
}

/// Parses the number of a day as spreadsheets count them, from 1954 to 2119.
fn serial(text: &str) -> Option<Date> {
    let whole = text.split('.').next()?;
    let days: i64 = whole.parse().ok().filter(|days| (20_000..=80_000).contains(days))?;
    let epoch = Date::from_calendar_date(1899, time::Month::December, 30).ok()?;
    epoch.checked_add(Duration::days(days))
}
