//! Delivery of mails to a real mail server (7.10, `daybook_tests::mail_server`): each kind of
//! connection, and the failures.

use std::time::Duration;

use daybook_tests::certificates::authority;
use daybook_tests::contract::missing;
use daybook_tests::mail_server::{MailServer, SENDER, Security};
use daybook_tests::{
    Client, Engine, Options, RawSql, RowLock, Server, encode, id, pause, refused_start,
};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::secrets::assert_not_logged;

pub fn tests() -> Vec<Case> {
    let real = crate::isolated![
        mails_arrive_by_starttls,
        mails_arrive_by_implicit_tls,
        mails_arrive_without_tls,
        owners_learn_of_access_requests,
        addresses_beyond_ascii,
        mail_refused_with_5xx_is_given_up,
        mail_refused_with_4xx_is_retried,
        mail_after_failed_authentication_is_retried,
        certificates_are_verified,
        a_slow_server_delays_no_request,
        a_server_that_is_down_for_an_hour,
        a_server_that_is_down_for_a_day,
        processes_share_the_outbox,
        a_killed_attempt_is_repeated,
        address_changed_during_an_attempt_is_kept,
        mails_log_no_personal_data,
    ];
    let settings = crate::isolated![settings_are_checked_at_the_start];
    real.into_iter().map(|case| case.needs(missing)).chain(settings).collect()
}

const PUBLIC: &str = "https://books.example.com/api";

/// The address of a mail server, with or without user and password.
fn url(scheme: &str, mail: &MailServer, known: bool, rest: &str) -> String {
    let (user, password) = SENDER;
    let who = if known { format!("{}:{}@", encode(user), encode(password)) } else { String::new() };
    format!("{scheme}://{who}localhost:{}{rest}", mail.port())
}

/// A Daybook server with a mail server, and a book in it.
struct MailFixture {
    server: Server,
    owner: Client,
    book: String,
}

impl MailFixture {
    #[track_caller]
    fn new(engine: Engine, url: &str) -> MailFixture {
        let trust = vec![("SSL_CERT_FILE".to_owned(), authority().display().to_string())];
        MailFixture::with(engine, url, trust, &[])
    }

    #[track_caller]
    fn with(engine: Engine, url: &str, env: Vec<(String, String)>, more: &[&str]) -> MailFixture {
        let from = "Bücher <books@example.com>";
        let args = ["--smtp-url", url, "--mail-from", from, "--public-url", PUBLIC];
        let args = args.iter().chain(more).map(|arg| (*arg).to_owned()).collect();
        let server = Server::start_with(Options { engine, args, env, ..Options::default() });
        let owner = server.client("owner@example.com");
        let book = owner.post("/v5/books", &json!({"name": "Haushalt für Zoë"})).ok();
        MailFixture { book: id(&book).to_owned(), owner, server }
    }

    #[track_caller]
    fn share(&self, to: &str, message: &str) {
        let path = format!("/v5/books/{}/collaborators?message={}", self.book, encode(message));
        self.owner.post(&path, &json!({"email": to, "permission": "VIEWER"})).ok();
    }

    /// Counts the mails that match a condition.
    fn count(&self, condition: &str) -> u64 {
        let touch = format!("UPDATE mails SET attempts = attempts WHERE {condition}");
        RawSql::open(&self.server).execute(&touch)
    }

    /// Expires the pause of a mail.
    fn pass(&self, to: &str, minutes: u64) {
        let passed = format!(
            "UPDATE mails SET due_at = 0, until = until - {minutes} * 60000 \
             WHERE recipient = '{to}'"
        );
        assert_eq!(RawSql::open(&self.server).execute(&passed), 1);
    }

    /// Waits for a mail that matches a condition.
    #[track_caller]
    fn wait(&self, condition: &str) {
        eventually(condition, || self.count(condition) == 1);
    }

    /// The output of `daybook outbox show` for the only mail to an address.
    #[track_caller]
    fn shown(&self, to: &str) -> String {
        let listed = self.server.run(&["outbox", "list", "--to", to]).expect("a list");
        let number = listed.split('\t').next().expect("an id");
        self.server.run(&["outbox", "show", number]).expect("a mail")
    }
}

