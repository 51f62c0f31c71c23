-- The last audit of each book whose last audit had findings.
CREATE TABLE audit_findings (
    book_id BIGINT NOT NULL PRIMARY KEY,
    -- The number of the last event that the audit has read.
    sequence BIGINT NOT NULL,
    -- The number of findings.
    findings BIGINT NOT NULL,
    audited_at BIGINT NOT NULL
);

-- Mails that were not sent. A mail that is sent loses its failure.
CREATE INDEX mails_unsent ON mails (id) WHERE failure IS NOT NULL;
