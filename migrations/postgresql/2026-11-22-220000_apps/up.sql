-- Apps that users install in books, and whom their manifests name. Texts other than the readmes are
-- one JSON object; the secret is sealed.

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

CREATE TABLE app_people (
    pattern TEXT NOT NULL,
    app_id TEXT NOT NULL,
    PRIMARY KEY (pattern, app_id)
);

CREATE INDEX app_people_of_app ON app_people (app_id);
