-- Which books of the user who installed an app it reaches with the tokens of its deliveries: BOOK,
-- COLLECTION or ALL (domain/integration/reach.rs).
ALTER TABLE integrations ADD COLUMN reach TEXT NOT NULL DEFAULT 'COLLECTION';
