//! Searches that scan much and find little.

use serde_json::json;

use super::{Traffic, every_second_leaves, get, requests};
use crate::siege::env::SiegeEnv;
use crate::siege::load::Request;
use crate::{encode, unique};

/// Descriptions of equal letters, searched for a term of the maximum length that ends with another
/// letter.
pub(super) fn searches(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let long = "a".repeat(65_535);
    env.record_in(&book, env.size.of(400), 50, |_| json!({"description": long}))?;
    let allowed = encode(&format!("{}b", "a".repeat(255)));
    let longer = encode(&format!("{}b", "a".repeat(9_990)));
    Ok(requests(move |number| {
        // One term in eight exceeds the limit.
        let text = if number.is_multiple_of(8) { &longer } else { &allowed };
        let request = get(format!("/v5/books/{book}/transactions?query={text}"));
        Request { then: every_second_leaves(number), ..request }
    }))
}

/// Long searches by sixteen users whom the attacker invited: twice the number of readers.
pub(super) fn newcomers(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let long = "a".repeat(65_535);
    env.record_in(&book, env.size.of(400), 50, |_| json!({"description": long}))?;
    let emails: Vec<String> = (0..16).map(|_| format!("{}@example.com", unique("new"))).collect();
    for email in &emails {
        let body = json!({"email": email, "permission": "VIEWER"});
        env.create(&format!("/v5/books/{book}/collaborators"), &body);
    }
    let tokens: Vec<Option<String>> = env
        .server
        .clients(&emails)
        .iter()
        .map(|client| client.token().map(str::to_owned))
        .collect();
    let text = |at: usize| format!("-{}b{}", "a".repeat(at), "a".repeat(255 - at));
    let query = encode(&(0..199).map(text).collect::<Vec<_>>().join(" "));
    Ok(requests(move |number| {
        let request = get(format!("/v5/books/{book}/transactions/count?query={query}"));
        let who = usize::try_from(number % 16).unwrap_or_default();
        Request { token: tokens[who].clone(), ..request }
    }))
}

/// The maximum number of excluded hashtags, over 20,000 transactions without hashtags.
pub(super) fn hashtags(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    env.record(&book, env.size.of(20_000), |_| json!({"description": "Dinner #out"}))?;
    // Every query is different, so no answer is cached.
    Ok(requests(move |number| {
        let terms = (0..199).map(|term| format!("-#t{number}_{term}"));
        let query = encode(&terms.collect::<Vec<_>>().join(" "));
        let request = get(format!("/v5/books/{book}/transactions/count?query={query}"));
        Request { then: every_second_leaves(number), ..request }
    }))
}
