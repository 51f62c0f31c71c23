//! Exports: parameters, formats and handlers (behaviour 16).
//!
//! An export is sent while it is read, like a report with a row for each transaction. Only a
//! spreadsheet is built first.

mod archive;
mod blob_reader;
mod format;
mod sink;

use actix_web::HttpResponse;
use daybook_edge::error::ApiError;
use daybook_service::Context;
use daybook_service::export;
use daybook_storage::Tx;

use crate::read_stream;
use crate::reply::ApiResult;
use crate::request::ApiRequest;
use crate::sealed_link::{self, LinkedOperation};
use archive::write_archive;
use blob_reader::BlobReader;
use format::Format;
use sink::ExportChunks;

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
        Some(blobs) => write_archive(tx, cx, &book, query.as_deref(), chunks, &blobs),
        None => {
            let mut sink = ExportChunks::new(format, cx, chunks);
            export::stream(tx, cx, &book, query.as_deref(), &mut sink)
        }
    })
    .await
}
