//! The address of the client of a request (behaviour 10.12).
//!
//! It is the peer of the connection, unless the peer is a proxy that the operator trusts (`proxy`).
//! Rate limits count by address; an IPv6 client has a whole network of them (`network`).

pub mod network;
pub mod proxy;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};

use crate::state::Edge;

/// Whether the warning of [`warn_of_untrusted_proxy`] was logged.
static WARNED: AtomicBool = AtomicBool::new(false);

/// Warns once if an untrusted proxy on this machine sends `X-Forwarded-For`.
///
/// All of its clients would then share its address and its rate limits.
pub fn warn_of_untrusted_proxy(peer: Option<SocketAddr>, headers: &HeaderMap, edge: &Edge) {
    let Some(peer) = peer.map(|peer| peer.ip().to_canonical()) else { return };
    let is_ignored = peer.is_loopback()
        && headers.contains_key(X_FORWARDED_FOR)
        && !edge.site.trusted_proxies.iter().any(|proxy| proxy.contains(peer));
    if is_ignored && !WARNED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "a proxy on this machine sends X-Forwarded-For but is not in --trusted-proxies: all \
                its clients share one address and its rate limits"
        );
    }
}

/// Returns the address of the client.
///
/// It is the peer of the connection. If that is a trusted proxy, it is the last address in
/// `X-Forwarded-For` that is not one.
pub fn client_address(request: &HttpRequest, edge: &Edge) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    proxy::forwarded_address(peer.to_canonical(), request.headers(), &edge.site.trusted_proxies)
}