/// Waits for mails to an address.
#[track_caller]
fn arrived(mail: &MailServer, to: &str) -> Vec<Value> {
    let all = || -> Vec<Value> {
        mail.mails().into_iter().filter(|mail| mail["to"] == json!([to])).collect()
    };
    eventually(to, || !all().is_empty());
    all()
}

fn data(mail: &Value) -> String {
    mail["data"].as_str().expect("a text").replace("\r\n", "\n")
}

fn mails_arrive_by_starttls(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, true, "?tls=required"));
    fixture.share("bob@example.org", "Grüße\r\nBcc: all@example.com");
    let [got] = arrived(&mail, "bob@example.org").try_into().expect("one mail");
    assert_eq!((&got["tls"], &got["user"]), (&json!(true), &json!(SENDER.0)));
    assert_eq!((&got["from"], &got["hello"]), (&json!("books@example.com"), &json!("example.com")));
    let data = data(&got);
    let (head, body) = data.split_once("\n\n").expect("a head");
    for line in [
        "From: =?utf-8?b?QsO8Y2hlcg==?= <books@example.com>",
        "To: bob@example.org",
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
    ] {
        assert!(head.lines().any(|found| found == line), "{line} in {head}");
    }
    let ended = |start: &str| head.lines().any(|line| line.starts_with(start));
    assert!(
        ended("Message-ID: <") && ended("Date: ") && ended("Subject: owner@example.com shares")
    );
    assert!(head.contains("multipart/alternative") && !ended("Bcc"), "{head}");
    let body = body.replace("=\n", "").replace("=C3=BC", "ü").replace("=C3=9F", "ß");
    assert!(body.contains("> Grüße\n> Bcc:"), "{body}");
    assert!(body.contains(PUBLIC) && body.contains("<blockquote>Grüße<br>"), "{body}");
    fixture.wait("ending = 'sent' AND plain = '' AND html = '' AND subject = ''");
}

fn mails_arrive_by_implicit_tls(engine: Engine) {
    let mail = MailServer::with_password(Security::Implicit);
    let fixture = MailFixture::new(engine, &url("smtps", &mail, true, "/books.example.com"));
    fixture.share("bob@example.org", "x");
    let [got] = arrived(&mail, "bob@example.org").try_into().expect("one mail");
    assert_eq!((&got["tls"], &got["user"]), (&json!(true), &json!(SENDER.0)));
    assert_eq!(got["hello"], "books.example.com");
}

fn mails_arrive_without_tls(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, "?tls=opportunistic"));
    fixture.share("bob@example.org", "x");
    assert_eq!(arrived(&mail, "bob@example.org")[0]["tls"], false);
}

fn owners_learn_of_access_requests(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    let path = format!("/v5/books/{}/collaborators/request?permission=VIEWER", fixture.book);
    fixture.server.client("eve@example.net").send("POST", &path, &Value::Null).no_content();
    let [got] = arrived(&mail, "owner@example.com").try_into().expect("one mail");
    assert!(data(&got).contains("Subject: eve@example.net asks for access"), "{got}");
}

fn addresses_beyond_ascii(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    fixture.share("zoë@bücher.example", "x");
    let [got] = arrived(&mail, "zoë@xn--bcher-kva.example").try_into().expect("one mail");
    assert!(got["options"].to_string().contains("SMTPUTF8"), "{got}");
    let old = MailServer::with(Security::Plain, &json!({"utf8": false}));
    let fixture = MailFixture::new(engine, &url("smtp", &old, false, ""));
    fixture.share("zoë@bücher.example", "x");
    fixture.share("bob@example.org", "x");
    arrived(&old, "bob@example.org");
    fixture.wait("ending = 'given-up' AND recipient LIKE 'zo%' AND attempts = 1");
}

