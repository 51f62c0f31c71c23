//! Valid bodies of all operations, which `faults` changes field by field.

/// An operation with a body.
pub struct Row {
    pub name: &'static str,
    pub method: &'static str,
    /// Relative to the book, unless it begins with `/v5/`. `{app}` and so on stand for ids.
    pub path: &'static str,
    pub frame: Frame,
    /// A valid body; each field is changed in turn. `{fresh}` is a new text each time.
    pub body: &'static str,
}

/// The position of the body in the request.
#[derive(Clone, Copy)]
pub enum Frame {
    /// The whole request.
    Alone,
    /// The only item of a batch.
    Batch,
}

/// The owner of a limited resource.
#[derive(Clone, Copy)]
pub enum Of {
    User,
    Developer,
}

impl Row {
    /// Returns whether it creates a resource with a limit per owner.
    pub fn makes(&self, whose: Of) -> bool {
        let start = match whose {
            Of::User => "/v5/user/",
            Of::Developer => "/v5/apps",
        };
        self.method == "POST" && self.path.starts_with(start)
    }
}

const fn alone(
    name: &'static str,
    method: &'static str,
    path: &'static str,
    body: &'static str,
) -> Row {
    Row { name, method, path, frame: Frame::Alone, body }
}

const fn batch(
    name: &'static str,
    method: &'static str,
    path: &'static str,
    body: &'static str,
) -> Row {
    Row { name, method, path, frame: Frame::Batch, body }
}

/// All but merges, which consume their transactions and have their own case.
pub const BODIES: &[Row] = &[
    alone("create_book", "POST", "/v5/books", BOOK),
    alone("update_book", "PUT", "", BOOK),
    alone("transfer", "POST", "/transfer", r#"{"email": "a@example.com"}"#),
    alone("create_account", "POST", "/accounts", ACCOUNT),
    alone("update_account", "PUT", "/accounts", ACCOUNT),
    batch("create_accounts", "POST", "/accounts/batch", ACCOUNT),
    batch("update_accounts", "PUT", "/accounts/batch", ACCOUNT),
    batch("delete_accounts", "POST", "/accounts/delete/batch", ACCOUNT),
    alone("create_group", "POST", "/groups", GROUP),
    alone("update_group", "PUT", "/groups", GROUP),
    batch("create_groups", "POST", "/groups/batch", GROUP),
    batch("update_groups", "PUT", "/groups/batch", GROUP),
    batch("delete_groups", "POST", "/groups/delete/batch", GROUP),
    alone("add_collaborator", "POST", "/collaborators", COLLABORATOR),
    alone("create_transaction", "POST", "/transactions", TRANSACTION),
    alone("update_transaction", "PUT", "/transactions", TRANSACTION),
    batch("create_transactions", "POST", "/transactions/batch", TRANSACTION),
    batch("update_transactions", "PUT", "/transactions/batch?updateChecked=true", TRANSACTION),
    batch("load_transactions", "POST", "/transactions/load/batch", OF_TRANSACTION),
    alone("post", "PATCH", "/transactions/post", TRANSACTION),
    batch("post_batch", "PATCH", "/transactions/post/batch", TRANSACTION),
    alone("check", "PATCH", "/transactions/check", OF_TRANSACTION),
    batch("uncheck_batch", "PATCH", "/transactions/uncheck/batch", OF_TRANSACTION),
    alone("trash", "PATCH", "/transactions/trash", OF_TRANSACTION),
    batch("untrash_batch", "PATCH", "/transactions/untrash/batch", OF_TRANSACTION),
    alone("create_comment", "POST", "/transactions/{transaction}/comments", r#"{"text": "Why?"}"#),
    alone("create_file", "POST", "/files", FILE),
    alone("update_file", "PUT", "/files", FILE),
    alone("save_query", "POST", "/queries", QUERY),
    alone("update_query", "PUT", "/queries", QUERY),
    alone("create_integration", "POST", "/integrations", INTEGRATION),
    alone("update_integration", "PUT", "/integrations", INTEGRATION),
    batch("replay_events", "PATCH", "/events/replay/batch", r#"{"id": "{event}"}"#),
    alone("create_app", "POST", "/v5/apps", NEW_APP),
    alone("update_app", "PUT", "/v5/apps", APP),
    alone("update_app_by_patch", "PATCH", "/v5/apps", r#"{"id": "{app}", "name": "App"}"#),
    alone("create_connection", "POST", "/v5/user/connections", NEW_CONNECTION),
    alone("update_connection", "PUT", "/v5/user/connections", CONNECTION),
    alone("create_token", "POST", "/v5/user/tokens", TOKEN),
    alone("create_key", "POST", "/v5/user/keys", r#"{"name": "K", "callsPerMinute": 10}"#),
    alone("create_collection", "POST", "/v5/collections", COLLECTION),
    alone("update_collection", "PUT", "/v5/collections", COLLECTION),
    batch("add_to_collection", "PATCH", "/v5/collections/{collection}/books/add", OF_BOOK),
    batch("remove_from_collection", "PATCH", "/v5/collections/{collection}/books/remove", OF_BOOK),
];

const BOOK: &str = r#"{
    "id": "{book}", "name": "B", "autoPost": true, "closingDate": "2001-01-31",
    "lockDate": "2001-01-31", "datePattern": "dd/MM/yyyy", "decimalSeparator": "DOT",
    "fractionDigits": 2, "pageSize": 100, "period": "MONTH", "periodStartMonth": "MAY",
    "properties": {"a": "b"}, "timeZone": "UTC", "visibility": "PRIVATE", "createdAt": "1"
}"#;

const ACCOUNT: &str = r#"{
    "id": "{account}", "name": "Spare", "type": "ASSET", "archived": false, "permanent": true,
    "credit": false, "groups": [{"id": "{group}", "name": "G"}], "properties": {"a": "b"},
    "minBalance": "-1", "createdAt": "1"
}"#;

const GROUP: &str = r#"{
    "id": "{group}", "name": "G", "parent": {"id": "{root}", "name": "Root"}, "hidden": false,
    "locked": false, "properties": {"a": "b"}, "createdAt": "1"
}"#;

const COLLABORATOR: &str = r#"{"email": "a@example.com", "permission": "VIEWER"}"#;

/// A body of all operations on whole transactions.
pub const TRANSACTION: &str = r##"{
    "id": "{transaction}", "date": "2025-01-31", "amount": "5", "description": "x #tag",
    "draft": true, "creditAccount": {"id": "{account}", "name": "Spare"},
    "debitAccount": {"name": "Food"}, "checked": false, "posted": true, "urls": ["http://x"],
    "remoteIds": ["r"], "properties": {"a": "b"}, "createdAt": "1", "tags": ["t"],
    "files": [{"name": "a.txt", "content": "YQ=="}]
}"##;

const OF_TRANSACTION: &str = r#"{"id": "{transaction}"}"#;

const FILE: &str = r#"{
    "id": "{file}", "name": "a.txt", "content": "YQ==", "contentType": "text/plain", "size": 1,
    "url": "http://x", "properties": {"a": "b"}, "createdAt": "1"
}"#;

