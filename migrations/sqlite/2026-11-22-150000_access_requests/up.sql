-- What users ask of books they have too little permission in, or none.

CREATE TABLE access_requests (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    permission TEXT NOT NULL,
    message TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT;
