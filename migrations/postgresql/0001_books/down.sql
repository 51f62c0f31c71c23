DROP TABLE memberships;
DROP TABLE account_groups;
DROP TABLE accounts;
DROP TABLE collaborators;
DROP TABLE heads;
DROP TABLE books;
DROP TABLE users;
