//! Access tokens that apps receive with events (8.22): allowed operations, reachable books, and
//! expiry. Each operation of the contract is in exactly one of the lists below.

use std::collections::BTreeSet;

use daybook_tests::openapi::contract::operations;
use daybook_tests::receiver::Receiver;
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Server, column, id};
use serde_json::{Value, json};

use crate::Case;
use crate::deleted_books::run;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::targets::Targets;
use crate::webhooks::{install, lunch};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_8_22_every_operation_is_classified,
        rule_8_22_app_cannot_publish_a_book,
        rule_8_22_app_does_not_replay_the_response_of_its_user,
        rule_9_4_an_app_reaches_its_book_and_its_collection,
        rule_9_4_only_the_installing_user_changes_the_reach,
        rule_8_22_uninstalling_revokes_the_token,
        rule_8_22_operator_pause_revokes_the_token,
        rule_8_22_losing_the_collaborator_revokes_the_token,
        rule_9_5_app_reaches_only_its_own_connections,
    ]
}

/// Operations with effects that outlive the token: refused in every book.
const LASTING: &str = "addCollaborator removeCollaborator listBookAccessRequests \
    requestBookAccess getBookAccessRequest declineBookAccessRequest deleteBook restoreBook \
    transferBook getBookTransfer declineBookTransfer acceptBookTransfer listBookTransfers \
    listTokens createToken getToken revokeToken listApiKeys createApiKey getApiKey \
    revokeApiKey listSessions endSession listConsents withdrawConsent createApp updateApp \
    patchApp createIntegration updateIntegration deleteIntegration createCollection \
    updateCollection deleteCollection addBooksToCollection removeBooksFromCollection \
    createImport confirmImport undoImport getInstallationStatus listUsers disableUser \
    enableUser createInvitation";

/// Operations outside of books: only for apps that reach all books.
const OUTSIDE: &str = "createNewBook copyBook listCollections getCollection listApps getApp \
    listBillingCounts";

/// Operations in the reachable books, and those allowed to every token.
const INSIDE: &str = "createTransaction listTransactions updateTransaction \
    createTransactionsBatch updateTransactionsBatch postTransaction postTransactionsBatch \
    checkTransaction checkTransactionsBatch uncheckTransaction uncheckTransactionsBatch \
    trashTransaction trashTransactionsBatch mergeTransactions removeTransaction \
    untrashTransaction untrashTransactionsBatch restoreTransaction loadTransactionsBatch \
    previewTransaction countTransactions countTransactionsPosted getTransaction listComments \
    createComment deleteComment getBalances getReport getReportLink closeBook exportBook \
    getExportLink listAccounts createAccount updateAccount createAccountsBatch \
    updateAccountsBatch deleteAccountsBatch getAccount deleteAccount \
    listAccountGroups listGroups createGroup updateGroup createGroupsBatch updateGroupsBatch \
    deleteGroupsBatch getGroup deleteGroup listGroupAccounts listBooks updateBook getBook \
    updateBookDeprecated auditBook listCollaborators getBookEventsBacklog replayEvents \
    replayEventResponse deleteEventResponse listEventDeliveries listAppDeliveries listEvents \
    getEvent streamEvents listBookApps listIntegrations listQueries saveQuery updateQuery \
    getQuery deleteQuery listReconciliations createReconciliation getReconciliation \
    updateReconciliation deleteReconciliation listImports getImport deleteImport \
    listImportRecords listFiles createFile updateFile getFile \
    deleteFile listTemplates getUser getBilling getBillingCheckout getBillingPortal";

/// Operations on connections, of which an app reaches its own:
/// `rule_9_5_app_reaches_only_its_own_connections`.
const CONNECTIONS: &str = "listConnections createConnection updateConnection getConnection \
    deleteConnection listConnectionIntegrations";

const POSTED: [&str; 1] = ["TRANSACTION_POSTED"];

/// An installed app and a client with the token from its first event.
struct Bot {
    app: Value,
    integration: Value,
    client: Client,
}

/// Installs an app with this reach and takes the token from its first event.
#[track_caller]
fn install_bot(server: &Server, cast: &Cast, reach: Option<&str>, fields: Value) -> Bot {
    let receiver = Receiver::start();
    let app = install(cast, &receiver.url(), &POSTED, fields);
    let integration = find_integration(cast, &app);
    if let Some(reach) = reach {
        set_reach(&cast.owner, cast, &integration, reach).ok();
    }
    lunch(cast, "for the token");
    let received = receiver.wait_for(1).remove(0);
    let client = server.client_with_token(received.header("service-oauth-token"));
    Bot { app, integration, client }
}

