//! Tests of the mail texts and of the delivery attempts.

use proptest::prelude::*;

use super::*;
use crate::access_request::{AccessRequest, Input};
use crate::book::{Book, Settings};
use crate::fixture::{self, email};
use crate::id::AccessRequestId;
use crate::name::Name;
use crate::permission::Permission;

const SERVER: &str = "https://books.example.com";

fn book(name: &str) -> Book {
    let book = fixture::book(crate::book::Changes::default());
    let settings = Settings { name: Name::stored(name.to_owned()), ..book.settings };
    Book { key: BookKey::new("0192".to_owned()), settings, ..book }
}

fn invitation(name: &str, message: Option<&str>) -> MailContent {
    let (from, to) = (email("alice@example.com"), email("bob@example.org"));
    let permission = Permission::Viewer;
    Invitation { from: &from, to: &to, permission, message }.content(&book(name), SERVER)
}

#[test]
fn invitation_shows_book_and_message() {
    let content = invitation("House & home", Some("Hello Bob,\nsee <b>this</b>"));
    assert_eq!(content.subject, "alice@example.com shares the book \"House & home\" with you");
    let text = "alice@example.com shares a book with you. You may view it.\n\n\
        The book is called:\n\n> House & home\n\nIts id is 0192.\n\n\
        alice@example.com writes:\n\n> Hello Bob,\n> see <b>this</b>\n\n\
        To open it, sign in as bob@example.org with an app that uses this server:\n\n\
        https://books.example.com\n\n\
            If you do not know alice@example.com, you can ignore this mail.\n";
    assert_eq!(content.text, text);
    let html = &content.html;
    assert!(html.contains("<blockquote>House &amp; home<br></blockquote>"), "{html}");
    assert!(html.contains("Hello Bob,<br>see &lt;b&gt;this&lt;/b&gt;<br>"), "{html}");
    assert!(html.contains("<a href=\"https://books.example.com\">"), "{html}");
    assert!(!invitation("A", None).text.contains("writes"));
}

#[test]
fn access_request_mail_shows_the_request() {
    let input = Input::read(Some("POSTER"), Some("Let me in")).expect("an input");
    let (id, user, email) = (AccessRequestId::new(7), UserId::new(2), email("eve@example.net"));
    let request =
        AccessRequest::create(id, user, email, input, None, Instant::new(0)).expect("a request");
    let content = access_request_mail(&request, &book("Cash"), SERVER);
    assert_eq!(content.subject, "eve@example.net asks for access to the book \"Cash\"");
    for part in ["(POSTER)", "> Cash", "> Let me in", "The request is 0000000000000007."] {
        assert!(content.text.contains(part), "{part}: {}", content.text);
    }
}

#[test]
fn app_paused_mail_shows_app_and_book() {
    let owner = email("alice@example.com");
    let name = Some("Tax <b>bot</b> https://evil.example".to_owned());
    let changes = crate::app::Changes { name, ..Default::default() };
    let app = crate::app::App::create(
        Some("tax-bot"),
        changes,
        &fixture::visitor(1, &owner),
        Instant::new(0),
    );
    let content = app_paused_mail(&app.expect("an app"), &book("Cash"), SERVER);
    assert!(content.subject.ends_with("is paused in the book \"Cash\""), "{}", content.subject);
    for part in ["> Tax <b>bot</b>", "(tax-bot)", "> Cash", "Its id is 0192.", SERVER] {
        assert!(content.text.contains(part), "{part}: {}", content.text);
    }
    assert!(!content.text.contains("https://evil.example"), "{}", content.text);
    assert_eq!(content.html.matches("href=").count(), 1);
}

#[test]
fn sign_in_link_mail_shows_the_link() {
    let link = "https://books.example.com/auth/link?code=a&b";
    let content = sign_in_link_mail(&email("bob@example.org"), link);
    assert!(content.text.contains(&format!("\n\n{link}\n\n")), "{}", content.text);
    assert!(content.html.contains("href=\"https://books.example.com/auth/link?code=a&amp;b\""));
}

fn queued_mail(kind: MailKind) -> Mail {
    let cause = MailCause { kind, user: Some(UserId::new(1)), book: None };
    let content = invitation("A", None);
    Mail::new(MailId::new(1), email("bob@example.org"), cause, content, Instant::new(0))
}

