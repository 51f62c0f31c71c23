DROP INDEX integrations_of_connection;
DROP INDEX integrations_of_app;
ALTER TABLE integrations DROP COLUMN connection_id;
CREATE UNIQUE INDEX integrations_of_app ON integrations (book_id, app_id);
ALTER TABLE users DROP COLUMN bank_connections;
DROP TABLE connections;
