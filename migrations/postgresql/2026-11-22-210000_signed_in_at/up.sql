-- A session tells when its user has signed in, which may be before it began.

ALTER TABLE sessions RENAME COLUMN created_at TO signed_in_at;
