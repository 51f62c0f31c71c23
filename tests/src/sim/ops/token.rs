//! Operations on access tokens, which belong to a user and not to a book.

use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::token::{TokenRequest, TokenScope};
use daybook_service::{book, token};

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::token::TokenInput;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Tokens {
    Issue(TokenInput),
    Revoke(label::Token),
    List,
    Get(label::Token),
}

/// Reads a book with a token.
#[derive(Clone, Debug)]
struct Use {
    token: label::Token,
    book: label::Book,
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    if draw.one_in(3) {
        return Arc::new(Tokens::Revoke(token(draw)));
    }
    let name = match draw.below(4) {
        0 => None,
        1 if draw.unrestricted => Some("\u{e9}".repeat(draw.pick(&[255, 256]))),
        _ => Some(" laptop ".to_owned()),
    };
    let days = if draw.unrestricted && draw.one_in(3) {
        Some(draw.pick(&[0, -1, 3_651]))
    } else {
        draw.pick(&[None, Some(1), Some(20), Some(3_650)])
    };
    let all: Vec<label::Book> = draw.model.books.keys().copied().collect();
    let one = |draw: &mut Draw<'_>| {
        if draw.unrestricted || all.is_empty() { label::Book(0) } else { draw.pick(&all) }
    };
    let books = draw.one_in(2).then(|| {
        let count = if draw.unrestricted { draw.below(3) } else { 1 + draw.below(2) };
        (0..count).map(|_| one(draw)).collect()
    });
    Arc::new(Tokens::Issue(TokenInput {
        label: draw.label(),
        name,
        days,
        read_only: draw.one_in(3),
        books,
    }))
}

pub fn draw_use(draw: &mut Draw<'_>) -> DynOperation {
    match draw.below(5) {
        0 => Arc::new(Tokens::List),
        1 => Arc::new(Tokens::Get(token(draw))),
        _ => Arc::new(Use { token: token(draw), book: draw.book }),
    }
}

/// Usually a token of the caller.
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

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            Tokens::Issue(TokenInput { label, name, days, read_only, books }) => {
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

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        Ok(Answer::Tokens(match self {
            Tokens::Issue(input) => vec![model.issue_token(caller, input)?],
            Tokens::Revoke(label) => vec![model.revoke_token(caller, *label)?],
            Tokens::List => model.list_tokens(caller),
            Tokens::Get(label) => vec![model.get_token(caller, *label)?],
        }))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let Tokens::Issue(input) = self else { return Vec::new() };
        let mut smaller = Vec::new();
        smaller.extend(input.name.is_some().then(|| TokenInput { name: None, ..input.clone() }));
        smaller.extend(input.days.is_some().then(|| TokenInput { days: None, ..input.clone() }));
        smaller.extend(input.books.is_some().then(|| TokenInput { books: None, ..input.clone() }));
        smaller.extend(input.read_only.then(|| TokenInput { read_only: false, ..input.clone() }));
        smaller.into_iter().map(|input| Arc::new(Tokens::Issue(input)) as DynOperation).collect()
    }
}

impl Operation for Use {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let (id, now) = (service.token_id(self.token), Instant::new(caller.now));
        let authenticate =
            service.read(self.book, caller, |tx, _, _| token::authenticate(tx, id, now))?;
        let (user, token) = authenticate.ok_or_else(|| Refusal::new("required"))?;
        let bearer = Caller { who: service.user(user.id), agent: None, depth: 0, now: caller.now };
        let view = service.read(self.book, &bearer, |tx, cx, book| {
            let limited = daybook_service::Context { scope: token.scope, ..cx.clone() };
            book::get(tx, &limited, book, false, false)
        })?;
        Ok(Answer::Book(Box::new(service.book(&view, &bearer))))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = model.get_book_with(self.token, self.book, caller.now)?;
        Ok(Answer::Book(Box::new(book)))
    }
}
