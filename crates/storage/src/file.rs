//! Files. Their contents are stored elsewhere, under the blob names in these rows.
//!
//! A transaction has the ids of its files in a column that is NULL without files; an index term
//! finds the transactions that refer to a file. The URL of a file has the book id, the file id and
//! a computed token, so a file is found by primary key and cannot be guessed.

use std::collections::HashSet;

use daybook_domain::access::Access;
use daybook_domain::file::{AttachedFile, Content, File, FileAddress, FileSecret, FilesById};
use daybook_domain::id::{FileId, UserId};
use daybook_domain::purpose::Record;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value};
use crate::error::{Error, Result};
use crate::page::{MAX_PAGE_TEXT_BYTES, RowPart};
use crate::rows::column;
use crate::schema::{books, files};
use crate::storage_quota::size::of_bytes;
use crate::storage_quota::usage::FILES;

/// Selects the columns of a [`Row`].
const COLUMNS: &str = "SELECT id, name, content_type, size, digest, blob, token, properties, \
    created_by, agent, created_at, updated_at, version FROM files WHERE book_id = {}";

/// Selects the columns of an [`AttachedRow`].
const ATTACHED_COLUMNS: &str =
    "SELECT id, name, content_type, token, created_by FROM files WHERE book_id = {}";

const INSERT: &str = "INSERT INTO files (book_id, id, name, content_type, size, digest, blob, \
    token, properties, created_by, agent, created_at, updated_at, version)";

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = files)]
struct Row {
    id: i64,
    name: String,
    content_type: String,
    size: i64,
    digest: String,
    blob: String,
    token: String,
    properties: Option<String>,
    created_by: i64,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

#[derive(QueryableByName)]
#[diesel(table_name = files)]
struct AttachedRow {
    id: i64,
    name: String,
    content_type: String,
    token: String,
    created_by: i64,
}

/// The blobs that a book refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownBlobs {
    /// The blob names in its files.
    pub named: HashSet<String>,
    /// Whether the book is deleted and may be removed soon.
    pub deleted: bool,
}

impl TryFrom<Row> for File {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: FileId::new(row.id),
            name: row.name,
            content_type: row.content_type,
            content: Content { blob: row.blob, size: row.size, digest: row.digest },
            token: row.token,
            properties: column::properties_from_text(row.properties)?,
            created_by: UserId::new(row.created_by),
            stamp: column::stamp(row.agent, row.created_at, row.updated_at, row.version),
        })
    }
}

impl From<AttachedRow> for AttachedFile {
    fn from(row: AttachedRow) -> Self {
        let AttachedRow { id, name, content_type, token, created_by } = row;
        let (id, created_by) = (FileId::new(id), UserId::new(created_by));
        Self { id, name, content_type, token, created_by }
    }
}

