ALTER TABLE sessions RENAME COLUMN signed_in_at TO created_at;
