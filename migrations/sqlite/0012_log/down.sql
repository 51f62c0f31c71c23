DROP INDEX events_kind;
ALTER TABLE heads DROP COLUMN told_at;
