DROP TABLE commits;
