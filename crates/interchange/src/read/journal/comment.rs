//! Tags and dates in comments.

use daybook_domain::calendar;
use time::Date;

/// Returns the tags of a comment: `name:value` up to a comma.
pub(crate) fn tags(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    comment.split(',').filter_map(|part| {
        let (before, value) = part.split_once(':')?;
        let name = before.rsplit(char::is_whitespace).next().filter(|name| !name.is_empty())?;
        Some((name, value.trim()))
    })
}

/// Returns the dates in brackets: `[2024-01-03=2024-01-05]`, each of which may be missing.
pub(crate) fn bracketed(comment: &str, year: i32) -> (Option<Date>, Option<Date>) {
    let Some((inside, _)) = comment.split_once('[').and_then(|(_, rest)| rest.split_once(']'))
    else {
        return (None, None);
    };
    let (first, second) = inside.split_once('=').unwrap_or((inside, ""));
    (date(first, year), date(second, year))
}

/// Parses a date: `2024-01-31`, `2024/1/31`, `2024.01.31`, or without the year.
pub(crate) fn date(text: &str, year: i32) -> Option<Date> {
    let mut parts = text.trim().split(['-', '/', '.']).map(|part| {
        let is_number = (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<i32>().ok().filter(|_| is_number)
    });
    let (first, second, third) = (parts.next()??, parts.next()??, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let (year, month, day) = match third {
        Some(day) => (first, second, day?),
        None => (year, first, second),
    };
    calendar::from_parts(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found() {
        let found: Vec<(&str, &str)> = tags("see trip:Oslo, project-x:, no tag, a:b:c").collect();
        assert_eq!(found, [("trip", "Oslo"), ("project-x", ""), ("a", "b:c")]);
    }

    #[test]
    fn dates_are_found() {
        let iso = |date: Option<Date>| date.map(calendar::format_iso).unwrap_or_default();
        assert_eq!(iso(date("2024/1/31", 2020)), "2024-01-31");
        assert_eq!(iso(date("1.31", 2020)), "2020-01-31");
        assert_eq!(iso(date("2024-1-31-1", 2020)), "");
        assert_eq!(iso(date("x", 2020)), "");
        let (first, second) = bracketed("paid [2024-01-03=01-05]", 2024);
        assert_eq!((iso(first), iso(second)), ("2024-01-03".to_owned(), "2024-01-05".to_owned()));
        assert_eq!(bracketed("[x] a", 2024), (None, None));
    }
}
