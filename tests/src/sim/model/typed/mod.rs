//! Text mode, from behaviour 3.8: what a description says when a body does not say it.

mod numbers;

use daybook_domain::field::Field;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::amount;
use super::history::History;
use super::text::{folded, normalized};
use super::transaction::{Recording, is_blank};
use super::{Book, Turn, dates};
use crate::sim::body::{Named, TransactionBody};
use crate::sim::label;

/// What a text says.
pub struct Found {
    /// As a plain decimal.
    pub amount: Option<String>,
    pub credit: Option<label::Account>,
    pub debit: Option<label::Account>,
    pub date: Option<Date>,
    pub urls: Vec<String>,
    /// How many of the following months are asked for.
    pub months: u32,
    /// What is left.
    pub description: String,
}

/// What becomes of a character.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Free,
    /// It belongs to something and stays: nothing is found in it.
    Stays,
    /// It stands in quotes and stays as it is, white space too.
    Quoted,
    Goes,
}

/// Months that a text may ask for at most (3.8.2.8).
pub const MAX_MONTHS: u32 = 36;

struct Text<'b> {
    book: &'b Book,
    today: Date,
    letters: Vec<char>,
    fates: Vec<Fate>,
}

impl Turn {
    /// The body with what its text says, and the months it asks for; none when it is no text.
    pub fn typed(
        &self,
        body: &TransactionBody,
        recording: &Recording,
        history: &History,
    ) -> Option<(TransactionBody, u32)> {
        let text = body
            .description
            .as_ref()
            .value()
            .filter(|text| !text.trim().is_empty() && text.len() <= 65_536)?;
        let no_side =
            |side: &Field<Named<label::Account>>| side.as_ref().value().is_none_or(is_blank);
        let no_date = body.date.as_ref().value().is_none_or(|date| date.trim().is_empty());
        let read = |text: &String| amount::read(text, &self.book.settings.separator);
        let no_amount =
            body.amount.as_ref().value().is_none_or(|text| matches!(read(text), Ok(None)));
        if !no_side(&body.credit) || !no_side(&body.debit) {
            return None;
        }
        let today = dates::day(
            self.caller.now,
            recording.zone.as_ref().unwrap_or(&self.book.settings.zone),
        );
        if !no_amount || !no_date {
            let (sides, description) = Text::new(&self.book, today, text).read_names()?;
            let [credit, debit] = sides.map(|side| Field::Set(Named::id(side)));
            let description = Field::Set(description);
            return Some((TransactionBody { credit, debit, description, ..body.clone() }, 0));
        }
        let found = Text::new(&self.book, today, text)
            .read(recording.single && !text.trim().contains(['\n', '\r']));
        fn set<T>(value: Option<T>) -> Field<T> {
            value.map_or(Field::Keep, Field::Set)
        }
        let sides = [found.credit, found.debit];
        let [credit, debit] = history.complete(sides, &found.description, today);
        let mut urls = body.urls.clone().unwrap_or_default();
        let new: Vec<String> = found.urls.into_iter().filter(|url| !urls.contains(url)).collect();
        urls.extend(new);
        let typed = TransactionBody {
            date: set(found.date.map(|date| date.to_string())),
            amount: set(found.amount),
            description: Field::Set(found.description),
            credit: set(credit.map(Named::id)),
            debit: set(debit.map(Named::id)),
            // Without an address the body keeps its own, or those of a known draft (3.3.2).
            urls: (body.urls.is_some() || !urls.is_empty()).then_some(urls),
            ..body.clone()
        };
        Some((typed, found.months))
    }
}

