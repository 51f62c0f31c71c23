-- Whether the app is sent the events that it caused itself (behaviour 8.11).
ALTER TABLE integrations ADD COLUMN own_events BOOLEAN NOT NULL DEFAULT TRUE;
