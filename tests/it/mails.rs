//! Mails on their way to a real mail server (7.10, `daybook_tests::mail_server`), by each kind of
//! connection, through its failures and moods.

use std::time::{Duration, Instant};

use daybook_tests::certificates::authority;
use daybook_tests::contract::missing;
use daybook_tests::mail_server::{MailServer, SENDER, Security};
use daybook_tests::{Backdoor, Client, Engine, Hold, Options, Server, encode, id, pause, run_for};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let real = crate::isolated![
        mails_arrive_by_starttls,
        mails_arrive_by_implicit_tls,
        mails_arrive_without_tls,
        owners_learn_of_access_requests,
        addresses_beyond_ascii,
        what_is_refused_for_good_is_given_up,
        what_is_refused_for_now_is_tried_again,
        who_is_not_let_in_tries_again,
        certificates_are_verified,
        a_slow_server_delays_no_request,
        a_server_that_is_down_for_an_hour,
        a_server_that_is_down_for_a_day,
        processes_share_the_outbox,
        a_killed_attempt_is_repeated,
        what_changes_during_an_attempt_stays,
        nothing_personal_is_logged,
    ];
    let settings = crate::isolated![settings_are_checked_at_the_start];
    real.into_iter().map(|case| case.needs(missing)).chain(settings).collect()
}

const PUBLIC: &str = "https://books.example.com/api";

/// The address of a mail server, with user and password or without.
fn url(scheme: &str, mail: &MailServer, known: bool, rest: &str) -> String {
    let (user, password) = SENDER;
    let who = if known { format!("{}:{}@", encode(user), encode(password)) } else { String::new() };
    format!("{scheme}://{who}localhost:{}{rest}", mail.port())
}

/// A Daybook that hands its mails to the mail server at an address, and a book in it.
struct Office {
    server: Server,
    owner: Client,
    book: String,
}

impl Office {
    #[track_caller]
    fn new(engine: Engine, url: &str) -> Office {
        let trust = vec![("SSL_CERT_FILE".to_owned(), authority().display().to_string())];
        Office::with(engine, url, trust, &[])
    }

    #[track_caller]
    fn with(engine: Engine, url: &str, env: Vec<(String, String)>, more: &[&str]) -> Office {
        let from = "Bücher <books@example.com>";
        let args = ["--smtp-url", url, "--mail-from", from, "--public-url", PUBLIC];
        let args = args.iter().chain(more).map(|arg| (*arg).to_owned()).collect();
        let server = Server::start_with(Options { engine, args, env, ..Options::default() });
        let owner = server.client("owner@example.com");
        let book = owner.post("/v5/books", &json!({"name": "Haushalt für Zoë"})).ok();
        Office { book: id(&book).to_owned(), owner, server }
    }

    #[track_caller]
    fn share(&self, to: &str, message: &str) {
        let path = format!("/v5/books/{}/collaborators?message={}", self.book, encode(message));
        self.owner.post(&path, &json!({"email": to, "permission": "VIEWER"})).ok();
    }

    /// How many mails there are with that.
    fn count(&self, condition: &str) -> u64 {
        let touch = format!("UPDATE mails SET attempts = attempts WHERE {condition}");
        Backdoor::open(&self.server).execute(&touch)
    }

    /// Time passes for a mail: its pause is over.
    fn pass(&self, to: &str, minutes: u64) {
        let passed = format!(
            "UPDATE mails SET due_at = 0, until = until - {minutes} * 60000 \
             WHERE recipient = '{to}'"
        );
        assert_eq!(Backdoor::open(&self.server).execute(&passed), 1);
    }

    /// Waits until there is a mail with that.
    #[track_caller]
    fn wait(&self, condition: &str) {
        wait(condition, || self.count(condition) == 1);
    }

