//! The tables of a migrated database, from its catalogue.

use std::collections::{BTreeMap, BTreeSet};

use daybook_tests::{Engine, Server};
use postgres::NoTls;
use rusqlite::OpenFlags;

/// Tables by name.
pub type Schema = BTreeMap<String, Table>;

/// The properties that the engines must share.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub columns: Vec<Column>,
    /// The columns of the primary key.
    pub key: Vec<String>,
    /// By name, without the primary key and UNIQUE columns, whose names depend on the engine.
    pub indexes: Vec<Index>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    pub nullable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers of every size, and booleans, which are integers in SQLite.
    Number,
    Text,
    Bytes,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index {
    pub name: String,
    pub unique: bool,
    pub columns: Vec<String>,
}

impl Table {
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|found| found.name == column)
    }
}

impl Kind {
    fn of(name: &str) -> Kind {
        match name.to_ascii_lowercase().as_str() {
            "integer" | "bigint" | "smallint" | "boolean" => Kind::Number,
            "text" => Kind::Text,
            "blob" | "bytea" => Kind::Bytes,
            other => panic!("a column of the type {other}: say here what its counterpart is"),
        }
    }
}

/// The tables of this server's database, without those of the engine and of diesel.
pub fn tables(server: &Server) -> Schema {
    match server.engine() {
        Engine::Sqlite => sqlite(server.database_url()),
        Engine::Postgres => postgres(server.database_url()),
    }
}

fn sqlite(url: &str) -> Schema {
    let path = url.strip_prefix("sqlite:").expect("an address of SQLite");
    let connection = rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .expect("the file of the server");
    let rows = |query: &str, table: &str| -> Vec<(String, String, i64)> {
        let mut statement = connection.prepare(query).expect(query);
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let rows = statement.query_map([table], read).expect(query);
        rows.collect::<Result<_, _>>().expect(query)
    };
    let mut schema = Schema::new();
    let listed = "SELECT name, type, strict FROM pragma_table_list WHERE schema = ?1 AND type = \
        'table' \
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\'";
    for (name, _, strict) in rows(listed, "main") {
        assert_eq!(strict, 1, "{name} is STRICT");
        let foreign =
            rows("SELECT \"from\", \"table\", id FROM pragma_foreign_key_list(?1)", &name);
        assert!(foreign.is_empty(), "{name} has foreign keys: {foreign:?}");
        let columns = rows(
            "SELECT name, type, NOT \"notnull\" FROM pragma_table_info(?1) ORDER BY cid",
            &name,
        );
        let key = rows(
            "SELECT name, type, pk FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk",
            &name,
        );
        // Origin `c`: created by CREATE INDEX.
        let indexes = rows(
            "SELECT name, origin, \"unique\" FROM pragma_index_list(?1) WHERE \
            origin = 'c' ORDER BY name",
            &name,
        );
        let index = |(index, _, unique): (String, String, i64)| {
            let columns =
                rows("SELECT name, name, seqno FROM pragma_index_info(?1) ORDER BY seqno", &index);
            Index {
                name: index,
                unique: unique == 1,
                columns: columns.into_iter().map(|(column, ..)| column).collect(),
            }
        };
        let column = |(name, kind, nullable): (String, String, i64)| Column {
            name,
            kind: Kind::of(&kind),
            nullable: nullable == 1,
        };
        let table = Table {
            columns: columns.into_iter().map(column).collect(),
            key: key.into_iter().map(|(column, ..)| column).collect(),
            indexes: indexes.into_iter().map(index).collect(),
        };
        schema.insert(name, table);
    }
    schema
}

const COLUMNS: &str = "SELECT table_name::text, column_name::text, data_type::text, is_nullable = \
    'YES' FROM information_schema.columns JOIN information_schema.tables \
    USING (table_schema, table_name) WHERE table_schema = 'public' \
    AND table_type = 'BASE TABLE' AND table_name NOT LIKE '\\_\\_diesel%' ORDER BY table_name, \
    ordinal_position";

/// Indexes by column; those of a constraint other than the primary key are UNIQUE columns.
const INDEXES: &str = "SELECT t.relname::text, i.relname::text, x.indisprimary, x.indisunique, \
    a.attname::text FROM pg_index x \
    JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid JOIN \
    pg_namespace n ON n.oid = t.relnamespace \
    CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum \
    WHERE n.nspname = 'public' AND t.relname NOT LIKE '\\_\\_diesel%' \
    AND (x.indisprimary OR NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = \
    x.indexrelid)) ORDER BY 1, 2, k.place";

const FOREIGN: &str = "SELECT conname::text FROM pg_constraint WHERE contype = 'f'";

/// The tables of a PostgreSQL database with UNIQUE columns.
pub fn with_unique_columns(url: &str) -> BTreeSet<String> {
    let mut connection = postgres::Client::connect(url, NoTls).expect("the database of the server");
    let query = "SELECT conrelid::regclass::text FROM pg_constraint \
         WHERE contype = 'u' AND connamespace = 'public'::regnamespace";
    let rows = connection.query(query, &[]).expect("a catalogue");
    rows.iter().map(|row| row.get(0)).collect()
}

fn postgres(url: &str) -> Schema {
    let mut connection = postgres::Client::connect(url, NoTls).expect("the database of the server");
    let mut rows = |query: &str| connection.query(query, &[]).expect("a catalogue");
    let foreign: Vec<String> = rows(FOREIGN).iter().map(|row| row.get(0)).collect();
    assert!(foreign.is_empty(), "foreign keys: {foreign:?}");
    let mut schema = Schema::new();
    for row in rows(COLUMNS) {
        let column = Column { name: row.get(1), kind: Kind::of(row.get(2)), nullable: row.get(3) };
        schema.entry(row.get(0)).or_default().columns.push(column);
    }
    for row in rows(INDEXES) {
        let (table, name, column): (&str, String, String) = (row.get(0), row.get(1), row.get(4));
        let table = schema.get_mut(table).expect("an index has a table");
        if row.get(2) {
            table.key.push(column);
        } else if let Some(index) = table.indexes.iter_mut().find(|index| index.name == name) {
            index.columns.push(column);
        } else {
            table.indexes.push(Index { name, unique: row.get(3), columns: vec![column] });
        }
    }
    for table in schema.values_mut() {
        // The collations of the engines differ.
        table.indexes.sort();
    }
    schema
}
