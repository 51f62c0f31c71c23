//! The last audits of books that had findings (behaviour 9.22).

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::purpose::Audit;

use super::Audits;
use crate::access::AccessTo;
use crate::conn::sql::Sql;
use crate::error::Result;

/// The last audit of a book, which had findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFindings {
    /// The book.
    pub book: BookKey,
    /// The number of the last event that the audit has read.
    pub sequence: i64,
    /// The number of findings.
    pub findings: i64,
    /// The time of the audit.
    pub audited_at: Instant,
}

impl Audits<'_, '_> {
    /// Saves the number of findings of the last audit of a book. Without findings the row is
    /// deleted.
    pub fn save_findings(
        self,
        access: &AccessTo<Audit>,
        sequence: i64,
        findings: i64,
        now: Instant,
    ) -> Result<()> {
        let book = access.book().id;
        let sql = if findings == 0 {
            Sql::new("DELETE FROM audit_findings WHERE book_id = {}").bind(book)
        } else {
            Sql::new(
                "INSERT INTO audit_findings (book_id, sequence, findings, audited_at) \
                 VALUES ({}, {}, {}, {}) ON CONFLICT (book_id) DO UPDATE \
                 SET sequence = excluded.sequence, findings = excluded.findings, \
                 audited_at = excluded.audited_at",
            )
            .bind((book, sequence, findings, now))
        };
        self.tx.flushed()?.run(&sql)
    }

    /// Lists up to `limit` last audits of books that had findings, the latest first.
    pub fn with_findings(self, limit: i64) -> Result<Vec<AuditFindings>> {
        let sql = Sql::new(
            "SELECT b.public_id, f.sequence, f.findings, f.audited_at \
             FROM audit_findings f JOIN books b ON b.id = f.book_id WHERE b.deleted_at IS NULL \
             ORDER BY f.audited_at DESC, f.book_id LIMIT {}",
        )
        .bind(limit);
        let rows: Vec<(String, i64, i64, i64)> = self.tx.flushed()?.rows(&sql)?;
        let convert = |(book, sequence, findings, at)| AuditFindings {
            book: BookKey::new(book),
            sequence,
            findings,
            audited_at: Instant::new(at),
        };
        Ok(rows.into_iter().map(convert).collect())
    }
}
