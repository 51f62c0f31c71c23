//! Statements about a book stay in its partition, because a distributed database has all rows of a
//! book on one machine, and a statement across machines is expensive. Here the tables are
//! partitioned by `book_id` on a PostgreSQL that logs its plans, and every operation is called
//! once.

use std::collections::{BTreeMap, BTreeSet};

use daybook_tests::postgres::{Cluster, Setup};
use daybook_tests::{Engine, Options, Server};
use serde_json::Value;

use crate::Case;
use crate::file_sweep::eventually;
use crate::openapi;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_house_statements_of_a_book_stay_in_its_partition]
}

/// Splits `books` by its number, and each table with a book number by that, into eight partitions.
const SPLIT: &str = "DO $$
DECLARE name text; number text; entries text := pg_get_viewdef('entries');
BEGIN
    DROP VIEW entries;
    CREATE SEQUENCE book_numbers START 1000;
    FOR name, number IN
        SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
            AND (c.relname, a.attname) IN (SELECT 'books', 'id' UNION SELECT c.relname, 'book_id')
            AND c.relname NOT IN ('collection_books', 'book_keys')
    LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO whole', name);
        EXECUTE format(
            'CREATE TABLE %I (LIKE whole INCLUDING DEFAULTS INCLUDING CONSTRAINTS \
             INCLUDING INDEXES INCLUDING STORAGE) PARTITION BY HASH (%I)', name, number);
        FOR part IN 0..7 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
                name || '_part' || part, name, part);
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT * FROM whole', name);
        DROP TABLE whole;
    END LOOP;
    EXECUTE 'CREATE VIEW entries AS ' || entries;
    ALTER TABLE books ALTER COLUMN id SET DEFAULT nextval('book_numbers');
END $$";

/// Logs the plan of each statement for its values.
const EXPLAIN: [&str; 8] = [
    "LOAD 'auto_explain'",
    "ALTER SYSTEM SET session_preload_libraries = 'auto_explain'",
    "ALTER SYSTEM SET auto_explain.log_min_duration = 0",
    "ALTER SYSTEM SET auto_explain.log_format = 'json'",
    "ALTER SYSTEM SET auto_explain.log_analyze = off",
    "ALTER SYSTEM SET plan_cache_mode = 'force_custom_plan'",
    "ALTER SYSTEM SET log_line_prefix = 'line '",
    "SELECT pg_reload_conf()",
];

/// Statements across books, by a part of their text, with their purpose. A statement counts for the
/// first part that it contains.
const CROSSING: [(&str, &str); 21] = [
    ("FROM book_keys k JOIN books b", "several books by public id"),
    ("FROM collaborators c JOIN books b", "the books of a user"),
    ("FROM transfer_offers o JOIN books b", "the books that are offered to a user"),
    ("FROM collection_books p JOIN books b ON b.id = p.book_id JOIN book_state", "a collection"),
    ("SELECT b.id FROM books b WHERE b.owner_id = ", "how many books a user owns"),
    ("s.year_posted, b.time_zone FROM books b", "how busy the books of a user are"),
    ("SUM(s.stored_transactions)", "what the books of an owner hold"),
    ("s.posted_months FROM books b", "what was posted in the books of an owner"),
    ("FROM collaborators m JOIN books b", "the collections of a user's books"),
    ("(SELECT \"integrations\".\"book_id\"", "the books that use a connection"),
    ("FROM audit_requests a JOIN books b ON b.id = a.book_id WHERE b.d", "the audits that wait"),
    ("FROM audit_findings f JOIN books b", "the audits with findings"),
    ("q.stopped_at IS NOT NULL", "the queues of apps that were uninstalled"),
    ("FROM delivery_queues q JOIN books b", "the paused apps"),
    ("FROM imports i JOIN books b", "the imports that a worker goes on with"),
    ("s.unindexed >= ", "the books with texts to index"),
    ("FROM unfinished_copies n JOIN books b ON b.id = n.book_id ORDER", "abandoned copies"),
    ("deleted_at, id LIMIT", "the deleted books that wait no longer"),
    ("WHERE q.due_at <= ", "the deliveries that are due"),
    ("q.paused_at, (SELECT b.public_id", "the pauses that are over"),
    ("SELECT book_id, sequence, app_id, attempt FROM old)", "the delivery log that is too old"),
];

/// The plans in a log.
fn plans(log: &str) -> Vec<Value> {
    let mut plans = Vec::new();
    for entry in log.split("\nline ") {
        let Some((_, plan)) = entry.split_once("  plan:\n") else { continue };
        plans.push(serde_json::from_str(plan).expect("a plan in JSON"));
    }
    plans
}

/// The partitions that a plan reads or changes, by table.
fn touched(plan: &Value, parts: &mut BTreeMap<String, BTreeSet<String>>) {
    match plan {
        Value::Object(node) => {
            let name = node.get("Relation Name").and_then(Value::as_str);
            if let Some((table, part)) = name.and_then(|name| name.rsplit_once("_part")) {
                parts.entry(table.to_owned()).or_default().insert(part.to_owned());
            }
            node.values().for_each(|inner| touched(inner, parts));
        }
        Value::Array(nodes) => nodes.iter().for_each(|inner| touched(inner, parts)),
        _ => {}
    }
}

/// A separate PostgreSQL with the schema, the stopped server that created it, and a connection.
pub fn stopped() -> (Cluster, Server, postgres::Client) {
    let cluster = Cluster::start(Setup::default());
    let database_url = Some(cluster.url().to_owned());
    let engine = Engine::Postgres;
    let mut server = Server::start_with(Options { engine, database_url, ..Options::default() });
    server.terminate();
    let database = postgres::Client::connect(cluster.url(), postgres::NoTls).expect("psql");
    (cluster, server, database)
}

fn rule_house_statements_of_a_book_stay_in_its_partition(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let (cluster, mut server, mut database) = stopped();
    database.batch_execute(SPLIT).expect("the tables are split");
    for statement in EXPLAIN {
        database.batch_execute(statement).expect("a setting");
    }
    drop(database);
    server.restart();
    openapi::every_operation(&server);
    eventually("the workers have looked around", || {
        let log = cluster.log();
        CROSSING.iter().all(|(known, _)| log.contains(&known.replace('"', "\\\"")))
    });
    // Ignore partial plans at the end of the log.
    server.terminate();
    let plans = plans(&cluster.log());
    assert!(plans.len() > 1_000, "{} plans", plans.len());
    let mut crossing: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for plan in &plans {
        let mut parts = BTreeMap::new();
        touched(&plan["Plan"], &mut parts);
        let text = plan["Query Text"].as_str().expect("a text");
        for (table, _) in parts.into_iter().filter(|(_, parts)| parts.len() > 1) {
            crossing.entry(text.to_owned()).or_default().insert(table);
        }
    }
    for (known, what) in CROSSING {
        let all = crossing.len();
        crossing.retain(|text, _| !text.contains(known));
        assert!(crossing.len() < all, "nothing looks for {what} in many books any more");
    }
    let shown = |(text, tables): (&String, &BTreeSet<String>)| format!("{tables:?}: {text:.600}");
    let shown: Vec<String> = crossing.iter().map(shown).collect();
    assert!(shown.is_empty(), "statements that look at many books:\n{}", shown.join("\n\n"));
}
