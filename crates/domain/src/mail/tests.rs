//! Examples of mails, and the way of a mail through time.

use proptest::prelude::*;

use super::*;
use crate::access_request::{AccessRequest, Input};
use crate::book::{Book, Changes, Settings};
use crate::file::FileSecret;
use crate::id::{AccessRequestId, BookId};
use crate::instant::Stamp;
use crate::name::Name;
use crate::permission::Permission;

const SERVER: &str = "https://books.example.com";

fn email(text: &str) -> Email {
    Email::parse(text).expect("an address")
}

fn book(name: &str) -> Book {
    let changes = Changes { name: Some("A".to_owned()), ..Changes::default() };
    let settings = Settings::create(changes).expect("settings");
    Book {
        id: BookId::new(1),
        key: BookKey::new("0192".to_owned()),
        owner_name: "alice".to_owned(),
        settings: Settings { name: Name::stored(name.to_owned()), ..settings },
        scale: 2,
        file_secret: FileSecret::default(),
        stamp: Stamp::new(None, Instant::new(0)),
    }
}

fn invitation(name: &str, message: Option<&str>) -> MailContent {
    let (from, to) = (email("alice@example.com"), email("bob@example.org"));
    let permission = Permission::Viewer;
    Invitation { from: &from, to: &to, permission, message }.content(&book(name), SERVER)
}

#[test]
fn an_invitation() {
    let content = invitation("House & home", Some("Hello Bob,\nsee <b>this</b>"));
    assert_eq!(content.subject, "alice@example.com shares the book \"House & home\" with you");
    let text = "alice@example.com shares a book with you: you may view it.\n\n\
        The book is called:\n\n> House & home\n\nIts id is 0192.\n\n\
        alice@example.com writes:\n\n> Hello Bob,\n> see <b>this</b>\n\n\
        To open it, sign in as bob@example.org with an app that uses this server:\n\n\
        https://books.example.com\n\n\
        If you do not know alice@example.com, you need not do anything.\n";
    assert_eq!(content.text, text);
    let html = &content.html;
    assert!(html.contains("<blockquote>House &amp; home<br></blockquote>"), "{html}");
    assert!(html.contains("Hello Bob,<br>see &lt;b&gt;this&lt;/b&gt;<br>"), "{html}");
    assert!(html.contains("<a href=\"https://books.example.com\">"), "{html}");
    assert!(!invitation("A", None).text.contains("writes"));
}

#[test]
fn a_mail_about_an_access_request() {
    let input = Input::read(Some("POSTER"), Some("Let me in")).expect("an input");
    let (id, user) = (AccessRequestId::new(7), (UserId::new(2), email("eve@example.net")));
    let request = AccessRequest::ask(id, user, input, None, Instant::new(0)).expect("a request");
    let content = access_asked(&request, &book("Cash"), SERVER);
    assert_eq!(content.subject, "eve@example.net asks for access to the book \"Cash\"");
    for part in ["(POSTER)", "> Cash", "> Let me in", "The request is 0000000000000007."] {
        assert!(content.text.contains(part), "{part}: {}", content.text);
    }
}

#[test]
fn a_mail_about_a_paused_app() {
    let owner = email("alice@example.com");
    let visitor = crate::app::Visitor {
        id: UserId::new(1),
        username: "alice",
        email: &owner,
        is_administrator: false,
    };
    let name = Some("Tax <b>bot</b> https://evil.example".to_owned());
    let changes = crate::app::Changes { name, ..Default::default() };
    let app = crate::app::App::create(Some("tax-bot"), changes, &visitor, Instant::new(0));
    let content = app_paused(&app.expect("an app"), &book("Cash"), SERVER);
    assert!(content.subject.ends_with("is paused in the book \"Cash\""), "{}", content.subject);
    for part in ["> Tax <b>bot</b>", "(tax-bot)", "> Cash", "Its id is 0192.", SERVER] {
        assert!(content.text.contains(part), "{part}: {}", content.text);
    }
    assert!(!content.text.contains("https://evil.example"), "{}", content.text);
    assert_eq!(content.html.matches("href=").count(), 1);
}

#[test]
fn a_mail_with_a_link() {
    let link = "https://books.example.com/auth/link?code=a&b";
    let content = sign_in_link(&email("bob@example.org"), link);
    assert!(content.text.contains(&format!("\n\n{link}\n\n")), "{}", content.text);
    assert!(content.html.contains("href=\"https://books.example.com/auth/link?code=a&amp;b\""));
}

fn waiting(kind: MailKind) -> Mail {
    let cause = MailCause { kind, user: Some(UserId::new(1)), book: None };
    let content = invitation("A", None);
    Mail::new(MailId::new(1), email("bob@example.org"), cause, content, Instant::new(0))
}

