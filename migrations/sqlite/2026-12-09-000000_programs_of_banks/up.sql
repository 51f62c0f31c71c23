-- An integration by a connection to a bank names a program and installs no app, whatever app has
-- that id (storage/integration.rs). So does one whose connection is gone, because nobody knows what
-- that was. Queues of such programs have ended; the sweep removes what waits in them.

UPDATE integrations SET app_id = ':' || app_id
WHERE connection_id <> 0
    AND connection_id NOT IN (SELECT id FROM connections WHERE kind = 'APP');

UPDATE delivery_queues
SET stopped_at = 1, lease = NULL, leased_until = NULL, due_at = NULL, failing_since = NULL,
    paused_at = CASE WHEN pause_cause = 'operator' THEN paused_at END,
    pause_cause = CASE WHEN pause_cause = 'operator' THEN pause_cause END
WHERE stopped_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM integrations i
    WHERE i.book_id = delivery_queues.book_id AND i.app_id = delivery_queues.app_id
);
