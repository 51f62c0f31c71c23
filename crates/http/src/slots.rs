//! Places for connections. Nobody fills them all: an address has at most half of them, and an
//! eighth for connections on which nobody has been let in yet (behaviour 0.35). One more takes the
//! place of the oldest of the address on which no request runs, so that who is new behind a crowded
//! address gets in, too. When many addresses, or a proxy, have taken all places, one more takes the
//! place of the oldest of all on which no request runs.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::client_address::network::limited_network;
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
    /// All connections, those on which nobody has been let in first, and then by age.
    ages: BTreeMap<(PlaceRank, u64), IpAddr>,
}

/// Whether somebody has been let in on a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PlaceRank {
    Stranger,
    Known,
}

/// The connections of an address, by age.
#[derive(Default)]
struct OfAddress {
    strangers: BTreeMap<u64, ConnectionEntry>,
    known: BTreeMap<u64, ConnectionEntry>,
}

/// A connection, as the others of its address see it.
struct ConnectionEntry {
    is_running: Arc<AtomicBool>,
    give_up: oneshot::Sender<()>,
}

impl OfAddress {
    /// What has to go for one more stranger.
    fn needed(&self, all: usize) -> Needed {
        let is_full = self.strangers.len() + self.known.len() >= (all / OF_ADDRESS).max(LEAST);
        if self.strangers.len() >= (all / OF_STRANGERS).max(LEAST) {
            return oldest(&self.strangers, PlaceRank::Stranger).map_or(Needed::Too, Needed::One);
        }
        if !is_full {
            return Needed::Nothing;
        }
        let stranger = oldest(&self.strangers, PlaceRank::Stranger);
        let found = stranger.or_else(|| oldest(&self.known, PlaceRank::Known));
        found.map_or(Needed::Too, Needed::One)
    }

    fn of(&mut self, standing: PlaceRank) -> &mut BTreeMap<u64, ConnectionEntry> {
        match standing {
            PlaceRank::Stranger => &mut self.strangers,
            PlaceRank::Known => &mut self.known,
        }
    }
}

/// What makes room for one more connection of an address.
enum Needed {
    Nothing,
    /// The end of another one.
    One((PlaceRank, u64)),
    /// There is none, because a request runs on each.
    Too,
}

/// The oldest connection on which no request runs.
fn oldest(
    entries: &BTreeMap<u64, ConnectionEntry>,
    standing: PlaceRank,
) -> Option<(PlaceRank, u64)> {
    let idle = entries.iter().find(|(_, entry)| entry.is_idle());
    idle.map(|(number, _)| (standing, *number))
}

impl ConnectionEntry {
    fn is_idle(&self) -> bool {
        !self.is_running.load(Ordering::Relaxed)
    }
}

impl TakenSlots {
    /// Takes a connection off, and has it closed.
    fn close(&mut self, (standing, number): (PlaceRank, u64)) {
        let Some(address) = self.ages.remove(&(standing, number)) else { return };
        let Some(of_address) = self.addresses.get_mut(&address) else { return };
        if let Some(entry) = of_address.of(standing).remove(&number) {
            // One that ends at this moment makes room as well.
            let _ = entry.give_up.send(());
        }
        self.forget_if_empty(address);
    }

    /// Closes the oldest connection of all on which no request runs, if there is one.
    fn close_oldest(&mut self) {
        let is_idle = |(standing, number): &(PlaceRank, u64), address: &IpAddr| {
            let of_address = self.addresses.get(address);
            let entry = of_address.and_then(|of_address| match standing {
                PlaceRank::Stranger => of_address.strangers.get(number),
                PlaceRank::Known => of_address.known.get(number),
            });
            entry.is_some_and(ConnectionEntry::is_idle)
        };
        let found = self.ages.iter().find(|(place, address)| is_idle(place, address));
        if let Some(place) = found.map(|(place, _)| *place) {
            self.close(place);
        }
    }