    /// What `daybook outbox show` prints of the only mail to an address.
    #[track_caller]
    fn shown(&self, to: &str) -> String {
        let run = |arguments: &[&str]| {
            let run = self.server.admin(arguments).output().expect("daybook runs");
            String::from_utf8(run.stdout).expect("UTF-8")
        };
        let listed = run(&["outbox", "list", "--to", to]);
        run(&["outbox", "show", listed.split('\t').next().expect("an id")])
    }
}

#[track_caller]
fn wait(what: &str, done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not happen: {what}");
        pause(Duration::from_millis(10));
    }
}

/// The mails to an address, when there is one at least.
#[track_caller]
fn arrived(mail: &MailServer, to: &str) -> Vec<Value> {
    let all = || -> Vec<Value> {
        mail.mails().into_iter().filter(|mail| mail["to"] == json!([to])).collect()
    };
    wait(to, || !all().is_empty());
    all()
}

fn data(mail: &Value) -> String {
    mail["data"].as_str().expect("a text").replace("\r\n", "\n")
}

fn mails_arrive_by_starttls(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    let office = Office::new(engine, &url("smtp", &mail, true, "?tls=required"));
    office.share("bob@example.org", "Grüße\r\nBcc: all@example.com");
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
    office.wait("ending = 'sent' AND plain = '' AND html = '' AND subject = ''");
}

fn mails_arrive_by_implicit_tls(engine: Engine) {
    let mail = MailServer::with_password(Security::Implicit);
    let office = Office::new(engine, &url("smtps", &mail, true, "/books.example.com"));
    office.share("bob@example.org", "x");
    let [got] = arrived(&mail, "bob@example.org").try_into().expect("one mail");
    assert_eq!((&got["tls"], &got["user"]), (&json!(true), &json!(SENDER.0)));
    assert_eq!(got["hello"], "books.example.com");
}

fn mails_arrive_without_tls(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let office = Office::new(engine, &url("smtp", &mail, false, "?tls=opportunistic"));
    office.share("bob@example.org", "x");
    assert_eq!(arrived(&mail, "bob@example.org")[0]["tls"], false);
}

fn owners_learn_of_access_requests(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    let path = format!("/v5/books/{}/collaborators/request?permission=VIEWER", office.book);
    office.server.client("eve@example.net").send("POST", &path, &Value::Null).no_content();
    let [got] = arrived(&mail, "owner@example.com").try_into().expect("one mail");
    assert!(data(&got).contains("Subject: eve@example.net asks for access"), "{got}");
}

fn addresses_beyond_ascii(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    office.share("zoë@bücher.example", "x");
    let [got] = arrived(&mail, "zoë@xn--bcher-kva.example").try_into().expect("one mail");
    assert!(got["options"].to_string().contains("SMTPUTF8"), "{got}");
    let old = MailServer::with(Security::Plain, &json!({"utf8": false}));
    let office = Office::new(engine, &url("smtp", &old, false, ""));
    office.share("zoë@bücher.example", "x");
    office.share("bob@example.org", "x");
    arrived(&old, "bob@example.org");
    office.wait("ending = 'given-up' AND recipient LIKE 'zo%' AND attempts = 1");
}

/// 7.10: 5xx for a recipient or a mail; the others go on.
fn what_is_refused_for_good_is_given_up(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.refuse(&json!({"gone@example.org": "550 5.1.1 nobody of that name"}));
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    office.share("gone@example.org", "x");
    office.wait("recipient = 'gone@example.org' AND ending = 'given-up' AND attempts = 1");
    let shown = office.shown("gone@example.org");
    assert!(shown.contains("Failure: ") && shown.contains("nobody of that name"), "{shown}");
    office.share("bob@example.org", "x");
    arrived(&mail, "bob@example.org");
    mail.refuse(&json!({"DATA": "554 5.6.0 not this one"}));
    office.share("eve@example.org", "x");
    office.wait("recipient = 'eve@example.org' AND ending = 'given-up' AND attempts = 1");
    // The line is written after the row.
    let log = || office.server.log();
    wait("two lines", || log().matches("a mail was given up").count() == 2);
    assert!(log().contains("status=\"550\""), "{}", log());
}

