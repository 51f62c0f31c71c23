-- Events on their way to the apps of their book, and what the apps have to say about them.

-- How many apps are installed in a book: of a book without apps, writes look no further.
ALTER TABLE book_state ADD COLUMN apps BIGINT NOT NULL DEFAULT 0;
UPDATE book_state SET apps =
    (SELECT COUNT(*) FROM integrations i WHERE i.book_id = book_state.book_id);

-- The deliveries of an app in a book, one after another.
CREATE TABLE delivery_queues (
    book_id BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    -- When the first one is due; none while nothing waits. While it is delivered, when another
    -- process may deliver it, because this one has ended.
    due_at BIGINT,
    -- The lease of the process that delivers.
    lease BIGINT,
    -- Since when each delivery failed.
    failing_since BIGINT,
    -- When the operator, or the server itself, has paused it.
    paused_at BIGINT,
    -- When it ended, because who installed the app has lost access to the book.
    stopped_at BIGINT,
    PRIMARY KEY (book_id, app_id)
);

CREATE INDEX delivery_queues_due ON delivery_queues (due_at);

CREATE TABLE deliveries (
    book_id BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the event.
    sequence BIGINT NOT NULL,
    -- How many apps acted one after another until the event.
    depth BIGINT NOT NULL,
    failures BIGINT NOT NULL DEFAULT 0,
    busy BIGINT NOT NULL DEFAULT 0,
    busy_since BIGINT,
    PRIMARY KEY (book_id, app_id, sequence)
);

CREATE TABLE bot_responses (
    book_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (book_id, sequence, app_id)
);