    fn forget_if_empty(&mut self, address: IpAddr) {
        let is_empty = |of: &OfAddress| of.strangers.is_empty() && of.known.is_empty();
        if self.addresses.get(&address).is_some_and(is_empty) {
            self.addresses.remove(&address);
        }
    }
}

impl Slots {
    /// So many places, of which proxies may take as many as they need.
    pub(crate) fn new(all: usize, proxies: &[TrustedProxy]) -> Self {
        Self { all, proxies: proxies.into(), taken: Arc::default() }
    }

    /// A place for a connection; `None` when its address has as many as it may have, and a request
    /// runs on each. Beyond all places the oldest of all goes on which no request runs; if there is
    /// none, the server accepts some more and then waits.
    pub(crate) fn take(&self, peer: IpAddr) -> Option<Slot> {
        let (address, is_running) = (limited_network(peer), Arc::<AtomicBool>::default());
        let (give_up, given_up) = oneshot::channel();
        let is_proxy = self.proxies.iter().any(|proxy| proxy.contains(peer.to_canonical()));
        let mut taken = self.taken();
        taken.next += 1;
        let number = taken.next;
        let of_address = taken.addresses.get(&address).filter(|_| !is_proxy);
        match of_address.map_or(Needed::Nothing, |of_address| of_address.needed(self.all)) {
            Needed::Nothing => {}
            Needed::One(place) => taken.close(place),
            Needed::Too => return None,
        }
        if taken.ages.len() >= self.all {
            taken.close_oldest();
        }
        let entry = ConnectionEntry { is_running: Arc::clone(&is_running), give_up };
        taken.ages.insert((PlaceRank::Stranger, number), address);
        taken.addresses.entry(address).or_default().strangers.insert(number, entry);
        drop(taken);
        let place = PlaceOfSocket { slots: self.clone(), address, number };
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
        for standing in [PlaceRank::Stranger, PlaceRank::Known] {
            taken.close((standing, self.number));
        }
    }
}

/// The place of a connection, given back when it is dropped.
pub(crate) struct Slot {
    place: PlaceOfSocket,
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
        let PlaceOfSocket { slots, address, number } = &self.place;
        let mut taken = slots.taken();
        let Some(of_address) = taken.addresses.get_mut(address) else { return };
        let Some(entry) = of_address.strangers.remove(number) else { return };
        of_address.known.insert(*number, entry);
        taken.ages.remove(&(PlaceRank::Stranger, *number));
        taken.ages.insert((PlaceRank::Known, *number), *address);
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
        assert!(slots.taken().ages.is_empty());
    }

    /// Whoever has many addresses, such as networks of IPv6, or comes through a proxy.
    #[test]
    fn the_oldest_of_all_makes_room() {
        let slots = Slots::new(80, &["10.0.0.0/8".parse().unwrap()]);
        let known = slots.take(ip("192.0.2.1")).unwrap();
        known.is_known();
        let mut of_proxy: Vec<Slot> =
            (0..10).map(|_| slots.take(ip("10.1.2.3")).unwrap()).collect();
        of_proxy[0].set_running(true);
        let mut others: Vec<Slot> =
            (0..69).map(|n| slots.take(ip(&format!("2001:db8:0:{n:x}::1"))).unwrap()).collect();
        assert!(!of_proxy.iter_mut().any(is_given_up), "80 are taken");
        let newcomer = slots.take(ip("203.0.113.9")).unwrap();
        assert!(is_given_up(&mut of_proxy[1]), "the oldest stranger on which nothing runs");
        assert!(!of_proxy.iter_mut().chain(&mut others).any(is_given_up), "and no other");
        let all: Vec<&Slot> = of_proxy.iter().chain(&others).chain([&newcomer]).collect();
        all.iter().for_each(|slot| slot.set_running(true));
        let mut known = known;
        let last = slots.take(ip("203.0.113.10")).unwrap();
        assert!(is_given_up(&mut known), "who was let in comes last");
        last.set_running(true);
        assert!(slots.take(ip("203.0.113.11")).is_some(), "a request runs on each");
    }
}