/// 7.10: 4xx, and a sender that is refused, which is not about the mail.
fn what_is_refused_for_now_is_tried_again(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.refuse(&json!({"busy@example.org": "450 4.2.1 come back"}));
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    office.share("busy@example.org", "x");
    office.wait("recipient = 'busy@example.org' AND ended_at IS NULL AND failure IS NOT NULL");
    office.share("bob@example.org", "x");
    arrived(&mail, "bob@example.org");
    assert_eq!(office.count("recipient = 'busy@example.org' AND attempts = 1"), 1, "a pause");
    mail.refuse(&json!({"SENDER": "550 5.7.1 who are you"}));
    office.share("eve@example.org", "x");
    office.wait("recipient = 'eve@example.org' AND ended_at IS NULL AND failure IS NOT NULL");
    mail.refuse(&json!({}));
    office.pass("busy@example.org", 1);
    office.pass("eve@example.org", 1);
    office.share("wake@example.org", "x");
    assert_eq!(arrived(&mail, "busy@example.org").len(), 1);
    assert_eq!(arrived(&mail, "eve@example.org").len(), 1);
    office.wait("recipient = 'busy@example.org' AND ending = 'sent' AND failure IS NULL");
}

/// 7.10: a wrong password gives no mail up.
fn who_is_not_let_in_tries_again(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    let wrong = format!("smtp://who:wr0ng@localhost:{}?tls=required", mail.port());
    let office = Office::new(engine, &wrong);
    office.share("bob@example.org", "x");
    office.wait("ended_at IS NULL AND failure IS NOT NULL AND attempts = 1");
    let shown = office.shown("bob@example.org");
    assert!(shown.contains("the mail server does not know us") && shown.contains("535"), "{shown}");
    wait("a line", || office.server.log().contains("reachable=false"));
    assert!(!office.server.log().contains("wr0ng"), "{}", office.server.log());
}

/// What is no server of that name, by an authority that is trusted, gets neither password nor mail.
fn certificates_are_verified(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    let other = url("smtp", &mail, true, "?tls=required").replace("localhost", "127.0.0.1");
    let trusted = Office::new(engine, &other);
    let implicit = MailServer::with_password(Security::Implicit);
    let stranger = Office::with(engine, &url("smtps", &implicit, true, ""), Vec::new(), &[]);
    let plain = MailServer::start(Security::Plain);
    let without = Office::new(engine, &url("smtp", &plain, false, "?tls=required"));
    for office in [&trusted, &stranger, &without] {
        office.share("bob@example.org", "x");
    }
    for office in [&trusted, &stranger, &without] {
        office.wait("ended_at IS NULL AND failure IS NOT NULL AND attempts = 1");
    }
    assert!([&mail, &implicit, &plain].iter().all(|mail| mail.mails().is_empty()));
}

fn a_slow_server_delays_no_request(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.delay(60.0);
    let patience = ["--smtp-timeout-seconds", "8"];
    let office = Office::with(engine, &url("smtp", &mail, false, ""), Vec::new(), &patience);
    for number in 0..5 {
        office.share(&format!("bob{number}@example.org"), "x");
    }
    assert_eq!(office.count("failure IS NULL"), 5, "all are answered before one attempt is over");
    let late = "failure LIKE '%not done after 8 s%' AND ended_at IS NULL";
    wait(late, || office.count(late) > 0);
    mail.delay(0.0);
    // Each invitation has woken the worker once, so more of them may have been tried meanwhile.
    wait("nothing is tried", || {
        office.count("ended_at IS NULL AND attempts > 0 AND failure IS NULL") == 0
    });
    let pass = "UPDATE mails SET due_at = 0 WHERE ended_at IS NULL AND failure IS NOT NULL";
    Backdoor::open(&office.server).execute(pass);
    office.share("wake@example.org", "x");
    for number in 0..5 {
        arrived(&mail, &format!("bob{number}@example.org"));
    }
}

