//! Files: rows and repository. Their bytes are stored elsewhere, under the blob names kept here.
//!
//! A transaction keeps the ids of its files in a column that is NULL when it has none; an index
//! term finds the transactions that hold a file. A file is served by an address of book id, file id
//! and a token that is computed, so it is found by primary key and nobody guesses it.

use std::collections::HashSet;

use daybook_domain::access::Access;
use daybook_domain::file::{AttachedFile, Content, File, FileAddress, FileSecret, FilesById};
use daybook_domain::id::{FileId, UserId};
use daybook_domain::purpose::Record;
use diesel::prelude::*;
use diesel::sql_types::Text;

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::page::{MAX_PAGE_TEXTS, RowPart};
use crate::schema::{books, files};
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::stored::{FILES, bytes};
use crate::tx::Tx;

/// The columns of a [`Row`], for statements that name files one by one.
const COLUMNS: &str = "SELECT id, name, content_type, size, digest, blob, token, properties, \
    created_by, agent, created_at, \
    updated_at, version FROM files WHERE book_id = ";

/// The columns of an [`AttachedRow`].
const ATTACHED_COLUMNS: &str =
    "SELECT id, name, content_type, token, created_by FROM files WHERE book_id = ";

const INSERT: &str = "INSERT INTO files (book_id, id, name, content_type, size, digest, blob, \
    token, properties, created_by, \
    agent, created_at, updated_at, version)";

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

#[derive(QueryableByName)]
struct Known {
    #[diesel(sql_type = Text)]
    blob: String,
}

/// What a book knows of blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownBlobs {
    /// Those that rows of its files name.
    pub named: HashSet<String>,
    /// Whether the book is deleted, and may be about to be removed.
    pub deleted: bool,
}

