-- The minimum balance as a decimal, so a change of the scale of the book keeps it (behaviour 4.24).
ALTER TABLE accounts ADD COLUMN min_balance TEXT;
