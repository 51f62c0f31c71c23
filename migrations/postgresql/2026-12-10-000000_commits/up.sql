-- The last commits of each writer (storage/commit_mark.rs).
CREATE TABLE commits (
    writer BIGINT NOT NULL,
    number BIGINT NOT NULL,
    written_at BIGINT NOT NULL DEFAULT (extract(epoch FROM now()) * 1000),
    undone BOOLEAN NOT NULL,
    PRIMARY KEY (writer, number)
);
