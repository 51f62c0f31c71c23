-- The outbox: mails that requests cause, written with what they change, and sent afterwards.

CREATE TABLE mails (
    id BIGINT NOT NULL PRIMARY KEY,
    recipient TEXT NOT NULL,
    kind TEXT NOT NULL,
    user_id BIGINT,
    book TEXT,
    subject TEXT NOT NULL,
    plain TEXT NOT NULL,
    html TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    until BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    ended_at BIGINT,
    ending TEXT,
    failure TEXT
);

CREATE INDEX mails_due ON mails (ended_at, due_at);
CREATE INDEX mails_of_user ON mails (user_id, created_at);
