//! Numbers in a text, from behaviour 3.8.2.1 and 3.8.6.

use super::{Mark, Text};
use crate::sim::model::amount::{self, Reading};

impl Text<'_> {
    /// Takes the number that matches the book's format best; the first of several (3.8.2.1).
    pub(super) fn amount(&mut self) -> Option<String> {
        let mut best: Option<(usize, usize, usize, String)> = None;
        for (from, to) in self.numbers() {
            let run: String = self.letters[from..to].iter().collect();
            let Some((rank, plain)) = self.number(&run) else { continue };
            if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                best = Some((rank, from, to, plain));
            }
        }
        let (_, from, to, plain) = best?;
        self.set(from, to, Mark::Removed);
        Some(plain)
    }

    /// Parses a number and ranks its notation; `None` if it cannot be recorded.
    fn number(&self, run: &str) -> Option<(usize, String)> {
        let settings = &self.book.settings;
        let own = if settings.separator == "COMMA" { ',' } else { '.' };
        let other = if own == ',' { '.' } else { ',' };
        // The book's own notation ranks first: `1.234` is 1234 in a COMMA book and a little more
        // than 1 in others.
        let (rank, plain) =
            [(own, other), (other, own)].into_iter().find_map(|(decimal, thousand)| {
                let (whole, fraction) = match run.split_once(decimal) {
                    Some((whole, fraction)) => (whole, Some(fraction)),
                    None => (run, None),
                };
                let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
                let groups = amount::groups(whole, thousand);
                // Groups of thousands are complete, and no number starts with a group of zeros.
                let whole_groups = (1..=3).contains(&groups[0].len())
                    && groups[1..].iter().all(|group| group.len() == 3);
                let grouped = groups.len() == 1 || whole_groups && !groups[0].starts_with('0');
                let bare = whole.is_empty() && fraction.is_none();
                if bare
                    || !grouped
                    || !groups.iter().all(|group| digits(group))
                    || fraction.is_some_and(|text| text.is_empty() || !digits(text))
                {
                    return None;
                }
                let count = fraction.map_or(0, str::len);
                let exact = u32::try_from(count).ok() == Some(settings.digits);
                // A whole number in the other notation, such as `1.234.567` in a DOT book, parses
                // with the other separator.
                let rank = match fraction {
                    _ if decimal != own => 2,
                    _ if exact => 0,
                    Some(_) => 1,
                    None => 3,
                };
                Some((rank, format!("{}.{}", groups.concat(), fraction.unwrap_or("0"))))
            })?;
        let Ok(Some(reading @ Reading::Value(_))) = amount::read(&plain, "DOT") else {
            return None;
        };
        amount::record(reading, settings, self.book.scale).is_ok().then_some((rank, plain))
    }

    /// The numbers that are not part of a longer word, a percentage or another number, and have no
    /// sign (3.8.6).
    fn numbers(&self) -> Vec<(usize, usize)> {
        let (mut numbers, mut position) = (Vec::new(), 0);
        while position < self.letters.len() {
            let from = position;
            let Some(mut to) = self.digit_run(from) else {
                position += 1;
                continue;
            };
            // After a space only a group of three continues a number. Anything else makes it not a
            // number.
            let mut runs_on = false;
            while let Some(next) = self.digit_run(to + 1) {
                let whole: String = self.letters[from..next].iter().collect();
                match self.letters[to] {
                    ' ' if is_grouped(&whole) => {}
                    ' ' => {
                        let known: String = self.letters[from..to].iter().collect();
                        runs_on = known.contains(' ') && is_grouped(&format!("{known} 000"));
                        break;
                    }
                    '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' => {}
                    _ => break,
                }
                to = next;
            }
            position = to;
            let mark = |c: &char| ".,'".contains(*c);
            let before = self.letters[..from].iter().rev().take_while(|c| mark(c)).count();
            let after = self.letters[to..].iter().take_while(|c| mark(c)).count();
            let glued = |c: Option<char>| {
                c.is_some_and(|c| c.is_alphanumeric() || "/@_-:%\u{2212}".contains(c))
            };
            let decimal = before == 1 && self.letters[from - 1] != '\'';
            let sentence = after == 0 || self.is_space(to + after);
            if !runs_on
                && sentence
                && (before == 0 || decimal)
                && !glued(self.before(from - before))
                && !glued(self.letter(to + after))
            {
                numbers.push((from - before, to));
            }
        }
        numbers
    }

    /// The end of a run of free digits and separators that starts here; `None` within a word, a day
    /// or a time.
    fn digit_run(&self, from: usize) -> Option<usize> {
        let digit = |position: usize| {
            self.letter(position).is_some_and(|c| c.is_ascii_digit())
                && self.marks[position] == Mark::Free
        };
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let cut = |position: usize| self.letter(position).is_some_and(|c| ":/".contains(c));
        if !digit(from)
            || inside(self.before(from))
            || from > 1 && cut(from - 1) && inside(self.before(from - 1))
        {
            return None;
        }
        let mut to = from;
        while digit(to) || ".,".contains(self.letter(to).unwrap_or(' ')) && digit(to + 1) {
            to += 1;
        }
        (!(inside(self.letter(to)) || cut(to) && digit(to + 1))).then_some(to)
    }
}

/// Whether space-separated groups of three follow a non-zero group, perhaps with decimals.
fn is_grouped(text: &str) -> bool {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(' ');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && digits(first)
        && digits(fraction)
        && groups.all(|group| group.len() == 3 && digits(group))
}
