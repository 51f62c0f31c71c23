DROP INDEX bot_responses_kind;
