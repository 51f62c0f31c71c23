//! Files (9.6, 12.1): create, get, list, update and delete. Lists and events show metadata without
//! content.

use daybook_tests::{Answer, Cast, Client, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        create_returns_metadata,
        get_returns_the_content,
        content_type_follows_the_name,
        conditions_without_a_target_store_nothing,
        contents_are_kept,
        invalid_bodies_are_refused,
        content_is_limited_to_20_megabytes,
        list_is_newest_first_and_paged,
        update_keeps_absent_fields,
        update_of_an_unknown_file_is_not_found,
        delete_returns_the_file,
        recorder_sees_own_files_only,
        events_describe_files,
        files_of_other_books_are_not_found,
    ]
}

/// Encodes Base64 independently of the server.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Creates a file as the owner.
#[track_caller]
pub fn file(cast: &Cast, name: &str, bytes: &[u8]) -> Value {
    cast.post("/files", &json!({"name": name, "content": base64(bytes)})).ok()
}

pub fn create(caller: &Client, cast: &Cast, body: &Value) -> Answer {
    caller.post(&cast.path("/files"), body)
}

/// Reads the URL of a file without a token.
#[track_caller]
pub fn download(server: &Server, file: &Value) -> Answer {
    server.anonymous().get(&url_path(server, file))
}

/// Returns the path of the URL of a file.
#[track_caller]
pub fn url_path(server: &Server, file: &Value) -> String {
    let url = file["url"].as_str().expect("an address");
    let path = url.strip_prefix(server.base());
    path.unwrap_or_else(|| panic!("{url} is of {}", server.base())).to_owned()
}

/// Reads a file as the owner.
#[track_caller]
pub fn get(cast: &Cast, file: &Value) -> Value {
    cast.read(&format!("/files/{}", id(file)))
}

/// 0.29: a create has no target, and the refusal comes before bytes are stored.
fn conditions_without_a_target_store_nothing(server: &Server) {
    let cast = Cast::new(server);
    let conditional = cast.owner.header("If-Match", "*");
    let content = json!({"name": "note.txt", "content": base64(b"secret")});
    create(&conditional, &cast, &content).refused(400, "badRequest");
    let body = json!({"description": "Lunch", "files": [content]});
    for (method, path, body) in [
        ("POST", "/transactions", body.clone()),
        ("POST", "/transactions/batch", json!({"items": [body.clone()]})),
        ("PATCH", "/transactions/post", body),
    ] {
        conditional.send(method, &cast.path(path), &body).refused(400, "badRequest");
    }
    let kept = server.data_dir().join("files").join(&cast.book);
    assert!(!kept.exists(), "bytes were stored in {}", kept.display());
    cast.post("/files", &content).ok();
    assert!(kept.exists(), "where they would be");
    conditional.get(&cast.path("/files")).ok();
}

fn create_returns_metadata(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({
        "name": " Invoice 7.pdf ", "contentType": "application/pdf", "content": base64(b"%PDF"),
        "size": 99, "createdAt": "1",
        "id": "mine", "url": "http://elsewhere",
        "properties": {"upload_method": "attachment", "Account Id": "7"},
    });
    let created =
        cast.owner.header("service-agent-id", "uploader").post(&cast.path("/files"), &body).ok();
    let expected = json!({
        "name": "Invoice 7.pdf", "contentType": "application/pdf", "size": 4, "content": null,
        "agentId": "uploader",
        "properties": {"upload_method": "attachment", "account_id": "7"},
    });
    shows(&created, &expected);
    assert_ne!(created["id"], "mine", "9.13: ids are the server's");
    assert_ne!(created["createdAt"], "1", "9.13: and so is the time");
    assert_eq!(created["createdAt"], created["updatedAt"]);
    let url = created["url"].as_str().expect("an address");
    let start = format!("{}/files/", server.base());
    assert!(url.starts_with(&start), "absolute, at the host of the request: {url}");
}

