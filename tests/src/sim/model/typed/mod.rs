//! Text mode, from behaviour 3.8: the fields that a description gives when the body does not.

mod numbers;

use daybook_domain::field::Field;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::amount;
use super::history::History;
use super::text::{folded, normalized};
use super::transaction::{RecordOptions, is_blank};
use super::{Book, Tx, dates};
use crate::sim::body::{Named, TransactionBody};
use crate::sim::label;

/// The fields parsed from a text.
pub struct Found {
    /// A plain decimal.
    pub amount: Option<String>,
    pub credit: Option<label::Account>,
    pub debit: Option<label::Account>,
    pub date: Option<Date>,
    pub urls: Vec<String>,
    /// How many following months the text requests.
    pub months: u32,
    /// The rest of the text.
    pub description: String,
}

/// The role of a character in the parse.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Free,
    /// Part of a token that stays in the description; nothing is parsed from it.
    Literal,
    /// In quotes: stays unchanged, including white space.
    Quoted,
    Removed,
}

/// The most months that a text may request (3.8.2.8).
pub const MAX_MONTHS: u32 = 36;

struct Text<'b> {
    book: &'b Book,
    today: Date,
    letters: Vec<char>,
    marks: Vec<Mark>,
}

impl Tx {
    /// Returns the body with the fields of its text and the requested months; `None` without a
    /// text.
    pub fn typed(
        &self,
        body: &TransactionBody,
        recording: &RecordOptions,
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
            // Without an address in the text the body keeps its own, or those of a known draft
            // (3.3.2).
            urls: (body.urls.is_some() || !urls.is_empty()).then_some(urls),
            ..body.clone()
        };
        Some((typed, found.months))
    }
}

