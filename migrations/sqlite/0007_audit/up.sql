-- The audits that are asked for and not finished: what waits survives a restart. A request is a number of its own, so
-- that one which comes while an audit runs is not taken for the one that runs.
CREATE TABLE audits (
    book_id INTEGER NOT NULL PRIMARY KEY,
    request INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    agent TEXT
) STRICT;
