DROP TABLE detached_deliveries;
