//! The permission matrix (7.3): every operation by every kind of caller, one row per operation in
//! `matrix`, one case per cell. `recorder` tests own drafts of a RECORDER, `book_dates` who may
//! move dates, `group_locks` locked groups.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use daybook_tests::receiver::Receiver;
use daybook_tests::{Answer, Cast, Client, EVENT_STREAM, Lunch, Server, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::matrix::{Operation, operations};
use daybook_tests::openapi::contract;

/// The columns. PUBLIC is a signed-in user without a permission, in a PUBLIC book.
pub const CALLERS: [&str; 9] = [
    "owner",
    "editor",
    "poster",
    "recorder",
    "viewer",
    "public",
    "stranger",
    "anonymous",
    "public_recorder",
];

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![every_operation_has_a_row];
    for operation in operations() {
        let cells: Vec<&str> = operation.cells.split_whitespace().collect();
        assert_eq!(cells.len(), CALLERS.len(), "{}: one cell per caller", operation.name);
        for (caller, cell) in CALLERS.into_iter().zip(cells) {
            cases.push(Case::shared(format!("{}_by_{caller}", operation.name), move |server| {
                check(server, operation, caller, cell)
            }));
        }
    }
    cases
}

/// Calls every row on a server that refuses everything and records the paths. An operation of a
/// book without a row would have untested permissions.
fn every_operation_has_a_row(server: &Server) {
    let fixture = PermissionFixture::new(server, "PRIVATE");
    let heard = Receiver::answering(|_| ("404 Not Found".to_owned(), String::new()));
    let caller = Client::at(&format!("http://127.0.0.1:{}", heard.port()), "none");
    for operation in operations() {
        (operation.call)(&caller, &fixture);
    }
    let heard = heard.received();
    let asked: BTreeSet<&str> = heard.iter().map(|request| operation_of(&request.line)).collect();
    let of_a_book =
        contract::operations().into_iter().map(|operation| (operation.path, operation.id));
    let missing: Vec<&str> = of_a_book
        .filter(|(path, id)| path.starts_with("/v5/books/{bookId}") && !asked.contains(id))
        .map(|(_, id)| id)
        .collect();
    assert!(missing.is_empty(), "operations without a row in the matrix: {missing:?}");
}

/// The operation of a request line; of several matching paths, the one with the most literal
/// segments.
#[track_caller]
fn operation_of(line: &str) -> &'static str {
    let (method, target) = line.split_once(' ').expect("a method");
    let path = target.split([' ', '?']).next().expect("a path");
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let places: Vec<&str> = template.split('/').collect();
        places.len() == parts.len()
            && places
                .iter()
                .zip(&parts)
                .all(|(place, part)| place == part || place.starts_with('{'))
    };
    let found = contract::operations().into_iter().filter(|operation| operation.method == method);
    let found = found.filter(|operation| fits(operation.path));
    let found = found.min_by_key(|operation| operation.path.matches('{').count());
    found.unwrap_or_else(|| panic!("{line} is documented")).id
}

/// The resources of every operation: accounts, groups and one transaction in each state, all
/// created by the owner.
pub struct PermissionFixture {
    pub cast: Cast,
    /// Cash, as the owner reads it.
    pub account: Value,
    /// An account without postings.
    pub spare: Value,
    /// A group that contains Cash.
    pub group: Value,
    /// A saved query.
    pub query: Value,
    /// A reconciliation of Cash without transactions.
    pub reconciliation: Value,
    /// A preview; null in a fixture without imports.
    pub import: Value,
    /// An import that is done, without transactions; null in a fixture without imports.
    pub done_import: Value,
    /// An installed app of the owner.
    pub integration: Value,
    /// An event with a response of the installed app.
    pub event: Value,
    /// An app that is not installed.
    pub app: Value,
    /// The access request of the stranger.
    pub request: Value,
    /// A complete draft.
    pub draft: Value,
    /// A second complete draft.
    pub draft_too: Value,
    /// A trashed draft.
    pub trashed_draft: Value,
    /// Posted, not checked.
    pub unchecked: Value,
    /// Posted and trashed.
    pub trashed: Value,
    pub checked: Value,
    /// Checked and trashed.
    pub trashed_checked: Value,
    /// Attached to nothing.
    pub file: Value,
    /// On the unchecked transaction.
    pub comment: Value,
}

impl PermissionFixture {
    pub fn new(server: &Server, visibility: &str) -> PermissionFixture {
        PermissionFixture::with(server, visibility, true)
    }

