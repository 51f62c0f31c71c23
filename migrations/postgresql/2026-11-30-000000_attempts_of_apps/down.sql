DROP INDEX delivery_attempts_app;
