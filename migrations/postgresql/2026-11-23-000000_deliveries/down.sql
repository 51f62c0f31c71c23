DROP TABLE bot_responses;
DROP TABLE deliveries;
DROP TABLE delivery_queues;
ALTER TABLE book_state DROP COLUMN apps;
