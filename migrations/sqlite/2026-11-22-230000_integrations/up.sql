-- Apps that are installed in books.

CREATE TABLE integrations (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    installer_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    properties TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX integrations_of_app ON integrations (book_id, app_id);
