//! The JSON of a report (behaviour 13.4).

use std::borrow::Cow;

use daybook_domain::amount::write_units;
use daybook_domain::calendar::format_iso;
use daybook_domain::event::Hash;
use daybook_domain::report::{Cell, Column, Control, Heading, Row, Subject};
use serde::Serialize;

/// The heading of a report: the fields before its columns.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeadingOut<'r> {
    report: &'static str,
    title: &'r str,
    book: BookOut<'r>,
    period: PeriodOut<'r>,
    omitted_drafts: u64,
    filters: &'r [String],
    notes: &'r [String],
    last_event: LastEventOut,
    computed_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BookOut<'r> {
    id: &'r str,
    name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'r str>,
    fraction_digits: u32,
}

#[derive(Serialize)]
struct PeriodOut<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    until: String,
    text: &'r str,
}

#[derive(Serialize)]
pub(super) struct LastEventOut {
    pub(super) sequence: i64,
    pub(super) hash: String,
}

#[derive(Serialize)]
struct ColumnOut<'r> {
    key: &'r str,
    label: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<&'r str>,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowOut<'r> {
    kind: &'static str,
    depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<String>,
    cells: Vec<Cow<'r, str>>,
}

#[derive(Serialize)]
struct ControlOut<'r> {
    label: &'r str,
    left: String,
    right: String,
    holds: bool,
}

/// Writes a report as JSON, row by row.
pub(super) struct JsonWriter {
    scale: u32,
    fraction_digits: u32,
    rows: u64,
}

impl JsonWriter {
    /// Writes the heading and the columns.
    ///
    /// # Errors
    /// Only if a value cannot be serialized, which is a bug.
    pub(super) fn begin(
        heading: &Heading,
        columns: &[Column],
        out: &mut Vec<u8>,
    ) -> serde_json::Result<Self> {
        let heading_out = serde_json::to_vec(&heading_out(heading))?;
        out.extend_from_slice(heading_out.strip_suffix(b"}").unwrap_or(&heading_out));
        out.extend_from_slice(b",\"columns\":");
        let columns: Vec<ColumnOut<'_>> = columns.iter().map(column_out).collect();
        serde_json::to_writer(&mut *out, &columns)?;
        out.extend_from_slice(b",\"rows\":[");
        let Heading { scale, fraction_digits, .. } = heading;
        Ok(Self { scale: *scale, fraction_digits: *fraction_digits, rows: 0 })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    pub(super) fn row(&mut self, row: &Row, out: &mut Vec<u8>) -> serde_json::Result<()> {
        if self.rows > 0 {
            out.push(b',');
        }
        self.rows = self.rows.saturating_add(1);
        serde_json::to_writer(out, &self.row_out(row))
    }

    /// Writes the controls and the end.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    pub(super) fn finish(self, controls: &[Control], out: &mut Vec<u8>) -> serde_json::Result<()> {
        let controls: Vec<ControlOut<'_>> =
            controls.iter().map(|control| self.control_out(control)).collect();
        out.extend_from_slice(b"],\"controls\":");
        serde_json::to_writer(&mut *out, &controls)?;
        out.push(b'}');
        Ok(())
    }

    fn control_out<'r>(&self, control: &'r Control) -> ControlOut<'r> {
        let Control { label, is_count, left, right } = control;
        let text = |side: i128| if *is_count { side.to_string() } else { self.amount(side) };
        let (left, right) = (text(*left), text(*right));
        ControlOut { label, left, right, holds: control.holds() }
    }

    fn amount(&self, units: i128) -> String {
        write_units(units, self.scale, self.fraction_digits)
    }

    fn row_out<'r>(&self, row: &'r Row) -> RowOut<'r> {
        let (mut account_id, mut group_id, mut transaction_id) = (None, None, None);
        match row.subject {
            Some(Subject::Account(id)) => account_id = Some(id.to_string()),
            Some(Subject::Group(id)) => group_id = Some(id.to_string()),
            Some(Subject::Transaction(id)) => transaction_id = Some(id.to_string()),
            None => {}
        }
        RowOut {
            kind: row.kind.as_str(),
            depth: row.depth,
            account_id,
            group_id,
            transaction_id,
            cells: row.cells.iter().map(|cell| self.cell(cell)).collect(),
        }
    }

    /// Returns the text of a cell. Amounts are decimals, as everywhere in the API.
    fn cell<'r>(&self, cell: &'r Cell) -> Cow<'r, str> {
        match cell {
            Cell::Empty => "".into(),
            Cell::Text(text) => text.into(),
            Cell::Date(day) => format_iso(*day).into(),
            Cell::Instant(at) => at.milliseconds().to_string().into(),
            Cell::Amount(units) => self.amount(*units).into(),
            Cell::Percent(tenths) => write_units(i128::from(*tenths), 1, 1).into(),
            Cell::Number(number) => number.to_string().into(),
        }
    }
}

fn heading_out(heading: &Heading) -> HeadingOut<'_> {
    HeadingOut {
        report: heading.kind.as_str(),
        title: &heading.title,
        book: BookOut {
            id: heading.book.as_str(),
            name: &heading.book_name,
            currency: heading.currency.as_deref(),
            fraction_digits: heading.fraction_digits,
        },
        period: PeriodOut {
            from: heading.from.map(format_iso),
            until: format_iso(heading.until),
            text: &heading.period,
        },
        omitted_drafts: heading.omitted_drafts,
        filters: &heading.filters,
        notes: &heading.notes,
        last_event: LastEventOut {
            sequence: heading.head.sequence,
            hash: Hash::to_string(&heading.head.hash),
        },
        computed_at: heading.computed_at.milliseconds().to_string(),
    }
}

fn column_out(column: &Column) -> ColumnOut<'_> {
    ColumnOut {
        key: &column.key,
        label: &column.label,
        over: column.over.as_deref(),
        kind: column.kind.as_str(),
    }
}
