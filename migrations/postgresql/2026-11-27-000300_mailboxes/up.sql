-- The address without the part from a plus sign to the at sign. Limits apply to all users of a
-- mailbox together (behaviour 10.18).
ALTER TABLE users ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
UPDATE users SET mailbox = CASE
    WHEN strpos(email, '+') > 1 AND strpos(email, '+') < strpos(email, '@')
    THEN substr(email, 1, strpos(email, '+') - 1) || substr(email, strpos(email, '@'))
    ELSE email END;
CREATE INDEX users_mailbox ON users (mailbox);
-- The owner of the book that was shared with the user when they were admitted (behaviour 11.11).
ALTER TABLE users ADD COLUMN admitted_by BIGINT;
CREATE INDEX users_admitted_by ON users (admitted_by, created_at);
