-- Every key begins with the book, so every estimate begins with how many rows a book has. What the engine counts for itself is
-- what the books had a while ago: of a new one it is certain that it has none, passes all of it for each row of another
-- table, and an import takes hours. Without statistics of this column it takes a book for a small part of a table, and takes
-- the narrowest key. Naming the type again drops the statistics there are.
ALTER TABLE transactions ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE entries ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE marks ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE day_totals ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE month_totals ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE events ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE text_grams ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE text_blocks ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE accounts ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE account_groups ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE memberships ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE files ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
ALTER TABLE saved_queries ALTER COLUMN book_id TYPE BIGINT, ALTER COLUMN book_id SET STATISTICS 0;
