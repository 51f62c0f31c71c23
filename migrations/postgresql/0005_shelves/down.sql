DROP TABLE collection_books;
DROP TABLE collections;
DROP TABLE saved_queries;