/// 7.10: pauses of 1, 2, 4, 8, 16 and 32 minutes; then it arrives, once.
fn a_server_that_is_down_for_an_hour(engine: Engine) {
    let mut mail = MailServer::start(Security::Plain);
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    mail.stop();
    office.share("bob@example.org", "x");
    office.wait("recipient = 'bob@example.org' AND attempts = 1 AND failure IS NOT NULL");
    for (attempt, minutes) in [(2, 1), (3, 2), (4, 4), (5, 8), (6, 16)] {
        office.pass("bob@example.org", minutes);
        office.share(&format!("wake{attempt}@example.org"), "x");
        // The attempt has ended when its pause has begun; before, the mail is leased.
        let pause = 2 * minutes * 60_000;
        let due = "due_at - (SELECT MAX(created_at) FROM mails)";
        office.wait(&format!(
            "recipient = 'bob@example.org' AND attempts = {attempt} \
             AND {due} > {pause} - 30000 AND {due} < {pause} + 30000 \
             AND failure LIKE '%cannot be reached%'"
        ));
    }
    mail.resume();
    office.pass("bob@example.org", 32);
    office.share("last@example.org", "x");
    assert_eq!(arrived(&mail, "bob@example.org").len(), 1);
    arrived(&mail, "last@example.org");
    office.wait("recipient = 'bob@example.org' AND ending = 'sent' AND attempts = 7");
}

/// 7.10: after 24 hours it is given up, and says so in the log.
fn a_server_that_is_down_for_a_day(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    mail.stop();
    office.share("bob@example.org", "x");
    office.wait("attempts = 1 AND failure IS NOT NULL AND until < created_at + 86460000");
    office.pass("bob@example.org", 24 * 60);
    office.share("wake@example.org", "x");
    office.wait("recipient = 'bob@example.org' AND ending = 'given-up'");
    let shown = office.shown("bob@example.org");
    assert!(shown.contains("cannot be reached") && shown.contains("shares a book"), "{shown}");
    let line = "mails were given up: they were not sent in time";
    wait(line, || office.server.log().contains(line));
    let log = office.server.log();
    assert!(!log.contains("bob@") && !log.contains("Haushalt"), "{log}");
}

/// A user gets another address while a mail to the former one is tried.
fn what_changes_during_an_attempt_stays(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.delay(30.0);
    let patience = ["--smtp-timeout-seconds", "1"];
    let office = Office::with(engine, &url("smtp", &mail, false, ""), Vec::new(), &patience);
    office.share("bob@example.org", "x");
    office.wait("recipient = 'bob@example.org' AND attempts = 1");
    let mut hold = Hold::begin(&office.server);
    hold.execute("UPDATE mails SET recipient = 'rob@example.org'");
    // The attempt ends after a second, and what became of it waits to be written down.
    pause(Duration::from_millis(1_500));
    hold.commit();
    office.wait("recipient = 'rob@example.org' AND failure LIKE '%not done after 1 s%'");
}

/// 7.10: several processes send each mail once.
fn processes_share_the_outbox(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let office = Office::new(engine, &url("smtp", &mail, false, ""));
    let url = url("smtp", &mail, false, "");
    let other = office.server.beside(&[
        "--smtp-url",
        &url,
        "--mail-from",
        "books@example.com",
        "--public-url",
        PUBLIC,
    ]);
    let there = other.client("owner@example.com");
    let path = format!("/v5/books/{}/collaborators", office.book);
    for number in 0..20 {
        office.share(&format!("here{number}@example.org"), "x");
        let to = format!("there{number}@example.org");
        there.post(&path, &json!({"email": to, "permission": "VIEWER"})).ok();
    }
    wait("all are sent", || office.count("ending = 'sent' AND attempts = 1") == 40);
    assert_eq!(mail.mails().len(), 40);
}

