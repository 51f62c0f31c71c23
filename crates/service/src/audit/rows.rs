//! Comparison of the rows of a book with the last events of its resources (behaviour 6.25).

use std::collections::HashSet;

use daybook_domain::access::Access;
use daybook_domain::audit::{AuditedRow, Finding, FindingKind, Findings};
use daybook_domain::comment::Comment;
use daybook_domain::group::Forest;
use daybook_domain::id::{CollaboratorId, FileId};
use daybook_domain::instant::Stamp;
use daybook_domain::permission::Permission;
use daybook_storage::Tx;

use super::portion::{FIRST_PORTION, next_limit};
use crate::error::{Error, Result};

/// Compares all rows, in portions. Returns `None` if it gave up.
///
/// `is_proved` means that the log proves the transactions that came with the book (behaviour 6.20).
pub(super) fn compare(
    tx: &mut Tx<'_>,
    access: &Access,
    is_proved: bool,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Findings>> {
    let mut findings = Findings::default();
    compare_book(tx, access, &mut findings)?;
    compare_chart(tx, access, &mut findings)?;
    compare_collaborators(tx, access, &mut findings)?;
    if stop()
        || !compare_files(tx, access, stop, &mut findings)?
        || !compare_comments(tx, access, stop, &mut findings)?
        || !compare_transactions(tx, access, is_proved, stop, &mut findings)?
        || !check_texts(tx, access, stop, &mut findings)?
    {
        return Ok(None);
    }
    Ok(Some(findings))
}

/// A row of a resource.
struct ComparedRow<'r> {
    id: i64,
    row: AuditedRow<'r>,
    /// Whether the row may have come with the book, without an event of its own.
    came_with_book: bool,
}

/// Compares these rows with the last events of their resources.
fn compare_rows(
    tx: &mut Tx<'_>,
    access: &Access,
    mut rows: Vec<ComparedRow<'_>>,
    findings: &mut Findings,
) -> Result<()> {
    rows.sort_unstable_by_key(|compared| compared.id);
    let ids: Vec<i64> = rows.iter().map(|compared| compared.id).collect();
    let mut seen = HashSet::with_capacity(ids.len());
    tx.audits().last_events(access, &ids, |resource, last| {
        seen.insert(resource);
        let place = rows.binary_search_by_key(&resource, |compared| compared.id).ok();
        if let (Some(compared), Some(last)) = (place.and_then(|place| rows.get(place)), last) {
            compared.row.compare(&last, findings);
        }
    })?;
    for ComparedRow { id, row, came_with_book } in &rows {
        if !seen.contains(id) && !came_with_book {
            row.add_without_event(findings);
        }
    }
    Ok(())
}

/// Returns whether a row is as old as its book.
fn came_with_book(access: &Access, stamp: &Stamp) -> bool {
    stamp.created_at == access.book().stamp.created_at
}

fn compare_book(tx: &mut Tx<'_>, access: &Access, findings: &mut Findings) -> Result<()> {
    let row = AuditedRow::of_book(access.book());
    if let Some(last) = tx.audits().last_of_book(access)? {
        row.compare(&last, findings);
    }
    Ok(())
}

fn compare_chart(tx: &mut Tx<'_>, access: &Access, findings: &mut Findings) -> Result<()> {
    let groups = readable(access, tx.groups().list(access), findings)?;
    let accounts = readable(access, tx.accounts().list(access), findings)?;
    let forest = Forest::new(groups.clone(), []);
    let groups = groups.iter().map(|group| ComparedRow {
        id: group.id.get(),
        row: AuditedRow::of_group(group, &forest),
        came_with_book: came_with_book(access, &group.stamp),
    });
    compare_rows(tx, access, groups.collect(), findings)?;
    let accounts = accounts.iter().map(|account| ComparedRow {
        id: account.id.get(),
        row: AuditedRow::of_account(account, &forest),
        came_with_book: came_with_book(access, &account.stamp),
    });
    compare_rows(tx, access, accounts.collect(), findings)
}