#[track_caller]
fn find_integration(cast: &Cast, app: &Value) -> Value {
    let all = cast.read("/integrations");
    items(&all).iter().find(|one| one["agentId"] == app["id"]).expect("installed").clone()
}

fn set_reach(
    caller: &Client,
    cast: &Cast,
    integration: &Value,
    reach: &str,
) -> daybook_tests::Answer {
    let body = json!({"id": integration["id"], "reach": reach});
    caller.put(&cast.path("/integrations"), &body)
}

fn is_refused(answer: &daybook_tests::Answer) -> bool {
    answer.status == 403 && answer.body["error"]["errors"][0]["reason"] == "insufficientScope"
}

/// A new operation must join one of the lists above. Those of `LASTING` have the mark `NotForApps`
/// in `routes.rs`.
fn rule_8_22_every_operation_is_classified(server: &Server) {
    let words = |text: &'static str| text.split_whitespace();
    let lists = [LASTING, OUTSIDE, INSIDE, CONNECTIONS];
    let listed: BTreeSet<&str> = lists.into_iter().flat_map(words).collect();
    let all: BTreeSet<&str> = operations().iter().map(|operation| operation.id).collect();
    assert_eq!(listed, all, "every operation of the contract is listed");
    let targets = Targets::new(server);
    let of_all = install_bot(server, &targets.cast, Some("ALL"), json!({}));
    let of_book = install_bot(server, &targets.cast, None, json!({}));
    let before = targets.snapshot();
    let lasting: BTreeSet<&str> = words(LASTING).collect();
    for operation in operations().into_iter().filter(|one| lasting.contains(one.id)) {
        for bot in [&of_all, &of_book] {
            for caller in [&bot.client, &bot.client.header("idempotency-key", "k")] {
                let answer = targets.call(caller, operation, "Word");
                assert!(is_refused(&answer), "{}: {answer:?}", operation.id);
            }
        }
    }
    assert_eq!(targets.snapshot(), before, "what is refused changes nothing");
    let outside: BTreeSet<&str> = words(OUTSIDE).collect();
    let inside: BTreeSet<&str> = words(INSIDE).collect();
    for operation in operations().into_iter().filter(|one| outside.contains(one.id)) {
        let answer = targets.call(&of_book.client, operation, "Word");
        assert!(is_refused(&answer), "{}: {answer:?}", operation.id);
        let answer = targets.call(&of_all.client, operation, "Word");
        assert!(!is_refused(&answer), "{}: {answer:?}", operation.id);
    }
    for operation in operations().into_iter().filter(|one| inside.contains(one.id)) {
        for bot in [&of_all, &of_book] {
            let answer = targets.call(&bot.client, operation, "Word");
            assert!(!is_refused(&answer), "{}: {answer:?}", operation.id);
        }
    }
}

fn rule_8_22_app_cannot_publish_a_book(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let bot = install_bot(server, &cast, Some("ALL"), json!({}));
    let other = cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
    for book in [&cast.book, id(&other)] {
        for (path, body) in [
            ("/v5/books".to_owned(), json!({"id": book, "visibility": "PUBLIC", "pageSize": 7})),
            (format!("/v5/books/{book}"), json!({"visibility": "PUBLIC"})),
        ] {
            bot.client.put(&path, &body).refused(403, "insufficientScope");
        }
        let kept = json!({"visibility": "PRIVATE", "pageSize": 8});
        bot.client.put(&format!("/v5/books/{book}"), &kept).ok();
    }
    let public = json!({"name": "New", "visibility": "PUBLIC"});
    bot.client.post("/v5/books", &public).refused(403, "insufficientScope");
    bot.client.post("/v5/books", &json!({"name": "New"})).ok();
}

/// 0.16: idempotency keys of an app are separate from those of its user.
fn rule_8_22_app_does_not_replay_the_response_of_its_user(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let bot = install_bot(server, &cast, None, json!({}));
    let body = json!({"name": "Tax", "type": "LIABILITY"});
    let keyed = |caller: &Client| {
        caller.header("idempotency-key", "once").post(&cast.path("/accounts"), &body)
    };
    let made = keyed(&cast.owner).ok();
    keyed(&bot.client).refused(400, "badRequest");
    assert_eq!(keyed(&cast.owner).ok(), made);
}

