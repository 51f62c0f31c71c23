DELETE FROM idempotency_keys WHERE form <> 0;
ALTER TABLE idempotency_keys DROP COLUMN form;
