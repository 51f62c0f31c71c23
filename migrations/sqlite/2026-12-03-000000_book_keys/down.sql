DROP TABLE book_keys;
