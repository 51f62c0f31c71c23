DROP TABLE failed_transactions;
