DROP INDEX transactions_day;
CREATE INDEX transactions_day ON transactions (book_id, day, id);
