//! Files on the wire (behaviour 9.6, 12.1). Bytes are stored before the use case that records them
//! runs.

mod serve;
mod shape;

use actix_web::HttpRequest;
use daybook_domain::file::File;
use daybook_service::{Context, file};

use crate::blocking;
use crate::body::Body;
use crate::cursor::{self, FileCursor};
use crate::error::ApiError;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::ListOut;

pub(crate) use serve::serve;
pub(crate) use shape::{FileIn, FileOut, url};

/// GET files (behaviour 12.1).
pub(crate) async fn list_files(asked: ApiRequest) -> ApiResult {
    let (book, base, limit) = (asked.book(), asked.base(), asked.limit());
    let below = asked.cursor().and_then(cursor::read).as_ref().map(FileCursor::place);
    let encode = move |listed: &file::Listed, _: &Context| {
        let number = listed.access.book().id;
        let items = listed.files.iter().map(|file| FileOut::new(file, number, &base)).collect();
        reply::ok(&ListOut {
            items,
            cursor: listed.next.map(FileCursor::new).as_ref().and_then(cursor::write),
        })
    };
    asked.read(move |tx, cx| file::list(tx, cx, &book, limit, below), encode).await
}

/// GET files/{id}, with the content.
pub(crate) async fn get_file(asked: ApiRequest, request: HttpRequest) -> ApiResult {
    let (book, id, base) = (asked.book(), asked.id(), asked.base());
    let find = || {
        let (book, id) = (book.clone(), id.clone());
        asked.look(move |tx, cx| file::get(tx, cx, &book, &id))
    };
    let mut view = find().await?;
    let (blobs, mut grant) = (&asked.state.blobs, asked.state.budget.grant());
    grant.cover(memory(&view.file))?;
    let bytes = match blobs.read(&book, &view.file.content.blob).await? {
        Some(bytes) => bytes,
        // Between the row and the bytes an update put others in their place.
        None => {
            view = find().await?;
            grant.cover(memory(&view.file))?;
            blobs
                .read(&book, &view.file.content.blob)
                .await?
                .ok_or_else(|| ApiError::lost(&view.file))?
        }
    };
    grant.leave_with(&request);
    let size = bytes.len();
    let encode = move || {
        let out = FileOut::new(&view.file, view.access.book().id, &base);
        reply::ok(&out.with_content(bytes)).tagged(&view.file)
    };
    blocking::compute(size, encode).await
}

/// What an answer with the content takes, in bytes: the content, and the same in Base64.
fn memory(file: &File) -> usize {
    let size = usize::try_from(file.content.size).unwrap_or_default();
    size + size.div_ceil(3) * 4
}

/// POST files.
pub(crate) async fn create_file(asked: ApiRequest, body: Body<FileIn>) -> ApiResult {
    let (book, base) = (asked.book(), asked.base());
    let (changes, bytes) = body.0.into_new()?;
    let (content, bytes) = asked.state.blobs.prepare(bytes).await?;
    let (named, draft) = (book.clone(), (changes.clone(), content.clone()));
    if let Err(error) = asked.look(move |tx, cx| file::check_create(tx, cx, &named, draft)).await {
        return asked.refuse(&book, error).await;
    }
    asked.state.blobs.put(&book, &content, bytes).await?;
    asked
        .write(
            &book.clone(),
            move |tx, cx| file::create(tx, cx, &book, (changes, content)),
            move |view, _| single(view, &base),
        )
        .await
}

/// PUT files.
pub(crate) async fn update_file(asked: ApiRequest, body: Body<FileIn>) -> ApiResult {
    let asked = asked.conditional()?;
    let (book, base) = (asked.book(), asked.base());
    let (mut changes, bytes) = body.0.into_changes()?;
    let mut unchanged = None;
    if let Some(bytes) = bytes {
        let (content, bytes) = asked.state.blobs.prepare(bytes).await?;
        changes.content = Some(content.clone());
        let (named, rehearsed) = (book.clone(), changes.clone());
        // What comes back unchanged needs no place of its own.
        match asked.look(move |tx, cx| file::check_update(tx, cx, &named, rehearsed)).await {
            Ok(true) => asked.state.blobs.put(&book, &content, bytes).await?,
            Ok(false) => unchanged = changes.content.take().map(|content| content.digest),
            Err(error) => return asked.refuse(&book, error).await,
        }
    }
    let (named, single) = (book.clone(), move |view: &file::View, _: &Context| single(view, &base));
    asked
        .write(
            &named,
            move |tx, cx| file::update(tx, cx, &book, changes, unchanged.as_deref()),
            single,
        )
        .await
}

/// DELETE files/{id} (behaviour 12.1).
pub(crate) async fn delete_file(asked: ApiRequest) -> ApiResult {
    let (book, id, base) = (asked.book(), asked.id(), asked.base());
    asked
        .conditional()?
        .write(
            &book.clone(),
            move |tx, cx| file::delete(tx, cx, &book, &id),
            move |view, _| single(view, &base),
        )
        .await
}

fn single(view: &file::View, base: &str) -> Reply {
    reply::ok(&FileOut::new(&view.file, view.access.book().id, base)).tagged(&view.file)
}
