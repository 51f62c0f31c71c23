DROP TABLE events;
DROP TABLE month_totals;
DROP TABLE day_totals;
DROP TABLE marks;
DROP TABLE entries;
DROP TABLE transactions;
