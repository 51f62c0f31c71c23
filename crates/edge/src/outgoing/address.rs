//! Rules for the addresses that this server may connect to. No other module decides that.
//!
//! The operator configures identity providers, which may be in the same network. So private and
//! loopback addresses are allowed for them, but link-local ones are not: cloud machines get the
//! credentials of their role from there. Any developer of an app chooses the address of its
//! webhook. So webhooks reach only the public internet, and what the operator allows besides.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::allowed::WebhookTarget;
use super::off_limits::is_off_limits;

/// The addresses that a client may connect to.
#[derive(Debug, Clone)]
pub enum Reach {
    /// Addresses that the operator has configured.
    Configured,
    /// The public internet.
    Public,
    /// Only the addresses that the operator allows for webhooks.
    Allowed(Arc<[WebhookTarget]>),
}

impl Reach {
    /// Returns whether a client may connect to this address of a host.
    pub(crate) fn permits(&self, host: &str, ip: IpAddr) -> bool {
        // ::ffff:169.254.169.254 is the same machine as 169.254.169.254.
        let ip = ip.to_canonical();
        match self {
            Self::Configured => !is_off_limits(ip),
            Self::Public => is_public(ip) && !is_off_limits(ip),
            Self::Allowed(targets) => targets.iter().any(|target| target.permits(host, ip)),
        }
    }
}

/// Returns whether an address is globally reachable (RFC 6890 and the special-purpose registries).
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = match (a, b, c) {
        (0 | 10 | 127, _, _) | (224..=255, _, _) => true,
        // Shared address space of carriers.
        (100, 64..=127, _) => true,
        (169, 254, _) | (172, 16..=31, _) | (192, 168, _) => true,
        // Protocol assignments, documentation, 6to4 relays, benchmarks.
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 18..=19, _) => true,
        (198, 51, 100) | (203, 0, 113) => true,
        _ => false,
    };
    !special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    // Everything outside 2000::/3 is special, including NAT64, which embeds an IPv4 address.
    let global = a & 0xe000 == 0x2000;
    let special = match (a, b) {
        // Teredo and other protocols, documentation.
        (0x2001, 0..=0x01ff | 0xdb8) | (0x3fff, 0..=0x0fff) => true,
        // 6to4 embeds an IPv4 address.
        (0x2002, _) => true,
        _ => false,
    };
    global && !special
}

/// Returns the host of a URL, an IPv6 address without brackets. It is empty without a host.
#[must_use]
pub fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_matches(['[', ']'])
}

/// Returns the IP address in a URL, if the URL contains one instead of a host name.
pub(crate) fn literal_address(url: &Url) -> Option<IpAddr> {
    host_of(url).parse().ok()
}

/// No address of a name may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("the address may not be reached")]
pub(super) struct NoneReachable;

/// Returns whether a URL leads to this machine.
pub fn is_loopback(url: &Url) -> bool {
    url.host_str() == Some("localhost") || literal_address(url).is_some_and(|ip| ip.is_loopback())
}

/// The addresses of a name, being looked up.
pub type LookedUp = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
/// A function that looks up a name.
pub type NameLookup = Arc<dyn Fn(String) -> LookedUp + Send + Sync>;

/// Returns the name lookup of the operating system.
#[must_use]
pub fn system_lookup() -> NameLookup {
    Arc::new(|name| {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    })
}

/// A resolver that returns only addresses that may be connected to.
///
/// The client connects to what it returns, so a second answer of the name server has no effect.
#[derive(Clone)]
pub(super) struct Resolver {
    pub(super) reach: Reach,
    pub(super) lookup: NameLookup,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, found) = (self.reach.clone(), (self.lookup)(name.as_str().to_owned()));
        Box::pin(async move {
            let mut found = match (found.await, &reach) {
                (Ok(found), _) => found,
                (Err(error), Reach::Configured) => return Err(error.into()),
                // Webhook names are chosen by developers, who must not learn which internal names
                // exist.
                (Err(_), Reach::Public | Reach::Allowed(_)) => Vec::new(),
            };
            found.retain(|address| reach.permits(name.as_str(), address.ip()));
            if found.is_empty() {
                return Err(NoneReachable.into());
            }
            let allowed: Addrs = Box::new(found.into_iter());
            Ok(allowed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(texts: &[&str]) -> Arc<[WebhookTarget]> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn configured_reach_excludes_metadata_and_link_local() {
        let permits = |text: &str| Reach::Configured.permits("", text.parse().unwrap());
        for allowed in ["127.0.0.1", "10.0.0.1", "192.168.1.1", "93.184.216.34", "::1", "fd12::1"] {
            assert!(permits(allowed), "{allowed}");
        }
        for refused in [
            "0.0.0.0",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "fe80::1",
            "ff02::1",
            "fd00:ec2::254",
            "64:ff9b::a9fe:a9fe",
            "100.100.100.200",
        ] {
            assert!(!permits(refused), "{refused}");
        }
    }

    const PUBLIC: [&str; 8] = [
        "93.184.216.34",
        "1.1.1.1",
        "100.63.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "::ffff:93.184.216.34",
        "2606:4700::1111",
        "2a00:1450::1",
    ];

    const SPECIAL: [&str; 31] = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.19.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2001:db8::1",
        "2001::1",
        "2002:7f00:1::",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "ff02::1",
    ];

    #[test]
    fn webhooks_reach_only_the_public_internet() {
        let (public, plain) = (Reach::Public, Reach::Allowed(targets(&[])));
        for text in PUBLIC {
            assert!(public.permits("bot.example", text.parse().unwrap()), "{text}");
            assert!(!plain.permits("bot.example", text.parse().unwrap()), "without TLS: {text}");
        }
        for text in SPECIAL {
            assert!(!public.permits("bot.example", text.parse().unwrap()), "{text}");
            assert!(!plain.permits("bot.example", text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn allowed_targets_are_reached_besides() {
        let reach = Reach::Allowed(targets(&["10.1.0.0/16", "::1", "Bots.internal"]));
        for (host, ip, expected) in [
            ("bot.example", "10.1.2.3", true),
            ("bot.example", "::ffff:10.1.2.3", true),
            ("bot.example", "10.2.0.1", false),
            ("bot.example", "::1", true),
            ("bot.example", "127.0.0.1", false),
            ("bots.internal", "192.168.0.9", true),
            ("bots.internal.", "192.168.0.9", true),
            ("x.bots.internal", "192.168.0.9", false),
        ] {
            assert_eq!(reach.permits(host, ip.parse().unwrap()), expected, "{host} {ip}");
        }
    }
}
