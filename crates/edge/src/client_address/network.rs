//! The unit of rate limits by client address.

use std::net::{IpAddr, Ipv6Addr};

/// The network part of an IPv6 address. A client usually has a whole /64.
const NETWORK: u128 = !0 << 64;

/// Returns the address for rate limits: an IPv4 address or the /64 network of an IPv6 address.
pub fn limited_network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V4(ip) => ip.into(),
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & NETWORK).into(),
    }
}
