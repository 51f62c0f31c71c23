//! Exports: parameters, formats and handlers (behaviour 16).
//!
//! An export is sent while it is read, like a report with a row for each transaction. Only a
//! spreadsheet is built first.

mod archive;
mod blob_reader;
mod sink;

use actix_web::HttpResponse;
use daybook_domain::calendar::format_iso;
use daybook_edge::error::{ApiError, RequestError};
use daybook_interchange::write;
use daybook_service::Context;
use daybook_service::export::{self, ExportHead};
use daybook_storage::Tx;

use crate::file::disposition;
use crate::read_stream;
use crate::reply::{ApiResult, Content};
use crate::request::ApiRequest;
use crate::sealed_link::{self, LinkedOperation};
use archive::write_archive;
use blob_reader::BlobReader;
use sink::ExportChunks;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
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
    fn read(request: &ApiRequest) -> Result<Self, ApiError> {
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
    fn of_writer(self, head: &ExportHead<'_>) -> write::Format {
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
    fn content(self, head: &ExportHead<'_>, cx: &Context) -> Content {
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

/// Returns the query; none for the whole book.
fn read_query(request: &ApiRequest) -> Option<String> {
    let query = request.text("query").map(str::trim).filter(|query| !query.is_empty());
    query.map(str::to_owned)
}

/// GET a link to an export (behaviour 16.8).
pub(crate) async fn get_export_link(request: ApiRequest) -> ApiResult {
    Format::read(&request)?;
    let (book, query) = (request.book(), read_query(&request));
    let check = move |tx: &mut Tx<'_>, cx: &Context| export::check(tx, cx, &book, query.as_deref());
    request.on_snapshot(check).await?;
    sealed_link::create(&request, LinkedOperation::Export)
}

/// GET an export.
pub(crate) async fn export_book(request: ApiRequest) -> Result<HttpResponse, ApiError> {
    let format = Format::read(&request)?;
    let (book, query) = (request.book(), read_query(&request));
    let blobs = (format == Format::Zip).then(|| BlobReader::start(request.state.clone()));
    read_stream::send(request, move |tx, cx, chunks| match blobs {
        Some(blobs) => write_archive(tx, cx, (&book, query.as_deref()), chunks, &blobs),
        None => {
            let mut sink = ExportChunks::new(format, cx, chunks);
            export::stream(tx, cx, &book, query.as_deref(), &mut sink)
        }
    })
    .await
}
