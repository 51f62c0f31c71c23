//! The crate `daybook-client` as its callers use it: each permission, the shapes of responses, lost
//! responses, quotas, expired tokens, and events over a restart.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use daybook_client::parameters::{CreateTransaction, GetBook, GetReport, ListEvents};
use daybook_client::types::{
    Account, AccountType, EventType, Group, Permission, Query as SavedQuery, ReportKind,
    Transaction,
};
use daybook_client::{
    Amount, Book, CLI_CLIENT_ID, ChainFault, Client, Date, Error, Query, Reason, Request, Since,
    Tokens,
};
use daybook_tests::browser::{Browser, is_page};
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, RawSql, Server, block_on, unique};
use serde_json::Value;

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        callers_get_what_their_permission_allows,
        shapes_keep_what_the_server_writes,
        batches_and_lists_of_any_length_are_whole,
        queries_of_the_builder_are_understood,
        lost_response_is_repeated_without_a_second_effect,
        exceeded_quota_is_waited_for,
        address_may_have_a_path,
        expired_token_is_renewed_once,
        noted_hashes_are_compared,
        changed_event_and_changed_hash_are_found,
    ];
    cases.extend(crate::isolated![followed_events_survive_a_restart]);
    cases
}

fn book(cast: &Cast, caller: &daybook_tests::Client) -> Book {
    caller.typed().book(&cast.book)
}

fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

fn lunch(day: u8) -> Transaction {
    let date = Date::new(2026, 1, day).expect("a day");
    Transaction {
        description: "Lunch #good".into(),
        ..Transaction::between("Cash", "Food", date, Amount::new(1250, 2))
    }
}

fn draft(text: &str) -> Transaction {
    Transaction { description: text.into(), ..Transaction::default() }
}

/// Returns the reason of a refusal, or `None` for a success.
#[track_caller]
fn refusal<T>(result: Result<T, Error>) -> Option<Reason> {
    result.err().map(|error| error.reason().unwrap_or_else(|| panic!("{error}")).clone())
}

fn callers_get_what_their_permission_allows(server: &Server) {
    let cast = cast(server);
    let none = CreateTransaction::default();
    block_on(async {
        for (permission, member) in cast.members() {
            let book = book(&cast, member);
            let settings = book.get_book(&GetBook::default()).await.expect("a book");
            assert_eq!(settings.permission.as_ref().map(Permission::as_str), Some(permission));
            let refused = |when: bool| when.then_some(Reason::Forbidden);
            let drafted = book.create_transaction(&draft("receipt"), &none).await;
            assert_eq!(refusal(drafted), refused(permission == "VIEWER"), "{permission}: draft");
            let listed = book.list_accounts().await;
            assert_eq!(refusal(listed), refused(permission == "RECORDER"), "{permission}: chart");
            let account = Account::named(&unique("New"), AccountType::Asset);
            let created = book.create_account(&account).await;
            let may = ["OWNER", "EDITOR"].contains(&permission);
            assert_eq!(refusal(created), refused(!may), "{permission}: account");
        }
        let book = book(&cast, &cast.stranger);
        let found = book.get_book(&GetBook::default()).await;
        assert_eq!(refusal(found), Some(Reason::NotFound));
        let anonymous = Client::builder(server.base()).build().expect("a client");
        assert_eq!(refusal(anonymous.get_user().await), Some(Reason::Required));
    });
}

/// Removes what a shape does not distinguish from absence: null and empty lists.
fn stripped(value: Value) -> Value {
    let is_kept = |value: &Value| !value.is_null() && *value != Value::Array(Vec::new());
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| is_kept(value));
            kept.map(|(name, value)| (name, stripped(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Value::Array(list) => list.into_iter().map(stripped).collect(),
        other => other,
    }
}

/// Asserts that the typed response has all that the server wrote.
async fn assert_whole<T>(name: &str, request: Request<T>)
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let text = request.into_text().await.unwrap_or_else(|error| panic!("{name}: {error}"));
    let written: Value = serde_json::from_str(&text).expect("JSON");
    let typed: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let typed = serde_json::to_value(&typed).expect("JSON");
    assert_eq!(stripped(typed), stripped(written), "{name}");
}

