//! `X-Forwarded-For` of the proxies in `--trusted-proxies`.
//!
//! The header is ignored if the connection is not from one of them.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};
use ipnet::IpNet;

/// The address or network of a trusted proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

impl TrustedProxy {
    /// Whether an address is in the network.
    pub fn contains(self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl FromStr for TrustedProxy {
    type Err = String;

    /// Parses an address, such as `10.0.0.7` or `fd12::7`, or a network, such as `10.0.0.0/8`.
    fn from_str(text: &str) -> Result<Self, String> {
        let address = || text.parse::<IpAddr>().map(|ip| IpNet::from(ip.to_canonical()));
        let network = text.parse::<IpNet>().or_else(|_| address());
        network.map(Self).map_err(|_| {
            format!("invalid trusted proxy {text:?}: expected an IP address or CIDR block")
        })
    }
}

/// Returns the address of the client behind trusted proxies.
///
/// Each proxy appends the address of its peer, so the list is read from its end, as long as the
/// entries are trusted proxies. If an entry is malformed, the client is the proxy that wrote it.
pub(super) fn forwarded_address(
    peer: IpAddr,
    headers: &HeaderMap,
    trusted: &[TrustedProxy],
) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|proxy| proxy.contains(address));
    if !is_trusted(peer) {
        return peer;
    }
    let lines: Vec<&[u8]> =
        headers.get_all(X_FORWARDED_FOR).map(|value| value.as_bytes()).collect();
    let entries = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    let mut nearest = peer;
    for entry in entries {
        let Some(address) = parse_entry(entry) else { break };
        nearest = address;
        if !is_trusted(address) {
            break;
        }
    }
    nearest
}

/// Parses an entry of the list: an address, which may be in brackets or have a port.
fn parse_entry(entry: &[u8]) -> Option<IpAddr> {
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
        let found = forwarded_address(peer.parse().unwrap(), &headers, &trusted());
        assert_eq!(found.to_string(), expected, "{peer} {lines:?}");
    }

    #[test]
    fn header_of_untrusted_peer_is_ignored() {
        check("203.0.113.9", &[], "203.0.113.9");
        check("203.0.113.9", &[b"198.51.100.2"], "203.0.113.9");
        check("10.1.2.3", &[b"198.51.100.2"], "198.51.100.2");
        check("192.0.2.7", &[b"198.51.100.2"], "198.51.100.2");
        check("192.0.2.8", &[b"198.51.100.2"], "192.0.2.8");
        check("198.51.100.1", &[b"198.51.100.2"], "198.51.100.2");
        check("fd12::1", &[b"2001:db8::5"], "2001:db8::5");
    }

    #[test]
    fn list_is_read_from_its_end() {
        check("10.0.0.1", &[b"203.0.113.1, 198.51.100.2"], "198.51.100.2");
        check("10.0.0.1", &[b"203.0.113.1,198.51.100.2 , 10.9.9.9,10.0.0.2"], "198.51.100.2");
        check("10.0.0.1", &[b"203.0.113.1", b"198.51.100.2, 10.0.0.2"], "198.51.100.2");
        check("10.0.0.1", &[b"203.0.113.1, 198.51.100.2", b"10.0.0.2"], "198.51.100.2");
        // All entries are proxies: the first one.
        check("10.0.0.1", &[b"10.0.0.3, 10.0.0.2"], "10.0.0.3");
        check("10.0.0.1", &[], "10.0.0.1");
    }

    #[test]
    fn malformed_entry_ends_the_list() {
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
    fn entries_may_have_brackets_and_ports() {
        check("10.0.0.1", &[b"198.51.100.2:4711"], "198.51.100.2");
        check("10.0.0.1", &[b"[2001:db8::5]"], "2001:db8::5");
        check("10.0.0.1", &[b"[2001:db8::5]:4711"], "2001:db8::5");
        check("10.0.0.1", &[b"::ffff:198.51.100.2"], "198.51.100.2");
        // An IPv4-mapped IPv6 address equals the IPv4 address.
        check("10.0.0.1", &[b"198.51.100.2, ::ffff:10.0.0.2"], "198.51.100.2");
        check("10.0.0.1", &[b"[198.51.100.2"], "10.0.0.1");
    }

    #[test]
    fn trusted_proxy_is_an_address_or_a_network() {
        for text in ["", "10.0.0.0/33", "10.0.0", "proxy.example.com", "10.0.0.1:80", "*"] {
            assert!(text.parse::<TrustedProxy>().is_err(), "{text:?}");
        }
        let network: TrustedProxy = "10.1.2.3/8".parse().unwrap();
        assert!(network.contains("10.200.0.1".parse().unwrap()));
        assert!(!network.contains("::1".parse().unwrap()));
    }

    /// A valid header value.
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
        forwarded_address(peer.parse().unwrap(), &headers, &trusted())
    }

    proptest! {
        /// Entries before that of the last trusted proxy do not matter.
        #[test]
        fn entries_of_the_client_are_ignored(forged in line()) {
            let client: IpAddr = "203.0.113.77".parse().unwrap();
            let mut joined = forged.clone();
            joined.extend(b",203.0.113.77");
            prop_assert_eq!(found("10.0.0.1", &[&joined]), client);
            prop_assert_eq!(found("10.0.0.1", &[&forged, b"203.0.113.77, 10.0.0.2"]), client);
            prop_assert_eq!(found("203.0.113.77", &[&forged]), client);
        }
    }
}
