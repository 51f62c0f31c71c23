//! File URLs for browsers (9.6, 0.6): unchanged bytes, with headers that keep a browser from
//! running them. A URL ends when a member loses access (9.20).

use std::io::Write;

use daybook_tests::{Answer, Cast, RawSql, Server, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::files::{base64, download, file, url_path};
use crate::wire::{connect, rest};

pub fn tests() -> Vec<Case> {
    crate::cases![
        file_url_needs_no_token,
        file_bytes_are_unchanged,
        harmless_types_are_inline,
        active_types_are_attachments,
        content_type_with_a_comma_is_refused,
        url_uses_only_a_valid_host,
        file_name_is_escaped_in_the_header,
        caches_must_revalidate,
        new_content_keeps_the_url,
        head_returns_no_body,
        wrong_file_urls_are_not_found,
        file_tokens_are_random,
        loss_of_access_changes_the_url,
        url_stays_when_no_member_loses_access,
        events_show_the_current_url,
        file_urls_are_read_only,
    ]
}

fn typed(cast: &Cast, name: &str, content_type: &str, bytes: &[u8]) -> Value {
    cast.post(
        "/files",
        &json!({"name": name, "contentType": content_type, "content": base64(bytes)}),
    )
    .ok()
}

#[track_caller]
fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).unwrap_or_else(|| panic!("{name} in {:?}", answer.headers))
}

fn file_url_needs_no_token(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"Bread and butter");
    for caller in
        [&cast.anonymous, &cast.stranger, &cast.owner, &server.client_with_token("not.a.token")]
    {
        let answer = caller.get(&url_path(server, &note));
        assert_eq!((answer.status, answer.text.as_str()), (200, "Bread and butter"));
        assert_eq!(header(&answer, "content-type"), "text/plain; charset=utf-8", "behaviour 9.15");
        assert_eq!(header(&answer, "content-length"), "16");
        // 0.13: pages of other origins read it too.
        assert_eq!(header(&answer, "access-control-allow-origin"), "*");
    }
    let empty = file(&cast, "empty", b"");
    let answer = download(server, &empty);
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
}

fn file_bytes_are_unchanged(server: &Server) {
    let cast = Cast::new(server);
    let bytes: Vec<u8> = (0..100_000_u32).map(|place| (place % 256) as u8).collect();
    let binary = file(&cast, "binary.bin", &bytes);
    let mut stream = connect(server);
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        url_path(server, &binary)
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answered = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut answered).expect("an answer");
    let at = answered.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
    let head = String::from_utf8_lossy(&answered[..at]);
    assert!(answered[at..] == bytes, "{} bytes behind {head}", answered.len() - at);
}