fn shapes_keep_what_the_server_writes(server: &Server) {
    let cast = cast(server);
    block_on(async {
        let book = book(&cast, &cast.owner);
        let client = book.client();
        // A cash flow needs an account of cash.
        let cash = Group {
            name: Some("Cash and cash equivalents".to_owned()),
            properties: Some([("report".to_owned(), Some("cash".to_owned()))].into()),
            ..Group::default()
        };
        let cash = book.create_group(&cash).await.expect("a group").value;
        let mut account = book.get_account("Cash").await.expect("an account");
        account.value.groups = Some(vec![cash]);
        book.update_account(&account).await.expect("an account");
        let recorded = book.create_transaction(&lunch(5), &CreateTransaction::default()).await;
        let recorded = recorded.expect("a transaction");
        let id = recorded.transaction.id.as_deref().expect("an id");
        book.create_transaction(&draft("draft"), &CreateTransaction::default()).await.expect("one");
        let mut changed = recorded.transaction.clone();
        changed.description = "Dinner".into();
        book.update_transaction(&changed).await.expect("an update");
        let saved = SavedQuery {
            title: Some("January".to_owned()),
            query: Some("on:2026-01".to_owned()),
            ..SavedQuery::default()
        };
        book.save_query(&saved).await.expect("a query");
        let whole = GetBook { load_accounts: Some(true), load_groups: Some(true) };
        assert_whole("accounts", book.list_accounts()).await;
        assert_whole("transactions", book.list_transactions(&Default::default())).await;
        assert_whole("count", book.count("Dinner date>1")).await;
        assert_whole("balances", book.balances("on:2026 by:m")).await;
        assert_whole("events", book.list_events(&ListEvents::default())).await;
        assert_whole("collaborators", book.list_collaborators()).await;
        assert_whole("queries", book.list_queries()).await;
        assert_whole("comments", book.list_comments(id)).await;
        let line = draft("12.50 cash food");
        assert_whole("preview", book.preview_transaction(&line, &Default::default())).await;
        for kind in ReportKind::KNOWN {
            assert_whole(kind.as_str(), book.get_report(kind, &GetReport::default())).await;
        }
        assert_whole("user", client.get_user()).await;
        assert_whole("books", client.list_books(&Default::default())).await;
        assert_whole("tokens", client.list_tokens()).await;
        assert_whole("templates", client.list_templates()).await;
        assert_whole("apps", client.list_apps()).await;
        assert_whole("userinfo", client.userinfo()).await;
        assert_whole("metadata", client.openid_configuration()).await;
        let written = book.get_book(&whole).into_value().await.expect("a book");
        let typed = book.get_book(&whole).await.expect("a book").value;
        assert_eq!(stripped(serde_json::to_value(typed).expect("JSON")), stripped(written));
    });
}

fn batches_and_lists_of_any_length_are_whole(server: &Server) {
    let cast = cast(server);
    block_on(async {
        let book = book(&cast, &cast.owner);
        let drafts = (0..1_200).map(|number| draft(&format!("draft {number}")));
        let created = book.create_transactions(drafts).expect("a batch").all().await.expect("all");
        let listed = book.transactions(Query::new().is("draft")).all().await.expect("all");
        let ids = |rows: &[Transaction]| -> BTreeSet<Option<String>> {
            rows.iter().map(|row| row.id.clone()).collect()
        };
        assert_eq!((ids(&created).len(), ids(&created)), (1_200, ids(&listed)));
        let ids = listed.into_iter().filter_map(|row| row.id);
        let outcomes = book.trash_transactions(ids).expect("a batch").all().await.expect("all");
        let trashed: usize = outcomes.iter().map(|outcome| outcome.items).sum();
        assert_eq!((trashed, book.count("is:draft").await.expect("a count").total), (1_200, 0));
    });
}

