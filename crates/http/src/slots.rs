//! Places for connections. Nobody fills them all: an address has at most half of them, and an
//! eighth for connections on which nobody has been let in yet (behaviour 0.35). One more takes the
//! place of the oldest of the address on which no request runs, so that who is new behind a crowded
//! address gets in, too.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::client_address::network::counted;
use crate::client_address::proxy::TrustedProxy;

/// The part of all places that an address may have, and that for strangers.
const OF_ADDRESS: usize = 2;
const OF_STRANGERS: usize = 8;
/// What an address may have in any case.
const LEAST: usize = 8;

/// The places of a process.
#[derive(Clone)]
pub(crate) struct Slots {
    all: usize,
    /// Connections of theirs belong to many clients.
    proxies: Arc<[TrustedProxy]>,
    taken: Arc<Mutex<TakenSlots>>,
}

#[derive(Default)]
struct TakenSlots {
    next: u64,
    addresses: HashMap<IpAddr, OfAddress>,
}

/// The connections of an address, by age.
#[derive(Default)]
struct OfAddress {
    strangers: BTreeMap<u64, Occupant>,
    known: BTreeMap<u64, Occupant>,
}

/// A connection, as the others of its address see it.
struct Occupant {
    is_running: Arc<AtomicBool>,
    give_up: oneshot::Sender<()>,
}

impl OfAddress {
    /// Makes room for one more stranger. Answers whether there is some.
    fn make_room(&mut self, all: usize) -> bool {
        if self.strangers.len() >= (all / OF_STRANGERS).max(LEAST) {
            return close_oldest(&mut self.strangers);
        }
        if self.strangers.len() + self.known.len() < (all / OF_ADDRESS).max(LEAST) {
            return true;
        }
        close_oldest(&mut self.strangers) || close_oldest(&mut self.known)
    }
}

/// Closes the oldest connection on which no request runs, if there is one.
fn close_oldest(entries: &mut BTreeMap<u64, Occupant>) -> bool {
    let idle = entries.iter().find(|(_, entry)| !entry.is_running.load(Ordering::Relaxed));
    let Some(number) = idle.map(|(number, _)| *number) else { return false };
    if let Some(entry) = entries.remove(&number) {
        // One that ends at this moment makes room as well.
        let _ = entry.give_up.send(());
    }
    true
}

impl Slots {
    /// So many places, of which proxies may take as many as they need.
    pub(crate) fn new(all: usize, proxies: &[TrustedProxy]) -> Self {
        Self { all, proxies: proxies.into(), taken: Arc::default() }
    }

    /// A place for a connection; `None` when its address has as many as it may have, and a request
    /// runs on each.
    pub(crate) fn take(&self, peer: IpAddr) -> Option<Slot> {
        let (address, is_running) = (counted(peer), Arc::<AtomicBool>::default());
        let (give_up, given_up) = oneshot::channel();
        if self.proxies.iter().any(|proxy| proxy.holds(peer.to_canonical())) {
            return Some(Slot { place: None, is_running, given_up: Some(given_up) });
        }
        let mut taken = self.taken();
        taken.next += 1;
        let number = taken.next;
        let of_address = taken.addresses.entry(address).or_default();
        if !of_address.make_room(self.all) {
            return None;
        }
        let entry = Occupant { is_running: Arc::clone(&is_running), give_up };
        of_address.strangers.insert(number, entry);
        drop(taken);
        let place = Some(PlaceOfSocket { slots: self.clone(), address, number });
        Some(Slot { place, is_running, given_up: Some(given_up) })
    }

    fn taken(&self) -> MutexGuard<'_, TakenSlots> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a connection stands among those of its address.
struct PlaceOfSocket {
    slots: Slots,
    address: IpAddr,
    number: u64,
}

impl Drop for PlaceOfSocket {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        let Some(of_address) = taken.addresses.get_mut(&self.address) else { return };
        of_address.strangers.remove(&self.number);
        of_address.known.remove(&self.number);
        if of_address.strangers.is_empty() && of_address.known.is_empty() {
            taken.addresses.remove(&self.address);
        }
    }
}

/// The place of a connection, given back when it is dropped.
pub(crate) struct Slot {
    /// None of a proxy.
    place: Option<PlaceOfSocket>,
    is_running: Arc<AtomicBool>,
    given_up: Option<oneshot::Receiver<()>>,
}

impl Slot {
    /// Whether a request runs.
    pub(crate) fn set_running(&self, is_running: bool) {
        self.is_running.store(is_running, Ordering::Relaxed);
    }

    /// Somebody has been let in.
    pub(crate) fn is_known(&self) {
        let Some(place) = &self.place else { return };
        let mut taken = place.slots.taken();
        let Some(of_address) = taken.addresses.get_mut(&place.address) else { return };
        if let Some(entry) = of_address.strangers.remove(&place.number) {
            of_address.known.insert(place.number, entry);
        }
    }

    /// What tells that another connection gets the place. It can be taken once.
    pub(crate) fn given_up(&mut self) -> Option<oneshot::Receiver<()>> {
        self.given_up.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_given_up(slot: &mut Slot) -> bool {
        slot.given_up.as_mut().is_some_and(|given_up| given_up.try_recv().is_ok())
    }

    #[test]
    fn strangers_of_an_address_have_an_eighth() {
        let slots = Slots::new(800, &[]);
        let mut held: Vec<Slot> = (0..100).map(|_| slots.take(ip("192.0.2.1")).unwrap()).collect();
        assert!(!held.iter_mut().any(is_given_up));
        held[0].set_running(true);
        let more = slots.take(ip("192.0.2.1")).unwrap();
        assert!(is_given_up(&mut held[1]), "the oldest on which nothing runs");
        assert!(!held.iter_mut().skip(2).any(is_given_up), "and no other");
        assert!(slots.take(ip("192.0.2.2")).is_some());
        held.iter().for_each(|slot| slot.set_running(true));
        more.set_running(true);
        assert!(slots.take(ip("192.0.2.1")).is_none(), "a request runs on each");
        drop(held);
        assert!(slots.take(ip("192.0.2.1")).is_some());
    }

    #[test]
    fn an_address_has_half() {
        let slots = Slots::new(800, &["10.0.0.0/8".parse().unwrap()]);
        let take = |address: &str| {
            let slot = slots.take(ip(address))?;
            slot.is_known();
            Some(slot)
        };
        // A network of 64 bits counts as one.
        let mut held: Vec<Slot> =
            (0..400).map(|n| take(&format!("2001:db8::{n:x}")).unwrap()).collect();
        assert!(!held.iter_mut().any(is_given_up));
        let more = take("2001:db8::7").unwrap();
        assert!(is_given_up(&mut held[0]));
        held.iter().for_each(|slot| slot.set_running(true));
        more.set_running(true);
        assert!(take("2001:db8::8").is_none());
        let of_proxy: Vec<Slot> = (0..800).map(|_| take("::ffff:10.1.2.3").unwrap()).collect();
        drop((held, of_proxy, more));
        assert!(slots.taken().addresses.is_empty());
    }
}
