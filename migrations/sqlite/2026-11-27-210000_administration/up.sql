-- The last audit of each book whose last audit had findings.
CREATE TABLE audit_findings (
    book_id INTEGER NOT NULL PRIMARY KEY,
    -- The number of the last event that the audit has read.
    sequence INTEGER NOT NULL,
    -- The number of findings.
    findings INTEGER NOT NULL,
    audited_at INTEGER NOT NULL
) STRICT;

-- Mails that were not sent. A mail that is sent loses its failure.
CREATE INDEX mails_unsent ON mails (id) WHERE failure IS NOT NULL;
