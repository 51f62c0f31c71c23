//! What the operator allows webhooks to reach besides the public internet (`--webhook-allow`).

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

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
    /// The addresses of this machine.
    #[must_use]
    pub fn loopback() -> Vec<Self> {
        let networks = ["127.0.0.0/8", "::1/128"].into_iter().filter_map(|text| text.parse().ok());
        networks.map(|network| Self(Target::Network(network))).collect()
    }

    /// Whether it names a host, or the address it has.
    pub(super) fn holds(&self, host: &str, ip: IpAddr) -> bool {
        match &self.0 {
            Target::Network(network) => network.contains(&ip),
            Target::Host(name) => host.strip_suffix('.').unwrap_or(host).eq_ignore_ascii_case(name),
        }
    }
}

impl FromStr for WebhookTarget {
    type Err = String;

    /// Reads a network, such as `10.0.0.0/8`, an address, or a host, such as `bots.internal`.
    fn from_str(text: &str) -> Result<Self, String> {
        let address = || text.parse::<IpAddr>().map(|one| IpNet::from(one.to_canonical()));
        if let Ok(network) = text.parse::<IpNet>().or_else(|_| address()) {
            return Ok(Self(Target::Network(network)));
        }
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if text.is_empty() || !text.chars().all(is_fit) {
            return Err(format!(
                "{text:?} is no network (such as 10.0.0.0/8), no address and no host"
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
    fn loopback_is_this_machine() {
        let holds = |ip: &str| {
            let ip = ip.parse().unwrap();
            WebhookTarget::loopback().iter().any(|target| target.holds("", ip))
        };
        assert!(holds("127.0.0.1") && holds("127.9.9.9") && holds("::1"));
        assert!(!holds("128.0.0.1") && !holds("::2") && !holds("10.0.0.1"));
    }
}
