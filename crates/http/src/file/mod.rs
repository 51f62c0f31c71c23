//! Files: handlers and wire shapes (behaviour 9.6, 12.1).
//!
//! The bytes of a file are a blob ([`daybook_blobs`]), outside the database. `store` writes the
//! blob before the unit of work that inserts its row, so every row has its bytes; a sweep removes
//! blobs without a row. `serve` sends a file at its unguessable address without authentication.

mod serve;
pub(crate) mod shape;
mod store;

use daybook_domain::file::File;
use daybook_edge::{blocking, response_budget};
use daybook_service::{Context, file};

use crate::body::Body;
use crate::cursor::{self, FileCursor};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::PageEnd;

use store::Update;

pub(crate) use serve::{disposition, matches_tag, serve};
pub(crate) use shape::{FileIn, FileOut, url};
pub(crate) use store::{store_attachments, store_bytes, store_contents, take_upload};

/// GET files (behaviour 12.1).
pub(crate) async fn list_files(request: ApiRequest) -> ApiResult {
    let (book, base, limit) = (request.book(), request.base(), request.limit());
    let below = request.cursor().and_then(cursor::read).as_ref().map(FileCursor::key);
    let encode = move |listed: &file::Listed, _: &Context| {
        let book = listed.access.book();
        let end = |last: Option<&File>| {
            PageEnd::at(last.map(|file| file.id).or(listed.next).map(FileCursor::new))
        };
        let shape = |file| Ok(FileOut::new(file, book, &base));
        reply::json(response_budget::encode_page(&listed.files, shape, end))
    };
    request.read_replicated(move |tx, cx| file::list(tx, cx, &book, limit, below), encode).await
}

/// GET files/{id}, with the content.
pub(crate) async fn get_file(request: ApiRequest) -> ApiResult {
    let (book, id, base) = (request.book(), request.id(), request.base());
    let find = async || {
        let (book, id) = (book.clone(), id.clone());
        request.on_snapshot(move |tx, cx| file::get(tx, cx, &book, &id)).await
    };
    let first = find().await?;
    let (blobs, mut memory) = (&request.state.blobs, request.memory());
    let open = async |view: &file::View| {
        memory.grow_to(response_memory(&view.file))?;
        blobs.read(&book, &view.file.content.blob).await
    };
    let (view, bytes) = daybook_blobs::open_with_row(first, find, open, |view| &view.file).await?;
    daybook_blobs::verify(&book, &view.file, &bytes).await?;
    let size = bytes.len();
    let encode = move || {
        let out = FileOut::new(&view.file, view.access.book(), &base);
        reply::ok(&out.with_content(bytes)).with_etag(&view.file).with_memory(Some(memory))
    };
    Ok(blocking::compute(size, encode).await?)
}

/// Returns the memory for a response with the content: the content, and its Base64.
fn response_memory(file: &File) -> usize {
    let size = usize::try_from(file.content.size).unwrap_or_default();
    size + size.div_ceil(3) * 4
}

/// POST files.
pub(crate) async fn create_file(request: ApiRequest, body: Body<FileIn>) -> ApiResult {
    let base = request.base();
    let (changes, bytes) = body.0.into_new()?;
    let content = match store::store_new_file(&request, &changes, bytes).await {
        Ok(content) => content,
        Err(error) => return request.replay_or_refuse(error).await,
    };
    request
        .write_book(
            move |tx, cx, book| file::create(tx, cx, book, changes, content),
            move |view, _| to_reply(view, &base),
        )
        .await
}

/// PUT files.
pub(crate) async fn update_file(request: ApiRequest, body: Body<FileIn>) -> ApiResult {
    let request = request.conditional()?;
    let base = request.base();
    let (mut changes, bytes) = body.0.into_changes()?;
    let mut unchanged = None;
    if let Some(bytes) = bytes {
        match store::store_changed_file(&request, &changes, bytes).await {
            Ok(Update::New(content)) => changes.content = Some(content),
            Ok(Update::Unchanged(digest)) => unchanged = Some(digest),
            Err(error) => return request.replay_or_refuse(error).await,
        }
    }
    request
        .write_book(
            move |tx, cx, book| file::update(tx, cx, book, changes, unchanged.as_deref()),
            move |view, _| to_reply(view, &base),
        )
        .await
}

/// DELETE files/{id} (behaviour 12.1).
pub(crate) async fn delete_file(request: ApiRequest) -> ApiResult {
    let (id, base) = (request.id(), request.base());
    request
        .conditional()?
        .write_book(
            move |tx, cx, book| file::delete(tx, cx, book, &id),
            move |view, _| to_reply(view, &base),
        )
        .await
}

fn to_reply(view: &file::View, base: &str) -> Reply {
    reply::ok(&FileOut::new(&view.file, view.access.book(), base)).with_etag(&view.file)
}
