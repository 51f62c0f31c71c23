-- What is still to be told of the deletion of a book when the book itself is gone.

CREATE TABLE detached_deliveries (
    -- The public id of the book.
    book TEXT NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the event, and its id.
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    -- Who installed the app.
    user_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    depth INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    busy INTEGER NOT NULL,
    busy_since INTEGER,
    due_at INTEGER NOT NULL,
    -- The lease of the process that delivers, and until when it holds.
    lease INTEGER,
    leased_until INTEGER,
    PRIMARY KEY (book, app_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX detached_deliveries_due ON detached_deliveries (due_at);
CREATE INDEX detached_deliveries_of_user ON detached_deliveries (user_id);
