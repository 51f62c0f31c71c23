DROP TABLE starts;
DROP TABLE idempotency_keys;
