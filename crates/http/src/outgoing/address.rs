//! Which addresses this server connects to: the one place that decides it.
//!
//! Providers are configured by the operator and may stand in the same network, so private and
//! loopback addresses are allowed. Link-local ones are not: cloud machines find the credentials of
//! their own role there.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The metadata service of a cloud at an address that is not link-local.
const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// Whether an address may be connected to.
pub(crate) fn may_be_reached(ip: IpAddr) -> bool {
    // ::ffff:169.254.169.254 is the same machine as 169.254.169.254.
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            !(ip.is_unspecified() || ip.is_link_local() || ip.is_multicast() || ip.is_broadcast())
        }
        IpAddr::V6(ip) => {
            !(ip.is_unspecified()
                || ip.is_unicast_link_local()
                || ip.is_multicast()
                || ip == METADATA)
        }
    }
}

/// The IP address that stands in a URL itself, where that names no host.
pub(crate) fn written_in(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

/// Whether a URL leads to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    url.host_str() == Some("localhost") || written_in(url).is_some_and(|ip| ip.is_loopback())
}

/// Finds the addresses of a name that may be connected to. The connection is made to what is
/// returned, so an answer that changes between check and connection changes nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> =
                found.filter(|address| may_be_reached(address.ip())).collect();
            if allowed.is_empty() {
                let refused = io::Error::other("the name has no address that may be reached");
                return Err(refused.into());
            }
            let allowed: Addrs = Box::new(allowed.into_iter());
            Ok(allowed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_reached() {
        for allowed in ["127.0.0.1", "10.0.0.1", "192.168.1.1", "93.184.216.34", "::1", "fd12::1"] {
            assert!(may_be_reached(allowed.parse().unwrap()), "{allowed}");
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
        ] {
            assert!(!may_be_reached(refused.parse().unwrap()), "{refused}");
        }
    }
}
