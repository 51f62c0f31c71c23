-- SQLite keeps no statistics here: nobody asks it to.
SELECT 1;
