ALTER TABLE book_state DROP COLUMN posted_months;
