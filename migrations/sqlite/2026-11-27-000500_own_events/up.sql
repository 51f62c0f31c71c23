-- Whether the app is sent the events that it caused itself (behaviour 8.11).
ALTER TABLE integrations ADD COLUMN own_events INTEGER NOT NULL DEFAULT 1;