    /// Creates the resources. Imports take the longest, and few operations need them.
    fn with(server: &Server, visibility: &str, imports: bool) -> PermissionFixture {
        let settings = json!({
            "visibility": visibility, "lockDate": "2001-01-31", "closingDate": "2001-01-31",
        });
        let cast = Cast::with_settings(server, settings);
        let group = cast.group("Assets");
        let account = cast.account_in("Cash", "ASSET", &["Assets"]);
        cast.account("Food", "OUTGOING");
        let spare = cast.account("Spare", "ASSET");
        let query = cast.post("/queries", &json!({"title": "Cash", "query": "account:Cash"})).ok();
        let statement = json!({
            "account": {"name": "Cash"}, "date": "2025-01-31", "closingBalance": "-5",
        });
        let reconciliation = cast.post("/reconciliations", &statement).ok();
        let [import, done_import] = if imports {
            let [import, done] = ["-1", "0"].map(|amount| import(&cast, amount));
            cast.post(&format!("/imports/{}/confirm", daybook_tests::id(&done)), &json!({})).ok();
            [import, done]
        } else {
            [Value::Null, Value::Null]
        };
        let [installed, app] = ["Installed", "Not installed"].map(|name| {
            let app = json!({"id": unique("app"), "name": name, "users": "*@example.com"});
            cast.owner.post("/v5/apps", &app).ok()
        });
        let integration = cast.post("/integrations", &json!({"agentId": installed["id"]})).ok();
        let items: Vec<Value> = [
            "draft",
            "another draft",
            "trashed draft",
            "unchecked",
            "trashed",
            "checked",
            "trashed checked",
        ]
        .into_iter()
        .map(|state| {
            let draft = state.contains("draft");
            complete(state, draft, state.contains("checked") && state != "unchecked")
        })
        .collect();
        let created = cast.post("/transactions/batch", &json!({"items": items})).ok();
        let [draft, draft_too, trashed_draft, unchecked, trashed, checked, trashed_checked] =
            [0, 1, 2, 3, 4, 5, 6].map(|at| created["items"][at].clone());
        let bin = json!({
            "items": [
                {"id": trashed_draft["id"]}, {"id": trashed["id"]}, {"id": trashed_checked["id"]},
            ],
        });
        cast.patch("/transactions/trash/batch?trashChecked=true", &bin).no_content();
        let comment = cast.comment(&unchecked, "Who paid?");
        let file = cast.post("/files", &json!({"name": "receipt.pdf", "content": "JVBERg=="})).ok();
        let ask = cast.path("/collaborators/request");
        cast.poster.post(&format!("{ask}?permission=OWNER"), &Value::Null).no_content();
        cast.stranger.post(&format!("{ask}?permission=EDITOR"), &Value::Null).no_content();
        let request = cast.owner.get(&ask).ok()["items"][0].clone();
        let event = cast.get("/events?limit=1").ok()["items"][0].clone();
        let response = format!(
            "/events/{}/responses/{}",
            daybook_tests::id(&event),
            daybook_tests::id(&installed)
        );
        let event = cast.put(&response, &Value::Null).ok();
        PermissionFixture {
            cast,
            request,
            file,
            account,
            spare,
            group,
            query,
            reconciliation,
            import,
            done_import,
            integration,
            event,
            app,
            draft,
            draft_too,
            trashed_draft,
            unchecked,
            trashed,
            checked,
            trashed_checked,
            comment,
        }
    }

    /// The path of a resource in the book.
    pub fn path(&self, rest: &str) -> String {
        self.cast.path(rest)
    }

    pub fn caller(&self, name: &str) -> &Client {
        let cast = &self.cast;
        match name {
            "owner" => &cast.owner,
            "editor" => &cast.editor,
            "poster" => &cast.poster,
            "recorder" | "public_recorder" => &cast.recorder,
            "viewer" => &cast.viewer,
            "anonymous" => &cast.anonymous,
            _ => &cast.stranger,
        }
    }

    /// The path of the response to the event.
    pub fn response(&self) -> String {
        let app = self.integration["agentId"].as_str().expect("an id");
        self.cast.path(&format!("/events/{}/responses/{app}", daybook_tests::id(&self.event)))
    }

    /// The path of the comments on a transaction, or of one of them.
    pub fn comments(&self, transaction: &Value, comment: &str) -> String {
        let path = format!("/transactions/{}/comments/{comment}", daybook_tests::id(transaction));
        self.cast.path(path.trim_end_matches('/'))
    }

    /// The path of the attempts to deliver the event.
    pub fn deliveries(&self) -> String {
        self.cast.path(&format!("/events/{}/deliveries", daybook_tests::id(&self.event)))
    }

    /// replayEvents of the event.
    pub fn replay_event(&self, caller: &Client) -> Answer {
        let body = json!({"items": [{"id": self.event["id"]}]});
        caller.patch(&self.cast.path("/events/replay/batch"), &body)
    }

    /// Everything that a write could change.
    pub fn snapshot(&self) -> [Value; 9] {
        self.snapshot_by(&self.cast.owner)
    }

    /// Reads the same parts as another caller, who must be at least an EDITOR.
    pub fn snapshot_by(&self, caller: &Client) -> [Value; 9] {
        PARTS.map(|part| self.part(caller, part))
    }

    fn part(&self, caller: &Client, part: &str) -> Value {
        let mut read = caller.get(&self.cast.path(part)).ok();
        if part.starts_with('?') {
            // These change by themselves at the turn of a month.
            for field in ["totalTransactionsCurrentMonth", "totalTransactionsCurrentYear"] {
                assert!(read[field].take().is_i64(), "{field}: {read}");
            }
        }
        read
    }

