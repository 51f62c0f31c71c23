//! The mails that the server writes, in plain English (behaviour 6.28, 7.5, 7.6,
//! 8.19, 11.14).

use super::content::{MailContent, Paragraph};
use super::quoting;
use crate::access_request::AccessRequest;
use crate::app::App;
use crate::book::{Book, TransferOffer};
use crate::email::Email;
use crate::permission::Permission;
use crate::session::LINK_MINUTES;

/// Somebody shares a book.
#[derive(Debug, Clone, Copy)]
pub struct Invitation<'a> {
    /// Who shares it.
    pub from: &'a Email,
    /// With whom.
    pub to: &'a Email,
    /// What they may do.
    pub permission: Permission,
    /// What who shares it says.
    pub message: Option<&'a str>,
}

impl Invitation<'_> {
    /// The mail to whom the book is shared with; `server` is the address of this server.
    #[must_use]
    pub fn content(&self, book: &Book, server: &str) -> MailContent {
        let Self { from, to, permission, message } = self;
        let mut paragraphs = vec![Paragraph::said(format!(
            "{from} shares a book with you: you may {}.",
            able(*permission)
        ))];
        paragraphs.extend(about(book));
        paragraphs.extend(saying(from, *message));
        paragraphs.extend([
            Paragraph::said(format!(
                "To open it, sign in as {to} with an app that uses this server:"
            )),
            Paragraph::Link(server.to_owned()),
            Paragraph::said(format!("If you do not know {from}, you need not do anything.")),
        ]);
        let subject = format!("{from} shares the book \"{}\" with you", shown(book));
        MailContent::new(subject, &paragraphs)
    }
}

/// The mail that offers a book.
#[must_use]
pub fn book_offered(offer: &TransferOffer, book: &Book, server: &str) -> MailContent {
    let TransferOffer { from, to, .. } = offer;
    let mut paragraphs =
        vec![Paragraph::said(format!("{from} wants to make you the owner of a book."))];
    paragraphs.extend(about(book));
    paragraphs.extend([
        Paragraph::said(format!(
            "An owner may do everything with a book, and what it holds counts for them. To accept \
             or to decline the offer, sign in as {to} with an app that uses this server:"
        )),
        Paragraph::Link(server.to_owned()),
        Paragraph::said("If you do nothing, the book stays where it is, and the offer expires."),
    ]);
    let subject = format!("{from} offers you the book \"{}\"", shown(book));
    MailContent::new(subject, &paragraphs)
}

/// The mail to the owner of a book in which somebody asks for access.
#[must_use]
pub fn access_asked(request: &AccessRequest, book: &Book, server: &str) -> MailContent {
    let AccessRequest { id, user: _, email, permission, message, created_at: _ } = request;
    let mut paragraphs = vec![Paragraph::said(format!(
        "{email} asks for access to your book, to {} ({}).",
        able(*permission),
        permission.as_str()
    ))];
    paragraphs.extend(about(book));
    paragraphs.extend(saying(email, message.as_deref()));
    paragraphs.extend([
        Paragraph::said(format!(
            "The request is {id}. To grant it, {} {email}, with an app that uses this server:",
            if *permission == Permission::Owner {
                "transfer the book to"
            } else {
                "share the book with"
            }
        )),
        Paragraph::Link(server.to_owned()),
        Paragraph::said("If you do nothing, nobody gets access, and the request expires."),
    ]);
    let subject = format!("{email} asks for access to the book \"{}\"", shown(book));
    MailContent::new(subject, &paragraphs)
}

/// The mail to who installed an app in a book in which it is paused, because it has failed.
#[must_use]
pub fn app_paused(app: &App, book: &Book, server: &str) -> MailContent {
    let name = quoting::short(app.manifest.name.as_str());
    let mut paragraphs = vec![
        Paragraph::said(
            "An app that you installed in a book has failed for three days, so it is sent no more \
             events of this book. The app is called:",
        ),
        Paragraph::quoted(&format!("{name} ({})", app.id)),
    ];
    paragraphs.extend(about(book));
    paragraphs.extend([
        Paragraph::said(
            "Its events wait for 30 days. When the app works again, save its integration in the \
             book, or replay one of its events: then what waits is delivered in its order. What \
             has waited for 30 days is given up, and can be replayed. To do without the app, \
             remove it from the book, with an app that uses this server:",
        ),
        Paragraph::Link(server.to_owned()),
    ]);
    let subject = format!("The app \"{name}\" is paused in the book \"{}\"", shown(book));
    MailContent::new(subject, &paragraphs)
}

/// The mail with a link that signs its reader in.
#[must_use]
pub fn sign_in_link(email: &Email, link: &str) -> MailContent {
    let paragraphs = [
        Paragraph::said(format!("Open this link to sign in as {email}:")),
        Paragraph::Link(link.to_owned()),
        Paragraph::said(format!("It works once, for {LINK_MINUTES} minutes.")),
        Paragraph::said(
            "If you did not ask for it, delete this mail, and give the link to nobody: who has it \
             signs in as you.",
        ),
    ];
    MailContent::new("Your link to sign in".to_owned(), &paragraphs)
}

/// What a permission allows, behind 'may'.
const fn able(permission: Permission) -> &'static str {
    match permission {
        Permission::None => "not open it",
        Permission::Viewer => "view it",
        Permission::Recorder => "record drafts in it",
        Permission::Poster => "view it and post transactions in it",
        Permission::Editor => "view it and change everything in it",
        Permission::Owner => "do everything with it",
    }
}

/// The name of a book in a subject.
fn shown(book: &Book) -> String {
    quoting::short(book.settings.name.as_str())
}

/// Which book it is.
fn about(book: &Book) -> [Paragraph; 3] {
    [
        Paragraph::said("The book is called:"),
        Paragraph::quoted(&shown(book)),
        Paragraph::said(format!("Its id is {}.", book.key)),
    ]
}

fn saying(who: &Email, message: Option<&str>) -> Vec<Paragraph> {
    let Some(message) = message else { return Vec::new() };
    vec![Paragraph::said(format!("{who} writes:")), Paragraph::quoted(message)]
}
