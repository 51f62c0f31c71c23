-- People sign in with a link that works once, which begins a session in their browser. Secrets are
-- kept as their SHA-256.

CREATE TABLE login_links (
    digest BLOB NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;

CREATE INDEX login_links_created ON login_links (created_at);

CREATE TABLE sessions (
    id INTEGER NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;

CREATE INDEX sessions_of_user ON sessions (user_id, id);