fn queries_of_the_builder_are_understood(server: &Server) {
    let cast = cast(server);
    block_on(async {
        let book = book(&cast, &cast.owner);
        let names = ["Owner's Equity", "AND", "a \"b\" c\\", "-x (y)", "#1: rent"];
        let accounts = names.map(|name| Account::named(name, AccountType::Asset));
        book.create_accounts(accounts).expect("a batch").all().await.expect("accounts");
        for name in names {
            let movement = Transaction::between(name, "Food", Date::default(), Amount::new(1, 0));
            let movement = Transaction { date: lunch(7).date, ..movement };
            let recorded = book.create_transaction(&movement, &Default::default()).await;
            assert_eq!(recorded.expect(name).transaction.posted, Some(true), "{name}");
            let query = Query::new().account(name).after("2026").not(Query::new().text("o'clock"));
            let parameters = daybook_client::parameters::ListTransactions {
                query: Some(query.to_string()),
                strict: Some(true),
                ..Default::default()
            };
            let found = book.list_transactions(&parameters).await.expect(name);
            assert_eq!(found.items.len(), 1, "{query}");
            let balances = book.balances(Query::new().account(name).on("2026")).await.expect(name);
            let balance = balances.account(name).map(|account| account.cumulative());
            assert_eq!((balance, balances.warnings.len()), (Some(Amount::new(-1, 0)), 0), "{name}");
        }
    });
}

/// Accepts connections in front of a server, and drops so many responses.
pub fn relay(server: SocketAddr, losses: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let losses = Arc::new(AtomicUsize::new(losses));
    let pass = |mut from: TcpStream, mut to: TcpStream, losses: Option<Arc<AtomicUsize>>| {
        let mut bytes = [0; 16_384];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let one_less = |losses: usize| losses.checked_sub(1);
            let is_lost = losses.as_ref().is_some_and(|losses| {
                losses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
            });
            if is_lost || to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        drop((from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both)));
    };
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let upstream = TcpStream::connect(server).expect("the server");
            let (reader, writer) = (client.try_clone(), upstream.try_clone());
            let (client_copy, upstream_copy) = (reader.expect("a copy"), writer.expect("a copy"));
            let losses = Arc::clone(&losses);
            std::thread::spawn(move || pass(client, upstream, None));
            std::thread::spawn(move || pass(upstream_copy, client_copy, Some(losses)));
        }
    });
    url
}

fn lost_response_is_repeated_without_a_second_effect(server: &Server) {
    let cast = cast(server);
    let token = cast.owner.token().expect("a token");
    block_on(async {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&notices);
        let client = Client::builder(relay(server.address(), 2))
            .token(token)
            .on_retry(move |retry| seen.lock().expect("the notices").push(retry.attempts))
            .build();
        let book = client.expect("a client").book(&cast.book);
        let request = book.create_transaction(&lunch(5), &CreateTransaction::default());
        let response = request.send().await.expect("a response");
        assert!(response.head.is_replayed && response.head.attempts == 3, "{:?}", response.head);
        assert_eq!(*notices.lock().expect("the notices"), [1, 2]);
        assert_eq!(book.count("Lunch").await.expect("a count").total, 1);

        let patient = Client::builder(relay(server.address(), 9)).token(token).retries(1).build();
        let error = patient.expect("a client").get_user().await.expect_err("no response");
        assert!(matches!(error, Error::Transport { is_timeout: false, .. }), "{error}");
    });
}

/// 10.6: a full quota returns evenly, so the client waits a second.
fn exceeded_quota_is_waited_for(server: &Server) {
    let cast = cast(server);
    let limited = server.beside(&["--quota-per-minute", "60"]);
    block_on(async {
        let retries = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&retries);
        let client = Client::builder(limited.base())
            .token(cast.editor.token().expect("a token"))
            .on_retry(move |retry| {
                assert!(retry.pause.as_secs() >= 1, "{retry:?}");
                seen.fetch_add(1, Ordering::SeqCst);
            })
            .build()
            .expect("a client");
        // More calls than return meanwhile, however slow the machine is.
        let mut calls = 0;
        while retries.load(Ordering::SeqCst) == 0 {
            client.get_user().await.expect("a user");
            calls += 1;
            assert!(calls < 1_000, "the quota is never used up");
        }
    });
}

