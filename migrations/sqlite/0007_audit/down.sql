DROP TABLE audits;