/// 7.10: a 5xx reply for a recipient or a mail ends only that mail.
fn mail_refused_with_5xx_is_given_up(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.refuse(&json!({"gone@example.org": "550 5.1.1 nobody of that name"}));
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    fixture.share("gone@example.org", "x");
    fixture.wait("recipient = 'gone@example.org' AND ending = 'given-up' AND attempts = 1");
    let shown = fixture.shown("gone@example.org");
    assert!(shown.contains("Failure: ") && shown.contains("nobody of that name"), "{shown}");
    fixture.share("bob@example.org", "x");
    arrived(&mail, "bob@example.org");
    mail.refuse(&json!({"DATA": "554 5.6.0 not this one"}));
    fixture.share("eve@example.org", "x");
    fixture.wait("recipient = 'eve@example.org' AND ending = 'given-up' AND attempts = 1");
    // The line is written after the row.
    let log = || fixture.server.log();
    eventually("two lines", || log().matches("mail given up").count() == 2);
    assert!(log().contains("status=\"550\""), "{}", log());
}

/// 7.10: a 4xx reply, and a refused sender, which does not depend on the mail.
fn mail_refused_with_4xx_is_retried(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.refuse(&json!({"busy@example.org": "450 4.2.1 come back"}));
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    fixture.share("busy@example.org", "x");
    fixture.wait("recipient = 'busy@example.org' AND ended_at IS NULL AND failure IS NOT NULL");
    fixture.share("bob@example.org", "x");
    arrived(&mail, "bob@example.org");
    assert_eq!(fixture.count("recipient = 'busy@example.org' AND attempts = 1"), 1, "a pause");
    mail.refuse(&json!({"SENDER": "550 5.7.1 who are you"}));
    fixture.share("eve@example.org", "x");
    fixture.wait("recipient = 'eve@example.org' AND ended_at IS NULL AND failure IS NOT NULL");
    mail.refuse(&json!({}));
    fixture.pass("busy@example.org", 1);
    fixture.pass("eve@example.org", 1);
    fixture.share("wake@example.org", "x");
    assert_eq!(arrived(&mail, "busy@example.org").len(), 1);
    assert_eq!(arrived(&mail, "eve@example.org").len(), 1);
    fixture.wait("recipient = 'busy@example.org' AND ending = 'sent' AND failure IS NULL");
}

/// 7.10: a wrong password does not end a mail.
fn mail_after_failed_authentication_is_retried(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    let wrong = format!("smtp://who:wr0ng@localhost:{}?tls=required", mail.port());
    let fixture = MailFixture::new(engine, &wrong);
    fixture.share("bob@example.org", "x");
    fixture.wait("ended_at IS NULL AND failure IS NOT NULL AND attempts = 1");
    let shown = fixture.shown("bob@example.org");
    let failure = "the mail server refuses the credentials: permanent error (535)";
    assert!(shown.contains(failure), "{shown}");
    eventually("a line", || fixture.server.log().contains("reachable=false"));
    assert!(!fixture.server.log().contains("wr0ng"), "{}", fixture.server.log());
}

/// A server without a trusted certificate for its name gets neither the password nor the mail.
fn certificates_are_verified(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    let other = url("smtp", &mail, true, "?tls=required").replace("localhost", "127.0.0.1");
    let trusted = MailFixture::new(engine, &other);
    let implicit = MailServer::with_password(Security::Implicit);
    let stranger = MailFixture::with(engine, &url("smtps", &implicit, true, ""), Vec::new(), &[]);
    let plain = MailServer::start(Security::Plain);
    let without = MailFixture::new(engine, &url("smtp", &plain, false, "?tls=required"));
    for fixture in [&trusted, &stranger, &without] {
        fixture.share("bob@example.org", "x");
    }
    for fixture in [&trusted, &stranger, &without] {
        fixture.wait("ended_at IS NULL AND failure IS NOT NULL AND attempts = 1");
    }
    assert!([&mail, &implicit, &plain].iter().all(|mail| mail.mails().is_empty()));
}