/// 7.10: what a process took with it when it was killed is tried again after 5 minutes.
fn a_killed_attempt_is_repeated(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    mail.delay(30.0);
    let mut office = Office::new(engine, &url("smtp", &mail, false, ""));
    office.share("bob@example.org", "x");
    office.wait("attempts = 1 AND due_at > created_at + 290000 AND due_at < created_at + 360000");
    office.server.kill();
    mail.delay(0.0);
    office.server.restart();
    office.share("eve@example.org", "x");
    arrived(&mail, "eve@example.org");
    assert_eq!(office.count("recipient = 'bob@example.org' AND attempts = 1"), 1, "still leased");
    office.pass("bob@example.org", 5);
    office.share("wake@example.org", "x");
    arrived(&mail, "bob@example.org");
    office.wait("recipient = 'bob@example.org' AND ending = 'sent' AND attempts = 2");
}

/// Neither addresses nor texts nor secrets, at any level.
fn nothing_personal_is_logged(engine: Engine) {
    let mail = MailServer::with_password(Security::StartTls);
    mail.refuse(
        &json!({"gone@example.org": "550 no geheimnis here", "busy@example.org": "450 geheimnis"}),
    );
    let trust = vec![("SSL_CERT_FILE".to_owned(), authority().display().to_string())];
    let url = url("smtp", &mail, true, "?tls=required");
    let office = Office::with(engine, &url, trust, &["--log", "trace"]);
    for to in ["gone@example.org", "busy@example.org", "bob@example.org"] {
        office.share(to, "geheimnis");
    }
    arrived(&mail, "bob@example.org");
    wait("all are tried", || office.count("ended_at IS NOT NULL OR failure IS NOT NULL") == 3);
    wait("they are logged", || office.server.log().contains("a mail was sent"));
    let log = office.server.log();
    let (user, password) = (SENDER.0, SENDER.1);
    let (coded_user, coded) = (encode(user), encode(password));
    for word in [
        "geheimnis",
        "@example",
        "Haushalt",
        "shares a book",
        password,
        coded.as_str(),
        coded_user.as_str(),
        // As AUTH PLAIN sends it.
        "AGJvb2tzQGV4YW1wbGUuY29t",
    ] {
        let line = log.lines().find(|line| line.contains(word));
        assert_eq!(line, None, "the log holds {word}");
    }
}

fn settings_are_checked_at_the_start(engine: Engine) {
    if engine != Engine::Sqlite {
        return;
    }
    let folder = std::env::temp_dir().join(format!("daybook-{}-settings", std::process::id()));
    let start = |arguments: &[&str]| {
        let mut command = std::process::Command::new(daybook_tests::binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&folder);
        let run = run_for(command.args(arguments), Duration::from_secs(60)).expect("it ends");
        assert!(!run.status.success());
        String::from_utf8_lossy(&run.stderr).into_owned()
    };
    let url = "smtps://who:hidden@mail.example.com";
    let whole = |url: &str, from: &str| {
        start(&["--smtp-url", url, "--mail-from", from, "--public-url", PUBLIC])
    };
    for (said, fault) in [
        (start(&["--smtp-url", url, "--public-url", PUBLIC]), "--mail-from"),
        (start(&["--smtp-url", url, "--mail-from", "a@example.com"]), "--public-url"),
        (whole("smtp://who:hidden@mail.example.com", "a@example.com"), "require TLS"),
        (whole("http://who:hidden@mail.example.com", "a@example.com"), "starts with smtps://"),
        (whole(url, "hidden"), "--mail-from is no address"),
    ] {
        assert!(said.contains(fault) && !said.contains("hidden"), "{fault}: {said}");
    }
    drop(std::fs::remove_dir_all(folder));
}
