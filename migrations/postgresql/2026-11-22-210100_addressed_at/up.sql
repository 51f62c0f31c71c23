-- Since when users have their addresses. Tokens that were printed before tokens had ids name
-- nothing but an address, which may have been somebody else's then.

ALTER TABLE users ADD COLUMN addressed_at BIGINT NOT NULL DEFAULT 0;
