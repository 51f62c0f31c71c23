-- What is still to be told of the deletion of a book when the book itself is gone.

CREATE TABLE detached_deliveries (
    -- The public id of the book.
    book TEXT NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the event, and its id.
    sequence BIGINT NOT NULL,
    event TEXT NOT NULL,
    -- Who installed the app.
    user_id BIGINT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    depth BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    busy BIGINT NOT NULL,
    busy_since BIGINT,
    due_at BIGINT NOT NULL,
    -- The lease of the process that delivers, and until when it holds.
    lease BIGINT,
    leased_until BIGINT,
    PRIMARY KEY (book, app_id, sequence)
);

CREATE INDEX detached_deliveries_due ON detached_deliveries (due_at);
CREATE INDEX detached_deliveries_of_user ON detached_deliveries (user_id);