    /// Whether anything differs from a snapshot.
    fn has_changed(&self, before: &[Value; 9]) -> bool {
        let mut parts = PARTS.iter().zip(before);
        parts.any(|(part, before)| self.part(&self.cast.owner, part) != *before)
    }
}

/// The parts of a book that writes change. The log is first, because nearly every write changes it.
const PARTS: [&str; 9] = [
    "/events",
    "?loadAccounts=true",
    "/transactions?query=is:trashed%20is:draft%20is:posted",
    "/collaborators",
    "/collaborators/request",
    "/files",
    "/integrations",
    "/reconciliations",
    "/imports",
];

/// Creates the preview of a file with one record.
#[track_caller]
fn import(cast: &Cast, amount: &str) -> Value {
    let file = format!("Date,Description,Amount\n2025-03-01,Cafe,{amount}\n");
    let path = cast.path("/imports?account=Cash");
    cast.owner.send_raw("POST", &path, None, file.as_bytes()).ok()
}

/// A createTransaction body between the two accounts.
pub fn complete(description: &str, draft: bool, checked: bool) -> Value {
    let lunch = Lunch { date: "2025-01-31", amount: "5" };
    lunch.with(json!({"description": description, "draft": draft, "checked": checked}))
}

/// An unchanged fixture and its snapshot.
struct UnchangedFixture {
    fixture: PermissionFixture,
    before: [Value; 9],
}

impl UnchangedFixture {
    fn new(server: &Server, caller: &str, imports: bool) -> UnchangedFixture {
        let fixture = PermissionFixture::with(server, visibility(caller), imports);
        let before = fixture.snapshot();
        UnchangedFixture { fixture, before }
    }

    /// The fixture for all cells whose caller may change nothing: creating one takes ten times as
    /// long as such a cell.
    fn shared(server: &Server, caller: &str) -> Arc<OnceLock<UnchangedFixture>> {
        type Key = (SocketAddr, &'static str);
        static FIXTURES: LazyLock<Mutex<HashMap<Key, Arc<OnceLock<UnchangedFixture>>>>> =
            LazyLock::new(Mutex::default);
        let mut fixtures = FIXTURES.lock().expect("the lock is not poisoned");
        Arc::clone(fixtures.entry((server.address(), visibility(caller))).or_default())
    }
}

fn visibility(caller: &str) -> &'static str {
    if caller.starts_with("public") { "PUBLIC" } else { "PRIVATE" }
}

/// Tests a cell: `yes`, a status, or `draft` for a create that a RECORDER may make but not post.
fn check(server: &Server, operation: &Operation, caller: &str, cell: &str) {
    let changes = cell == "draft" || (cell == "yes" && operation.writes);
    let slot = if changes { Arc::default() } else { UnchangedFixture::shared(server, caller) };
    let UnchangedFixture { fixture, before } = slot.get_or_init(|| {
        UnchangedFixture::new(server, caller, !changes || operation.name.contains("import"))
    });
    let answer = (operation.call)(fixture.caller(caller), fixture);
    match cell {
        "yes" => allowed(fixture, operation, answer, before),
        "draft" => {
            let body = answer.ok();
            let transaction =
                if body["items"].is_array() { &body["items"][0] } else { &body["transaction"] };
            assert_eq!(transaction["posted"], false, "a create stays a draft: {transaction}");
        }
        status => {
            refused(answer, status);
            // A read that is allowed is compared in `allowed`.
            if operation.writes {
                assert_eq!(
                    &fixture.snapshot(),
                    before,
                    "a refused request changes nothing, or another cell has changed the shared \
                     fixture"
                );
            }
        }
    }
}

fn allowed(
    fixture: &PermissionFixture,
    operation: &Operation,
    answer: Answer,
    before: &[Value; 9],
) {
    assert!(
        matches!(answer.status, 200 | 204),
        "allowed, but answered {}: {}",
        answer.status,
        answer.text
    );
    if answer.status == 204 {
        answer.no_content();
    } else {
        let kind = &answer.headers["content-type"];
        // A stream and an export are no JSON.
        if kind != EVENT_STREAM && !kind.starts_with("text/csv") {
            answer.ok();
        }
    }
    if operation.name == "delete_book" {
        fixture.cast.get("").refused(404, "notFound");
    } else {
        // A write that is answered but not done must fail.
        assert_eq!(
            fixture.has_changed(before),
            operation.writes,
            "{}: what it changed, or what another cell changed on the shared fixture",
            operation.name
        );
    }
}

fn refused(answer: Answer, status: &str) {
    let status = status.parse().expect("a status");
    let reason = match status {
        401 => "required",
        403 => "forbidden",
        404 => "notFound",
        _ => "badRequest",
    };
    let message = answer.refused(status, reason);
    match status {
        401 => assert!(message.contains("Login Required"), "10.2: {message}"),
        404 => assert!(message.contains("not found"), "7.4: {message}"),
        _ => {}
    }
}
