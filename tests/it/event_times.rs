//! Times in the event log (8.5, 8.18), with instants set by the test.

use daybook_domain::event::Event;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_service::{account, event};
use daybook_tests::Engine;

use crate::Case;
use crate::inside::Inside;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_8_18_event_times_never_decrease, rule_8_5_time_bounds_select_exactly]
}

fn log(inside: &Inside, request: event::Request) -> Vec<Event> {
    inside
        .store
        .read(|tx| event::list(tx, &inside.cx, &inside.book, &request))
        .expect("events")
        .events
        .into_iter()
        .map(|read| read.event)
        .collect()
}

fn named(number: usize) -> account::Input {
    let changes = daybook_domain::account::Changes {
        name: Some(format!("Account {number}")),
        ..Default::default()
    };
    account::Input { changes, groups: Field::Keep }
}

const NOW: Instant = Instant::new(1_763_000_000_000);

/// An event recorded later gets no earlier instant, even when its request has one.
fn rule_8_18_event_times_never_decrease(engine: Engine) {
    let mut inside = Inside::new(engine, NOW, Default::default());
    for (number, later) in [5_000, 3_000, 6_000, 1_000].into_iter().enumerate() {
        inside.cx.now = Instant::new(NOW.milliseconds() + later);
        inside
            .write(move |tx, cx, book| account::create(tx, cx, book, vec![named(number)]))
            .expect("an account");
    }
    let times: Vec<i64> = log(&inside, event::Request::default())
        .iter()
        .map(|event| event.created_at.milliseconds())
        .collect();
    assert_eq!(times, [6_000, 6_000, 5_000, 5_000, 0].map(|later| NOW.milliseconds() + later));
}

/// Bounds before, between, at and after events, some of which share an instant.
fn rule_8_5_time_bounds_select_exactly(engine: Engine) {
    let mut inside = Inside::new(engine, NOW, Default::default());
    let text = |later: i64| {
        jiff::Timestamp::from_millisecond(NOW.milliseconds() + later)
            .expect("an instant")
            .to_string()
    };
    for (number, later) in [0, 10, 10, 10, 20, 40, 40].into_iter().enumerate() {
        inside.cx.now = Instant::new(NOW.milliseconds() + later);
        inside
            .write(move |tx, cx, book| account::create(tx, cx, book, vec![named(number)]))
            .expect("an account");
        let all = log(&inside, event::Request::default());
        for after in [None, Some(-5), Some(0), Some(5), Some(10), Some(11), Some(40), Some(41)] {
            for before in [None, Some(-5), Some(0), Some(10), Some(15), Some(40), Some(50)] {
                let request = event::Request {
                    after: after.map(text),
                    before: before.map(text),
                    ..Default::default()
                };
                let at = |event: &&Event| event.created_at.milliseconds() - NOW.milliseconds();
                let inside_of = |event: &&Event| {
                    after.is_none_or(|after| at(event) >= after)
                        && before.is_none_or(|before| at(event) < before)
                };
                let expected: Vec<i64> =
                    all.iter().filter(inside_of).map(|event| event.sequence).collect();
                let found: Vec<i64> =
                    log(&inside, request).iter().map(|event| event.sequence).collect();
                assert_eq!(found, expected, "{number}: after {after:?}, before {before:?}");
            }
        }
    }
}
