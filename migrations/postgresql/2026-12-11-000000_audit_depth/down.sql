ALTER TABLE audit_requests DROP COLUMN depth;
