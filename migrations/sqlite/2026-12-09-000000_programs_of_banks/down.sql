UPDATE integrations SET app_id = substr(app_id, 2) WHERE app_id LIKE ':%';