fn address_may_have_a_path(server: &Server) {
    let cast = cast(server);
    let below = server.beside(&["--path-prefix", "/ledger"]);
    let url = format!("{}/ledger/", below.base());
    block_on(async {
        let token = cast.viewer.token().expect("a token");
        let client = Client::builder(url).token(token).build().expect("a client");
        let account = client.book(&cast.book).get_account("Cash").await.expect("an account");
        assert_eq!(account.name.as_deref(), Some("Cash"));
        let text = client.raw("GET", "v5/user", None).expect("a method").await.expect("a user");
        assert!(text.contains("\"username\""), "{text}");
    });
}

/// 11.18, 11.19: the tokens of a device, one renewal for concurrent requests, and the end.
fn expired_token_is_renewed_once(server: &Server) {
    let email = format!("{}@example.com", unique("typed"));
    let mut browser = Browser::signed_in(server, &email);
    block_on(async {
        let program = Client::builder(server.base()).build().expect("a client");
        let sign_in = program.start_device_sign_in(CLI_CLIENT_ID, "email").await.expect("codes");
        let code = sign_in.codes().user_code.clone();
        let decision = [("user_code", code.as_str()), ("decision", "allow")];
        is_page(&browser.post("/auth/device", &decision), 200);
        let tokens = sign_in.poll().await.expect("an answer").expect("tokens");

        let renewed: Arc<Mutex<Vec<Tokens>>> = Arc::default();
        let stored = Arc::clone(&renewed);
        let expired = Tokens { access_token: "expired".to_owned(), ..tokens };
        let client = Client::builder(server.base())
            .tokens(CLI_CLIENT_ID, expired.clone(), move |tokens| {
                stored.lock().expect("the tokens").push(tokens.clone());
            })
            .build()
            .expect("a client");
        let (first, second, third) = tokio::join!(
            client.get_user().into_future(),
            client.get_user().into_future(),
            client.userinfo().into_future(),
        );
        assert_eq!(first.expect("a user").email.as_deref(), Some(email.as_str()));
        assert_eq!(third.expect("a user").email, email);
        second.expect("a user");
        let tokens = renewed.lock().expect("the tokens").clone();
        assert_eq!(tokens.len(), 1, "one renewal");
        assert_eq!(client.access_token().await.as_ref(), Some(&tokens[0].access_token));

        // A program that kept the first tokens, after another one has stored later ones.
        let later = program.refresh_tokens(CLI_CLIENT_ID, &tokens[0].refresh_token).await;
        let stored = Tokens { access_token: "expired, too".to_owned(), ..later.expect("tokens") };
        let last: Arc<Mutex<Option<Tokens>>> = Arc::default();
        let kept = Arc::clone(&last);
        let other = Client::builder(server.base())
            .tokens(CLI_CLIENT_ID, expired, move |tokens| {
                *kept.lock().expect("the tokens") = Some(tokens.clone());
            })
            .stored_tokens(move || Some(stored.clone()))
            .build()
            .expect("a client");
        other.get_user().await.expect("the grant exists");
        let last = last.lock().expect("the tokens").take().expect("a renewal");

        program.revoke_grant(CLI_CLIENT_ID, &last.refresh_token).await.expect("an end");
        let error = program.refresh_tokens(CLI_CLIENT_ID, &last.refresh_token).await;
        let error = error.expect_err("the grant has ended");
        assert!(matches!(&error, Error::OAuth(error) if error.code == "invalid_grant"), "{error}");
    });
}

