//! Options for clients that were made for the hosted v5 API.

use clap::{Args, ValueEnum};
use daybook_edge::Headers;

/// The prefix of the headers of this server.
const OWN_PREFIX: &str = "service-";
/// The prefix that the public v5 clients write.
const V5_PREFIX: &str = "bkper-";

/// The clients that a server is set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// The public clients of the v5 API.
    V5,
}

/// The options for existing clients. Each overrides what `--compat` sets.
#[derive(Debug, Args)]
pub(crate) struct CompatArgs {
    /// Set everything that existing clients need; v5 means --header-prefixes service-,bkper-
    /// --missing-as-no-content --ledger-alias, each of which can be overridden
    #[arg(long, env = "DAYBOOK_COMPAT", hide_possible_values = true, value_name = "CLIENTS")]
    compat: Option<Compat>,

    /// Accepted prefixes of the agent-id and api-key request headers, separated by commas; service-
    /// by default
    #[arg(long, env = "DAYBOOK_HEADER_PREFIXES", value_delimiter = ',', value_name = "PREFIX")]
    header_prefixes: Option<Vec<String>>,

    /// Respond with 204 instead of 404 if getAccount, getGroup or getTransaction find nothing, as
    /// some clients of the v5 API expect
    #[arg(
        long,
        env = "DAYBOOK_MISSING_AS_NO_CONTENT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        value_name = "BOOL"
    )]
    missing_as_no_content: Option<bool>,

    /// Also serve POST /v2/ledgers/{id}/accounts, where older clients create accounts
    #[arg(
        long,
        env = "DAYBOOK_LEDGER_ALIAS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        value_name = "BOOL"
    )]
    ledger_alias: Option<bool>,
}

impl CompatArgs {
    /// Returns the names of the headers of requests and deliveries.
    ///
    /// # Errors
    /// A prefix that does not make a valid header name.
    pub(crate) fn headers(&self) -> anyhow::Result<Headers> {
        let usual = match self.compat {
            Some(Compat::V5) => vec![OWN_PREFIX.to_owned(), V5_PREFIX.to_owned()],
            None => vec![OWN_PREFIX.to_owned()],
        };
        Headers::with_prefixes(self.header_prefixes.as_ref().unwrap_or(&usual))
            .map_err(|fault| anyhow::anyhow!("invalid --header-prefixes: {fault}"))
    }

    /// Returns whether a missing account, group or transaction gets 204 (behaviour 4.4).
    pub(crate) fn missing_as_no_content(&self) -> bool {
        self.missing_as_no_content.unwrap_or(self.compat.is_some())
    }

    /// Returns whether accounts can also be created at the address of older clients (behaviour
    /// 12.6).
    pub(crate) fn ledger_alias(&self) -> bool {
        self.ledger_alias.unwrap_or(self.compat.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        compat: CompatArgs,
    }

    /// 12.14: a single option wins, whatever the order.
    #[test]
    fn compat_sets_all_options_and_single_options_override_it() {
        let read = |options: &[&str]| {
            let Line { compat } =
                Line::try_parse_from([&["daybook"], options].concat()).expect("valid options");
            let headers = format!("{:?}", compat.headers().expect("valid prefixes"));
            (
                headers.contains("service-agent-id"),
                headers.contains("bkper-agent-id"),
                compat.missing_as_no_content(),
                compat.ledger_alias(),
            )
        };
        for (options, expected) in [
            (&[][..], (true, false, false, false)),
            (&["--compat", "v5"], (true, true, true, true)),
            (&["--missing-as-no-content"], (true, false, true, false)),
            (&["--ledger-alias=true"], (true, false, false, true)),
            (&["--compat", "v5", "--missing-as-no-content=false"], (true, true, false, true)),
            (&["--ledger-alias=false", "--compat=v5"], (true, true, true, false)),
            (&["--compat=v5", "--header-prefixes", "bkper-"], (false, true, true, true)),
            (&["--compat=v5", "--header-prefixes=acme-"], (false, false, true, true)),
        ] {
            assert_eq!(read(options), expected, "{options:?}");
        }
        for options in [&["--compat", "v4"][..], &["--compat"], &["--ledger-alias=maybe"]] {
            assert!(Line::try_parse_from([&["daybook"], options].concat()).is_err(), "{options:?}");
        }
    }
}
