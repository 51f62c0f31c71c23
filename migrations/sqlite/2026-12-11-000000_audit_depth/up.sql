-- How deep in a chain of apps an audit was asked for (behaviour 8.11).
ALTER TABLE audit_requests ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
