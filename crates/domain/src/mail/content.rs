//! Rendering of a mail as plain text and as HTML.

use maud::{DOCTYPE, html};

use super::quoting;

/// The subject and body of a mail. Text and HTML have the same content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailContent {
    /// The subject, one line.
    pub subject: String,
    /// The body as plain text.
    pub text: String,
    /// The body as HTML without external resources.
    pub html: String,
}

/// A paragraph of a mail. Only [`Paragraph::Quoted`] contains user input of any length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Paragraph {
    /// Text of the server.
    Text(String),
    /// A link to the server.
    Link(String),
    /// Lines that a user typed.
    Quoted(Vec<String>),
}

impl Paragraph {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn quote(input: &str) -> Self {
        Self::Quoted(quoting::lines(input))
    }

    fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Link(text) => text.clone(),
            Self::Quoted(lines) => {
                lines.iter().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl MailContent {
    /// Renders paragraphs as text and HTML.
    pub(super) fn new(subject: String, paragraphs: &[Paragraph]) -> Self {
        let texts: Vec<String> = paragraphs.iter().map(Paragraph::text).collect();
        let html = html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; title { (subject) } }
                body {
                    @for paragraph in paragraphs {
                        @match paragraph {
                            Paragraph::Text(text) => p { (text) },
                            Paragraph::Link(address) => p { a href=(address) { (address) } },
                            Paragraph::Quoted(lines) => blockquote {
                                @for line in lines { (line) br; }
                            },
                        }
                    }
                }
            }
        };
        Self { subject, text: texts.join("\n\n") + "\n", html: html.into_string() }
    }
}
