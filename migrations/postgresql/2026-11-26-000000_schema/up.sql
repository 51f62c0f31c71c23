-- The schema. Later changes are steps of their own, in both folders.
--
-- Every table of a book has book_id as the first column of its key, and no row refers to another
-- book: a book is the unit of locking, ordering and placement. There are no foreign keys.
--
-- Days are yyyymmdd, months yyyymm, and instants milliseconds since the Unix epoch. `agent` is the
-- app that made the write. `version` counts the changes of a row.

-- Users

CREATE TABLE users (
    id BIGINT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    username TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT,
    -- The profile, from the claims of an identity provider.
    name TEXT,
    given_name TEXT,
    family_name TEXT,
    picture TEXT,
    hosted_domain TEXT,
    -- Whether the user ever had a connection to a bank.
    bank_connections BOOLEAN NOT NULL DEFAULT FALSE,
    -- Storage quotas that the operator has set for this user: four numbers separated by commas. A
    -- missing number means the default quota.
    storage_allowance TEXT
);

-- One row. The count grows with every change of users, tokens and API keys; processes compare it
-- to drop what they have cached.
CREATE TABLE identity_changes (
    id INTEGER NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL
);

-- Access tokens

CREATE TABLE tokens (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    read_only BOOLEAN NOT NULL,
    -- The public ids of the books that the token reaches, as JSON. Null means all of the user's.
    books TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX tokens_of_user ON tokens (user_id, id);

-- Sessions
--
-- A link that works once signs a user in and starts a session in their browser. The database
-- stores the SHA-256 of each secret.

CREATE TABLE login_links (
    digest BYTEA NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX login_links_created ON login_links (created_at);

CREATE TABLE sessions (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    -- When the user signed in, which may be before the session began.
    signed_in_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX sessions_of_user ON sessions (user_id, id);

-- API keys
--
-- A key names the app that sends a request, for quotas and call counts. The database stores its
-- SHA-256.

CREATE TABLE api_keys (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    digest BYTEA NOT NULL,
    rate BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest);
CREATE INDEX api_keys_of_user ON api_keys (user_id, id);

CREATE TABLE api_key_days (
    key_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);

-- Grants
--
-- Users let apps use their books. Authorization codes and refresh tokens are signed and name their
-- grant; of device codes the database stores the SHA-256.

CREATE TABLE grants (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    rotation BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX grants_of_user ON grants (user_id, expires_at);

-- The clients that a user has agreed to, so that the next request of one needs no new consent.
CREATE TABLE consents (
    user_id BIGINT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client)
);

-- Programs without a browser that wait for the user's decision.
CREATE TABLE device_authorizations (
    digest BYTEA NOT NULL PRIMARY KEY,
    user_code TEXT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    polled_at BIGINT,
    poll_interval BIGINT NOT NULL,
    denied BOOLEAN NOT NULL,
    grant_id BIGINT
);
CREATE UNIQUE INDEX device_authorizations_user_code ON device_authorizations (user_code);
CREATE INDEX device_authorizations_created ON device_authorizations (created_at);

-- Signing keys
--
-- The key pairs with which this installation signs for others. Private keys are encrypted with a
-- key outside of the database. When two processes make the same key, the primary key lets one win.

CREATE TABLE signing_keys (
    algorithm TEXT NOT NULL,
    number BIGINT NOT NULL,
    id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    signs_from BIGINT NOT NULL,
    PRIMARY KEY (algorithm, number)
);

-- Idempotency keys
--
-- Responses to completed requests, for repetitions. They belong to a user and outlive the
-- book (behaviour 0.16). Rows are long and are deleted by age, so they are stored in the order
-- of insertion.

CREATE TABLE idempotency_keys (
    user_id BIGINT NOT NULL,
    key TEXT NOT NULL,
    operation BYTEA NOT NULL,
    fingerprint BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    status INTEGER NOT NULL,
    version_tag TEXT,
    body BYTEA NOT NULL,
    -- The form of the body: 0 as sent, 1 compressed, 2 only its ids, compressed.
    form INTEGER NOT NULL DEFAULT 0,
    -- The permissions in books and apps that the caller must still have to get the response again,
    -- as text (behaviour 0.27).
    needs TEXT,
    -- The bytes of the body, if they count for its user (behaviour 0.38).
    counted_bytes BIGINT,
    PRIMARY KEY (user_id, key, operation)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_counted ON idempotency_keys (user_id, created_at, counted_bytes)
    WHERE counted_bytes IS NOT NULL;

-- Collections
--
-- Collections belong to users, so their keys begin with user_id. The key of collection_books
-- enforces that a book is in at most one collection of an owner.

CREATE TABLE collections (
    user_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE collection_books (
    user_id BIGINT NOT NULL,
    book_id BIGINT NOT NULL,
    collection_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, book_id)
);
CREATE INDEX collection_books_book ON collection_books (book_id, user_id);

-- Books

CREATE TABLE books (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    -- Unique in book_keys.
    public_id TEXT NOT NULL,
    owner_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    auto_post BOOLEAN NOT NULL,
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
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    -- A deleted book keeps its rows until kept_until. When kept_until is null, the server is
    -- removing them.
    deleted_at BIGINT,
    kept_until BIGINT,
    -- The addresses of the book's files are computed from this secret (behaviour 9.20).
    file_secret TEXT NOT NULL
);
CREATE INDEX books_of_owner ON books (owner_id);
-- The sweep looks for the few deleted books among all.
CREATE INDEX books_deleted ON books (deleted_at) WHERE deleted_at IS NOT NULL;

-- The numbers of books by their public ids. Public ids are unique here and not in `books`, because
-- a distributed engine places the rows of a book by its number, and cannot enforce the uniqueness
-- of another column there.
CREATE TABLE book_keys (
    public_id TEXT NOT NULL PRIMARY KEY,
    book_id BIGINT NOT NULL
);

-- Data that every write changes. It is separate from the settings, so that a write updates a short
-- row. On PostgreSQL this row is also the lock of the book.
CREATE TABLE book_state (
    book_id BIGINT NOT NULL PRIMARY KEY,
    -- The head of the event log: number and hash of the last event.
    sequence BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    changed_at BIGINT NOT NULL,
    -- Postings in total, in the month of the last posting, and in its year.
    posted BIGINT NOT NULL,
    month INTEGER NOT NULL,
    month_posted BIGINT NOT NULL,
    year_posted BIGINT NOT NULL,
    -- The trigram index: the id of the last indexed transaction, the number of chunks, and how many
    -- transactions are not indexed yet. The server indexes missing chunks when it starts: a process
    -- may have ended before it did.
    indexed_until_id BIGINT NOT NULL DEFAULT 0,
    indexed_chunks BIGINT NOT NULL DEFAULT 0,
    unindexed BIGINT NOT NULL DEFAULT 0,
    -- Grows with every change of the book's accounts, groups and memberships. A cached chart is
    -- valid while its version is this one.
    chart_version BIGINT NOT NULL DEFAULT 0,
    -- No event has an instant before the one of the last event. So the log is ordered by numbers
    -- and by instants (behaviour 8.18), and a binary search finds an instant in it.
    last_event_at BIGINT NOT NULL DEFAULT 0,
    -- Postings in each of the twelve months up to `month`, oldest first, separated by commas.
    posted_months TEXT NOT NULL,
    -- Installed apps. Writes to a book without apps queue no deliveries.
    apps BIGINT NOT NULL DEFAULT 0,
    -- Storage quotas: transactions, and bytes of rows and of file contents (behaviour 10.14).
    -- `storage/storage_quota/size.rs` has the same sums.
    stored_transactions BIGINT NOT NULL DEFAULT 0,
    stored_bytes BIGINT NOT NULL DEFAULT 0
);

-- Collaborators

CREATE TABLE collaborators (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    email TEXT NOT NULL,
    permission TEXT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
CREATE UNIQUE INDEX collaborators_book_email ON collaborators (book_id, email);
-- This index crosses books: listBooks finds the books of a user.
CREATE INDEX collaborators_email ON collaborators (email, book_id);

-- Requests of users for a permission, or a higher permission, in a book.
CREATE TABLE access_requests (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    permission TEXT NOT NULL,
    message TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);

-- Copies of books

-- Copies in progress. A copy takes several units of work. Its book has no collaborators until the
-- end, so no user sees it. The server removes copies that a stopped process left unfinished.
CREATE TABLE unfinished_copies (
    book_id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL
);

-- The SHA-256 of each copied transaction as it was before its first change. The log of a copy
-- begins with the SHA-256 over all of them (behaviour 6.20).
CREATE TABLE copied_transactions (
    book_id BIGINT NOT NULL,
    transaction_id BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (book_id, transaction_id)
);

-- Accounts and groups

CREATE TABLE accounts (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    normalized_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    archived BOOLEAN NOT NULL,
    balance_verified BOOLEAN NOT NULL,
    has_transaction_posted BOOLEAN NOT NULL,
    properties TEXT,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
CREATE UNIQUE INDEX accounts_book_name ON accounts (book_id, normalized_name);

CREATE TABLE account_groups (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    normalized_name TEXT NOT NULL,
    parent_id BIGINT,
    hidden BOOLEAN NOT NULL,
    locked BOOLEAN NOT NULL,
    properties TEXT,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
CREATE UNIQUE INDEX account_groups_book_name ON account_groups (book_id, normalized_name);

CREATE TABLE memberships (
    book_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    PRIMARY KEY (book_id, group_id, account_id)
);
CREATE INDEX memberships_account ON memberships (book_id, account_id, group_id);

-- Transactions

-- Ids grow with time, so (day, id) is the order of behaviour 2.6.
CREATE TABLE transactions (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    -- The place in lists: the date, or for a draft without a date (`dated` is false) the day on
    -- which it was recorded.
    day INTEGER NOT NULL,
    dated BOOLEAN NOT NULL,
    -- 0 for a draft, 1 for unchecked, 2 for checked. The trash does not change it.
    standing INTEGER NOT NULL,
    trashed BOOLEAN NOT NULL,
    amount BIGINT,
    credit_account_id BIGINT,
    debit_account_id BIGINT,
    description TEXT NOT NULL,
    -- Empty when it is the description in lower case.
    folded_description TEXT NOT NULL,
    posted_at BIGINT,
    properties TEXT,
    urls TEXT,
    remote_ids TEXT,
    created_by BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    -- The ids of attached files. index_terms finds the transactions of a file.
    files TEXT,
    PRIMARY KEY (book_id, id)
);
-- Counts by period read only this index, so it has every column that they distinguish.
CREATE INDEX transactions_day ON transactions (book_id, day, id, standing, trashed, dated);
-- The sides of transactions, in the order of an account's ledger.
CREATE INDEX transactions_credit ON transactions (book_id, credit_account_id, day, id);
CREATE INDEX transactions_debit ON transactions (book_id, debit_account_id, day, id);

-- One row for each side that a transaction names. The amount is zero while the transaction is a
-- draft or in the trash, so a sum needs no filter.
CREATE VIEW entries AS
SELECT
    book_id,
    credit_account_id AS account_id,
    day,
    id AS transaction_id,
    TRUE AS credit,
    CASE WHEN standing IN (1, 2) AND NOT trashed THEN COALESCE(amount, 0) ELSE 0 END AS amount
FROM transactions
WHERE credit_account_id IS NOT NULL
UNION ALL
SELECT
    book_id,
    debit_account_id,
    day,
    id,
    FALSE,
    CASE WHEN standing IN (1, 2) AND NOT trashed THEN COALESCE(amount, 0) ELSE 0 END
FROM transactions
WHERE debit_account_id IS NOT NULL;

-- Transactions with an event that an app has answered with an error, in the order of lists. A page
-- of them is one range of the index, however many errors and other transactions there are.
CREATE TABLE failed_transactions (
    book_id BIGINT NOT NULL,
    transaction_id BIGINT NOT NULL,
    -- The day of the transaction.
    day INTEGER NOT NULL,
    PRIMARY KEY (book_id, transaction_id)
);
CREATE INDEX failed_transactions_day ON failed_transactions (book_id, day, transaction_id);

-- Balances and counts

-- The sums of an account's entries in a month, each in two numbers: high * 2^32 + low. So sums of
-- 64-bit amounts never exceed 64 bits. `days` has the sums of each day of the month
-- (storage/balance/day_sums.rs): a posting updates one row for both.
CREATE TABLE month_totals (
    book_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    month INTEGER NOT NULL,
    debit_high BIGINT NOT NULL,
    debit_low BIGINT NOT NULL,
    credit_high BIGINT NOT NULL,
    credit_low BIGINT NOT NULL,
    days BYTEA NOT NULL,
    PRIMARY KEY (book_id, account_id, month)
);

-- The number of transactions that are dated in each month: posted ones, and those in the trash,
-- drafts included.
CREATE TABLE month_counts (
    book_id BIGINT NOT NULL,
    month INTEGER NOT NULL,
    posted BIGINT NOT NULL,
    trashed BIGINT NOT NULL,
    PRIMARY KEY (book_id, month)
);

-- Search

-- Terms that a search finds exactly: remote ids, hashtags, properties, files, and rare states of
-- transactions. storage/index_term.rs has the format.
CREATE TABLE index_terms (
    book_id BIGINT NOT NULL,
    term TEXT NOT NULL,
    day INTEGER NOT NULL,
    transaction_id BIGINT NOT NULL,
    PRIMARY KEY (book_id, term, day, transaction_id)
);

-- The trigram index of descriptions (storage/transaction/trigram_index.rs). A chunk has 4,096
-- transactions in 64 blocks. A row has one bit for each block of a chunk in which the trigram
-- occurs.
CREATE TABLE trigrams (
    book_id BIGINT NOT NULL,
    trigram BIGINT NOT NULL,
    chunk BIGINT NOT NULL,
    block_bitmap BIGINT NOT NULL,
    PRIMARY KEY (book_id, trigram, chunk)
);

-- The transactions of a block of the trigram index: ids above after_id, up to last_id.
CREATE TABLE trigram_blocks (
    book_id BIGINT NOT NULL,
    block BIGINT NOT NULL,
    after_id BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    PRIMARY KEY (book_id, block)
);
CREATE UNIQUE INDEX trigram_blocks_last ON trigram_blocks (book_id, last_id);

-- Events and audits

-- The order of the columns avoids padding between them.
CREATE TABLE events (
    book_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    resource BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    kind INTEGER NOT NULL,
    agent TEXT,
    -- Compressed (storage/rows/packed.rs).
    data BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    -- The number of events in the row, if it is a block (storage/rows/event.rs). Null means
    -- one event.
    count INTEGER,
    PRIMARY KEY (book_id, sequence)
);
CREATE INDEX events_resource ON events (book_id, resource, sequence);
-- Without TRANSACTION_POSTED (7). Nearly every event has that type, so a search for it reads the
-- log itself.
CREATE INDEX events_kind ON events (book_id, kind, sequence) WHERE kind <> 7;
CREATE INDEX events_blocks ON events (book_id, resource, count) WHERE count IS NOT NULL;

-- Requested audits that are not finished, so that they survive a restart. Each request has its own
-- number: a request that comes during an audit does not count as the one that runs.
CREATE TABLE audit_requests (
    book_id BIGINT NOT NULL PRIMARY KEY,
    request BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    agent TEXT,
    -- The depth in a chain of apps at which the audit was requested (behaviour 8.11).
    depth BIGINT NOT NULL DEFAULT 0
);

-- Files

-- The bytes of a file are in the file store, under the book's public id and `blob`. They are
-- written before the row and never change.
CREATE TABLE files (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    digest TEXT NOT NULL,
    blob TEXT NOT NULL,
    -- The address of the file, which needs no sign-in, is computed from this secret and the one of
    -- its book.
    token TEXT NOT NULL,
    properties TEXT,
    created_by BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
-- The sweep asks which blobs of a book have a row.
CREATE UNIQUE INDEX files_blob ON files (book_id, blob);

-- Saved queries

CREATE TABLE saved_queries (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    title TEXT NOT NULL,
    query TEXT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);

-- Apps

-- Texts other than the readmes are one JSON object. client_secret is encrypted.
CREATE TABLE apps (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    texts TEXT NOT NULL,
    readme TEXT,
    readme_md TEXT,
    connectable BOOLEAN NOT NULL,
    deprecated BOOLEAN NOT NULL,
    installable BOOLEAN NOT NULL,
    repo_private BOOLEAN NOT NULL,
    published BOOLEAN NOT NULL,
    events TEXT,
    file_patterns TEXT,
    scopes TEXT,
    properties_schema TEXT,
    client_secret BYTEA,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX apps_of_owner ON apps (owner_id);
CREATE INDEX apps_published ON apps (published, id);

-- The users and domains that the manifest of an app names.
CREATE TABLE app_people (
    pattern TEXT NOT NULL,
    app_id TEXT NOT NULL,
    PRIMARY KEY (pattern, app_id)
);
CREATE INDEX app_people_of_app ON app_people (app_id);

-- Accounts at other services that users let apps use. The properties are one JSON object,
-- encrypted.
CREATE TABLE connections (
    user_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    uuid TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    properties BYTEA,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE UNIQUE INDEX connections_of_uuid ON connections (user_id, app_id, uuid);

-- Apps that are installed in books. A book has an app once for each connection, and once without
-- one (connection_id 0). An integration with a connection to a bank installs no app; its app_id
-- begins with a colon (storage/integration.rs).
CREATE TABLE integrations (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    installer_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    properties TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    connection_id BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (book_id, id)
);
CREATE UNIQUE INDEX integrations_of_app ON integrations (book_id, app_id, connection_id);
CREATE INDEX integrations_of_connection ON integrations (connection_id);

-- Deliveries of events to apps

-- The deliveries of an app in a book run one after another.
CREATE TABLE delivery_queues (
    book_id BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    -- When the first delivery is due. Null when the queue is empty.
    due_at BIGINT,
    -- The lease of the process that delivers.
    lease BIGINT,
    -- Since when every delivery has failed.
    failing_since BIGINT,
    -- When the operator, or the server itself, paused the queue.
    paused_at BIGINT,
    -- When the queue ended, because the user who installed the app lost access to the book.
    stopped_at BIGINT,
    -- When the lease ends. It is separate from due_at, so that a replay between two attempts does
    -- not shorten the pause between them.
    leased_until BIGINT,
    pause_cause TEXT,
    PRIMARY KEY (book_id, app_id)
);
-- Queues of paused apps stay due. A search for due queues does not read them.
CREATE INDEX delivery_queues_due ON delivery_queues (due_at) WHERE paused_at IS NULL;
-- Paused queues, in the order of their list.
CREATE INDEX delivery_queues_paused ON delivery_queues (paused_at, book_id, app_id)
    WHERE paused_at IS NOT NULL;
-- Paused queues that are not empty. The sweep that gives up overdue deliveries reads no others.
CREATE INDEX delivery_queues_overdue ON delivery_queues (paused_at, book_id, app_id)
    WHERE paused_at IS NOT NULL AND due_at IS NOT NULL;
-- Queues that have ended. The sweep removes their deliveries in portions.
CREATE INDEX delivery_queues_stopped ON delivery_queues (book_id, app_id)
    WHERE stopped_at IS NOT NULL;

CREATE TABLE deliveries (
    book_id BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the event.
    sequence BIGINT NOT NULL,
    -- How many apps acted one after another until the event.
    depth BIGINT NOT NULL,
    failures BIGINT NOT NULL DEFAULT 0,
    busy BIGINT NOT NULL DEFAULT 0,
    busy_since BIGINT,
    PRIMARY KEY (book_id, app_id, sequence)
);

-- Responses of apps to events, which the API shows with the event.
CREATE TABLE bot_responses (
    book_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (book_id, sequence, app_id)
);
-- Finds the events of a book with an error response.
CREATE INDEX bot_responses_kind ON bot_responses (book_id, kind, sequence);

-- The delivery log: each attempt to deliver an event to an app.
CREATE TABLE delivery_attempts (
    book_id BIGINT NOT NULL,
    -- The number of the event.
    sequence BIGINT NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the attempt, among those for this event and app.
    attempt BIGINT NOT NULL,
    at BIGINT NOT NULL,
    milliseconds BIGINT NOT NULL,
    -- The HTTP status. Null when there was no response.
    status BIGINT,
    -- Why the attempt failed. Null when it did not.
    failure TEXT,
    -- The beginning of the response body.
    answer TEXT,
    PRIMARY KEY (book_id, sequence, app_id, attempt)
);
CREATE INDEX delivery_attempts_at ON delivery_attempts (at);
-- A page of the log of an app in a book is one range of this index, however many attempts there
-- are.
CREATE INDEX delivery_attempts_app
    ON delivery_attempts (book_id, app_id, at, sequence, attempt);

-- Deliveries of the deletion of a book, which outlive the book.
CREATE TABLE detached_deliveries (
    -- The public id of the book.
    book TEXT NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the event, and its id.
    sequence BIGINT NOT NULL,
    event TEXT NOT NULL,
    -- The user who installed the app.
    user_id BIGINT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    depth BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    busy BIGINT NOT NULL,
    busy_since BIGINT,
    due_at BIGINT NOT NULL,
    -- The lease of the process that delivers, and when it ends.
    lease BIGINT,
    leased_until BIGINT,
    PRIMARY KEY (book, app_id, sequence)
);
CREATE INDEX detached_deliveries_due ON detached_deliveries (due_at);
CREATE INDEX detached_deliveries_of_user ON detached_deliveries (user_id);

-- Mails

-- The outbox. A request writes its mails in its own unit of work; a worker sends them afterwards.
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

-- Processes

-- One row. It counts how often a process has opened this database. A process uses its count as the
-- node part of the ids that it makes.
CREATE TABLE process_starts (
    id INTEGER NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL
);

-- The last commits of each writer. After a lost connection the writer finds out here whether its
-- commit was done (storage/commit/mark.rs).
CREATE TABLE commits (
    writer BIGINT NOT NULL,
    number BIGINT NOT NULL,
    written_at BIGINT NOT NULL DEFAULT (extract(epoch FROM now()) * 1000),
    undone BOOLEAN NOT NULL,
    PRIMARY KEY (writer, number)
);

-- Planner statistics

-- The planner gets no statistics of how many rows a book has. storage/conn/planner.rs says why.
ALTER TABLE accounts ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE account_groups ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE memberships ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE transactions ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE month_totals ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE month_counts ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE index_terms ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE trigrams ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE trigram_blocks ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE events ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE files ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE saved_queries ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE copied_transactions ALTER COLUMN book_id SET STATISTICS 0;
