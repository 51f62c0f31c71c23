-- The books that an app reaches with the tokens of its deliveries, among those of the user who
-- installed it: BOOK, COLLECTION or ALL (domain/integration/reach.rs).
ALTER TABLE integrations ADD COLUMN reach TEXT NOT NULL DEFAULT 'COLLECTION';
