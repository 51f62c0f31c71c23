//! Reports: parameters, formats and handlers (behaviour 13).
//!
//! Most reports are computed whole. The general ledger, the journal and the changes are sent while
//! they are read ([`stream`]), because a book may have millions of transactions; only as a
//! spreadsheet are they computed whole, with a limit of rows.

mod closing;
mod format;
mod shape;

mod stream;

use actix_web::{Either, HttpResponse};
use daybook_domain::report::ReportKind;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::Context;
use daybook_service::report::{self, ParameterTexts, View};
use daybook_storage::Tx;

use crate::reply::{ApiResult, Reply};
use crate::request::ApiRequest;
use crate::sealed_link::{self, LinkedOperation};
use format::{Format, encode};

pub(crate) use closing::close_book;

/// The names of the parameters, besides `format` and `excel`.
const PARAMETERS: [&str; 7] = ["period", "after", "compare", "columns", "depth", "zeros", "query"];

/// Reads the report and its parameters.
///
/// # Errors
/// 404 for an unknown report; 400 for an unknown format.
fn read_parameters(request: &ApiRequest) -> Result<(ReportKind, ParameterTexts, Format), ApiError> {
    let kind = ReportKind::from_name(&request.id()).ok_or(RequestError::UnknownRoute)?;
    let format = Format::read(request)?;
    let texts = PARAMETERS.map(|name| request.text(name).map(str::to_owned));
    let [period, after, compare, columns, depth, zeros, query] = texts;
    let texts = ParameterTexts { period, after, compare, columns, depth, zeros, query };
    Ok((kind, texts, format))
}

/// GET a link to a report (behaviour 13.14).
pub(crate) async fn get_report_link(request: ApiRequest) -> ApiResult {
    let (kind, texts, _) = read_parameters(&request)?;
    let book = request.book();
    let check = move |tx: &mut Tx<'_>, cx: &Context| report::check(tx, cx, &book, kind, &texts);
    request.on_snapshot(check).await?;
    sealed_link::create(&request, LinkedOperation::Report)
}

/// GET a report.
pub(crate) async fn get_report(
    request: ApiRequest,
) -> Result<Either<Reply, HttpResponse>, ApiError> {
    let (kind, texts, format) = read_parameters(&request)?;
    if kind.is_streamed() && format != Format::Xlsx {
        let response = stream::send(request, kind, texts, format).await?;
        return Ok(Either::Right(response));
    }
    let book = request.book();
    let work = move |tx: &mut Tx<'_>, cx: &Context| report::compute(tx, cx, &book, kind, &texts);
    let encode = move |view: &View, _: &Context| encode(view, format);
    Ok(Either::Left(request.read_replicated(work, encode).await?))
}
