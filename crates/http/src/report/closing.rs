//! closeBook: the closing date, and the reports of its day as files (behaviour 13.13).

use daybook_domain::calendar::format_iso;
use daybook_domain::event::Hash;
use daybook_domain::file::Content;
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_interchange::xlsx;
use daybook_service::Context;
use daybook_service::report::{self, ClosingReports, ClosingView};
use daybook_storage::Tx;
use serde::{Deserialize, Serialize};

use super::shape::LastEventOut;
use crate::body::Body;
use crate::file::{FileOut, store_contents};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::objects_only;

/// The body of a closing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct ClosingIn {
    #[serde(default)]
    closing_date: Option<String>,
}

objects_only!(ClosingIn);

/// A closing with its files.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClosingOut<'v> {
    closing_date: String,
    last_event: LastEventOut,
    files: Vec<FileOut<'v>>,
}

/// POST books/{bookId}/close.
pub(crate) async fn close_book(request: ApiRequest, body: Body<ClosingIn>) -> ApiResult {
    let (base, ClosingIn { closing_date }) = (request.base(), body.0);
    let (prepared, contents) = match store_reports(&request, closing_date).await {
        Ok(stored) => stored,
        Err(error) => return request.replay_or_refuse(error).await,
    };
    request
        .write_book(
            move |tx, cx, book| report::close(tx, cx, book, &prepared, contents),
            move |view, _| to_reply(view, &base),
        )
        .await
}

/// Computes the reports and stores their bytes.
async fn store_reports(
    request: &ApiRequest,
    day: Option<String>,
) -> Result<(ClosingReports, Vec<Content>), ApiError> {
    request.check_write()?;
    let book = request.book();
    let prepare =
        move |tx: &mut Tx<'_>, cx: &Context| report::prepare_closing(tx, cx, &book, day.as_deref());
    let prepared = request.on_snapshot(prepare).await?;
    let encode = move || {
        let sheets: Result<Vec<Vec<u8>>, _> = prepared.reports.iter().map(xlsx::write).collect();
        sheets.map(|sheets| (prepared, sheets))
    };
    let encoded = block(encode).await?;
    let (prepared, sheets) = encoded.map_err(|error| RequestError::Failed(error.to_string()))?;
    let contents = store_contents(request, sheets).await?;
    Ok((prepared, contents))
}

fn to_reply(view: &ClosingView, base: &str) -> Reply {
    let ClosingView { access, closing, files } = view;
    reply::ok(&ClosingOut {
        closing_date: format_iso(closing.day),
        last_event: LastEventOut {
            sequence: closing.head.sequence,
            hash: Hash::to_string(&closing.head.hash),
        },
        files: files.iter().map(|file| FileOut::new(file, access.book(), base)).collect(),
    })
}
