-- Events on their way to the apps of their book, and what the apps have to say about them.

-- How many apps are installed in a book: of a book without apps, writes look no further.
ALTER TABLE book_state ADD COLUMN apps INTEGER NOT NULL DEFAULT 0;
UPDATE book_state SET apps =
    (SELECT COUNT(*) FROM integrations i WHERE i.book_id = book_state.book_id);

-- The deliveries of an app in a book, one after another.
CREATE TABLE delivery_queues (
    book_id INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    -- When the first one is due; none while nothing waits. While it is delivered, when another
    -- process may deliver it, because this one has ended.
    due_at INTEGER,
    -- The lease of the process that delivers.
    lease INTEGER,
    -- Since when each delivery failed.
    failing_since INTEGER,
    -- When the operator, or the server itself, has paused it.
    paused_at INTEGER,
    -- When it ended, because who installed the app has lost access to the book.
    stopped_at INTEGER,
    PRIMARY KEY (book_id, app_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_queues_due ON delivery_queues (due_at);

CREATE TABLE deliveries (
    book_id INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the event.
    sequence INTEGER NOT NULL,
    -- How many apps acted one after another until the event.
    depth INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    busy INTEGER NOT NULL DEFAULT 0,
    busy_since INTEGER,
    PRIMARY KEY (book_id, app_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE bot_responses (
    book_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (book_id, sequence, app_id)
) STRICT, WITHOUT ROWID;
