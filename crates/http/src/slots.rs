//! Connection limits by address: no address has more than half of all connections (behaviour 0.35).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use daybook_edge::client_address::network::limited_network;
use daybook_edge::client_address::proxy::TrustedProxy;
use daybook_edge::metric::TURNED_AWAY;

/// Connections that an address may have in any case.
const GUARANTEED: usize = 8;

/// The connections of a process.
#[derive(Clone)]
pub(crate) struct Slots {
    max_of_address: usize,
    /// Connections of these belong to many clients.
    proxies: Arc<[TrustedProxy]>,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Slots {
    /// Creates `all` slots. Trusted proxies may take any number of them.
    pub(crate) fn new(all: usize, proxies: &[TrustedProxy]) -> Self {
        let max_of_address = (all / 2).max(GUARANTEED);
        Self { max_of_address, proxies: proxies.into(), taken: Arc::default() }
    }

    /// Takes a slot for a connection; `None` if its address has as many as it may have.
    pub(crate) fn take(&self, peer: IpAddr) -> Option<Slot> {
        let address = limited_network(peer);
        let is_proxy = self.proxies.iter().any(|proxy| proxy.contains(peer.to_canonical()));
        let mut all = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = all.entry(address).or_default();
        if *taken >= self.max_of_address && !is_proxy {
            TURNED_AWAY.count("connections");
            return None;
        }
        *taken += 1;
        Some(Slot { taken: Arc::clone(&self.taken), address })
    }
}

/// The slot of a connection, returned when it is dropped.
pub(crate) struct Slot {
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    address: IpAddr,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut all = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = all.remove(&self.address).unwrap_or_default().saturating_sub(1);
        if rest > 0 {
            all.insert(self.address, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_35_an_address_has_half() {
        let slots = Slots::new(800, &["10.0.0.0/8".parse().unwrap()]);
        let take = |address: &str| slots.take(address.parse().unwrap());
        // A network of 64 bits counts as one address.
        let held: Vec<Slot> =
            (0..400).map(|number| take(&format!("2001:db8::{number:x}")).unwrap()).collect();
        assert!(take("2001:db8::7").is_none());
        assert!(take("2001:db8:1::7").is_some());
        let of_proxy: Vec<Slot> = (0..800).map(|_| take("::ffff:10.1.2.3").unwrap()).collect();
        drop((held, of_proxy));
        assert!(slots.taken.lock().unwrap().is_empty());
        assert!(take("2001:db8::7").is_some());
    }
}
