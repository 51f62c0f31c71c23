DROP TABLE app_people;
DROP TABLE apps;
