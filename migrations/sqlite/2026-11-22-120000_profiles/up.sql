-- What identity providers tell about users.

ALTER TABLE users ADD COLUMN name TEXT;
ALTER TABLE users ADD COLUMN given_name TEXT;
ALTER TABLE users ADD COLUMN family_name TEXT;
ALTER TABLE users ADD COLUMN picture TEXT;
ALTER TABLE users ADD COLUMN hosted_domain TEXT;