/// 7.10: pauses of 1, 2, 4, ... 60 minutes, for 24 hours after the first attempt.
#[test]
fn pauses_grow_until_the_mail_is_given_up() {
    let first = 3 * DAY;
    let (mut mail, mut pauses) = (queued_mail(MailKind::Invitation), Vec::new());
    let mut now = Instant::new(first);
    while mail.ended.is_none() {
        let leased = mail.start_attempt(now);
        assert_eq!(leased.due_at, Instant::new(now.milliseconds() + 5 * MINUTE), "leased");
        mail = leased.retry_later("450 try again\r\n", now);
        if mail.ended.is_none() {
            pauses.push((mail.due_at.milliseconds() - now.milliseconds()) / MINUTE);
            now = mail.due_at;
        }
    }
    assert_eq!(pauses.get(..8), Some([1, 2, 4, 8, 16, 32, 60, 60].as_slice()));
    assert_eq!(mail.ended, Some((now, MailEnd::GivenUp)));
    let duration = now.milliseconds() - first;
    assert!(duration < DAY && duration > DAY - 61 * MINUTE, "{duration}");
    assert_eq!(mail.failure.as_deref(), Some("450 try again  "));
    assert!(!mail.content.text.is_empty(), "the operator can still read it");
}

#[test]
fn first_attempt_has_a_deadline() {
    assert_eq!(queued_mail(MailKind::Invitation).until, Instant::new(30 * DAY));
    let link = queued_mail(MailKind::SignInLink);
    assert_eq!(link.until, Instant::new(15 * MINUTE));
    let leased = link.start_attempt(Instant::new(10 * MINUTE));
    assert_eq!(leased.until, Instant::new(15 * MINUTE), "an attempt does not extend the deadline");
    let ended = leased.retry_later("no", Instant::new(14 * MINUTE));
    assert_eq!(ended.ended, Some((Instant::new(14 * MINUTE), MailEnd::GivenUp)));
}

#[test]
fn content_is_erased_when_sent_and_kept_when_given_up() {
    let now = Instant::new(5);
    let sent =
        queued_mail(MailKind::Invitation).start_attempt(now).retry_later("x", now).mark_sent(now);
    assert_eq!((sent.content, sent.failure), (MailContent::default(), None));
    let refused = queued_mail(MailKind::Invitation).give_up(&"x".repeat(1_000), now);
    assert_eq!(refused.ended, Some((now, MailEnd::GivenUp)));
    assert_eq!(refused.failure.map(|why| why.len()), Some(500));
}

proptest! {
    /// User input appears only behind `> ` in the text and never as markup in the HTML.
    #[test]
    fn user_input_is_always_quoted(name in "\\PC{1,60}", message in "(?s).{0,80}") {
        let (plain, content) = (invitation("", Some("")), invitation(&name, Some(&message)));
        let unquoted = |text: &str| -> Vec<String> {
            let lines = text.split('\n').filter(|line| !line.starts_with('>'));
            lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        prop_assert_eq!(unquoted(&content.text), unquoted(&plain.text));
        prop_assert!(!content.subject.contains(char::is_control));
        let tags = |html: &str| html.matches('<').count() - html.matches("<br>").count();
        // The HTML title repeats the subject.
        prop_assert_eq!(tags(&content.html), tags(&plain.html));
        prop_assert_eq!(content.html.matches("href=").count(), 1);
    }
}

#[test]
fn only_a_mail_that_was_given_up_is_retried() {
    let then = Instant::new(9 * DAY);
    let given_up =
        |kind| queued_mail(kind).start_attempt(Instant::new(5)).expire(Instant::new(DAY));
    for kind in [MailKind::Invitation, MailKind::AccessRequest] {
        let retried = given_up(kind).retry(then).expect("a retry");
        assert_eq!((retried.due_at, retried.attempts, retried.ended), (then, 0, None));
        assert_eq!(retried.until, Instant::new(39 * DAY));
        assert_eq!(
            (&retried.content, retried.created_at),
            (&queued_mail(kind).content, Instant::new(0))
        );
        assert!(retried.failure.is_some(), "until the next attempt");
        assert_eq!(retried.start_attempt(then).until, Instant::new(10 * DAY), "as for a new mail");
    }
    let id = MailId::new(1);
    let refused = |mail: Mail| mail.retry(then).expect_err("refused");
    assert_eq!(refused(queued_mail(MailKind::Invitation)), Refusal::Waiting(id));
    assert_eq!(refused(given_up(MailKind::SignInLink)), Refusal::LinkEnded(id));
    let sent = queued_mail(MailKind::SignInLink).apply_outcome(&MailAttempt::Sent, then);
    assert_eq!(refused(sent), Refusal::Sent(id));
}

#[test]
fn failure_for_administrators_has_no_link() {
    let secret = "https://books.example.com/auth/link?code=Zm9vYmFy";
    for (failure, expected) in [
        ("550 5.1.1 no such mailbox: bob@example.org", None),
        (
            format!("554 blocked URL ({secret}), see RFC").as_str(),
            Some("554 blocked URL [removed] see RFC"),
        ),
        ("554 blocked:\u{a0}auth/link?code=Zm9v", Some("554 blocked: [removed]")),
        ("cannot reach smtp://mail.example.org:25", Some("cannot reach [removed]")),
    ] {
        assert_eq!(without_links(failure), expected.unwrap_or(failure));
    }
}
