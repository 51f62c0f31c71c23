DROP TABLE sessions;
DROP TABLE login_links;
