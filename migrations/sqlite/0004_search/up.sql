-- The index of texts (storage/transaction/text.rs): for each trigram and chunk of 4,096 transactions a bit for each block
-- of 64 in which it occurs.
CREATE TABLE text_grams (
    book_id INTEGER NOT NULL,
    gram INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    PRIMARY KEY (book_id, gram, chunk)
) STRICT, WITHOUT ROWID;

-- The transactions of a block: those behind after_id, up to last_id.
CREATE TABLE text_blocks (
    book_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    after_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    PRIMARY KEY (book_id, block)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX text_blocks_last ON text_blocks (book_id, last_id);

-- How far it reaches, how many chunks that is, and how many transactions wait behind it. The server indexes what waits
-- here when it starts.
ALTER TABLE heads ADD COLUMN text_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE heads ADD COLUMN text_chunks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE heads ADD COLUMN text_waiting INTEGER NOT NULL DEFAULT 0;
UPDATE heads SET text_waiting = (SELECT COUNT(*) FROM transactions t WHERE t.book_id = heads.book_id);

-- Drafts and the trash are found by marks.
INSERT INTO marks (book_id, mark, day, transaction_id) SELECT book_id, 'sdraft', day, id FROM transactions WHERE standing = 0 AND trashed = 0;
INSERT INTO marks (book_id, mark, day, transaction_id) SELECT book_id, 'strashed', day, id FROM transactions WHERE trashed = 1;