impl Text<'_> {
    fn new<'b>(book: &'b Book, today: Date, text: &str) -> Text<'b> {
        let letters: Vec<char> = text.chars().collect();
        Text { book, today, fates: vec![Fate::Free; letters.len()], letters }
    }

    fn read(mut self, repeatable: bool) -> Found {
        let urls = self.literals();
        let [credit, debit] = self.names();
        let date = self.dates();
        let amount = self.amount();
        let months = if date.is_some() && repeatable { self.months() } else { 0 };
        Found { amount, credit, debit, date, urls, months, description: self.rest() }
    }

    /// 3.8.1: two names or nothing, and all the rest stays.
    fn read_names(mut self) -> Option<([label::Account; 2], String)> {
        self.literals();
        for fate in &mut self.fates {
            *fate = if *fate == Fate::Goes { Fate::Stays } else { *fate };
        }
        let [Some(credit), Some(debit)] = self.names() else { return None };
        Some(([credit, debit], self.rest()))
    }

    fn set(&mut self, from: usize, to: usize, fate: Fate) {
        self.fates[from..to].fill(fate);
    }

    fn is_free(&self, from: usize, to: usize) -> bool {
        self.fates[from..to].iter().all(|fate| *fate == Fate::Free)
    }

    fn letter(&self, place: usize) -> Option<char> {
        self.letters.get(place).copied()
    }

    fn before(&self, place: usize) -> Option<char> {
        place.checked_sub(1).and_then(|place| self.letter(place))
    }

    fn is_space(&self, place: usize) -> bool {
        self.letter(place).is_none_or(char::is_whitespace)
    }

    /// Whether white space, or nothing, stands before.
    fn begins(&self, place: usize) -> bool {
        self.before(place).is_none_or(char::is_whitespace)
    }

    fn end_of_word(&self, from: usize) -> usize {
        (from..self.letters.len()).find(|place| self.is_space(*place)).unwrap_or(self.letters.len())
    }

    /// Quotes, addresses and hashtags: nothing else is found in them. The addresses go to `urls`.
    fn literals(&mut self) -> Vec<String> {
        let (mut urls, mut place) = (Vec::new(), 0);
        while place < self.letters.len() {
            let rest: String = self.letters[place..].iter().take(8).collect();
            let quote = self.letters[place];
            let closing = |end: &usize| self.letters[*end] == quote && self.is_space(end + 1);
            let closes = if self.begins(place) && matches!(quote, '"' | '\'') {
                (place + 1..self.letters.len()).find(closing)
            } else {
                None
            };
            let mut end = place + 1;
            if let Some(closes) = closes {
                end = closes + 1;
                self.set(place, end, Fate::Quoted);
            } else if rest.starts_with("http://") || rest.starts_with("https://") {
                end = self.end_of_word(place);
                while self.letters[end - 1].is_ascii_punctuation() && self.letters[end - 1] != '/' {
                    end -= 1;
                }
                let url: String = self.letters[place..end].iter().collect();
                self.set(place, end, Fate::Goes);
                urls.extend((!urls.contains(&url)).then_some(url));
            } else if quote == '#' {
                while self.letter(end).is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    end += 1;
                }
                let hidden = self.before(place) == Some('-') && self.begins(place - 1);
                if end > place + 1 {
                    self.set(
                        if hidden { place - 1 } else { place },
                        end,
                        if hidden { Fate::Goes } else { Fate::Stays },
                    );
                }
            }
            place = end;
        }
        urls
    }

    /// 3.8.2.2: leftmost first, at a position the longest; the first is where it comes from, the
    /// next other one where it goes.
    fn names(&mut self) -> [Option<label::Account>; 2] {
        let (mut sides, mut place) = ([None, None], 0);
        while place < self.letters.len() {
            let Some((label, end)) = self.name_at(place) else {
                place += 1;
                continue;
            };
            let open = if sides[0].is_none() { 0 } else { 1 };
            let takes = sides[open].is_none() && sides[0] != Some(label);
            // What is named again stays, and its digits are no amount and no day.
            self.set(place, end, if takes { Fate::Goes } else { Fate::Stays });
            if takes {
                sides[open] = Some(label);
            }
            place = end;
        }
        sides
    }

    fn name_at(&self, place: usize) -> Option<(label::Account, usize)> {
        if self.before(place).is_some_and(char::is_alphanumeric)
            || place > 0 && self.splits_figure(place - 1)
        {
            return None;
        }
        let accounts = self.book.accounts.values().filter(|account| !account.archived);
        let found = accounts.filter_map(|account| {
            Some((account.label, self.end_of_name(place, &normalized(&account.name))?))
        });
        found.max_by_key(|(_, end)| *end)
    }

    /// Where a normalized name that begins here ends.
    fn end_of_name(&self, begin: usize, name: &str) -> Option<usize> {
        let mut place = begin;
        for (number, word) in name.split('_').enumerate() {
            let gap = place;
            while number > 0
                && self.letter(place).is_some_and(|c| c.is_whitespace() || c == '-' || c == '_')
            {
                place += 1;
            }
            if number > 0 && gap == place {
                return None;
            }
            let mut read = String::new();
            while read.len() < word.len() {
                read.push_str(&folded(&self.letter(place)?.to_string()));
                place += 1;
            }
            if read != word {
                return None;
            }
        }
        let whole =
            self.letter(place).is_none_or(|c| !c.is_alphanumeric()) && !self.splits_figure(place);
        (whole && self.is_free(begin, place)).then_some(place)
    }

    /// Whether a mark within a figure stands here, as in `12.34`: its halves are no words.
    fn splits_figure(&self, place: usize) -> bool {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        digit(self.before(place))
            && digit(self.letter(place + 1))
            && self.letter(place).is_some_and(|c| ".,/:".contains(c))
    }

    /// The first day; no digits of any are an amount.
    fn dates(&mut self) -> Option<Date> {
        let mut first = None;
        for (from, to) in self.runs(|c| c.is_ascii_digit() || c == '/' || c == '-') {
            let run: String = self.letters[from..to].iter().collect();
            let Some(day) = self.day(&run) else { continue };
            self.set(from, to, if first.is_none() { Fate::Goes } else { Fate::Stays });
            first = first.or(Some(day));
        }
        first
    }

    /// The book's pattern, a short day of this year, or `yyyy-MM-dd` (3.8.2.3).
    fn day(&self, run: &str) -> Option<Date> {
        if run.contains('-') {
            return dates::parse(run);
        }
        let parts: Vec<&str> = run.split('/').collect();
        let month_first = self.book.settings.pattern != "dd/MM/yyyy";
        let (year, first, second) = match (parts.as_slice(), self.book.settings.pattern.as_str()) {
            ([first, second], _) => (self.today.year(), *first, *second),
            ([year, first, second], "yyyy/MM/dd")
            | ([first, second, year], "dd/MM/yyyy" | "MM/dd/yyyy")
                if year.len() == 4 =>
            {
                (year.parse().ok()?, *first, *second)
            }
            _ => return None,
        };
        let number =
            |part: &str| if (1..=2).contains(&part.len()) { part.parse::<i8>().ok() } else { None };
        let (first, second) = (number(first)?, number(second)?);
        let (month, day) = if month_first { (first, second) } else { (second, first) };
        Date::new(year, month, day).ok()
    }

    /// The free runs of such characters that are no part of a longer word, without the punctuation
    /// behind.
    fn runs(&self, takes: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
        let (mut runs, mut place) = (Vec::new(), 0);
        while place < self.letters.len() {
            let from = place;
            while self.letter(place).is_some_and(&takes) && self.fates[place] == Fate::Free {
                place += 1;
            }
            let mut to = place;
            while to > from && !self.letters[to - 1].is_ascii_digit() {
                to -= 1;
            }
            let glued =
                |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "./@_-:".contains(c));
            let sentence = to < place && self.is_space(place);
            if to > from
                && !glued(self.before(from))
                && (sentence || to == place && !glued(self.letter(to)))
            {
                runs.push((from, to));
            }
            place = place.max(from + 1);
        }
        runs
    }

    /// `4x` or `$4x` between white space (3.8.2.8).
    fn months(&mut self) -> u32 {
        for from in (0..self.letters.len()).filter(|place| self.begins(*place)) {
            let to = self.end_of_word(from);
            let word: String = self.letters[from..to].iter().collect();
            let count = word
                .strip_suffix('x')
                .map(|count| count.strip_prefix('$').unwrap_or(count))
                .and_then(|count| count.parse().ok());
            if let Some(count) =
                count.filter(|count| (1..=MAX_MONTHS).contains(count) && self.is_free(from, to))
            {
                self.set(from, to, Fate::Goes);
                return count;
            }
        }
        0
    }

    /// What stays, with white space collapsed.
    fn rest(&self) -> String {
        let kept = self.letters.iter().zip(&self.fates).filter(|(_, fate)| **fate != Fate::Goes);
        let (mut rest, mut gap) = (String::new(), None);
        for (letter, fate) in kept {
            if letter.is_whitespace() && *fate != Fate::Quoted {
                gap = Some(if *letter == '\n' { '\n' } else { gap.unwrap_or(' ') });
            } else {
                rest.extend(gap.take().filter(|_| !rest.is_empty()));
                rest.push(*letter);
            }
        }
        rest
    }
}

/// The same day so many months later, the last day of a shorter month.
pub fn later(day: Date, months: u32) -> Date {
    day + i64::from(months).months()
}
