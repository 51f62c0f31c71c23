-- When the undo of an import began. A transaction that was moved to the trash earlier was moved by a person.
ALTER TABLE imports ADD COLUMN undo_started_at INTEGER;
