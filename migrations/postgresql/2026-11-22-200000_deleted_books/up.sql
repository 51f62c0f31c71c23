-- Deleted books wait: they keep their rows until then. Without such a time they are being removed.
ALTER TABLE books ADD COLUMN deleted_at BIGINT;
ALTER TABLE books ADD COLUMN kept_until BIGINT;

-- The sweep looks for the few books that are deleted among all.
CREATE INDEX books_deleted ON books (deleted_at) WHERE deleted_at IS NOT NULL;