fn get_returns_the_content(server: &Server) {
    let cast = Cast::new(server);
    let created = file(&cast, "note.txt", b"Bread and butter");
    let mut found = get(&cast, &created);
    assert_eq!(found["content"], base64(b"Bread and butter"));
    found.as_object_mut().expect("a file").remove("content");
    assert_eq!(found, created, "the same otherwise");
    cast.get("/files/unknown").refused(404, "notFound");
    cast.get("/files/0000000000000001").refused(404, "notFound");
}

fn content_type_follows_the_name(server: &Server) {
    let cast = Cast::new(server);
    for (name, given, expected) in [
        ("a.PNG", json!(null), "image/png"),
        ("a.csv", json!(""), "text/csv"),
        ("a", json!(null), "application/octet-stream"),
        ("a.unheard", json!("  "), "application/octet-stream"),
        ("a.pdf", json!("text/plain; charset=utf-8"), "text/plain; charset=utf-8"),
    ] {
        let created = cast.post("/files", &json!({"name": name, "contentType": given})).ok();
        assert_eq!(created["contentType"], expected, "{name} {given}");
    }
}

fn contents_are_kept(server: &Server) {
    let cast = Cast::new(server);
    let every: Vec<u8> = (0..=255).collect();
    for length in [1, 2, 3, 256] {
        let created = file(&cast, "bytes", &every[..length]);
        assert_eq!(created["size"], length);
        assert_eq!(get(&cast, &created)["content"], base64(&every[..length]), "{length} bytes");
    }
    // Missing content makes an empty file; variants of Base64 are accepted.
    for (content, expected) in [
        (json!(null), ""),
        (json!(""), ""),
        (json!("+/8"), "+/8="),
        (json!("-_8="), "+/8="),
        (json!("+/\r\n8=\n"), "+/8="),
    ] {
        let created = cast.post("/files", &json!({"name": "a", "content": content})).ok();
        assert_eq!(get(&cast, &created)["content"], expected, "{content}");
    }
}

fn invalid_bodies_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let refused = |body: Value, reason: &str, word: &str| {
        let message = cast.post("/files", &body).refused(400, reason);
        assert!(message.contains(word), "{body}: {message}");
    };
    refused(json!({}), "badRequest", "name");
    refused(json!({"name": "  "}), "badRequest", "name");
    refused(json!({"name": "x".repeat(256)}), "badRequest", "255");
    refused(json!({"name": "a", "contentType": "pdf"}), "badRequest", "contentType");
    let two_lines = json!({"name": "a", "contentType": "a/b\r\nSet-Cookie: c=d"});
    refused(two_lines, "badRequest", "contentType");
    refused(json!({"name": "a", "content": "not base64!"}), "invalid", "content");
    refused(json!({"name": "a", "content": "YWI=YWI="}), "invalid", "content");
    refused(json!({"name": "a", "content": 7}), "invalid", "InvalidFormatException");
    refused(json!({"name": "a", "properties": {"k".repeat(31): "v"}}), "badRequest", "30");
    refused(json!([]), "invalid", "object");
    assert_eq!(cast.read("/files"), json!({"items": []}), "nothing was made");
    assert_eq!(kinds(&cast), ["BOOK_CREATED"], "and nothing recorded");
}

/// 9.6, 10.8: 20 x 1024 x 1024 bytes, in a body of 28 MB.
fn content_is_limited_to_20_megabytes(server: &Server) {
    let cast = Cast::new(server);
    let bytes: Vec<u8> = (0..20 * 1024 * 1024_u32).map(|place| (place % 251) as u8).collect();
    let created = file(&cast, "large", &bytes);
    assert_eq!(created["size"], bytes.len());
    let found = cast.get(&format!("/files/{}", id(&created)));
    assert!(found.body["content"] == base64(&bytes), "all 20 MB come back");
    let more = base64(&[bytes.as_slice(), b"x"].concat());
    let message = cast
        .post("/files", &json!({"name": "larger", "content": more}))
        .refused(413, "requestTooLarge");
    assert!(message.contains("20 MB"), "{message}");
    let attached = json!({"description": "larger", "files": [{"name": "larger", "content": more}]});
    cast.post("/transactions", &attached).refused(413, "requestTooLarge");
}

