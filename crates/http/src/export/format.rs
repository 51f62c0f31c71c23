//! The formats of an export.

use daybook_domain::calendar::format_iso;
use daybook_edge::error::{ApiError, RequestError};
use daybook_interchange::write;
use daybook_service::Context;
use daybook_service::export::ExportHead;

use crate::file::disposition;
use crate::reply::Content;
use crate::request::ApiRequest;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Jsonl,
    Hledger,
    Beancount,
    Csv {
        /// For Excel: with a byte order mark and the decimal separator of the book.
        excel: bool,
    },
    Xlsx,
    Zip,
}

impl Format {
    /// Reads the parameters `format` and `excel`.
    ///
    /// # Errors
    /// 400 for an unknown format.
    pub(super) fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        Ok(match request.text("format").unwrap_or("jsonl") {
            "jsonl" => Self::Jsonl,
            "hledger" => Self::Hledger,
            "beancount" => Self::Beancount,
            "csv" => Self::Csv { excel: request.flag("excel") == Some(true) },
            "xlsx" => Self::Xlsx,
            "zip" => Self::Zip,
            other => {
                let shown: String = other.chars().take(60).collect();
                let message = format!(
                    "invalid format \"{shown}\": expected jsonl, hledger, beancount, csv, xlsx or \
                     zip"
                );
                return Err(RequestError::InvalidFormat(message).into());
            }
        })
    }

    /// Returns the format of the file, or that of the lines in an archive.
    pub(super) fn of_writer(self, head: &ExportHead<'_>) -> write::Format {
        match self {
            Self::Jsonl | Self::Zip => write::Format::Jsonl,
            Self::Hledger => write::Format::Hledger,
            Self::Beancount => write::Format::Beancount,
            Self::Csv { excel } => {
                let separator = head.book.settings.decimal_separator;
                write::Format::Csv { excel: excel.then_some(separator) }
            }
            Self::Xlsx => write::Format::Xlsx,
        }
    }

    /// Returns the headers of an export of a book.
    pub(super) fn content(self, head: &ExportHead<'_>, cx: &Context) -> Content {
        let (media_type, extension) = match self {
            Self::Jsonl => ("application/x-ndjson", "jsonl"),
            Self::Hledger => ("text/x-hledger; charset=utf-8", "journal"),
            Self::Beancount => ("text/x-beancount; charset=utf-8", "beancount"),
            Self::Csv { .. } => ("text/csv; charset=utf-8", "csv"),
            Self::Xlsx => {
                ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx")
            }
            Self::Zip => ("application/zip", "zip"),
        };
        let (name, day) = (head.book.settings.name.as_str(), format_iso(cx.today(head.book)));
        let name = format!("{name} {day}.{extension}");
        Content { media_type, disposition: Some(disposition(&name, media_type)), policy: None }
    }
}
