-- What users ask of books they have too little permission in, or none.

CREATE TABLE access_requests (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    permission TEXT NOT NULL,
    message TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
