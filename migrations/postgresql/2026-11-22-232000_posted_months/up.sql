-- What was posted in each of the twelve months up to `month`, oldest first, with commas between. It
-- is null in books that were counted before, until they are counted anew.
ALTER TABLE book_state ADD COLUMN posted_months TEXT;
