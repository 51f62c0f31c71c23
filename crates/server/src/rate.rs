//! The options of rate limits.

use std::num::NonZeroU32;

use clap::Args;
use daybook_auth::rate::Quotas;
use daybook_domain::api_key::{MAX_RATE, MIN_RATE};
use daybook_edge::client_address::proxy::TrustedProxy;

/// The options of rate limits, and of client addresses.
#[derive(Debug, Args)]
pub(crate) struct RateArgs {
    /// Proxies whose X-Forwarded-For contains the address of the client, separated by commas:
    /// addresses and networks such as 10.0.0.0/8; none by default
    #[arg(long, env = "DAYBOOK_TRUSTED_PROXIES", value_delimiter = ',', value_name = "ENTRY")]
    pub(crate) trusted_proxies: Vec<TrustedProxy>,

    /// Invalid access tokens that an address may send in a minute before further ones get 429
    #[arg(
        long,
        env = "DAYBOOK_REFUSED_TOKENS_PER_MINUTE",
        default_value = "30",
        value_name = "N",
        value_parser = attempts
    )]
    pub(crate) refused_tokens_per_minute: NonZeroU32,

    /// Cost of the calls of a user or an API key in a minute before further ones get 429: 0 for no
    /// limit, else 3 to 100000; by default 60 with --providers, else no limit
    #[arg(long, env = "DAYBOOK_QUOTA_PER_MINUTE", value_name = "CALLS", value_parser = quota)]
    quota_per_minute: Option<u32>,

    /// Cost of the calls of a user in the web console in a minute before further ones get 429,
    /// where there are quotas: 3 to 100000
    #[arg(
        long,
        env = "DAYBOOK_CONSOLE_QUOTA",
        default_value = "1200",
        value_name = "CALLS",
        value_parser = console_quota
    )]
    console_quota: NonZeroU32,
}

/// The quota per minute if an identity provider is configured (behaviour 10.6).
const DEFAULT_QUOTA: u32 = 60;

impl RateArgs {
    /// Returns the quotas, if there are any.
    pub(crate) fn quotas(&self, has_providers: bool) -> Option<Quotas> {
        let default = if has_providers { DEFAULT_QUOTA } else { 0 };
        let quota = NonZeroU32::new(self.quota_per_minute.unwrap_or(default));
        quota.map(|quota| Quotas::per_minute(quota, self.console_quota))
    }
}

/// Parses 0 or a rate that an API key may have.
fn quota(text: &str) -> Result<u32, String> {
    let number = text.parse().ok();
    let number = number.filter(|calls| *calls == 0 || (MIN_RATE..=MAX_RATE).contains(calls));
    number.ok_or_else(|| format!("expected 0, or a number from {MIN_RATE} to {MAX_RATE}"))
}

/// Parses a rate that an API key may have.
fn console_quota(text: &str) -> Result<NonZeroU32, String> {
    let number = text.parse().ok();
    let number = number.filter(|calls: &NonZeroU32| (MIN_RATE..=MAX_RATE).contains(&calls.get()));
    number.ok_or_else(|| format!("expected a number from {MIN_RATE} to {MAX_RATE}"))
}

/// Parses a number from 1 to a million.
fn attempts(text: &str) -> Result<NonZeroU32, String> {
    let number = text.parse().ok().filter(|number: &NonZeroU32| number.get() <= 1_000_000);
    number.ok_or_else(|| "expected a number from 1 to 1000000".to_owned())
}
