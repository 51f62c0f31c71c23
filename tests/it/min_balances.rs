//! Minimum balances of accounts (4.24, 3.13): no request lowers an account below its minimum.

use daybook_domain::field::Field;
use daybook_domain::reason::Reason;
use daybook_domain::transaction::Intent;
use daybook_service::{Error, account, transaction as transactions};
use daybook_tests::decimal::units;
use daybook_tests::{Answer, Cast, Client, Engine, Server, column, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::book_copies::entry;
use crate::reading::{
    absent, balances, batch, events, expected_totals, find, id, items, new_events, totals,
    transaction,
};
use crate::store::{Bench, draft, named};

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        rule_4_24_minimum_is_a_decimal,
        rule_4_24_invalid_minimum_is_refused,
        rule_4_24_round_trip_keeps_the_minimum,
        rule_4_24_events_have_the_minimum_of_their_time,
        rule_4_24_minimum_survives_a_change_of_the_scale,
        rule_3_13_1_each_verb_is_refused_as_a_whole,
        rule_3_13_1_sign_follows_the_type,
        rule_3_13_1_future_days_count,
        rule_3_13_2_changes_of_a_request_count_together,
        rule_3_13_2_batch_does_not_skip,
        rule_3_13_3_account_below_its_minimum_may_be_raised,
        rule_3_13_4_copies_keep_the_minimum,
        rule_3_13_1_many_clients_spend_one_account,
    ];
    cases.extend(crate::isolated![
        rule_3_13_1_two_processes_spend_one_account,
        rule_3_13_1_requests_of_one_commit_see_each_other,
    ]);
    cases
}

const CHART: [(&str, &str); 3] = [("Cash", "ASSET"), ("Food", "OUTGOING"), ("Pay", "INCOMING")];
const FUNDS: &str = "insufficientFunds";

/// Sets the minimum of an account.
#[track_caller]
fn limit(cast: &Cast, account: &str, minimum: Value) -> Value {
    cast.put("/accounts", &json!({"name": account, "minBalance": minimum})).ok()
}

/// A book with 60.00 in Cash, which has a minimum of 50.00: two deposits, a lunch, a draft and a
/// trashed transaction.
struct Fixture {
    cast: Cast,
    deposit: String,
    other_deposit: String,
    lunch: String,
    draft: String,
    trashed: String,
}

impl Fixture {
    #[track_caller]
    fn new(server: &Server) -> Fixture {
        let cast = Cast::with_accounts(server, &CHART);
        let spend = |amount: &str| id(&cast.create(&spending(amount)));
        let deposit = || id(&cast.record("2025-01-01", "60", "Pay", "Cash", "Deposit"));
        let (deposit, other_deposit) = (deposit(), deposit());
        let lunch = spend("60");
        let trashed = spend("20");
        cast.patch("/transactions/trash", &json!({"id": trashed})).ok();
        let mut draft = spending("20");
        draft["draft"] = json!(true);
        let draft = id(&cast.create(&draft));
        limit(&cast, "Cash", json!("50"));
        Fixture { cast, deposit, other_deposit, lunch, draft, trashed }
    }

    /// All transactions, drafts and trashed ones too.
    #[track_caller]
    fn transactions(&self) -> Vec<Value> {
        let ids = [&self.deposit, &self.other_deposit, &self.lunch, &self.draft, &self.trashed];
        ids.map(|id| transaction(&self.cast, id)).to_vec()
    }
}

/// A lunch paid from Cash.
fn spending(amount: &str) -> Value {
    entry("2025-02-01", amount, ["Cash", "Food"], "Lunch")
}

/// The balance of Cash as people read it.
#[track_caller]
fn cash(cast: &Cast) -> i128 {
    totals(cast).get("Cash").map_or(0, |(debit, credit)| debit - credit)
}

fn rule_4_24_minimum_is_a_decimal(server: &Server) {
    let cast = Cast::new(server);
    let made = cast
        .post("/accounts", &json!({"name": "Cash", "type": "ASSET", "minBalance": "-12.345"}))
        .ok();
    assert_eq!(made["minBalance"], "-12.35", "3.12.4: rounded half-up");
    let plain = cast.account("Food", "OUTGOING");
    assert!(absent(&plain, "minBalance"), "4.24: off by default: {plain}");
    for (written, expected) in [
        (json!("1,000.5"), json!("1000.50")),
        (json!(7), json!("7.00")),
        (json!("0"), json!("0.00")),
        (json!(""), Value::Null),
        (json!(-1.5), json!("-1.50")),
        (Value::Null, Value::Null),
    ] {
        assert_eq!(limit(&cast, "Cash", written.clone())["minBalance"], expected, "{written}");
        assert_eq!(cast.read("/accounts/cash")["minBalance"], expected, "{written}");
    }
    let body = batch([
        json!({"name": "cash", "minBalance": "1"}),
        json!({"name": "food", "minBalance": "2"}),
    ]);
    cast.put("/accounts/batch", &body).ok();
    let list = cast.get("/accounts").ok();
    assert_eq!(column(&list, "minBalance"), ["1.00", "2.00"]);
}

