//! No request causes a 500 or a panic: unlikely values in each field of each body, each parameter,
//! path segment and header.

use daybook_tests::{Answer, Cast, Server, encode, id, unique};
use serde_json::{Map, Value, json};

use crate::Case;
use crate::fault_bodies::{BODIES, Frame, Of, Row, TRANSACTION};

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        merge_fields_cause_no_fault,
        parameters_cause_no_fault,
        path_segments_cause_no_fault,
        damaged_cursors_return_the_first_page,
        header_values_cause_no_fault
    ];
    cases.extend(BODIES.iter().map(|row| {
        Case::shared(format!("body_{}", row.name), move |server| check_bodies(server, row))
    }));
    cases
}

/// Returns values of every JSON type, up to and beyond the size of columns.
fn unlikely() -> Vec<Value> {
    let mut values: Vec<Value> = serde_json::from_str(
        r#"["", " ", "\u0000", "a\u0000b", "é\u0301", "\uffff", "-0", "1e400", "NaN",
            "9223372036854775808", "0x10", "2025-02-30", "null", null, true, 0, -1, 1.5,
            9223372036854775807, 18446744073709551615, 1e308, [], [null], [[]], ["x"], [{}], {},
            {"id": null}, {"id": {}}, {"id": "x", "name": "\u0000"}, {"": ""},
            {"k\u0000": "v\u0000"}, {"name": ["x"]}]"#,
    )
    .expect("JSON");
    let long = ["x".repeat(100_000), "9".repeat(400), format!("0.{}1", "0".repeat(400))];
    values.extend(long.map(Value::from));
    values
}

/// Checks that a response is a success or a documented refusal.
#[track_caller]
fn check_sound(answer: Answer, sent: &str) {
    let shown: String = sent.chars().take(300).collect();
    let is_documented = matches!(answer.status, 200 | 204 | 400 | 403 | 404);
    assert!(is_documented, "{shown}: {}: {}", answer.status, answer.text);
    match answer.status {
        200 => drop(answer.ok()),
        204 => answer.no_content(),
        status => {
            let reason =
                answer.body["error"]["errors"][0]["reason"].as_str().unwrap_or_default().to_owned();
            let _message = answer.refused(status, &reason);
        }
    }
}

fn fixture(server: &Server) -> (Cast, [Value; 4]) {
    let cast = Cast::new(server);
    let root = cast.group("Root");
    let group = cast.group_under("G", "Root");
    let account = cast.account_in("Spare", "ASSET", &["G"]);
    cast.account("Food", "OUTGOING");
    let transaction = cast.record("2025-01-31", "5", "Spare", "Food", "x");
    (cast, [root, group, account, transaction])
}

/// Creates the other resources that the bodies name, and returns their placeholders and ids.
#[track_caller]
fn create_resources(cast: &Cast) -> Vec<(&'static str, String)> {
    let made = |path: &str, body: Value| id(&cast.owner.post(path, &body).ok()).to_owned();
    let app = |name| made("/v5/apps", json!({"id": unique("app"), "name": name}));
    let (installed, spare) = (app("Installed"), app("Spare"));
    let bank = json!({"agentId": "some-bank", "type": "BANK", "name": "Bank"});
    let event = cast.read("/events?limit=1")["items"][0].clone();
    vec![
        ("{integration}", made(&cast.path("/integrations"), json!({"agentId": installed}))),
        ("{app}", installed),
        ("{spare_app}", spare),
        ("{connection}", made("/v5/user/connections", bank)),
        ("{query}", made(&cast.path("/queries"), json!({"query": "is:draft"}))),
        ("{file}", made(&cast.path("/files"), json!({"name": "a.txt", "content": "YQ=="}))),
        ("{collection}", made("/v5/collections", json!({"name": "Shelf"}))),
        ("{event}", id(&event).to_owned()),
    ]
}

