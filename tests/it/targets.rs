//! A book with a target for every writing operation of the contract.

use std::cell::OnceCell;
use std::time::Duration;

use daybook_tests::browser::Browser;
use daybook_tests::{Answer, Cast, Client, Lunch, Server, column, id, pause, unique};
use serde_json::{Value, json};

use crate::grants::{ASKED, CLI, code};
use daybook_tests::openapi::contract::Operation;

/// A resource for every path, in a state that every verb accepts.
pub struct Targets<'s> {
    server: &'s Server,
    pub cast: Cast,
    account: String,
    group: String,
    transaction: String,
    /// The second transaction of a merge.
    other: String,
    /// A comment on the first transaction.
    comment: String,
    collaborator: String,
    query: String,
    reconciliation: String,
    /// A preview; empty without imports.
    import: String,
    /// An import that is done; empty without imports.
    done_import: String,
    file: String,
    pub collection: String,
    token: String,
    key: String,
    /// An event with a response of an app.
    event: String,
    bot: String,
    request: String,
    app: String,
    /// An app that is not installed.
    spare_app: String,
    integration: String,
    connection: String,
    /// A deleted book of the owner.
    deleted: String,
    /// A browser session of the owner, who has consented to [`CLI`]. Signing in runs a command, so
    /// it waits for an operation that needs it.
    session: OnceCell<String>,
    /// A process with an administrator, for the operations that need one, and their target.
    administration: OnceCell<Administration>,
}

/// A process with an administrator, and a user whom they disable.
struct Administration {
    _server: Server,
    administrator: Client,
    subject: String,
}

