//! API keys, from behaviour 10.13.

use jiff::ToSpan as _;

use super::{Caller, Model, dates};
use crate::sim::facts::{ApiKey, Refusal};
use crate::sim::label;

/// A revoked key is listed for 30 days.
const LISTED: i64 = 30 * 24 * 3_600_000;
const LONGEST_NAME: usize = 255;
/// The limit of keys per user: active ones, and active plus listed revoked ones.
const MAX_ACTIVE: usize = 10;
const MAX_LISTED: usize = 30;

impl Model {
    pub fn create_key(
        &mut self,
        caller: &Caller,
        label: label::ApiKey,
        name: Option<&str>,
    ) -> Result<ApiKey, Refusal> {
        let name = name.unwrap_or_default().trim().to_owned();
        let all = self.list_keys(caller);
        let active = all.iter().filter(|key| key.revoked.is_none()).count();
        if name.chars().count() > LONGEST_NAME || active >= MAX_ACTIVE || all.len() >= MAX_LISTED {
            return Err(Refusal::bad());
        }
        let (user, created) = (caller.who, caller.now);
        let key = ApiKey { label, user, name, created, revoked: None, usage: Vec::new() };
        self.api_keys.insert(label, key.clone());
        Ok(key)
    }

    /// Lists the caller's own keys, newest first.
    pub fn list_keys(&self, caller: &Caller) -> Vec<ApiKey> {
        let own = self.api_keys.values().rev().filter(|key| key.user == caller.who);
        let listed = |key: &&ApiKey| key.revoked.is_none_or(|at| caller.now <= at + LISTED);
        own.filter(listed).map(|key| shown(key, caller.now)).collect()
    }

    pub fn get_key(&self, caller: &Caller, label: label::ApiKey) -> Result<ApiKey, Refusal> {
        let all = self.list_keys(caller);
        all.into_iter().find(|key| key.label == label).ok_or_else(Refusal::missing)
    }

    /// Revokes a key; an already revoked one is unchanged.
    pub fn revoke_key(&mut self, caller: &Caller, label: label::ApiKey) -> Result<ApiKey, Refusal> {
        self.get_key(caller, label)?;
        let key = self.api_keys.get_mut(&label).expect("it was just found");
        key.revoked.get_or_insert(caller.now);
        self.get_key(caller, label)
    }

    /// Counts a call with a key, from any sender. Returns whether the key is valid.
    pub fn call_with(&mut self, label: label::ApiKey, now: i64) -> bool {
        let Some(key) = self.api_keys.get_mut(&label) else { return false };
        if key.revoked.is_some() {
            return false;
        }
        let today = dates::day(now, "UTC");
        match key.usage.first_mut().filter(|(day, _)| *day == today) {
            Some((_, calls)) => *calls += 1,
            None => key.usage.insert(0, (today, 1)),
        }
        true
    }
}

/// The key with its calls of the last 31 days.
fn shown(key: &ApiKey, now: i64) -> ApiKey {
    let since = dates::day(now, "UTC") - 30.days();
    let mut shown = key.clone();
    shown.usage.retain(|(day, _)| *day >= since);
    shown
}