fn list_is_newest_first_and_paged(server: &Server) {
    let cast = Cast::new(server);
    let made: Vec<Value> =
        ["a", "b", "c", "d", "e"].iter().map(|name| file(&cast, name, b"x")).collect();
    let all = cast.viewer.get(&cast.path("/files")).ok();
    assert_eq!(column(&all, "name"), ["e", "d", "c", "b", "a"]);
    assert_eq!(all["items"][4], made[0], "the metadata of the create, without content");
    assert_eq!(all.get("cursor"), None, "2.3: no cursor on the last page");

    let mut seen = Vec::new();
    let mut caller = cast.owner.clone();
    loop {
        let page = caller.get(&cast.path("/files?limit=2")).ok();
        seen.extend(column(&page, "name"));
        let Some(cursor) = page["cursor"].as_str() else { break };
        caller = cast.owner.header("cursor", cursor);
        if seen.len() == 2 {
            // 2.1, 2.4: stable under inserts; the parameter serves too.
            file(&cast, "later", b"x");
            let page = cast.read(&format!("/files?limit=2&cursor={cursor}"));
            assert_eq!(column(&page, "name"), ["c", "b"]);
        }
    }
    assert_eq!(seen, ["e", "d", "c", "b", "a"]);
    for limit in ["0", "-1", "x", "5000"] {
        let page = cast.read(&format!("/files?limit={limit}"));
        assert_eq!(column(&page, "name").len(), 6, "2.2: {limit}");
    }
    let damaged = cast.owner.header("cursor", "damaged").get(&cast.path("/files?limit=1")).ok();
    assert_eq!(column(&damaged, "name"), ["later"], "2.5: the first page");
}

fn update_keeps_absent_fields(server: &Server) {
    let cast = Cast::new(server);
    let body =
        json!({"name": "a.txt", "content": base64(b"one"), "properties": {"a": "1", "b": "2"}});
    let created = cast.post("/files", &body).ok();
    let update = |change: Value| {
        let mut body = change;
        body["id"] = created["id"].clone();
        cast.put("/files", &body)
    };
    let renamed = update(json!({"name": "b.csv", "properties": {"a": "", "c": "3"}})).ok();
    let expected = json!({
        "name": "b.csv", "contentType": "text/plain", "size": 3,
        "properties": {"b": "2", "c": "3"},
    });
    shows(&renamed, &expected);
    assert_eq!(get(&cast, &created)["content"], base64(b"one"), "absent content stays");
    let typed = update(json!({"contentType": null})).ok();
    shows(&typed, &json!({"name": "b.csv", "contentType": "text/csv"}));
    let replaced = update(json!({"content": base64(b"three")})).ok();
    shows(
        &replaced,
        &json!({
            "size": 5, "content": null, "url": created["url"], "createdAt": created["createdAt"],
        }),
    );
    assert_eq!(get(&cast, &created)["content"], base64(b"three"));
    assert_eq!(update(json!({"content": null})).ok(), replaced, "null leaves the bytes alone");
    let known = kinds(&cast);
    assert_eq!(update(get(&cast, &created)).ok(), replaced, "3.10.5: a round trip changes nothing");
    assert_eq!(kinds(&cast), known);
    let emptied = update(json!({"content": ""})).ok();
    assert_eq!((&emptied["size"], &get(&cast, &created)["content"]), (&json!(0), &json!("")));
    for bad in [json!({"name": " "}), json!({"contentType": "x"})] {
        update(bad).refused(400, "badRequest");
    }
    update(json!({"content": "?"})).refused(400, "invalid");
}

fn update_of_an_unknown_file_is_not_found(server: &Server) {
    let cast = Cast::new(server);
    let message = cast.put("/files", &json!({"name": "a"})).refused(400, "badRequest");
    assert!(message.contains("id"), "{message}");
    for unknown in ["0000000000000001", "temporary_7", ""] {
        let status = if unknown.is_empty() { (400, "badRequest") } else { (404, "notFound") };
        let body = json!({"id": unknown, "name": "a", "content": base64(b"x")});
        cast.put("/files", &body).refused(status.0, status.1);
    }
}

