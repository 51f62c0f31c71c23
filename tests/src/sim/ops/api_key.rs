//! Operations on API keys, which belong to a user and not to a book.

use std::sync::Arc;

use daybook_domain::api_key::{ApiKeyUsage, KeyDigest, KeyRequest};
use daybook_domain::instant::Instant;
use daybook_service::api_key;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Keys {
    Create(label::ApiKey, Option<String>),
    Revoke(label::ApiKey),
    List,
    Get(label::ApiKey),
    /// A request with the key, from any sender.
    Call(label::ApiKey),
}

pub fn draw_write(draw: &mut Draw<'_>) -> DynOperation {
    if draw.one_in(3) {
        return Arc::new(Keys::Revoke(key(draw)));
    }
    let name = match draw.below(4) {
        0 => None,
        1 if draw.unrestricted => Some("\u{e9}".repeat(draw.pick(&[255, 256]))),
        _ => Some(" importer ".to_owned()),
    };
    Arc::new(Keys::Create(draw.label(), name))
}

pub fn draw_use(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(5) {
        0 => Keys::List,
        1 => Keys::Get(key(draw)),
        _ => Keys::Call(key(draw)),
    })
}

/// Usually a key of the caller.
fn key(draw: &mut Draw<'_>) -> label::ApiKey {
    let any = draw.one_in(4);
    let known = draw.model.api_keys.values().filter(|one| any || one.user == draw.caller.who);
    let known: Vec<label::ApiKey> = known.map(|one| one.label).collect();
    if known.is_empty() { label::ApiKey(0) } else { draw.pick(&known) }
}

impl Operation for Keys {
    fn book(&self) -> label::Book {
        label::Book(0)
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            Keys::Create(label, name) => {
                let digest = service.digest(*label);
                let request = KeyRequest { name: name.clone(), rate: None };
                let made = service
                    .own(caller, move |tx, cx| api_key::create(tx, cx, |_| digest, request))?;
                service.labels.api_keys.note(made.key.id.get(), *label);
                vec![made]
            }
            Keys::Revoke(label) => {
                let id = service.api_key_id(*label);
                vec![service.own(caller, move |tx, cx| api_key::revoke(tx, cx, &id))?]
            }
            Keys::List => service.read(self.book(), caller, |tx, cx, _| api_key::list(tx, cx))?,
            Keys::Get(label) => {
                let id = service.api_key_id(*label);
                vec![service.read(self.book(), caller, |tx, cx, _| api_key::get(tx, cx, &id))?]
            }
            Keys::Call(label) => {
                call(service, caller, service.digest(*label))?;
                Vec::new()
            }
        };
        Ok(Answer::ApiKeys(found.iter().map(|one| service.api_key(one)).collect()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        Ok(Answer::ApiKeys(match self {
            Keys::Create(label, name) => vec![model.create_key(caller, *label, name.as_deref())?],
            Keys::Revoke(label) => vec![model.revoke_key(caller, *label)?],
            Keys::List => model.list_keys(caller),
            Keys::Get(label) => vec![model.get_key(caller, *label)?],
            Keys::Call(label) if model.call_with(*label, caller.now) => Vec::new(),
            Keys::Call(_) => return Err(Refusal::missing()),
        }))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        match self {
            Keys::Create(label, Some(_)) => vec![Arc::new(Keys::Create(*label, None))],
            _ => Vec::new(),
        }
    }
}

/// Resolves the key of a request and records its use, as the HTTP layer does periodically.
fn call(service: &Service, caller: &Caller, digest: KeyDigest) -> Result<(), Refusal> {
    let now = Instant::new(caller.now);
    let found = service
        .read(label::Book(0), caller, |tx, _, _| api_key::find_active(tx, &digest))?
        .ok_or_else(Refusal::missing)?;
    let counted = vec![(found.id, ApiKeyUsage { day: api_key::day(now), calls: 1 })];
    service.own(caller, move |tx, _| api_key::add_calls(tx, &counted, now))
}
