-- Apps that are installed in books.

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
    PRIMARY KEY (book_id, id)
);

CREATE UNIQUE INDEX integrations_of_app ON integrations (book_id, app_id);
