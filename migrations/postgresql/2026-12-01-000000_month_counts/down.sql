DROP TABLE month_counts;
