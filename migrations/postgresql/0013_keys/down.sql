-- The marks are what they should have been; there is nothing to go back to.
SELECT 1;