/// 7.10: pauses of 1, 2, 4, ... 60 minutes, for 24 hours after the first attempt.
#[test]
fn pauses_grow_until_it_is_given_up() {
    let first = 3 * DAY;
    let (mut mail, mut pauses) = (waiting(MailKind::Invitation), Vec::new());
    let mut now = Instant::new(first);
    while mail.ended.is_none() {
        let tried = mail.tried(now);
        assert_eq!(tried.due_at, Instant::new(now.milliseconds() + 5 * MINUTE), "leased");
        mail = tried.failed("450 try again\r\n", now);
        if mail.ended.is_none() {
            pauses.push((mail.due_at.milliseconds() - now.milliseconds()) / MINUTE);
            now = mail.due_at;
        }
    }
    assert_eq!(pauses.get(..8), Some([1, 2, 4, 8, 16, 32, 60, 60].as_slice()));
    assert_eq!(mail.ended, Some((now, MailEnd::GivenUp)));
    let tried_for = now.milliseconds() - first;
    assert!(tried_for < DAY && tried_for > DAY - 61 * MINUTE, "{tried_for}");
    assert_eq!(mail.failure.as_deref(), Some("450 try again  "));
    assert!(!mail.content.text.is_empty(), "the operator can still read it");
}

#[test]
fn how_long_a_mail_waits_for_its_first_attempt() {
    assert_eq!(waiting(MailKind::Invitation).until, Instant::new(30 * DAY));
    let link = waiting(MailKind::SignInLink);
    assert_eq!(link.until, Instant::new(15 * MINUTE));
    let tried = link.tried(Instant::new(10 * MINUTE));
    assert_eq!(tried.until, Instant::new(15 * MINUTE), "an attempt makes it no longer");
    let again = tried.failed("no", Instant::new(14 * MINUTE));
    assert_eq!(again.ended, Some((Instant::new(14 * MINUTE), MailEnd::GivenUp)));
}

#[test]
fn what_is_kept_of_a_mail_that_has_ended() {
    let now = Instant::new(5);
    let sent = waiting(MailKind::Invitation).tried(now).failed("x", now).sent(now);
    assert_eq!((sent.content, sent.failure), (MailContent::default(), None));
    let refused = waiting(MailKind::Invitation).refused(&"x".repeat(1_000), now);
    assert_eq!(refused.ended, Some((now, MailEnd::GivenUp)));
    assert_eq!(refused.failure.map(|why| why.len()), Some(500));
}

#[test]
fn names_are_read_as_they_are_written() {
    for kind in MailKind::ALL {
        assert_eq!(MailKind::from_name(kind.as_str()), Some(kind));
    }
    for end in [MailEnd::Sent, MailEnd::GivenUp] {
        assert_eq!(MailEnd::from_name(end.as_str()), Some(end));
    }
    assert_eq!(MailKind::from_name("other"), None);
}

proptest! {
    /// What users type stands behind `> ` in the text, and is no markup in the HTML.
    #[test]
    fn users_speak_in_quotes_only(name in "\\PC{1,60}", message in "(?s).{0,80}") {
        let (plain, content) = (invitation("", Some("")), invitation(&name, Some(&message)));
        let said = |text: &str| -> Vec<String> {
            let lines = text.split('\n').filter(|line| !line.starts_with('>'));
            lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        prop_assert_eq!(said(&content.text), said(&plain.text));
        prop_assert!(!content.subject.contains(char::is_control));
        let tags = |html: &str| html.matches('<').count() - html.matches("<br>").count();
        // The subject is the title, too.
        prop_assert_eq!(tags(&content.html), tags(&plain.html));
        prop_assert_eq!(content.html.matches("href=").count(), 1);
    }
}

#[test]
fn what_was_given_up_is_tried_again_when_asked_for() {
    let written = |kind| {
        let cause = MailCause { kind, user: None, book: None };
        let content = invitation("A", None);
        Mail::new(MailId::new(1), email("bob@example.org"), cause, content, Instant::new(0))
    };
    let then = Instant::new(9 * DAY);
    let given_up = |kind| written(kind).tried(Instant::new(5)).overdue(Instant::new(DAY));
    for kind in [MailKind::Invitation, MailKind::AccessRequest] {
        let again = given_up(kind).again(then).expect("again");
        assert_eq!((again.due_at, again.attempts, again.ended), (then, 0, None));
        assert_eq!(again.until, Instant::new(39 * DAY));
        assert_eq!((&again.content, again.created_at), (&written(kind).content, Instant::new(0)));
        assert!(again.failure.is_some(), "until the next attempt");
        assert_eq!(again.tried(then).until, Instant::new(10 * DAY), "as long as any other");
    }
    let id = MailId::new(1);
    let refused = |mail: Mail| mail.again(then).expect_err("refused");
    assert_eq!(refused(written(MailKind::Invitation)), Refusal::Waiting(id));
    assert_eq!(refused(given_up(MailKind::SignInLink)), Refusal::LinkEnded(id));
    let sent = written(MailKind::SignInLink).after(&MailAttempt::Sent, then);
    assert_eq!(refused(sent), Refusal::Sent(id));
}
