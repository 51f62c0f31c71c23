//! The formats of a report.

use actix_web::web::Bytes;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::event::Hash;
use daybook_domain::report::{Column, Control, Heading, Row};
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::response_budget::{EncodeError, ResponseText};
use daybook_interchange::csv::Dialect;
use daybook_interchange::{csv, html, xlsx};
use daybook_service::report::View;

use crate::file::disposition;
use crate::reply::{self, Content, Reply};
use crate::report::shape::JsonWriter;
use crate::request::ApiRequest;

/// Returns the policy of a page: no script, no frame, and no style but that of the page itself.
/// `allow-modals` is what the print window needs.
fn page_policy(heading: &Heading, columns: &[Column]) -> String {
    let hash = Hash::of(html::style(heading, columns).as_bytes());
    let hash = BASE64_STANDARD.encode(hash.as_bytes());
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; sandbox allow-modals; frame-ancestors \
         'none'"
    )
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Csv {
        /// For Excel: with a byte order mark and the decimal separator of the book.
        excel: bool,
    },
    Xlsx,
    Html,
}

impl Format {
    /// Reads the parameters `format` and `excel`.
    ///
    /// # Errors
    /// 400 for an unknown value.
    pub(super) fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        let invalid = |name: &str, value: &str, expected: &str| {
            let shown: String = value.chars().take(60).collect();
            let message = format!("invalid {name} \"{shown}\": expected {expected}");
            ApiError::from(RequestError::InvalidFormat(message))
        };
        let excel = match request.text("excel").filter(|text| !text.trim().is_empty()) {
            None => false,
            Some(text) => {
                request.flag("excel").ok_or_else(|| invalid("excel", text, "true or false"))?
            }
        };
        match request.text("format").unwrap_or("json") {
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv { excel }),
            "xlsx" => Ok(Self::Xlsx),
            "html" => Ok(Self::Html),
            other => Err(invalid("format", other, "json, csv, xlsx or html")),
        }
    }

    /// Returns the headers of a report in this format.
    pub(super) fn content(self, heading: &Heading, columns: &[Column]) -> Content {
        let (media_type, extension) = match self {
            Self::Json => return Content::JSON,
            Self::Csv { .. } => ("text/csv; charset=utf-8", "csv"),
            Self::Xlsx => {
                ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx")
            }
            Self::Html => {
                return Content {
                    media_type: "text/html; charset=utf-8",
                    disposition: None,
                    policy: Some(page_policy(heading, columns)),
                };
            }
        };
        let name =
            format!("{} {} {}.{extension}", heading.book_name, heading.title, heading.period);
        Content { media_type, disposition: Some(disposition(&name, media_type)), policy: None }
    }
}

/// Writes a report row by row.
pub(super) enum ReportWriter {
    Json(JsonWriter),
    Csv(csv::Writer),
    Html(html::Writer),
}

impl ReportWriter {
    /// Writes what precedes the rows. XLSX cannot be written row by row; its rows are those of CSV.
    ///
    /// # Errors
    /// [`EncodeError::Fault`], which is a bug.
    pub(super) fn begin(
        format: Format,
        heading: &Heading,
        columns: &[Column],
        separator: DecimalSeparator,
        out: &mut Vec<u8>,
    ) -> Result<Self, EncodeError> {
        Ok(match format {
            Format::Json => Self::Json(JsonWriter::begin(heading, columns, out)?),
            Format::Csv { excel } => {
                let dialect = if excel { Dialect::Excel(separator) } else { Dialect::Standard };
                Self::Csv(csv::Writer::begin(out, heading, columns, dialect))
            }
            Format::Xlsx | Format::Html => {
                Self::Html(html::Writer::begin(out, heading, columns, separator))
            }
        })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    pub(super) fn row(&mut self, row: &Row, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Json(writer) => writer.row(row, out)?,
            Self::Csv(writer) => writer.row(out, row),
            Self::Html(writer) => writer.row(out, row),
        }
        Ok(())
    }

    /// Writes the controls and the end.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    pub(super) fn finish(self, controls: &[Control], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Json(writer) => writer.finish(controls, out)?,
            Self::Csv(writer) => writer.finish(out, controls),
            Self::Html(writer) => writer.finish(out, controls),
        }
        Ok(())
    }
}

/// Encodes a whole report.
pub(super) fn encode(view: &View, format: Format) -> Reply {
    let content = format.content(&view.report.heading, &view.report.columns);
    let body = match format {
        Format::Xlsx => encode_xlsx(view),
        Format::Json | Format::Csv { .. } | Format::Html => encode_rows(view, format),
    };
    reply::content(body, content).on_too_large("choose a shorter period or a smaller depth")
}

fn encode_xlsx(view: &View) -> Result<Bytes, EncodeError> {
    let sheet = xlsx::write(&view.report).map_err(|error| EncodeError::Fault(error.to_string()))?;
    let mut text = ResponseText::empty();
    text.push(&sheet)?;
    Ok(text.finish())
}

fn encode_rows(view: &View, format: Format) -> Result<Bytes, EncodeError> {
    let (report, separator) = (&view.report, view.separator);
    let (mut text, mut part) = (ResponseText::empty(), Vec::new());
    let mut writer =
        ReportWriter::begin(format, &report.heading, &report.columns, separator, &mut part)?;
    for row in &report.rows {
        text.push(&part)?;
        part.clear();
        writer.row(row, &mut part)?;
    }
    writer.finish(&report.controls, &mut part)?;
    text.push(&part)?;
    Ok(text.finish())
}