fn a_slow_server_delays_no_request(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.delay(60.0);
    let patience = ["--smtp-timeout-seconds", "4"];
    let fixture = MailFixture::with(engine, &url("smtp", &mail, false, ""), Vec::new(), &patience);
    for number in 0..5 {
        fixture.share(&format!("bob{number}@example.org"), "x");
    }
    assert_eq!(fixture.count("failure IS NULL"), 5, "all are answered before one attempt is over");
    let late = "failure LIKE '%not done after 4 s%' AND ended_at IS NULL";
    eventually(late, || fixture.count(late) > 0);
    mail.delay(0.0);
    // Each invitation has woken the worker, so several may have been attempted meanwhile.
    eventually("nothing is tried", || {
        fixture.count("ended_at IS NULL AND attempts > 0 AND failure IS NULL") == 0
    });
    let pass = "UPDATE mails SET due_at = 0 WHERE ended_at IS NULL AND failure IS NOT NULL";
    RawSql::open(&fixture.server).execute(pass);
    fixture.share("wake@example.org", "x");
    for number in 0..5 {
        arrived(&mail, &format!("bob{number}@example.org"));
    }
}

/// 7.10: pauses of 1, 2, 4, 8, 16 and 32 minutes; then it is delivered once.
fn a_server_that_is_down_for_an_hour(engine: Engine) {
    let mut mail = MailServer::start(Security::Plain);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    mail.stop();
    fixture.share("bob@example.org", "x");
    fixture.wait("recipient = 'bob@example.org' AND attempts = 1 AND failure IS NOT NULL");
    for (attempt, minutes) in [(2, 1), (3, 2), (4, 4), (5, 8), (6, 16)] {
        fixture.pass("bob@example.org", minutes);
        fixture.share(&format!("wake{attempt}@example.org"), "x");
        // The pause starts when the attempt has ended; before that the mail is leased.
        let pause = 2 * minutes * 60_000;
        let due = "due_at - (SELECT MAX(created_at) FROM mails)";
        fixture.wait(&format!(
            "recipient = 'bob@example.org' AND attempts = {attempt} \
             AND {due} > {pause} - 30000 AND {due} < {pause} + 30000 \
             AND failure LIKE '%cannot be reached%'"
        ));
    }
    mail.resume();
    fixture.pass("bob@example.org", 32);
    fixture.share("last@example.org", "x");
    assert_eq!(arrived(&mail, "bob@example.org").len(), 1);
    arrived(&mail, "last@example.org");
    fixture.wait("recipient = 'bob@example.org' AND ending = 'sent' AND attempts = 7");
}

/// 7.10: after 24 hours the mail is given up, which is logged.
fn a_server_that_is_down_for_a_day(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    mail.stop();
    fixture.share("bob@example.org", "x");
    fixture.wait("attempts = 1 AND failure IS NOT NULL AND until < created_at + 86460000");
    fixture.pass("bob@example.org", 24 * 60);
    fixture.share("wake@example.org", "x");
    fixture.wait("recipient = 'bob@example.org' AND ending = 'given-up'");
    let shown = fixture.shown("bob@example.org");
    assert!(shown.contains("cannot be reached") && shown.contains("shares a book"), "{shown}");
    let line = "overdue mails given up";
    eventually(line, || fixture.server.log().contains(line));
    let log = fixture.server.log();
    assert!(!log.contains("bob@") && !log.contains("Haushalt"), "{log}");
}

/// A user gets another address during an attempt to deliver to the former one.
fn address_changed_during_an_attempt_is_kept(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.delay(30.0);
    let patience = ["--smtp-timeout-seconds", "1"];
    let fixture = MailFixture::with(engine, &url("smtp", &mail, false, ""), Vec::new(), &patience);
    fixture.share("bob@example.org", "x");
    fixture.wait("recipient = 'bob@example.org' AND attempts = 1");
    let mut lock = RowLock::begin(&fixture.server);
    lock.execute("UPDATE mails SET recipient = 'rob@example.org'");
    // The attempt ends after a second, and its outcome waits for the row lock.
    pause(Duration::from_millis(1_500));
    lock.commit();
    fixture.wait("recipient = 'rob@example.org' AND failure LIKE '%not done after 1 s%'");
}

