//! Requests of the public v5 clients, recorded from their runs (docs/clients.md), against a server
//! with `--compat v5`.

use daybook_tests::receiver::{Received, Receiver};
use daybook_tests::{Answer, Client, Engine, Server, id, shows, unique};
use serde_json::{Value, json};

use crate::file_sweep::eventually;
use crate::reading::items;

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![
        a_javascript_library_keeps_a_book,
        a_command_line_keeps_a_book,
        a_command_line_synchronizes_an_app,
        a_spreadsheet_library_creates_accounts,
        a_tax_bot_records_taxes,
        a_subledger_bot_posts_in_another_book,
        a_bucket_bot_distributes_savings,
    ]
}

const COMPAT: [&str; 2] = ["--compat", "v5"];

/// A server for existing clients, and a client that names its agent as they do.
fn served(engine: Engine, agent: &str) -> (Server, Client) {
    let server = Server::with_args(engine, &COMPAT);
    let owner = server.client(&format!("{}@example.com", unique("v5")));
    let owner = owner.header("bkper-agent-id", agent);
    (server, owner)
}

/// The path of a resource of a book.
fn within(book: &str, rest: &str) -> String {
    format!("/v5/books/{book}{rest}")
}

#[track_caller]
fn new_book(client: &Client, body: &Value) -> String {
    id(&client.post("/v5/books/?", body).ok()).to_owned()
}

#[track_caller]
fn account(client: &Client, book: &str, name: &str, kind: &str, fields: &Value) -> Value {
    let mut body = json!({"createdAt": "1795739218382", "name": name, "type": kind});
    let fields = fields.as_object().cloned().unwrap_or_default();
    body.as_object_mut().expect("an object").extend(fields);
    client.post(&within(book, "/accounts?"), &body).ok()
}

/// The reads of a library on an empty result.
#[track_caller]
fn finds_nothing(client: &Client, book: &str) {
    for path in ["/accounts/nothing?", "/groups/nothing?", "/transactions/nothing?"] {
        client.get(&within(book, path)).no_content();
    }
}

/// bkper-js 2.42.0: whole objects are sent back, with `createdAt` of its own.
fn a_javascript_library_keeps_a_book(engine: Engine) {
    let (_server, owner) = served(engine, "flow");
    owner.get("/v5/user?").ok();
    let book = new_book(&owner, &json!({"name": "Shop", "fractionDigits": 2}));
    owner.get(&within(&book, "?loadAccounts=true&loadGroups=false")).ok();
    let bank = account(&owner, &book, "Bank", "ASSET", &json!({}));
    assert_eq!(bank["agentId"], "flow");
    let more = json!({"items": [
        {"createdAt": "1795739218606", "name": "Día Único", "type": "OUTGOING"},
        {"createdAt": "1795739218606", "name": "Łódź", "type": "OUTGOING"},
    ]});
    let made = owner.post(&within(&book, "/accounts/batch?"), &more).ok();
    assert_eq!(items(&made)[0]["normalizedName"], "dia_unico");
    let found = owner.get(&within(&book, "/accounts/dia%20unico?")).ok();
    assert_eq!(found, items(&made)[0]);
    let found = owner.get(&within(&book, "/accounts/%C5%81%C3%B3d%C5%BA?")).ok();
    assert_eq!(found, items(&made)[1]);
    finds_nothing(&owner, &book);
    let body = json!({
        "createdAt": "1795739218969", "date": "2026-01-15", "amount": "12.5",
        "creditAccount": bank, "debitAccount": found, "description": "Lunch #a",
        "remoteIds": ["r1"],
    });
    let posted = owner.post(&within(&book, "/transactions?"), &body).ok()["transaction"].clone();
    assert_eq!((&posted["posted"], &posted["amount"]), (&json!(true), &json!("12.50")));
    let listed = owner.get(&within(&book, "/transactions?query=account%3ABank&limit=100")).ok();
    assert_eq!(items(&listed).len(), 1);
    let time = "/balances?query=on%3A2026-01&time=1795739219078";
    let balances = owner.get(&within(&book, time)).ok();
    assert_eq!(balances["accountBalances"].as_array().map(Vec::len), Some(3), "{balances}");
    let mut transaction = posted;
    for (verb, flag, value) in [
        ("check", "checked", true),
        ("uncheck", "checked", false),
        ("trash", "trashed", true),
        ("restore", "trashed", false),
    ] {
        let path = within(&book, &format!("/transactions/{verb}?"));
        transaction = owner.patch(&path, &transaction).ok()["transaction"].clone();
        assert_eq!(transaction[flag], value, "{verb}");
    }
}

