//! Limits of books owned (6.23) and shared (7.12) by a user, so that no user can fill another's
//! list of books.

use daybook_tests::{Cast, Engine, RawSql, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_23_a_user_owns_ten_thousand_books,
        rule_6_23_half_of_them_by_transfer,
        rule_7_12_an_owner_shares_ten_thousand,
        rule_7_12_own_books_come_first,
    ]
}

/// Copies of a cast's book, created directly in the database and removed when dropped.
struct Fillers {
    database: RawSql,
    engine: Engine,
    /// The range of their ids.
    ids: (i64, i64),
}

impl Fillers {
    /// Creates books of the owner of the cast's book.
    fn new(server: &Server, cast: &Cast, count: i64) -> Fillers {
        let mut database = RawSql::open(server);
        let of = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
        let number = database.count(&format!("SELECT {of}"));
        let first = -number * 100_000;
        let columns = "owner_id, name, auto_post, date_pattern, decimal_separator, \
            fraction_digits, scale, page_size, period, period_start_month, time_zone, visibility, \
            created_at, updated_at, version, file_secret";
        let made = database.execute(&format!(
            "WITH RECURSIVE row (n) AS \
             (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < {count}) \
             INSERT INTO books (id, public_id, {columns}) \
             SELECT {first} + row.n, 'filler-' || ({first} + row.n), {columns} \
             FROM books b CROSS JOIN row WHERE b.id = {number}"
        ));
        assert_eq!(i64::try_from(made), Ok(count));
        Fillers { database, engine: server.engine(), ids: (first, first + count) }
    }

    fn execute(&mut self, statement: &str, id: &str) {
        let (after, last) = self.ids;
        self.database.execute(&format!("{statement} WHERE {id} > {after} AND {id} <= {last}"));
    }

    fn share(&mut self, email: &str) {
        let row = format!(
            "INSERT INTO collaborators \
             (book_id, id, email, permission, created_at, updated_at, version) \
             SELECT b.id, 1, '{email}', 'VIEWER', 1, 1, 1 FROM books b"
        );
        self.execute(&row, "b.id");
        if self.engine == Engine::Postgres {
            // Otherwise the planner expects a few rows and compares each with each.
            self.database.execute("ANALYZE books, collaborators");
        }
    }

    fn remove_one(&mut self) {
        let (after, last) = self.ids;
        for (table, column) in [("collaborators", "book_id"), ("books", "id")] {
            self.database.execute(&format!("DELETE FROM {table} WHERE {column} = {last}"));
        }
        self.ids = (after, last - 1);
    }
}

impl Drop for Fillers {
    fn drop(&mut self) {
        for (table, column) in
            [("collaborators", "book_id"), ("book_state", "book_id"), ("books", "id")]
        {
            self.execute(&format!("DELETE FROM {table}"), column);
        }
    }
}

fn rule_6_23_a_user_owns_ten_thousand_books(server: &Server) {
    let cast = Cast::new(server);
    let mut fillers = Fillers::new(server, &cast, 9_999);
    let create = || cast.owner.post("/v5/books", &json!({"name": "One more"}));
    let output = create().refused(400, "badRequest");
    assert!(output.contains("10000 books"), "{output}");
    cast.post("/copy?name=Copy", &Value::Null).refused(400, "badRequest");
    fillers.remove_one();
    let book = create().ok();
    // A deleted book counts, because it can be restored.
    cast.owner.delete(&format!("/v5/books/{}", id(&book))).ok();
    create().refused(400, "badRequest");
}

fn rule_6_23_half_of_them_by_transfer(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let mut fillers = Fillers::new(server, &other, 4_999);
    let to = json!({"email": other.owner.email()});
    cast.post("/transfer", &to).ok();
    let give = || other.owner.post(&cast.path("/transfer/accept"), &Value::Null);
    give().refused(400, "badRequest");
    other.owner.post("/v5/books", &json!({"name": "Their own"})).ok();
    fillers.remove_one();
    fillers.remove_one();
    assert_eq!(give().ok()["ownerName"], other.owner.get("/v5/user").ok()["username"]);
}

fn rule_7_12_an_owner_shares_ten_thousand(server: &Server) {
    let cast = Cast::new(server);
    let victim = Cast::new(server);
    let mut fillers = Fillers::new(server, &cast, 10_000);
    fillers.share(victim.owner.email());
    let add = |email: &str| {
        let body = json!({"email": email, "permission": "VIEWER"});
        cast.post("/collaborators", &body)
    };
    let output = add(victim.owner.email()).refused(400, "badRequest");
    assert!(output.contains("10000 books"), "{output}");
    add(victim.poster.email()).ok();
    // A collaborator of the book may still get another permission.
    add(cast.poster.email()).ok();
    fillers.remove_one();
    add(victim.owner.email()).ok();
}

fn rule_7_12_own_books_come_first(server: &Server) {
    let cast = Cast::new(server);
    let victim = Cast::with_settings(server, json!({"properties": {"mine": "is shown"}}));
    let mut fillers = Fillers::new(server, &cast, 300);
    fillers.share(victim.owner.email());
    let state = "INSERT INTO book_state (book_id, sequence, hash, changed_at, posted, month, \
        month_posted, year_posted, posted_months) \
        SELECT b.id, 0, s.hash, 1, 0, 0, 0, 0, s.posted_months \
        FROM books b CROSS JOIN (SELECT hash, posted_months FROM book_state LIMIT 1) s";
    fillers.execute(state, "b.id");
    let large = json!({"their": "x".repeat(60_000)});
    fillers.execute(&format!("UPDATE books SET properties = '{large}'"), "id");
    let list = victim.owner.get("/v5/books").ok();
    let shown = |book: &Value| book["properties"].as_object().is_some_and(|all| !all.is_empty());
    let own: Vec<&Value> =
        items(&list).iter().filter(|book| book["id"] == victim.book.as_str()).collect();
    assert_eq!(own[0]["properties"], json!({"mine": "is shown"}));
    let (with, without): (Vec<&Value>, Vec<&Value>) =
        items(&list).iter().partition(|book| shown(book));
    assert!(with.len() > 200 && without.len() > 20, "{} and {}", with.len(), without.len());
}