/// Sends each value in each field of a body.
fn check_bodies(server: &Server, row: &Row) {
    let (cast, [root, group, account, transaction]) = fixture(server);
    let mut names = create_resources(&cast);
    names.extend([
        ("{root}", id(&root).to_owned()),
        ("{group}", id(&group).to_owned()),
        ("{account}", id(&account).to_owned()),
        ("{transaction}", id(&transaction).to_owned()),
        ("{book}", cast.book.clone()),
    ]);
    let named = |text: &str| {
        names.iter().fold(text.to_owned(), |text, (place, id)| text.replace(place, id))
    };
    let path = named(row.path);
    let path = if path.starts_with("/v5/") { path } else { cast.path(&path) };
    let (body, fields) = (named(row.body), fields(row.body));
    for field in &fields {
        // The number of apps per developer is limited.
        let newcomer = || server.client(&format!("{}@example.com", unique("developer")));
        let caller = if row.makes(Of::Developer) { newcomer() } else { cast.owner.clone() };
        for value in unlikely() {
            // Unique values change each time.
            let fresh = body.replace("{fresh}", &unique("fresh"));
            let mut changed: Map<String, Value> = serde_json::from_str(&fresh).expect("an object");
            changed.insert(field.clone(), value);
            let sent = match row.frame {
                Frame::Alone => Value::Object(changed),
                Frame::Batch => json!({"items": [changed]}),
            };
            let answer = caller.send(row.method, &path, &sent);
            let made = answer.body["id"].as_str().map(str::to_owned);
            check_sound(answer, &format!("{field}: {sent}"));
            // The number of connections, tokens and keys per user is limited.
            if let Some(made) = made.filter(|_| row.makes(Of::User)) {
                caller.delete(&format!("{path}/{made}")).ok();
            }
        }
    }
    check_reads(&cast);
}

fn fields(body: &str) -> Vec<String> {
    let valid: Map<String, Value> = serde_json::from_str(body).expect("an object");
    valid.keys().cloned().collect()
}

/// Checks that accepted values can be read.
#[track_caller]
fn check_reads(cast: &Cast) {
    let lists = "?loadAccounts=true /accounts /groups /collaborators /collaborators/request \
                 /transactions /events?limit=200 /balances?query=on:2025 /integrations /apps \
                 /queries /files";
    for rest in lists.split(' ') {
        cast.read(rest);
    }
    for path in ["apps", "collections", "user/connections", "user/tokens", "user/keys"] {
        cast.owner.get(&format!("/v5/{path}")).ok();
    }
}

/// Sends each value in each field of a merge (3.4.4), on both sides. A completed merge consumes its
/// transactions.
fn merge_fields_cause_no_fault(server: &Server) {
    let (cast, [_, _, account, _]) = fixture(server);
    let body = TRANSACTION.replace("{account}", id(&account));
    let draft = || cast.create(&json!({"description": "x", "draft": true}));
    let mut pair = [draft(), draft()];
    for field in fields(TRANSACTION) {
        for (number, value) in unlikely().into_iter().enumerate() {
            let mut payload: Value = serde_json::from_str(&body).expect("an object");
            let (changed, other) = (&pair[number % 2], &pair[(number + 1) % 2]);
            payload["id"] = changed["id"].clone();
            payload[field.as_str()] = value;
            let sent = json!({"items": [payload, {"id": other["id"]}]});
            let answer = cast.patch("/transactions/merge", &sent);
            let done = answer.status == 200;
            check_sound(answer, &format!("{field}: {sent}"));
            if done {
                pair = [draft(), draft()];
            }
        }
    }
    check_reads(&cast);
}

const TEXTS: [&str; 14] = [
    "",
    " ",
    "\u{0}",
    "é",
    "'",
    "\"",
    "\\",
    "%",
    "_",
    "(((((",
    "a:b:c",
    "-",
    "2147483648",
    "0001-01-01T00:00:00Z",
];