/// bkper-cli 4.27.0 with bkper-js 2.42.0: each command loads the book first.
fn a_command_line_keeps_a_book(engine: Engine) {
    let (_server, owner) = served(engine, "bkper-cli");
    let book = new_book(&owner, &json!({"name": "Home"}));
    let listed = owner.get("/v5/books/?").ok();
    assert_eq!(items(&listed)[0]["agentId"], "bkper-cli");
    owner.get(&within(&book, "?loadAccounts=false&loadGroups=false")).ok();
    let group = json!({"createdAt": "1795738815966", "name": "Equity Group"});
    let group = owner.post(&within(&book, "/groups?"), &group).ok();
    assert_eq!(owner.get(&within(&book, "/groups/Equity%20Group?")).ok(), group);
    let cash = account(&owner, &book, "Cash", "ASSET", &json!({"groups": [group]}));
    assert_eq!(cash["groups"][0]["name"], "Equity Group");
    account(&owner, &book, "Café", "OUTGOING", &json!({"properties": {"key": "value"}}));
    finds_nothing(&owner, &book);
    let body = json!({"items": [{
        "date": "2026-01-16", "amount": "3", "description": "Tea",
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Café"},
    }]});
    let posted = owner.post(&within(&book, "/transactions/batch?"), &body).ok();
    assert_eq!(items(&posted)[0]["posted"], true);
    let one = owner.get(&within(&book, "/transactions?query=account%3ACash&limit=100")).ok();
    assert_eq!(items(&one)[0]["creditAccount"]["name"], "Cash");
    owner.get(&within(&book, "/events?limit=50")).ok();
}

/// bkper-cli 4.27.0, `bkper app sync` and `bkper app install`.
fn a_command_line_synchronizes_an_app(engine: Engine) {
    let (_server, owner) = served(engine, "bkper-cli");
    let (book, app) = (new_book(&owner, &json!({"name": "Home"})), unique("bot"));
    let path = format!("/v5/apps/{app}?");
    assert!(owner.get(&path).refused(404, "notFound").contains(&app));
    let source = format!("/api/apps/{app}/source");
    let request = owner.header("Accept", "application/json").get(&source);
    request.refused(503, "notOffered");
    let body = json!({
        "id": app, "name": "Tax bot", "description": "d", "apiVersion": "v5",
        "webhookUrl": "http://127.0.0.1:9000/", "events": ["TRANSACTION_POSTED"],
        "deployment": {"web": {"main": "x.js"}},
    });
    owner.post("/v5/apps?", &body).ok();
    owner.put("/v5/apps?", &body).ok();
    owner.get(&path).ok();
    assert!(!items(&owner.get("/v5/apps?").ok()).is_empty());
    let installed = json!({"bookId": book, "agentId": app});
    owner.post(&within(&book, "/integrations?"), &installed).ok();
}

/// bkper-gs 3.46.0: the older address and content type of createAccount, and verbs of v5.
fn a_spreadsheet_library_creates_accounts(engine: Engine) {
    let (_server, owner) = served(engine, "bkper-app");
    let owner = owner.header("bkper-api-key", "no key of this server");
    let book = new_book(&owner, &json!({"name": "Sheet"}));
    let send = |path: &str, body: &Value| -> Answer {
        let kind = Some("application/json; charset=UTF-8");
        owner.send_raw("POST", path, kind, body.to_string().as_bytes())
    };
    let path = format!("/v2/ledgers/{book}/accounts");
    let made = send(&path, &json!({"name": "Bank"})).ok();
    assert_eq!((&made["name"], &made["agentId"]), (&json!("Bank"), &json!("bkper-app")));
    send(&within(&book, "/groups"), &json!({"name": "Costs"})).ok();
    let made = send(&path, &json!({"name": "Rent", "group": "Costs", "description": "d"})).ok();
    assert_eq!(made["groups"][0]["name"], "Costs");
    let body = json!({
        "date": "2026-01-15", "amount": "100", "description": "January",
        "creditAccount": {"id": id(&owner.get(&within(&book, "/accounts/bank")).ok())},
        "debitAccount": {"id": id(&made)},
    });
    let posted = send(&within(&book, "/transactions"), &body).ok()["transaction"].clone();
    for verb in ["trash", "untrash", "check"] {
        owner.patch(&within(&book, &format!("/transactions/{verb}")), &posted).ok();
    }
    finds_nothing(&owner, &book);
}

/// The environment of a bot: its server, its owner, and its deliveries.
struct Hosted {
    server: Server,
    owner: Client,
    receiver: Receiver,
    app: String,
}