const QUERY: &str = r#"{"id": "{query}", "title": "Drafts", "query": "is:draft"}"#;

const INTEGRATION: &str = r#"{
    "id": "{integration}", "bookId": "{book}", "agentId": "{spare_app}", "name": "Installed",
    "connectionId": "", "userId": "1", "logo": "http://x", "properties": {"a": "b"},
    "createdAt": "1"
}"#;

/// The fields of an app except its id.
macro_rules! app_texts {
    () => {
        r#""name": "App", "description": "d", "apiVersion": "v5", "clientId": "c",
        "clientSecret": "s", "connectable": true, "installable": true, "published": false,
        "deprecated": false, "developers": "someone", "users": "someone",
        "events": ["TRANSACTION_POSTED"], "filePatterns": ["*.csv"],
        "webhookUrl": "https://app.example.com/hook",
        "webhookUrlDev": "https://dev.example.com/hook", "menuUrl": "https://app.example.com",
        "menuUrlDev": "https://dev.example.com", "menuText": "m", "menuOpenMode": "SIDEBAR",
        "menuPopupHeight": "1", "menuPopupWidth": "1", "logoUrl": "https://x/l",
        "logoUrlDark": "https://x/d", "ownerId": "1", "ownerEmail": "a@example.com",
        "ownerName": "n", "ownerLogoUrl": "https://x", "ownerWebsite": "https://x",
        "propertiesSchema": {"book": {"keys": ["a"], "values": ["b"]}}, "readme": "r",
        "readmeMd": "r", "repoPrivate": false, "repoUrl": "https://x", "website": "https://x",
        "scopes": ["email"]}"#
    };
}

/// The body of updateApp; a new app has a new id each time.
const APP: &str = concat!(r#"{"id": "{app}", "#, app_texts!());
const NEW_APP: &str = concat!(r#"{"id": "{fresh}", "#, app_texts!());

const NEW_CONNECTION: &str = r#"{
    "uuid": "{fresh}", "agentId": "some-bank", "type": "BANK", "name": "Bank",
    "email": "a@example.com", "userId": "1", "logo": "http://x", "dateAddedMs": "1",
    "properties": {"token": "t"}
}"#;

const CONNECTION: &str = r#"{
    "id": "{connection}", "agentId": "some-bank", "type": "BANK", "name": "Bank",
    "uuid": "u", "properties": {"token": "t"}
}"#;

const TOKEN: &str = r#"{"name": "T", "days": 1, "readOnly": true, "books": ["{book}"]}"#;

const COLLECTION: &str = r#"{
    "id": "{collection}", "name": "Shelf", "ownerUsername": "x", "permission": "OWNER",
    "books": [{"id": "{book}"}], "createdAt": "1"
}"#;

const OF_BOOK: &str = r#"{"id": "{book}", "name": "B"}"#;
