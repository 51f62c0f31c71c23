//! What counts as one client.

use std::net::{IpAddr, Ipv6Addr};

/// The network part of an IPv6 address: whoever has one address of a /64 has them all.
const NETWORK: u128 = !0 << 64;

/// What counts as one client: an address, or a network (/64) of IPv6.
pub(crate) fn counted(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V4(ip) => ip.into(),
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & NETWORK).into(),
    }
}