/// The files of a book.
pub struct Files<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Files<'_, '_> {
    /// Finds a file by id.
    pub fn find(self, access: &Access, id: FileId) -> Result<Option<File>> {
        let query = files::table.find((access.book().id.get(), id.get()));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Loads the files with these ids until their properties exceed `max_bytes`.
    pub fn by_ids(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = FileId>,
        max_bytes: usize,
    ) -> Result<RowPart<File>> {
        let mut found = RowPart::from(Vec::new());
        let mut left = max_bytes;
        let ids = distinct(ids);
        let queries = Sql::new(COLUMNS).bind(access.book().id).push(" AND id IN ");
        for query in queries.in_chunks(&ids) {
            let part = self.tx.flushed()?.load_part(&query, left, with_texts)?;
            left = part.rows.iter().map(texts).fold(left, usize::saturating_sub);
            found.rows.extend(part.rows);
            if !part.is_whole {
                found.is_whole = false;
                break;
            }
        }
        Ok(found)
    }

    /// Loads the parts of files that transactions and their events show.
    pub fn attached(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = FileId>,
    ) -> Result<FilesById> {
        let mut found = Vec::new();
        let ids = distinct(ids);
        let queries = Sql::new(ATTACHED_COLUMNS).bind(access.book().id).push(" AND id IN ");
        for query in queries.in_chunks(&ids) {
            let rows: Vec<AttachedRow> = self.tx.flushed()?.load(&query)?;
            found.extend(rows.into_iter().map(AttachedFile::from));
        }
        Ok(FilesById::new(found))
    }

    /// Lists files below an id, newest first, up to `limit` and up to the text limit of a page.
    ///
    /// `created_by` restricts the list to the files of one user.
    pub fn list(
        self,
        access: &Access,
        created_by: Option<UserId>,
        below: Option<FileId>,
        limit: i64,
    ) -> Result<RowPart<File>> {
        let mut query = Sql::new(COLUMNS).bind(access.book().id);
        if let Some(user) = created_by {
            query = query.push(" AND created_by = {}").bind(user);
        }
        if let Some(id) = below {
            query = query.push(" AND id < {}").bind(id);
        }
        query = query.push(" ORDER BY id DESC LIMIT {}").bind(limit);
        self.tx.flushed()?.load_part(&query, MAX_PAGE_TEXT_BYTES, with_texts)
    }

    /// Finds the file of an address, with the public id of its book and the secret that verifies
    /// the address.
    pub fn find_by_address(
        self,
        address: &FileAddress,
    ) -> Result<Option<(String, FileSecret, File)>> {
        let FileAddress { book, file, token: _ } = address;
        let query = files::table.find((book.get(), file.get()));
        let row = self.tx.flushed()?.select_first::<Row, File>(query)?;
        let Some(found_file) = row else { return Ok(None) };
        let book = books::table.find(book.get()).filter(books::deleted_at.is_null());
        let query = book.select((books::public_id, books::file_secret));
        let found: Option<(String, String)> = self.tx.flushed()?.first(query)?;
        let Some((public_id, secret)) = found else { return Ok(None) };
        Ok(Some((public_id, FileSecret::new(secret), found_file)))
    }

    /// Returns which of these blobs a book refers to, for the sweep of blobs.
    ///
    /// Returns nothing if there is no such book. A book exists until it is completely removed.
    pub fn known_blobs(self, public_id: &str, blobs: &[String]) -> Result<Option<KnownBlobs>> {
        let Some(number) = self.tx.book_number(public_id)? else { return Ok(None) };
        let query = books::table.find(number.get()).filter(books::public_id.eq(public_id));
        let query = query.select((books::id, books::deleted_at.is_not_null()));
        let book: Option<(i64, bool)> = self.tx.flushed()?.first(query)?;
        let Some((book, deleted)) = book else { return Ok(None) };
        let mut found = HashSet::new();
        let queries = Sql::new("SELECT blob FROM files WHERE book_id = {} AND blob IN ").bind(book);
        for query in queries.uncached().in_chunks(blobs) {
            found.extend(self.tx.flushed()?.rows::<String>(&query)?);
        }
        let imported = Sql::new("SELECT source, preview FROM imports WHERE book_id = {}").bind(book);
        let imported = self.tx.flushed()?.rows::<(Option<String>, Option<String>)>(&imported)?;
        let imported = imported.into_iter().flat_map(|(source, preview)| [source, preview]);
        found.extend(imported.flatten().filter(|blob| blobs.contains(blob)));
        Ok(Some(KnownBlobs { named: found, deleted }))
    }

    /// Inserts files.
    pub fn insert(self, access: &AccessTo<Record>, new: &[File]) -> Result<()> {
        // An empty insert must not flush the write buffer.
        if new.is_empty() { Ok(()) } else { self.write(access, new, "", 0) }
    }

    /// Saves a changed file.
    pub fn update(self, access: &AccessTo<Record>, changed: &File) -> Result<()> {
        let before = self.tx.bytes_of_rows(&FILES, access.book().id, &[changed.id.get()])?;
        self.write(
            access,
            std::slice::from_ref(changed),
            " ON CONFLICT (book_id, id) DO UPDATE SET name = excluded.name, \
              content_type = excluded.content_type, size = excluded.size, \
              digest = excluded.digest, blob = excluded.blob, properties = excluded.properties, \
              updated_at = excluded.updated_at, version = excluded.version",
            before,
        )
    }

    /// Writes files. `bytes_before` is the storage usage of the replaced rows.
    fn write(
        self,
        access: &Access,
        files: &[File],
        conflict: &'static str,
        bytes_before: i64,
    ) -> Result<()> {
        let mut rows = Bulk::new(INSERT, 14, conflict);
        for File { id, name, content_type, content, token, properties, created_by, stamp } in files
        {
            let Content { blob, size, digest } = content;
            rows.row([
                Value::Int(access.book().id.get()),
                Value::Int(id.get()),
                Value::Text(name.as_str().into()),
                Value::Text(content_type.as_str().into()),
                Value::Int(*size),
                Value::Text(digest.as_str().into()),
                Value::Text(blob.as_str().into()),
                Value::Text(token.as_str().into()),
                Value::SomeText(column::properties_to_text(properties).map(Into::into)),
                Value::Int(created_by.get()),
                Value::SomeText(stamp.agent.as_deref().map(Into::into)),
                Value::Int(stamp.created_at.milliseconds()),
                Value::Int(stamp.updated_at.milliseconds()),
                Value::Int(stamp.version),
            ]);
        }
        self.tx.flushed()?.write(rows)?;
        let ids: Vec<i64> = files.iter().map(|file| file.id.get()).collect();
        self.tx.add_growth(&FILES, access.book().id, &ids, bytes_before)
    }

    /// Deletes a file. The sweep removes its blob.
    pub fn delete(self, access: &AccessTo<Record>, id: FileId) -> Result<()> {
        let book = access.book().id;
        let bytes = self.tx.bytes_of_rows(&FILES, book, &[id.get()])?;
        let target = files::table.find((book.get(), id.get()));
        self.tx.flushed()?.run(diesel::delete(target))?;
        self.tx.add_usage(book, of_bytes(bytes.saturating_neg()))
    }
}

fn distinct(ids: impl IntoIterator<Item = FileId>) -> Vec<FileId> {
    let mut ids: Vec<FileId> = ids.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Converts a row; returns the file and the size of its properties.
fn with_texts(row: Row) -> Result<(File, usize)> {
    let file = File::try_from(row)?;
    let texts = texts(&file);
    Ok((file, texts))
}

fn texts(file: &File) -> usize {
    file.properties.bytes()
}
