//! Operations on access tokens, which belong to a user and not to a book.

use std::sync::Arc;

use daybook_domain::id::{BookKey, TokenId};
use daybook_domain::instant::Instant;
use daybook_domain::token::{TokenRequest, TokenScope};
use daybook_service::{book, token};

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
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
    /// Reads a book with a token.
    Use(label::Token),
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
    Arc::new(match draw.below(5) {
        0 => Tokens::List,
        1 => Tokens::Get(token(draw)),
        _ => Tokens::Use(token(draw)),
    })
}

/// Usually a token of the caller.
fn token(draw: &mut Draw<'_>) -> label::Token {
    let any = draw.one_in(4);
    let known = draw.model.tokens.values().filter(|one| any || one.user == draw.caller.who);
    let known: Vec<label::Token> = known.map(|one| one.label).collect();
    draw.one_of(&known).unwrap_or(label::Token(0))
}

impl Operation for Tokens {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            Tokens::Issue(TokenInput { label, name, days, read_only, books }) => {
                let key = |book: &label::Book| BookKey::new(service.labels.key(*book));
                let books = books.as_ref().map(|books| books.iter().map(key).collect());
                let scope = TokenScope { read_only: *read_only, books, ..TokenScope::default() };
                let request = TokenRequest { name: name.clone(), days: *days, scope };
                let issued = service.own(caller, move |tx, cx| token::issue(tx, cx, request))?;
                service.labels.note(issued.id.get(), *label);
                vec![issued]
            }
            Tokens::Revoke(label) => {
                let id = service.labels.text(Id::Of(*label));
                vec![service.own(caller, move |tx, cx| token::revoke(tx, cx, &id))?]
            }
            Tokens::List => service.read(caller, |tx, cx, _| token::list(tx, cx))?,
            Tokens::Get(label) => {
                let id = service.labels.text(Id::Of(*label));
                vec![service.read(caller, |tx, cx, _| token::get(tx, cx, &id))?]
            }
            Tokens::Use(label) => return read_with(*label, service, caller),
        };
        answer(service.all(&found, Service::token))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Tokens::Issue(input) => vec![model.issue_token(caller, input)?],
            Tokens::Revoke(label) => vec![model.revoke_token(caller, *label)?],
            Tokens::List => model.list_tokens(caller),
            Tokens::Get(label) => vec![model.get_token(caller, *label)?],
            Tokens::Use(label) => return answer(model.get_book_with(*label, caller)?),
        })
    }
}

fn read_with(token: label::Token, service: &Service, caller: &Caller) -> Outcome {
    let id = TokenId::new(service.labels.id(token).unwrap_or_default());
    let now = Instant::new(caller.now);
    let found = service.read(caller, |tx, _, _| token::authenticate(tx, id, now))?;
    let (user, token) = found.ok_or_else(|| Refusal::new("required"))?;
    let bearer = Caller { who: service.user(user.id), agent: None, depth: 0, ..caller.clone() };
    let view = service.read(&bearer, |tx, cx, key| {
        let limited = daybook_service::Context { scope: token.scope, ..cx.clone() };
        book::get(tx, &limited, key, false, false)
    })?;
    answer(service.book(&view, &bearer))
}
