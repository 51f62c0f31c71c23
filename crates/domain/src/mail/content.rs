//! What a mail says, as text and as HTML.

use maud::{DOCTYPE, html};

use super::quoting;

/// The subject and the two forms of a mail. Both say the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailContent {
    /// One line.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// HTML that loads nothing.
    pub html: String,
}

/// A paragraph of a mail. What users typed stands only in [`Paragraph::Quoted`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Paragraph {
    /// What the server says.
    Said(String),
    /// An address of the server.
    Link(String),
    /// What a user typed, line by line.
    Quoted(Vec<String>),
}

impl Paragraph {
    pub(super) fn said(text: impl Into<String>) -> Self {
        Self::Said(text.into())
    }

    pub(super) fn quoted(typed: &str) -> Self {
        Self::Quoted(quoting::lines(typed))
    }

    fn text(&self) -> String {
        match self {
            Self::Said(text) | Self::Link(text) => text.clone(),
            Self::Quoted(lines) => {
                lines.iter().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl MailContent {
    /// A mail of these paragraphs.
    pub(super) fn new(subject: String, paragraphs: &[Paragraph]) -> Self {
        let texts: Vec<String> = paragraphs.iter().map(Paragraph::text).collect();
        let html = html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; title { (subject) } }
                body {
                    @for paragraph in paragraphs {
                        @match paragraph {
                            Paragraph::Said(text) => p { (text) },
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
