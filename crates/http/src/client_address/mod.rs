//! The address of the client that sent a request (behaviour 10.12).

pub(crate) mod network;
pub(crate) mod proxy;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};

use crate::state::AppState;

/// Whether the operator was told that a proxy is not trusted.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Warns, once, when a proxy on this machine names clients and is not trusted to: then all of them
/// share its address and its limits.
pub(crate) fn warn_of_proxy(peer: Option<SocketAddr>, headers: &HeaderMap, state: &AppState) {
    let Some(peer) = peer.map(|peer| peer.ip().to_canonical()) else { return };
    let is_ignored = peer.is_loopback()
        && headers.contains_key(X_FORWARDED_FOR)
        && !state.trusted_proxies.iter().any(|proxy| proxy.holds(peer));
    if is_ignored && !TOLD.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "a proxy on this machine sends X-Forwarded-For and is not one of --trusted-proxies: \
                all its clients count as one address, and share its limits"
        );
    }
}

/// The address of the client: that of the connection, unless it is a trusted proxy; then the last
/// one in `X-Forwarded-For` that is not.
pub(crate) fn client_address(request: &HttpRequest, state: &AppState) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    proxy::behind(peer.to_canonical(), request.headers(), &state.trusted_proxies)
}
