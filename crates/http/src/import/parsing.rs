//! From the bytes of a file to its records, before they are compared with the book.

use actix_web::web::Bytes;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::calendar::{day_number, format_iso};
use daybook_domain::import::{Outcome, RefuseReason, SkipReason};
use daybook_interchange::read;
use daybook_interchange::read::amount::SignedAmount;
use daybook_interchange::read::day::DayOrder;
use daybook_interchange::read::options::Options;
use daybook_interchange::read::record::{Item, SkipReason as Why, Status, Summary};
use daybook_interchange::read::rules::Rules;

use super::document::{LegDoc, OptionsDoc, OtherDoc, RecordDoc};
use super::failure::Failure;
use super::spool::{Spool, Writer};

/// The bytes of the text that identifies a record.
const MAX_TEXT: usize = 4 * 1024;

/// Reads the records of the file into a spool. The file is dropped as early as possible.
pub(super) fn parse(
    bytes: Bytes,
    options: &OptionsDoc,
    rules: Option<&Rules>,
    scale: u32,
    digits: u32,
) -> Result<(Summary, Spool), Failure> {
    let options = reader_options(options);
    let (mut writer, mut fault, mut number) = (Writer::default(), None, 0_u32);
    let mut sink = |item: Item| {
        number = number.saturating_add(1);
        if fault.is_none() {
            fault = writer.add(&record_of(number, item, scale, digits)).err();
        }
    };
    let found = read::statements(bytes, rules, &options, &mut sink)?;
    match fault {
        Some(error) => Err(error.into()),
        None => Ok((found, writer.finish()?)),
    }
}

/// Returns the options of the readers.
pub(super) fn reader_options(options: &OptionsDoc) -> Options {
    let day_order = options
        .day_first
        .map(|is_first| if is_first { DayOrder::DayFirst } else { DayOrder::MonthFirst });
    let decimal_mark = options
        .decimal_comma
        .map(|is_comma| if is_comma { DecimalSeparator::Comma } else { DecimalSeparator::Dot });
    Options {
        day_order,
        decimal_mark,
        encoding: options.encoding.clone(),
        sheet: options.sheet.clone(),
    }
}

/// Returns the document of a record that was read.
fn record_of(number: u32, item: Item, scale: u32, digits: u32) -> RecordDoc {
    let mut document = RecordDoc { number, ..RecordDoc::default() };
    let record = match item {
        Item::Record(record) => *record,
        Item::Skipped(skip) => {
            document.line = skip.position.line;
            document.column = skip.position.column;
            let outcome = match skip.reason {
                Why::Rule(line) => {
                    document.rule = Some(line);
                    SkipReason::Rule(line)
                }
                Why::Header | Why::Total | Why::OpeningBalance | Why::TransferMirror(_) => {
                    SkipReason::NotAMovement
                }
            };
            document.set_outcome(&Outcome::Skipped(outcome));
            document.reason = skip.reason.to_string();
            return document;
        }
        Item::Refused(problem) => {
            document.line = problem.position.map_or(0, |position| position.line);
            document.column = problem.position.map_or(0, |position| position.column);
            let why = RefuseReason::Unreadable(problem.kind.to_string());
            document.set_outcome(&Outcome::Refused(why));
            return document;
        }
    };
    document.line = record.position.line;
    document.column = record.position.column;
    document.statement = Some(record.statement);
    document.own_name = record.account.clone();
    document.day = record.date.map(day_number);
    document.amount = Some(record.amount.to_string());
    document.currency = record.currency.clone();
    document.pending = record.status == Status::Pending;
    document.checked = record.is_checked;
    document.source_id = record.source_id.clone();
    document.counterparty = record.counterparty.clone();
    document.rule = record.rule;
    set_texts(&mut document, &record);
    set_amounts(&mut document, &record, scale, digits);
    document
}

/// Sets the description, the text that identifies the record, and the properties.
fn set_texts(document: &mut RecordDoc, record: &read::record::Record) {
    let texts = [Some(&record.description), record.payee.as_ref(), record.memo.as_ref()];
    let mut distinct: Vec<&str> = Vec::new();
    for text in texts.into_iter().flatten().map(|text| text.trim()) {
        if !text.is_empty() && !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    let text = distinct.join(" ");
    document.text = text.chars().take(MAX_TEXT).collect();
    document.description = distinct.first().map(|text| (*text).to_owned()).unwrap_or_default();
    let value_day = record.value_date.filter(|day| record.date != Some(*day));
    let original = record.original.as_ref();
    let named = [
        ("payee", record.payee.clone()),
        ("memo", record.memo.clone()),
        ("reference", record.reference.clone()),
        ("value_date", value_day.map(format_iso)),
        ("amount_original", original.map(|from| format!("{} {}", from.amount, from.currency))),
        ("rate", original.and_then(|from| from.rate.clone())),
    ];
    for (key, value) in named {
        let value = value.filter(|value| *value != document.description);
        document.properties.extend(value.map(|value| (key.to_owned(), value)));
    }
    for (key, value) in &record.properties {
        match key.as_str() {
            "tag" => {
                document.description.push_str(" #");
                document.description.push_str(value.trim_start_matches('#'));
            }
            "url" => document.urls.push(value.clone()),
            _ => document.properties.push((key.clone(), value.clone())),
        }
    }
}

/// Sets the amounts, or refuses the record.
fn set_amounts(document: &mut RecordDoc, record: &read::record::Record, scale: u32, digits: u32) {
    let units = |amount: SignedAmount| -> Result<i64, RefuseReason> {
        if amount.units(digits).is_none() && amount.decimals() > digits {
            return Err(RefuseReason::Decimals(digits));
        }
        let units = amount.units(scale).ok_or(RefuseReason::TooLarge)?;
        i64::try_from(units).map_err(|_| RefuseReason::TooLarge)
    };
    let set = || {
        let mut legs = Vec::new();
        for leg in &record.legs {
            if let Some(currency) =
                leg.currency.as_ref().filter(|it| Some(*it) != record.currency.as_ref())
            {
                return Err(RefuseReason::OtherCurrency(currency.clone()));
            }
            let other = leg.account.clone().map(OtherDoc::Named);
            let description = leg.description.clone();
            legs.push(LegDoc { units: units(leg.amount)?, other, description });
        }
        Ok((units(record.amount)?, legs))
    };
    match set() {
        Ok((units, mut legs)) => {
            document.units = units;
            legs.retain(|leg| leg.units != 0);
            if let [only] = legs.as_slice() {
                document.other = only.other.clone();
                legs.clear();
            }
            document.legs = legs;
        }
        Err(reason) => document.set_outcome(&Outcome::Refused(reason)),
    }
}
