DROP TABLE device_authorizations;
DROP TABLE consents;
DROP TABLE grants;
