-- What users let apps use elsewhere. The properties are one JSON object, sealed.

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

-- Whether the user ever had a connection to a bank.
ALTER TABLE users ADD COLUMN bank_connections BOOLEAN NOT NULL DEFAULT FALSE;

-- A book has an app once for each connection, and once without (0).
ALTER TABLE integrations ADD COLUMN connection_id BIGINT NOT NULL DEFAULT 0;
DROP INDEX integrations_of_app;
CREATE UNIQUE INDEX integrations_of_app ON integrations (book_id, app_id, connection_id);
CREATE INDEX integrations_of_connection ON integrations (connection_id);
