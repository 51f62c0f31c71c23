//! Sign-in links by mail (11.14): who gets one, and that the response does not reveal it.

use std::time::{Duration, Instant};

use daybook_tests::{Answer, Cast, Client, RawSql, Server, encode, pause, unique};

use crate::file_sweep::eventually;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        the_login_page_mails_a_link,
        admitted_addresses_get_a_link,
        the_answer_is_the_same_for_all,
        an_address_has_three_open_links_of_a_client,
        other_clients_do_not_block_a_link,
        invalid_address_is_refused,
        cross_site_form_mails_nothing,
        a_client_asks_five_times_a_minute,
        login_without_mail_server_shows_no_form,
        an_installation_mails_100_links_a_minute,
    ]
}

/// The public origin of the server.
const OWN: &str = "https://books.example.com";

/// A mail server that does not exist, so mails stay in the outbox.
const SMTP: [&str; 6] = [
    "--smtp-url",
    "smtp://127.0.0.1:1",
    "--mail-from",
    "books@example.com",
    "--public-url",
    "https://books.example.com/api",
];

/// A server that mails links, behind a proxy that reports client addresses.
fn mailing(server: &Server) -> Server {
    let more = [
        "--trusted-proxies",
        "127.0.0.1",
        "--admit",
        "@admitted.example",
        "--web-origins",
        "https://app.example.com",
    ];
    server.beside(&[&SMTP[..], &more].concat())
}

/// A client with its own address.
fn client(server: &Server) -> Client {
    let number = unique("").trim_start_matches('-').parse::<u32>().expect("a number");
    let [_, a, b, c] = number.to_be_bytes();
    server.anonymous().header("X-Forwarded-For", &format!("10.{a}.{b}.{c}"))
}

fn ask(client: &Client, email: &str) -> Answer {
    let form = format!("email={}", encode(email));
    let kind = Some("application/x-www-form-urlencoded");
    // As browsers do: forms of other origins are not counted.
    let own = client.header("Origin", OWN);
    own.send_raw("POST", "/auth/mail", kind, form.as_bytes())
}

/// Counts the mailed links of an address. The response precedes the mail, so wait for the writer
/// first.
fn count(server: &Server, email: &str) -> u64 {
    let touch = format!(
        "UPDATE mails SET attempts = attempts WHERE kind = 'sign-in-link' AND recipient = '{email}'"
    );
    RawSql::open(server).execute(&touch)
}

/// Waits for all earlier requests, because a writer processes them in order.
fn settle(server: &Server) {
    let last = format!("{}@admitted.example", unique("last"));
    ask(&client(server), &last);
    eventually("a link is mailed", || count(server, &last) == 1);
}

fn the_login_page_mails_a_link(server: &Server) {
    let (server, email) = (mailing(server), format!("{}@admitted.example", unique("anna")));
    let login = format!("/auth/login?returnUrl={}", encode("https://app.example.com/books"));
    let page = client(&server).get(&login).text;
    assert!(page.contains("action=\"/api/auth/mail\""), "{page}");
    assert!(page.contains("type=\"email\" name=\"email\" required"), "{page}");
    assert_eq!(ask(&client(&server), &email.to_uppercase()).status, 200);
    settle(&server);
    let listed = server.run(&["outbox", "list", "--to", &email]).expect("a list");
    let number = listed.split('\t').next().expect("a mail");
    let shown = server.run(&["outbox", "show", number]).expect("a mail");
    let (_, rest) = shown
        .split_once("\n\nhttps://books.example.com/api/auth/link?code=")
        .unwrap_or_else(|| panic!("a link: {shown}"));
    let code = rest.lines().next().expect("a code");
    let page = server.anonymous().get(&format!("/auth/link?code={code}"));
    assert!(page.status == 200 && page.text.contains(&email), "{}", page.text);
    let form = format!("code={code}");
    let kind = Some("application/x-www-form-urlencoded");
    let own = server.anonymous().header("Origin", OWN);
    let pressed = own.send_raw("POST", "/auth/link", kind, form.as_bytes());
    // 11.14: the browser goes on to the console.
    assert_eq!((pressed.status, pressed.headers["location"].as_str()), (303, "/api/"));
    assert!(pressed.headers["set-cookie"].contains("daybook_session="));
}

