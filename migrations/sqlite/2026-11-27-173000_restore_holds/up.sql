-- A row for each restore of the installation from a backup. Webhooks and mails are held back while
-- there is one.
CREATE TABLE restore_holds (
    held_at INTEGER NOT NULL PRIMARY KEY
) STRICT;
