-- How the user signed in; NULL for a session from before this column (behaviour 11.28).
ALTER TABLE sessions ADD COLUMN method TEXT;
