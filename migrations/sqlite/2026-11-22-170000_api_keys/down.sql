DROP TABLE api_key_days;
DROP TABLE api_keys;