/// 7.10: several processes send each mail once.
fn processes_share_the_outbox(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    let url = url("smtp", &mail, false, "");
    let other = fixture.server.beside(&[
        "--smtp-url",
        &url,
        "--mail-from",
        "books@example.com",
        "--public-url",
        PUBLIC,
    ]);
    let there = other.client("owner@example.com");
    let path = format!("/v5/books/{}/collaborators", fixture.book);
    for number in 0..20 {
        fixture.share(&format!("here{number}@example.org"), "x");
        let to = format!("there{number}@example.org");
        there.post(&path, &json!({"email": to, "permission": "VIEWER"})).ok();
    }
    eventually("all are sent", || fixture.count("ending = 'sent' AND attempts = 1") == 40);
    assert_eq!(mail.mails().len(), 40);
}

/// 7.10: mails leased by a killed process are retried after 5 minutes.
fn a_killed_attempt_is_repeated(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.delay(30.0);
    let mut fixture = MailFixture::new(engine, &url("smtp", &mail, false, ""));
    fixture.share("bob@example.org", "x");
    fixture.wait("attempts = 1 AND due_at > created_at + 290000 AND due_at < created_at + 360000");
    fixture.server.kill();
    mail.delay(0.0);
    fixture.server.restart();
    fixture.share("eve@example.org", "x");
    arrived(&mail, "eve@example.org");
    assert_eq!(fixture.count("recipient = 'bob@example.org' AND attempts = 1"), 1, "still leased");
    fixture.pass("bob@example.org", 5);
    fixture.share("wake@example.org", "x");
    arrived(&mail, "bob@example.org");
    fixture.wait("recipient = 'bob@example.org' AND ending = 'sent' AND attempts = 2");
}

/// No addresses, texts or secrets in the log, at any level.
fn mails_log_no_personal_data(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    mail.refuse(
        &json!({"gone@example.org": "550 no geheimnis here", "busy@example.org": "450 geheimnis"}),
    );
    let trust = vec![("SSL_CERT_FILE".to_owned(), authority().display().to_string())];
    let url = url("smtp", &mail, true, "?tls=required");
    let fixture = MailFixture::with(engine, &url, trust, &["--log", "trace"]);
    for to in ["gone@example.org", "busy@example.org", "bob@example.org"] {
        fixture.share(to, "geheimnis");
    }
    arrived(&mail, "bob@example.org");
    eventually("all are tried", || {
        fixture.count("ended_at IS NOT NULL OR failure IS NOT NULL") == 3
    });
    eventually("they are logged", || fixture.server.log().contains("mail sent"));
    let (user, password) = (SENDER.0, SENDER.1);
    let (coded_user, coded) = (encode(user), encode(password));
    let words = [
        "geheimnis",
        "@example",
        "Haushalt",
        "shares a book",
        password,
        coded.as_str(),
        coded_user.as_str(),
        // In the encoding of AUTH PLAIN.
        "AGJvb2tzQGV4YW1wbGUuY29t",
    ];
    assert_not_logged(&fixture.server, words);
}

fn settings_are_checked_at_the_start(engine: Engine) {
    if engine != Engine::Sqlite {
        return;
    }
    let folder = std::env::temp_dir().join(format!("daybook-{}-settings", std::process::id()));
    let data = folder.display().to_string();
    let start = |arguments: &[&str]| {
        refused_start(&[&["--listen", "127.0.0.1:0", "--data-dir", &data], arguments].concat())
    };
    let url = "smtps://who:hidden@mail.example.com";
    let whole = |url: &str, from: &str| {
        start(&["--smtp-url", url, "--mail-from", from, "--public-url", PUBLIC])
    };
    for (printed, fault) in [
        (start(&["--smtp-url", url, "--public-url", PUBLIC]), "--mail-from"),
        (start(&["--smtp-url", url, "--mail-from", "a@example.com"]), "--public-url"),
        (whole("smtp://who:hidden@mail.example.com", "a@example.com"), "require TLS"),
        (
            whole("http://who:hidden@mail.example.com", "a@example.com"),
            "--smtp-url must start with smtps://, or with smtp:// and have tls=required, \
             tls=opportunistic or no parameter",
        ),
        (whole(url, "hidden"), "--mail-from is not a valid address"),
    ] {
        assert!(printed.contains(fault) && !printed.contains("hidden"), "{fault}: {printed}");
    }
    drop(std::fs::remove_dir_all(folder));
}
