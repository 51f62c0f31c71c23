-- The key pairs that this installation signs with for others. Private keys are sealed with a key
-- that the database does not hold. Of two processes that make the same key one wins.

CREATE TABLE signing_keys (
    algorithm TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    signs_from INTEGER NOT NULL,
    PRIMARY KEY (algorithm, number)
) STRICT;