impl Text<'_> {
    fn new<'b>(book: &'b Book, today: Date, text: &str) -> Text<'b> {
        let letters: Vec<char> = text.chars().collect();
        Text { book, today, marks: vec![Mark::Free; letters.len()], letters }
    }

    fn read(mut self, repeatable: bool) -> Found {
        let urls = self.literals();
        let [credit, debit] = self.names();
        let date = self.dates();
        let amount = self.amount();
        let months = if date.is_some() && repeatable { self.months() } else { 0 };
        Found { amount, credit, debit, date, urls, months, description: self.rest() }
    }

    /// Parses two account names or nothing; the rest of the text stays (3.8.1).
    fn read_names(mut self) -> Option<([label::Account; 2], String)> {
        self.literals();
        for mark in &mut self.marks {
            *mark = if *mark == Mark::Removed { Mark::Literal } else { *mark };
        }
        let [Some(credit), Some(debit)] = self.names() else { return None };
        Some(([credit, debit], self.rest()))
    }

    fn set(&mut self, from: usize, to: usize, mark: Mark) {
        self.marks[from..to].fill(mark);
    }

    fn is_free(&self, from: usize, to: usize) -> bool {
        self.marks[from..to].iter().all(|mark| *mark == Mark::Free)
    }

    fn letter(&self, position: usize) -> Option<char> {
        self.letters.get(position).copied()
    }

    fn before(&self, position: usize) -> Option<char> {
        position.checked_sub(1).and_then(|position| self.letter(position))
    }

    fn is_space(&self, position: usize) -> bool {
        self.letter(position).is_none_or(char::is_whitespace)
    }

    /// Whether white space or the start of the text precedes.
    fn begins(&self, position: usize) -> bool {
        self.before(position).is_none_or(char::is_whitespace)
    }

    fn end_of_word(&self, from: usize) -> usize {
        (from..self.letters.len())
            .find(|position| self.is_space(*position))
            .unwrap_or(self.letters.len())
    }

    /// Marks quotes, addresses and hashtags, from which nothing else is parsed. Returns the
    /// addresses.
    fn literals(&mut self) -> Vec<String> {
        let (mut urls, mut position) = (Vec::new(), 0);
        while position < self.letters.len() {
            let rest: String = self.letters[position..].iter().take(8).collect();
            let quote = self.letters[position];
            let closing = |end: &usize| self.letters[*end] == quote && self.is_space(end + 1);
            let closes = if self.begins(position) && matches!(quote, '"' | '\'') {
                (position + 1..self.letters.len()).find(closing)
            } else {
                None
            };
            let mut end = position + 1;
            if let Some(closes) = closes {
                end = closes + 1;
                self.set(position, end, Mark::Quoted);
            } else if rest.starts_with("http://") || rest.starts_with("https://") {
                end = self.end_of_word(position);
                while self.letters[end - 1].is_ascii_punctuation() && self.letters[end - 1] != '/' {
                    end -= 1;
                }
                let url: String = self.letters[position..end].iter().collect();
                self.set(position, end, Mark::Removed);
                urls.extend((!urls.contains(&url)).then_some(url));
            } else if quote == '#' {
                while self.letter(end).is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    end += 1;
                }
                let hidden = self.before(position) == Some('-') && self.begins(position - 1);
                if end > position + 1 {
                    self.set(
                        if hidden { position - 1 } else { position },
                        end,
                        if hidden { Mark::Removed } else { Mark::Literal },
                    );
                }
            }
            position = end;
        }
        urls
    }

    /// Takes the account names, leftmost first and the longest at each position: the first is the
    /// credit account, the next different one the debit account (3.8.2.2).
    fn names(&mut self) -> [Option<label::Account>; 2] {
        let (mut sides, mut position) = ([None, None], 0);
        while position < self.letters.len() {
            let Some((label, end)) = self.name_at(position) else {
                position += 1;
                continue;
            };
            let open = if sides[0].is_none() { 0 } else { 1 };
            let takes = sides[open].is_none() && sides[0] != Some(label);
            // A repeated name stays, and its digits are neither an amount nor a day.
            self.set(position, end, if takes { Mark::Removed } else { Mark::Literal });
            if takes {
                sides[open] = Some(label);
            }
            position = end;
        }
        sides
    }

    fn name_at(&self, position: usize) -> Option<(label::Account, usize)> {
        if self.before(position).is_some_and(char::is_alphanumeric)
            || position > 0 && self.splits_number(position - 1)
        {
            return None;
        }
        let accounts = self.book.accounts.values().filter(|account| !account.archived);
        let found = accounts.filter_map(|account| {
            Some((account.label, self.end_of_name(position, &normalized(&account.name))?))
        });
        found.max_by_key(|(_, end)| *end)
    }

    /// The end of a normalized name that begins here.
    fn end_of_name(&self, begin: usize, name: &str) -> Option<usize> {
        let mut position = begin;
        for (number, word) in name.split('_').enumerate() {
            let gap = position;
            while number > 0
                && self.letter(position).is_some_and(|c| c.is_whitespace() || c == '-' || c == '_')
            {
                position += 1;
            }
            if number > 0 && gap == position {
                return None;
            }
            let mut read = String::new();
            while read.len() < word.len() {
                read.push_str(&folded(&self.letter(position)?.to_string()));
                position += 1;
            }
            if read != word {
                return None;
            }
        }
        let whole = self.letter(position).is_none_or(|c| !c.is_alphanumeric())
            && !self.splits_number(position);
        (whole && self.is_free(begin, position)).then_some(position)
    }

    /// Whether a separator within a number is here, as in `12.34`: its halves are not words.
    fn splits_number(&self, position: usize) -> bool {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        digit(self.before(position))
            && digit(self.letter(position + 1))
            && self.letter(position).is_some_and(|c| ".,/:".contains(c))
    }

    /// Takes the first date. The digits of every date are excluded from amounts.
    fn dates(&mut self) -> Option<Date> {
        let mut first = None;
        for (from, to) in self.runs(|c| c.is_ascii_digit() || c == '/' || c == '-') {
            let run: String = self.letters[from..to].iter().collect();
            let Some(day) = self.day(&run) else { continue };
            self.set(from, to, if first.is_none() { Mark::Removed } else { Mark::Literal });
            first = first.or(Some(day));
        }
        first
    }

    /// Parses the book's pattern, a short date of this year, or `yyyy-MM-dd` (3.8.2.3).
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

    /// The free runs of matching characters outside longer words, without trailing punctuation.
    fn runs(&self, takes: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
        let (mut runs, mut position) = (Vec::new(), 0);
        while position < self.letters.len() {
            let from = position;
            while self.letter(position).is_some_and(&takes) && self.marks[position] == Mark::Free {
                position += 1;
            }
            let mut to = position;
            while to > from && !self.letters[to - 1].is_ascii_digit() {
                to -= 1;
            }
            let glued =
                |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "./@_-:".contains(c));
            let sentence = to < position && self.is_space(position);
            if to > from
                && !glued(self.before(from))
                && (sentence || to == position && !glued(self.letter(to)))
            {
                runs.push((from, to));
            }
            position = position.max(from + 1);
        }
        runs
    }

    /// Takes `4x` or `$4x` between white space (3.8.2.8).
    fn months(&mut self) -> u32 {
        for from in (0..self.letters.len()).filter(|position| self.begins(*position)) {
            let to = self.end_of_word(from);
            let word: String = self.letters[from..to].iter().collect();
            let count = word
                .strip_suffix('x')
                .map(|count| count.strip_prefix('$').unwrap_or(count))
                .and_then(|count| count.parse().ok());
            if let Some(count) =
                count.filter(|count| (1..=MAX_MONTHS).contains(count) && self.is_free(from, to))
            {
                self.set(from, to, Mark::Removed);
                return count;
            }
        }
        0
    }

    /// The description that remains, with white space collapsed.
    fn rest(&self) -> String {
        let remaining =
            self.letters.iter().zip(&self.marks).filter(|(_, mark)| **mark != Mark::Removed);
        let (mut rest, mut gap) = (String::new(), None);
        for (letter, mark) in remaining {
            if letter.is_whitespace() && *mark != Mark::Quoted {
                gap = Some(if *letter == '\n' { '\n' } else { gap.unwrap_or(' ') });
            } else {
                rest.extend(gap.take().filter(|_| !rest.is_empty()));
                rest.push(*letter);
            }
        }
        rest
    }
}

/// The same day a number of months later, or the last day of a shorter month.
pub fn later(day: Date, months: u32) -> Date {
    day + i64::from(months).months()
}
