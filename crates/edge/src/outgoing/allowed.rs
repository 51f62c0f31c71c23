//! Targets that the operator allows webhooks to reach besides the public internet
//! (`--webhook-allow`).

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use super::off_limits::is_off_limits;

/// A host, an address or a network that webhooks may reach, also without TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookTarget(Target);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Network(IpNet),
    /// In lower case.
    Host(String),
}

impl WebhookTarget {
    /// Returns the loopback networks.
    #[must_use]
    pub fn loopback() -> Vec<Self> {
        let networks = ["127.0.0.0/8", "::1/128"].into_iter().filter_map(|text| text.parse().ok());
        networks.map(|network| Self(Target::Network(network))).collect()
    }

    /// Returns whether this is a network of more than 256 addresses.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        match &self.0 {
            Target::Network(network) => {
                network.max_prefix_len().saturating_sub(network.prefix_len()) > 8
            }
            Target::Host(_) => false,
        }
    }

    /// Returns whether this target covers an address of a host.
    ///
    /// Metadata services and similar addresses are covered only by an entry with exactly that
    /// address, because a wide network rarely means to include them.
    pub(super) fn permits(&self, host: &str, ip: IpAddr) -> bool {
        match &self.0 {
            Target::Network(network) => {
                network.contains(&ip)
                    && (network.prefix_len() == network.max_prefix_len() || !is_off_limits(ip))
            }
            Target::Host(name) => {
                !is_off_limits(ip)
                    && host.strip_suffix('.').unwrap_or(host).eq_ignore_ascii_case(name)
            }
        }
    }
}

impl fmt::Display for WebhookTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Target::Network(network) => write!(f, "{network}"),
            Target::Host(host) => f.write_str(host),
        }
    }
}

impl FromStr for WebhookTarget {
    type Err = String;

    /// Parses a network such as `10.0.0.0/8`, an address, or a host such as `bots.internal`.
    fn from_str(text: &str) -> Result<Self, String> {
        let address = || text.parse::<IpAddr>().map(|one| IpNet::from(one.to_canonical()));
        if let Ok(network) = text.parse::<IpNet>().or_else(|_| address()) {
            return Ok(Self(Target::Network(network)));
        }
        let is_valid = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if text.is_empty() || !text.chars().all(is_valid) {
            return Err(format!(
                "invalid entry {text:?}: expected a network (such as 10.0.0.0/8), an address or a \
                 host"
            ));
        }
        Ok(Self(Target::Host(text.to_ascii_lowercase())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_networks_addresses_and_hosts() {
        for text in ["10.0.0.0/8", "127.0.0.1", "fd00::/8", "::1", "localhost", "bots.internal"] {
            assert!(text.parse::<WebhookTarget>().is_ok(), "{text}");
        }
        for text in ["", "http://bot.example", "10.0.0.0/99", "bot.example:80", "a b", "*"] {
            assert!(text.parse::<WebhookTarget>().is_err(), "{text}");
        }
    }

    #[test]
    fn wide_entries_do_not_hold_metadata_addresses() {
        for (entry, ip, expected) in [
            ("0.0.0.0/0", "10.0.0.1", true),
            ("0.0.0.0/0", "169.254.169.254", false),
            ("0.0.0.0/0", "0.0.0.0", false),
            ("0.0.0.0/0", "224.0.0.1", false),
            ("169.254.0.0/16", "169.254.169.254", false),
            ("169.254.169.254/31", "169.254.169.254", false),
            ("169.254.169.254", "169.254.169.254", true),
            ("169.254.169.254/32", "169.254.169.254", true),
            ("100.64.0.0/10", "100.100.100.200", false),
            ("192.0.0.0/24", "192.0.0.192", false),
            ("168.63.0.0/16", "168.63.129.16", false),
            ("fd00::/8", "fd12::1", true),
            ("fd00::/8", "fd00:ec2::254", false),
            ("fd00:ec2::254", "fd00:ec2::254", true),
            ("::/0", "fe80::1", false),
            ("::/0", "64:ff9b::a9fe:a9fe", false),
            ("::/0", "64:ff9b:1::a9fe:a9fe", false),
            ("::/0", "2002:a9fe:a9fe::1", false),
            ("::/0", "::169.254.169.254", false),
            ("::/0", "64:ff9b::a00:1", true),
            ("bots.internal", "169.254.169.254", false),
            ("bots.internal", "fe80::1", false),
            ("bots.internal", "10.0.0.1", true),
        ] {
            let target: WebhookTarget = entry.parse().unwrap();
            assert_eq!(
                target.permits("bots.internal", ip.parse().unwrap()),
                expected,
                "{entry} {ip}"
            );
        }
    }

    #[test]
    fn loopback_is_this_machine() {
        let permits = |ip: &str| {
            let ip = ip.parse().unwrap();
            WebhookTarget::loopback().iter().any(|target| target.permits("", ip))
        };
        assert!(permits("127.0.0.1") && permits("127.9.9.9") && permits("::1"));
        assert!(!permits("128.0.0.1") && !permits("::2") && !permits("10.0.0.1"));
    }
}
