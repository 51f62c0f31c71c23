//! The web console (0.44): its page at every view, its files, and what stays an error.

use daybook_tests::{Answer, Cast, Client, Server};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        every_view_is_the_page,
        paths_of_operations_stay_errors,
        files_are_compressed_and_never_change,
        page_is_below_the_path_prefix,
        server_without_console_has_no_page,
    ]
}

const HTML: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

/// Opens an address as the address bar of a browser does.
#[track_caller]
fn open(client: &Client, path: &str) -> Answer {
    client.header("Accept", HTML).get(path)
}

#[track_caller]
fn check_page(answer: &Answer, base: &str) {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.text.contains(&format!("<base href=\"{base}\">")), "{}", answer.text);
    let header = |name: &str| answer.headers.get(name).map_or("", String::as_str);
    assert_eq!(header("content-type"), "text/html; charset=utf-8");
    assert_eq!(header("cache-control"), "no-cache");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("x-frame-options"), "DENY");
    assert_eq!(header("referrer-policy"), "same-origin");
    assert_eq!(header("cross-origin-opener-policy"), "same-origin");
    let policy = header("content-security-policy");
    for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'self'"] {
        assert!(policy.split("; ").any(|found| found == part), "{part}: {policy}");
    }
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
}

fn every_view_is_the_page(server: &Server) {
    let cast = Cast::new(server);
    let page = server.anonymous().get("/");
    check_page(&page, "/");
    let callers = [&cast.anonymous, &cast.owner, &cast.viewer, &cast.stranger];
    for caller in callers {
        for path in ["/", "/index.html", "/books/b1/accounts/Caf%C3%A9?q=a", "/apix", "/v5x/../a"] {
            let answer = open(caller, path);
            check_page(&answer, "/");
            assert_eq!(answer.text, page.text, "{path}");
        }
    }
    for host in ["evil.example", "evil.example:8080", "\"><script>"] {
        assert_eq!(open(&cast.anonymous.header("Host", host), "/a").text, page.text, "{host}");
    }
    let etag = &page.headers["etag"];
    let known = cast.anonymous.header("If-None-Match", etag).get("/");
    assert_eq!((known.status, known.text.as_str(), &known.headers["etag"]), (304, "", etag));
    assert_eq!(cast.anonymous.header("If-None-Match", "\"other\"").get("/").status, 200);
    let kind = Some("text/plain");
    let head = cast.anonymous.header("Accept", HTML).send_raw("HEAD", "/a/b", None, b"");
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.headers["content-length"], page.text.len().to_string());
    cast.anonymous
        .header("Accept", HTML)
        .send_raw("POST", "/a", kind, b"")
        .refused(404, "notFound");
}

fn paths_of_operations_stay_errors(server: &Server) {
    let anonymous = server.anonymous();
    for path in [
        "/v5",
        "/v5/nothing",
        "/auth/nothing",
        "/.well-known/nothing",
        "/files/a/b",
        "/api/nothing",
        "/health/nothing",
        "/docs/nothing",
        "/assets/nothing.js",
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e/index.html",
    ] {
        open(&anonymous, path).refused(404, "notFound");
    }
    // A program that mistypes a path gets JSON.
    for accepted in ["*/*", "application/json", "text/plain, text/*", ""] {
        anonymous.header("Accept", accepted).get("/v6/books").refused(404, "notFound");
    }
    anonymous.get("/books").refused(404, "notFound");
    open(&anonymous, "/auth/token").refused(405, "methodNotAllowed");
}

fn files_are_compressed_and_never_change(server: &Server) {
    let anonymous = server.anonymous();
    let page = anonymous.get("/").text;
    let (_, rest) = page.split_once("src=\"").expect("a script");
    let script = format!("/{}", rest.split('"').next().expect("a path").trim_start_matches("./"));
    let plain = anonymous.get(&script);
    let size = |answer: &Answer| answer.headers["content-length"].parse::<usize>().expect("a size");
    assert_eq!(plain.headers["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(size(&plain), plain.text.len());
    for (accepted, expected) in [
        ("", None),
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip, deflate", Some("gzip")),
        ("br;q=0, gzip", Some("gzip")),
        ("br;q=0.1, identity", None),
        ("zstd", None),
    ] {
        let answer = anonymous.header("Accept-Encoding", accepted).get(&script);
        let encoding = answer.headers.get("content-encoding").map(String::as_str);
        assert_eq!((answer.status, encoding), (200, expected), "{accepted}");
        assert_eq!(size(&answer) < size(&plain), expected.is_some(), "{accepted}");
        assert_eq!(answer.headers["cache-control"], "public, max-age=31536000, immutable");
        assert_eq!(answer.headers["vary"], "Accept-Encoding");
        assert_eq!(answer.headers["etag"], plain.headers["etag"]);
    }
    let known = anonymous.header("If-None-Match", &plain.headers["etag"]).get(&script);
    assert_eq!((known.status, known.text.as_str()), (304, ""));
}

fn page_is_below_the_path_prefix(server: &Server) {
    let prefixed = server.beside(&["--path-prefix", "/books-api"]);
    let anonymous = prefixed.anonymous();
    for path in ["/books-api", "/books-api/", "/books-api/a/b"] {
        check_page(&open(&anonymous, path), "/books-api/");
    }
    for path in ["/", "/a", "/books-apia", "/books-api/v5/nothing", "/books-api/auth/nothing"] {
        open(&anonymous, path).refused(404, "notFound");
    }
    // 0.25: a proxy may strip a part of the path.
    let public = server.beside(&["--public-url", "https://books.example.com/api"]);
    check_page(&open(&public.anonymous(), "/a"), "/api/");
}

fn server_without_console_has_no_page(server: &Server) {
    let bare = server.beside(&["--no-console"]);
    for path in ["/", "/a", "/index.html"] {
        open(&bare.anonymous(), path).refused(404, "notFound");
    }
}
