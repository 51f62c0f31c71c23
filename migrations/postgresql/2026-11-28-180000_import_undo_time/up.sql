-- When the undo of an import began. What was moved to the trash earlier was moved by a person.
ALTER TABLE imports ADD COLUMN undo_started_at BIGINT;
