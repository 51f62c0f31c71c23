//! Access tokens of this installation, from behaviour 11.7 to 11.9.

use std::collections::BTreeSet;

use super::{Caller, Model};
use crate::sim::facts::{self, Refused, Token};
use crate::sim::label;

const DAY: i64 = 24 * 3_600_000;
/// How long a token is listed after its end.
const LISTED: i64 = 30 * DAY;
const LONGEST_NAME: usize = 255;

/// What is asked of a new one.
#[derive(Clone, Debug)]
pub struct Issuing {
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

    /// Up to 30 days after it was revoked or has expired.
    fn is_shown(&self, now: i64) -> bool {
        let end = self.revoked.map_or(self.expires, |revoked| revoked.min(self.expires));
        now <= end + LISTED
    }
}

impl Model {
    pub fn issue_token(&mut self, caller: &Caller, asked: &Issuing) -> Result<Token, Refused> {
        if asked.books.as_ref().is_some_and(BTreeSet::is_empty) {
            return Err(Refused::bad());
        }
        let reads = |book: &label::Book| {
            let book = self.books.get(book);
            book.is_some_and(|book| self.permission(book, caller.who).is_some())
        };
        if !asked.books.iter().flatten().all(reads) {
            return Err(Refused::missing());
        }
        let name = asked.name.as_deref().unwrap_or_default().trim().to_owned();
        let days = asked.days.unwrap_or(30);
        if name.chars().count() > LONGEST_NAME || !(1..=3_650).contains(&days) {
            return Err(Refused::bad());
        }
        let token = Token {
            label: asked.label,
            user: caller.who,
            name,
            read_only: asked.read_only,
            books: asked.books.clone(),
            created: caller.now,
            // A token says its end in whole seconds.
            expires: caller.now / 1_000 * 1_000 + days * DAY,
            revoked: None,
        };
        self.tokens.insert(asked.label, token.clone());
        Ok(token)
    }

    /// The caller's own, the newest first.
    pub fn list_tokens(&self, caller: &Caller) -> Vec<Token> {
        let own = self.tokens.values().rev();
        own.filter(|one| one.user == caller.who && one.is_shown(caller.now)).cloned().collect()
    }

    pub fn get_token(&self, caller: &Caller, label: label::Token) -> Result<Token, Refused> {
        let all = self.list_tokens(caller);
        all.into_iter().find(|one| one.label == label).ok_or_else(Refused::missing)
    }

    /// One that has ended stays as it is.
    pub fn revoke_token(&mut self, caller: &Caller, label: label::Token) -> Result<Token, Refused> {
        let mut token = self.get_token(caller, label)?;
        if token.is_active(caller.now) {
            token.revoked = Some(caller.now);
            self.tokens.insert(label, token.clone());
        }
        Ok(token)
    }

    /// The book as a token shows it to its user: no other that it does not reach, and nothing when
    /// it does not reach this one.
    pub fn get_book_with(
        &self,
        token: label::Token,
        book: label::Book,
        now: i64,
    ) -> Result<facts::Book, Refused> {
        let token = self.tokens.get(&token).filter(|token| token.is_active(now));
        let token = token.ok_or_else(|| Refused::new("required"))?;
        let reached =
            |book: &label::Book| token.books.as_ref().is_none_or(|all| all.contains(book));
        if !reached(&book) {
            return Err(Refused::new("insufficientScope"));
        }
        let mut shown =
            self.get_book(book, &Caller { who: token.user, agent: None, depth: 0, now })?;
        if let Some(collection) = &mut shown.collection {
            collection.books.retain(|book| reached(&book.label));
        }
        Ok(shown)
    }
}
