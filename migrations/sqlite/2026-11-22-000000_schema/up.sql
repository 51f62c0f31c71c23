-- The whole schema as first released. A later change is a step of its own, in both folders.
--
-- Every table of a book leads its key with book_id, and nothing refers across books: a book is the
-- unit of locking, ordering and placement. Days are yyyymmdd, months yyyymm, instants milliseconds
-- since the epoch. `agent` is the app a write came through, `version` counts the changes of a row.

-- Users and books

CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    username TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE books (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    auto_post INTEGER NOT NULL,
    closing_date INTEGER,
    lock_date INTEGER,
    date_pattern TEXT NOT NULL,
    decimal_separator TEXT NOT NULL,
    fraction_digits INTEGER NOT NULL,
    scale INTEGER NOT NULL,
    page_size INTEGER NOT NULL,
    period TEXT NOT NULL,
    period_start_month TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    visibility TEXT NOT NULL,
    properties TEXT,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

-- What moves with every write, apart from the settings, so that a write rewrites a short row. The
-- row is also the book's lock on PostgreSQL.
CREATE TABLE book_state (
    book_id INTEGER NOT NULL PRIMARY KEY,
    -- The head of the event log: number and hash of the last event.
    sequence INTEGER NOT NULL,
    hash BLOB NOT NULL,
    changed_at INTEGER NOT NULL,
    -- Postings in all, in the month of the last one, and in its year.
    posted INTEGER NOT NULL,
    month INTEGER NOT NULL,
    month_posted INTEGER NOT NULL,
    year_posted INTEGER NOT NULL,
    -- The trigram index: the last id in it, how many chunks it has, and how many transactions are
    -- not in it yet. The server indexes what is missing when it starts.
    indexed_until_id INTEGER NOT NULL DEFAULT 0,
    indexed_chunks INTEGER NOT NULL DEFAULT 0,
    unindexed INTEGER NOT NULL DEFAULT 0,
    -- Grows with every change of the book's accounts, groups and memberships: what was read of them
    -- at a version may be remembered for as long as the version is the same.
    chart_version INTEGER NOT NULL DEFAULT 0,
    -- No event gets an instant before the last one, so the log is in the order of both numbers and
    -- instants (behaviour 8.18), and where an instant lies in it is found by halving.
    last_event_at INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE collaborators (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    email TEXT NOT NULL,
    permission TEXT NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX collaborators_book_email ON collaborators (book_id, email);
-- The one index of a book's table that crosses books: listBooks asks for a user's books.
CREATE INDEX collaborators_email ON collaborators (email, book_id);

-- Accounts and groups

CREATE TABLE accounts (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    normalized_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    archived INTEGER NOT NULL,
    balance_verified INTEGER NOT NULL,
    has_transaction_posted INTEGER NOT NULL,
    properties TEXT,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX accounts_book_name ON accounts (book_id, normalized_name);

CREATE TABLE account_groups (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    normalized_name TEXT NOT NULL,
    parent_id INTEGER,
    hidden INTEGER NOT NULL,
    locked INTEGER NOT NULL,
    properties TEXT,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX account_groups_book_name ON account_groups (book_id, normalized_name);

CREATE TABLE memberships (
    book_id INTEGER NOT NULL,
    group_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    PRIMARY KEY (book_id, group_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_account ON memberships (book_id, account_id, group_id);

-- Transactions, their entries, and the totals of these

-- day is where a transaction stands in lists: its date, or for a draft without one (dated is false)
-- the day it was recorded. Ids grow with time, so (day, id) is the order of behaviour 2.6. standing
-- is 0 for a draft, 1 unchecked, 2 checked; it survives the trash. files holds the ids of attached
-- files; who holds a file is found through index_terms.
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
    folded_description TEXT NOT NULL,
    posted_at INTEGER,
    properties TEXT,
    urls TEXT,
    remote_ids TEXT,
    created_by INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    files TEXT,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
-- Counts by period read nothing but this index: what they tell apart stands in it.
CREATE INDEX transactions_day ON transactions (book_id, day, id, standing, trashed, dated);

-- One row for each side a transaction names. amount is what it does to the account: credit
-- positive, debit negative, zero while the transaction is a draft or trashed. So a sum needs no
-- filter and a ledger page is one index range.
CREATE TABLE entries (
    book_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (book_id, account_id, day, transaction_id)
) STRICT, WITHOUT ROWID;

-- The sums of entries, in two limbs: high * 2^32 + low, so that adding 64-bit amounts never leaves
-- 64 bits.
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

-- What transactions are found by

-- Exactly: remote ids, hashtags, properties, files, and the states that few are in. How a term is
-- written stands in storage/index_term.rs.
CREATE TABLE index_terms (
    book_id INTEGER NOT NULL,
    term TEXT NOT NULL,
    day INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    PRIMARY KEY (book_id, term, day, transaction_id)
) STRICT, WITHOUT ROWID;

-- By a part of the description (storage/transaction/trigram_index.rs): for each trigram and chunk
-- of 4,096 transactions one bit for each block of 64 in which the trigram occurs.
CREATE TABLE trigrams (
    book_id INTEGER NOT NULL,
    trigram INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    block_bitmap INTEGER NOT NULL,
    PRIMARY KEY (book_id, trigram, chunk)
) STRICT, WITHOUT ROWID;

-- The transactions of a block of the trigram index: those behind after_id, up to last_id.
CREATE TABLE trigram_blocks (
    book_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    after_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    PRIMARY KEY (book_id, block)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX trigram_blocks_last ON trigram_blocks (book_id, last_id);

-- Events and audits

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
CREATE INDEX events_kind ON events (book_id, kind, sequence);

-- The audits that are asked for and not finished: what waits survives a restart. Each request has a
-- number of its own, so that one which comes while an audit runs is not taken for the one that
-- runs.
CREATE TABLE audit_requests (
    book_id INTEGER NOT NULL PRIMARY KEY,
    request INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    agent TEXT
) STRICT;

-- Files and saved queries

-- What is known of files. Their bytes lie outside of the database, in the file store, under the
-- book's public id and blob: written before the row, and never changed. Whoever knows token may
-- read them without signing in.
CREATE TABLE files (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    blob TEXT NOT NULL,
    token TEXT NOT NULL,
    properties TEXT,
    created_by INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
-- The sweep asks which bytes of a book are still known.
CREATE UNIQUE INDEX files_blob ON files (book_id, blob);

CREATE TABLE saved_queries (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    title TEXT NOT NULL,
    query TEXT NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;

-- What users keep across books

-- Collections belong to users, not to books, so their keys lead with user_id. The key of
-- collection_books is the rule that a book is in at most one collection of an owner.
CREATE TABLE collections (
    user_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE collection_books (
    user_id INTEGER NOT NULL,
    book_id INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_books_book ON collection_books (book_id, user_id);

-- Requests that were done once and are answered again. They belong to a user, not to a book: they
-- outlive it (behaviour 0.16). Rows are long and are deleted by age, so they lie in the order they
-- came in.
CREATE TABLE idempotency_keys (
    user_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    operation BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    version_tag TEXT,
    body BLOB NOT NULL,
    PRIMARY KEY (user_id, key, operation)
) STRICT;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- How often a process has opened this database. Each takes its number as its node when it mints
-- ids.
CREATE TABLE process_starts (
    id INTEGER NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT;
