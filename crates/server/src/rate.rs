//! The options that bound how often clients ask. Their doc comments are the texts of `--help`.

use std::num::NonZeroU32;

use clap::Args;
use daybook_http::TrustedProxy;

/// How often clients may ask, and how they are told apart.
#[derive(Debug, Args)]
pub(crate) struct RateArgs {
    /// Proxies whose X-Forwarded-For tells the address of the client, separated by commas:
    /// addresses and networks such as 10.0.0.0/8; none by default
    #[arg(long, env = "DAYBOOK_TRUSTED_PROXIES", value_delimiter = ',', value_name = "ENTRY")]
    pub(crate) trusted_proxies: Vec<TrustedProxy>,

    /// Access tokens that are not valid a client's address may send in a minute, before further
    /// ones are answered 429
    #[arg(
        long,
        env = "DAYBOOK_REFUSED_TOKENS_PER_MINUTE",
        default_value = "30",
        value_name = "N",
        value_parser = attempts
    )]
    pub(crate) refused_tokens_per_minute: NonZeroU32,
}

/// From 1 to a million.
fn attempts(text: &str) -> Result<NonZeroU32, String> {
    let number = text.parse().ok().filter(|number: &NonZeroU32| number.get() <= 1_000_000);
    number.ok_or_else(|| "a number from 1 to 1000000".to_owned())
}