fn rule_4_24_invalid_minimum_is_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CHART);
    limit(&cast, "Cash", json!("5"));
    for text in ["x", "--1", "0.001", "1.2.3", "92233720368547758.08", "-1e30"] {
        let body = json!({"name": "Cash", "minBalance": text});
        cast.put("/accounts", &body).refused(400, "badRequest");
        cast.post("/accounts", &json!({"name": "New", "minBalance": text}))
            .refused(400, "badRequest");
    }
    cast.put("/accounts", &json!({"name": "Cash", "minBalance": true})).refused(400, "invalid");
    assert_eq!(cast.read("/accounts/cash")["minBalance"], "5.00");
    assert_eq!(items(&cast.get("/accounts").ok()).len(), 3);
}

fn rule_4_24_round_trip_keeps_the_minimum(server: &Server) {
    let cast = Cast::with_accounts(server, &CHART);
    let before = limit(&cast, "Cash", json!("5"));
    let known = events(&cast).len();
    assert_eq!(cast.put("/accounts", &before).ok(), before);
    assert_eq!(limit(&cast, "Cash", json!("5.000")), before, "3.10.5: an equal value");
    let mut without = before.clone();
    without.as_object_mut().expect("an object").remove("minBalance");
    assert_eq!(cast.put("/accounts", &without).ok(), before, "a client that does not know it");
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_4_24_events_have_the_minimum_of_their_time(server: &Server) {
    let cast = Cast::with_accounts(server, &CHART);
    let known = events(&cast).len();
    limit(&cast, "Cash", json!("5"));
    limit(&cast, "Cash", json!("6"));
    limit(&cast, "Cash", json!(""));
    cast.put("/accounts", &json!({"name": "Cash", "archived": true})).ok();
    limit(&cast, "Cash", json!("7"));
    let events = new_events(&cast, known);
    let minima: Vec<&Value> =
        events.iter().map(|event| &event["data"]["object"]["minBalance"]).collect();
    let expected = [json!("5.00"), json!("6.00"), Value::Null, Value::Null, json!("7.00")];
    assert_eq!(minima, expected.iter().collect::<Vec<_>>());
    let former = &events[1]["data"]["previousAttributes"];
    assert_eq!(former, &json!({"minBalance": "5.00"}), "8.3");
}

fn rule_4_24_minimum_survives_a_change_of_the_scale(server: &Server) {
    let Fixture { cast, .. } = Fixture::new(server);
    cast.put("", &json!({"fractionDigits": 4})).ok();
    cast.post("/transactions", &spending("10.0001")).refused(400, FUNDS);
    cast.create(&spending("9.9999"));
    assert_eq!(cash(&cast), units("50.0001"));
    limit(&cast, "Cash", json!("50.00005"));
    assert_eq!(cast.read("/accounts/cash")["minBalance"], "50.0001", "3.12.4");
    cast.post("/transactions", &spending("0.0001")).refused(400, FUNDS);
    cast.put("", &json!({"fractionDigits": 0})).ok();
    let read = cast.read("/accounts/cash");
    assert_eq!(cast.put("/accounts", &read).ok()["minBalance"], "50.0001", "3.10.5: not rounded");
}

fn rule_3_13_1_each_verb_is_refused_as_a_whole(server: &Server) {
    let fixture = Fixture::new(server);
    let Fixture { cast, deposit, other_deposit, lunch, draft, trashed } = &fixture;
    let (before, totals_before) = (fixture.transactions(), totals(cast));
    let known = events(cast).len();
    let one = |id: &str| json!({"id": id});
    let (raised, moved) = (
        json!({"id": lunch, "amount": "70.01"}),
        json!({"id": deposit, "debitAccount": {"name": "Food"}}),
    );
    let mut checked = spending("10.01");
    checked["checked"] = json!(true);
    let dated = json!({"id": draft, "date": "2030-01-01"});
    let text = json!({"description": "01/02/2025 cash food 10.01"});
    let rows: [(&str, &str, Value); 18] = [
        ("POST", "", spending("10.01")),
        ("POST", "", checked),
        ("POST", "", text),
        ("POST", "/batch", batch([spending("5"), spending("5.01")])),
        ("PATCH", "/post", spending("10.01")),
        ("PATCH", "/post", dated.clone()),
        ("PATCH", "/post/batch", batch([dated.clone()])),
        ("PATCH", "/post/batch?all=true", batch([dated])),
        ("PUT", "", raised.clone()),
        ("PUT", "", moved.clone()),
        ("PUT", "/batch", batch([raised])),
        ("PUT", "/batch?updateChecked=true", batch([moved])),
        ("PATCH", "/trash", one(deposit)),
        ("PATCH", "/remove", one(deposit)),
        ("PATCH", "/trash/batch", batch([one(lunch), one(deposit), one(other_deposit)])),
        ("PATCH", "/untrash", one(trashed)),
        ("PATCH", "/untrash/batch", batch([one(trashed)])),
        ("PATCH", "/merge", batch([one(deposit), one(other_deposit)])),
    ];
    for (method, path, body) in rows {
        let what = format!("{method} {path} {body}");
        let answer = cast.owner.send(method, &cast.path(&format!("/transactions{path}")), &body);
        assert_eq!(answer.status, 400, "{what}: {}", answer.text);
        let message = answer.refused(400, FUNDS);
        assert!(message.contains("account \"Cash\""), "{what}: {message}");
        assert!(message.ends_with("its minimum balance is 50.00"), "{what}: {message}");
        assert_eq!(totals(cast), totals_before, "{what}");
    }
    assert_eq!(new_events(cast, known).len(), 0);
    assert_eq!(fixture.transactions(), before);
    assert_eq!(items(&find(cast, "")).len(), 4, "no draft is left");
    // Down to the minimum.
    cast.create(&spending("10"));
    assert_eq!(cash(cast), units("50"));
}

fn rule_3_13_1_sign_follows_the_type(server: &Server) {
    for (kind, raise, lower) in [
        ("ASSET", ["Other", "Limited"], ["Limited", "Other"]),
        ("OUTGOING", ["Other", "Limited"], ["Limited", "Other"]),
        ("LIABILITY", ["Limited", "Other"], ["Other", "Limited"]),
        ("INCOMING", ["Limited", "Other"], ["Other", "Limited"]),
    ] {
        let cast = Cast::with_accounts(server, &[("Limited", kind), ("Other", "ASSET")]);
        limit(&cast, "Limited", json!("-5"));
        cast.create(&entry("2025-01-01", "10", raise, "Raise"));
        let body = entry("2025-01-02", "15.01", lower, "Lower");
        let message = cast.post("/transactions", &body).refused(400, FUNDS);
        assert!(message.contains("would have -5.01"), "{kind}: {message}");
        cast.create(&entry("2025-01-02", "15", lower, "Lower"));
    }
}

/// The total counts all days: money that arrives later may be spent earlier.
fn rule_3_13_1_future_days_count(server: &Server) {
    let cast = Cast::with_accounts(server, &CHART);
    limit(&cast, "Cash", json!("0"));
    cast.record("2099-12-31", "10", "Pay", "Cash", "Deposit");
    let lunch = cast.create(&entry("2001-01-01", "10", ["Cash", "Food"], "Lunch"));
    // A new date does not change the total.
    cast.put("/transactions", &json!({"id": lunch["id"], "date": "2100-01-01"})).ok();
    cast.post("/transactions", &spending("0.01")).refused(400, FUNDS);
}

fn rule_3_13_2_changes_of_a_request_count_together(server: &Server) {
    let Fixture { cast, deposit, lunch, draft, .. } = Fixture::new(server);
    let leg = |amount: &str, sides: [&str; 2]| {
        let mut leg = entry("2025-02-01", amount, sides, "Leg");
        leg["properties"] = json!({"entry_id": "2025-02-01/1"});
        leg
    };
    // The first leg alone would leave -10.00.
    let legs = |amount: &str| batch([leg("70", ["Cash", "Food"]), leg(amount, ["Pay", "Cash"])]);
    cast.post("/transactions/batch", &legs("59.99")).refused(400, FUNDS);
    let made = cast.post("/transactions/batch", &legs("60")).ok();
    assert!(items(&made).iter().all(|leg| leg["posted"] == true), "{made}");
    assert_eq!(cash(&cast), units("50"));
    // One transaction in two items: its last state counts.
    let update =
        |amounts: [&str; 2]| batch(amounts.map(|amount| json!({"id": lunch, "amount": amount})));
    cast.put("/transactions/batch", &update(["20", "60.01"])).refused(400, FUNDS);
    cast.put("/transactions/batch", &update(["90", "60"])).ok();
    // Two verbs cannot be one request.
    cast.patch("/transactions/trash", &json!({"id": deposit})).refused(400, FUNDS);
    cast.patch("/transactions/trash/batch", &batch([json!({"id": lunch}), json!({"id": deposit})]))
        .no_content();
    assert_eq!(cash(&cast), units("50"));
    cast.patch("/transactions/trash", &json!({"id": draft})).ok();
}

fn rule_3_13_2_batch_does_not_skip(server: &Server) {
    let Fixture { cast, draft, .. } = Fixture::new(server);
    let mut small = spending("1");
    small["draft"] = json!(true);
    let small = id(&cast.create(&small));
    let known = events(&cast).len();
    let both = batch([json!({"id": small}), json!({"id": draft})]);
    cast.patch("/transactions/post/batch", &both).refused(400, FUNDS);
    assert_eq!(new_events(&cast, known).len(), 0);
    cast.patch("/transactions/post/batch", &batch([json!({"id": small})])).no_content();
    // A known remote id is not recorded again, so it spends nothing.
    let mut paid = spending("9");
    paid["remoteIds"] = json!(["r-1"]);
    cast.create(&paid);
    cast.create(&paid);
    assert_eq!(cash(&cast), units("50"));
}

fn rule_3_13_3_account_below_its_minimum_may_be_raised(server: &Server) {
    let Fixture { cast, deposit, lunch, .. } = Fixture::new(server);
    limit(&cast, "Cash", json!("1000"));
    cast.post("/transactions", &spending("0.01")).refused(400, FUNDS);
    cast.record("2025-03-01", "1", "Pay", "Cash", "Deposit");
    let lunch_with = |field: &str, value: &str| {
        let mut body = json!({"id": lunch});
        body[field] = json!(value);
        cast.put("/transactions", &body)
    };
    lunch_with("amount", "59").ok();
    lunch_with("description", "Dinner").ok();
    lunch_with("amount", "59.01").refused(400, FUNDS);
    cast.patch("/transactions/check", &json!({"id": deposit})).ok();
    cast.patch("/transactions/uncheck", &json!({"id": deposit})).ok();
    cast.patch("/transactions/trash", &json!({"id": lunch})).ok();
    cast.patch("/transactions/untrash", &json!({"id": lunch})).refused(400, FUNDS);
    limit(&cast, "Cash", json!(""));
    cast.patch("/transactions/untrash", &json!({"id": lunch})).ok();
    assert_eq!(cash(&cast), units("62"));
}

fn rule_3_13_4_copies_keep_the_minimum(server: &Server) {
    let Fixture { cast, .. } = Fixture::new(server);
    limit(&cast, "Cash", json!("1000"));
    let ask = "name=Copy&copyTransactions=true&fractionDigits=0";
    let copy = cast.post(&format!("/copy?{ask}"), &Value::Null).ok();
    let path = |rest: &str| format!("/v5/books/{}{rest}", id(&copy));
    shows(&cast.owner.get(&path("/accounts/cash")).ok(), &json!({"minBalance": "1000.00"}));
    let list = cast.owner.get(&path("/transactions")).ok();
    assert_eq!(items(&list).len(), items(&find(&cast, "")).len(), "below the minimum: {list}");
    cast.owner.post(&path("/transactions"), &spending("1")).refused(400, FUNDS);
}

/// The clients that spend an account at once.
const CLIENTS: usize = 32;

/// Lets clients spend 7.00 from Cash, which has 100.00 and a minimum of 1.00, until it is used up.
#[track_caller]
fn spend_at_once(cast: &Cast, clients: &[Client]) {
    cast.record("2025-01-01", "100", "Pay", "Cash", "Deposit");
    limit(cast, "Cash", json!("1"));
    let mut draft = spending("7");
    draft["draft"] = json!(true);
    let drafts: Vec<String> = (0..clients.len()).map(|_| id(&cast.create(&draft))).collect();
    let start = std::sync::Barrier::new(clients.len());
    let paid: usize = std::thread::scope(|scope| {
        let spend = |(number, (client, draft)): (usize, (&Client, String))| {
            let (start, path) = (&start, |rest: &str| cast.path(&format!("/transactions{rest}")));
            let client = client.clone();
            let paths = [path(""), path("/batch"), path("/post")];
            scope.spawn(move || {
                start.wait();
                (0..3).filter(|turn| spend_once(&client, &paths, &draft, number + turn)).count()
            })
        };
        let callers = clients.iter().zip(drafts).enumerate().map(spend).collect::<Vec<_>>();
        callers.into_iter().map(|caller| caller.join().expect("a caller")).sum()
    });
    assert_eq!(paid, 14, "14 x 7.00 = 98.00");
    let expected =
        [("Cash", "100.00", "98.00"), ("Food", "98.00", "0.00"), ("Pay", "0.00", "100.00")];
    assert_eq!(totals(cast), expected_totals(&expected));
    let shown = balances(cast, "account:Cash on:2025-02-01");
    assert!(shown.to_string().contains("\"-2.00\""), "raw: {shown}");
}

/// Spends 7.00 by one of three operations, and returns whether it was done.
#[track_caller]
fn spend_once(client: &Client, paths: &[String; 3], draft: &str, kind: usize) -> bool {
    let answer: Answer = match kind % 3 {
        0 => client.post(&paths[0], &spending("7")),
        1 => client.post(&paths[1], &batch([spending("3"), spending("4")])),
        _ => client.patch(&paths[2], &json!({"id": draft})),
    };
    if answer.status == 400 {
        answer.refused(400, FUNDS);
        return false;
    }
    answer.ok();
    true
}

fn rule_3_13_1_many_clients_spend_one_account(server: &Server) {
    let cast = Cast::with_accounts(server, &CHART);
    spend_at_once(&cast, &vec![cast.poster.clone(); CLIENTS]);
}

/// Only PostgreSQL has several processes.
fn rule_3_13_1_two_processes_spend_one_account(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CHART);
    let beside = server.beside(&[]);
    let elsewhere = beside.client(cast.poster.email());
    let clients: Vec<Client> = (0..CLIENTS)
        .map(|number| if number % 2 == 0 { cast.poster.clone() } else { elsewhere.clone() })
        .collect();
    spend_at_once(&cast, &clients);
    // A minimum that another process has set holds at once.
    elsewhere.post(&cast.path("/transactions"), &spending("0.5")).ok();
    limit(&cast, "Cash", json!("1.5"));
    elsewhere.post(&cast.path("/transactions"), &spending("0.01")).refused(400, FUNDS);
}

