-- The instant at which the undo of an import began. It distinguishes the transactions that a
-- person moved to the trash before from those that the undo moved there.
ALTER TABLE imports ADD COLUMN undo_started_at INTEGER;
