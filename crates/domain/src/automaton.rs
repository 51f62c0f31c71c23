//! Looking for many patterns in one text at once, in time linear in the text (Aho and Corasick,
//! 1975).

use std::collections::HashMap;

/// A place in the automaton: the longest end of what was read that begins some pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Place(usize);

impl Place {
    /// Where reading begins, and where it falls back to.
    pub(crate) const START: Self = Self(0);
}

/// Patterns of symbols, ready to be looked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Automaton {
    steps: HashMap<(Place, u32), Place>,
    /// For each place, the place of its longest proper end.
    shorter: Vec<Place>,
    /// For each place, the place of its longest end that is a whole pattern, itself included; the
    /// start when there is none.
    complete: Vec<Place>,
}

impl Automaton {
    /// Builds the automaton; also gives the place where each pattern is complete, in the order of
    /// the patterns.
    pub(crate) fn new<P: IntoIterator<Item = u32>>(
        patterns: impl IntoIterator<Item = P>,
    ) -> (Self, Vec<Place>) {
        let mut steps: HashMap<(Place, u32), Place> = HashMap::new();
        let mut edges: Vec<Vec<(u32, Place)>> = vec![Vec::new()];
        let mut ends = Vec::new();
        for pattern in patterns {
            let mut place = Place::START;
            for symbol in pattern {
                let next = Place(edges.len());
                let reached = *steps.entry((place, symbol)).or_insert(next);
                if reached == next {
                    edges.push(Vec::new());
                    if let Some(edges) = edges.get_mut(place.0) {
                        edges.push((symbol, next));
                    }
                }
                place = reached;
            }
            ends.push(place);
        }
        let mut automaton = Self {
            steps,
            shorter: vec![Place::START; edges.len()],
            complete: vec![Place::START; edges.len()],
        };
        for end in &ends {
            set(&mut automaton.complete, *end, *end);
        }
        automaton.link(&edges);
        (automaton, ends)
    }

    /// The place after one more symbol.
    pub(crate) fn step(&self, from: Place, symbol: u32) -> Place {
        let mut place = from;
        loop {
            match self.steps.get(&(place, symbol)) {
                Some(next) => return *next,
                None if place == Place::START => return place,
                None => place = self.shorter(place),
            }
        }
    }

    /// The place of the longest proper end of what stands at this one.
    pub(crate) fn shorter(&self, place: Place) -> Place {
        self.shorter.get(place.0).copied().unwrap_or_default()
    }

    /// The place of the longest whole pattern that ends here; the start when none does.
    pub(crate) fn complete(&self, place: Place) -> Place {
        self.complete.get(place.0).copied().unwrap_or_default()
    }

    /// Finds the ends, the short ones first: those of a place are found over those of the place
    /// before it.
    fn link(&mut self, edges: &[Vec<(u32, Place)>]) {
        let mut wave = vec![Place::START];
        while !wave.is_empty() {
            let mut next_wave = Vec::new();
            for place in wave {
                for (symbol, next) in edges.get(place.0).into_iter().flatten() {
                    let shorter = if place == Place::START {
                        Place::START
                    } else {
                        self.step(self.shorter(place), *symbol)
                    };
                    set(&mut self.shorter, *next, shorter);
                    if self.complete(*next) == Place::START {
                        let inherited = self.complete(shorter);
                        set(&mut self.complete, *next, inherited);
                    }
                    next_wave.push(*next);
                }
            }
            wave = next_wave;
        }
    }
}

fn set(places: &mut [Place], at: Place, to: Place) {
    if let Some(slot) = places.get_mut(at.0) {
        *slot = to;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn symbols(text: &str) -> impl DoubleEndedIterator<Item = u32> {
        text.chars().map(u32::from)
    }

    proptest! {
        /// At every position, the patterns that end there are found, the longest first.
        #[test]
        fn finds_what_a_naive_search_finds(patterns in prop::collection::vec("[ab]{1,4}", 0..6), text in "[abc]{0,30}") {
            let (automaton, ends) = Automaton::new(patterns.iter().map(|pattern| symbols(pattern)));
            let mut place = Place::START;
            for (at, c) in text.char_indices() {
                place = automaton.step(place, u32::from(c));
                let mut reached = vec![automaton.complete(place)];
                while let Some(last) = reached.last().copied().filter(|last| *last != Place::START) {
                    reached.push(automaton.complete(automaton.shorter(last)));
                }
                let longest = patterns.iter().filter(|pattern| text[..=at].ends_with(*pattern)).map(String::len).max();
                let first = patterns.iter().zip(&ends).find(|(_, end)| **end == reached[0] && **end != Place::START);
                prop_assert_eq!(first.map(|(pattern, _)| pattern.len()), longest);
                for (pattern, end) in patterns.iter().zip(&ends) {
                    prop_assert_eq!(reached.contains(end), text[..=at].ends_with(pattern), "{} in {}", pattern, &text[..=at]);
                }
            }
        }
    }
}
