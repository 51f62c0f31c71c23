//! The address of the client that sent a request (behaviour 10.12).

pub(crate) mod network;
pub(crate) mod proxy;

use std::net::{IpAddr, Ipv4Addr};

use actix_web::HttpRequest;

use crate::state::AppState;

/// The address of the client: that of the connection, unless it is a trusted proxy; then the last
/// one in `X-Forwarded-For` that is not.
pub(crate) fn client_address(request: &HttpRequest, state: &AppState) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    proxy::behind(peer.to_canonical(), request.headers(), &state.trusted_proxies)
}
