-- The key pairs that this installation signs with for others. Private keys are sealed with a key
-- that the database does not hold. Of two processes that make the same key one wins.

CREATE TABLE signing_keys (
    algorithm TEXT NOT NULL,
    number BIGINT NOT NULL,
    id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    signs_from BIGINT NOT NULL,
    PRIMARY KEY (algorithm, number)
);