/// The totals of requests that are not flushed yet count too, those of refused ones do not.
fn rule_3_13_1_requests_of_one_commit_see_each_other(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let set_minimum = |text: &str| {
        let mut cash = named("Cash");
        cash.changes.min_balance = Field::Set(text.to_owned());
        let (cx, book) = (bench.cx.clone(), bench.book.clone());
        bench
            .store
            .write(bench.lane(), move |tx| account::update(tx, &cx, &book, vec![cash]).map(drop))
            .expect("a minimum");
    };
    set_minimum("-3.50");
    let release = bench.occupy();
    // The second one spends 3.00, the others 1.00.
    let waiting: Vec<_> = [1, 3, 1, 1, 1]
        .map(|legs| {
            let (cx, book) = (bench.cx.clone(), bench.book.clone());
            let items = vec![draft("Lunch"); legs];
            bench.submit(move |tx| {
                transactions::create(tx, &cx, &book, items, Intent::Create).map(drop)
            })
        })
        .into();
    release.send(()).expect("the writer waits");
    let outcomes = waiting.iter().map(|outcome| match outcome.recv().expect("an outcome") {
        Ok(()) => None,
        Err(Error::Refused(refusal)) => Some(refusal.reason()),
        Err(other) => panic!("{other}"),
    });
    let refused = Some(Reason::InsufficientFunds);
    assert_eq!(outcomes.collect::<Vec<_>>(), [None, refused, None, None, refused]);
    let statements = |minimum: &str| {
        set_minimum(minimum);
        // The first batch after a change of the account reads it.
        [1, 10, 100].map(|items| {
            let before = bench.store.statements();
            bench.record(vec![draft("Lunch"); items]).expect("a batch");
            bench.store.statements() - before
        })
    };
    let (without, with) = (statements(""), statements("-1000000"));
    let more = [1, 2].map(|batch: usize| with[batch].saturating_sub(without[batch]));
    assert!(more.iter().all(|more| (1..=2).contains(more)), "{without:?}, {with:?}");
}