impl Hosted {
    fn new(engine: Engine, app: &str) -> Self {
        let (server, owner) = served(engine, "flow");
        let (receiver, app) = (Receiver::start(), unique(app));
        let body = json!({
            "id": app, "name": app, "webhookUrl": receiver.url(), "apiVersion": "v5",
            "events": ["TRANSACTION_POSTED", "TRANSACTION_CHECKED", "TRANSACTION_DELETED"],
        });
        owner.post("/v5/apps", &body).ok();
        Self { server, owner, receiver, app }
    }

    #[track_caller]
    fn install(&self, book: &str) {
        let body = json!({"agentId": self.app});
        self.owner.post(&within(book, "/integrations"), &body).ok();
    }

    /// Waits for a number of deliveries; returns the last one, and a client that answers it with
    /// the two headers that public bots use.
    #[track_caller]
    fn wait_for_delivery(&self, count: usize) -> (Received, Client) {
        let received = self.receiver.wait_for(count).pop().expect("a delivery");
        assert_eq!(received.header("bkper-agent-id"), self.app);
        let token = received.header("bkper-oauth-token");
        let bot = self.server.client_with_token(token).header("bkper-agent-id", &self.app);
        (received, bot)
    }

    /// Two books of one collection, which the token of a delivery reaches.
    #[track_caller]
    fn two_books(&self, properties: impl Fn(&str) -> Value) -> (String, String) {
        let other = new_book(&self.owner, &json!({"name": "Other"}));
        let body = json!({"name": "Own", "properties": properties(&other)});
        let own = new_book(&self.owner, &body);
        let both = self.owner.post("/v5/collections", &json!({"name": "Both"})).ok();
        let path = format!("/v5/collections/{}/books/add", id(&both));
        let books = json!({"items": [{"id": other}, {"id": own}]});
        self.owner.patch(&path, &books).ok();
        self.install(&own);
        (own, other)
    }
}

#[track_caller]
fn post(client: &Client, book: &str, [from, to]: [&Value; 2], amount: &str) -> Value {
    let body = json!({
        "createdAt": "1795739219189", "date": "2026-01-20", "amount": amount,
        "creditAccount": from, "debitAccount": to, "description": "Service sold",
    });
    client.post(&within(book, "/transactions"), &body).ok()["transaction"].clone()
}

/// bkper-apps, tax-bot 2.7.2: the description has the accounts.
fn a_tax_bot_records_taxes(engine: Engine) {
    let hosted = Hosted::new(engine, "sales-tax-bot");
    let owner = &hosted.owner;
    let book = new_book(owner, &json!({"name": "Shop"}));
    let bank = account(owner, &book, "Bank", "ASSET", &json!({}));
    let rate = json!({"properties": {"tax_included_rate": "10"}});
    let product = account(owner, &book, "Product", "INCOMING", &rate);
    account(owner, &book, "Output Tax", "LIABILITY", &json!({}));
    hosted.install(&book);
    let sale = post(owner, &book, [&product, &bank], "440");
    let (event, bot) = hosted.wait_for_delivery(1);
    let side = &event.body["data"]["object"]["transaction"]["creditAccount"];
    assert_eq!(side["properties"]["tax_included_rate"], "10");
    let remote = format!("tax_included_rate_{}_{}", id(&sale), id(&product));
    let tax = json!({"items": [{
        "createdAt": "1795739219268", "remoteIds": [remote], "date": "2026-01-20", "amount": "40",
        "description": "Output Tax Product #vatout Service sold",
        "properties": {"exc_code": "", "exc_date": ""},
    }]});
    let posted = bot.post(&within(&book, "/transactions/batch"), &tax).ok();
    let posted = &items(&posted)[0];
    shows(posted, &json!({"posted": true, "description": "#vatout Service sold"}));
    assert_eq!(posted["agentId"], hosted.app);
    let sides = (&posted["creditAccount"]["name"], &posted["debitAccount"]["name"]);
    assert_eq!(sides, (&json!("Output Tax"), &json!("Product")));
    owner.patch(&within(&book, "/transactions/trash"), &sale).ok();
    let (_, bot) = hosted.wait_for_delivery(2);
    let found = format!("/transactions?query=remoteId%3A{remote}&limit=100");
    let found = bot.get(&within(&book, &found)).ok();
    let trashed = bot.patch(&within(&book, "/transactions/trash"), &items(&found)[0]).ok();
    assert_eq!(trashed["transaction"]["trashed"], true);
}