/// 8.15, 8.17: what a reader can check, and the server's own recount.
fn noted_hashes_are_compared(server: &Server) {
    let cast = cast(server);
    block_on(async {
        let book = book(&cast, &cast.owner);
        let noted = book.verify_chain([]).await.expect("a report");
        assert_eq!(noted.faults, []);
        let head = noted.head.expect("an event");
        book.create_transaction(&lunch(5), &CreateTransaction::default()).await.expect("one");
        let report = book.verify_chain([head.clone()]).await.expect("a report");
        assert_eq!((report.faults.len(), report.events), (0, noted.events + 1));
        let forged = book.verify_chain([(head.0, "f".repeat(64))]).await.expect("a report");
        assert_eq!(forged.faults.len(), 1, "{:?}", forged.faults);
        let audit = book.audit().await.expect("an audit");
        assert!(audit.chain_intact && audit.events_checked > 0);
    });
}

fn changed_event_and_changed_hash_are_found(server: &Server) {
    let cast = cast(server);
    let book = book(&cast, &cast.owner);
    let verify = || {
        let (mut done, mut total) = (0, 0);
        let chain = book.verify_chain_with_progress([], |events, of| (done, total) = (events, of));
        let chain = block_on(chain).expect("a report");
        assert_eq!((done, total), (chain.events, chain.events));
        assert_eq!(chain.hashes, chain.events);
        chain.faults
    };
    assert_eq!(verify(), []);
    let created = ListEvents {
        kind: Some(EventType::AccountCreated),
        canonical: Some(true),
        ..ListEvents::default()
    };
    let event = block_on(book.events(created).take(1)).expect("events").remove(0);
    let canonical = event.canonical.expect("a canonical event");
    let hashed: Value = serde_json::from_str(&canonical).expect("JSON");
    let mut data = hashed["data"].clone();
    data["object"]["name"] = "Till".into();

    let mut raw_sql = RawSql::open(server);
    let [forged_data, data] =
        [&data, &hashed["data"]].map(|data| raw_sql.literal(data.to_string().as_bytes()));
    let [forged_hash, hash] = [&"7".repeat(64), &event.hash].map(|hash| raw_sql.bytes(hash));
    let mut set = |column: &str, bytes: &str| {
        let (sequence, book) = (event.sequence, &cast.book);
        let changed = raw_sql.execute(&format!(
            "UPDATE events SET {column} = {bytes} WHERE sequence = {sequence} AND book_id = \
             (SELECT id FROM books WHERE public_id = '{book}')"
        ));
        assert_eq!(changed, 1);
    };
    let wrong_hashes = || -> Vec<i64> {
        let sequence = |fault| match fault {
            ChainFault::WrongHash { sequence, .. } => sequence,
            fault => panic!("{fault}"),
        };
        verify().into_iter().map(sequence).collect()
    };
    set("data", &forged_data);
    assert_eq!(wrong_hashes(), [event.sequence]);
    set("data", &data);
    assert_eq!(verify(), []);
    // It is the last event, so no later hash covers it.
    set("hash", &forged_hash);
    assert_eq!(wrong_hashes(), [event.sequence]);
    set("hash", &hash);
    assert_eq!(verify(), []);
}

fn followed_events_survive_a_restart(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = cast(&server);
    let book = book(&cast, &cast.owner);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let before = cast.read("/events?limit=200")["items"].as_array().expect("events").len();
    let expected = i64::try_from(before).expect("a number") + 20;
    let mut follower = book.follow(Since::Beginning);
    let reader = runtime.spawn(async move {
        let mut numbers = Vec::new();
        while numbers.last() != Some(&expected) {
            numbers.push(follower.next().await.expect("an event").sequence);
        }
        numbers
    });
    for half in 0..2 {
        if half == 1 {
            server.restart();
        }
        for number in 0..10 {
            cast.post("/transactions", &serde_json::json!({"description": format!("{number}")}))
                .ok();
        }
    }
    let numbers = runtime.block_on(reader).expect("the reader");
    assert_eq!(numbers, (1..=expected).collect::<Vec<i64>>(), "each event once, in order");
}
