-- day is where a transaction stands in lists: its date, or for a dateless draft the day it was recorded. Ids grow with
-- time, so (day, id) is the order of behaviour 2.6.
CREATE TABLE transactions (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    dated INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    trashed INTEGER NOT NULL,
    amount INTEGER,
    credit_account_id INTEGER,
    debit_account_id INTEGER,
    description TEXT NOT NULL,
    search TEXT NOT NULL,
    posted_at INTEGER,
    properties TEXT,
    urls TEXT,
    remote_ids TEXT,
    created_by INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX transactions_day ON transactions (book_id, day, id);

-- One row for each side a transaction names. amount is what it does to the account: credit positive, debit negative,
-- zero while the transaction is a draft or trashed. So a sum needs no filter and a ledger page is one index range.
CREATE TABLE entries (
    book_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (book_id, account_id, day, transaction_id)
) STRICT, WITHOUT ROWID;

-- What a transaction can be found by exactly: remote ids, hashtags, properties. See storage/mark.rs for the writing.
CREATE TABLE marks (
    book_id INTEGER NOT NULL,
    mark TEXT NOT NULL,
    day INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    PRIMARY KEY (book_id, mark, day, transaction_id)
) STRICT, WITHOUT ROWID;

-- Sums are kept in two limbs, high * 2^32 + low, so that adding 64-bit amounts never leaves 64 bits.
CREATE TABLE day_totals (
    book_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    debit_high INTEGER NOT NULL,
    debit_low INTEGER NOT NULL,
    credit_high INTEGER NOT NULL,
    credit_low INTEGER NOT NULL,
    PRIMARY KEY (book_id, account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE month_totals (
    book_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    month INTEGER NOT NULL,
    debit_high INTEGER NOT NULL,
    debit_low INTEGER NOT NULL,
    credit_high INTEGER NOT NULL,
    credit_low INTEGER NOT NULL,
    PRIMARY KEY (book_id, account_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    book_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    resource INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    agent TEXT,
    data TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (book_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_resource ON events (book_id, resource, sequence);