fn harmless_types_are_inline(server: &Server) {
    let cast = Cast::new(server);
    for (name, kind) in [
        ("a.png", "image/png"),
        ("a.jpg", "image/jpeg"),
        ("a.pdf", "application/pdf"),
        ("a.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = download(server, &typed(&cast, name, kind, b"x"));
        assert_eq!(header(&answer, "content-type"), kind);
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
        let place = header(&answer, "content-disposition");
        assert!(place.starts_with("inline;"), "{name}: {place}");
        assert_eq!(header(&answer, "referrer-policy"), "no-referrer", "the address is a secret");
    }
}

fn active_types_are_attachments(server: &Server) {
    let cast = Cast::new(server);
    let script = b"<script>alert(1)</script>";
    for kind in [
        "text/html",
        "TEXT/HTML; charset=utf-8",
        "image/svg+xml",
        "application/xhtml+xml",
        "text/xml",
        "text/javascript",
        "application/pdfx",
    ] {
        let answer = download(server, &typed(&cast, "page.html", kind, script));
        assert_eq!(header(&answer, "content-type"), kind);
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
        let place = header(&answer, "content-disposition");
        assert!(place.starts_with("attachment;"), "{kind}: {place}");
        let policy = header(&answer, "content-security-policy");
        let is_closed = policy.contains("default-src 'none'") && policy.contains("sandbox");
        assert!(is_closed, "{kind}: {policy}");
    }
}

/// 9.14, 9.15: browsers split `Content-Type` at commas and use the last part.
fn content_type_with_a_comma_is_refused(server: &Server) {
    let cast = Cast::new(server);
    for two in
        ["application/pdf;a=b,text/html", "image/png,text/html", "text/plain; a=\"b, text/html\""]
    {
        let body = json!({"name": "page.pdf", "contentType": two, "content": base64(b"x")});
        let message = cast.post("/files", &body).refused(400, "badRequest");
        assert!(message.contains("contentType"), "{message}");
    }
    // A type stored before this check existed.
    let old = file(&cast, "page.pdf", b"x");
    let mut raw_sql = RawSql::open(server);
    for (two, served, place) in [
        ("application/pdf;a=b,text/html", "application/pdf", "inline;"),
        ("text/x;a=b,text/html", "application/octet-stream", "attachment;"),
    ] {
        let only = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
        let set = format!("UPDATE files SET content_type = '{two}' WHERE book_id = {only}");
        assert_eq!(raw_sql.execute(&set), 1);
        let answer = download(server, &old);
        assert_eq!(header(&answer, "content-type"), served);
        let shown = header(&answer, "content-disposition");
        assert!(shown.starts_with(place), "{two}: {shown}");
    }
}

/// 9.15: an invalid Host header gives a URL without a host.
fn url_uses_only_a_valid_host(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"x");
    let plain = url_path(server, &note);
    for (host, base) in [
        ("books.example:8080", "http://books.example:8080"),
        ("[::1]", "http://[::1]"),
        ("books.example@evil.example", ""),
        ("evil.example/\"><script>", ""),
        ("books.example#", ""),
        ("", ""),
    ] {
        let mut stream = connect(server);
        let (at, token) =
            (cast.path(&format!("/files/{}", id(&note))), cast.owner.token().expect("one"));
        let request = format!(
            "GET {at} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer \
            {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let answered = rest(&mut stream);
        assert!(answered.contains(&format!("\"url\":\"{base}{plain}\"")), "{host:?}: {answered}");
    }
}

fn file_name_is_escaped_in_the_header(server: &Server) {
    let cast = Cast::new(server);
    let named = |name: &str| {
        let answer = download(server, &file(&cast, name, b"x"));
        assert_eq!(answer.status, 200, "{name:?}");
        header(&answer, "content-disposition").to_owned()
    };
    assert_eq!(
        named("Conta de água.pdf"),
        "inline; filename=\"Conta de _gua.pdf\"; filename*=UTF-8''Conta%20de%20%C3%A1gua.pdf"
    );
    assert_eq!(
        named("a\"; filename=evil.exe\r\nSet-Cookie: a=b"),
        "attachment; filename=\"a_; filename=evil.exe__Set-Cookie: a=b\"; \
         filename*=UTF-8''a%22%3B%20filename%3Devil.exe%0D%0ASet-Cookie%3A%20a%3Db"
    );
    assert!(named("../../etc/passwd").contains("filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"));
}

fn caches_must_revalidate(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"one");
    let first = download(server, &note);
    assert_eq!(header(&first, "cache-control"), "private, no-cache");
    let tag = header(&first, "etag");
    for known in [tag.to_owned(), format!("\"other\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
        let again = cast.anonymous.header("If-None-Match", &known).get(&url_path(server, &note));
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{known}");
        assert_eq!(header(&again, "etag"), tag);
    }
    assert_eq!(
        cast.anonymous.header("If-None-Match", "\"other\"").get(&url_path(server, &note)).text,
        "one"
    );
}

fn new_content_keeps_the_url(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"one");
    let first = download(server, &note);
    let change = json!({
        "id": note["id"], "name": "page.html", "contentType": "text/html",
        "content": base64(b"three"),
    });
    let changed = cast.put("/files", &change).ok();
    assert_eq!(changed["url"], note["url"]);
    let second = cast
        .anonymous
        .header("If-None-Match", header(&first, "etag"))
        .get(&url_path(server, &note));
    assert_eq!((second.status, second.text.as_str()), (200, "three"));
    assert!(
        header(&second, "content-disposition").starts_with("attachment; filename=\"page.html\"")
    );
    cast.delete(&format!("/files/{}", id(&note))).ok();
    cast.anonymous
        .header("If-None-Match", "*")
        .get(&url_path(server, &note))
        .refused(404, "notFound");
}

fn head_returns_no_body(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"Bread and butter");
    let mut stream = connect(server);
    let request = format!(
        "HEAD {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        url_path(server, &note)
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let answered = rest(&mut stream);
    assert!(answered.starts_with("HTTP/1.1 200") && answered.ends_with("\r\n\r\n"), "{answered}");
    assert!(answered.to_ascii_lowercase().contains("content-length: 16\r\n"), "{answered}");
}

