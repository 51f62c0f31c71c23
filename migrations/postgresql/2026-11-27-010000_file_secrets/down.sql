ALTER TABLE books DROP COLUMN file_secret;
