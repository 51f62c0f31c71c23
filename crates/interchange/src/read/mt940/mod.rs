//! MT940 and MT942: customer statements of SWIFT.
//!
//! A line has the direction of its mark: `RC`, the reversal of a credit, goes out of the account.
//! The booking day is the entry date in the year in which it is nearest to the value date.

mod details;
mod fields;
mod line;

use super::limits::MAX_FIELD_BYTES;
use super::output::Output;
use super::problem::{Kind, Position, Problem, excerpt};
use super::record::{Balance, Record, Statement, Status};
use super::text::{self, collapse, column_after, non_empty};
use fields::{Field, Fields};
use line::{StatedBalance, StatedDate};

/// Reads a file.
pub(crate) fn read(content: &str, out: &mut Output<'_>) -> Result<(), Problem> {
    let mut record: Option<Record> = None;
    for field in Fields::new(content) {
        if field.tag == "86" {
            let text = text::field(field.text);
            if text.len() < field.text.len() {
                out.warn(Problem::at(field.position, Kind::FieldTooLong(MAX_FIELD_BYTES)));
            }
            if let Some(record) = &mut record {
                add_details(record, text);
            }
            continue;
        }
        if let Some(record) = record.take() {
            out.record(record)?;
        }
        match field.tag {
            "20" => out.begin(Statement::default())?,
            "25" => out.statement().account = non_empty(field.text).map(collapse),
            "60F" | "60M" => set_balance(field, out, |statement| &mut statement.opening),
            "62F" | "62M" => set_balance(field, out, |statement| &mut statement.closing),
            "61" => match line_record(field, out) {
                Ok(read) => record = Some(read),
                Err(problem) => out.refuse(problem)?,
            },
            _ => {}
        }
    }
    if let Some(record) = record {
        out.record(record)?;
    }
    if !out.has_statement() {
        return Err(Problem::of_file(Kind::NoStatement));
    }
    Ok(())
}

fn set_balance(
    field: Field<'_>,
    out: &mut Output<'_>,
    target: fn(&mut Statement) -> &mut Option<Balance>,
) {
    let Some(StatedBalance { date, currency, amount }) = line::balance(field.text) else {
        let kind = Kind::InvalidAmount(excerpt(field.text));
        out.warn(Problem::at(field.position, kind));
        return;
    };
    warn_of_day(&date, field.position, out);
    let statement = out.statement();
    statement.currency = Some(currency);
    *target(statement) = Some(Balance { amount, date: Some(date.date) });
}

fn warn_of_day(date: &StatedDate, position: Position, out: &mut Output<'_>) {
    if let Some(written) = &date.written {
        out.warn(Problem::at(position, Kind::NoSuchDay(written.clone(), date.date)));
    }
}

fn line_record(field: Field<'_>, out: &mut Output<'_>) -> Result<Record, Problem> {
    let line = line::line(text::field(field.text)).map_err(|(kind, offset)| {
        let passed = column_after(field.text.get(..offset).unwrap_or_default()) - 1;
        let column = field.position.column.saturating_add(passed);
        Problem::at(Position { column, ..field.position }, kind)
    })?;
    warn_of_day(&line.value_date, field.position, out);
    let mut record = Record::new(Position::line(field.position.line), line.amount);
    record.date = Some(line.entry_date.unwrap_or(line.value_date.date));
    record.value_date = Some(line.value_date.date);
    record.status = if line.is_expected { Status::Pending } else { Status::Booked };
    record.reference = line.reference;
    record.source_id = line.bank_reference;
    record.description = line.details.clone().unwrap_or_default();
    record.memo = line.details;
    if line.is_reversal {
        record.properties.push(("reversal".to_owned(), "yes".to_owned()));
    }
    Ok(record)
}

fn add_details(record: &mut Record, text: &str) {
    let details = details::parse(text);
    let description = details.description.as_ref().or(details.payee.as_ref());
    if let Some(description) = description.or(details.kind.as_ref()) {
        record.description.clone_from(description);
    }
    record.payee = details.payee;
    record.counterparty = details.counterparty;
    record.reference = details.reference.or(record.reference.take());
    let kind = details.kind.map(|kind| ("kind".to_owned(), kind));
    record.properties.extend(kind);
}