fn compare_collaborators(tx: &mut Tx<'_>, access: &Access, findings: &mut Findings) -> Result<()> {
    let all = readable(access, tx.collaborators().list(access), findings)?;
    // Only the founder has no event.
    let founders = all
        .iter()
        .filter(|row| row.permission == Permission::Owner && came_with_book(access, &row.stamp));
    let founder: Option<CollaboratorId> = founders.map(|row| row.id).min();
    let rows = all.iter().map(|row| ComparedRow {
        id: row.id.get(),
        row: AuditedRow::of_collaborator(row),
        came_with_book: founder == Some(row.id),
    });
    compare_rows(tx, access, rows.collect(), findings)
}

/// Compares the rows of files. Returns `false` if it gave up.
fn compare_files(
    tx: &mut Tx<'_>,
    access: &Access,
    stop: &dyn Fn() -> bool,
    findings: &mut Findings,
) -> Result<bool> {
    let mut below: Option<FileId> = None;
    loop {
        let page = tx.files().list(access, None, below, FIRST_PORTION).map(|page| page.rows);
        let files = readable(access, page, findings)?;
        let Some(last) = files.last() else { return Ok(true) };
        below = Some(last.id);
        let rows = files.iter().map(|file| ComparedRow {
            id: file.id.get(),
            row: AuditedRow::of_file(file),
            came_with_book: came_with_book(access, &file.stamp),
        });
        compare_rows(tx, access, rows.collect(), findings)?;
        if stop() {
            return Ok(false);
        }
    }
}

/// Compares the rows of comments. Returns `false` if it gave up.
fn compare_comments(
    tx: &mut Tx<'_>,
    access: &Access,
    stop: &dyn Fn() -> bool,
    findings: &mut Findings,
) -> Result<bool> {
    let mut last: Option<Comment> = None;
    loop {
        let comments = tx.comments().after(access, last.as_ref(), FIRST_PORTION)?;
        let rows = comments.iter().map(|comment| ComparedRow {
            id: comment.id.get(),
            row: AuditedRow::of_comment(comment),
            came_with_book: false,
        });
        compare_rows(tx, access, rows.collect(), findings)?;
        last = comments.into_iter().next_back();
        if last.is_none() || stop() {
            return Ok(last.is_none());
        }
    }
}

/// Compares the rows of transactions. Returns `false` if it gave up.
fn compare_transactions(
    tx: &mut Tx<'_>,
    access: &Access,
    is_proved: bool,
    stop: &dyn Fn() -> bool,
    findings: &mut Findings,
) -> Result<bool> {
    let (mut after, mut limit) = (None, FIRST_PORTION);
    loop {
        let found = tx.audits().transactions(access, after, limit)?;
        let Some((last, _)) = found.last() else { return Ok(true) };
        (after, limit) = (Some(*last), next_limit(found.len()));
        let mut rows = Vec::with_capacity(found.len());
        for (id, row) in &found {
            match row {
                Some(row) => {
                    rows.push(ComparedRow {
                        id: id.get(),
                        row: AuditedRow::of_transaction(row),
                        came_with_book: is_proved && came_with_book(access, &row.stamp),
                    });
                }
                None => findings.add(Finding::new(
                    FindingKind::Row,
                    id.to_string(),
                    "a transaction",
                    "unreadable row",
                )),
            }
        }
        compare_rows(tx, access, rows, findings)?;
        if stop() {
            return Ok(false);
        }
    }
}

/// Checks the text search index. Returns `false` if it gave up.
fn check_texts(
    tx: &mut Tx<'_>,
    access: &Access,
    stop: &dyn Fn() -> bool,
    findings: &mut Findings,
) -> Result<bool> {
    for chunk in 0.. {
        let Some(faulty) = tx.audits().unsearchable_blocks(access, chunk)? else { break };
        for block in faulty {
            findings.add(Finding::new(
                FindingKind::Index,
                access.book().key.as_str(),
                format!("the texts of block {block}"),
                "texts that a search does not find",
            ));
        }
        if stop() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Unwraps rows that are read together. If one is unreadable, that is a finding and none is
/// compared.
fn readable<T>(
    access: &Access,
    rows: daybook_storage::Result<Vec<T>>,
    findings: &mut Findings,
) -> Result<Vec<T>> {
    match rows {
        Err(daybook_storage::Error::Corrupt(column)) => {
            let actual = format!("unreadable {column}");
            findings.add(Finding::new(
                FindingKind::Row,
                access.book().key.as_str(),
                "readable rows",
                actual,
            ));
            Ok(Vec::new())
        }
        rows => rows.map_err(Error::from),
    }
}
