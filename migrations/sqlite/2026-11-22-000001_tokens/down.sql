DROP TABLE identity_changes;
DROP TABLE tokens;
ALTER TABLE users DROP COLUMN disabled_at;
