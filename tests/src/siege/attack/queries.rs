//! Searches that look at much and find nothing.

use serde_json::json;

use super::{Weapon, every_second_leaves, get, requests};
use crate::siege::env::Ground;
use crate::siege::load::Request;
use crate::{encode, unique};

/// Descriptions of equal letters, searched for as many as a term may have and one other.
pub(super) fn searches(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let long = "a".repeat(65_535);
    ground.record_in(&book, (ground.size.of(400), 50), |_| json!({"description": long}))?;
    let allowed = encode(&format!("{}b", "a".repeat(255)));
    let longer = encode(&format!("{}b", "a".repeat(9_990)));
    Ok(requests(move |turn| {
        // One in eight is more than a term may have.
        let text = if turn.is_multiple_of(8) { &longer } else { &allowed };
        let request = get(format!("/v5/books/{book}/transactions?query={text}"));
        Request { then: every_second_leaves(turn), ..request }
    }))
}

/// Long searches of sixteen users whom the attacker has brought in: twice as many as there are
/// readers.
pub(super) fn newcomers(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let long = "a".repeat(65_535);
    ground.record_in(&book, (ground.size.of(400), 50), |_| json!({"description": long}))?;
    let emails: Vec<String> = (0..16).map(|_| format!("{}@example.com", unique("new"))).collect();
    for email in &emails {
        let body = json!({"email": email, "permission": "VIEWER"});
        ground.made(&format!("/v5/books/{book}/collaborators"), &body);
    }
    let tokens: Vec<Option<String>> = ground
        .server
        .clients(&emails)
        .iter()
        .map(|client| client.token().map(str::to_owned))
        .collect();
    let text = |at: usize| format!("-{}b{}", "a".repeat(at), "a".repeat(255 - at));
    let query = encode(&(0..199).map(text).collect::<Vec<_>>().join(" "));
    Ok(requests(move |turn| {
        let request = get(format!("/v5/books/{book}/transactions/count?query={query}"));
        let who = usize::try_from(turn % 16).unwrap_or_default();
        Request { token: tokens[who].clone(), ..request }
    }))
}

/// As many excluded hashtags as a query may have, over 20,000 transactions that have none.
pub(super) fn hashtags(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    ground.record(&book, ground.size.of(20_000), |_| json!({"description": "Dinner #out"}))?;
    // None is cheaper for an answer that was given before.
    Ok(requests(move |turn| {
        let terms = (0..199).map(|number| format!("-#t{turn}_{number}"));
        let query = encode(&terms.collect::<Vec<_>>().join(" "));
        let request = get(format!("/v5/books/{book}/transactions/count?query={query}"));
        Request { then: every_second_leaves(turn), ..request }
    }))
}
