//! A draft without a date is listed under the day of its creation in the book zone (2.6), whenever
//! its date was removed. The test needs its own store to let days pass.

use daybook_domain::calendar::format_iso;
use daybook_domain::field::Field;
use daybook_domain::id::TransactionId;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Verb};
use daybook_tests::Engine;

use crate::Case;
use crate::inside::{Inside, only};

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_2_6_the_day_of_creation]
}

/// 2025-11-12 23:30 in UTC, when it was already the 13th in Berlin.
const CREATED: Instant = Instant::new(1_762_990_200_000);
const DAY: i64 = 24 * 3_600_000;

/// Lets a number of days pass since [`CREATED`]; the number may be negative.
fn pass(inside: &mut Inside, days: i64) {
    inside.cx.now = Instant::new(CREATED.milliseconds() + days * DAY);
}

fn create(inside: &Inside, text: &str, date: Field<String>) -> TransactionId {
    let description = Field::Set(text.to_owned());
    let amount = Field::Set("1".to_owned());
    inside.record(vec![Changes { description, date, amount, ..Changes::default() }])[0]
}

/// Asserts the descriptions and days of the list.
#[track_caller]
fn check_days(inside: &Inside, expected: [[&str; 2]; 3]) {
    let rows = inside.all("", 100);
    let found: Vec<[String; 2]> =
        rows.into_iter().map(|row| [row.description, format_iso(row.list_day)]).collect();
    assert_eq!(found, expected);
}

fn rule_2_6_the_day_of_creation(engine: Engine) {
    let time_zone = Some("Europe/Berlin".to_owned());
    let settings = daybook_domain::book::Changes { time_zone, ..Default::default() };
    let mut inside = Inside::new(engine, CREATED, settings);
    let dated = create(&inside, "dated", Field::Set("2025-01-31".to_owned()));
    create(&inside, "between", Field::Set("2025-11-20".to_owned()));
    pass(&mut inside, -3);
    create(&inside, "never dated", Field::Keep);
    let (between, never_dated) = (["between", "2025-11-20"], ["never dated", "2025-11-10"]);
    check_days(&inside, [between, never_dated, ["dated", "2025-01-31"]]);
    let cleared = || Changes { date: Field::Clear, ..only(dated) };
    pass(&mut inside, 40);
    inside.perform(Verb::Update, &[cleared()]);
    check_days(&inside, [between, ["dated", "2025-11-13"], never_dated]);
    pass(&mut inside, 50);
    let description = Field::Set("renamed".to_owned());
    inside.perform(Verb::Update, &[Changes { description, ..cleared() }]);
    check_days(&inside, [between, ["renamed", "2025-11-13"], never_dated]);
}
