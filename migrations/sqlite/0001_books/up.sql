-- Every table of a book leads its key with book_id; nothing refers across books (house rule: a book is the unit of
-- locking, ordering and placement). Days are yyyymmdd, months yyyymm, instants milliseconds since the epoch.

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

-- What moves with every write, apart from the settings, so that a write rewrites a short row.
CREATE TABLE heads (
    book_id INTEGER NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL,
    hash BLOB NOT NULL,
    changed_at INTEGER NOT NULL,
    posted INTEGER NOT NULL,
    month INTEGER NOT NULL,
    month_posted INTEGER NOT NULL,
    year_posted INTEGER NOT NULL
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
-- The one index that crosses books: listBooks asks for a user's books.
CREATE INDEX collaborators_email ON collaborators (email, book_id);

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
