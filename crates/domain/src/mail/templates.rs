//! The texts of the mails (behaviour 6.28, 7.5, 7.6, 8.19, 11.14).

use super::content::{MailContent, Paragraph};
use super::quoting;
use crate::access_request::AccessRequest;
use crate::app::App;
use crate::book::{Book, TransferOffer};
use crate::email::Email;
use crate::permission::Permission;
use crate::session::LINK_MINUTES;

/// An invitation to a shared book.
#[derive(Debug, Clone, Copy)]
pub struct Invitation<'a> {
    /// The user who shares it.
    pub from: &'a Email,
    /// The recipient.
    pub to: &'a Email,
    /// The permission of the recipient.
    pub permission: Permission,
    /// A message of the sender.
    pub message: Option<&'a str>,
}

impl Invitation<'_> {
    /// Writes the mail. `server` is the address of this server.
    pub fn content(&self, book: &Book, server: &str) -> MailContent {
        let Self { from, to, permission, message } = self;
        let mut paragraphs = vec![Paragraph::new(format!(
            "{from} shares a book with you. You may {}.",
            describe_permission(*permission)
        ))];
        paragraphs.extend(identify_book(book));
        paragraphs.extend(quote_message(from, *message));
        paragraphs.extend([
            Paragraph::new(format!(
                "To open it, sign in as {to} with an app that uses this server:"
            )),
            Paragraph::Link(server.to_owned()),
            Paragraph::new(format!("If you do not know {from}, you can ignore this mail.")),
        ]);
        let subject = format!("{from} shares the book \"{}\" with you", quote_name(book));
        MailContent::new(subject, &paragraphs)
    }
}

/// Writes the mail that offers the ownership of a book.
pub fn transfer_offer_mail(offer: &TransferOffer, book: &Book, server: &str) -> MailContent {
    let TransferOffer { from, to, .. } = offer;
    let mut paragraphs =
        vec![Paragraph::new(format!("{from} wants to make you the owner of a book."))];
    paragraphs.extend(identify_book(book));
    paragraphs.extend([
        Paragraph::new(format!(
            "The owner of a book may do everything with it, and its contents count towards the \
             owner's quota. To accept or decline the offer, sign in as {to} with an app that uses \
             this server:"
        )),
        Paragraph::Link(server.to_owned()),
        Paragraph::new("If you do nothing, the offer expires and the book keeps its owner."),
    ]);
    let subject = format!("{from} offers you the book \"{}\"", quote_name(book));
    MailContent::new(subject, &paragraphs)
}

/// Writes the mail to the owner of a book to which a user requests access.
pub fn access_request_mail(request: &AccessRequest, book: &Book, server: &str) -> MailContent {
    let AccessRequest { id, user: _, email, permission, message, created_at: _ } = request;
    let mut paragraphs = vec![Paragraph::new(format!(
        "{email} asks for access to your book, to {} ({}).",
        describe_permission(*permission),
        permission.as_str()
    ))];
    paragraphs.extend(identify_book(book));
    paragraphs.extend(quote_message(email, message.as_deref()));
    paragraphs.extend([
        Paragraph::new(format!(
            "The request is {id}. To grant it, {} {email}, with an app that uses this server:",
            if *permission == Permission::Owner {
                "transfer the book to"
            } else {
                "share the book with"
            }
        )),
        Paragraph::Link(server.to_owned()),
        Paragraph::new("If you do nothing, the request expires without any access being granted."),
    ]);
    let subject = format!("{email} asks for access to the book \"{}\"", quote_name(book));
    MailContent::new(subject, &paragraphs)
}

/// Writes the mail to the user who installed an app that is paused because of failures.
pub fn app_paused_mail(app: &App, book: &Book, server: &str) -> MailContent {
    let name = quoting::one_line(app.manifest.name.as_str());
    let mut paragraphs = vec![
        Paragraph::new(
            "An app that you installed in a book has failed for three days. It no longer receives \
             events of this book. The app is called:",
        ),
        Paragraph::quote(&format!("{name} ({})", app.id)),
    ];
    paragraphs.extend(identify_book(book));
    paragraphs.extend([
        Paragraph::new(
            "Its events are kept for 30 days. When the app works again, save its integration in \
             the book or replay one of its events: the queued events are then delivered in order. \
             Events older than 30 days are no longer delivered, but they can be replayed. If you \
             do not need the app, remove it from the book, with an app that uses this server:",
        ),
        Paragraph::Link(server.to_owned()),
    ]);
    let subject = format!("The app \"{name}\" is paused in the book \"{}\"", quote_name(book));
    MailContent::new(subject, &paragraphs)
}

/// Writes the mail with a sign-in link.
pub fn sign_in_link_mail(email: &Email, link: &str) -> MailContent {
    let paragraphs = [
        Paragraph::new(format!("Open this link to sign in as {email}:")),
        Paragraph::Link(link.to_owned()),
        Paragraph::new(format!("It works once, for {LINK_MINUTES} minutes.")),
        Paragraph::new(
            "If you did not request this link, delete this mail and do not share the link. Anyone \
             who has it can sign in as you.",
        ),
    ];
    MailContent::new("Your link to sign in".to_owned(), &paragraphs)
}

/// Describes what a permission allows, as the words after "may".
const fn describe_permission(permission: Permission) -> &'static str {
    match permission {
        Permission::None => "not open it",
        Permission::Viewer => "view it",
        Permission::Recorder => "record drafts in it",
        Permission::Poster => "view it and post transactions in it",
        Permission::Editor => "view it and change everything in it",
        Permission::Owner => "do everything with it",
    }
}

/// Quotes the name of a book as one line.
fn quote_name(book: &Book) -> String {
    quoting::one_line(book.settings.name.as_str())
}

fn identify_book(book: &Book) -> [Paragraph; 3] {
    [
        Paragraph::new("The book is called:"),
        Paragraph::quote(&quote_name(book)),
        Paragraph::new(format!("Its id is {}.", book.key)),
    ]
}

fn quote_message(from: &Email, message: Option<&str>) -> Vec<Paragraph> {
    let Some(message) = message else { return Vec::new() };
    vec![Paragraph::new(format!("{from} writes:")), Paragraph::quote(message)]
}
