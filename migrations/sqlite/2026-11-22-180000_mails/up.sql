-- The outbox: mails that requests cause, written with what they change, and sent afterwards.

CREATE TABLE mails (
    id INTEGER NOT NULL PRIMARY KEY,
    recipient TEXT NOT NULL,
    kind TEXT NOT NULL,
    user_id INTEGER,
    book TEXT,
    subject TEXT NOT NULL,
    plain TEXT NOT NULL,
    html TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    ended_at INTEGER,
    ending TEXT,
    failure TEXT
) STRICT;

CREATE INDEX mails_due ON mails (ended_at, due_at);
CREATE INDEX mails_of_user ON mails (user_id, created_at);
