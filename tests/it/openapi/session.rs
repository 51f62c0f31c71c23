//! A session that calls every operation once and compares each answer with the document.

use std::cell::RefCell;
use std::collections::BTreeSet;

use daybook_tests::browser::Browser;
use daybook_tests::{Client, Server, encode, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::grants::{ASKED, CLI, code};
use daybook_tests::openapi::contract::{Operation, operations};

pub fn tests() -> Vec<Case> {
    crate::cases![answers_are_the_documents]
}

/// A caller that compares every response with the document.
struct Session {
    caller: Client,
    book: String,
    operations: Vec<Operation>,
    called: RefCell<BTreeSet<&'static str>>,
}

impl Session {
    fn of(caller: Client) -> Session {
        let (operations, called) = (operations(), RefCell::default());
        Session { caller, book: String::new(), operations, called }
    }

    /// Calls an operation: `{bookId}` is the session's book, `{id}` is this id, and `query` follows
    /// the path.
    #[track_caller]
    fn call(&self, name: &str, at: &str, query: &str, body: &Value) -> Value {
        let operation = self
            .operations
            .iter()
            .find(|operation| operation.id == name)
            .unwrap_or_else(|| panic!("{name} is documented"));
        let path = operation.path.replace("{bookId}", &self.book);
        let (at, agent) = at.split_once('|').unwrap_or((at, at));
        let path = path.replace("{id}", at).replace("{agentId}", agent);
        let path = path.replace("{transactionId}", at).replace("{commentId}", agent);
        let answer = self.caller.send(operation.method, &format!("{path}{query}"), body);
        assert!(
            (200..300).contains(&answer.status),
            "{name} succeeds: {} {}",
            answer.status,
            answer.text
        );
        let faults = operation.faults(answer.status, &answer.text);
        assert!(faults.is_empty(), "{name}:\n{}\nin {}", faults.join("\n"), answer.text);
        let tagged = operation.headers(&answer.status.to_string()).contains(&"ETag");
        assert_eq!(
            answer.headers.contains_key("etag"),
            tagged,
            "{name}: the document and the answer agree about an ETag"
        );
        for parameter in
            query.trim_start_matches('?').split('&').filter(|parameter| !parameter.is_empty())
        {
            let key = format!("query {}", parameter.split('=').next().unwrap_or_default());
            assert!(operation.parameters().contains(&key), "{name} documents {key}");
        }
        self.called.borrow_mut().insert(operation.id);
        answer.body
    }

    #[track_caller]
    fn read(&self, name: &str, at: &str, query: &str) -> Value {
        self.call(name, at, query, &Value::Null)
    }

    #[track_caller]
    fn write(&self, name: &str, body: &Value) -> Value {
        self.call(name, "", "", body)
    }
}

pub fn answers_are_the_documents(server: &Server) {
    let caller = server
        .client(&format!("{}@example.com", unique("session")))
        .header("service-agent-id", "importer");
    let mut session = Session::of(caller);
    session.book = books(&session);
    chart(&session);
    transactions(&session);
    states(&session);
    batches(&session);
    readings(&session);
    files(&session);
    comments(&session);
    collaborators(&session);
    requests(&session, server.client(&format!("{}@example.com", unique("guest"))));
    shelves(&session);
    apps(&session);
    tokens(&session);
    access(server, &session);
    administration(server, &session);
    billing(&session);
    audits(&session);
    transfer(&session, &server.client(&format!("{}@example.com", unique("heir"))));
    endings(&session);
    let all: BTreeSet<&str> = session.operations.iter().map(|operation| operation.id).collect();
    let called = session.called.into_inner();
    let silent: Vec<&&str> = all.difference(&called).collect();
    assert!(silent.is_empty(), "operations without a checked response: {silent:?}");
}

/// The response of an app to an event: unreachable.
fn responses(session: &Session, app: &str) {
    let events = session.read("listEvents", "", "?type=TRANSACTION_POSTED&limit=1");
    let event = id(&events["items"][0]).to_owned();
    session.read("streamEvents", "", "");
    session.read("getBookEventsBacklog", "", "");
    session.call("replayEvents", "", "?errorsOnly=true", &json!({"items": [{"id": event}]}));
    let both = format!("{event}|{app}");
    (0..2).for_each(|_| drop(session.call("replayEventResponse", &both, "", &Value::Null)));
    for (name, of) in [("listEventDeliveries", event.as_str()), ("listAppDeliveries", app)] {
        let logged = session.read(name, of, "?limit=1");
        let cursor = logged["cursor"].as_str().expect("a second attempt");
        session.read(name, of, &format!("?cursor={cursor}"));
    }
    session.call("deleteEventResponse", &both, "", &Value::Null);
}

fn apps(session: &Session) {
    let whole = unique("app");
    let body = json!({
        "id": whole,
        "name": "App",
        "description": "All there is",
        "apiVersion": "v5",
        "clientId": "client",
        "clientSecret": "secret",
        "connectable": true,
        "developers": "*@example.com",
        "users": "somebody",
        "events": ["TRANSACTION_POSTED"],
        "filePatterns": ["*.csv"],
        "webhookUrl": "https://app.example/hook",
        "webhookUrlDev": "http://localhost:3001",
        "menuUrl": "https://app.example/${book.id}",
        "menuUrlDev": "http://localhost:3002",
        "menuText": "Menu",
        "menuOpenMode": "EXPANDED",
        "menuPopupHeight": "100",
        "menuPopupWidth": "100",
        "logoUrl": "https://app.example/logo.png",
        "logoUrlDark": "https://app.example/dark.png",
        "ownerName": "Maker",
        "ownerLogoUrl": "https://maker.example/logo.png",
        "ownerWebsite": "https://maker.example",
        "propertiesSchema": {"group": {"keys": ["key"], "values": ["value"]}},
        "readme": "Read",
        "readmeMd": "Read",
        "repoPrivate": true,
        "repoUrl": "https://code.example",
        "website": "https://app.example",
        "scopes": ["email"],
    });
    session.write("createApp", &body);
    session.read("getApp", &whole, "");
    session.write("updateApp", &json!({"id": whole, "name": "Renamed"}));
    session.write("patchApp", &json!({"id": whole, "name": "App"}));
    let installed = session.write("createIntegration", &json!({"agentId": whole}));
    let changes = json!({"id": installed["id"], "name": "Mine", "properties": {"key": "value"}});
    session.write("updateIntegration", &changes);
    session.read("listIntegrations", "", "");
    session.read("listBookApps", "", "");
    responses(session, &whole);
    session.read("deleteIntegration", id(&installed), "");
    let bank = json!({
        "agentId": whole, "type": "BANK", "name": "Bank", "properties": {"token": "secret"},
    });
    let connected = session.write("createConnection", &bank);
    let at = id(&connected).to_owned();
    session.write("createIntegration", &json!({"connectionId": at}));
    session.write("updateConnection", &json!({"id": at, "name": "Mine"}));
    session.read("listConnections", "", "");
    session.read("getConnection", &at, "");
    session.read("listConnectionIntegrations", &at, "");
    session.read("deleteConnection", &at, "");
    session.read("listApps", "", "");
}

fn books(session: &Session) -> String {
    session.read("getUser", "", "");
    let body = json!({
        "name": "Session", "fractionDigits": 2, "timeZone": "America/Sao_Paulo",
        "properties": {"kind": "household"},
        "groups": [{"name": "Everything"}], "accounts": [{"name": "Opening", "type": "LIABILITY"}],
    });
    let book = id(&session.write("createNewBook", &body)).to_owned();
    session.write(
        "updateBook",
        &json!({"id": book, "lockDate": "2001-01-31", "closingDate": "2001-01-31"}),
    );
    session.read("listBooks", "", "");
    book
}

fn chart(session: &Session) {
    session
        .write("updateBookDeprecated", &json!({"period": "QUARTER", "periodStartMonth": "APRIL"}));
    session.write("createGroup", &json!({"name": "Assets", "properties": {"order": "1"}}));
    let group = session.write(
        "createGroupsBatch",
        &json!({"items": [{"name": "Liquid", "parent": {"name": "Assets"}}, {"name": "Costs"}]}),
    );
    let costs = id(&group["items"][1]).to_owned();
    session.write("updateGroup", &json!({"id": costs, "name": "Cost of living", "hidden": true}));
    session.write(
        "updateGroupsBatch",
        &json!({"items": [{"id": costs, "properties": {"order": "2"}}]}),
    );
    let cash = session.write(
        "createAccount",
        &json!({
            "name": "Cash", "type": "ASSET", "groups": [{"name": "Liquid"}],
            "properties": {"a": "b"},
        }),
    );
    let cash = id(&cash).to_owned();
    let items = json!([
        {"name": "Food", "type": "OUTGOING", "groups": [{"name": "Cost of living"}]},
        {"name": "Pay", "type": "INCOMING"},
    ]);
    session.write("createAccountsBatch", &json!({"items": items}));
    session.write(
        "updateAccount",
        &json!({"id": cash, "name": "Wallet", "type": "ASSET", "groups": [{"name": "Liquid"}]}),
    );
    session.write(
        "updateAccountsBatch",
        &json!({
            "items": [
                {"id": cash, "name": "Cash", "type": "ASSET", "groups": [{"name": "Liquid"}]},
            ],
        }),
    );
    session.read("getAccount", &cash, "");
    session.read("getAccount", "Cash", "");
    session.read("listAccounts", "", "");
    session.read("listAccountGroups", &cash, "");
    session.read("getGroup", "Liquid", "");
    session.read("listGroups", "", "");
    session.read("listGroupAccounts", "Liquid", "");
}

/// A complete transaction.
fn payment(description: &str, remote: &str) -> Value {
    json!({
        "date": "2025-03-04", "amount": "12.30", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
        "description": description, "remoteIds": [remote], "urls": ["https://example.com/receipt"],
        "properties": {"shop": "corner"},
    })
}

fn transactions(session: &Session) {
    let recorded = session.write("createTransaction", &payment("Bread #food", "r-1"));
    let transaction = id(&recorded["transaction"]).to_owned();
    session.read("getTransaction", &transaction, "");
    // A draft with few fields.
    let draft = session.call(
        "createTransaction",
        "",
        "?timeZone=Europe/Lisbon",
        &json!({"description": "Lunch"}),
    );
    let draft = id(&draft["transaction"]).to_owned();
    session.read("getTransaction", &draft, "");
    session.write("updateTransaction", &json!({"id": draft, "description": "Lunch with Ann"}));
    session.write(
        "updateTransaction",
        &json!({"id": transaction, "description": "Bread and butter", "amount": "13"}),
    );
    session.write("trashTransaction", &json!({"id": draft}));
    session.read("getTransaction", &draft, "");
}

/// Every verb on one transaction, with its accounts.
fn states(session: &Session) {
    let mut body = payment("States", "r-2");
    body["draft"] = json!(true);
    let recorded = session.write("createTransaction", &body);
    let transaction = json!({"id": id(&recorded["transaction"])});
    let verbs = ["post", "check", "uncheck", "trash", "untrash", "remove", "restore"];
    for verb in verbs {
        session.write(&format!("{verb}Transaction"), &transaction);
    }
}

fn batches(session: &Session) {
    let drafts: Vec<Value> = ["b-1", "b-2"]
        .into_iter()
        .map(|remote| {
            let mut body = payment("Batch", remote);
            body["draft"] = json!(true);
            body
        })
        .collect();
    let created = session.write("createTransactionsBatch", &json!({"items": drafts}));
    let ids: Vec<Value> = created["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| json!({"id": id(item)}))
        .collect();
    let items = json!({"items": ids});
    for verb in ["post", "check", "uncheck", "trash", "untrash"] {
        session.write(&format!("{verb}TransactionsBatch"), &items);
    }
    let renamed: Vec<Value> =
        ids.iter().map(|item| json!({"id": item["id"], "description": "Renamed"})).collect();
    session.call("updateTransactionsBatch", "", "?updateChecked=true", &json!({"items": renamed}));
    session.write("mergeTransactions", &items);
}

fn readings(session: &Session) {
    session.read("listTransactions", "", "");
    // One account adds its name to the response, and a small page a cursor.
    let page = session.read("listTransactions", "", "?query=account:Cash&limit=1");
    let cursor = page["cursor"].as_str().expect("a second page");
    session.read("listTransactions", "", &format!("?query=account:Cash&limit=1&cursor={cursor}"));
    session.read("listTransactions", "", "?query=nothing+like+this");
    let items = json!({"items": [{"id": page["items"][0]["id"]}]});
    session.write("loadTransactionsBatch", &items);
    let line = json!({"description": "cash 25 13/05/2025 #tag https://a.b"});
    session.write("previewTransaction", &line);
    session.read("countTransactions", "", "?query=account:Cash");
    session.read(
        "countTransactionsPosted",
        "",
        "?after=2025-01-01&before=2025-04-01&periodicity=MONTHLY",
    );
    for query in [
        "account:Cash",
        "group:Assets+by:m",
        "on:2025-03",
        "by:d+after:2025-03+before:2025-04",
        "by:y",
        "account:'Nobody'",
    ] {
        let answer = session.read("getBalances", "", &format!("?query={query}"));
        assert!(answer.is_object(), "{answer}");
    }
    for (report, query) in [
        ("trial-balance", "?zeros=true&query=account:Cash"),
        ("balance-sheet", "?period=2025&depth=1"),
        ("income-statement", "?period=2025&compare=2024"),
        ("income-statement", "?period=2025&columns=month"),
        ("general-ledger", "?format=json&excel=false"),
        ("journal", ""),
        ("changes", "?after=0"),
    ] {
        session.read("getReport", report, query);
        session.read("getReportLink", report, query);
    }
    session.read("exportBook", "", "?format=csv");
    session.read("getExportLink", "", "?format=csv&excel=true&query=account:Cash");
    let events = session.read("listEvents", "", "?limit=5");
    let cursor = events["cursor"].as_str().expect("a second page");
    session.read("listEvents", "", &format!("?limit=100&cursor={cursor}"));
    session.read("listEvents", "", "?type=TRANSACTION_UPDATED");
    session.read("getEvent", id(&events["items"][0]), "");
    session.call("getBook", "", "?loadAccounts=true&loadGroups=true", &Value::Null);
}

fn files(session: &Session) {
    let created = session.write(
        "createFile",
        &json!({"name": "receipt.pdf", "content": "JVBERg==", "properties": {"a": "b"}}),
    );
    let file = id(&created).to_owned();
    session.write("createFile", &json!({"name": "second.txt"}));
    session.write("updateFile", &json!({"id": file, "name": "receipt 7.pdf", "content": ""}));
    session.read("getFile", &file, "");
    let page = session.read("listFiles", "", "?limit=1");
    let cursor = page["cursor"].as_str().expect("a second page");
    session.read("listFiles", "", &format!("?limit=1&cursor={cursor}"));
    let mut body = payment("With files", "r-3");
    body["files"] = json!([created, {"name": "inline.txt", "content": "YQ=="}]);
    let recorded = session.write("createTransaction", &body)["transaction"].clone();
    reconciliations(session, &file, &recorded);
    session.read("listTransactions", "", "?query=has:file");
    session.read("listEvents", "", "?type=TRANSACTION_POSTED");
    session.read("deleteFile", &file, "");
    imports(session);
    session.write("closeBook", &json!({"closingDate": "2001-02-28"}));
}

fn comments(session: &Session) {
    let created = session.write("createTransaction", &payment("With comments", "r-4"));
    let transaction = id(&created["transaction"]).to_owned();
    let body = json!({"text": "Who paid?"});
    let comment = session.call("createComment", &transaction, "", &body);
    session.read("listComments", &transaction, "");
    session.read("listTransactions", "", "?query=has:comment");
    session.read("listEvents", "", "?type=COMMENT_CREATED");
    session.read("deleteComment", &format!("{transaction}|{}", id(&comment)), "");
}

/// An import from its preview to its undo, and a preview that is discarded. The file is a JSON
/// text, because the session sends nothing else: a table without a header, with rules.
fn imports(session: &Session) {
    let file = json!("Date,Description,Amount\n2025-04-01,Cafe,-1\n2025-04-02,Shop,x\n");
    let created = session.call("createImport", "", "?account=Cash", &file);
    let wait = |import: &Value| loop {
        let read = session.read("getImport", id(import), "");
        if !["READING", "RECORDING", "UNDOING"].iter().any(|state| read["state"] == *state) {
            return read;
        }
    };
    assert_eq!(wait(&created)["state"], "FAILED", "JSON is not a table");
    session.read("deleteImport", id(&created), "");
    let file = "Date,Description,Amount\n2025-04-01,Cafe,-1\n2025-04-02,Shop,x\n";
    let path = format!("/v5/books/{}/imports?account=Cash", session.book);
    let created = session.caller.send_raw("POST", &path, None, file.as_bytes()).ok();
    wait(&created);
    session.read("listImportRecords", id(&created), "?limit=1");
    session.call("confirmImport", id(&created), "", &json!({"acceptAbove": 0.9}));
    wait(&created);
    session.read("listImportRecords", id(&created), "");
    session.call("undoImport", id(&created), "", &Value::Null);
    wait(&created);
    session.read("listImports", "", "?limit=1");
}

/// A reconciliation with a transaction, which is unchecked again.
fn reconciliations(session: &Session, file: &str, recorded: &Value) {
    let statement = json!({
        "account": {"name": "Cash"}, "date": "2025-12-31", "closingBalance": "-7.5",
        "fileId": file, "add": [recorded["id"]],
    });
    let created = session.write("createReconciliation", &statement);
    session.call("updateReconciliation", id(&created), "", &json!({"closingBalance": 3}));
    session.write("uncheckTransaction", &json!({"id": recorded["id"]}));
    let read = session.read("getReconciliation", id(&created), "");
    assert_eq!(read["changes"][0]["type"], "TRANSACTION_UNCHECKED", "{read}");
    session.read("listTransactions", "", "?query=account:Cash");
    session.write(
        "createReconciliation",
        &json!({
            "account": {"name": "Cash"}, "date": "2025-11-30", "closingBalance": "0",
        }),
    );
    let page = session.read("listReconciliations", "", "?account=Cash&limit=1");
    let cursor = page["cursor"].as_str().expect("a second page");
    session.read("listReconciliations", "", &format!("?cursor={cursor}"));
    session.read("deleteReconciliation", id(&created), "");
    session.read("listEvents", "", "?type=RECONCILIATION_DELETED");
}

fn collaborators(session: &Session) {
    let added = session
        .write("addCollaborator", &json!({"email": "ann@example.com", "permission": "VIEWER"}));
    session.write("addCollaborator", &json!({"email": "ann@example.com", "permission": "POSTER"}));
    session.read("listCollaborators", "", "");
    session.read("removeCollaborator", id(&added), "");
}

/// Requests of another user about the book.
fn requests(session: &Session, guest: Client) {
    let asking = Session { book: session.book.clone(), ..Session::of(guest) };
    asking.read("requestBookAccess", "", "?permission=VIEWER&message=Please");
    session.called.borrow_mut().extend(asking.called.into_inner());
    let list = session.read("listBookAccessRequests", "", "");
    let request = id(&list["items"][0]).to_owned();
    session.read("getBookAccessRequest", &request, "");
    session.read("declineBookAccessRequest", &request, "");
}

/// Resources beside the ledger.
fn shelves(session: &Session) {
    let saved = session.write("saveQuery", &json!({"title": "Food", "query": "account:Food"}));
    session.write("updateQuery", &json!({"id": saved["id"], "title": ""}));
    session.read("listQueries", "", "");
    session.read("getQuery", id(&saved), "");
    session.read("deleteQuery", id(&saved), "");
    session.read("listTemplates", "", "");
    session.read("copyBook", "", "?name=Copy&copyTransactions=true&fromDate=20250101");
    let collection = session.write("createCollection", &json!({"name": "Shelf"}));
    let at = id(&collection).to_owned();
    session.write("updateCollection", &json!({"id": at, "name": "Top shelf"}));
    let books = json!({"items": [{"id": session.book}]});
    session.call("addBooksToCollection", &at, "", &books);
    session.read("listCollections", "", "");
    session.read("getCollection", &at, "");
    let book = session.call("getBook", "", "", &Value::Null);
    assert_eq!(book["collection"]["name"], "Top shelf");
    session.read("listBooks", "", "");
    session.read("listEvents", "", "?limit=1");
    session.call("removeBooksFromCollection", &at, "", &books);
    session.read("deleteCollection", &at, "");
}

/// Billing information.
fn billing(session: &Session) {
    let there = "https%3A%2F%2Fapp.example";
    session.read("getBilling", "", "");
    let parameters = format!("?plan=PRO&cycle=MONTHLY&successUrl={there}&cancelUrl={there}");
    session.read("getBillingCheckout", "", &parameters);
    session.read("getBillingPortal", "", &format!("?returnUrl={there}"));
    session.read("listBillingCounts", "", "");
}

/// Resources of a user outside of books.
fn tokens(session: &Session) {
    session.read("listTokens", "", "");
    let issued = session.write("createToken", &json!({"days": 1, "books": [session.book]}));
    session.read("getToken", id(&issued), "");
    session.read("revokeToken", id(&issued), "");
    session.read("listApiKeys", "", "");
    let created = session.write("createApiKey", &json!({"name": "importer"}));
    session.read("getApiKey", id(&created), "");
    session.read("revokeApiKey", id(&created), "");
}

/// The user's own sessions and consents.
fn access(server: &Server, session: &Session) {
    let mut browser = Browser::signed_in(server, session.caller.email());
    code(&mut browser, &ASKED);
    let sessions = session.read("listSessions", "", "");
    session.read("endSession", id(&sessions["items"][0]), "");
    session.read("listConsents", "", "");
    session.read("withdrawConsent", CLI, "");
}

/// On a process of which the caller is an administrator.
fn administration(server: &Server, session: &Session) {
    let server = server.beside(&["--administrators", session.caller.email()]);
    let administrator = Session::of(server.client(session.caller.email()));
    let subject = server.client(&format!("{}@example.com", unique("subject")));
    let subject = id(&subject.get("/v5/user").ok()).to_owned();
    administrator.read("getInstallationStatus", "", "");
    let page = administrator.read("listUsers", "", "?limit=1");
    let cursor = page["cursor"].as_str().expect("a second user");
    administrator.read("listUsers", "", &format!("?cursor={cursor}"));
    let own = encode(session.caller.email());
    administrator.read("listUsers", "", &format!("?email={own}"));
    administrator.read("disableUser", &subject, "");
    administrator.read("enableUser", &subject, "");
    let email = format!("{}@example.com", unique("invited"));
    administrator.write("createInvitation", &json!({"email": email}));
    session.called.borrow_mut().extend(administrator.called.take());
}

fn audits(session: &Session) {
    session.read("auditBook", "", "");
    let audited = || session.read("listEvents", "", "?type=BOOK_AUDITED");
    while audited()["items"].as_array().is_none_or(Vec::is_empty) {
        daybook_tests::pause(std::time::Duration::from_millis(20));
    }
}

/// To another user and back, because the session continues as the owner.
fn transfer(session: &Session, heir: &Client) {
    let own = session.read("getUser", "", "")["email"].clone();
    let offer = json!({"email": heir.email()});
    session.write("transferBook", &offer);
    session.read("getBookTransfer", "", "");
    session.read("declineBookTransfer", "", "");
    session.write("transferBook", &offer);
    let heir = Session { book: session.book.clone(), ..Session::of(heir.clone()) };
    heir.read("listBookTransfers", "", "");
    heir.read("acceptBookTransfer", "", "");
    session.called.borrow_mut().extend(heir.called.take());
    heir.write("transferBook", &json!({"email": own}));
    session.read("acceptBookTransfer", "", "");
}

/// Deletions, and all events.
fn endings(session: &Session) {
    let create = |name: &str, items: Value| -> Vec<String> {
        let created = session.write(name, &json!({"items": items}));
        created["items"].as_array().expect("items").iter().map(|item| id(item).to_owned()).collect()
    };
    let account = |name: &str| json!({"name": name, "type": "ASSET"});
    let accounts = create("createAccountsBatch", json!([account("Spare"), account("Extra")]));
    session.read("deleteAccount", &accounts[0], "");
    session.write("deleteAccountsBatch", &json!({"items": [{"id": accounts[1]}]}));
    let groups =
        create("createGroupsBatch", json!([{"name": "Spare groups"}, {"name": "Extra groups"}]));
    session.read("deleteGroup", &groups[0], "");
    session.write("deleteGroupsBatch", &json!({"items": [{"id": groups[1]}]}));
    session.read("listEvents", "", "?limit=1000");
    session.read("deleteBook", "", "");
    session.read("listBooks", "", "?deleted=true");
    session.read("restoreBook", "", "");
}
