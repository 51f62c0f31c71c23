//! The recognized parts of a typed text, for previews (behaviour 3.15.2).

use std::ops::Range;

use super::TypedText;
use crate::id::AccountId;

/// A recognized part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// The meaning of the part.
    pub kind: TokenKind,
}

/// The meaning of a part of a text (behaviour 3.8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// The amount.
    Amount,
    /// The date.
    Date,
    /// The name of the credit account.
    CreditAccount(AccountId),
    /// The name of the debit account.
    DebitAccount(AccountId),
    /// The request for repetitions in the following months.
    Repeats,
    /// A URL.
    Url,
    /// A hashtag, which stays in the description.
    Hashtag,
    /// A hashtag with a `-` before it, which is removed.
    RemovedHashtag,
}

impl TypedText<'_> {
    /// Returns the tokens in the order of `whole`, the text before it was trimmed.
    pub(super) fn tokens_in(&self, whole: &str) -> Vec<Token> {
        let offset = whole.len().saturating_sub(whole.trim_start().len());
        let mut tokens = self.tokens.clone();
        tokens.sort_unstable_by_key(|token| token.span.start);
        let mut end = 0;
        for Token { span, .. } in &mut tokens {
            // A name may end with the separator that an amount begins with.
            span.start = span.start.saturating_add(offset).max(end);
            span.end = span.end.saturating_add(offset);
            end = span.end;
        }
        tokens
    }
}