/// Without the right token the response is a JSON 404.
fn wrong_file_urls_are_not_found(server: &Server) {
    let cast = Cast::new(server);
    let [a, b] = ["a", "b"].map(|name| file(&cast, name, b"secret"));
    let (whole, other) = (url_path(server, &a), url_path(server, &b));
    let (place, token) = whole.rsplit_once('-').expect("a token at the end");
    let (_, another) = other.rsplit_once('-').expect("a token at the end");
    let flipped = if token.starts_with('0') { "1" } else { "0" };
    let cut = &token[..token.len() - 1];
    for wrong in [
        format!("{place}-{another}"),
        format!("{place}-{flipped}{}", &token[1..]),
        format!("{place}-{cut}"),
        format!("{place}-{}", token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A")),
        format!("{place}-"),
        place.to_owned(),
        format!("/files/{}", id(&a)),
        format!("/files/{token}"),
        "/files/..%2F..%2Ftoken.key".to_owned(),
        "/files/%00".to_owned(),
        "/files/99999999999999999999-0000000000000001-ab".to_owned(),
    ] {
        cast.anonymous.get(&wrong).refused(404, "notFound");
        cast.owner.get(&wrong).refused(404, "notFound");
    }
}

fn file_tokens_are_random(server: &Server) {
    let cast = Cast::new(server);
    let tokens: Vec<String> = (0..20)
        .map(|_| {
            url_path(server, &file(&cast, "a", b"x"))
                .rsplit_once('-')
                .expect("a token")
                .1
                .to_owned()
        })
        .collect();
    assert!(tokens.iter().all(|token| token.len() == 32), "{tokens:?}");
    // No digit is equal in all of them.
    let fixed = (0..32)
        .filter(|at| tokens.iter().all(|token| token.as_bytes()[*at] == tokens[0].as_bytes()[*at]))
        .count();
    assert!(fixed == 0, "{tokens:?}");
}

fn file_urls_are_read_only(server: &Server) {
    let cast = Cast::new(server);
    let note = url_path(server, &file(&cast, "note.txt", b"one"));
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        cast.owner.send(method, &note, &json!({})).refused(405, "methodNotAllowed");
    }
    cast.anonymous.send("OPTIONS", &note, &Value::Null).no_content();
}

/// Returns whether the URL is served; otherwise the file must have a new one.
#[track_caller]
fn is_served(server: &Server, cast: &Cast, note: &Value) -> bool {
    let answer = download(server, note);
    if answer.status == 200 {
        return true;
    }
    answer.refused(404, "notFound");
    let now = cast.read(&format!("/files/{}", id(note)));
    assert_ne!(now["url"], note["url"], "9.20: there is another address");
    assert_eq!(download(server, &now).status, 200);
    false
}

/// 9.20: a URL from before the loss shows no later content.
fn loss_of_access_changes_the_url(server: &Server) {
    type Loss = fn(&Cast);
    let losses: [(&str, Loss); 8] = [
        ("removed", |cast| {
            cast.delete(&format!("/collaborators/{}", cast.editor.email())).ok();
        }),
        ("removed by NONE", |cast| drop(cast.share(cast.poster.email(), "NONE"))),
        ("gone", |cast| {
            let path = cast.path(&format!("/collaborators/{}", cast.viewer.email()));
            cast.viewer.delete(&path).ok();
        }),
        ("lowered", |cast| drop(cast.share(cast.editor.email(), "RECORDER"))),
        ("lowered aside", |cast| drop(cast.share(cast.viewer.email(), "RECORDER"))),
        ("transferred", |cast| {
            cast.give(&cast.owner, &cast.editor);
        }),
        ("PRIVATE", |cast| {
            cast.put("", &json!({"visibility": "PRIVATE"})).ok();
        }),
        ("uninstalled", |cast| {
            let installed = cast.read("/integrations");
            let path = cast.path(&format!("/integrations/{}", id(&installed["items"][0])));
            cast.owner.delete(&path).ok();
        }),
    ];
    for (what, loss) in losses {
        let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
        let app = unique("app");
        cast.owner.post("/v5/apps", &json!({"id": app, "name": "App"})).ok();
        cast.post("/integrations", &json!({"agentId": app})).ok();
        let note = file(&cast, "note.txt", b"one");
        assert!(is_served(server, &cast, &note));
        loss(&cast);
        // Later content must not be readable at the old URL.
        let change = json!({"id": note["id"], "content": base64(b"two")});
        cast.put("/files", &change).ok();
        assert!(!is_served(server, &cast, &note), "{what}");
    }
}

fn url_stays_when_no_member_loses_access(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"one");
    cast.share(cast.viewer.email(), "POSTER");
    cast.share(cast.stranger.email(), "VIEWER");
    cast.share(cast.stranger.email(), "VIEWER");
    cast.put("", &json!({"visibility": "PUBLIC", "name": "Renamed"})).ok();
    assert!(is_served(server, &cast, &note));
    // A loss in another book has no effect.
    let other = Cast::new(server);
    other.share(other.editor.email(), "NONE");
    assert!(is_served(server, &cast, &note));
    // A restored book keeps its URLs.
    cast.delete("").ok();
    download(server, &note).refused(404, "notFound");
    cast.post("/restore", &Value::Null).ok();
    assert!(is_served(server, &cast, &note));
}

fn events_show_the_current_url(server: &Server) {
    let cast = Cast::new(server);
    let note = file(&cast, "note.txt", b"one");
    let shown = || {
        let events = cast.read("/events?type=FILE_CREATED");
        events["items"][0]["data"]["object"].clone()
    };
    assert_eq!(shown()["url"], note["url"]);
    cast.share(cast.viewer.email(), "NONE");
    let now = cast.read(&format!("/files/{}", id(&note)));
    assert_eq!(shown()["url"], now["url"]);
    assert_ne!(shown()["url"], note["url"]);
}
