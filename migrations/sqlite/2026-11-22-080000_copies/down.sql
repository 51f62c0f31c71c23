DROP TABLE copied_transactions;
DROP TABLE unfinished_copies;
