-- The events of a book with an error response are found without a look at the others.

CREATE INDEX bot_responses_kind ON bot_responses (book_id, kind, sequence);
