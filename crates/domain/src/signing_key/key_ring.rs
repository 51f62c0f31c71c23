//! The key ring of an installation: signing and published keys.

use super::{ANNOUNCED_MINUTES, KeyState, NewPair, RETIRED_MINUTES, SigningAlgorithm, SigningKey};
use crate::instant::{Instant, MINUTE};

/// The signing keys of an installation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyRing(Vec<SigningKey>);

impl KeyRing {
    /// Creates a ring of these keys.
    pub fn new(mut keys: Vec<SigningKey>) -> Self {
        keys.sort_by_key(|key| (key.pair.algorithm, key.number));
        Self(keys)
    }

    /// Returns all keys, sorted by algorithm and number.
    pub fn keys(&self) -> &[SigningKey] {
        &self.0
    }

    /// Returns the algorithms without a key.
    pub fn missing(&self) -> Vec<SigningAlgorithm> {
        let mut all = SigningAlgorithm::ALL.to_vec();
        all.retain(|algorithm| self.of(*algorithm).next().is_none());
        all
    }

    /// Adds a pair as the next key of its algorithm.
    ///
    /// The first key signs at once, because no other key was published before.
    pub fn add(&mut self, pair: NewPair, now: Instant) -> SigningKey {
        let last = self.of(pair.algorithm).last();
        let number = last.map_or(0, |last| last.number).saturating_add(1);
        let delay = if last.is_some() { ANNOUNCED_MINUTES * MINUTE } else { 0 };
        let signs_from = now.plus(delay);
        let key = SigningKey { pair, number, created_at: now, signs_from };
        *self = Self::new([std::mem::take(&mut self.0), vec![key.clone()]].concat());
        key
    }

    /// Returns the key that signs with an algorithm: the newest whose start has passed.
    ///
    /// If the clock was set back before all of them, returns the oldest.
    pub fn signing(&self, algorithm: SigningAlgorithm, now: Instant) -> Option<&SigningKey> {
        let newest = self.of(algorithm).rfind(|key| key.signs_from <= now);
        newest.or_else(|| self.of(algorithm).next())
    }

    /// Returns the state of a key of this ring.
    pub fn state(&self, key: &SigningKey, now: Instant) -> KeyState {
        let signing = self.signing(key.pair.algorithm, now).map(|signing| signing.number);
        let newer = self.of(key.pair.algorithm).filter(|other| other.number > key.number);
        match newer.map(|other| other.signs_from).min() {
            _ if signing == Some(key.number) => KeyState::Signing,
            Some(end) if end.plus(RETIRED_MINUTES * MINUTE) <= now => KeyState::Spent,
            _ if signing < Some(key.number) => KeyState::Announced,
            _ => KeyState::Retired,
        }
    }

    /// Returns the published keys: all whose signatures are valid now or soon.
    pub fn published(&self, now: Instant) -> impl Iterator<Item = &SigningKey> {
        self.0.iter().filter(move |key| self.state(key, now) != KeyState::Spent)
    }

    /// Removes and returns the spent keys.
    pub fn remove_spent(&mut self, now: Instant) -> Vec<SigningKey> {
        let all = self.clone();
        self.0.extract_if(.., |key| all.state(key, now) == KeyState::Spent).collect()
    }

    fn of(&self, algorithm: SigningAlgorithm) -> impl DoubleEndedIterator<Item = &SigningKey> {
        self.0.iter().filter(move |key| key.pair.algorithm == algorithm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(algorithm: SigningAlgorithm, id: &str) -> NewPair {
        NewPair { id: id.to_owned(), algorithm, sealed: vec![1] }
    }

    fn at(minutes: i64) -> Instant {
        Instant::new(minutes * MINUTE)
    }

    /// Creates a ring with two keys of an algorithm, added at 0 and at 100 minutes.
    fn ring_of_two() -> KeyRing {
        let mut ring = KeyRing::default();
        assert_eq!(ring.missing(), SigningAlgorithm::ALL);
        let first = ring.add(pair(SigningAlgorithm::Rs256, "one"), at(0));
        assert_eq!((first.number, first.signs_from), (1, at(0)));
        let second = ring.add(pair(SigningAlgorithm::Rs256, "two"), at(100));
        assert_eq!((second.number, second.signs_from), (2, at(110)));
        assert_eq!(ring.missing(), [SigningAlgorithm::EdDsa]);
        ring
    }

    #[test]
    fn key_is_published_before_and_after_it_signs() {
        use KeyState::{Announced, Retired, Signing, Spent};
        let ring = ring_of_two();
        for (minutes, old, new) in [
            (100, Signing, Announced),
            (109, Signing, Announced),
            (110, Retired, Signing),
            (174, Retired, Signing),
            (175, Spent, Signing),
        ] {
            let states: Vec<KeyState> =
                ring.keys().iter().map(|key| ring.state(key, at(minutes))).collect();
            assert_eq!(states, [old, new], "after {minutes} minutes");
            let published = ring.published(at(minutes)).count();
            assert_eq!(published, if old == Spent { 1 } else { 2 }, "after {minutes} minutes");
        }
        assert_eq!(ring.signing(SigningAlgorithm::EdDsa, at(200)), None);
    }

    #[test]
    fn oldest_key_signs_when_the_clock_was_set_back() {
        let ring = ring_of_two();
        let signing = ring.signing(SigningAlgorithm::Rs256, at(-5)).map(|key| key.number);
        assert_eq!(signing, Some(1));
        assert_eq!(ring.published(at(-5)).count(), 2);
    }

    #[test]
    fn second_rotation_waits_for_its_own_announcement() {
        let mut ring = ring_of_two();
        ring.add(pair(SigningAlgorithm::Rs256, "three"), at(105));
        let signing = |minutes| {
            let found = ring.signing(SigningAlgorithm::Rs256, at(minutes));
            found.map(|key| key.number)
        };
        assert_eq!([109, 110, 114, 115].map(signing), [1, 2, 2, 3].map(Some));
        assert_eq!(ring.state(&ring.keys()[1], at(116)), KeyState::Retired);
    }

    #[test]
    fn spent_keys_are_removed() {
        let mut ring = ring_of_two();
        assert_eq!(ring.remove_spent(at(174)), []);
        let spent: Vec<i64> = ring.remove_spent(at(175)).iter().map(|key| key.number).collect();
        assert_eq!(spent, [1]);
        assert_eq!(ring.keys().len(), 1);
        let third = ring.add(pair(SigningAlgorithm::Rs256, "three"), at(200));
        assert_eq!(third.number, 3, "numbers are not reused");
    }
}
