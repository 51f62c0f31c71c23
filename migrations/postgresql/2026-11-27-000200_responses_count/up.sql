-- The responses of apps count for the storage quota of their book (behaviour 10.14).
UPDATE book_state SET stored_bytes = stored_bytes + COALESCE(
    (SELECT CAST(SUM(octet_length(r.message) + 100) AS BIGINT) FROM bot_responses r
     WHERE r.book_id = book_state.book_id), 0);