fn rule_9_4_an_app_reaches_its_book_and_its_collection(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let book = |name: &str| {
        let made = cast.owner.post("/v5/books", &json!({"name": name})).ok();
        format!("/v5/books/{}", id(&made))
    };
    let (mirror, other) = (book("Mirror"), book("Other"));
    let bot = install_bot(server, &cast, None, json!({}));
    assert_eq!(bot.integration["reach"], "COLLECTION");
    let unreached = |path: &str| is_refused(&bot.client.get(path));
    assert!(unreached(&mirror) && unreached(&other) && unreached("/v5/books/nowhere"));
    assert_eq!(column(&bot.client.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
    let shelf = cast.owner.post("/v5/collections", &json!({"name": "Shelf"})).ok();
    let change = |verb: &str, books: Value| {
        let path = format!("/v5/collections/{}/books/{verb}", id(&shelf));
        cast.owner.patch(&path, &json!({"items": books})).ok();
    };
    let mirrored = json!([{"id": cast.book}, {"id": mirror.trim_start_matches("/v5/books/")}]);
    change("add", mirrored);
    eventually("9.4: the books of the collection are reached", || !unreached(&mirror));
    bot.client.post(&format!("{mirror}/accounts"), &json!({"name": "Tax"})).ok();
    assert!(unreached(&other), "9.4: others are not");
    let collection = bot.client.get(&cast.path("")).ok()["collection"]["books"].clone();
    assert_eq!(collection.as_array().map(Vec::len), Some(2));
    set_reach(&cast.owner, &cast, &bot.integration, "BOOK").ok();
    eventually("9.4: only its own book", || unreached(&mirror));
    bot.client.get(&cast.path("")).ok();
    set_reach(&cast.owner, &cast, &bot.integration, "COLLECTION").ok();
    eventually("9.4: the collection again", || !unreached(&mirror));
    change("remove", json!([{"id": cast.book}]));
    eventually("9.4: in no collection", || unreached(&mirror));
    set_reach(&cast.owner, &cast, &bot.integration, "ALL").ok();
    eventually("9.4: all books", || !unreached(&other));
    assert_eq!(bot.client.get("/v5/books/nowhere").status, 404);
}

fn rule_9_4_only_the_installing_user_changes_the_reach(server: &Server) {
    let cast = Cast::new(server);
    let app = install(&cast, "https://bot.example/", &POSTED, json!({}));
    let installed = find_integration(&cast, &app);
    for reach in ["BOOK", "ALL"] {
        set_reach(&cast.editor, &cast, &installed, reach).refused(403, "forbidden");
    }
    assert_eq!(set_reach(&cast.editor, &cast, &installed, "COLLECTION").ok(), installed);
    let message = set_reach(&cast.owner, &cast, &installed, "WORLD").refused(400, "invalid");
    assert!(message.contains("InvalidFormatException"), "0.10: {message}");
    let changed = set_reach(&cast.owner, &cast, &installed, "BOOK").ok();
    assert_eq!(changed["reach"], "BOOK");
    let event = &items(&cast.read("/events?limit=1"))[0].clone();
    assert_eq!(event["type"], "INTEGRATION_UPDATED");
    assert_eq!(event["data"]["previousAttributes"], json!({"reach": "COLLECTION"}));
    assert_eq!(event["data"]["object"]["reach"], "BOOK");
    cast.delete(&format!("/integrations/{}", id(&installed))).ok();
    let body = json!({"agentId": app["id"], "reach": "ALL"});
    assert_eq!(cast.post("/integrations", &body).ok()["reach"], "ALL");
}

/// Checks that the token works before `end` and is refused after it.
#[track_caller]
fn check_ends(bot: &Bot, what: &str, end: impl FnOnce()) {
    bot.client.get("/v5/user").ok();
    end();
    eventually(what, || bot.client.get("/v5/user").status == 401);
}

fn rule_8_22_uninstalling_revokes_the_token(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let bots = [(); 2].map(|()| install_bot(server, &cast, Some("ALL"), json!({})));
    check_ends(&bots[0], "8.22: an app that was uninstalled", || {
        let path = cast.path(&format!("/integrations/{}", id(&bots[0].integration)));
        cast.owner.delete(&path).ok();
    });
    // Installing the app again does not restore the old token.
    let again = json!({"agentId": bots[0].app["id"]});
    cast.post("/integrations", &again).ok();
    assert_eq!(bots[0].client.get("/v5/user").status, 401);
    bots[1].client.get("/v5/user").ok();
}

fn rule_8_22_operator_pause_revokes_the_token(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let bot = install_bot(server, &cast, Some("ALL"), json!({}));
    let pause = |verb: &str| {
        let named = ["webhooks", verb, "--book", &cast.book, "--app", id(&bot.app)];
        run(server, &named).expect("it is done");
    };
    check_ends(&bot, "8.22: an app that the operator has paused", || pause("pause"));
    pause("resume");
    eventually("8.22: the token works again within its hour", || {
        bot.client.get("/v5/user").status == 200
    });
}

fn rule_8_22_losing_the_collaborator_revokes_the_token(server: &Server) {
    for visibility in ["PRIVATE", "PUBLIC"] {
        let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
        cast.put("", &json!({"visibility": visibility})).ok();
        let receiver = Receiver::start();
        let app = json!({"id": daybook_tests::unique("bot"), "name": "Bot",
            "webhookUrl": receiver.url(), "events": POSTED});
        let app = cast.editor.post("/v5/apps", &app).ok();
        let installed = json!({"agentId": app["id"], "reach": "ALL"});
        let integration = cast.editor.post(&cast.path("/integrations"), &installed).ok();
        lunch(&cast, "for the token");
        let received = receiver.wait_for(1).remove(0);
        let client = server.client_with_token(received.header("service-oauth-token"));
        let bot = Bot { app, integration, client };
        assert_eq!(bot.client.get("/v5/user").ok()["email"], cast.editor.email());
        check_ends(&bot, "8.22: who installed it is no collaborator any more", || {
            cast.share(cast.editor.email(), "NONE");
        });
    }
}

fn rule_9_5_app_reaches_only_its_own_connections(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let connectable = json!({"connectable": true});
    let bot = install_bot(server, &cast, None, connectable.clone());
    let other = install(&cast, "https://bot.example/", &POSTED, connectable);
    let all = "/v5/user/connections";
    let connect = |caller: &Client, app: &Value| {
        let secrets = json!({"token": "hush"});
        let body = json!({"agentId": app["id"], "uuid": "1", "name": "Mine",
            "properties": secrets});
        caller.post(all, &body)
    };
    let (own, foreign) = (connect(&cast.owner, &bot.app).ok(), connect(&cast.owner, &other).ok());
    let bank = json!({"agentId": "some-bank", "type": "BANK", "name": "Bank"});
    let bank = cast.owner.post(all, &bank).ok();
    assert_eq!(bot.client.get(all).ok()["items"], json!([own]));
    for hidden in [&foreign, &bank] {
        let path = format!("{all}/{}", id(hidden));
        bot.client.get(&path).refused(404, "notFound");
        bot.client.get(&format!("{path}/integrations")).refused(404, "notFound");
        bot.client.delete(&path).refused(404, "notFound");
        let renamed = json!({"id": hidden["id"], "name": "Ours"});
        bot.client.put(all, &renamed).refused(404, "notFound");
    }
    // 9.5: a POST of an existing connection would return it.
    connect(&bot.client, &other).refused(403, "insufficientScope");
    assert_eq!(connect(&bot.client, &bot.app).ok(), own);
    let path = format!("{all}/{}", id(&own));
    let changes = json!({"id": own["id"], "properties": {"token": "new"}});
    assert_eq!(bot.client.put(all, &changes).ok()["properties"], json!({"token": "new"}));
    // Deleting a connection in use would also delete the integration.
    let used = json!({"agentId": bot.app["id"], "connectionId": own["id"]});
    let used = cast.post("/integrations", &used).ok();
    bot.client.delete(&path).refused(403, "insufficientScope");
    assert_eq!(items(&bot.client.get(&format!("{path}/integrations")).ok()).len(), 1);
    cast.delete(&format!("/integrations/{}", id(&used))).ok();
    bot.client.delete(&path).ok();
    assert_eq!(cast.owner.get(all).ok()["items"], json!([bank, foreign]));
}
