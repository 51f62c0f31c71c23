//! Addresses that no request of this server may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Metadata services of clouds whose addresses are not link-local.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// Returns whether an address is link-local, a metadata service, unspecified or multicast.
///
/// Cloud machines get the credentials of their role from such addresses. An IPv6 address that
/// embeds an IPv4 address is treated as the IPv4 address.
pub(super) fn is_off_limits(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            ip.is_unspecified()
                || ip.is_link_local()
                || ip.is_multicast()
                || ip.is_broadcast()
                || METADATA_V4.contains(&ip)
        }
        IpAddr::V6(ip) => {
            ip.is_unspecified()
                || ip.is_unicast_link_local()
                || ip.is_multicast()
                || ip == METADATA_V6
                || embedded_v4(ip).is_some_and(|ip| is_off_limits(ip.into()))
        }
    }
}

/// Returns the IPv4 address to which a gateway translates an IPv6 address: NAT64, 6to4 and
/// IPv4-compatible addresses.
fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let address =
        |[high, low]: [u16; 2]| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match ip.segments() {
        [0x64, 0xff9b, 0 | 1, .., high, low] => Some(address([high, low])),
        [0, 0, 0, 0, 0, 0, high, low] if high > 0 => Some(address([high, low])),
        [0x2002, high, low, ..] => Some(address([high, low])),
        _ => None,
    }
}