/// 11.11, 11.14: users, pending collaborators and admitted addresses get a link.
fn admitted_addresses_get_a_link(server: &Server) {
    let mail = mailing(server);
    let cast = Cast::new(server);
    let pending = format!("{}@example.org", unique("pending"));
    cast.share(&pending, "VIEWER");
    let admitted = format!("{}@admitted.example", unique("anna"));
    let below = format!("{}@sub.admitted.example", unique("anna"));
    let stranger = format!("{}@example.org", unique("nobody"));
    let disabled = format!("{}@example.org", unique("disabled"));
    server.client(&disabled).get("/v5/user").ok();
    server.run(&["user", "disable", "--email", &disabled]).expect("it is done");
    let people = [
        (cast.viewer.email(), 1),
        (&pending, 1),
        (&admitted, 1),
        (&below, 0),
        (&stranger, 0),
        (&disabled, 0),
    ];
    for (email, _) in people {
        assert_eq!(ask(&client(&mail), email).status, 200);
    }
    for (email, links) in people {
        eventually(email, || count(&mail, email) >= links);
    }
    settle(&mail);
    for (email, links) in people {
        assert_eq!(count(&mail, email), links, "{email}");
    }
}

fn the_answer_is_the_same_for_all(server: &Server) {
    let mail = mailing(server);
    let known = Cast::new(server).viewer.email().to_owned();
    let unknown = format!("{}@example.com", unique("nobody"));
    let pages = [&known, &unknown].map(|email| {
        let mut answer = ask(&client(&mail), email);
        answer.headers.remove("x-request-id");
        answer.headers.remove("date");
        answer.headers.remove("content-length");
        (answer.status, answer.text.replace(email, "X"), answer.headers)
    });
    assert_eq!(pages[0], pages[1]);
    assert_eq!(pages[0].0, 200);
}

fn an_address_has_three_open_links_of_a_client(server: &Server) {
    let (mail, email) = (mailing(server), format!("{}@admitted.example", unique("anna")));
    let stranger = client(&mail);
    // A client may request five links per minute.
    for _ in 0..4 {
        assert_eq!(ask(&stranger, &email).status, 200);
    }
    let reached = |links: u64| {
        eventually(&email, || count(&mail, &email) >= links);
        settle(&mail);
        assert_eq!(count(&mail, &email), links);
    };
    reached(3);
    let older =
        format!("UPDATE login_links SET created_at = created_at - 900000 WHERE email = '{email}'");
    RawSql::open(&mail).execute(&older);
    assert_eq!(ask(&stranger, &email).status, 200);
    reached(4);
}

/// Requests of other clients do not prevent a user at another address from getting a working link.
fn other_clients_do_not_block_a_link(server: &Server) {
    let (mail, email) = (mailing(server), Cast::new(server).viewer.email().to_owned());
    let reached = |links: u64| {
        eventually(&email, || count(&mail, &email) >= links);
        settle(&mail);
        assert_eq!(count(&mail, &email), links, "11.14: {email}");
    };
    let stranger = client(&mail);
    for _ in 0..5 {
        assert_eq!(ask(&stranger, &email).status, 200);
    }
    reached(3);
    assert_eq!(ask(&client(&mail), &email).status, 200);
    reached(4);
    for _ in 0..8 {
        assert_eq!(ask(&client(&mail), &email).status, 200);
    }
    reached(10);
    // After a day: when the last link ends, the owner gets the next one.
    let older =
        format!("UPDATE login_links SET created_at = created_at - 900000 WHERE email = '{email}'");
    RawSql::open(&mail).execute(&older);
    assert_eq!(ask(&stranger, &email).status, 429, "five in a minute");
    assert_eq!(ask(&client(&mail), &email).status, 200);
    reached(11);
}

