-- The delivery log of an app in a book, by time: a page of it is a stretch of this index, however
-- much was tried.

CREATE INDEX delivery_attempts_app
    ON delivery_attempts (book_id, app_id, at, sequence, attempt);
