ALTER TABLE users DROP COLUMN hosted_domain;
ALTER TABLE users DROP COLUMN picture;
ALTER TABLE users DROP COLUMN family_name;
ALTER TABLE users DROP COLUMN given_name;
ALTER TABLE users DROP COLUMN name;
