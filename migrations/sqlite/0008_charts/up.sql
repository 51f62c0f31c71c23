-- Grows with every change of the book's accounts, groups and memberships, so that what was read of them at a version
-- may be remembered for as long as the head says the same version.
ALTER TABLE heads ADD COLUMN chart INTEGER NOT NULL DEFAULT 0;
