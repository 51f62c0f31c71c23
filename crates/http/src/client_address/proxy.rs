//! Proxies that the operator names (`--trusted-proxies`) tell the address of the client in
//! `X-Forwarded-For`. What anybody else writes there is not read.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};
use ipnet::IpNet;

/// A proxy, or a network of proxies, whose `X-Forwarded-For` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

impl TrustedProxy {
    /// Whether it is this address, or one of its network.
    pub(crate) fn holds(self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl FromStr for TrustedProxy {
    type Err = String;

    /// Reads an address, such as `10.0.0.7` or `fd12::7`, or a network, such as `10.0.0.0/8`.
    fn from_str(text: &str) -> Result<Self, String> {
        let address = || text.parse::<IpAddr>().map(|one| IpNet::from(one.to_canonical()));
        let network = text.parse::<IpNet>().or_else(|_| address());
        network.map(Self).map_err(|_| {
            format!("{text:?} is no address (such as 10.0.0.7) and no network (such as 10.0.0.0/8)")
        })
    }
}

/// Each proxy appends the address that it was connected from, so the list is read from its end, as
/// far as trusted proxies have written it. Behind one that wrote no address, the client is the
/// proxy itself.
pub(super) fn behind(peer: IpAddr, headers: &HeaderMap, trusted: &[TrustedProxy]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|proxy| proxy.holds(address));
    if !is_trusted(peer) {
        return peer;
    }
    let lines: Vec<&[u8]> =
        headers.get_all(X_FORWARDED_FOR).map(|value| value.as_bytes()).collect();
    let entries = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    let mut nearest = peer;
    for entry in entries {
        let Some(address) = read(entry) else { break };
        nearest = address;
        if !is_trusted(address) {
            break;
        }
    }
    nearest
}

/// An entry of the list: an address, which some proxies put into brackets or add a port to.
fn read(entry: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(entry).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    let address = address.or_else(|| text.parse::<SocketAddr>().ok().map(|with| with.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn trusted() -> Vec<TrustedProxy> {
        ["10.0.0.0/8", "192.0.2.7", "fd12::/16", "::ffff:198.51.100.1"]
            .map(|text| text.parse().unwrap())
            .to_vec()
    }

    #[track_caller]
    fn check(peer: &str, lines: &[&[u8]], expected: &str) {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(line).unwrap());
        }
        let found = behind(peer.parse().unwrap(), &headers, &trusted());
        assert_eq!(found.to_string(), expected, "{peer} {lines:?}");
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        check("203.0.113.9", &[], "203.0.113.9");
        check("203.0.113.9", &[b"198.51.100.2"], "203.0.113.9");
        check("10.1.2.3", &[b"198.51.100.2"], "198.51.100.2");
        check("192.0.2.7", &[b"198.51.100.2"], "198.51.100.2");
        check("192.0.2.8", &[b"198.51.100.2"], "192.0.2.8");
        check("198.51.100.1", &[b"198.51.100.2"], "198.51.100.2");
        check("fd12::1", &[b"2001:db8::5"], "2001:db8::5");
    }

    #[test]
    fn the_list_is_read_from_its_end() {
        check("10.0.0.1", &[b"203.0.113.1, 198.51.100.2"], "198.51.100.2");
        check("10.0.0.1", &[b"203.0.113.1,198.51.100.2 , 10.9.9.9,10.0.0.2"], "198.51.100.2");
        check("10.0.0.1", &[b"203.0.113.1", b"198.51.100.2, 10.0.0.2"], "198.51.100.2");
        check("10.0.0.1", &[b"203.0.113.1, 198.51.100.2", b"10.0.0.2"], "198.51.100.2");
        // Nobody but proxies: the one that is farthest away.
        check("10.0.0.1", &[b"10.0.0.3, 10.0.0.2"], "10.0.0.3");
        check("10.0.0.1", &[], "10.0.0.1");
    }

    #[test]
    fn garbage_ends_the_list() {
        check("10.0.0.1", &[b""], "10.0.0.1");
        check("10.0.0.1", &[b"unknown"], "10.0.0.1");
        check("10.0.0.1", &[b"198.51.100.2,"], "10.0.0.1");
        check("10.0.0.1", &[b"198.51.100.2, _hidden, 10.0.0.2"], "10.0.0.2");
        check("10.0.0.1", &[b"\xff\xfe, 198.51.100.2"], "198.51.100.2");
        check("10.0.0.1", &[b"198.51.100.2, \xff"], "10.0.0.1");
        check("10.0.0.1", &[b"999.1.1.1"], "10.0.0.1");
        check("10.0.0.1", &[b"for=198.51.100.2"], "10.0.0.1");
        check("10.0.0.1", &[b"198.51.100.2 198.51.100.3"], "10.0.0.1");
        check("10.0.0.1", &[&[b','; 4_000]], "10.0.0.1");
    }

    #[test]
    fn proxies_write_addresses_in_several_ways() {
        check("10.0.0.1", &[b"198.51.100.2:4711"], "198.51.100.2");
        check("10.0.0.1", &[b"[2001:db8::5]"], "2001:db8::5");
        check("10.0.0.1", &[b"[2001:db8::5]:4711"], "2001:db8::5");
        check("10.0.0.1", &[b"::ffff:198.51.100.2"], "198.51.100.2");
        // An address of IPv4 in the clothes of IPv6 is on the list all the same.
        check("10.0.0.1", &[b"198.51.100.2, ::ffff:10.0.0.2"], "198.51.100.2");
        check("10.0.0.1", &[b"[198.51.100.2"], "10.0.0.1");
    }

    #[test]
    fn what_can_be_trusted() {
        for text in ["", "10.0.0.0/33", "10.0.0", "proxy.example.com", "10.0.0.1:80", "*"] {
            assert!(text.parse::<TrustedProxy>().is_err(), "{text:?}");
        }
        let network: TrustedProxy = "10.1.2.3/8".parse().unwrap();
        assert!(network.holds("10.200.0.1".parse().unwrap()));
        assert!(!network.holds("::1".parse().unwrap()));
    }

    /// What a header may hold: no line breaks, and no other character that ends it.
    fn line() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            "[0-9a-f.:,\\[\\] ]{0,20}".prop_map(String::into_bytes),
            proptest::collection::vec(prop_oneof![Just(9_u8), 32..=126_u8, 128..=255_u8], 0..20),
            Just(b"10.0.0.2,".to_vec()),
            Just(b"198.51.100.9, ".to_vec()),
        ];
        proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    fn found(peer: &str, lines: &[&[u8]]) -> IpAddr {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(line).unwrap());
        }
        behind(peer.parse().unwrap(), &headers, &trusted())
    }

    proptest! {
        /// Before what the last trusted proxy has written, a client may write anything.
        #[test]
        fn what_clients_write_is_not_believed(made_up in line()) {
            let client: IpAddr = "203.0.113.77".parse().unwrap();
            let mut joined = made_up.clone();
            joined.extend(b",203.0.113.77");
            prop_assert_eq!(found("10.0.0.1", &[&joined]), client);
            prop_assert_eq!(found("10.0.0.1", &[&made_up, b"203.0.113.77, 10.0.0.2"]), client);
            prop_assert_eq!(found("203.0.113.77", &[&made_up]), client);
        }
    }
}
