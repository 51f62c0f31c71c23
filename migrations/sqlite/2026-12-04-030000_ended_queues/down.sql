DROP INDEX delivery_queues_stopped;
