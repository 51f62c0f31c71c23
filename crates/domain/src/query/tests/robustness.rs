//! Tests of arbitrary, long and deeply nested texts (behaviour 1.1.10).

use proptest::prelude::*;
use time::Date;

use super::*;

fn contexts() -> impl Iterator<Item = ParseContext> {
    DatePattern::ALL.into_iter().flat_map(|pattern| {
        [DecimalSeparator::Dot, DecimalSeparator::Comma].map(|separator| ParseContext {
            pattern,
            separator,
            ..context()
        })
    })
}

fn depth(filter: &Filter) -> usize {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => {
            1 + filters.iter().map(depth).max().unwrap_or(0)
        }
        Filter::Not(filter) => 1 + depth(filter),
        Filter::Term(_) => 1,
    }
}

#[test]
fn long_and_deep_texts() {
    let pieces = "( ) - -( NOT_ NOT_( a_OR_(b_ NOT_(a_OR_-( ' \" \\ '\\ # : a: a:_ on:_ \
                  amount:_>_ amount> on:_'x_ $d- 1/ 9 , OR_ AND_ =_ é is:draft_ account:x_ \
                  -account:_- on:$m_ on:9/9999_ \u{301} a:'b' a:_'b' a:b'c' 'a'b:";
    for piece in pieces.split(' ').map(|piece| piece.replace('_', " ")) {
        let text = piece.repeat(100_000);
        let query = query(&text);
        assert!(depth(query.filter()) <= 200, "{piece}");
        let _ = query.single_account();
        let _ = balance(&text);
    }
    for name in ["amount:", "amount>1", "on:", "on:1/", "on:$d+", "x:"] {
        let text = format!("{name}{}", "1".repeat(100_000));
        let _ = (query(&text), balance(&text));
    }
}

#[test]
fn parentheses_beyond_the_limit_are_flat() {
    // Every second level is an OR inside an AND, so none of them collapses.
    let nested = |levels: usize| query(&format!("{}z", "x OR (y (".repeat(levels / 2)));
    assert_eq!(depth(nested(10).filter()), 12);
    assert_eq!(depth(nested(64).filter()), 66);
    assert_eq!(depth(nested(66).filter()), depth(nested(10_000).filter()));
    // Beyond the limit, content belongs to the innermost parenthesis within it.
    let open = "x OR (y (".repeat(32);
    let flat = query(&format!("{open}(a) b"));
    assert_eq!(flat.filter(), query(&format!("{open}a b")).filter());
    check(&format!("{}a{} b", "(".repeat(1000), ")".repeat(1000)), "'a' 'b'");
}

/// Generates text from fragments of the language, which random characters rarely form.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = "_ __ ( ) - NOT_ _OR_ _AND_ ' \" \\ # #food : account: group:_ on: after:_ \
                  before: by: is: amount > >= < = using:postDate trashed draft key:* $d $m $y $w \
                  $q +1 -12 +9223372036854775807 -9223372036854775808 / 2025 12 31 7 01 -02 jan \
                  December today 1,234.50 9999 0001 é ß x";
    let pieces: Vec<_> = pieces.split(' ').map(|piece| piece.replace('_', " ")).collect();
    let piece = prop::sample::select(pieces);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The text of a range is a query with the same range.
    #[test]
    fn range_round_trips(text in pieces()) {
        for context in contexts() {
            let Some(query) =
                BalanceQuery::parse(&text, &context).filter(|query| !query.range.is_empty())
            else {
                continue;
            };
            let again = BalanceQuery::parse(&query.range, &context).unwrap();
            prop_assert_eq!(
                (again.from, again.until, again.periodicity),
                (query.from, query.until, query.periodicity)
            );
            prop_assert_eq!(
                (&again.range, &again.previous_range, &again.next_range),
                (&query.range, &query.previous_range, &query.next_range)
            );
        }
    }

    /// A range with both bounds ends where the next one starts.
    #[test]
    fn adjacent_ranges_touch(
        start in 2_450_000..2_490_000_i32,
        length in 1..400_i32,
        pattern in prop::sample::select(DatePattern::ALL.to_vec()),
    ) {
        let context = with_pattern(pattern);
        let from = Date::from_julian_day(start).unwrap();
        let until = Date::from_julian_day(start + length).unwrap();
        for text in [
            format!("after:{} before:{}", format_iso(from), format_iso(until)),
            format!("after:{} before:{}", pattern.format(from), pattern.format(until)),
            format!("after:{} before:{}", pattern.format(from), format_iso(until)),
        ] {
            let query = BalanceQuery::parse(&text, &context).unwrap();
            prop_assert_eq!((query.from, query.until), (Some(from), Some(until)));
            let next = BalanceQuery::parse(&query.next_range, &context).unwrap();
            let previous = BalanceQuery::parse(&query.previous_range, &context).unwrap();
            prop_assert_eq!((next.from, previous.until), (Some(until), Some(from)));
            prop_assert_eq!(next.previous_range, query.range);
        }
    }
}
