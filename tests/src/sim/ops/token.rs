//! Operations on access tokens. They are their user's and about no book.

use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::token::{TokenRequest, TokenScope};
use daybook_service::{book, token};

use super::{Drawn, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refused};
use crate::sim::label;
use crate::sim::model::token::Issuing;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Tokens {
    Issue(Issuing),
    Revoke(label::Token),
    List,
    Get(label::Token),
}

/// Whoever holds a token reads a book with it.
#[derive(Clone, Debug)]
struct Use {
    token: label::Token,
    book: label::Book,
}

pub fn draw_write(draw: &mut Draw<'_>) -> Drawn {
    if draw.one_in(3) {
        return Arc::new(Tokens::Revoke(token(draw)));
    }
    let name = match draw.below(4) {
        0 => None,
        1 if draw.wild => Some("\u{e9}".repeat(draw.pick(&[255, 256]))),
        _ => Some(" laptop ".to_owned()),
    };
    let days = if draw.wild && draw.one_in(3) {
        Some(draw.pick(&[0, -1, 3_651]))
    } else {
        draw.pick(&[None, Some(1), Some(20), Some(3_650)])
    };
    let all: Vec<label::Book> = draw.model.books.keys().copied().collect();
    let one = |draw: &mut Draw<'_>| {
        if draw.wild || all.is_empty() { label::Book(0) } else { draw.pick(&all) }
    };
    let books = draw.one_in(2).then(|| {
        let count = if draw.wild { draw.below(3) } else { 1 + draw.below(2) };
        (0..count).map(|_| one(draw)).collect()
    });
    Arc::new(Tokens::Issue(Issuing {
        label: draw.label(),
        name,
        days,
        read_only: draw.one_in(3),
        books,
    }))
}

pub fn draw_use(draw: &mut Draw<'_>) -> Drawn {
    match draw.below(5) {
        0 => Arc::new(Tokens::List),
        1 => Arc::new(Tokens::Get(token(draw))),
        _ => Arc::new(Use { token: token(draw), book: draw.book }),
    }
}

/// Mostly one of the caller's own.
fn token(draw: &mut Draw<'_>) -> label::Token {
    let any = draw.one_in(4);
    let known = draw.model.tokens.values().filter(|one| any || one.user == draw.caller.who);
    let known: Vec<label::Token> = known.map(|one| one.label).collect();
    if known.is_empty() { label::Token(0) } else { draw.pick(&known) }
}

impl Operation for Tokens {
    fn book(&self) -> label::Book {
        label::Book(0)
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            Tokens::Issue(Issuing { label, name, days, read_only, books }) => {
                let key = |book: &label::Book| BookKey::new(service.labels.key(*book));
                let books = books.as_ref().map(|books| books.iter().map(key).collect());
                let scope = TokenScope { read_only: *read_only, books, ..TokenScope::default() };
                let request = TokenRequest { name: name.clone(), days: *days, scope };
                let issued = service.own(caller, move |tx, cx| token::issue(tx, cx, request))?;
                service.labels.tokens.note(issued.id.get(), *label);
                vec![issued]
            }
            Tokens::Revoke(label) => {
                let id = service.token_id(*label).to_string();
                vec![service.own(caller, move |tx, cx| token::revoke(tx, cx, &id))?]
            }
            Tokens::List => service.read(self.book(), caller, |tx, cx, _| token::list(tx, cx))?,
            Tokens::Get(label) => {
                let id = service.token_id(*label).to_string();
                vec![service.read(self.book(), caller, |tx, cx, _| token::get(tx, cx, &id))?]
            }
        };
        Ok(Answer::Tokens(found.iter().map(|one| service.token(one)).collect()))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        Ok(Answer::Tokens(match self {
            Tokens::Issue(asked) => vec![model.issue_token(caller, asked)?],
            Tokens::Revoke(label) => vec![model.revoke_token(caller, *label)?],
            Tokens::List => model.list_tokens(caller),
            Tokens::Get(label) => vec![model.get_token(caller, *label)?],
        }))
    }

    fn smaller(&self) -> Vec<Drawn> {
        let Tokens::Issue(asked) = self else { return Vec::new() };
        let mut smaller = Vec::new();
        smaller.extend(asked.name.is_some().then(|| Issuing { name: None, ..asked.clone() }));
        smaller.extend(asked.days.is_some().then(|| Issuing { days: None, ..asked.clone() }));
        smaller.extend(asked.books.is_some().then(|| Issuing { books: None, ..asked.clone() }));
        smaller.extend(asked.read_only.then(|| Issuing { read_only: false, ..asked.clone() }));
        smaller.into_iter().map(|asked| Arc::new(Tokens::Issue(asked)) as Drawn).collect()
    }
}

impl Operation for Use {
    fn book(&self) -> label::Book {
        self.book
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let (id, now) = (service.token_id(self.token), Instant::new(caller.now));
        let bearer = service.read(self.book, caller, |tx, _, _| token::bearer(tx, id, now))?;
        let (user, token) = bearer.ok_or_else(|| Refused::new("required"))?;
        let bearer = Caller { who: service.user(user.id), agent: None, depth: 0, now: caller.now };
        let view = service.read(self.book, &bearer, |tx, cx, book| {
            let limited = daybook_service::Context { scope: token.scope, ..cx.clone() };
            book::get(tx, &limited, book, false, false)
        })?;
        Ok(Answer::Book(Box::new(service.book(&view, &bearer))))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = model.get_book_with(self.token, self.book, caller.now)?;
        Ok(Answer::Book(Box::new(book)))
    }
}