impl<'s> Targets<'s> {
    /// Targets for all operations.
    #[track_caller]
    pub fn new(server: &'s Server) -> Targets<'s> {
        Targets::with(server, true)
    }

    /// Targets for one operation.
    #[track_caller]
    pub fn of(server: &'s Server, operation: Operation) -> Targets<'s> {
        Targets::with(server, operation.path.contains("/imports"))
    }

    /// Creates the resources. Imports take the longest, and few operations need them.
    #[track_caller]
    fn with(server: &'s Server, imports: bool) -> Targets<'s> {
        let cast = Cast::new(server);
        let accounts = [("Cash", "ASSET"), ("Food", "OUTGOING"), ("Spare", "ASSET")];
        let accounts = accounts.map(|(name, kind)| json!({"name": name, "type": kind}));
        let accounts = cast.post("/accounts/batch", &json!({"items": accounts})).ok();
        let (account, group) = (accounts["items"][2].clone(), cast.group("Assets"));
        // Posted and not checked: it can be checked and trashed, and is already posted, unchecked
        // and untrashed.
        let lunch = Lunch { date: "2025-01-31", amount: "5" };
        let lunches =
            ["Lunch", "Another lunch"].map(|name| lunch.with(json!({"description": name})));
        let lunches = cast.post("/transactions/batch", &json!({"items": lunches})).ok();
        let [transaction, other] = [0, 1].map(|place| lunches["items"][place].clone());
        let comment = cast.comment(&transaction, "Who paid?");
        let query = cast.post("/queries", &json!({"query": "account:Cash"})).ok();
        let statement = json!({
            "account": {"name": "Cash"}, "date": "2025-01-31", "closingBalance": "-5",
        });
        let reconciliation = cast.post("/reconciliations", &statement).ok();
        let [preview, done_import] = if imports { make_imports(&cast) } else { Default::default() };
        let file = cast.post("/files", &json!({"name": "receipt.txt", "content": "YQ=="})).ok();
        let collection = cast.owner.post("/v5/collections", &json!({"name": "Shelf"})).ok();
        let collaborator = cast.share(&format!("{}@example.com", unique("guest")), "VIEWER");
        let token = cast.owner.post("/v5/user/tokens", &json!({"name": "spare"})).ok();
        let key = cast.owner.post("/v5/user/keys", &json!({"name": "spare"})).ok();
        let ask = cast.path("/collaborators/request");
        cast.editor.post(&format!("{ask}?permission=OWNER"), &Value::Null).no_content();
        cast.post("/transfer", &json!({"email": cast.stranger.email()})).ok();
        cast.viewer.post(&format!("{ask}?permission=EDITOR"), &Value::Null).no_content();
        let request = id(&cast.owner.get(&ask).ok()["items"][0]).to_owned();
        let deleted = cast.owner.post("/v5/books", &json!({"name": "Deleted"})).ok();
        let deleted = id(&deleted).to_owned();
        cast.owner.delete(&format!("/v5/books/{deleted}")).ok();
        let [app, spare_app] = [unique("app"), unique("app")];
        for app in [&app, &spare_app] {
            cast.owner.post("/v5/apps", &json!({"id": app, "name": "App"})).ok();
        }
        let installed = json!({"agentId": app});
        let integration = cast.post("/integrations", &installed).ok();
        let bank = json!({"agentId": "some-bank", "type": "BANK", "name": "Bank"});
        let connection = cast.owner.post("/v5/user/connections", &bank).ok();
        let [account, group, transaction, other, comment] =
            [&account, &group, &transaction, &other, &comment]
                .map(|resource| id(resource).to_owned());
        let [collaborator, query, reconciliation, file, collection, token, key] =
            [&collaborator, &query, &reconciliation, &file, &collection, &token, &key]
                .map(|resource| id(resource).to_owned());
        let [integration, connection] =
            [&integration, &connection].map(|resource| id(resource).to_owned());
        let (event, bot) = responded(&cast);
        Targets {
            server,
            cast,
            account,
            group,
            transaction,
            other,
            comment,
            collaborator,
            query,
            reconciliation,
            import: preview,
            done_import,
            file,
            collection,
            token,
            key,
            event,
            bot,
            request,
            app,
            spare_app,
            integration,
            connection,
            deleted,
            session: OnceCell::new(),
            administration: OnceCell::new(),
        }
    }

    /// The resource that the path or the body of the operation names.
    fn target(&self, operation: Operation) -> &str {
        match operation.path {
            "/v5/user/sessions/{id}" => return self.session(),
            "/v5/user/consents/{id}" => {
                self.session();
                return CLI;
            }
            path if path.starts_with("/v5/administration/users/") => {
                return &self.administration().subject;
            }
            "/v5/administration/invitations" => return "",
            _ => {}
        }
        let nouns = [
            ("/accounts", &self.account),
            ("/groups", &self.group),
            ("/transactions", &self.transaction),
            ("/request", &self.request),
            ("/collaborators", &self.collaborator),
            ("/queries", &self.query),
            ("/reconciliations", &self.reconciliation),
            ("/undo", &self.done_import),
            ("/imports", &self.import),
            ("/files", &self.file),
            ("/collections", &self.collection),
            ("/tokens", &self.token),
            ("/keys", &self.key),
            ("/connections", &self.connection),
            ("/integrations", &self.integration),
            ("/apps", &self.app),
            ("/events", &self.event),
        ];
        let found = nouns
            .into_iter()
            .find(|(noun, _)| operation.path.contains(noun))
            .map(|(_, id)| id.as_str());
        let book = [
            "/v5/books",
            "/v5/books/{bookId}",
            "/v5/books/{bookId}/audit",
            "/v5/books/{bookId}/close",
            "/v5/books/{bookId}/copy",
            "/v5/books/{bookId}/restore",
            "/v5/books/{bookId}/transfer",
            "/v5/books/{bookId}/transfer/accept",
        ]
        .contains(&operation.path)
        .then_some(self.cast.book.as_str());
        let reads_all = operation.method == "GET" && !operation.path.contains("{id}");
        let all = reads_all.then_some("");
        let report = operation.path.contains("/reports/").then_some("balance-sheet");
        let found = found.or(report).or(book).or(all);
        found.unwrap_or_else(|| panic!("say here what {} works on", operation.id))
    }

    fn session(&self) -> &str {
        self.session.get_or_init(|| {
            let mut browser = Browser::signed_in(self.server, self.cast.owner.email());
            code(&mut browser, &ASKED);
            id(&self.cast.owner.get("/v5/user/sessions").ok()["items"][0]).to_owned()
        })
    }

    fn administration(&self) -> &Administration {
        self.administration.get_or_init(|| {
            let email = format!("{}@example.com", unique("administrator"));
            let server = self.server.beside(&["--administrators", &email]);
            let subject = self.server.client(&format!("{}@example.com", unique("subject")));
            let subject = id(&subject.get("/v5/user").ok()).to_owned();
            Administration { administrator: server.client(&email), _server: server, subject }
        })
    }

    /// The path with existing ids.
    pub fn path(&self, operation: Operation) -> String {
        let book = if operation.id == "restoreBook" { &self.deleted } else { &self.cast.book };
        let path = operation.path.replace("{bookId}", book).replace("{id}", self.target(operation));
        let path = path.replace("{transactionId}", &self.transaction);
        path.replace("{commentId}", &self.comment).replace("{agentId}", &self.bot)
    }

    /// A body that the operation accepts, because each reads its fields and ignores the others
    /// (0.10); `word` varies it.
    pub fn body(&self, operation: Operation, word: &str) -> Value {
        if matches!(operation.method, "GET" | "DELETE") {
            return Value::Null;
        }
        let target = self.target(operation);
        let item = json!({
            "id": target, "name": word, "type": "ASSET", "description": word, "query": word,
        });
        let mut body = item.clone();
        body["items"] = match operation.id {
            "mergeTransactions" => json!([item, {"id": self.other}]),
            "addBooksToCollection" | "removeBooksFromCollection" => json!([{"id": self.cast.book}]),
            _ => json!([item]),
        };
        match operation.id {
            "createReconciliation" | "updateReconciliation" => {
                body["account"] = json!({"name": "Cash"});
                body["date"] = json!("2025-02-28");
                body["closingBalance"] = json!(word.bytes().map(u32::from).sum::<u32>());
            }
            "createApp" => body["id"] = json!(format!("{}-{}", self.app, word.to_lowercase())),
            "closeBook" => body["closingDate"] = json!("1990-12-31"),
            "createIntegration" => body["agentId"] = json!(self.spare_app),
            "createConnection" | "updateConnection" => {
                body["type"] = json!("BANK");
                body["agentId"] = json!("some-bank");
            }
            _ => {}
        }
        body["email"] = match operation.id {
            "transferBook" => json!(self.cast.editor.email()),
            "createInvitation" => {
                let administrator = self.administration().administrator.email();
                json!(format!("{}-by-{administrator}", word.to_lowercase()))
            }
            _ => json!(format!("{}@example.com", word.to_lowercase())),
        };
        body["text"] = json!(word);
        body["permission"] = json!("VIEWER");
        body
    }

    /// The caller that may do it: the owner, except for access requests (7.6), offers (6.28) and
    /// the administration (9.22).
    pub fn caller(&self, operation: Operation) -> &Client {
        match operation.id {
            "requestBookAccess" | "acceptBookTransfer" => &self.cast.stranger,
            _ if operation.path.starts_with("/v5/administration/") => {
                &self.administration().administrator
            }
            _ => &self.cast.owner,
        }
    }

    /// The caller that may do it afterwards: the new owner of a transferred book.
    pub fn next_caller(&self, operation: Operation) -> &Client {
        if operation.id == "transferBook" { &self.cast.editor } else { self.caller(operation) }
    }

    /// Calls the operation.
    #[track_caller]
    pub fn call(&self, caller: &Client, operation: Operation, word: &str) -> Answer {
        // Without a body, the parameters are in the query.
        let parameters = match operation.id {
            "copyBook" => format!("?name={word}"),
            "acceptBookTransfer"
            | "auditBook"
            | "restoreBook"
            | "replayEventResponse"
            | "disableUser"
            | "enableUser"
            | "undoImport" => {
                format!("?word={word}")
            }
            "requestBookAccess" => format!("?permission=VIEWER&message={word}"),
            _ => String::new(),
        };
        caller.send(
            operation.method,
            &format!("{}{parameters}", self.path(operation)),
            &self.body(operation, word),
        )
    }

    /// Reads the resource that the operation changes; for operations with If-Match.
    #[track_caller]
    pub fn read(&self, operation: Operation) -> Answer {
        let target = self.target(operation);
        let noun = ["accounts", "groups", "transactions", "files"]
            .into_iter()
            .find(|noun| operation.path.contains(noun));
        let path = noun.map_or_else(
            || self.cast.path(""),
            |noun| self.cast.path(&format!("/{noun}/{target}")),
        );
        self.cast.owner.get(&path)
    }

    /// Waits for the work after the response: an audit or an import.
    pub fn settle(&self, operation: Operation) {
        let is_at_work = |import: &Value| {
            ["READING", "RECORDING", "UNDOING"].iter().any(|state| import["state"] == *state)
        };
        let imports = || self.cast.read("/imports")["items"].as_array().cloned();
        while operation.path.contains("/imports")
            && imports().is_some_and(|all| all.iter().any(is_at_work))
        {
            pause(Duration::from_millis(20));
        }
        let audited = || !column(&self.cast.get("/events?type=BOOK_AUDITED").ok(), "id").is_empty();
        while operation.id == "auditBook" && !audited() {
            pause(Duration::from_millis(20));
        }
    }

    /// Everything that a write could change in the book (`Null` if the book is gone), and the
    /// owner's other data.
    pub fn snapshot(&self) -> Vec<Value> {
        let read = |rest: &str| {
            let mut body = self.cast.get(rest).body;
            // An error has the id of the request, not of the book.
            if body["error"].is_object() { Value::Null } else { body.take() }
        };
        let mut apps = self.cast.owner.get("/v5/apps").ok()["items"].take();
        // Apps of other cases may be visible too.
        let own = [&self.app, &self.spare_app, &self.bot];
        apps.as_array_mut().expect("apps").retain(|app| own.iter().any(|id| app["id"] == **id));
        vec![
            apps,
            read("?loadAccounts=true"),
            read("/transactions?query=is:trashed%20is:draft%20is:posted"),
            read(&format!("/transactions/{}/comments", self.transaction)),
            read("/collaborators"),
            read("/collaborators/request"),
            read("/transfer"),
            read("/events"),
            read("/integrations"),
            read("/reconciliations"),
            read("/imports"),
            self.cast.owner.get("/v5/user/connections").ok(),
            self.cast.owner.get("/v5/user/tokens").ok(),
            self.cast.owner.get("/v5/user/keys").ok(),
        ]
    }
}

/// Creates a preview and an import that is done.
#[track_caller]
fn make_imports(cast: &Cast) -> [String; 2] {
    let preview = import(cast, "Date,Description,Amount\n2025-03-01,Cafe,-1\n");
    let done = import(cast, "Date,Description,Amount\n2025-03-02,Shop,-1\n");
    let path = format!("/imports/{done}");
    cast.post(&format!("{path}/confirm"), &json!({})).ok();
    while cast.read(&path)["state"] != "DONE" {
        pause(Duration::from_millis(20));
    }
    [preview, done]
}

/// Creates a preview of a file.
#[track_caller]
fn import(cast: &Cast, file: &str) -> String {
    let path = cast.path("/imports?account=Cash");
    let created = cast.owner.send_raw("POST", &path, None, file.as_bytes()).ok();
    let path = format!("/imports/{}", id(&created));
    while cast.read(&path)["state"] == "READING" {
        pause(Duration::from_millis(20));
    }
    id(&created).to_owned()
}

/// Creates an event with a response of an app. The app has no webhook, which is the error of the
/// response.
#[track_caller]
fn responded(cast: &Cast) -> (String, String) {
    let app = json!({"id": unique("bot"), "name": "Bot"});
    let app = id(&cast.owner.post("/v5/apps", &app).ok()).to_owned();
    cast.post("/integrations", &json!({"agentId": app})).ok();
    let event = id(&cast.get("/events?limit=1").ok()["items"][0]).to_owned();
    let path = cast.path(&format!("/events/{event}/responses/{app}"));
    cast.owner.put(&path, &Value::Null).ok();
    (event, app)
}
