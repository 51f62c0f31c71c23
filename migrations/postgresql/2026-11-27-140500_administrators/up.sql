-- The first user of an installation becomes an administrator (behaviour 9.3, 11.14). The index
-- decides between two processes that create the first user at the same time.
ALTER TABLE users ADD COLUMN administrator BOOLEAN NOT NULL DEFAULT FALSE;
CREATE UNIQUE INDEX users_administrator ON users (administrator) WHERE administrator;
-- Whether the link invites a new user. It admits its address, and signs in no existing user.
ALTER TABLE login_links ADD COLUMN invitation BOOLEAN NOT NULL DEFAULT FALSE;