impl TryFrom<Row> for File {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row {
            id,
            name,
            content_type,
            size,
            digest,
            blob,
            token,
            properties,
            created_by,
            agent,
            created_at,
            updated_at,
            version,
        } = row;
        Ok(Self {
            id: FileId::new(id),
            name,
            content_type,
            content: Content { blob, size, digest },
            token,
            properties: column::properties_from_text(properties)?,
            created_by: UserId::new(created_by),
            stamp: column::stamp(agent, created_at, updated_at, version),
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
    /// The file with that id.
    pub fn find(self, access: &Access, id: FileId) -> Result<Option<File>> {
        let query = files::table.find((access.book().id.get(), id.get()));
        let row = on_engine!(
            self.tx.flushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        row.map(File::try_from).transpose()
    }

    /// The files with these ids, as far as their properties take no more than so many bytes.
    pub fn by_ids(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = FileId>,
        most: usize,
    ) -> Result<RowPart<File>> {
        let (mut found, mut left) = (RowPart::from(Vec::new()), most);
        for chunk in distinct(ids).chunks(MAX_NAMED) {
            let wanted = with_ids(COLUMNS, access, chunk);
            let part = self.tx.flushed()?.load_part(&wanted, left, with_texts)?;
            left = part.rows.iter().map(texts).fold(left, usize::saturating_sub);
            found.rows.extend(part.rows);
            if !part.is_whole {
                found.is_whole = false;
                break;
            }
        }
        Ok(found)
    }

    /// What transactions and their events need of the files with these ids.
    pub fn attached(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = FileId>,
    ) -> Result<FilesById> {
        let mut found = Vec::new();
        for chunk in distinct(ids).chunks(MAX_NAMED) {
            let wanted = with_ids(ATTACHED_COLUMNS, access, chunk);
            let rows: Vec<AttachedRow> = on_engine!(self.tx.flushed()?, c => (&wanted).load(c))?;
            found.extend(rows.into_iter().map(AttachedFile::from));
        }
        Ok(FilesById::new(found))
    }

    /// Files newest first, up to `limit`, as far as their properties have room in a page: those
    /// below an id, and when told so only what one user made.
    pub fn list(
        self,
        access: &Access,
        made_by: Option<UserId>,
        below: Option<FileId>,
        limit: i64,
    ) -> Result<RowPart<File>> {
        let mut wanted = Sql::new(COLUMNS).int(access.book().id.get());
        if let Some(user) = made_by {
            wanted = wanted.push(" AND created_by = ").int(user.get());
        }
        if let Some(id) = below {
            wanted = wanted.push(" AND id < ").int(id.get());
        }
        wanted = wanted.push(" ORDER BY id DESC LIMIT ").int(limit);
        self.tx.flushed()?.load_part(&wanted, MAX_PAGE_TEXTS, with_texts)
    }

    /// The file that an address names, with the public id of its book and the secret that tells
    /// whether the address is the right one.
    pub fn named_by(self, address: &FileAddress) -> Result<Option<(String, FileSecret, File)>> {
        let FileAddress { book, file, token: _ } = address;
        let query = files::table.find((book.get(), file.get()));
        let row = on_engine!(
            self.tx.flushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        let Some(row) = row else { return Ok(None) };
        let living = books::table.find(book.get()).filter(books::deleted_at.is_null());
        let query = living.select((books::public_id, books::file_secret));
        let found: Option<(String, String)> =
            on_engine!(self.tx.flushed()?, c => query.get_result(c).optional())?;
        let Some((public_id, secret)) = found else { return Ok(None) };
        Ok(Some((public_id, FileSecret::new(secret), File::try_from(row)?)))
    }

    /// Which of these blobs a book knows, by its public id; none when there is no such book, which
    /// is there as long as it is not wholly removed. For the sweep, which belongs to no caller.
    pub fn known_blobs(self, public_id: &str, blobs: &[String]) -> Result<Option<KnownBlobs>> {
        let Some(number) = self.tx.book_number(public_id)? else { return Ok(None) };
        let query = books::table.find(number.get()).filter(books::public_id.eq(public_id));
        let query = query.select((books::id, books::deleted_at.is_not_null()));
        let book: Option<(i64, bool)> =
            on_engine!(self.tx.flushed()?, c => query.get_result(c).optional())?;
        let Some((book, deleted)) = book else { return Ok(None) };
        let mut found = HashSet::new();
        for chunk in blobs.chunks(MAX_NAMED) {
            let names = chunk.iter().map(|blob| Value::Text(blob.as_str().into()));
            let known = Sql::new("SELECT blob FROM files WHERE book_id = ")
                .int(book)
                .push(" AND blob IN ")
                .list(names)
                .uncached();
            let rows: Vec<Known> = on_engine!(self.tx.flushed()?, c => (&known).load(c))?;
            found.extend(rows.into_iter().map(|row| row.blob));
        }
        Ok(Some(KnownBlobs { named: found, deleted }))
    }

    /// Adds files.
    pub fn insert(self, access: &AccessTo<Record>, added: &[File]) -> Result<()> {
        // An insert of nothing must not flush the write buffer.
        if added.is_empty() { Ok(()) } else { self.write(access, added, "", 0) }
    }

    /// Saves a changed file.
    pub fn update(self, access: &AccessTo<Record>, changed: &File) -> Result<()> {
        let before = self.tx.counted_bytes(&FILES, access.book().id, &[changed.id.get()])?;
        self.write(
            access,
            std::slice::from_ref(changed),
            " ON CONFLICT (book_id, id) DO UPDATE SET name = excluded.name, content_type = \
                excluded.content_type, \
              size = excluded.size, digest = excluded.digest, blob = excluded.blob, properties = \
              excluded.properties, \
              updated_at = excluded.updated_at, version = excluded.version",
            before,
        )
    }

    /// Writes files, for which so many bytes counted before.
    fn write(
        self,
        access: &Access,
        files: &[File],
        conflict: &'static str,
        before: i64,
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
        let after = self.tx.counted_bytes(&FILES, access.book().id, &ids)?;
        self.tx.note_stored(access.book().id, bytes(after.saturating_sub(before)))
    }

    /// Removes a file; its bytes are left to the sweep.
    pub fn delete(self, access: &AccessTo<Record>, id: FileId) -> Result<()> {
        let book = access.book().id;
        let gone = self.tx.counted_bytes(&FILES, book, &[id.get()])?;
        let target = files::table.find((book.get(), id.get()));
        on_engine!(self.tx.flushed()?, c => diesel::delete(target).execute(c))?;
        self.tx.note_stored(book, bytes(gone.saturating_neg()))
    }
}

fn distinct(ids: impl IntoIterator<Item = FileId>) -> Vec<FileId> {
    let mut ids: Vec<FileId> = ids.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn with_ids<'a>(columns: &'static str, access: &Access, ids: &[FileId]) -> Sql<'a> {
    let named = ids.iter().map(|id| Value::Int(id.get()));
    let of_book = Sql::new(columns).int(access.book().id.get());
    of_book.push(" AND id IN ").list(named).cached_up_to(ids.len())
}

/// A file, and how many bytes its properties take.
fn with_texts(row: Row) -> Result<(File, usize)> {
    let file = File::try_from(row)?;
    let texts = texts(&file);
    Ok((file, texts))
}

fn texts(file: &File) -> usize {
    file.properties.bytes()
}
