DROP TABLE access_requests;