fn delete_returns_the_file(server: &Server) {
    let cast = Cast::new(server);
    let created = file(&cast, "a.txt", b"one");
    let path = cast.path(&format!("/files/{}", id(&created)));
    assert_eq!(cast.owner.delete(&path).ok(), created);
    cast.owner.get(&path).refused(404, "notFound");
    cast.owner.delete(&path).refused(404, "notFound");
    cast.put("/files", &json!({"id": created["id"], "name": "b"})).refused(404, "notFound");
    assert_eq!(cast.read("/files"), json!({"items": []}));
    assert_eq!(kinds(&cast), ["FILE_DELETED", "FILE_CREATED", "BOOK_CREATED"]);
}

/// 7.3.
fn recorder_sees_own_files_only(server: &Server) {
    let cast = Cast::new(server);
    let others = file(&cast, "others.txt", b"x");
    let own =
        create(&cast.recorder, &cast, &json!({"name": "own.txt", "content": base64(b"mine")})).ok();
    assert_eq!(column(&cast.recorder.get(&cast.path("/files")).ok(), "name"), ["own.txt"]);
    assert_eq!(
        column(&cast.viewer.get(&cast.path("/files")).ok(), "name"),
        ["own.txt", "others.txt"]
    );
    let at = |file: &Value| cast.path(&format!("/files/{}", id(file)));
    assert_eq!(cast.recorder.get(&at(&own)).ok()["content"], base64(b"mine"));
    cast.recorder.get(&at(&others)).refused(404, "notFound");
    cast.recorder
        .put(&cast.path("/files"), &json!({"id": others["id"], "name": "x"}))
        .refused(404, "notFound");
    cast.recorder.delete(&at(&others)).refused(404, "notFound");
    let renamed =
        cast.recorder.put(&cast.path("/files"), &json!({"id": own["id"], "name": "mine.txt"})).ok();
    assert_eq!(renamed["name"], "mine.txt");
    cast.recorder.delete(&at(&own)).ok();
}

fn events_describe_files(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({"name": "a.txt", "content": base64(b"one"), "properties": {"a": "1"}});
    let created = cast.post("/files", &body).ok();
    let change = json!({
        "id": created["id"], "name": "b.txt", "content": base64(b"two and more"),
        "properties": {"a": "2"},
    });
    let updated = cast.put("/files", &change).ok();
    cast.delete(&format!("/files/{}", id(&created))).ok();
    let events = cast.read(&format!("/events?resoureId={}", id(&created)));
    assert_eq!(column(&events, "type"), ["FILE_DELETED", "FILE_UPDATED", "FILE_CREATED"]);
    let [deleted, change, creation] = [0, 1, 2].map(|at| &events["items"][at]);
    assert_eq!(creation["resource"], created["id"]);
    assert_eq!(creation["data"], json!({"object": created}), "8.2: the file without content");
    assert_eq!(change["data"]["object"], updated);
    assert_eq!(deleted["data"]["object"], updated);
    // 8.3: of the bytes, the digest that was: SHA-256 of "one".
    let digest = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    assert_eq!(
        change["data"]["previousAttributes"],
        json!({"name": "a.txt", "content": digest, "size": "3", "a": "1"})
    );
}

fn files_of_other_books_are_not_found(server: &Server) {
    let (here, there) = (Cast::new(server), Cast::new(server));
    let created = file(&there, "a.txt", b"one");
    there.share(here.owner.email(), "EDITOR");
    here.get(&format!("/files/{}", id(&created))).refused(404, "notFound");
    here.put("/files", &json!({"id": created["id"], "name": "x"})).refused(404, "notFound");
    here.delete(&format!("/files/{}", id(&created))).refused(404, "notFound");
    assert_eq!(get(&there, &created)["name"], "a.txt");
}

/// Returns the types of the events, newest first.
#[track_caller]
pub fn kinds(cast: &Cast) -> Vec<String> {
    let all = column(&cast.read("/events?limit=200"), "type");
    all.into_iter().filter(|kind| !kind.starts_with("COLLABORATOR")).collect()
}
