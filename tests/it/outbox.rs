//! Mails in the outbox (7.5, 7.6, 7.10) without a mail server: recipients, texts and life cycle.

use std::time::{Duration, Instant};

use daybook_tests::{Answer, Cast, Client, RawSql, Server, encode, id, pause, unique};
use serde_json::{Value, json};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        new_collaborators_are_invited,
        others_are_mailed_with_a_message_only,
        refused_sharing_sends_no_mail,
        messages_have_a_limit,
        user_text_in_mails_is_quoted,
        a_repetition_mails_once,
        owner_is_mailed_once_a_day,
        unknown_book_sends_no_mail,
        a_user_causes_100_mails_a_day,
        mails_are_shown_and_dropped,
        undelivered_mail_is_given_up_after_30_days,
        mails_that_were_given_up_are_sent_again,
        mails_that_ended_are_removed,
    ]
}

/// Runs `daybook outbox`; returns its output.
#[track_caller]
fn outbox(server: &Server, arguments: &[&str]) -> String {
    server.run(&[&["outbox"], arguments].concat()).expect("an output")
}

/// The mails to an address, as columns.
#[track_caller]
fn mails(server: &Server, to: &str) -> Vec<Vec<String>> {
    let printed = outbox(server, &["list", "--to", to]);
    printed.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Counts the mails of an address, without a process.
fn count(server: &Server, to: &str) -> u64 {
    let touch = format!("UPDATE mails SET attempts = attempts WHERE recipient = '{to}'");
    RawSql::open(server).execute(&touch)
}

/// The only mail to an address, as `daybook outbox show` prints it.
#[track_caller]
fn only(server: &Server, to: &str) -> String {
    let listed = mails(server, to);
    assert_eq!(listed.len(), 1, "{listed:?}");
    outbox(server, &["show", &listed[0][0]])
}

fn person() -> String {
    format!("{}@example.org", unique("invited"))
}

fn share(cast: &Cast, by: &Client, to: &str, permission: &str, message: &str) -> Answer {
    let query =
        if message.is_empty() { String::new() } else { format!("?message={}", encode(message)) };
    let body = json!({"email": to, "permission": permission});
    by.post(&cast.path(&format!("/collaborators{query}")), &body)
}

fn new_collaborators_are_invited(server: &Server) {
    let (cast, to) = (Cast::with_settings(server, json!({"name": "House & home"})), person());
    share(&cast, &cast.editor, &to, "POSTER", " Hello,\nhave a look ").ok();
    let listed = mails(server, &to);
    assert_eq!(listed[0][1..4], ["waiting", "invitation", &to], "{listed:?}");
    let shown = only(server, &to);
    let from = cast.editor.email();
    for part in [
        format!("To: {to}\n"),
        format!("Subject: {from} shares the book \"House & home\" with you\n"),
        format!("{from} shares a book with you. You may view it and post transactions in it."),
        "> House & home\n".to_owned(),
        format!("Its id is {}.", cast.book),
        format!("{from} writes:\n\n> Hello,\n> have a look\n"),
        format!("sign in as {to} with an app that uses this server:\n\n{}\n", server.base()),
    ] {
        assert!(shown.contains(&part), "{part:?} in {shown}");
    }
}

/// 7.5: invitations are sent for new rows, or with a message.
fn others_are_mailed_with_a_message_only(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    let mut expected = 0;
    for (permission, message, mailed) in [
        ("VIEWER", "", true),
        ("VIEWER", "", false),
        ("EDITOR", "", false),
        ("EDITOR", " \n ", false),
        ("EDITOR", "look again", true),
        ("POSTER", "less", true),
        ("NONE", "goodbye", false),
        ("VIEWER", "", true),
    ] {
        share(&cast, &cast.owner, &to, permission, message).ok();
        expected += u64::from(mailed);
        assert_eq!(count(server, &to), expected, "{permission} {message:?}");
    }
}

fn refused_sharing_sends_no_mail(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    share(&cast, &cast.viewer, &to, "VIEWER", "x").refused(403, "forbidden");
    share(&cast, &cast.stranger, &to, "VIEWER", "x").refused(404, "notFound");
    share(&cast, &cast.owner, &to, "OWNER", "x").refused(400, "badRequest");
    share(&cast, &cast.owner, &to, "NONE", "x").refused(404, "notFound");
    assert_eq!(count(server, &to), 0);
    let before = count(server, cast.owner.email());
    share(&cast, &cast.owner, cast.owner.email(), "EDITOR", "x").refused(400, "badRequest");
    assert_eq!(count(server, cast.owner.email()), before);
}

/// 7.5: at most 2,000 characters.
fn messages_have_a_limit(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    let longest = "\u{e9}".repeat(2_000);
    share(&cast, &cast.owner, &to, "VIEWER", &format!("{longest}x")).refused(400, "badRequest");
    assert_eq!(count(server, &to), 0);
    share(&cast, &cast.owner, &to, "VIEWER", &format!(" {longest}\n")).ok();
    assert!(only(server, &to).contains(&longest));
}

/// 7.10: text of a user neither adds lines nor looks like a link of the server.
fn user_text_in_mails_is_quoted(server: &Server) {
    let name = "Cash https://evil.example <b>";
    let (cast, to) = (Cast::with_settings(server, json!({"name": name})), person());
    let message = "\r\nBcc: all@example.com\r\n\r\nSign in at https://evil.example/x\0\u{2028}now";
    share(&cast, &cast.owner, &to, "VIEWER", message).ok();
    let shown = only(server, &to);
    assert!(!shown.contains("//evil.example/x") && !shown.contains("https://evil"), "{shown}");
    let quoted = "> Bcc:\u{20}all@\u{200b}example.\u{200b}com\n> \n> Sign in at \
        https:\u{200b}//evil.\u{200b}example/x \n> now\n";
    let shown_lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    for line in quoted.lines().map(str::trim_end) {
        assert!(shown_lines.contains(&line), "{line:?} in {shown:?}");
    }
    let subject = shown_lines.iter().find(|line| line.starts_with("Subject: ")).expect("a subject");
    let name = "\"Cash https:\u{200b}//evil.\u{200b}example <b>\" with you";
    assert!(subject.ends_with(name), "{subject}");
}

/// 0.16: a repeated request sends no second mail.
fn a_repetition_mails_once(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    let keyed = cast.owner.header("Idempotency-Key", &unique("mail"));
    for _ in 0..3 {
        share(&cast, &keyed, &to, "VIEWER", "once").ok();
    }
    assert_eq!(count(server, &to), 1);
}

fn ask(cast: &Cast, by: &Client, query: &str) -> Answer {
    by.send("POST", &cast.path(&format!("/collaborators/request{query}")), &Value::Null)
}

/// 7.6: at most one mail per day for a book and requester.
fn owner_is_mailed_once_a_day(server: &Server) {
    let cast = Cast::new(server);
    let owner = cast.owner.email();
    ask(&cast, &cast.stranger, "?permission=VIEWER&message=Let%20me%20in").no_content();
    let shown = only(server, owner);
    let open = cast.get("/collaborators/request").ok();
    let from = cast.stranger.email();
    for part in [
        format!("{from} asks for access to your book, to view it (VIEWER)."),
        format!("{from} writes:\n\n> Let me in\n"),
        format!("The request is {}.", id(&open["items"][0])),
    ] {
        assert!(shown.contains(&part), "{part:?} in {shown}");
    }
    ask(&cast, &cast.stranger, "?permission=EDITOR").no_content();
    let open = cast.get("/collaborators/request").ok();
    let request = id(&open["items"][0]).to_owned();
    cast.delete(&format!("/collaborators/request/{request}")).ok();
    ask(&cast, &cast.stranger, "?permission=POSTER").no_content();
    assert_eq!(count(server, owner), 1, "the same day");
    ask(&cast, &cast.viewer, "?permission=EDITOR").no_content();
    assert_eq!(count(server, owner), 2, "of another requester");
    ask(&cast, &cast.stranger, "?permission=OWNER").refused(400, "badRequest");
    let yesterday =
        format!("UPDATE mails SET created_at = created_at - 86400000 WHERE recipient = '{owner}'");
    RawSql::open(server).execute(&yesterday);
    ask(&cast, &cast.stranger, "?permission=POSTER").no_content();
    assert_eq!(count(server, owner), 3, "the next day");
}

/// 7.4, 7.6: a request for an unknown book sends no mail and stores nothing.
fn unknown_book_sends_no_mail(server: &Server) {
    let cast = Cast::new(server);
    let path = format!("/v5/books/{}/collaborators/request?permission=VIEWER", "0".repeat(32));
    for _ in 0..2 {
        cast.stranger.post(&path, &Value::Null).no_content();
    }
    assert_eq!(count(server, cast.stranger.email()), 0);
}

/// 7.10: the collaborator is added nevertheless.
fn a_user_causes_100_mails_a_day(server: &Server) {
    let cast = Cast::new(server);
    // The owner invited the book's cast.
    let people: Vec<String> = (0..101).map(|_| person()).collect();
    for to in &people {
        share(&cast, &cast.editor, to, "VIEWER", "").ok();
    }
    assert_eq!(count(server, &people[99]), 1);
    assert_eq!(count(server, &people[100]), 0);
    let rows = cast.get("/collaborators").ok();
    assert!(rows.to_string().contains(&people[100]));
    let to = person();
    share(&cast, &cast.owner, &to, "VIEWER", "").ok();
    assert_eq!(count(server, &to), 1, "another user's count is another");
}

fn mails_are_shown_and_dropped(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    share(&cast, &cast.owner, &to, "VIEWER", "").ok();
    let listed = mails(server, &to);
    let dropped = outbox(server, &["drop", &listed[0][0]]);
    assert_eq!(dropped.trim_end().split('\t').collect::<Vec<_>>(), listed[0]);
    assert_eq!(count(server, &to), 0);
    for (verb, name) in [("show", listed[0][0].as_str()), ("drop", "nothing"), ("show", "")] {
        let message = server.run(&["outbox", verb, name]).expect_err("refused");
        assert!(message.contains("mail not found"), "{verb} {name:?}: {message}");
    }
    assert!(outbox(server, &["list"]).lines().count() <= 1_000);
}

/// Waits for a condition, while invitations wake the worker.
#[track_caller]
fn wait(cast: &Cast, what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() {
        // The worker also runs every minute.
        assert!(started.elapsed() < Duration::from_secs(90), "it does not happen");
        share(cast, &cast.owner, &person(), "VIEWER", "").ok();
        pause(Duration::from_millis(20));
    }
}

/// 7.10: mails are retried for 30 days; their text stays for the operator.
fn undelivered_mail_is_given_up_after_30_days(server: &Server) {
    let (cast, to) = (Cast::new(server), person());
    share(&cast, &cast.owner, &to, "VIEWER", "").ok();
    let days = |days: i64| {
        let past = days * 86_400_000;
        // Processes of other cases may have attempted it meanwhile.
        RawSql::open(server).execute(&format!(
            "UPDATE mails SET created_at = created_at - {past}, due_at = due_at - {past}, \
             until = until - {past}, failure = NULL WHERE recipient = '{to}'"
        ))
    };
    days(29);
    let other = person();
    share(&cast, &cast.owner, &other, "VIEWER", "").ok();
    assert_eq!(mails(server, &to)[0][1], "waiting");
    days(2);
    let ended = format!(
        "UPDATE mails SET attempts = attempts WHERE recipient = '{to}' AND ending = 'given-up'"
    );
    wait(&cast, || RawSql::open(server).execute(&ended) == 1);
    let shown = only(server, &to);
    assert!(shown.contains("Failure: it was not sent in time\n"), "{shown}");
    assert!(shown.contains("shares a book with you"), "{shown}");
    assert_eq!(mails(server, &other)[0][1], "waiting");
}

/// 7.10: the operator resends them as if they were new.
fn mails_that_were_given_up_are_sent_again(server: &Server) {
    let (cast, one, two) = (Cast::new(server), person(), person());
    let [first, second] = [&one, &two].map(|to| {
        share(&cast, &cast.owner, to, "VIEWER", "").ok();
        mails(server, to)[0][0].clone()
    });
    let retry = |ids: &[&str]| server.run(&[&["outbox", "retry"], ids].concat());
    let waits =
        format!("the mail {first} waits to be sent; only a mail that was given up can be retried");
    assert!(retry(&[&first]).expect_err("refused").contains(&waits));
    let end = |to: &str, ending: &str| {
        let end = format!("UPDATE mails SET ending = '{ending}', ended_at = created_at, ");
        let end = format!("{end} attempts = 9, until = created_at + 1 WHERE recipient = '{to}'");
        assert_eq!(RawSql::open(server).execute(&end), 1);
    };
    end(&one, "given-up");
    end(&two, "sent");
    assert!(
        retry(&[&first, &second])
            .expect_err("refused")
            .contains(&format!("the mail {second} was already sent"))
    );
    assert_eq!(mails(server, &one)[0][1], "given-up", "all of them or none");
    end(&two, "given-up");
    retry(&[&first, &second]).expect("they are tried again");
    for to in [&one, &two] {
        let listed = mails(server, to);
        assert_eq!([&listed[0][1], &listed[0][5]], ["waiting", "0"], "{listed:?}");
        assert!(only(server, to).contains("shares a book with you"));
    }
    end(&one, "given-up");
    let link = format!("UPDATE mails SET kind = 'sign-in-link' WHERE recipient = '{one}'");
    RawSql::open(server).execute(&link);
    let expired = format!(
        "the sign-in link in the mail {first} has expired; its recipient can request a new one"
    );
    assert!(retry(&[&first]).expect_err("refused").contains(&expired));
    assert!(retry(&["nothing"]).expect_err("refused").contains("mail not found"));
    assert!(retry(&[]).expect_err("refused").contains("required"));
}

/// 7.10: removed seven days after they ended.
fn mails_that_ended_are_removed(server: &Server) {
    let (cast, old, young) = (Cast::new(server), person(), person());
    let days = |to: &str, days: i64| {
        RawSql::open(server).execute(&format!(
            "UPDATE mails SET ending = 'sent', ended_at = created_at - {days} * 86400000 \
             WHERE recipient = '{to}'"
        ))
    };
    for (to, ago) in [(&old, 8), (&young, 6)] {
        share(&cast, &cast.owner, to, "VIEWER", "").ok();
        assert_eq!(days(to, ago), 1);
    }
    wait(&cast, || count(server, &old) == 0);
    assert_eq!(mails(server, &young)[0][1], "sent");
}
