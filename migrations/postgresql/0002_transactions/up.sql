-- day is where a transaction stands in lists: its date, or for a dateless draft the day it was recorded. Ids grow with
-- time, so (day, id) is the order of behaviour 2.6.
CREATE TABLE transactions (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    dated BOOLEAN NOT NULL,
    standing INTEGER NOT NULL,
    trashed BOOLEAN NOT NULL,
    amount BIGINT,
    credit_account_id BIGINT,
    debit_account_id BIGINT,
    description TEXT NOT NULL,
    search TEXT NOT NULL,
    posted_at BIGINT,
    properties TEXT,
    urls TEXT,
    remote_ids TEXT,
    created_by BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
CREATE INDEX transactions_day ON transactions (book_id, day, id);

-- One row for each side a transaction names. amount is what it does to the account: credit positive, debit negative,
-- zero while the transaction is a draft or trashed. So a sum needs no filter and a ledger page is one index range.
CREATE TABLE entries (
    book_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    transaction_id BIGINT NOT NULL,
    credit BOOLEAN NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (book_id, account_id, day, transaction_id)
);

-- What a transaction can be found by exactly: remote ids, hashtags, properties. See storage/mark.rs for the writing.
CREATE TABLE marks (
    book_id BIGINT NOT NULL,
    mark TEXT NOT NULL,
    day INTEGER NOT NULL,
    transaction_id BIGINT NOT NULL,
    PRIMARY KEY (book_id, mark, day, transaction_id)
);

-- Sums are kept in two limbs, high * 2^32 + low, so that adding 64-bit amounts never leaves 64 bits.
CREATE TABLE day_totals (
    book_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    debit_high BIGINT NOT NULL,
    debit_low BIGINT NOT NULL,
    credit_high BIGINT NOT NULL,
    credit_low BIGINT NOT NULL,
    PRIMARY KEY (book_id, account_id, day)
);

CREATE TABLE month_totals (
    book_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    month INTEGER NOT NULL,
    debit_high BIGINT NOT NULL,
    debit_low BIGINT NOT NULL,
    credit_high BIGINT NOT NULL,
    credit_low BIGINT NOT NULL,
    PRIMARY KEY (book_id, account_id, month)
);

CREATE TABLE events (
    book_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    kind INTEGER NOT NULL,
    resource BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    agent TEXT,
    data TEXT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (book_id, sequence)
);
CREATE INDEX events_resource ON events (book_id, resource, sequence);