/// Each parameter of each GET, with unlikely text and invalid UTF-8.
fn parameters_cause_no_fault(server: &Server) {
    let (cast, _) = fixture(server);
    let table = [
        ("/transactions", ["query", "limit", "cursor", "ids"].as_slice()),
        (
            "/events",
            &["after", "before", "error", "resoureId", "resourceId", "type", "limit", "cursor"],
        ),
        ("/balances", &["query"]),
        ("", &["loadAccounts", "loadGroups"]),
        ("/collaborators", &["message"]),
    ];
    let raw = ["%FF", "%C3%28", "%", "%zz", "%00", "=", "&&", "+"].map(str::to_owned);
    let long = "a".repeat(6000);
    for (path, parameters) in table {
        for parameter in parameters {
            let encoded = TEXTS.iter().copied().chain([long.as_str()]).map(encode);
            for value in encoded.chain(raw.clone()) {
                let path = cast.path(&format!("{path}?{parameter}={value}"));
                check_sound(cast.owner.get(&path), &path);
            }
        }
    }
    for value in TEXTS {
        let path = format!("/v5/books?query={}", encode(value));
        check_sound(cast.owner.get(&path), &path);
        let path = cast.path(&format!("/transactions?timeZone={}", encode(value)));
        check_sound(cast.owner.post(&path, &json!({"description": "x"})), &path);
        let ask = cast.path("/collaborators/request?");
        for parameters in ["permission={}", "permission=EDITOR&message={}"] {
            let path = format!("{ask}{}", parameters.replace("{}", &encode(value)));
            check_sound(cast.stranger.post(&path, &Value::Null), &path);
        }
        let path = cast.path(&format!("/events/replay/batch?errorsOnly={}", encode(value)));
        check_sound(cast.owner.patch(&path, &json!({"items": []})), &path);
        let path = format!("/v5/collections?name={}", encode(value));
        check_sound(cast.owner.post(&path, &json!({"name": "x"})), &path);
    }
}

/// Each `{id}` of each path.
fn path_segments_cause_no_fault(server: &Server) {
    let (cast, _) = fixture(server);
    let paths = "/accounts/{} /accounts/{}/groups /groups/{} /groups/{}/accounts /transactions/{} \
                 /transactions/{}/comments /transactions/{}/comments/{} \
                 /collaborators/{} /collaborators/request/{} /queries/{} /files/{} \
                 /integrations/{} /events/{} /events/{}/deliveries /events/{}/responses/{} \
                 /apps/{}/deliveries /v5/apps/{} /v5/collections/{} /v5/user/connections/{} \
                 /v5/user/connections/{}/integrations /v5/user/tokens/{} /v5/user/keys/{}";
    let long = "9".repeat(3000);
    for text in
        TEXTS.iter().copied().chain([long.as_str(), "..", ".", "a/b", "-9223372036854775808"])
    {
        let segment = encode(text).replace('.', "%2E");
        for path in paths.split(' ') {
            let path = path.replace("{}", &segment);
            let path = if path.starts_with("/v5/") { path } else { cast.path(&path) };
            for method in ["GET", "DELETE"] {
                let answer = cast.owner.send_raw(method, &path, None, &[]);
                // An empty segment makes another route, which may not allow the method.
                if answer.status != 405 {
                    check_sound(answer, &format!("{method} {path}"));
                }
            }
        }
        if !segment.is_empty() {
            check_sound(cast.owner.get(&format!("/v5/books/{segment}")), &segment);
        }
    }
}

/// 2.5.
fn damaged_cursors_return_the_first_page(server: &Server) {
    let (cast, _) = fixture(server);
    let odd = "x ==== AAAA null {} eyJhIjoxfQ eyJhIjoxfQ== -1 %00 0 /////w==";
    let long = "A".repeat(4000);
    for cursor in odd.split(' ').chain([long.as_str()]) {
        for path in ["/transactions", "/events"] {
            let answer = cast.owner.header("cursor", cursor).get(&cast.path(path));
            assert_eq!(answer.status, 200, "2.5: {cursor}: {}", answer.text);
            // 2.5: the first page.
            assert!(answer.ok()["items"].as_array().is_some_and(|items| !items.is_empty()));
        }
    }
}

/// 9.2: the agent header is free text.
fn header_values_cause_no_fault(server: &Server) {
    let (cast, _) = fixture(server);
    let long = "a".repeat(3000);
    for (number, value) in
        ["", " ", "'", "a b c", "{}", "%C3%A9", long.as_str()].into_iter().enumerate()
    {
        let client = cast.owner.header("service-agent-id", value).header("service-api-key", value);
        let body = json!({"name": format!("Account {number}")});
        check_sound(client.post(&cast.path("/accounts"), &body), value);
        check_sound(client.post(&cast.path("/transactions"), &json!({"description": "x"})), value);
    }
    cast.read("/events?limit=200");
}