fn invalid_address_is_refused(server: &Server) {
    let mail = mailing(server);
    for text in ["", "nobody", "a@b@c", "p\u{430}ypal@example.com", &"x".repeat(300)] {
        let answer = ask(&client(&mail), text);
        assert_eq!(answer.status, 400, "{text:?}: {}", answer.text);
        assert!(answer.text.starts_with("<!DOCTYPE html>"), "{}", answer.text);
    }
}

fn cross_site_form_mails_nothing(server: &Server) {
    let (mail, email) = (mailing(server), format!("{}@admitted.example", unique("anna")));
    let form = format!("email={}", encode(&email));
    let send = |client: &Client| {
        let kind = Some("application/x-www-form-urlencoded");
        client.send_raw("POST", "/auth/mail", kind, form.as_bytes()).status
    };
    for origin in ["https://evil.example", "null"] {
        assert_eq!(send(&client(&mail).header("Origin", origin)), 403);
    }
    assert_eq!(send(&client(&mail)), 403);
    settle(&mail);
    assert_eq!(count(&mail, &email), 0);
    assert_eq!(send(&client(&mail).header("Origin", OWN)), 200);
}

/// 10.12: limited by the address of the client.
fn a_client_asks_five_times_a_minute(server: &Server) {
    let mail = mailing(server);
    let (one, other) = (client(&mail), client(&mail));
    let begun = Instant::now();
    let mut accepted = 0;
    let refused = loop {
        let answer = ask(&one, &format!("{}@example.org", unique("nobody")));
        if answer.status != 200 {
            break answer;
        }
        accepted += 1;
        // One more is allowed every twelve seconds.
        assert!(accepted <= 5 + begun.elapsed().as_secs() / 12, "{accepted} are taken");
    };
    assert!(accepted >= 5, "{accepted} are taken");
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(ask(&other, "bob@example.org").status, 200);
}

fn login_without_mail_server_shows_no_form(server: &Server) {
    assert_eq!(ask(&server.anonymous(), "bob@example.org").status, 404);
    let other = server.beside(&["--web-origins", "https://app.example.com"]);
    let login = format!("/auth/login?returnUrl={}", encode("https://app.example.com/books"));
    let page = other.anonymous().get(&login).text;
    assert!(page.contains("Open your sign-in link") && !page.contains("<form"), "{page}");
}

/// 11.14: a separate server, because the limit covers all addresses.
fn an_installation_mails_100_links_a_minute(server: &Server) {
    let more = ["--trusted-proxies", "127.0.0.1", "--admit", "@admitted.example"];
    let own = Server::with_args(server.engine(), &[&SMTP[..], &more].concat());
    let known = own.client("known@example.com");
    known.get("/v5/user").ok();
    let minute = Instant::now();
    for number in 0..110 {
        let answer = ask(&client(&own), &format!("anna{number}@admitted.example"));
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let all = "UPDATE mails SET attempts = attempts WHERE kind = 'sign-in-link'";
    while RawSql::open(&own).execute(all) < 100 {
        assert!(minute.elapsed() < Duration::from_secs(120), "the mails are written");
        pause(Duration::from_millis(20));
    }
    pause(Duration::from_millis(200));
    if minute.elapsed() < Duration::from_secs(50) {
        // Another writer may do the last ones if this one has a long commit.
        let written = RawSql::open(&own).execute(all);
        assert!((100..104).contains(&written), "{written}");
        // Invented addresses do not prevent a user from getting a link.
        ask(&client(&own), known.email());
        eventually("a user gets a link", || count(&own, known.email()) == 1);
    }
    let passed = "UPDATE mails SET created_at = created_at - 60000";
    RawSql::open(&own).execute(passed);
    ask(&client(&own), "last@admitted.example");
    let last = || count(&own, "last@admitted.example") == 1;
    eventually("after the minute links are mailed again", last);
}