/// bkper-apps, subledger-bot: it posts in the book that a property of the event's book names.
fn a_subledger_bot_posts_in_another_book(engine: Engine) {
    let hosted = Hosted::new(engine, "subledger-bot");
    let owner = &hosted.owner;
    let (child, parent) = hosted.two_books(|parent| json!({"parent_book_id": parent}));
    let receivable = account(owner, &parent, "Receivable", "ASSET", &json!({}));
    let revenue = account(owner, &parent, "Revenue", "INCOMING", &json!({}));
    let alice = account(owner, &child, "Alice", "ASSET", &json!({}));
    let web = account(owner, &child, "Web", "INCOMING", &json!({}));
    let order = post(owner, &child, [&web, &alice], "99");
    let (event, bot) = hosted.wait_for_delivery(1);
    assert_eq!(event.body["book"]["properties"]["parent_book_id"], parent);
    bot.get(&within(&parent, "?loadAccounts=false&loadGroups=false")).ok();
    let query = format!("/transactions?query=remoteId%3A{}&limit=100", id(&order));
    assert!(items(&bot.get(&within(&parent, &query)).ok()).is_empty());
    bot.get(&within(&child, &format!("/accounts/{}", id(&web)))).ok();
    assert_eq!(bot.get(&within(&parent, "/accounts/Revenue")).ok()["id"], revenue["id"]);
    // Posting without an id creates.
    let body = json!({
        "createdAt": "1795739220462", "date": "2026-01-20", "amount": "99",
        "properties": {"child_from": "Web", "child_to": "Alice"}, "remoteIds": [id(&order)],
        "creditAccount": revenue, "debitAccount": receivable, "description": "Order 1",
    });
    let posted = bot.patch(&within(&parent, "/transactions/post"), &body).ok();
    assert_eq!(posted["transaction"]["posted"], true);
    owner.patch(&within(&child, "/transactions/check"), &order).ok();
    let (_, bot) = hosted.wait_for_delivery(2);
    let found = bot.get(&within(&parent, &query)).ok();
    let checked = bot.patch(&within(&parent, "/transactions/check"), &items(&found)[0]).ok();
    assert_eq!(checked["transaction"]["checked"], true);
}

/// bucket-bot: it looks up an account that may not exist, and names no agent.
fn a_bucket_bot_distributes_savings(engine: Engine) {
    let hosted = Hosted::new(engine, "bucket-bot");
    let owner = &hosted.owner;
    let (ledger, buckets) = hosted.two_books(|buckets| json!({"bucket_book_id": buckets}));
    let marked = json!({"properties": {"savings": "true"}});
    let savings = account(owner, &ledger, "Savings", "ASSET", &marked);
    let salary = account(owner, &ledger, "Salary", "INCOMING", &json!({}));
    let source = account(owner, &buckets, "Savings", "INCOMING", &json!({}));
    let names = ["Emergency", "Vacation"];
    let targets = names.map(|name| account(owner, &buckets, name, "ASSET", &json!({})));
    post(owner, &ledger, [&salary, &savings], "1000");
    let (event, bot) = hosted.wait_for_delivery(1);
    let books = event.body["book"]["collection"]["books"].as_array().expect("the collection");
    assert!(books.iter().any(|book| book["id"] == json!(buckets)), "{books:?}");
    let side = &event.body["data"]["object"]["transaction"]["debitAccount"];
    assert_eq!(side["properties"]["savings"], "true");
    bot.get(&within(&buckets, "?loadAccounts=true&loadGroups=true")).ok();
    bot.get(&within(&buckets, "/accounts/Withdrawal")).no_content();
    let mut posted = Vec::new();
    for (target, amount) in targets.iter().zip(["600", "400"]) {
        let body = json!({
            "createdAt": "1795739221912", "date": "2026-01-20", "amount": amount,
            "description": "Pay #gl_savings", "creditAccount": source, "debitAccount": target,
            "properties": {"gl_account_id": id(&savings)},
            "remoteIds": [format!("{}_{amount}", id(target))],
        });
        let path = within(&buckets, "/transactions/post");
        posted.push(bot.patch(&path, &body).ok()["transaction"].clone());
    }
    let query = "/balances?query=account%3A%22Emergency%22%20or%20account%3A%22Vacation%22&time=1";
    let balances = bot.get(&within(&buckets, query)).ok();
    assert_eq!(balances["accountBalances"].as_array().map(Vec::len), Some(2), "{balances}");
    let checked =
        bot.patch(&within(&buckets, "/transactions/check/batch"), &json!({"items": posted}));
    checked.no_content();
    eventually("8.5: nothing waits", || {
        owner.get(&within(&ledger, "/events/backlog")).ok()["count"] == 0
    });
}
