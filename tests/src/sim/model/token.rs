//! Access tokens of this installation, from behaviour 11.7 - 11.9.

use std::collections::BTreeSet;

use super::{Caller, Model};
use crate::sim::facts::{self, Refusal, Token};
use crate::sim::label;

const DAY: i64 = 24 * 3_600_000;
/// How long a token is listed after it ended.
const LISTED: i64 = 30 * DAY;
const LONGEST_NAME: usize = 255;

/// The fields of a new token.
#[derive(Clone, Debug)]
pub struct TokenInput {
    pub label: label::Token,
    pub name: Option<String>,
    pub days: Option<i64>,
    pub read_only: bool,
    pub books: Option<BTreeSet<label::Book>>,
}

impl Token {
    pub fn is_active(&self, now: i64) -> bool {
        self.revoked.is_none() && now < self.expires
    }

    /// Whether the token is listed: until 30 days after it ended.
    fn is_shown(&self, now: i64) -> bool {
        let end = self.revoked.map_or(self.expires, |revoked| revoked.min(self.expires));
        now <= end + LISTED
    }
}

impl Model {
    pub fn issue_token(&mut self, caller: &Caller, input: &TokenInput) -> Result<Token, Refusal> {
        if input.books.as_ref().is_some_and(BTreeSet::is_empty) {
            return Err(Refusal::bad());
        }
        let reads = |book: &label::Book| {
            let book = self.books.get(book);
            book.is_some_and(|book| self.permission(book, caller.who).is_some())
        };
        if !input.books.iter().flatten().all(reads) {
            return Err(Refusal::missing());
        }
        let name = input.name.as_deref().unwrap_or_default().trim().to_owned();
        let days = input.days.unwrap_or(30);
        if name.chars().count() > LONGEST_NAME || !(1..=3_650).contains(&days) {
            return Err(Refusal::bad());
        }
        let token = Token {
            label: input.label,
            user: caller.who,
            name,
            read_only: input.read_only,
            books: input.books.clone(),
            created: caller.now,
            // The expiry in a token has whole seconds.
            expires: caller.now / 1_000 * 1_000 + days * DAY,
            revoked: None,
        };
        self.tokens.insert(input.label, token.clone());
        Ok(token)
    }

    /// Lists the caller's own tokens, newest first.
    pub fn list_tokens(&self, caller: &Caller) -> Vec<Token> {
        let own = self.tokens.values().rev();
        own.filter(|one| one.user == caller.who && one.is_shown(caller.now)).cloned().collect()
    }

    pub fn get_token(&self, caller: &Caller, label: label::Token) -> Result<Token, Refusal> {
        let all = self.list_tokens(caller);
        all.into_iter().find(|one| one.label == label).ok_or_else(Refusal::missing)
    }

    /// Revokes a token; an ended one is unchanged.
    pub fn revoke_token(&mut self, caller: &Caller, label: label::Token) -> Result<Token, Refusal> {
        let mut token = self.get_token(caller, label)?;
        if token.is_active(caller.now) {
            token.revoked = Some(caller.now);
            self.tokens.insert(label, token.clone());
        }
        Ok(token)
    }

    /// The book as a token shows it: without books that the token does not reach, or nothing if it
    /// does not reach this one.
    pub fn get_book_with(
        &self,
        token: label::Token,
        caller: &Caller,
    ) -> Result<facts::Book, Refusal> {
        let token = self.tokens.get(&token).filter(|token| token.is_active(caller.now));
        let token = token.ok_or_else(|| Refusal::new("required"))?;
        let reached =
            |book: &label::Book| token.books.as_ref().is_none_or(|all| all.contains(book));
        if !reached(&caller.book) {
            return Err(Refusal::new("insufficientScope"));
        }
        let mut shown = self.get_book(&Caller { who: token.user, ..caller.clone() })?;
        if let Some(collection) = &mut shown.collection {
            collection.books.retain(|book| reached(&book.label));
        }
        Ok(shown)
    }
}
