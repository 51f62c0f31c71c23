//! Reads of one statement on PostgreSQL see every change of access, settings and accounts, also
//! those that another process made.

use daybook_storage::ReaderPool;
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::store::{Bench, draft};

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![changes_by_another_process_are_seen];
    cases.extend(crate::isolated![statements_of_the_most_used_reads]);
    cases
}

fn changes_by_another_process_are_seen(server: &Server) {
    let other = server.beside(&[]);
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "1.50", "Cash", "Food", "Lunch");
    let there = other.client(cast.owner.email());
    let balances = |caller: &Client, account: &str| {
        let answer = caller.get(&cast.path(&format!("/balances?query=account:{account}")));
        (answer.status, answer.text)
    };
    // Twice, so that the second read is one of a single statement.
    let balance = |caller: &Client, account: &str| {
        let first = balances(caller, account);
        assert_eq!(first, balances(caller, account));
        first
    };
    let shown = |account: &str| -> Value {
        let (status, text) = balance(&cast.viewer, account);
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).expect("JSON")
    };
    let total = |balances: &Value| balances["accountBalances"][0]["cumulativeBalance"].clone();
    // Each caller asks twice, as for balances.
    let page = |caller: &Client| {
        let read = || {
            let answer = caller.get(&cast.path("/transactions?limit=10"));
            (answer.status, answer.text)
        };
        let first = read();
        assert_eq!(first, read());
        first
    };
    let newest = |caller: &Client| -> Value {
        let (status, text) = page(caller);
        assert_eq!(status, 200, "{text}");
        let page: Value = serde_json::from_str(&text).expect("JSON");
        page["items"][0].clone()
    };

    assert_eq!(newest(&cast.owner)["description"], "Lunch");
    assert_eq!(newest(&cast.viewer)["description"], "Lunch");
    let before = total(&shown("Cash"));
    assert_ne!(before, Value::Null, "{}", shown("Cash"));
    let lunch = json!({
        "date": "2025-02-01", "amount": "2.00", "description": "More",
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
    });
    there.post(&cast.path("/transactions"), &lunch).ok();
    assert_ne!(total(&shown("Cash")), before, "a posting");
    assert_eq!(newest(&cast.owner)["description"], "More", "a posting");

    there.put(&cast.path(""), &json!({"fractionDigits": 4})).ok();
    let text = total(&shown("Cash")).to_string();
    assert!(text.contains(".5000"), "the settings of the book: {text}");
    assert_eq!(newest(&cast.owner)["amount"], "2.0000");

    let cash = there.get(&cast.path("/accounts/Cash")).ok();
    there.put(&cast.path("/accounts"), &json!({"id": id(&cash), "name": "Till"})).ok();
    assert_eq!(shown("Till")["accountBalances"][0]["name"], "Till");
    assert_eq!(shown("Cash")["accountBalances"], json!([]), "the former name");
    assert_eq!(newest(&cast.owner)["creditAccount"]["name"], "Till");
    assert_eq!(newest(&cast.viewer)["creditAccount"]["name"], "Till", "another creator");

    let viewer = cast.viewer.email();
    let collaborators = cast.path("/collaborators");
    let share = |permission: &str| json!({"email": viewer, "permission": permission});
    assert_eq!(balance(&cast.viewer, "Till").0, 200);
    there.post(&collaborators, &share("RECORDER")).ok();
    assert_eq!(balance(&cast.viewer, "Till").0, 403, "a lower permission");
    assert_eq!(newest(&cast.viewer), Value::Null, "a recorder sees own drafts only");
    there.post(&collaborators, &share("VIEWER")).ok();
    assert_eq!(balance(&cast.viewer, "Till").0, 200);
    there.delete(&format!("{collaborators}/{viewer}")).ok();
    assert_eq!(balance(&cast.viewer, "Till").0, 404, "no permission");
    assert_eq!(page(&cast.viewer).0, 404, "no permission");

    assert_eq!(balance(&cast.stranger, "Till").0, 404);
    there.put(&cast.path(""), &json!({"visibility": "PUBLIC"})).ok();
    assert_eq!(balance(&cast.stranger, "Till").0, 200, "a public book");
    there.put(&cast.path(""), &json!({"visibility": "PRIVATE"})).ok();
    assert_eq!(balance(&cast.stranger, "Till").0, 404, "a private book");

    assert_eq!(balance(&cast.owner, "Till").0, 200);
    there.delete(&cast.path("")).ok();
    assert_eq!(balance(&cast.owner, "Till").0, 404, "a deleted book");
    assert_eq!(page(&cast.owner).0, 404, "a deleted book");
}

/// How many statements the ten most used reads send once the caches are filled. Each is a round
/// trip to PostgreSQL, `BEGIN` and `ROLLBACK` of a snapshot included.
fn statements_of_the_most_used_reads(engine: Engine) {
    use daybook_service::query::QueryText;
    use daybook_service::transaction::{self, Request};
    use daybook_service::{Context, account, balance, book, group};
    use daybook_storage::{ReadStop, Tx};

    type Read<'r> = &'r dyn Fn(&mut Tx<'_>, &Context, &str) -> daybook_service::Result<()>;

    let bench = Bench::new(engine, 4096);
    let recorded = bench.record(vec![draft("cash food 01/02/2025 25")]).expect("a transaction");
    let transaction = recorded.transactions[0].id.to_string();
    let balances = |query: &'static str| {
        move |tx: &mut Tx<'_>, cx: &Context, book: &str| {
            balance::get(tx, cx, book, &QueryText::from(query)).map(drop)
        }
    };
    let page = |query: &'static str| {
        move |tx: &mut Tx<'_>, cx: &Context, book: &str| {
            let request = Request { limit: Some(100), query: query.into(), ..Request::default() };
            transaction::list(tx, cx, book, &request).map(drop)
        }
    };
    let (one, past, whole) = (
        balances("account:Cash"),
        balances("account:Cash on:2025-02-03"),
        balances("on:2025-02-03"),
    );
    let (newest, of_account) = (page(""), page("account:Cash"));
    let reads: [(&str, [u64; 2], Read<'_>); 10] = [
        ("balance of an account", [4, 1], &one),
        ("balance of an account at a date", [4, 1], &past),
        ("balances of the book at a date", [4, 1], &whole),
        ("newest transactions", [4, 1], &newest),
        ("transactions of an account", [7, 7], &of_account),
        ("a transaction", [4, 4], &|tx, cx, book| {
            transaction::get(tx, cx, book, &transaction).map(drop)
        }),
        ("accounts", [3, 1], &|tx, cx, book| account::list(tx, cx, book).map(drop)),
        ("an account", [3, 1], &|tx, cx, book| account::get(tx, cx, book, "Cash").map(drop)),
        ("groups", [3, 1], &|tx, cx, book| group::list(tx, cx, book).map(drop)),
        ("the book", [4, 4], &|tx, cx, book| book::get(tx, cx, book, false, false).map(drop)),
    ];
    let mut wrong = Vec::new();
    for (name, expected, read) in reads {
        let run = || {
            let stop = ReadStop::new(std::time::Duration::from_secs(10));
            bench
                .store
                .read_with_one_statement(ReaderPool::Users, &stop, |tx| {
                    read(tx, &bench.cx, &bench.book)
                })
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        };
        // Each connection of the pool prepares its statements.
        (0..20).for_each(|_| run());
        let before = bench.store.statements();
        run();
        let sent = bench.store.statements() - before;
        let expected = expected[usize::from(engine == Engine::Postgres)];
        if sent != expected {
            wrong.push(format!("{name}: {sent} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}: {}", engine, wrong.join("; "));
}
